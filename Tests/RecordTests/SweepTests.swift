import Primitives
import RunRecords
import Statistics
import Testing

@testable import Analysis

@Suite struct SweepGridTests {
    private let grid = SweepGrid([
        SweepGrid.Axis(key: "sender.batch.notifications", values: ["1", "10", "100"]),
        SweepGrid.Axis(key: "sender.connections", values: ["1", "4"]),
    ])

    @Test func `each combination has one number, and the last axis changes fastest`() {
        #expect(grid.count == 6)
        #expect((0..<6).map { grid.values(ofCell: $0) }.prefix(3) == [["1", "1"], ["1", "4"], ["10", "1"]])
        for cell in 0..<6 { #expect(grid.cell(at: grid.place(ofCell: cell)) == cell) }
        #expect(grid.cell(at: [0, 2]) == nil)
        #expect(grid.text(ofCell: 5) == "sender.batch.notifications=100 sender.connections=4")
    }

    @Test func `neighbors are one step away on one axis, within the grid`() {
        #expect(grid.neighbors(ofCell: 0).sorted() == [1, 2])
        #expect(grid.neighbors(ofCell: 3).sorted() == [1, 2, 5])
    }
}

@Suite struct SweepRaceTests {
    /// Carries a race out on combinations with known rates and some noise; returns how often each was run.
    private func race(
        _ truth: [Double], noise: Double = 0.02, seed: UInt64 = 1, isRace: Bool = true, repeats: Int = 5
    ) -> [Int] {
        var plan = SweepRace.Plan()
        plan.isRace = isRace
        plan.repeats = repeats
        plan.seed = seed
        var race = SweepRace(plan, known: truth.map { _ in [] })
        var random = SeededRandom(seed: seed &+ 1_000)
        var counts = truth.map { _ in 0 }
        while let cell = race.cell {
            counts[cell] += 1
            race.take(truth[cell] * (1 + noise * (2 * random.unit() - 1)))
        }
        return counts
    }

    @Test func `without a race all combinations are run as often, each round in an order of its own`() {
        var plan = SweepRace.Plan()
        plan.isRace = false
        plan.repeats = 3
        var race = SweepRace(plan, known: Array(repeating: [], count: 8))
        var order: [Int] = []
        while let cell = race.cell {
            order.append(cell)
            race.take(Double(cell + 1))
        }
        let rounds = [Array(order[0..<8]), Array(order[8..<16]), Array(order[16..<24])]
        #expect(order.count == 24 && rounds.allSatisfy { $0.sorted() == Array(0..<8) })
        #expect(Set(rounds).count == 3)
    }

    @Test(arguments: 1...20) func `a race runs what is clearly behind once, and what may win to the end`(seed: UInt64) {
        let truth = [10.0, 20, 40, 60, 80, 99, 100, 98, 70, 30]
        let counts = race(truth, seed: seed)
        #expect([5, 6, 7].allSatisfy { counts[$0] == 5 }, "seed \(seed): \(counts)")
        #expect([0, 1, 2].allSatisfy { counts[$0] == 1 }, "seed \(seed): \(counts)")
        #expect(counts.reduce(0, +) <= 30, "seed \(seed): at most six tenths of all: \(counts)")
    }

    @Test func `luck in two runs gives nobody up who is as good`() {
        // Two rates that hardly scatter at first would make any difference look certain.
        let counts = race([100, 101, 100, 99], noise: 0.0001)
        #expect(counts == [5, 5, 5, 5])
    }

    @Test func `a combination that does not finish twice is given up`() {
        var race = SweepRace(SweepRace.Plan(), known: [[], []])
        var counts = [0, 0]
        while let cell = race.cell {
            counts[cell] += 1
            race.take(cell == 0 ? nil : 100)
        }
        #expect(counts == [2, 5])
    }

    @Test func `combinations under other conditions race by themselves`() {
        var race = SweepRace(SweepRace.Plan(), known: [[], [], [], []], fields: [0, 1, 0, 1])
        let truth = [100.0, 10, 50, 10]
        var counts = [0, 0, 0, 0]
        while let cell = race.cell {
            counts[cell] += 1
            race.take(truth[cell])
        }
        #expect(counts[0] == 5 && counts[2] < 5, "behind under its own conditions: \(counts)")
        #expect(counts[1] == 5 && counts[3] == 5, "slow because of the conditions: \(counts)")
    }

