public import PushWire
import Workload

/// Decides what becomes of a well-formed notification: by its token and its payload.
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
    /// The key, where good tokens are all that a notification needs.
    private let shortKey: TokenKey?
    private let acceptsAll: Bool
    private let environment: PushEnvironment

    /// Makes the judge of a gateway.
    public init(settings: GatewaySettings) {
        self.settings = settings
        key = settings.tokenKey
        hasUnregisteredTokens = !settings.unregisteredTokens.isEmpty
        acceptsAll = settings.acceptsAll
        let asksForMore = !settings.judgesTokens || settings.judgesJSON || hasUnregisteredTokens
        shortKey = asksForMore || acceptsAll ? nil : key
        environment = settings.environment
    }

    /// Whether a notification is simply good: of a synthetic device that is, and not one of those that are told apart.
    ///
    /// A short way to ``verdict(on:scope:)``, which decides about all others.
    @inline(__always)
    func accepts(_ notification: NotificationView, scope: TopicScope) -> Bool {
        if acceptsAll { return !isAllZero(notification.token) }
        guard let shortKey, notification.token.count == TokenKey.tokenBytes,
            let token = notification.token.baseAddress, let device = shortKey.device(ofToken: token)
        else { return false }
        return device.fate == .valid && device.environment == environment && scope.reaches(device.topic)
    }

    /// Judges one notification that came on a connection for the apps in `scope`.
    public func verdict(on notification: NotificationView, scope: TopicScope = .appUnderLoad) -> Verdict {
        if acceptsAll && !isAllZero(notification.token) { return .accepted }
        if settings.judgesJSON && JSONSyntax.check(notification.payload) != nil {
            return .refused(.processingError)
        }
        guard settings.judgesTokens, let token = notification.token.baseAddress else { return .accepted }
        if scope == .missing { return .refused(.missingTopic) }
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
