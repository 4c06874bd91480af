import Analysis
import Foundation
import Harness
import Primitives
import RunRecords
import Statistics

/// `compare --run`: runs both sides in turns, and compares what comes of it.
struct InterleavedComparison {
    private let parsed: ParsedCommand
    private let options: ComparisonOptions
    private let output: ComparisonOutput
    private let runs: InterleavedRuns
    private let labels: (base: String, candidate: String)

    init(_ parsed: ParsedCommand, options: ComparisonOptions, output: ComparisonOutput) throws {
        guard (1...2).contains(parsed.arguments.count) else {
            throw UsageError(
                description: "compare --run takes one or two profiles, and \(parsed.arguments.count) were given")
        }
        self.parsed = parsed
        self.options = options
        self.output = output
        var orders: [InterleavedOrder.Side: RunOrder] = [:]
        for (side, profile) in [(InterleavedOrder.Side.a, parsed.arguments[0]), (.b, parsed.arguments.last ?? "")] {
            orders[side] = try Self.order(parsed, profile: profile, side: side)
        }
        runs = InterleavedRuns(
            orders: orders, pairs: try Self.pairs(parsed, default: 10), seed: try Self.seed(parsed),
            isQuiet: parsed.has("quiet"))
        labels = (Self.label(parsed, .a), Self.label(parsed, .b))
    }

    func execute() async throws -> Int32 {
        try output.checkWritable()
        if let folder = parsed.last("keep") {
            try FileAccess.makeFolder(folder)
            for name in Self.keptNames { try RecordFile(path: "\(folder)/\(name)").checkWritable() }
        }
        _ = await MachineLimits.auto.calibration(isQuiet: parsed.has("quiet"))
        let interrupts = SignalWatch.install()
        let outcome = try await runs.run(interrupts: interrupts)
        try keep(outcome)
        var comparison = compared(outcome)
        if parsed.has("confirm"), comparison.needsConfirmation, !outcome.isInterrupted {
            let what = comparison.verdict.status == .regressed ? "regressed" : "a threshold failed"
            if !parsed.has("quiet") { Terminal.note("\(what); the pairs run again to confirm it") }
            var again = runs
            again.seed &+= 1
            let second = try await again.run(interrupts: interrupts)
            // Half a confirmation is none.
            if !second.isInterrupted { comparison.confirm(with: compared(second), plan: options.plan) }
        }
        if interrupts.value > 0 {
            comparison.interrupt(pairs: runs.pairs, exitCode: Int(SignalWatch.exitCode), plan: options.plan)
        }
        return try output.finish(comparison)
    }

    private func compared(_ outcome: InterleavedRuns.Outcome) -> Comparison {
        var plan = options.plan
        plan.order = outcome.order
        plan.mayDiffer = true
        plan.noise = MachineNoise.floors(for: outcome.base.first)
        return Comparison(
            base: RunSample(label: labels.base, runs: outcome.base),
            candidate: RunSample(label: labels.candidate, runs: outcome.candidate), plan: plan)
    }

    private static let keptNames = ["a.json", "b.json"]

    private func keep(_ outcome: InterleavedRuns.Outcome) throws {
        guard let folder = parsed.last("keep") else { return }
        let number = UUID().uuidString
        for (name, runs, side) in [
            (Self.keptNames[0], outcome.base, InterleavedOrder.Side.a), (Self.keptNames[1], outcome.candidate, .b),
        ] {
            let place = InterleavingRecord(comparison: number, order: outcome.order, side: side.rawValue)
            try RecordFile(path: "\(folder)/\(name)").write(RunSeriesRecord(runs, interleaving: place))
        }
    }

    // MARK: - Options

    private static func order(
        _ parsed: ParsedCommand, profile: String, side: InterleavedOrder.Side
    ) throws -> RunOrder {
        let letter = side.rawValue.lowercased()
        let binary = parsed.last("binary-\(letter)")
        var order = RunOrder(parsed, profile: profile, program: binary ?? "/proc/self/exe")
        var overrides = parsed.overrides
        for setting in parsed.values["set-\(letter)"] ?? [] {
            overrides.append(try CommandLineParser.setting(setting, option: "--set-\(letter)"))
            order.add(setting: setting)
        }
        // Another version may know other keys; it tells by itself what it does not accept.
        if binary == nil {
            let profile = try Profile.read(file: profile, faultsFile: parsed.last("faults"), overrides: overrides)
            try profile.checkThresholds()
            try TargetPolicy.check(profile.target, allowedHosts: parsed.values["allow-host"] ?? [])
        }
        return order
    }

    private static func label(_ parsed: ParsedCommand, _ side: InterleavedOrder.Side) -> String {
        let letter = side.rawValue.lowercased()
        let profile = side == .a ? parsed.arguments.first : parsed.arguments.last
        let words =
            [profile, parsed.last("binary-\(letter)")].compactMap { $0 } + (parsed.values["set-\(letter)"] ?? [])
        return words.joined(separator: " ")
    }

    /// The number of pairs.
    static func pairs(_ parsed: ParsedCommand, default count: Int) throws -> Int {
        guard let text = parsed.last("pairs") else { return count }
        guard let pairs = Int(text), (1...1_000).contains(pairs) else {
            throw UsageError(description: "--pairs \(text): a number from 1 to 1000 is accepted")
        }
        return pairs
    }

    /// The seed of the order.
    static func seed(_ parsed: ParsedCommand) throws -> UInt64 {
        guard let text = parsed.last("order-seed") else { return 1 }
        guard let seed = UInt64(text) else {
            throw UsageError(description: "--order-seed \(text): a number from 0 is accepted")
        }
        return seed
    }
}
