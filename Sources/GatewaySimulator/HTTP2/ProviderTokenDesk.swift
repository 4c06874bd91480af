public import Primitives
import PushWire
import Synchronization
public import Workload

/// A provider token that was looked at: what it says, and whether it can ever be good.
final class KnownToken {
    /// The token as it stands in the header.
    let text: [UInt8]
    let keyID: [UInt8]
    let teamID: [UInt8]
    /// The apps that its key is good for; empty for all.
    let topics: [String]
    /// When it was issued and when it is too old, on the gateway's clock.
    let issuedAt: Instant
    let expiresAt: Instant
    /// Why it is refused whenever it comes; nil when it is good.
    let refusal: RefusalReason?
    let hash: UInt64

    init(
        _ text: UnsafeRawBufferPointer, token: ProviderToken? = nil, topics: [String] = [], issuedAt: Instant = .zero,
        expiresAt: Instant = .zero, refusal: RefusalReason?
    ) {
        self.text = Array(text)
        keyID = token?.keyID ?? []
        teamID = token?.teamID ?? []
        self.topics = topics
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.refusal = refusal
        hash = tokenHash(text)
    }

    func isThe(_ other: UnsafeRawBufferPointer) -> Bool { text.withUnsafeBytes { $0.equals(other) } }
}

/// Judges provider tokens; one for each event loop, so that nothing is shared but what all connections count together.
///
/// A token is parsed and its signature verified once for each loop: afterwards it costs one comparison of its bytes.
public final class ProviderTokenDesk {
    /// The most tokens that are remembered; of more, the oldest go.
    static let capacity = 64

    private let settings: ProviderAPISettings
    private let environment: PushEnvironment
    private let unixOffset: Interval
    private let verifier: SignatureVerifier?
    private let fleet: ProviderTokenFleet
    private var known: [KnownToken] = []
    private var oldest = 0

    /// Makes a desk that has seen no token; without a verifier signatures are not checked.
    public init(
        settings: ProviderAPISettings, environment: PushEnvironment, unixOffset: Interval, verifier: SignatureVerifier?,
        fleet: ProviderTokenFleet
    ) {
        self.settings = settings
        self.environment = environment
        self.unixOffset = unixOffset
        self.verifier = verifier
        self.fleet = fleet
    }

    /// Judges the `authorization` header of a request on a connection; nil when it may go on.
    @inline(__always)
    func refusal(
        of authorization: UnsafeRawBufferPointer, on connection: ProviderConnection, now: Instant
    ) -> RefusalReason? {
        if let current = connection.token, current.isThe(authorization) {
            return now > current.expiresAt ? .expiredProviderToken : nil
        }
        return admit(authorization, on: connection, now: now)
    }

    /// Judges a header that is not the one that came last.
    private func admit(
        _ authorization: UnsafeRawBufferPointer, on connection: ProviderConnection, now: Instant
    ) -> RefusalReason? {
        guard !authorization.isEmpty else { return .missingProviderToken }
        let token = known.first { $0.isThe(authorization) } ?? learn(authorization)
        if let refusal = token.refusal { return refusal }
        if token.issuedAt > now + settings.tokenClockSkew { return .invalidProviderToken }
        if now > token.expiresAt { return .expiredProviderToken }
        if let bound = connection.boundTeamID {
            // Which reason another team gets is not documented; the sources disagree.
            if bound != token.teamID { return .invalidProviderToken }
            if connection.boundKeyID != token.keyID { return .unrelatedKeyIDInToken }
        }
        guard isAdmitted(token, on: connection, now: now) else { return .tooManyProviderTokenUpdates }
        connection.adopt(token, now: now)
        return nil
    }

    /// Whether the token does not follow the one before it too soon.
    private func isAdmitted(_ token: KnownToken, on connection: ProviderConnection, now: Instant) -> Bool {
        switch settings.tokenUpdateScope {
        case .connection:
            connection.updates.admits(token.hash, now: now, interval: settings.tokenUpdateInterval)
        case .fleet:
            fleet.admits(token, now: now, interval: settings.tokenUpdateInterval)
        }
    }

    private func learn(_ authorization: UnsafeRawBufferPointer) -> KnownToken {
        let token = read(authorization)
        if known.count < Self.capacity {
            known.append(token)
        } else {
            known[oldest] = token
            oldest = (oldest + 1) % Self.capacity
        }
        return token
    }

