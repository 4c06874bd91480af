/// The simulator's account of devices that no longer have the app.
public struct FeedbackLedgerRecord: Codable, Equatable, Sendable {
    /// Accepted notifications to such devices, each counted.
    public var notifications: Int64 = 0
    /// Tokens that wait to be told, each once for its topic.
    public var waiting: Int64 = 0
    /// Tuples that the feedback service delivered.
    public var delivered: Int64 = 0
    /// Tuples that were cleared although their client did not get the whole list, as the profile asked.
    public var clearedUndelivered: Int64 = 0
    /// Tokens that were not noted because the list was full, each time counted.
    public var dropped: Int64 = 0

    /// Makes an account of nothing.
    public init() {}
}

/// The simulator's account of notifications to offline devices; all of them count as accepted.
public struct StorageLedgerRecord: Codable, Equatable, Sendable {
    /// Notifications that wait for their device: the last one of each.
    public var stored: Int64 = 0
    /// Notifications that were stored until a later one came for the same device.
    public var replaced: Int64 = 0
    /// Notifications that asked not to be stored.
    public var notStored: Int64 = 0
    /// Notifications whose expiry was past when they came.
    public var expired: Int64 = 0

    /// Makes an account of nothing.
    public init() {}
}

/// What a run read from the simulator's feedback service at its end.
public struct FeedbackRecord: Codable, Equatable, Sendable {
    /// Whole tuples read.
    public var tuples: Int64 = 0
    /// Bytes of whole tuples read.
    public var bytes: Int64 = 0
    /// Why the list is not complete, with the place where it ended; null if it is.
    @ExplicitNull public var problem: String?
    /// Whether the simulator's ledger names the same tuples; null if the list is not complete or there is no ledger.
    @ExplicitNull public var agrees: Bool?

    /// Makes the record of an empty list.
    public init() {}
}
