/// Where notifications get their device tokens from.
public enum TokenSource: Sendable {
    /// Tokens made from a population with a key.
    case synthetic(DevicePopulation, TokenKey)
}

/// Where notifications get their payloads from.
public enum PayloadSource: Sendable {
    /// Payloads made from a plan.
    case generated(PayloadGenerator)
}

/// Token and payload of every notification of a run, by sequence number from 0.
///
/// Nothing changes after `init`, so any number of event loops may share one source. All answers depend on the sequence
/// number alone: a resend asks again and gets the same bytes.
public final class NotificationSource: Sendable {
    /// The length of the longest token in bytes.
    public let maxTokenBytes: Int
    /// The length of the longest payload in bytes.
    public let maxPayloadBytes: Int
    @usableFromInline let key: TokenKey
    @usableFromInline let population: DevicePopulation
    @usableFromInline let generator: PayloadGenerator

    /// Joins tokens and payloads.
    public init(tokens: TokenSource, payloads: PayloadSource) {
        switch tokens {
        case .synthetic(let population, let key):
            self.key = key
            self.population = population
            maxTokenBytes = TokenKey.tokenBytes
        }
        switch payloads {
        case .generated(let generator):
            self.generator = generator
            maxPayloadBytes = generator.maxBytes
        }
    }

    /// How many different devices the notifications go to.
    @inlinable public var deviceCount: UInt64 { population.deviceCount }

    /// Writes the token of notification `sequence` and returns its length in bytes.
    ///
    /// - Precondition: ``maxTokenBytes`` bytes are writable at `destination`.
    @inlinable
    public func writeToken(sequence: UInt64, into destination: UnsafeMutableRawPointer) -> Int {
        key.writeToken(for: population.device(at: deviceIndex(sequence)), into: destination)
        return TokenKey.tokenBytes
    }

    /// Writes the payload of notification `sequence` and returns its length in bytes.
    ///
    /// - Precondition: `capacity` bytes are writable at `destination`, and the payload fits; ``maxPayloadBytes`` always
    ///   do.
    @inlinable
    public func writePayload(sequence: UInt64, into destination: UnsafeMutableRawPointer, capacity: Int) -> Int {
        generator.write(sequence: sequence, into: destination, capacity: capacity)
    }

    /// The index of the device that notification `sequence` goes to.
    @inlinable
    public func deviceIndex(_ sequence: UInt64) -> UInt64 { population.deviceIndex(forNotification: sequence) }

    /// The fate of the device that notification `sequence` goes to.
    @inlinable
    public func fate(_ sequence: UInt64) -> FateClass { population.fate(at: deviceIndex(sequence)) }

    /// Whether the payload of notification `sequence` is over the protocol's limit.
    @inlinable
    public func isOversized(_ sequence: UInt64) -> Bool { generator.isOversized(sequence) }
}
