import Primitives
import RunRecords

/// How even a constant pace is: the gaps between the batches of the whole run, at several rates and batch sizes.
struct PacingEvenness {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    /// A rate, and how many notifications go in one write.
    private static let paces: [(rate: Int, batch: Int)] = [
        (1_000, 1), (10_000, 10), (10_000, 1), (50_000, 50), (50_000, 10), (50_000, 100),
    ]

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "evenness of a constant pace over 8 connections",
            columns: [
                "rate/s", "batch", "gap us", "variation", "gap p1 us", "p50", "p99", "max", "lag p50 us", "lag p99 us",
                "late", "cores",
            ])
        table.notes = [
            "gap: from batch to batch over all connections of the one event loop; variation: its standard deviation ÷ its mean.",
            "asked for: a variation below 0.1 at 50,000/s when the machine has room; batch 50 is the linger of 1 ms at that rate.",
            "bare timer: a thread that only waits for each millisecond, in between; nobody paces a millisecond more evenly here.",
            "cores: processor time of the sender ÷ time.",
        ]
        for pace in Self.paces {
            table.add(try row(pace.rate, batch: pace.batch))
            if pace.rate == pace.batch * 1_000 { table.add(yardstick()) }
        }
        return table
    }

    private func yardstick() -> [ResultTable.Cell] {
        let timer = BareTimer.measure(period: .milliseconds(1), count: options.size(5_000, quick: 100))
        return [
            .text("bare timer"), .none, microseconds(1_000_000), .number(timer.variation, decimals: 3),
            microseconds(timer.gap(atQuantile: 0.01)), microseconds(timer.gap(atQuantile: 0.5)),
            microseconds(timer.gap(atQuantile: 0.99)), microseconds(timer.gap(atQuantile: 1)),
            microseconds(timer.lateness(atQuantile: 0.5)), microseconds(timer.lateness(atQuantile: 0.99)), .none, .none,
        ]
    }

    private func microseconds(_ value: Int64?) -> ResultTable.Cell {
        value.map { .number(Double($0) / 1_000, decimals: 1) } ?? .none
    }

    private func row(_ rate: Int, batch: Int) throws -> [ResultTable.Cell] {
        let profile = """
            {
              name: "pacing",
              workload: { notifications: \(options.isQuick ? rate / 10 : rate * 5) },
              load: { loop: "open", rate: "\(rate)/s" },
              sender: { connections: 8, loops: 1, batch: { notifications: \(batch), linger: \(batch > 1 ? "\"1ms\"" : "0") } },
            }
            """
        let record = try PushbenchProcess(program: options.program).record(
            profile: profile, words: ["--calibration", "off"]
        ).record
        guard record.ledgerDifference == 0, let gaps = record.latency["sendGap"], let schedule = record.schedule else {
            throw BenchmarkFailure("a run is wrong: it has no gaps, or the books disagree")
        }
        let lag = record.latency["scheduleLag"]
        return [
            .count(Int64(rate)), .count(Int64(batch)), microseconds(gaps.meanNs),
            schedule.gapVariation.map { .number($0, decimals: 3) } ?? .none, microseconds(gaps.value(atQuantile: 0.01)),
            microseconds(gaps.value(atQuantile: 0.5)), microseconds(gaps.value(atQuantile: 0.99)),
            microseconds(gaps.maxNs), microseconds(lag?.value(atQuantile: 0.5)),
            microseconds(lag?.value(atQuantile: 0.99)), .count(schedule.late.total),
            .number(Double(record.resources.sender.cpuNs) / Double(max(1, record.durationNs)), decimals: 2),
        ]
    }
}
