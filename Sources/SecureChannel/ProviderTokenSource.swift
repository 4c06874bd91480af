public import Primitives
import Synchronization

/// The provider token (JWT, ES256) of one key, made once and shared by all connections until it is time for the next one.
///
/// Gateways want a new one at most every 20 and at least every 60 minutes ("Establishing a token-based connection to APNs"). The
/// clock is the caller's.
public final class ProviderTokenSource: Sendable {
    /// One token.
    public struct Token: Hashable, Sendable {
        /// The token as it stands behind `bearer `.
        public var text: [UInt8]
        /// Counts the tokens of a source from 1.
        public var number: UInt64
        /// From when on the source gives another one.
        public var renewAt: Instant
    }

    /// How old a token may grow before the next one is made.
    public static let acceptedRenewals = Interval.seconds(1_200)...Interval.seconds(3_600)
    /// The same, unless told otherwise.
    public static let defaultRenewal = Interval.seconds(2_400)

    private let key: SigningKey
    private let keyID: String
    private let teamID: String
    private let renewal: Interval
    private let unixOffset: Interval
    private let current = Mutex<Token?>(nil)

    /// Makes a source that has made no token yet.
    ///
    /// - Parameters:
    ///   - key: signs the tokens.
    ///   - keyID: the key's identifier, `kid`.
    ///   - teamID: the team's identifier, `iss`.
    ///   - renewal: how old a token may grow, within ``acceptedRenewals``.
    ///   - unixOffset: what must be added to an instant to get the time since 1970.
    public init(
        key: SigningKey, keyID: String, teamID: String, renewal: Interval = ProviderTokenSource.defaultRenewal,
        unixOffset: Interval
    ) {
        precondition(Self.acceptedRenewals.contains(renewal), "gateways want a token between 20 and 60 minutes old")
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.renewal = renewal
        self.unixOffset = unixOffset
    }

    /// The token that is to be used now.
    ///
    /// - Throws: ``TLSFailure`` when it cannot be signed.
    public func token(at now: Instant) throws(TLSFailure) -> Token {
        try current.withLock { (token) throws(TLSFailure) in
            if let token, now < token.renewAt { return token }
            let next = Token(
                text: try Self.sign(
                    keyID: keyID, teamID: teamID, issuedAt: (now + unixOffset).nanoseconds / 1_000_000_000, with: key),
                number: (token?.number ?? 0) + 1, renewAt: now + renewal)
            token = next
            return next
        }
    }

    /// Makes one token (RFC 7519, RFC 7515).
    ///
    /// - Parameters:
    ///   - keyID: the key's identifier.
    ///   - teamID: the team's identifier.
    ///   - issuedAt: seconds since 1970.
    ///   - key: signs it.
    /// - Returns: the token as it stands behind `bearer `.
    /// - Throws: ``TLSFailure`` when the library refuses.
    public static func sign(
        keyID: String, teamID: String, issuedAt: Int64, with key: SigningKey
    ) throws(TLSFailure) -> [UInt8] {
        var text = base64URL(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        text.append(UInt8(ascii: "."))
        text += base64URL(Array(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8))
        let signature = try key.sign(text)
        return text + [UInt8(ascii: ".")] + base64URL(signature)
    }

    /// Whether an identifier can stand in a token and in the names of files: 1 ... 64 letters and digits, 10 as a rule.
    public static func accepts(identifier: String) -> Bool {
        (1...64).contains(identifier.utf8.count)
            && identifier.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }

    /// Base64 for URLs, without padding (RFC 7515 section 2).
    private static func base64URL(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = min(3, bytes.count - start)
            var word = UInt32(bytes[start]) << 16
            if rest > 1 { word |= UInt32(bytes[start + 1]) << 8 }
            if rest > 2 { word |= UInt32(bytes[start + 2]) }
            for place in 0...rest { text.append(alphabet.utf8Start[Int(word >> UInt32(18 - place * 6) & 63)]) }
        }
        return text
    }
}
