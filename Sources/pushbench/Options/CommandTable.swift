import Reports

/// Every command and option of the program.
enum CommandTable {
    static let commands = [
        run, simulate, feedback, generate, certificates, keys, report, compare, sweep, capacity, calibrate, doctor,
        completions, manual,
    ]

    static let help = OptionSpec.flag("help", "h", "show this help")
    static let output = outputs(of: OutputFormat.allCases)

    /// The option for results in one of some forms.
    static func outputs(of formats: [OutputFormat]) -> OptionSpec {
        let names = formats.map(\.rawValue).joined(separator: ", ")
        return OptionSpec(
            long: "output", short: "o", placeholder: "FORMAT=PATH", effect: .value,
            help: "write a result, - is standard output; repeatable: \(names)",
            choices: formats.map { "\($0.rawValue)=" })
    }

    static let exitZero = OptionSpec.flag(
        "exit-zero", nil, "end with 0 whatever the verdict; errors and signals keep their codes")
    static let explainExit = OptionSpec.flag(
        "explain-exit", nil, "tell on standard error what the exit code means, and why")
    static let set = OptionSpec.value(
        "set", nil, "KEY=VALUE", "set any profile key, such as sender.batch.linger=2ms; repeatable")

    static let faults = OptionSpec.value(
        "faults", nil, "FILE", "what the simulator does wrong: a list of faults, or a whole simulator (JSON5)")

    private static let workload: [OptionSpec] = [
        .setting("notifications", "n", "COUNT", "workload.notifications", "how many notifications in all (1M, 250k)"),
        .setting("devices", nil, "COUNT", "workload.devices", "how many devices they go to"),
        .setting("seed", nil, "NUMBER", "workload.seed", "seed of everything that is drawn"),
        .setting("tokens", nil, "FILE", "workload.tokensFile", "real device tokens, one in hexadecimal a line"),
        .setting("payload", nil, "FILE", "workload.payload.file", "one JSON payload for all notifications"),
        .setting("payload-template", nil, "FILE", "workload.payload.templateFile", "JSON payload with {{fields}}"),
    ]

    static let run = CommandSpec(
        name: "run", arguments: "PROFILE", argumentCount: 1...1,
        summary: "one run: generator, sender, target; a record and a summary",
        options: workload + [
            .setting(
                "protocol", nil, "NAME", "protocol", "simple, enhanced (the default), framed, mixed (1 and 2) or http2"),
            .setting("connections", "c", "COUNT", "sender.connections", "connections in all"),
            .setting("batch", "b", "COUNT", "sender.batch.notifications", "notifications written in one go"),
            .setting("window", "w", "COUNT", "sender.window", "notifications kept for writing again, per connection"),
            .setting("rate", "R", "RATE", "load.rate", "open loop: so many notifications in all (2000/s, 200k/s)"),
            .setting("duration", "d", "TIME", "phases.measure", "how long to measure (30s, 2m)"),
            .setting("warmup", nil, "TIME", "phases.warmup", "how long to run before measuring"),
            .setting("drain-timeout", nil, "TIME", "phases.drain", "how long the end may take without progress"),
            .setting("timeout", nil, "TIME", "sender.connectTimeout", "how long a TCP connection may take"),
            .setting("cacert", nil, "FILE", "target.tls.caFile", "authorities that the target's certificate is from"),
            .setting("cert", nil, "FILE", "target.tls.certificateFile", "client certificate (PEM)"),
            .setting("key", nil, "FILE", "target.tls.keyFile", "key of the client certificate (PEM)"),
            .setting("pkcs12", nil, "FILE", "target.tls.pkcs12File", "client certificate and key in one bundle"),
            .setting(
                "passphrase-file", nil, "FILE", "target.tls.passphraseFile",
                "first line opens key or bundle; else PUSHBENCH_PASSPHRASE"),
            faults, set, output,
            .value("allow-host", nil, "NAME", "allow load on this host, which the profile must name too; repeatable"),
            .value(
                "progress", nil, "STYLE", "auto, tui (a screen), plain (lines), json or none",
                choices: ProgressStyle.allCases.map(\.rawValue)),
            .value(
                "metrics", nil, "[HOST:]PORT",
                "serve the run's state to Prometheus at /metrics; port 0 takes a free one"),
            .value("metrics-linger", nil, "TIME", "go on serving the result for so long (0s), so that it is scraped"),
            .flag("expose-metrics", nil, "let --metrics listen where other machines reach it"),
            .value(
                "calibration", nil, "WHEN",
                "auto (the default): this machine's limits are measured once a boot; cached: only if known; off"),
            .flag("quiet", "q", "no progress and no summary"),
            .value("repeat", nil, "COUNT", "so many runs, each with a fresh simulator, in one record (1)"),
            .flag("dry-run", nil, "check the profile, print the effective settings, and stop"),
            exitZero, explainExit, help,
        ])

