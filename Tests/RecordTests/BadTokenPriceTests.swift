import Primitives
import RunRecords
import Testing

@testable import Analysis
@testable import Reports

/// What a sweep says about bad tokens, out of runs whose figures are known.
@Suite struct BadTokenPriceTests {
    private static let shareKey = "workload.faults.badToken"
    private static let roundTripKey = "target.simulator.roundTrip"

    /// A run at ten connections with windows of 1,000 and 100 ms; its figures are those of the model, worked out by hand.
    private static func run(
        _ cell: Int, perSecond: Int64, errors: Int64, of judged: Int64 = 100_000, roundTrip: String = "100ms",
        _ change: (inout RunRecord, inout Profile) -> Void = { _, _ in }
    ) throws -> SweepRunRecord {
        var record = sampleRecord()
        var profile = Profile()
        profile.sender.connections = 10
        profile.sender.window = 1_000
        profile.sender.mode = .windowed
        var simulator = SimulatorSettings()
        simulator.roundTrip = try Interval(text: roundTrip)
        profile.target = .simulator(simulator)
        record.throughput = ThroughputRecord(
            accepted: perSecond, written: perSecond, bytes: perSecond * 150, over: .seconds(1))
        record.ledger.generated = judged
        record.ledger.accepted = judged - errors
        record.ledger.rejected = errors
        record.limit = LimitRecord(kind: .window, evidence: "")
        record.reconnects.count = errors
        record.reconnects.resent = errors * 900
        record.reconnects.inFlightAtError.p50 = errors > 0 ? 950 : nil
        record.latency["errorReply"] = latency(.milliseconds(100))
        record.latency["reconnect"] = latency(.milliseconds(200))
        record.latency["connectTCP"] = latency(.milliseconds(100))
        record.latency["connectTLS"] = latency(.milliseconds(100))
        change(&record, &profile)
        record.profile = profile.effectiveJSON
        return SweepRunRecord(cell: cell, record)
    }

    private static func latency(_ time: Interval) -> LatencyRecord {
        var latency = LatencyRecord()
        latency.count = 10
        latency.meanNs = time.nanoseconds
        return latency
    }

    private static func findings(
        _ runs: [SweepRunRecord], axes: [SweepGrid.Axis] = [SweepGrid.Axis(key: shareKey, values: ["0", "0.001"])]
    ) throws -> (SweepFindings, SweepRecord) {
        var record = SweepRecord(profileName: "p", profileHash: "", grid: SweepGrid(axes), plan: SweepRace.Plan())
        record.runs = runs
        record.judge(.complete)
        return (try #require(record.findings), record)
    }

    // 10 / (0.1 s × 0.5815 + 0.3 s) × 999.
    private static let rate: Int64 = 27_894

    @Test func `a combination is held against the one without bad tokens, and the model beside it`() throws {
        let (findings, record) = try Self.findings([
            Self.run(0, perSecond: 100_000, errors: 0), Self.run(0, perSecond: 100_000, errors: 0),
            Self.run(1, perSecond: Self.rate, errors: 100), Self.run(1, perSecond: Self.rate, errors: 100),
        ])
        let price = try #require(findings.badTokens?.prices.first)
        #expect(findings.badTokens?.prices.count == 1 && price.cell == 1)
        #expect(price.errors == 200 && price.badShare == 0.001 && price.roundTripNs == 100_000_000)
        #expect(price.errorFreeBy == .errorFreeCell && price.bound == .connections && price.obstacle == nil)
        #expect(price.measured.inFlight == 950 && price.measured.resent == 900)
        // 100,000 against 27,922 a second with 27.9 errors among them.
        #expect(abs(try #require(price.measured.lost) - 2_581) < 2)
        #expect(abs(try #require(price.modelError?.acceptedPerSecond)) < 0.001)
        #expect(abs(try #require(price.modelError?.lost)) < 0.001 && price.isLossClear)
        #expect(abs(try #require(price.modelError?.inFlight) - (999 / 950.0 - 1)) < 1e-3)
        let text = SweepTable(record, style: .plain).text
        #expect(text.contains("the price of a bad token, and what the model says (its error)"), "\(text)")
        #expect(text.contains("the combination without bad tokens, bound by the connections"), "\(text)")
    }

    @Test func `without such a combination the rate without errors is what the window lets through`() throws {
        let (findings, _) = try Self.findings(
            [Self.run(0, perSecond: Self.rate, errors: 100)],
            axes: [SweepGrid.Axis(key: "sender.connections", values: ["10"])])
        let price = try #require(findings.badTokens?.prices.first)
        #expect(price.errorFreeBy == .window && price.errorFreePerSecond == 100_000)
        // Measured within the run, by its own noise.
        #expect(price.measured.lost == 420 && price.lostStandardError == 15)
    }

    @Test func `few errors are not held against a model`() throws {
        let (findings, _) = try Self.findings([
            Self.run(0, perSecond: 100_000, errors: 0), Self.run(1, perSecond: 90_000, errors: 9),
        ])
        let price = try #require(findings.badTokens?.prices.first)
        #expect(price.model != nil && price.modelError == nil)
    }

    @Test func `a loss within the scatter is not held against the model's`() throws {
        let (findings, _) = try Self.findings([
            Self.run(0, perSecond: 100_000, errors: 0), Self.run(1, perSecond: 99_000, errors: 20),
        ])
        let price = try #require(findings.badTokens?.prices.first)
        #expect(!price.isLossClear && price.modelError?.lost == nil && price.modelError?.acceptedPerSecond != nil)
    }

    @Test func `where the model does not apply the reason stands in its place`() throws {
        func obstacle(_ change: (inout RunRecord, inout Profile) -> Void) throws -> String {
            let (findings, record) = try Self.findings([
                Self.run(0, perSecond: 100_000, errors: 0, change), Self.run(1, perSecond: 10_000, errors: 100, change),
            ])
            let price = try #require(findings.badTokens?.prices.first)
            #expect(price.model == nil && price.modelError == nil)
            let text = try #require(price.obstacle)
            #expect(SweepTable(record, style: .plain).text.contains("no model at \(Self.shareKey)=0.001: \(text)"))
            return text
        }
        #expect(try obstacle { _, profile in profile.protocolName = .simple }.hasPrefix("command 0"))
        #expect(try obstacle { record, _ in record.limit?.kind = .target }.hasSuffix("target"))
        #expect(try obstacle { record, _ in record.reconnects.count += 50 }.contains("150 were replaced after 100"))
        #expect(try obstacle { record, _ in record.latency["errorReply"] = nil }.contains("was timed"))
        #expect(
            try obstacle { _, profile in
                profile.load.loop = .open
                profile.load.rate = Rate(perSecond: 1_000)
            }.contains("offered at a rate"))
    }

