/// Counts by their names, which older records may lack: a missing key reads as no counts.
@propertyWrapper
public struct CountsByName: Codable, Equatable, Sendable {
    /// The counts; names that count nothing may be left out.
    public var wrappedValue: [String: Int64]

    /// Wraps counts.
    public init(wrappedValue: [String: Int64] = [:]) { self.wrappedValue = wrappedValue }

    /// Reads the counts.
    ///
    /// - Throws: what the decoder throws.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode([String: Int64].self)
    }

    /// Writes the counts.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Reads counts whose key may be missing; chosen by the compiler for properties with the wrapper.
    func decode(_ type: CountsByName.Type, forKey key: Key) throws -> CountsByName {
        try decodeIfPresent(type, forKey: key) ?? CountsByName()
    }
}
