/// Replaced connections and what they cost.
///
/// Figures that are null in a record without them were not measured by the version that wrote it.
public struct ReconnectRecord: Codable, Equatable, Sendable {
    /// Connections that were replaced, and whose successor carried a batch.
    public var count: Int64 = 0
    /// Of these, with a resumed TLS session, as the TLS library tells.
    public var resumed: Int64 = 0
    /// Of these, with a full TLS handshake; `count = resumed + full`.
    @ExplicitNull public var full: Int64?
    /// Notifications written again because of it.
    public var resent: Int64 = 0
    /// How many notifications followed the bad one.
    public var inFlightAtError = InFlightRecord()
    /// Failed attempts by kind: `refused timeout reset tls localLimit` and others.
    public var failedAttempts: [String: Int64] = [:]
    /// The sender's handshakes, those of first connections included.
    @ExplicitNull public var senderHandshakes: HandshakesRecord?
    /// The simulator's handshakes; null without its account.
    @ExplicitNull public var simulatorHandshakes: HandshakesRecord?
    /// What the series `firstAcceptance` rests on; null if there is none.
    @ExplicitNull public var firstAcceptanceBy: FirstAcceptanceBasis?
    /// The throughput that reconnects cost; null without reconnects, or if there was too little quiet time to compare with.
    @ExplicitNull public var throughputLost: ThroughputLostRecord?
    /// How the other connections fared while one was replaced; null where nothing can be told.
    @ExplicitNull public var others: OthersThroughputRecord?
    /// Reconnects one by one, evenly spread over the run if there were more than a thousand.
    @ExplicitNull public var events: [ReconnectEventRecord]?

    /// Makes a count of none.
    public init() {}

    /// Notifications written again for each replaced connection; nil without any.
    public var resentPerReconnect: Double? { count > 0 ? Double(resent) / Double(count) : nil }
}

/// What tells that a notification was accepted for the first time on a new connection.
public enum FirstAcceptanceBasis: String, Codable, Sendable, CaseIterable {
    /// The simulator's own note of the moment at which it accepted it.
    case simulator
    /// The moment at which an error reply proved it, which may be long after.
    case proof
}

/// What the other connections wrote while one was replaced, as a share of what they write in quiet time.
///
/// A share of 1 is as much as ever. Several that are replaced at the same time are missing in each other's share.
public struct OthersThroughputRecord: Codable, Equatable, Sendable {
    /// Reconnects that took long enough to tell.
    public var reconnects: Int64
    /// The smallest share.
    public var minShare: Double
    /// The median share.
    public var medianShare: Double

    /// Makes a figure.
    public init(reconnects: Int64, minShare: Double, medianShare: Double) {
        self.reconnects = reconnects
        self.minShare = minShare
        self.medianShare = medianShare
    }

    /// Sums up the shares of single reconnects; nil without any.
    public init?(_ shares: [Double]) {
        let sorted = shares.sorted()
        guard let least = sorted.first else { return nil }
        self.init(reconnects: Int64(sorted.count), minShare: least, medianShare: sorted[(sorted.count - 1) / 2])
    }
}

/// The area below the median rate of first writes while connections were replaced.
///
/// Touched is the time from the first sign of an end to the last notification that was written again because of it; all other time
/// is quiet. In an open loop what is late is made up for afterwards, so there it is late rather than lost.
public struct ThroughputLostRecord: Codable, Equatable, Sendable {
    /// Lost in all, in notifications; noise can make it negative.
    public var notifications: Double
    /// The standard error of that, from the noise of quiet time; a loss below twice as much cannot be told from none.
    public var standardError: Double
    /// Reconnects that the figure is about: those between the first write and the end of the supply.
    public var reconnects: Int64
    /// Stretches of touched time; fewer than reconnects if some overlap.
    public var episodes: Int64
    /// The median rate of quiet time.
    public var medianPerSecond: Double
    /// The width of the bins in which rates were taken.
    public var binNs: Int64
    /// Quiet time.
    public var quietNs: Int64
    /// Touched time.
    public var touchedNs: Int64

    /// Makes a figure.
    public init(
        notifications: Double, standardError: Double, reconnects: Int64, episodes: Int64, medianPerSecond: Double,
        binNs: Int64, quietNs: Int64, touchedNs: Int64
    ) {
        self.notifications = notifications
        self.standardError = standardError
        self.reconnects = reconnects
        self.episodes = episodes
        self.medianPerSecond = medianPerSecond
        self.binNs = binNs
        self.quietNs = quietNs
        self.touchedNs = touchedNs
    }

    /// Lost by one reconnect on average; nil without reconnects.
    public var perReconnect: Double? { reconnects > 0 ? notifications / Double(reconnects) : nil }
}

/// One replaced connection; `costNs = waitNs + tcpNs + tlsNs + writeNs`.
public struct ReconnectEventRecord: Codable, Equatable, Sendable {
    /// When the first sign of the end was seen, from the start of the run; negative if that was while connections were opened.
    public var atNs: Int64 = 0
    /// The connection slot, from 0.
    public var connection = 0
    /// What ended the connection: an error's name, or how it ended without one.
    public var cause = ""
    /// From the moment at which the simulator sent the end to the first sign of it; null if it did not end it or cannot tell.
    @ExplicitNull public var detectNs: Int64?
    /// From the first sign to the attempt that succeeded: pauses, pacing, failed attempts.
    public var waitNs: Int64 = 0
    /// To the TCP connection.
    public var tcpNs: Int64 = 0
    /// To the end of the TLS handshake.
    public var tlsNs: Int64 = 0
    /// Whether the TLS session was resumed.
    public var resumed = false
    /// To the first batch in the kernel's hands.
    public var writeNs: Int64 = 0
    /// From the first sign of the end to the first batch.
    public var costNs: Int64 = 0
    /// From the first sign of the end until the simulator accepted a notification on the successor; null if it cannot tell.
    @ExplicitNull public var firstAcceptanceNs: Int64?
    /// Attempts to connect.
    public var attempts = 1
    /// Notifications written and without proof at the end; behind the bad one if a reply named one.
    public var inFlight: Int64 = 0
    /// Notifications to be written again.
    public var resent: Int64 = 0
    /// Throughput lost, in notifications: its share of the episode that it lies in; null if it cannot be told.
    @ExplicitNull public var throughputLost: Double?
    /// What the other connections wrote for the first time meanwhile, as a share of what they write in quiet time, 1 for as much; null
    /// if it was too short to tell, if there is no quiet time or no other connection.
    @ExplicitNull public var othersShare: Double?

    /// Makes an event at the run's start that took no time.
    public init() {}
}
