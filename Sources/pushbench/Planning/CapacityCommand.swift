import Analysis
import Harness
import Primitives
import Reports
import RunRecords

/// Finds the highest rate at which a target holds what is asked of it.
struct CapacityCommand {
    private let parsed: ParsedCommand
    private let plan: CapacitySearch.Plan
    private let settle: Interval
    private let judge: ProbeJudge
    private let output: PlanOutput

    init(_ parsed: ParsedCommand) throws {
        self.parsed = parsed
        let profile = try Profile.read(
            file: parsed.arguments[0], faultsFile: parsed.last("faults"), overrides: parsed.overrides)
        try TargetPolicy.check(profile.target, allowedHosts: parsed.values["allow-host"] ?? [])
        try Self.check(profile)
        judge = ProbeJudge(ServiceLevel(try Self.conditions(parsed, profile)))
        plan = try Self.plan(parsed)
        settle = try parsed.interval("settle", default: .seconds(2))
        output = try PlanOutput(parsed, of: .capacity)
    }

    func execute() async throws -> Int32 {
        let interrupts = try await output.begin()
        let folder = try ScratchFolder()
        var search = CapacitySearch(plan)
        var record = CapacityRecord(
            profileName: parsed.arguments[0], serviceLevel: judge.level.conditions.map(\.text),
            tolerance: plan.tolerance)
        while let probe = search.probe {
            let run = try await RunProcess(order(of: probe), in: folder).run(interrupts: interrupts)
            let judgement = judge.judge(run)
            search.take(judgement.outcome)
            let line = ProbeRecord(probe, judgement, run: run)
            record.probes.append(line)
            record.contradictions = search.contradictions
            record.finding = search.finding.map { CapacityFinding($0) }
            output.note(CapacityTable.line(line))
            try output.keep(record.encoded())
            if interrupts.value > 0 { break }
        }
        record.conclude(signalCode: interrupts.value > 0 ? Int(SignalWatch.exitCode) : nil)
        return try output.finish(.capacity(record), record.verdict)
    }

    /// The order of a run at one rate, with as many notifications as its time takes.
    private func order(of probe: CapacitySearch.Probe) -> RunOrder {
        var order = RunOrder(parsed, profile: parsed.arguments[0])
        order.add(setting: "load.loop=open")
        order.add(setting: "load.rate=\(probe.rate.perSecond)/s")
        order.add(setting: "workload.notifications=\(Profile.notificationLimit)")
        order.add(setting: "phases.warmup=\(settle.nanoseconds)ns")
        order.add(setting: "phases.measure=\(probe.length.nanoseconds)ns")
        // What the search asks for is judged by it; a profile may ask for rates that low tries cannot have.
        order.add(setting: "thresholds=[]")
        return order
    }

    // MARK: - Options

    private static func check(_ profile: Profile) throws {
        let load = profile.load
        let others: [(String, Bool)] = [
            ("load.ratePerConnection", load.ratePerConnection != nil), ("load.stages", !load.stages.isEmpty),
            ("load.staircase", load.staircase != nil), ("load.replayFile", load.replayFile != nil),
            ("load.shard", load.shard != nil),
        ]
        guard let other = others.first(where: \.1) else { return }
        throw UsageError(
            description: "capacity tries one rate after the other, beside which \(other.0) of the profile cannot stand")
    }

    /// The conditions of the command line, or those of the profile that are not about rates.
    private static func conditions(_ parsed: ParsedCommand, _ profile: Profile) throws -> [Threshold] {
        guard let texts = parsed.values["slo"] else {
            return profile.thresholds.filter { !$0.isChange && $0.metric.unit != .rate }
        }
        return try texts.flatMap { $0.split(separator: ",") }.map { text in
            let condition: Threshold
            do throws(ThresholdError) { condition = try Threshold(String(text.drop { $0 == " " })) } catch {
                throw UsageError(description: "--slo: \(error)")
            }
            guard !condition.isChange, condition.abortAfter == nil else {
                throw UsageError(description: "--slo \(condition.text): only conditions on one run are accepted")
            }
            return condition
        }
    }

    private static func plan(_ parsed: ParsedCommand) throws -> CapacitySearch.Plan {
        var plan = CapacitySearch.Plan()
        if let start = try parsed.rate("start") { plan.start = start }
        plan.highest = try parsed.rate("max-rate")
        if let text = parsed.last("tolerance") {
            plan.tolerance = try ComparisonOptions.share(text, option: "--tolerance")
        }
        plan.probe = try parsed.interval("probe", default: plan.probe)
        plan.confirmation = try parsed.interval("confirm", default: plan.confirmation)
        return plan
    }
}
