import Analysis
import Harness
import Primitives
import RunRecords
import Statistics

/// `compare --calibrate-noise`: runs one profile against itself, and keeps what that shows for comparisons on this machine.
struct NoiseMeasurement {
    private let parsed: ParsedCommand
    private let runs: InterleavedRuns

    init(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 1 else {
            throw UsageError(
                description: "compare --calibrate-noise takes one profile, and \(parsed.arguments.count) were given")
        }
        self.parsed = parsed
        let profile = try Profile.read(
            file: parsed.arguments[0], faultsFile: parsed.last("faults"), overrides: parsed.overrides)
        try TargetPolicy.check(profile.target, allowedHosts: parsed.values["allow-host"] ?? [])
        let order = RunOrder(parsed, profile: parsed.arguments[0])
        runs = InterleavedRuns(
            orders: [.a: order, .b: order], pairs: try InterleavedComparison.pairs(parsed, default: 20),
            seed: try InterleavedComparison.seed(parsed), isQuiet: parsed.has("quiet"))
    }

    func execute() async throws -> Int32 {
        guard let cache = MachineNoise.cache else {
            throw UsageError(description: "there is no place to keep it: neither XDG_CACHE_HOME nor HOME is set")
        }
        _ = await MachineLimits.auto.calibration(isQuiet: parsed.has("quiet"))
        let interrupts = SignalWatch.install()
        let outcome = try await runs.run(interrupts: interrupts)
        let exit = ExitOptions(parsed)
        guard !outcome.isInterrupted else {
            return exit.code(SignalWatch.exitCode, reasons: ["interrupted by the user, and nothing was kept"])
        }
        var plan = ComparisonPlan()
        plan.order = outcome.order
        let comparison = Comparison(
            base: RunSample(label: "A", runs: outcome.base), candidate: RunSample(label: "A", runs: outcome.candidate),
            plan: plan)
        guard comparison.obstacles.isEmpty, let first = outcome.base.first else {
            Terminal.complain("nothing was kept: \(comparison.obstacles.joined(separator: "; "))")
            let dead = Int32(comparison.verdict.exitCode)
            return exit.code(
                [ExitCode.internalError, ExitCode.unreachable].contains(dead) ? dead : ExitCode.inconclusive,
                reasons: comparison.obstacles)
        }
        let ratios = comparison.pairRatios
        if outcome.base.count < Self.judgedPairs {
            let pairs = outcome.base.count == 1 ? "1 pair says" : "\(outcome.base.count) pairs say"
            Terminal.complain(
                "warning: \(pairs) little about noise; \(Self.judgedPairs) are few, and 20 the default")
        }
        if let reason = Self.warning(ratios, of: Metric.gates(for: first)) {
            Terminal.complain("warning: \(reason)")
        }
        let record = NoiseRecord(
            machine: first.machine, profileHash: first.profileHash,
            profileName: parsed.arguments[0], build: first.tool.build, measuredAt: Machine.utcText(),
            order: outcome.order, pairRatios: ratios)
        try cache.write(record)
        if !parsed.has("quiet") { tell(record, pairs: outcome.base.count, in: cache) }
        return exit.code(ExitCode.passed, reasons: [])
    }

    /// What a user should know of such noise: with it hardly a change of a deciding figure can be told from none.
    private static func warning(_ ratios: [String: [Double]], of gates: [Metric]) -> String? {
        for name in gates.map(\.name) {
            guard let noise = NoiseFloor(pairRatios: ratios[name] ?? []).threshold(pairs: judgedPairs),
                noise > NoiseFloor.most
            else { continue }
            return
                "with \(judgedPairs) interleaved pairs only a change of \(name) by \(percentText(noise)) would count, and noise above "
                + "\(percentText(NoiseFloor.most)) decides nothing; calibrate on a quieter machine, with more pairs or longer runs"
        }
        return nil
    }

    private static let judgedPairs = 10

    private func tell(_ record: NoiseRecord, pairs: Int, in cache: NoiseCache) {
        Terminal.show("noise of \(record.profileName) by \(pairs) pairs, kept in \(cache.path)")
        Terminal.show(
            "figure, smallest change that counts with \(Self.judgedPairs) interleaved pairs, and with runs made apart:")
        for (name, ratios) in record.pairRatios.sorted(by: { $0.key < $1.key }) {
            let floor = NoiseFloor(pairRatios: ratios)
            guard let paired = floor.threshold(pairs: Self.judgedPairs), let apart = floor.thresholdApart else {
                continue
            }
            let isTooMuch = max(paired, apart) > NoiseFloor.most
            Terminal.show(
                "  \(name): \(percentText(paired)), \(percentText(apart))"
                    + (isTooMuch ? "; above \(percentText(NoiseFloor.most)), which decides nothing" : ""))
        }
    }
}