    static let simulate = CommandSpec(
        name: "simulate", arguments: "[PROFILE]", argumentCount: 0...1,
        summary: "the gateway simulator alone, for any provider",
        options: [
            .setting("address", nil, "ADDRESS", "target.simulator.address", "where to listen (127.0.0.1)"),
            .setting("port", "p", "NUMBER", "target.simulator.port", "port to listen on; 0 takes a free one"),
            .setting("seed", nil, "NUMBER", "workload.seed", "seed of the synthetic tokens that are opened"),
            .setting(
                "payload-limit", nil, "BYTES", "target.simulator.payloadLimit", "longest payload, or ios7, ios8 or voip"
            ),
            .setting("token-length", nil, "RULE", "target.simulator.tokenLength", "strict (32) or variable (1 to 100)"),
            .setting(
                "unknown-command", nil, "WHAT", "target.simulator.unknownCommand", "protocolError or silentClose"),
            faults,
            .setting("tickets", nil, "COUNT", "target.simulator.tickets", "TLS session tickets per handshake"),
            .setting("tls-min", nil, "VERSION", "target.simulator.tlsMinVersion", "1.2 or 1.3"),
            .setting("tls-max", nil, "VERSION", "target.simulator.tlsMaxVersion", "1.2 or 1.3"),
            .setting("server-cert", nil, "FILE", "target.simulator.certificateFile", "own server certificate (PEM)"),
            .setting("server-key", nil, "FILE", "target.simulator.keyFile", "key of the server certificate (PEM)"),
            .setting(
                "server-passphrase-file", nil, "FILE", "target.simulator.passphraseFile",
                "first line opens the server's key"),
            .setting(
                "client-certificates", nil, "WHAT", "target.simulator.clientCertificates", "none, request or require"),
            .setting("client-ca", nil, "FILE", "target.simulator.clientCAFile", "authorities of client certificates"),
            .setting("max-connections", nil, "COUNT", "target.simulator.maxConnections", "connections at a time"),
            .setting("foreign-tokens", nil, "WHAT", "target.simulator.judge.foreignTokens", "accept or reject"),
            .setting(
                "feedback-port", nil, "NUMBER", "target.simulator.feedback.port", "feedback service's port; 0: any"),
            .setting(
                "http2-port", nil, "NUMBER", "target.simulator.http2.port", "port of the HTTP/2 provider API; 0: any"),
            .value(
                "signing-key", nil, "FILE",
                "key that provider tokens may be signed with (PEM); any otherwise; repeatable"),
            .value("key-id", nil, "ID", "identifier of that key; once for each --signing-key, in their order"),
            .value("team-id", nil, "ID", "team whose key it is; likewise, or once for all"),
            .setting("max-streams", nil, "COUNT", "target.simulator.http2.maxStreams", "streams open on a connection"),
            .flag("accept-all", nil, "judge nothing: HTTP/2 answers 200 to everything, the binary interface is silent"),
            .setting(
                "unregistered", nil, "FILE", "target.simulator.feedback.unregisteredFile",
                "tokens that the feedback service tells once they were pushed to, one in hexadecimal a line"),
            .value("write-ca", nil, "FILE", "write the certificate authority (PEM) for other clients"),
            .value("ledger", nil, "FILE", "at the end, write the book as JSON; - is standard output"),
            .value("log", nil, "FILE", "write a line of JSON for each notification that is judged"),
            set,
            OptionSpec(
                long: "controlled", effect: .flag, help: "take profile and orders from standard input",
                isHidden: true),
            help,
        ])

