import GatewaySimulator
import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// One event loop's judge with a clock at noon of some day, and a connection to it.
struct JudgeBench {
    static let seed: UInt64 = 7
    static let topic = "com.example.app"
    /// Seconds since 1970 at instant zero.
    static let epoch: Int64 = 1_700_000_000

    var settings = GatewaySettings()
    var api = ProviderAPISettings()
    var verifier: SignatureVerifier?
    var fleet = ProviderTokenFleet()
    var book = ChannelBook()

    init() {
        settings.tokenSeed = Self.seed
        settings.unixOffset = .seconds(Self.epoch)
        settings.judgesJSON = false
        api.authentication = .none
    }

    func judge() -> RequestJudge {
        let desk = ProviderTokenDesk(
            settings: api, environment: settings.environment, unixOffset: settings.unixOffset, verifier: verifier,
            fleet: fleet)
        return RequestJudge(settings: settings, api: api, desk: desk, book: book)
    }

    /// The answer to one request.
    func answer(
        _ request: Request, on connection: ProviderConnection = ProviderConnection(), by judge: RequestJudge? = nil,
        now: Instant = .zero
    ) -> RequestAnswer {
        Self.answer(request, on: connection, by: judge ?? self.judge(), now: now)
    }

    static func answer(
        _ request: Request, on connection: ProviderConnection, by judge: RequestJudge, now: Instant = .zero
    ) -> RequestAnswer {
        let fields = ReceivedFields()
        request.fill(fields)
        let head = judge.judge(fields, on: connection, now: now)
        return request.body.withUnsafeBytes { body in
            guard head.kind != .device, let channel = judge.channelRequest(fields) else {
                return judge.answer(head, body: body, now: now)
            }
            return judge.answer(channel, head: head, body: body, now: now)
        }
    }

    /// The token of a device as it stands in a path.
    static func token(
        _ fate: FateClass = .valid, environment: PushEnvironment = .sandbox, topic: UInt16 = 0, index: UInt64 = 3
    ) -> String {
        var bytes = [UInt8](repeating: 0, count: TokenKey.tokenBytes)
        let device = SyntheticDevice(index: index, environment: environment, fate: fate, topic: topic)
        bytes.withUnsafeMutableBytes { target in
            if let base = target.baseAddress { TokenKey(seed: seed).writeToken(for: device, into: base) }
        }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A request as a client would write it; good unless something is changed.
struct Request {
    var fields: [(name: String, value: String)] = [
        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(JudgeBench.token())"),
        (":authority", "localhost"), ("apns-topic", JudgeBench.topic),
    ]
    var body = Array(#"{"aps":{"alert":"hi"}}"#.utf8)

    init(path: String? = nil, method: String? = nil, _ changes: [String: String?] = [:]) {
        if let path { set(":path", path) }
        if let method { set(":method", method) }
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) { set(name, value) }
    }

    mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.name == name }
        guard let value else { return }
        if name.hasPrefix(":") { fields.insert((name, value), at: 0) } else { fields.append((name, value)) }
    }

    func fill(_ target: ReceivedFields) {
        target.reset()
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { value in
                    target.add(
                        HTTP2FieldName(name),
                        isWellFormed: HTTP2FieldBytes.isName(name) && HTTP2FieldBytes.isValue(value),
                        nameBytes: name, value: value)
                }
            }
        }
    }
}

/// Provider tokens for tests; their signatures are 64 bytes that a verifier of the test's own looks at.
enum ProviderTokens {
    static func bearer(
        kid: String = "ABC123DEFG", team: String = "TEAM123456", issuedAt: String = "\(JudgeBench.epoch)",
        algorithm: String = "ES256", signature: UInt8 = 1, extra: String = ""
    ) -> String {
        let header = base64URL(#"{"alg":"\#(algorithm)","kid":"\#(kid)"}"#)
        let claims = base64URL(#"{"iss":"\#(team)","iat":\#(issuedAt)\#(extra)}"#)
        return "bearer \(header).\(claims).\(base64URL([UInt8](repeating: signature, count: 64)))"
    }

    static func base64URL(_ text: String) -> String { base64URL(Array(text.utf8)) }

    static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: RequestText.base64(bytes), as: UTF8.self)
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension RequestAnswer {
    /// The name of the reason; nil when the request is not refused.
    var reason: RefusalReason? {
        guard case .refused(let reason, _) = self else { return nil }
        return reason
    }
}
