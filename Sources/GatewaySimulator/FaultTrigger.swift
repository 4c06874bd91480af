public import Primitives
public import Workload

/// When a fault strikes, and what it strikes: one grammar for all of them.
///
/// ``at`` or ``after`` say from when, ``length`` for how long; the others say which notifications. All that are given must hold; one
/// without any strikes always. ``at`` or ``after`` alone strike once.
public struct FaultTrigger: Hashable, Sendable {
    /// What times and counts belong to.
    public enum Scope: Hashable, Sendable {
        /// Each connection: times run from its opening, and it counts for itself.
        case connection
        /// The whole gateway: times run from its first connection, and all connections count together.
        case total
    }

    /// What a token is to the gateway that opens it.
    public enum TokenClass: Hashable, Sendable {
        /// A synthetic token of this fate.
        case fate(FateClass)
        /// A token that no key opens.
        case foreign
    }

    /// From this time on.
    public var at: Interval?
    /// From the so-manieth notification on, from 1.
    public var after: UInt64?
    /// For how long from then; nil without end, or once.
    public var length: Interval?
    /// Each so-manieth notification, counted from ``after``.
    public var every: UInt64?
    /// This share of the notifications, 0 ... 1: which ones, the seed and their identifiers decide.
    public var share: Double?
    /// Notifications to tokens of this class.
    public var tokens: TokenClass?
    /// Notifications with one of these identifiers; empty for any.
    public var identifiers: Set<UInt32> = []
    /// Notifications whose payload contains these bytes; empty for any.
    public var payloadMarker: [UInt8] = []
    /// What times and counts belong to.
    public var scope = Scope.total

    /// Makes a trigger that always strikes.
    public init() {}

    /// Whether it picks single notifications out of the stream.
    var isSelective: Bool {
        every != nil || share != nil || tokens != nil || !identifiers.isEmpty || !payloadMarker.isEmpty
    }

    /// Whether it strikes once, at one moment.
    var isOnce: Bool { (at != nil || after != nil) && length == nil && !isSelective }

    /// Whether it waits for a time alone, and not for a notification.
    var isTimed: Bool { at != nil && !isSelective }
}

extension FaultTrigger {
    /// Once, at the so-manieth notification.
    public static func after(_ count: UInt64, scope: Scope = .total) -> FaultTrigger {
        var trigger = FaultTrigger()
        trigger.after = count
        trigger.scope = scope
        return trigger
    }

    /// At each so-manieth notification.
    public static func every(_ count: UInt64, scope: Scope = .total) -> FaultTrigger {
        var trigger = FaultTrigger()
        trigger.every = count
        trigger.scope = scope
        return trigger
    }

    /// From a time on, for so long; without a length once.
    public static func at(_ time: Interval, for length: Interval? = nil, scope: Scope = .total) -> FaultTrigger {
        var trigger = FaultTrigger()
        trigger.at = time
        trigger.length = length
        trigger.scope = scope
        return trigger
    }

    /// By chance.
    public static func share(_ share: Double) -> FaultTrigger {
        var trigger = FaultTrigger()
        trigger.share = share
        return trigger
    }

    /// At notifications with these identifiers.
    public static func identifiers(_ identifiers: Set<UInt32>) -> FaultTrigger {
        var trigger = FaultTrigger()
        trigger.identifiers = identifiers
        return trigger
    }
}
