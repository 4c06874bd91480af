/// How many streams a client may open by what it knows of our SETTINGS: the limit that it acknowledged, and any that it may obey already.
///
/// SETTINGS are acknowledged in the order in which they were sent, and each holds for its receiver from then on (RFC 9113 section 6.5.3);
/// streams that were opened before are not held against a lower limit (section 5.1.2).
struct AnnouncedLimits {
    /// Limits that were sent and not acknowledged, in order, alike ones together.
    private var open: [(limit: UInt32, count: Int)]
    private var acknowledged: UInt32
    private var latest: UInt32
    /// How many changes are told apart that a client leaves unacknowledged; behind those it is held to the highest.
    private static let openLimit = 64
    /// Whether the first SETTINGS were acknowledged.
    private(set) var isKnown = false
    /// The most streams that the client may believe to be allowed.
    private(set) var streamLimit: UInt32

    /// Makes the limits of a connection whose first SETTINGS allow so many streams; before a client has seen them, no more are taken either.
    init(streamLimit: UInt32) {
        open = [(streamLimit, 1)]
        (acknowledged, latest) = (streamLimit, streamLimit)
        self.streamLimit = streamLimit
    }

    /// SETTINGS were sent, under which so many streams are allowed.
    mutating func add(streamLimit limit: UInt32) {
        latest = limit
        if let last = open.last, last.limit == limit || open.count == Self.openLimit {
            open[open.count - 1] = (max(last.limit, limit), last.count + 1)
        } else {
            open.append((limit, 1))
        }
        streamLimit = max(streamLimit, limit)
    }

    /// The client has acknowledged the next SETTINGS; false when there are none that it has not.
    mutating func acknowledge() -> Bool {
        guard let next = open.first else { return false }
        (acknowledged, isKnown) = (next.limit, true)
        open[0].count -= 1
        if open[0].count == 0 { open.removeFirst() }
        if open.isEmpty { acknowledged = latest }
        streamLimit = open.reduce(acknowledged) { max($0, $1.limit) }
        return true
    }
}