    private func read(_ authorization: UnsafeRawBufferPointer) -> KnownToken {
        guard let text = Self.bearer(authorization), let token = ProviderToken(text) else {
            return KnownToken(authorization, refusal: .invalidProviderToken)
        }
        var topics: [String] = []
        var refusal: RefusalReason?
        if !settings.providerKeys.isEmpty {
            let keyID = String(decoding: token.keyID, as: UTF8.self)
            let teamID = String(decoding: token.teamID, as: UTF8.self)
            let found = settings.providerKeys.firstIndex { $0.keyID == keyID && $0.teamID == teamID }
            guard let found, isSigned(token, text, key: found) else {
                return KnownToken(authorization, refusal: .invalidProviderToken)
            }
            let key = settings.providerKeys[found]
            topics = key.topics
            if let only = key.environment, only != environment {
                refusal =
                    settings.keyEnvironmentSpelling == .wire ? .badEnvironmentKeyInToken : .badEnvironmentKeyIDInToken
            }
        }
        let issuedAt = instant(ofUnixTime: token.issuedAt)
        return KnownToken(
            authorization, token: token, topics: topics, issuedAt: issuedAt,
            expiresAt: issuedAt + settings.tokenLifetime, refusal: refusal)
    }

    private func isSigned(_ token: ProviderToken, _ text: UnsafeRawBufferPointer, key: Int) -> Bool {
        guard let verifier else { return true }
        return token.signature.withUnsafeBytes { signature in
            verifier(key, UnsafeRawBufferPointer(rebasing: text[..<token.signedByteCount]), signature)
        }
    }

    /// An instant of the gateway's clock; times that no clock can show are as far away as one can.
    private func instant(ofUnixTime seconds: Int64) -> Instant {
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .distantFuture }
        let (difference, underflow) = nanoseconds.subtractingReportingOverflow(unixOffset.nanoseconds)
        return underflow ? .distantFuture : Instant(nanoseconds: difference)
    }

    /// What stands behind the scheme, which is told apart without regard to case (RFC 9110 section 11.1).
    private static func bearer(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let scheme: StaticString = "bearer "
        guard value.count > scheme.utf8CodeUnitCount else { return nil }
        for index in 0..<scheme.utf8CodeUnitCount where value[index] | 0x20 != scheme.utf8Start[index] { return nil }
        return value.dropping(scheme.utf8CodeUnitCount)
    }
}

/// Which provider token of a key is in use, and since when.
struct TokenUpdates: Sendable {
    private var current: UInt64?
    private var previous: UInt64?
    private var adoptedAt = Instant.zero

    /// Takes a token into use, unless it is a new one and the last change is shorter ago than `interval`; the one before
    /// may still be on its way, and is good.
    mutating func admits(_ hash: UInt64, now: Instant, interval: Interval) -> Bool {
        guard let current else {
            self.current = hash
            adoptedAt = now
            return true
        }
        if hash == current || hash == previous { return true }
        guard now >= adoptedAt + interval else { return false }
        previous = current
        self.current = hash
        adoptedAt = now
        return true
    }
}

/// The provider tokens that all connections of a gateway use, for a rule that counts over all of them.
public final class ProviderTokenFleet: Sendable {
    private static let capacity = 1_000
    private let updates = Mutex<[[UInt8]: TokenUpdates]>([:])

    /// Makes a fleet that has seen no token.
    public init() {}

    /// Asks for a token of one team's key, only when a connection shows one that it did not show before.
    func admits(_ token: KnownToken, now: Instant, interval: Interval) -> Bool {
        let key = token.teamID + [0] + token.keyID
        return updates.withLock { updates in
            // Whoever makes up keys by the thousand gets no rule, and fills no memory.
            guard updates[key] != nil || updates.count < Self.capacity else { return true }
            return updates[key, default: TokenUpdates()].admits(token.hash, now: now, interval: interval)
        }
    }
}

/// What the gateway knows of the provider at the other end of one connection.
public final class ProviderConnection {
    /// The topics that the provider's certificate names; nil without a certificate.
    public let certificateTopics: [String]?
    /// The provider token that came last.
    private(set) var token: KnownToken?
    /// The team that the connection belongs to since its first good token.
    private(set) var boundTeamID: [UInt8]?
    private(set) var boundKeyID: [UInt8]?
    var updates = TokenUpdates()

    /// Makes the state of a new connection.
    public init(certificateTopics: [String]? = nil) { self.certificateTopics = certificateTopics }

    func adopt(_ token: KnownToken, now: Instant) {
        self.token = token
        boundTeamID = boundTeamID ?? token.teamID
        boundKeyID = boundKeyID ?? token.keyID
    }
}
