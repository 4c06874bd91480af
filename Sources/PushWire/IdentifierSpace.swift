/// The 32-bit identifiers of a run, in the order of its notifications: from a first one upwards, wrapping past 2³² − 1 to 1.
///
/// 0 is never issued, since gateways answer it when they could not read the identifier at all.
public struct IdentifierSpace: Hashable, Sendable {
    /// How many distinct identifiers there are.
    public static let count: UInt64 = (1 << 32) - 1

    /// The identifier of the run's first notification; never 0.
    public let first: UInt32

    /// Makes the space that begins at `first`.
    ///
    /// - Precondition: `first` is not 0.
    public init(first: UInt32 = 1) {
        precondition(first != 0, "0 is not an identifier that a provider may issue")
        self.first = first
    }

    /// The identifier of the notification at `sequence`, counted from 0.
    @inlinable
    public func identifier(of sequence: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(first) - 1 + sequence) % Self.count) + 1
    }

    /// The sequence number that `identifier` stands for, the one nearest to `reference`; nil for 0 and for what lies before the run.
    public func sequence(of identifier: UInt32, near reference: UInt64) -> UInt64? {
        guard identifier != 0 else { return nil }
        let offset = (UInt64(identifier) + Self.count - UInt64(first)) % Self.count
        let ahead = (offset + Self.count - reference % Self.count) % Self.count
        if ahead <= Self.count / 2 { return reference + ahead }
        let behind = Self.count - ahead
        return behind <= reference ? reference - behind : nil
    }
}