    static let feedback = CommandSpec(
        name: "feedback", arguments: "HOST[:PORT]", argumentCount: 1...1,
        summary: "reads a feedback service: tokens of devices that no longer have the app",
        options: [
            .value("format", nil, "FORMAT", "csv or jsonl (csv)"),
            .value("output", "o", "FILE", "where to write; standard output otherwise"),
            .value("cacert", nil, "FILE", "authorities that the service's certificate is from (PEM)"),
            .value("cert", nil, "FILE", "client certificate (PEM)"),
            .value("key", nil, "FILE", "key of the client certificate (PEM)"),
            .value("pkcs12", nil, "FILE", "client certificate and key in one bundle"),
            .value("passphrase-file", nil, "FILE", "first line opens key or bundle; else PUSHBENCH_PASSPHRASE"),
            .value("server-name", nil, "NAME", "name in the service's certificate, if it is not the host"),
            .value("timeout", nil, "TIME", "how long the TCP connection may take, and the TLS handshake (5s)"),
            .value("idle-timeout", nil, "TIME", "how long nothing may come (30s)"),
            .value("allow-host", nil, "NAME", "allow this host, which is not this machine; repeatable"),
            help,
        ])

    static let generate = CommandSpec(
        name: "generate", arguments: "tokens|payloads|frames", argumentCount: 1...1,
        summary: "tokens, payloads or frames to a file or pipe",
        options: workload + [
            .value("first", nil, "NUMBER", "first notification, from 0"),
            .value("protocol", nil, "NAME", "frames: simple, enhanced (the default), framed, or mixed for all in turn"),
            .value("output", "o", "FILE", "where to write; standard output otherwise"),
            set, help,
        ])

    static let certificates = CommandSpec(
        name: "certificates", arguments: "FOLDER", argumentCount: 1...1,
        summary: "a test authority, and certificates for server and providers",
        options: [
            .value("name", nil, "NAME", "name or address of the server beside localhost; repeatable"),
            .value("topic", nil, "TOPIC", "app of a provider certificate; repeatable"),
            .value("environment", nil, "NAME", "sandbox, production or both (both); repeatable"),
            .value("days", nil, "COUNT", "how long they are good (3650)"),
            .value("key-type", nil, "KIND", "p256 or rsa2048 (p256)"),
            .flag("expired", nil, "an expired provider certificate, too"),
            .flag("pkcs12", nil, "PKCS#12 bundles of the provider certificates, too"),
            .flag("encrypt-keys", nil, "encrypt the keys of the provider certificates"),
            .value("passphrase-file", nil, "FILE", "first line encrypts keys and bundles; else PUSHBENCH_PASSPHRASE"),
            .flag("force", nil, "replace files of the same names"), help,
        ])

    static let keys = CommandSpec(
        name: "keys", arguments: "FOLDER", argumentCount: 1...1,
        summary: "a test key for the provider tokens of HTTP/2",
        options: [
            .value("key-id", nil, "ID", "the key's identifier; drawn otherwise"),
            .value("team-id", nil, "ID", "the team's identifier; drawn otherwise"),
            .flag("force", nil, "replace files of the same names"), help,
        ])

    static let report = CommandSpec(
        name: "report", arguments: "RECORD", argumentCount: 1...1, summary: "a record for a reader",
        options: [
            .value("run", nil, "NUMBER", "one run of a record of several, or one try of capacity, from 1"), output,
            help,
        ])

    static let calibrate = CommandSpec(
        name: "calibrate", arguments: "", argumentCount: 0...0,
        summary: "this machine's limits: raw TLS pipe and handshakes",
        options: [
            .value("connections", "c", "COUNT", "connections of the pipe (4)"),
            .value("duration", "d", "TIME", "how long the pipe is measured (3s)"),
            .flag("json", nil, "print JSON"), help,
        ])

    static let doctor = CommandSpec(
        name: "doctor", arguments: "[PROFILE]", argumentCount: 0...1,
        summary: "descriptors, ports, clock, libraries: what will go wrong", options: [set, help])

    static let completions = CommandSpec(
        name: "completions", arguments: "bash|zsh|fish", argumentCount: 1...1,
        summary: "completions of commands and options for a shell", options: [help])

    static let manual = CommandSpec(
        name: "man", arguments: "", argumentCount: 0...0, summary: "the manual page, for man -l", options: [help])
}