    @Test func `a race goes on from what is known, as if it had never stopped`() {
        let truth = [50.0, 100, 97, 20]
        var whole = SweepRace(SweepRace.Plan(), known: truth.map { _ in [] })
        var made: [Int] = []
        while let cell = whole.cell {
            made.append(cell)
            whole.take(truth[cell])
        }
        for stop in made.indices {
            var known: [[Double?]] = truth.map { _ in [] }
            for cell in made[..<stop] { known[cell].append(truth[cell]) }
            var rest = SweepRace(SweepRace.Plan(), known: known)
            var order: [Int] = []
            while let cell = rest.cell {
                order.append(cell)
                rest.take(truth[cell])
            }
            #expect(order == Array(made[stop...]), "stopped after \(stop)")
        }
    }
}

/// C24: settings out of runs whose figures are known.
@Suite struct SweepFindingsTests {
    private static let axes = [
        SweepGrid.Axis(key: "sender.batch.notifications", values: ["1", "10", "100"]),
        SweepGrid.Axis(key: "sender.connections", values: ["1", "4"]),
    ]

    private static func findings(_ runs: [SweepRunRecord]) throws -> SweepFindings {
        var record = SweepRecord(
            profileName: "p.json5", profileHash: "", grid: SweepGrid(axes), plan: SweepRace.Plan())
        record.runs = runs
        record.conclude()
        return try #require(record.findings)
    }

    @Test func `a combination has the median of its runs, and the memory of both sides`() throws {
        let cell = try Self.findings([
            sampleSweepRun(3, rate: 80_000), sampleSweepRun(3, rate: 90_000), sampleSweepRun(3, rate: 81_000),
        ]).cells[3]
        #expect(cell.values == ["10", "4"] && cell.runs == 3)
        #expect(cell.acceptedPerSecond == 81_000 && cell.lowestPerSecond == 80_000 && cell.highestPerSecond == 90_000)
        #expect(cell.residenceP99Ns == sampleRecord().latency["residence"]?.quantiles.p99.map(Double.init))
        #expect(cell.residenceP99Ns != nil)
        #expect(cell.senderPeakRSSBytes == 48 << 20 && cell.simulatorPeakRSSBytes == 30 << 20)
        #expect(cell.limit == .simulator)
    }

    @Test func `the cheapest combination within three percent of the best is recommended`() throws {
        let rates: [Int64] = [10_000, 20_000, 96_900, 97_100, 99_000, 100_000]
        let findings = try Self.findings(rates.enumerated().map { sampleSweepRun($0, rate: $1) })
        #expect(findings.best == 5 && findings.recommended == 3)
        #expect(findings.reason.hasPrefix("the cheapest of 3 within 3 % of the best rate, 100 k/s (100, 4)"))
        #expect(findings.sensitivity.map(\.cell) == [1, 5, 2])
        let shares = findings.sensitivity.compactMap(\.share)
        #expect(abs(shares[0] - 20_000 / 97_100) < 1e-9 && shares[1] > 1)
    }

    @Test func `a cheaper combination that these runs do not show to be behind is named`() throws {
        func findings(_ scatter: Double) throws -> SweepFindings {
            try Self.findings(
                [(2, 940.0), (3, 1_000)].flatMap { cell, rate in
                    [-1.0, 0, 1].map { sampleSweepRun(cell, rate: Int64(rate * (1 + scatter * $0))) }
                })
        }
        let noisy = try findings(0.1)
        #expect(noisy.recommended == 3 && noisy.cheapestNotBehind == 2 && abs(noisy.scatter - 0.1) < 0.01)
        #expect(try findings(0.001).scatter == PooledRates.scatterMin)
        let clear = try Self.findings(
            [(2, 700.0), (3, 1_000)].flatMap { cell, rate in
                [-1.0, 0, 1].map { sampleSweepRun(cell, rate: Int64(rate * (1 + 0.02 * $0))) }
            })
        #expect(clear.recommended == 3 && clear.cheapestNotBehind == nil)
    }

    @Test func `of equal products the one with fewer connections is cheaper`() throws {
        let axes = [
            SweepGrid.Axis(key: "sender.batch.notifications", values: ["10", "40"]),
            SweepGrid.Axis(key: "sender.connections", values: ["1", "4"]),
        ]
        var record = SweepRecord(profileName: "", profileHash: "", grid: SweepGrid(axes), plan: SweepRace.Plan())
        record.runs = [sampleSweepRun(1, rate: 100), sampleSweepRun(2, rate: 100)]
        record.conclude()
        #expect(record.findings?.recommended == 2)
    }

