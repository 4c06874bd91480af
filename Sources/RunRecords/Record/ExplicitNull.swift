/// An optional figure that is written as `null` when there is none, where Swift's own coding would leave the key out.
///
/// Readers in other languages then see every key of the schema. A missing key reads as nil.
@propertyWrapper
public struct ExplicitNull<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    /// The figure; nil if there is none.
    public var wrappedValue: Value?

    /// Wraps a figure.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Reads the figure.
    ///
    /// - Throws: what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    /// Writes the figure.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension KeyedDecodingContainer {
    /// Reads a figure whose key may be missing; chosen by the compiler for properties with the wrapper.
    ///
    /// - Parameters:
    ///   - type: the wrapper.
    ///   - key: the figure's key.
    /// - Returns: the figure; nil inside if the key is missing.
    /// - Throws: what the decoder throws.
    public func decode<Value>(_ type: ExplicitNull<Value>.Type, forKey key: Key) throws -> ExplicitNull<Value> {
        try decodeIfPresent(type, forKey: key) ?? ExplicitNull(wrappedValue: nil)
    }
}
