/// The commands, in the order of the help text.
enum CommandName: String, CaseIterable, Sendable {
    case run, simulate, generate, report, compare, calibrate, doctor

    /// What the command does, for the overview.
    var summary: String {
        switch self {
        case .run: "one run: generator, sender, target; record and summary"
        case .simulate: "the simulator alone, for any provider"
        case .generate: "tokens, payloads or frames to a file or pipe"
        case .report: "write records again: terminal, JSON, CSV"
        case .compare: "two records side by side"
        case .calibrate: "this machine's own limits: TLS pipe and handshakes"
        case .doctor: "what will go wrong here: descriptors, ports, libraries"
        }
    }

    /// The operands, as the usage line shows them.
    var operandText: String {
        switch self {
        case .run: "PROFILE"
        case .simulate: "[PROFILE]"
        case .generate: "KIND"
        case .report: "RECORD..."
        case .compare: "BASE CANDIDATE"
        case .calibrate: ""
        case .doctor: "[PROFILE]"
        }
    }

    /// How many operands there may be.
    var operandCounts: ClosedRange<Int> {
        switch self {
        case .run: 1...1
        case .simulate, .doctor: 0...1
        case .generate: 1...1
        case .report: 1...1_000
        case .compare: 2...2
        case .calibrate: 0...0
        }
    }

    /// The options that the command knows, in the order of its help text; help comes by itself.
    var options: [OptionName] {
        switch self {
        case .run:
            [
                .target, .allowHost, .protocolName, .notifications, .duration, .warmup, .rate, .connections, .batch,
                .window, .loops, .devices, .seed, .tokens, .payload, .template, .timeout, .drainTimeout, .cacert,
                .cert, .key, .insecure, .set, .output, .progress, .quiet,
            ]
        case .simulate:
            [
                .listen, .port, .environment, .errorDelay, .closeMode, .payloadLimit, .maxConnections, .gatewayLoops,
                .seed, .caOut, .set, .output, .quiet, .controlled,
            ]
        case .generate:
            [
                .profile, .notifications, .devices, .seed, .environmentOfTokens, .payloadBytes, .text, .template,
                .firstIdentifier, .set, .out, .quiet,
            ]
        case .report: [.output]
        case .compare: [.quiet]
        case .calibrate: [.poolSize, .span, .output, .quiet]
        case .doctor: [.connections, .set, .quiet]
        }
    }
}

/// What `generate` makes.
enum GeneratedKind: String, CaseIterable, Sendable {
    case tokens, payloads, frames
}

/// How live progress is shown.
enum ProgressMode: String, CaseIterable, Sendable {
    case auto, tui, plain, json, none
}
