import Analysis
import Harness
import Primitives
import Reports
import RunRecords
import Transport

/// Tries a profile at many settings, and says which is enough.
struct SweepCommand {
    private let parsed: ParsedCommand
    private let start: SweepRecord
    private let output: PlanOutput
    private let budget: Interval?

    private static let defaultAxes = [
        "sender.batch.notifications=1,10,100,1000", "sender.connections=1,2,4,8,16,32",
    ]

    init(_ parsed: ParsedCommand) throws {
        self.parsed = parsed
        output = try PlanOutput(parsed, of: .sweep)
        budget = parsed.has("budget") ? try parsed.interval("budget", default: .seconds(1)) : nil
        let profile = try Self.profile(parsed, changes: [])
        try TargetPolicy.check(profile.target, allowedHosts: parsed.values["allow-host"] ?? [])
        var plan = SweepRace.Plan()
        plan.isRace = !parsed.has("full")
        if let text = parsed.last("repeat") {
            guard let count = Int(text), (1...1_000).contains(count) else {
                throw UsageError(description: "--repeat \(text): a number from 1 to 1000 is accepted")
            }
            plan.repeats = count
        }
        plan.seed = try InterleavedComparison.seed(parsed)
        var record = SweepRecord(
            profileName: parsed.arguments[0], profileHash: profile.hash,
            grid: try SweepAxes.grid(parsed.values["vary"] ?? Self.defaultAxes), plan: plan)
        record.machine = Machine.fingerprint()
        record.tool.version = Main.version
        record.tool.build = Main.build
        record.budgetNs = budget?.nanoseconds
        if let path = parsed.last("resume") { try Self.resume(&record, from: path) }
        start = record
    }

    func execute() async throws -> Int32 {
        try checkCells()
        let interrupts = try await output.begin()
        let folder = try ScratchFolder()
        var record = start
        var race = SweepRace(record.plan, known: record.rates, fields: record.fields)
        let begin = MonotonicClock.now()
        func elapsed() -> Int64 { (MonotonicClock.now() - begin).nanoseconds + start.elapsedNs }
        var end = SweepRecord.End.complete
        while let cell = race.cell {
            if isOverBudget(record, elapsedNs: elapsed()) {
                end = .timeOver
                break
            }
            let run = try await RunProcess(order(ofCell: cell), in: folder).run(interrupts: interrupts)
            // Half a run says nothing of its combination; it is made again.
            if interrupts.value > 0 {
                end = .interrupted(exitCode: Int(SignalWatch.exitCode))
                break
            }
            // A target that is not there is so at every setting.
            guard run.verdict.status != .unreachable || run.ledger.accepted > 0 else {
                end = .unreachable(run.verdict)
                break
            }
            let figures = SweepRunRecord(cell: cell, run)
            record.runs.append(figures)
            race.take(figures.acceptedPerSecond)
            record.elapsedNs = elapsed()
            record.conclude()
            try output.keep(record.encoded())
            output.note(SweepTable.line(figures, of: record.grid, round: race.currentRound, left: race.runsLeft))
        }
        record.judge(end)
        return try output.finish(.sweep(record), record.verdict)
    }

    /// Whether another run, as long as the others were on average, would end after the time that the user gave.
    private func isOverBudget(_ record: SweepRecord, elapsedNs: Int64) -> Bool {
        guard let budget, !record.runs.isEmpty else { return false }
        return elapsedNs + record.elapsedNs / Int64(record.runs.count) > budget.nanoseconds
    }

    // MARK: - Settings

    private func order(ofCell cell: Int) -> RunOrder {
        var order = RunOrder(parsed, profile: parsed.arguments[0])
        for (axis, value) in zip(start.grid.axes, start.grid.values(ofCell: cell)) {
            order.add(setting: "\(axis.key)=\(value)")
        }
        return order
    }

    /// Finds a combination that no profile can have, before the first run costs anything.
    private func checkCells() throws {
        for cell in 0..<start.grid.count {
            let changes = zip(start.grid.axes, start.grid.values(ofCell: cell)).map { axis, value in
                ProfileOverride(keyPath: axis.key, text: value, origin: "--vary")
            }
            _ = try Self.profile(parsed, changes: changes)
        }
    }

    private static func profile(_ parsed: ParsedCommand, changes: [ProfileOverride]) throws -> Profile {
        try Profile.read(
            file: parsed.arguments[0], faultsFile: parsed.last("faults"), overrides: parsed.overrides + changes)
    }

    /// Takes over the runs of an earlier sitting of the same sweep.
    private static func resume(_ record: inout SweepRecord, from path: String) throws {
        let earlier = try SweepRecord.read(path)
        guard earlier.profileHash == record.profileHash, earlier.grid == record.grid,
            earlier.machine == record.machine, earlier.tool.build == record.tool.build
        else {
            throw UsageError(
                description:
                    "--resume \(path): is of another sweep; profile, --vary, machine and build must be the same")
        }
        record.runs = earlier.runs
        record.elapsedNs = earlier.elapsedNs
    }
}

/// What `--vary` asks for.
enum SweepAxes {
    /// Reads `KEY=VALUE,VALUE` for each axis; commas within brackets and quotes belong to a value.
    static func grid(_ texts: [String]) throws -> SweepGrid {
        var axes: [SweepGrid.Axis] = []
        for text in texts {
            let setting = try CommandLineParser.setting(text, option: "--vary")
            let values = separated(setting.text)
            guard !values.contains("") else {
                throw UsageError(description: "--vary \(text): a value is empty; expected KEY=VALUE,VALUE")
            }
            guard Set(values).count == values.count else {
                throw UsageError(description: "--vary \(text): a value stands there twice")
            }
            guard !axes.contains(where: { $0.key == setting.keyPath }) else {
                throw UsageError(description: "--vary \(setting.keyPath): the key is varied twice")
            }
            axes.append(SweepGrid.Axis(key: setting.keyPath, values: values))
        }
        let grid = SweepGrid(axes)
        guard grid.count <= SweepGrid.cellsMax else {
            throw UsageError(description: "--vary: more than \(SweepGrid.cellsMax) combinations")
        }
        return grid
    }

    private static func separated(_ text: String) -> [String] {
        var values = [""]
        var depth = 0
        var quote: Character?
        for character in text {
            switch character {
            case "\"", "'": quote = quote == nil ? character : quote == character ? nil : quote
            case "[",
                "{" where quote == nil:
                depth += 1
            case "]",
                "}" where quote == nil:
                depth -= 1
            case "," where quote == nil && depth == 0:
                values.append("")
                continue
            default: break
            }
            values[values.count - 1].append(character)
        }
        return values.map { value in
            let head = value.drop { $0 == " " }
            return String(head.reversed().drop { $0 == " " }.reversed())
        }
    }
}
