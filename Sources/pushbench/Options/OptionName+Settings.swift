import RunRecords

/// Options that stand for keys of the profile.
extension OptionName {
    /// The settings that the option changes; empty if it changes none.
    ///
    /// - Parameters:
    ///   - value: what was given.
    ///   - origin: the option as it was typed, or the variable.
    /// - Returns: the changes, in order.
    /// - Throws: ``UsageError/badValue(option:found:expected:)``.
    func overrides(_ value: String, origin: String) throws(UsageError) -> [ProfileOverride] {
        let change = { (keyPath: String, text: String) in
            ProfileOverride(keyPath: keyPath, text: text, origin: origin)
        }
        if let keyPath = textKeyPath {
            return [change(keyPath, Self.quoted(value))] + unmade.map { change($0, "null") }
        }
        if let keyPath = plainKeyPath { return [change(keyPath, value)] }
        switch self {
        case .rate where value == "max": return [change("load.loop", "closed"), change("load.rate", "null")]
        case .rate: return [change("load.loop", "open"), change("load.rate", value)]
        case .timeout: return [change("sender.connectTimeout", value), change("sender.handshakeTimeout", value)]
        case .insecure: return [change("target.tls.verify", "false")]
        case .target: return [change("target", try Self.target(value, option: origin))]
        case .set:
            guard let sign = value.firstIndex(of: "="), sign != value.startIndex else {
                throw .badValue(option: origin, found: value, expected: "PATH=VALUE, such as sender.window=4096")
            }
            return [change(String(value[..<sign]), String(value[value.index(after: sign)...]))]
        default: return []
        }
    }

    /// Keys whose value is a number, a quantity or a known word.
    private var plainKeyPath: String? {
        switch self {
        case .protocolName: "protocol"
        case .notifications: "workload.notifications"
        case .duration: "phases.measure"
        case .warmup: "phases.warmup"
        case .connections: "sender.connections"
        case .batch: "sender.batch.notifications"
        case .window: "sender.window"
        case .loops: "sender.loops"
        case .devices: "workload.devices"
        case .seed: "workload.seed"
        case .drainTimeout: "phases.drain"
        case .port: "target.simulator.port"
        case .environment: "target.simulator.environment"
        case .errorDelay: "target.simulator.errorDelay"
        case .closeMode: "target.simulator.closeMode"
        case .payloadLimit: "target.simulator.payloadLimit"
        case .maxConnections: "target.simulator.maxConnections"
        case .gatewayLoops: "target.simulator.loops"
        case .environmentOfTokens: "workload.environment"
        case .payloadBytes: "workload.payload.bytes"
        case .text: "workload.payload.text"
        case .firstIdentifier: "sender.firstIdentifier"
        default: nil
        }
    }

    /// Keys whose value is any text, a file's name most often.
    private var textKeyPath: String? {
        switch self {
        case .tokens: "workload.tokensFile"
        case .payload: "workload.payload.file"
        case .template: "workload.payload.templateFile"
        case .cacert: "target.tls.caFile"
        case .cert: "target.tls.certificateFile"
        case .key: "target.tls.keyFile"
        case .listen: "target.simulator.address"
        default: nil
        }
    }

    /// What a profile may say for synthetic input, and what must not stand beside real input.
    private var unmade: [String] {
        switch self {
        case .tokens: ["badToken", "unregistered", "otherTopic"].map { "workload.faults.\($0)" }
        case .payload: ["workload.payload.templateFile", "workload.payload.bytes", "workload.faults.oversizedPayload"]
        case .template: ["workload.payload.file", "workload.faults.oversizedPayload"]
        default: []
        }
    }

    /// A whole target in place of the profile's.
    private static func target(_ value: String, option: String) throws(UsageError) -> String {
        if value == "simulator" { return "{ simulator: {} }" }
        let expected = "simulator, or HOST:PORT such as gateway.sandbox.push.apple.com:2195"
        guard let colon = value.lastIndex(of: ":"), colon != value.startIndex else {
            throw .badValue(option: option, found: value, expected: expected)
        }
        let port = value[value.index(after: colon)...]
        guard let number = UInt16(port), number > 0 else {
            throw .badValue(option: option, found: value, expected: expected)
        }
        return "{ host: \(quoted(String(value[..<colon]))), port: \(number) }"
    }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).canonicalText }
}
