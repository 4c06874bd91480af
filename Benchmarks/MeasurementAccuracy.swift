import GatewaySimulator
import Primitives
import PushWire
import RunRecords

/// What a run measures, held against delays that are known exactly: the very ones that the simulator drew, by rank.
///
/// Open loops at a rate with room, over TLS. With commands 0 to 2 the simulator accepts late, over HTTP/2 it answers late. `response` counts from
/// the intended time and so holds the pacing's lateness, too; `service` counts from the write.
struct MeasurementAccuracy {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    private static let seed: UInt64 = 1
    private static let quantiles: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999),
    ]

    /// A distribution of delays, as a profile and as a plan have it.
    private enum Truth: String, CaseIterable {
        case constant = "constant 50 ms", longConstant = "constant 250 ms", bimodal, logNormal = "log-normal"

        func json(_ fault: String) -> String {
            switch self {
            case .constant: #"[{ fault: "\#(fault)", delay: "50ms" }]"#
            case .longConstant: #"[{ fault: "\#(fault)", delay: "250ms" }]"#
            // One in twenty takes ten times as long.
            case .bimodal:
                #"[{ fault: "\#(fault)", delay: "20ms" }, { fault: "\#(fault)", delay: "200ms", share: 0.05 }]"#
            case .logNormal: #"[{ fault: "\#(fault)", delay: { median: "20ms", sigma: 0.8 } }]"#
            }
        }

        var plan: FaultPlan {
            var plan = FaultPlan(seed: seed)
            switch self {
            case .constant: plan.add(.responseDelay(.constant(.milliseconds(50))))
            case .longConstant: plan.add(.responseDelay(.constant(.milliseconds(250))))
            case .bimodal:
                plan.add(.responseDelay(.constant(.milliseconds(20))))
                var rare = FaultTrigger()
                rare.share = 0.05
                plan.add(.responseDelay(.constant(.milliseconds(200))), when: rare)
            case .logNormal: plan.add(.responseDelay(.logNormal(median: .milliseconds(20), sigma: 0.8)))
            }
            return plan
        }
    }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "measured latencies against the delays that the simulator drew, 2,000/s over TLS",
            columns: [
                "protocol", "delays", "series", "quantile", "truth us", "measured us", "off by us", "allowed us", "",
                "timer lag us", "runs",
            ])
        table.notes = [
            "allowed: 1 % of the truth and 50 us; off by: what the way there and back, timers and pacing add.",
            "timer lag: how late an idle timer of the sender came in the same run, at the same quantile; the simulator's come as late.",
            "a run in which idle timers came later than \(Self.calm) at p99.9 says what the machine did meanwhile, and is done again, "
                + "up to \(Self.patience) times; the calmest counts.",
            "MACHINE: off by more than is allowed, but idle timers alone were later than that at this quantile: nobody has 1 % there.",
        ]
        let count = options.size(20_000, quick: 400)
        var offCount = 0
        for name in ["enhanced", "http2"] {
            for truth in Truth.allCases {
                let (record, runs) = try calmestRun(name, truth, count)
                let delays = Self.delays(of: truth, count)
                for series in ["service", "response"] {
                    let (rows, off) = try rows(record, series, delays)
                    offCount += off
                    for row in rows {
                        table.add([.text(name), .text(truth.rawValue), .text(series)] + row + [.count(Int64(runs))])
                    }
                }
            }
        }
        guard !options.isQuick else { return table }
        table.require("figures that are off, and not for the machine's timers", Double(offCount), atMost: 0)
        return table
    }

    /// Timers that are idle come no later than this on a machine that has room.
    private static let calm = Interval.microseconds(500)
    private static let patience = 3

    private func calmestRun(
        _ name: String, _ truth: Truth, _ count: Int
    ) throws -> (record: RunRecord, runs: Int) {
        func lag(_ record: RunRecord) -> Int64 { record.latency["timerLag"]?.value(atQuantile: 0.999) ?? .max }
        var calmest = try run(name, truth, count)
        var runs = 1
        while lag(calmest) > Self.calm.nanoseconds, runs < Self.patience, !options.isQuick {
            let record = try run(name, truth, count)
            runs += 1
            if lag(record) < lag(calmest) { calmest = record }
        }
        return (calmest, runs)
    }

    private func run(_ name: String, _ truth: Truth, _ count: Int) throws -> RunRecord {
        let warmup = Self.warmup(count)
        let fault = name == "http2" ? "responseDelay" : "acceptanceDelay"
        let profile = """
            {
              name: "accuracy", protocol: "\(name)",
              target: { simulator: { faults: \(truth.json(fault)) } },
              workload: { notifications: \(count), devices: \(count), seed: \(Self.seed) },
              load: { loop: "open", rate: "2k/s" }, phases: { warmup: "\(warmup / 2)ms" },
              sender: { connections: 4, batch: { notifications: 1, linger: 0 } },
            }
            """
        let record = try PushbenchProcess(program: options.program).record(
            profile: profile, words: ["--calibration", "off"]
        ).record
        guard record.ledger.accepted == Int64(count), record.latency["response"]?.count == Int64(count - warmup)
        else {
            throw BenchmarkFailure("a run is wrong: \(record.ledger.accepted) of \(count) accepted, or not all timed")
        }
        return record
    }

    /// How many of the notifications go first: over HTTP/2 a connection has one stream until the first answer, and what waits for that is
    /// truly late.
    private static func warmup(_ count: Int) -> Int { count / 20 }

    /// The delays of the notifications that are measured, rising.
    private static func delays(of truth: Truth, _ count: Int) -> [Interval] {
        let (plan, identifiers) = (truth.plan, IdentifierSpace(first: 1))
        return (UInt64(warmup(count))..<UInt64(count)).map { plan.delay(drawnFor: identifiers.identifier(of: $0)) }
            .sorted()
    }

    private func rows(
        _ record: RunRecord, _ series: String, _ delays: [Interval]
    ) throws -> (rows: [[ResultTable.Cell]], off: Int) {
        var off = 0
        let rows = try Self.quantiles.map { quantile -> [ResultTable.Cell] in
            // The same rank as the histogram's: the first value that the share of all does not exceed.
            let rank = max(1, Int((quantile.share * Double(delays.count)).rounded(.up)))
            let truth = delays[rank - 1].nanoseconds
            guard let found = record.latency[series]?.value(atQuantile: quantile.share) else {
                throw BenchmarkFailure("a run has no \(series)")
            }
            let (deviation, allowed) = (found - truth, truth / 100 + 50_000)
            let lag = record.latency["timerLag"]?.value(atQuantile: quantile.share)
            let isWithin = deviation.magnitude <= allowed.magnitude
            let isMachines = !isWithin && lag ?? 0 > allowed
            off += isWithin || isMachines ? 0 : 1
            func microseconds(_ value: Int64) -> ResultTable.Cell { .number(Double(value) / 1_000, decimals: 1) }
            return [
                .text(quantile.name), microseconds(truth), microseconds(found), microseconds(deviation),
                microseconds(allowed), .text(isWithin ? "within" : isMachines ? "MACHINE" : "OFF"),
                lag.map(microseconds) ?? .none,
            ]
        }
        return (rows, off)
    }
}
