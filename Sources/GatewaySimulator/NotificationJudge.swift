public import Primitives
public import PushWire
import Workload

/// Decides what becomes of a well-formed notification: by its token, its payload, and the rejections that a test ordered.
public struct NotificationJudge: Sendable {
    /// What becomes of it.
    public enum Verdict: Hashable, Sendable {
        /// It is accepted.
        case accepted
        /// It is accepted, and its device no longer has the app.
        case unregistered
        /// It is accepted although no key opens its token.
        case foreign
        /// It is refused.
        case refused(ErrorStatus)
    }

    private let settings: GatewaySettings
    private let key: TokenKey?
    private let hasUnregisteredTokens: Bool
    private let burst: ClosedRange<Instant>?
    private let burstThreshold: UInt64

    /// Makes the judge of a gateway whose first connection came at `start`.
    public init(settings: GatewaySettings, start: Instant) {
        self.settings = settings
        key = settings.tokenSeed.map { TokenKey(seed: $0) }
        hasUnregisteredTokens = !settings.unregisteredTokens.isEmpty
        burst = settings.burst.map { start + $0.start...start + $0.start + $0.length }
        burstThreshold = settings.burst.map { UInt64(min(max($0.rate, 0), 1) * 0x1p63) } ?? 0
    }

    /// Judges one notification that came on a connection for the apps in `scope`.
    public func verdict(
        on notification: NotificationView, scope: TopicScope = .appUnderLoad, now: Instant
    ) -> Verdict {
        if settings.judgesJSON && JSONSyntax.check(notification.payload) != nil {
            return .refused(.processingError)
        }
        if !settings.refusedIdentifiers.isEmpty && settings.refusedIdentifiers.contains(notification.identifier) {
            return .refused(.invalidToken)
        }
        guard settings.judgesTokens, let token = notification.token.baseAddress else { return .accepted }
        if scope == .missing { return .refused(.missingTopic) }
        if let burst, let seed = settings.burst?.seed, burst.contains(now),
            mix64(seed ^ UInt64(notification.identifier)) >> 1 < burstThreshold
        {
            return .refused(.invalidToken)
        }
        if hasUnregisteredTokens && settings.unregisteredTokens.contains(notification.token) { return .unregistered }
        if let key, notification.token.count == TokenKey.tokenBytes, let device = key.device(ofToken: token) {
            let isForeignEnvironment = settings.judgesEnvironment && device.environment != settings.environment
            guard !isForeignEnvironment else { return .refused(.invalidToken) }
            guard scope.reaches(device.topic) else { return .refused(.invalidToken) }
            switch device.fate {
            case .valid, .otherTopic: return .accepted
            case .unregistered: return .unregistered
            case .badToken: return .refused(.invalidToken)
            }
        }
        let isForeignAccepted = settings.foreignTokens == .accept && !isAllZero(notification.token)
        return isForeignAccepted ? .foreign : .refused(.invalidToken)
    }

    /// Whether a token is all zeros, which is no device's token and the mark of a sentinel.
    private func isAllZero(_ token: UnsafeRawBufferPointer) -> Bool { token.allSatisfy { $0 == 0 } }
}

/// What all connections of one event loop share: a time in which nothing is read, and a cap on acceptance by reading no faster.
public final class GatewayPace {
    private let settings: GatewaySettings
    private let triggers: FaultTriggers
    private var nextFree: Instant?

    /// Makes the pace of one event loop; `triggers` are those of the whole gateway.
    public init(settings: GatewaySettings, triggers: FaultTriggers = FaultTriggers()) {
        self.settings = settings
        self.triggers = triggers
    }

    /// Until when nothing should be read, after so many notifications were read and accepted at `now`; nil to read on.
    public func pause(afterReading readCount: UInt64, accepting count: UInt64, now: Instant) -> Instant? {
        if let stall = settings.stall {
            let start: Instant? =
                switch stall.trigger {
                case .time(let delay): triggers.connectionOpened(at: now) + delay
                case .notifications(let threshold): triggers.read(readCount, threshold: threshold, now: now)
                }
            if let start, now >= start, now < start + stall.length { return start + stall.length }
        }
        guard let rate = settings.acceptRate else { return nil }
        let cost = Interval(nanoseconds: Int64(Double(count) * 1e9 / rate.perSecond))
        let free = max(now, nextFree ?? now) + cost
        nextFree = free
        return free > now ? free : nil
    }
}