    private static func underConditions(_ keys: [String], rates: [Int64]) throws -> SweepFindings {
        let axes = keys.map { SweepGrid.Axis(key: $0, values: ["0", "1"]) }
        var record = SweepRecord(profileName: "", profileHash: "", grid: SweepGrid(axes), plan: SweepRace.Plan())
        record.runs = rates.enumerated().map { sampleSweepRun($0, rate: $1) }
        record.judge(.complete)
        #expect(record.verdict.status == .passed)
        return try #require(record.findings)
    }

    @Test func `what is recommended is the best under the hardest conditions`() throws {
        let findings = try Self.underConditions(
            ["workload.faults.badToken", "sender.connections"], rates: [1_000, 500, 100, 200])
        #expect(findings.best == 3 && findings.recommended == 3)
        #expect(findings.reason.hasPrefix("under the hardest conditions, "), "\(findings.reason)")
        #expect(findings.sensitivity == [SweepNeighbor(cell: 2, share: 0.5)])
    }

    @Test func `conditions alone leave nothing to recommend, and that is no failure`() throws {
        let findings = try Self.underConditions(
            ["workload.faults.badToken", "target.simulator.loops"], rates: [1_000, 500, 100, 200])
        #expect(findings.best == 2 && findings.recommended == nil)
        #expect(findings.reason.hasPrefix("only conditions were varied"))
    }

    @Test func `what fails its thresholds is not recommended`() throws {
        let runs = [
            sampleSweepRun(3, rate: 100_000) {
                $0.verdict = VerdictRecord(status: .failed, reasons: ["slow"], exitCode: 3)
            },
            sampleSweepRun(4, rate: 99_000),
        ]
        let findings = try Self.findings(runs)
        #expect(findings.best == 3 && findings.recommended == 4)
        let none = try Self.findings([runs[0]])
        #expect(none.recommended == nil && none.reason.contains("none of the 1 combinations"))
    }

    @Test(
        arguments: [.running, .inconclusive, .unreachable, .interrupted, .internalError] as [VerdictRecord.Status])
    func `a run that did not finish leaves its combination without a rate`(status: VerdictRecord.Status) throws {
        let unfinished = sampleSweepRun(0, rate: 1_000_000) { $0.verdict.status = status }
        #expect(!unfinished.isComplete && unfinished.acceptedPerSecond == nil && unfinished.residenceP99Ns == nil)
        let findings = try Self.findings([unfinished, sampleSweepRun(0, rate: 1_000_000), sampleSweepRun(2, rate: 10)])
        #expect(findings.cells[0].acceptedPerSecond == nil && findings.cells[0].incompleteRuns == 1)
        #expect(findings.best == 2)
        #expect(try Self.findings([unfinished]).best == nil)
    }

    @Test func `a run that lost, left or does not know some is incomplete, however it was judged`() {
        for path in [\LedgerRecord.lost, \.unknown, \.unsent] as [WritableKeyPath<LedgerRecord, Int64>] {
            let run = sampleSweepRun(1, rate: 1_000) {
                $0.ledger.accepted -= 1
                $0.ledger[keyPath: path] = 1
            }
            #expect(!run.isComplete)
        }
        #expect(!sampleSweepRun(1, rate: 0) { $0.ledger = LedgerRecord() }.isComplete)
    }

    @Test func `an effect is the mean with a value against the mean of all`() throws {
        let findings = try Self.findings([
            sampleSweepRun(0, rate: 100), sampleSweepRun(1, rate: 400), sampleSweepRun(2, rate: 100),
            sampleSweepRun(3, rate: 400),
        ])
        let effects = findings.effects.map { ($0.value, $0.share.map { ($0 * 1_000).rounded() / 1_000 }) }
        #expect(effects.map(\.0) == ["1", "10", "100", "1", "4"])
        #expect(effects.map(\.1) == [1, 1, nil, 0.5, 2])
    }

