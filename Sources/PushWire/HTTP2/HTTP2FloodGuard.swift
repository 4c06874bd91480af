public import Primitives

/// What a hostile peer can send much of at little cost (RFC 9113 section 10.5).
public enum HTTP2FloodKind: Int, Hashable, Sendable, CaseIterable {
    /// SETTINGS, each of which must be acknowledged.
    case settings
    /// PING, each of which must be answered.
    case ping
    /// Streams that end as soon as they begin (rapid reset).
    case reset
    /// Frames that move nothing: DATA and header blocks without content or for streams that are over, PRIORITY, acknowledgements,
    /// GOAWAY, unknown types.
    case idleFrame
    /// WINDOW_UPDATE, which may open a window by one byte.
    case windowUpdate
    /// Our own answers, which the peer does not read.
    case unreadAnswer
}

/// How many frames of one kind are tolerated.
public struct HTTP2FloodLimit: Hashable, Sendable {
    /// How many may come at once, at least 1.
    public var burst: Int64
    /// How many a second may come for ever, at least 1.
    public var perSecond: Int64
    /// How many more may come for each request, saved up to ``burst``.
    public var perRequest: Int64
    /// How many more may come for each frame of DATA that was sent beyond the first of its message, saved up to
    /// ``HTTP2FloodGuard/savedDataFrames`` frames.
    public var perDataFrame: Int64

    /// Makes a limit.
    public init(burst: Int64, perSecond: Int64, perRequest: Int64 = 0, perDataFrame: Int64 = 0) {
        precondition(burst > 0 && perSecond > 0, "a limit lets something through")
        precondition(perRequest >= 0 && perDataFrame >= 0, "what was sent takes nothing away")
        self.burst = burst
        self.perSecond = perSecond
        self.perRequest = perRequest
        self.perDataFrame = perDataFrame
    }
}

/// The limits of all kinds; the defaults leave any honest peer alone.
public struct HTTP2FloodLimits: Hashable, Sendable {
    /// SETTINGS frames; a gateway may change its limits with every request.
    public var settings = HTTP2FloodLimit(burst: 100, perSecond: 20, perRequest: 1)
    /// PING frames, of which some libraries send one with each burst of data to measure the round trip.
    public var ping = HTTP2FloodLimit(burst: 100, perSecond: 20, perRequest: 1)
    /// RST_STREAM frames, and whatever else makes us send one.
    public var reset = HTTP2FloodLimit(burst: 1_000, perSecond: 100)
    /// Frames that move nothing; old clients send PRIORITY with every request.
    public var idleFrame = HTTP2FloodLimit(burst: 1_000, perSecond: 100, perRequest: 8)
    /// WINDOW_UPDATE frames. A receiver may widen both windows after every frame of DATA, and of those there are as many as its windows
    /// are narrow (RFC 9113 section 6.9); what widens nothing that was used is a flood.
    public var windowUpdate = HTTP2FloodLimit(burst: 10_000, perSecond: 1_000, perRequest: 8, perDataFrame: 2)

    /// Makes the default limits.
    public init() {}

    subscript(kind: HTTP2FloodKind) -> HTTP2FloodLimit {
        switch kind {
        case .settings: settings
        case .ping: ping
        case .reset: reset
        case .idleFrame, .unreadAnswer: idleFrame
        case .windowUpdate: windowUpdate
        }
    }
}

/// Counts what a peer sends too much of.
///
/// Each kind has the time at which its allowance would be whole again; a frame moves that by one share of a second, and is one too
/// many when it lies further ahead than a burst takes. So nothing is counted while nothing comes, and no timer is needed. What requests
/// and DATA allow beside that is worked out when such a frame comes, so that requests themselves cost nothing.
public struct HTTP2FloodGuard: Sendable {
    /// For how many frames of DATA the answers may come all at once: more than the windows of a connection usually let be on their way.
    public static let savedDataFrames: Int64 = 131_072

    private let limits: HTTP2FloodLimits
    private var wholeAt: InlineArray<6, Instant> = InlineArray(repeating: .zero)
    /// How many requests the connection had when a frame of each kind came last, and what is left of their allowance.
    private var knownRequests: InlineArray<6, UInt64> = InlineArray(repeating: 0)
    private var allowance: InlineArray<6, Int64> = InlineArray(repeating: 0)
    /// The same for frames of DATA.
    private var knownDataFrames: InlineArray<6, UInt64> = InlineArray(repeating: 0)
    private var dataAllowance: InlineArray<6, Int64> = InlineArray(repeating: 0)

    /// Makes a guard to which nothing has come yet.
    public init(limits: HTTP2FloodLimits = HTTP2FloodLimits()) { self.limits = limits }

    /// A frame of that kind came, on a connection that had so many requests, and on which so many frames of DATA were sent here beyond
    /// the first of each message.
    ///
    /// - Throws: ``HTTP2Rule/flood(_:)`` for the connection if it is one too many.
    public mutating func note(
        _ kind: HTTP2FloodKind, requests: UInt64, dataFrames: UInt64 = 0, now: Instant
    ) throws(HTTP2Violation) {
        let limit = limits[kind]
        let place = kind.rawValue
        if limit.perDataFrame > 0, takeDataAllowance(place, limit, dataFrames) { return }
        let fresh = Int64(min(requests &- knownRequests[place], UInt64(limit.burst)))
        knownRequests[place] = requests
        allowance[place] = min(limit.burst, allowance[place] + fresh * limit.perRequest)
        guard allowance[place] == 0 else {
            allowance[place] -= 1
            return
        }
        let share = Interval(nanoseconds: 1_000_000_000 / limit.perSecond)
        let next = max(wholeAt[place], now) + share
        guard next - now <= share * limit.burst else { throw HTTP2Violation(.flood(kind)) }
        wholeAt[place] = next
    }

    /// Takes one frame off what DATA allows; false when that is used up.
    private mutating func takeDataAllowance(_ place: Int, _ limit: HTTP2FloodLimit, _ dataFrames: UInt64) -> Bool {
        let fresh = Int64(min(dataFrames &- knownDataFrames[place], UInt64(Self.savedDataFrames)))
        knownDataFrames[place] = dataFrames
        let most = Self.savedDataFrames * limit.perDataFrame
        dataAllowance[place] = min(most, dataAllowance[place] + fresh * limit.perDataFrame)
        guard dataAllowance[place] > 0 else { return false }
        dataAllowance[place] -= 1
        return true
    }
}
