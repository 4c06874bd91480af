public import Primitives

/// What a hostile peer can send much of at little cost (RFC 9113 section 10.5).
public enum HTTP2FloodKind: Int, Hashable, Sendable, CaseIterable {
    /// SETTINGS, each of which must be acknowledged.
    case settings
    /// PING, each of which must be answered.
    case ping
    /// Streams that end as soon as they begin (rapid reset).
    case reset
    /// Frames that move nothing: DATA and header blocks without content, PRIORITY, unknown types.
    case idleFrame
    /// Our own answers, which the peer does not read.
    case unreadAnswer
}

/// How many frames of one kind are tolerated.
public struct HTTP2FloodLimit: Hashable, Sendable {
    /// How many may come at once, at least 1.
    public var burst: Int64
    /// How many a second may come for ever, at least 1.
    public var perSecond: Int64

    /// Makes a limit.
    public init(burst: Int64, perSecond: Int64) {
        precondition(burst > 0 && perSecond > 0, "a limit lets something through")
        self.burst = burst
        self.perSecond = perSecond
    }
}

/// The limits of all kinds; the defaults leave any honest peer alone.
public struct HTTP2FloodLimits: Hashable, Sendable {
    /// SETTINGS frames.
    public var settings = HTTP2FloodLimit(burst: 100, perSecond: 20)
    /// PING frames.
    public var ping = HTTP2FloodLimit(burst: 100, perSecond: 20)
    /// RST_STREAM frames, and whatever else makes us send one.
    public var reset = HTTP2FloodLimit(burst: 1_000, perSecond: 100)
    /// Frames that move nothing.
    public var idleFrame = HTTP2FloodLimit(burst: 1_000, perSecond: 100)

    /// Makes the default limits.
    public init() {}

    subscript(kind: HTTP2FloodKind) -> HTTP2FloodLimit {
        switch kind {
        case .settings: settings
        case .ping: ping
        case .reset: reset
        case .idleFrame, .unreadAnswer: idleFrame
        }
    }
}

/// Counts what a peer sends too much of.
///
/// Each kind has the time at which its allowance would be whole again; a frame moves that by one share of a second, and is one too
/// many when it lies further ahead than a burst takes. So nothing is counted while nothing comes, and no timer is needed.
public struct HTTP2FloodGuard: Sendable {
    private let limits: HTTP2FloodLimits
    private var wholeAt: InlineArray<5, Instant> = InlineArray(repeating: .zero)

    /// Makes a guard to which nothing has come yet.
    public init(limits: HTTP2FloodLimits = HTTP2FloodLimits()) { self.limits = limits }

    /// A frame of that kind came.
    ///
    /// - Throws: ``HTTP2Rule/flood(_:)`` for the connection if it is one too many.
    public mutating func note(_ kind: HTTP2FloodKind, now: Instant) throws(HTTP2Violation) {
        let limit = limits[kind]
        let share = Interval(nanoseconds: 1_000_000_000 / limit.perSecond)
        let next = max(wholeAt[kind.rawValue], now) + share
        guard next - now <= share * limit.burst else { throw HTTP2Violation(.flood(kind)) }
        wholeAt[kind.rawValue] = next
    }
}
