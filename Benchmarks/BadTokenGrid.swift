import Analysis
import Primitives
import RunRecords
import Statistics

/// What bad tokens leave of the rate at shares, round trips and settings, measured and by the closed model of `docs/model.md`.
struct BadTokenGrid {
    private let options: BenchmarkOptions

    /// Settings of the sender whose rate without errors is bound by the machine at 0 ms and by windows far away, or by the machine everywhere.
    private static let settings = [
        (name: "windowed 1,000", words: ["sender.mode=windowed", "sender.window=1000"]),
        (name: "windowed 8,000", words: ["sender.mode=windowed", "sender.window=8000"]),
        (name: "pipelined", words: ["sender.window=400000"]),
    ]
    private static let profile = """
        {
          name: "bad-token-grid",
          target: { simulator: {} }, workload: { devices: 4_000_000, seed: 1 },
          phases: { warmup: "1s", measure: "4s", drain: "5s" },
          sender: { connections: 8, batch: { notifications: 100, linger: "0ms" } },
        }
        """
    /// The greatest error of a rate by the model, at the median of all cells.
    private static let medianErrorMax = 0.15

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "bad tokens: figures as measured, and the model's ÷ these",
            columns: [
                "setting", "round trip", "bad tokens", "errors", "accepted/s", "accepted/s ÷", "in flight",
                "in flight ÷",
                "resent", "resent ÷", "lost each", "lost each ÷", "from afar ÷",
            ])
        let folder = try WorkFolder()
        defer { folder.remove() }
        let profile = try folder.file("profile.json5", Self.profile)
        var errors: [Double] = []
        for setting in options.isQuick ? Array(Self.settings.prefix(1)) : Self.settings {
            let record = try sweep(profile, setting.words, in: folder)
            errors += add(record, setting.name, to: &table)
        }
        table.notes.append("from afar: the rate at this round trip by the times that were measured at the shortest one")
        if !options.isQuick, let middle = median(errors.map(\.magnitude)) {
            table.notes.append("median error of the model's rate: \(percentText(middle))")
            table.require("median error of the model's rate", middle, atMost: Self.medianErrorMax)
        }
        return table
    }

    private func sweep(_ profile: String, _ settings: [String], in folder: WorkFolder) throws -> SweepRecord {
        let output = folder.path + "/sweep.json"
        let axes =
            options.isQuick
            ? ["workload.faults.badToken=0,0.005", "target.simulator.roundTrip=0ms"]
            : ["workload.faults.badToken=0,0.0001,0.001,0.005", "target.simulator.roundTrip=0ms,20ms,80ms"]
        let quick = options.isQuick ? ["phases.warmup=50ms", "phases.measure=200ms"] : []
        var words = ["sweep", profile, "--quiet", "--full", "--output", "json=" + output]
        words += ["--repeat", "\(options.rounds(3))"]
        for axis in axes { words += ["--vary", axis] }
        for value in settings + quick { words += ["--set", value] }
        let child = try ChildProcess(options.program, words, log: folder.path + "/log")
        let (code, _) = try child.wait()
        guard code == 0 else { throw BenchmarkFailure("sweep ended with \(code): \(child.output)") }
        return try SweepRecord.read(output)
    }

    /// Adds a sweep's rows; returns the errors of the model's rates.
    private func add(_ record: SweepRecord, _ setting: String, to table: inout ResultTable) -> [Double] {
        let findings = record.findings?.badTokens
        let points = findings?.curves.filter { $0.key == "target.simulator.roundTrip" }.flatMap(\.points) ?? []
        var errors: [Double] = []
        for price in findings?.prices ?? [] {
            let values = record.grid.values(ofCell: price.cell)
            let far = points.first { $0.cell == price.cell }
            let share = far.flatMap { point in
                point.acceptedPerSecond.flatMap { own in point.modelPerSecond.map { $0 / own } }
            }
            table.add([
                .text(setting), .text(values[1]), .text(values[0]), .count(price.errors),
                count(price.measured.acceptedPerSecond), ratio(price.modelError?.acceptedPerSecond),
                count(price.measured.inFlight), ratio(price.modelError?.inFlight),
                count(price.measured.resent), ratio(price.modelError?.resent), count(price.measured.lost),
                ratio(price.modelError?.lost), share.map { .number($0, decimals: 2) } ?? .none,
            ])
            if let error = price.modelError?.acceptedPerSecond { errors.append(error) }
            if let obstacle = price.obstacle {
                table.notes.append("no model at \(setting), \(values.joined(separator: ", ")): \(obstacle)")
            }
        }
        return errors
    }

    private func count(_ value: Double?) -> ResultTable.Cell { value.map { .count(Int64($0.rounded())) } ?? .none }

    private func ratio(_ error: Double?) -> ResultTable.Cell {
        error.map { .number(1 + $0, decimals: 2) } ?? .none
    }
}