    @Test func `over HTTP/2 a bad token has no such price`() throws {
        let change: (inout RunRecord, inout Profile) -> Void = { _, profile in profile.protocolName = .http2 }
        let (findings, record) = try Self.findings([
            Self.run(0, perSecond: 100_000, errors: 0, change), Self.run(1, perSecond: 90_000, errors: 100, change),
        ])
        #expect(findings.badTokens?.prices.isEmpty == true)
        #expect(SweepTable(record, style: .plain).text.contains("over HTTP/2 a bad token costs one request"))
        let (silent, _) = try Self.findings(
            [Self.run(0, perSecond: 1, errors: 1, change)],
            axes: [SweepGrid.Axis(key: "sender.connections", values: ["10"])])
        #expect(silent.badTokens == nil)
    }

    @Test func `a sweep without bad tokens says nothing of them`() throws {
        let (findings, _) = try Self.findings([Self.run(0, perSecond: 100_000, errors: 0)])
        #expect(findings.badTokens == nil)
    }

    @Test func `a reconnect takes what processors did beyond the notifications, whatever the share of bad tokens`()
        throws
    {
        func run(_ cell: Int, _ perSecond: Int64, errors: Int64, cpu: Int64) throws -> SweepRunRecord {
            try Self.run(cell, perSecond: perSecond, errors: errors, roundTrip: "0s") { record, profile in
                profile.sender.mode = .pipelined
                profile.sender.window = 65_536
                record.latency["reconnect"] = Self.latency(.milliseconds(1))
                record.limit?.kind = .processor
                record.resources.sender.cpuUserNs = cpu
                record.resources.sender.cpuSystemNs = 0
                record.resources.simulator?.cpuUserNs = cpu
                var connection = ConnectionRecord(index: 0)
                connection.written = 100_000
                record.connections = [connection]
            }
        }
        // 1 µs each on either side, and 100 ms for 100 reconnects: 1 ms + 1 ms, over two cores.
        let axes = [SweepGrid.Axis(key: Self.shareKey, values: ["0", "0.001", "0.00001"])]
        let (findings, _) = try Self.findings(
            [
                run(0, 1_000_000, errors: 0, cpu: 100_000_000), run(1, 300_000, errors: 100, cpu: 200_000_000),
                run(2, 990_000, errors: 1, cpu: 101_000_000),
            ], axes: axes)
        let prices = try #require(findings.badTokens?.prices)
        #expect(
            prices.map(\.bound) == [.machine, .machine]
                && prices.map(\.errorFreeBy) == [.errorFreeCell, .errorFreeCell])
        // With hardly any errors all ten connections share the machine: 100 ms of 100,000/s are in flight, and 1 ms is a thousand.
        #expect(abs(try #require(prices[1].model?.lost) - 11_000) < 200)
    }

    @Test(
        arguments: [("0s", 1_000_000, .machine), ("100ms", 2_000_000, .machine), ("100ms", 6_000_000, .connections)]
            as [(String, Int64, BadTokenModel.Bound)])
    func `nothing but a full way keeps pipelined connections back that nobody else does`(
        roundTrip: String, perSecond: Int64, bound: BadTokenModel.Bound
    ) throws {
        // 16 MiB of 150 bytes on each of ten ways are 11 million in 100 ms.
        let pipelined: (inout RunRecord, inout Profile) -> Void = { record, profile in
            profile.sender.mode = .pipelined
            profile.sender.window = 1_000_000
            record.limit?.kind = .connections
        }
        let (findings, _) = try Self.findings([
            Self.run(0, perSecond: perSecond, errors: 0, roundTrip: roundTrip, pipelined),
            Self.run(1, perSecond: 10_000, errors: 100, roundTrip: roundTrip, pipelined),
        ])
        #expect(try #require(findings.badTokens?.prices.first).bound == bound)
    }

    // MARK: - Curves

    @Test func `a curve over the share goes beyond what was measured, from the point with most errors`() throws {
        let axes = [
            SweepGrid.Axis(key: "sender.connections", values: ["10"]),
            SweepGrid.Axis(key: Self.shareKey, values: ["0", "0.0001", "0.001"]),
        ]
        let (findings, record) = try Self.findings(
            [
                Self.run(0, perSecond: 100_000, errors: 0), Self.run(1, perSecond: 78_000, errors: 10),
                Self.run(2, perSecond: Self.rate, errors: 100),
            ], axes: axes)
        let curve = try #require(findings.badTokens?.curves.first)
        #expect(findings.badTokens?.curves.count == 1 && curve.anchor == 2)
        #expect(curve.setting == "sender.connections=10")
        #expect(curve.points.map(\.value) == ["0", "0.0001", "0.001", "1e-05", "0.01"])
        #expect(curve.points.map(\.acceptedPerSecond) == [100_000, 78_000, Double(Self.rate), nil, nil])
        let rates = curve.points.compactMap(\.modelPerSecond)
        #expect(rates.count == 5 && rates[0] == 100_000)
        #expect(abs(rates[2] / Double(Self.rate) - 1) < 0.001)
        #expect(rates[3] > rates[1] && rates[1] > rates[2] && rates[2] > rates[4])
        #expect(
            SweepTable(record, style: .plain).text.contains(
                "accepted/s over \(Self.shareKey) at sender.connections=10: 0: 100 k/s"))
    }

    @Test func `a curve over the round trip starts from the shortest one`() throws {
        let axes = [SweepGrid.Axis(key: Self.roundTripKey, values: ["100ms", "200ms"])]
        let (findings, _) = try Self.findings(
            [
                Self.run(0, perSecond: Self.rate, errors: 100),
                Self.run(1, perSecond: Self.rate / 2, errors: 100, roundTrip: "200ms"),
            ], axes: axes)
        let curve = try #require(findings.badTokens?.curves.first)
        #expect(curve.anchor == 0 && curve.points.map(\.value) == ["100ms", "200ms"])
        // Everything takes twice as long.
        let rates = curve.points.compactMap(\.modelPerSecond)
        #expect(rates.count == 2 && abs(rates[0] / rates[1] - 2) < 1e-6)
    }

    @Test func `the record is read back, negative errors of the model among its figures`() throws {
        let (_, record) = try Self.findings([
            Self.run(0, perSecond: 100_000, errors: 0), Self.run(1, perSecond: 100_200, errors: 100),
        ])
        #expect(try #require(record.findings?.badTokens?.prices[0].measured.lost) < 0)
        #expect(try #require(record.findings?.badTokens?.prices[0].modelError?.acceptedPerSecond) < 0)
        let folder = try TemporaryFolder()
        try RecordFile(path: folder.path("sweep.json")).write(encoded: record.encoded())
        #expect(try SweepRecord.read(folder.path("sweep.json")) == record)
    }
}
