/// Every option of every command, by the name under which the parsed line keeps its values.
enum OptionName: String, CaseIterable, Sendable {
    case help, version
    case target, allowHost, protocolName, notifications, duration, warmup, rate, connections, batch, window, loops
    case devices, seed, tokens, payload, template, timeout, drainTimeout, cacert, cert, key, insecure, set, output
    case progress, quiet
    case listen, port, environment, errorDelay, closeMode, payloadLimit, maxConnections, gatewayLoops, caOut
    case controlled
    case profile, environmentOfTokens, payloadBytes, text, firstIdentifier, out
    case poolSize, span

    /// How the option is written and what it does.
    var description: OptionDescription {
        switch self {
        case .help: .init("help", short: "h", "this text")
        case .version: .init("version", "the version")
        case .target: .init("target", value: "TARGET", "simulator, or HOST:PORT (see --allow-host)")
        case .allowHost:
            .init("allow-host", value: "NAME", "allow load to a host that is not this machine (repeatable)", .never)
        case .protocolName: .init("protocol", value: "NAME", "enhanced")
        case .notifications: .init("notifications", short: "n", value: "COUNT", "notifications, such as 1M")
        case .duration: .init("duration", short: "d", value: "TIME", "measured time after the warm-up, such as 30s")
        case .warmup: .init("warmup", value: "TIME", "time that is left out of all figures")
        case .rate: .init("rate", short: "R", value: "RATE", "open loop at a rate, such as 200k/s; max: closed loop")
        case .connections: .init("connections", short: "c", value: "COUNT", "connections")
        case .batch: .init("batch", short: "b", value: "COUNT", "notifications per write")
        case .window: .init("window", short: "w", value: "COUNT", "notifications without proof per connection")
        case .loops: .init("loops", short: "t", value: "COUNT", "the sender's event loops; one per core if not given")
        case .devices: .init("devices", value: "COUNT", "devices that the notifications go to")
        case .seed: .init("seed", value: "NUMBER", "seed of tokens, fates and payloads")
        case .tokens: .init("tokens", value: "FILE", "real tokens, one hexadecimal token a line")
        case .payload: .init("payload", value: "FILE", "one JSON payload for every notification")
        case .template: .init("template", value: "FILE", "JSON payload with fields to fill in")
        case .timeout: .init("timeout", value: "TIME", "longest wait for TCP, and for TLS, to connect")
        case .drainTimeout: .init("drain-timeout", value: "TIME", "longest wait for proof after the last write")
        case .cacert: .init("cacert", value: "FILE", "authorities of the gateway's certificate, PEM")
        case .cert: .init("cert", value: "FILE", "the provider's certificate, PEM")
        case .key: .init("key", value: "FILE", "its private key, PEM")
        case .insecure: .init("insecure", short: "k", "do not verify the gateway's certificate", .never)
        case .set: .init("set", value: "PATH=VALUE", "set any key of the profile (repeatable)", .added)
        case .output:
            .init("output", short: "o", value: "FORMAT=PATH", "write terminal, json or csv (repeatable; - is stdout)")
        case .progress: .init("progress", value: "MODE", "auto, tui, plain, json or none")
        case .quiet: .init("quiet", short: "q", "no progress, no summary")
        default: simulatorOrGenerator
        }
    }

    private var simulatorOrGenerator: OptionDescription {
        switch self {
        case .listen: .init("listen", value: "ADDRESS", "address to listen on; 127.0.0.1 if not given")
        case .port: .init("port", short: "p", value: "PORT", "port to listen on; any free one if not given")
        case .environment: .init("environment", value: "NAME", "environment that is served: sandbox or production")
        case .errorDelay: .init("error-delay", value: "TIME", "time from a bad notification to its error reply")
        case .closeMode: .init("close-mode", value: "MODE", "end after an error: graceful, abrupt or reset")
        case .payloadLimit: .init("payload-limit", value: "BYTES", "largest payload that is accepted")
        case .maxConnections: .init("max-connections", value: "COUNT", "connections open at one time")
        case .gatewayLoops: .init("loops", short: "t", value: "COUNT", "event loops; one per core if not given")
        case .caOut: .init("ca-out", value: "FILE", "write the certificate authority for other clients, PEM")
        case .controlled: .init("controlled", "", .never)
        case .profile: .init("profile", value: "FILE", "take the workload of a profile")
        case .environmentOfTokens: .init("environment", value: "NAME", "environment of tokens: sandbox or production")
        case .payloadBytes: .init("bytes", value: "BYTES", "size of every payload")
        case .text: .init("text", value: "NAME", "letters of payloads: ascii, twoByte, threeByte, fourByte or mixed")
        case .firstIdentifier: .init("first-identifier", value: "NUMBER", "identifier of the first frame")
        case .out: .init("out", value: "FILE", "where to write; - (stdout) if not given")
        case .poolSize: .init("connections", short: "c", value: "COUNT", "connections of the pipe")
        case .span: .init("duration", short: "d", value: "TIME", "time of each measurement")
        default: preconditionFailure("option \(rawValue) has no description")
        }
    }
}

/// How an option is written and what it does.
struct OptionDescription: Sendable {
    /// What a variable of the environment does where the command line has the same option.
    enum Environment: Sendable {
        /// The command line's values stand in place of the variable's.
        case replaced
        /// The command line's values come after the variable's.
        case added
        /// There is no such variable.
        case never
    }

    /// The long form, without dashes.
    let long: String
    /// The short form, without dash; nil if there is none.
    let short: Character?
    /// The value's name in help texts; nil if the option takes none.
    let value: String?
    /// What the option does; empty if help texts leave it out.
    let meaning: String
    /// What a variable of the environment does.
    let environment: Environment

    init(
        _ long: String, short: Character? = nil, value: String? = nil, _ meaning: String,
        _ environment: Environment = .replaced
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.meaning = meaning
        self.environment = environment
    }

    /// The variable that stands for the option.
    var variable: String { "PUSHBENCH_" + long.uppercased().replacing("-", with: "_") }
}