    @Test func `notifications that crowd on one connection are flagged`() throws {
        let findings = try Self.findings([
            sampleSweepRun(1, rate: 100) { record in
                record.connections = [900, 50, 25, 25].enumerated().map { index, written in
                    var connection = ConnectionRecord(index: index)
                    connection.written = Int64(written)
                    return connection
                }
            }
        ])
        #expect(findings.cells[1].busiestConnection == 3.6 && findings.cells[1].isUneven)
        #expect(!(try Self.findings([sampleSweepRun(1, rate: 100)])).cells[1].isUneven)
    }

    @Test func `a record of a sweep is read back, and one of another kind is refused`() throws {
        var record = SweepRecord(
            profileName: "p.json5", profileHash: "h", grid: SweepGrid(Self.axes), plan: SweepRace.Plan())
        record.runs = [sampleSweepRun(3, rate: 100)]
        record.judge(.timeOver)
        let folder = try TemporaryFolder()
        let path = folder.path("sweep.json")
        try RecordFile(path: path).write(encoded: record.encoded())
        #expect(try SweepRecord.read(path) == record)
        #expect(
            record.verdict.exitCode == 0 && record.verdict.reasons == ["the time was over before all runs were made"])
        record.runs[0].cell = 6
        try RecordFile(path: path).write(encoded: record.encoded())
        #expect(throws: RecordError.self) { try SweepRecord.read(path) }
        try RecordFile(path: path).write(encoded: sampleRecord().encoded())
        #expect(throws: RecordError.otherSchema(path: path, found: "pushbench.run/1", accepted: ["pushbench.sweep/1"]))
        { try SweepRecord.read(path) }
    }
}

/// The law of scalability over an axis of a sweep, against rates that follow it exactly.
@Suite struct SweepScalabilityTests {
    private static let law = ScalabilityModel(contention: 0.02, coherency: 0.02, rateOfOne: 10_000)

    private static func record(
        _ connections: [Int], _ change: (Int, inout RunRecord) -> Void = { _, _ in }
    ) -> SweepRecord {
        let axes = [
            SweepGrid.Axis(key: "sender.batch.notifications", values: ["10"]),
            SweepGrid.Axis(key: "sender.connections", values: connections.map { "\($0)" }),
        ]
        var record = SweepRecord(profileName: "p.json5", profileHash: "", grid: SweepGrid(axes), plan: SweepRace.Plan())
        record.runs = connections.enumerated().map { cell, count in
            var run = sampleRecord()
            let rate = Int64(law.rate(at: Double(count)).rounded())
            run.throughput = ThroughputRecord(accepted: rate, written: rate, bytes: 0, over: .seconds(1))
            change(count, &run)
            return SweepRunRecord(cell: cell, run)
        }
        record.conclude()
        return record
    }

    @Test func `rates that follow the law give its coefficients and its peak`() throws {
        let found = try #require(Self.record([1, 2, 4, 6, 8, 10, 12]).findings?.scalability)
        #expect(found.key == "sender.connections" && found.setting == ["sender.batch.notifications=10"])
        #expect(found.levels == 7 && found.objections.isEmpty)
        #expect(abs((found.contention?.estimate ?? 0) - 0.02) < 1e-3)
        #expect(abs((found.coherency?.estimate ?? 0) - 0.02) < 1e-3)
        // √((1 − 0.02) ÷ 0.02)
        #expect(abs((found.peakLevel?.estimate ?? 0) - 7) < 0.1)
    }

    @Test func `too few values are no fit, and levels where the generator was the limit do not count`() throws {
        #expect(Self.record([1, 2, 4, 6, 8]).findings?.scalability == nil)
        let limited = Self.record([1, 2, 4, 6, 8, 10, 12]) { count, run in
            if count > 8 { run.limit = LimitRecord(kind: .generator, evidence: "") }
        }
        let found = try #require(limited.findings?.scalability)
        #expect(found.levels == 5 && found.generatorLimitedLevels == 2 && found.contention == nil)
        #expect(found.objections.count == 1)
    }

    @Test func `a peak that was not reached is not foretold`() throws {
        let found = try #require(Self.record([1, 2, 3, 4, 5, 6]).findings?.scalability)
        #expect(!found.objections.isEmpty)
    }

    @Test func `an open loop has the rate that it was offered, and no scalability`() {
        let open = Self.record([1, 2, 4, 6, 8, 10, 12]) { $1.schedule = ScheduleRecord() }
        #expect(open.findings != nil && open.findings?.scalability == nil)
    }
}
