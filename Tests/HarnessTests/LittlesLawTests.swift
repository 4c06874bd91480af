import Histograms
import Primitives
import RunRecords
import Testing
import Workload

@testable import Harness
@testable import ProviderSessions

/// Little's law: that it holds for sound runs of either interface, that it breaks with either side, and where it does not apply.
@Suite struct LittlesLawTests {
    private let begin = Instant.zero + .seconds(100)

    private func at(_ milliseconds: Int64) -> Instant { begin + .milliseconds(milliseconds) }

    /// So many notifications, one a millisecond, each accepted some milliseconds after its write.
    private func notifications(_ count: UInt64 = 4_000, service: (UInt64) -> Int64) -> RunOutcome {
        var outcome = RunOutcome()
        (outcome.startedAt, outcome.end) = (begin, at(10_000))
        outcome.bounds = PhaseBounds(measureStart: begin)
        var (accepted, sum, last) = (SequenceSample(), InstantSum(), Int64(0))
        for number in 0..<count {
            let milliseconds = Int64(number) + service(number)
            outcome.sender.sent.add(number, at: at(Int64(number)))
            outcome.sender.firstWrites.add(1, at: at(Int64(number)))
            accepted.add(number, at: at(milliseconds))
            sum.add(1, at: at(milliseconds))
            last = max(last, milliseconds)
        }
        var simulator = SimulatorResult()
        simulator.ledger.accepted = Int64(count)
        simulator.acceptanceTimes = AcceptanceTimes(accepted)
        simulator.acceptedAt = AcceptanceInstants(sum)
        simulator.lastAcceptedNs = at(last).nanoseconds
        outcome.simulator = simulator
        return outcome
    }

    private func join(_ outcome: RunOutcome) -> LatencyJoin {
        LatencyJoin(
            LatencyJoin.Sources(
                sent: outcome.sender.sent, accepted: outcome.simulator?.acceptanceTimes?.sample,
                proved: SequenceSample(), rejected: [], unsent: [], schedule: nil, start: begin, end: outcome.end,
                bounds: outcome.bounds))
    }

    private func law(_ outcome: RunOutcome) throws -> LittlesLawRecord {
        guard case .found(let law) = LittlesLaw.find(outcome, join(outcome), isTimed: true) else {
            throw Missing(finding: LittlesLaw.find(outcome, join(outcome), isTimed: true))
        }
        return law
    }

    private struct Missing: Error { var finding: LittlesLaw.Finding }

    private func reason(_ outcome: RunOutcome, _ join: LatencyJoin?, isTimed: Bool = true) -> String? {
        guard case .missing(let reason) = LittlesLaw.find(outcome, join, isTimed: isTimed) else { return nil }
        return reason
    }

    private func broken(_ outcome: RunOutcome) throws -> [String] {
        var record = RunRecord()
        record.littlesLaw = try law(outcome)
        return RunInvariants(record, outcome, join: nil, isTimed: false).broken.filter { $0.hasPrefix("Little") }
    }

    @Test(arguments: [1, 50, 400] as [Int64])
    func `of notifications both sides are the same, whatever the service time`(service: Int64) throws {
        let outcome = notifications { _ in service }
        let law = try law(outcome)
        let expected = 4_000 * Double(service) / Double(3_999 + service)
        #expect((law.inFlight - expected).magnitude < 1e-6 && (law.expectedInFlight - expected).magnitude < 1e-6)
        #expect(law.latencyMeanNs == service * 1_000_000 && law.tolerance == 0.01)
        #expect(try broken(outcome) == [])
    }

    @Test func `a notification that nobody timed in a large run is in flight all the same`() throws {
        // Sampled: one of four, and the slow ones are among the others, too.
        let outcome = notifications(200_000) { $0 % 10 == 0 ? 100 : 1 }
        let law = try law(outcome)
        #expect(join(outcome).shift >= 2 && law.holds && law.tolerance < 0.1, "\(law)")
    }

    @Test func `latencies that are wrong break it, and so do wrong counts of what was in flight`() throws {
        var wrong = notifications { _ in 400 }
        var late = SequenceSample()
        for entry in wrong.sender.sent.entries { late.add(entry.sequence, at: entry.at + .milliseconds(390)) }
        wrong.simulator?.acceptanceTimes = AcceptanceTimes(late)
        #expect(try broken(wrong).count == 1)
        var short = notifications { _ in 400 }
        short.sender.firstWrites = InstantSum()
        short.sender.firstWrites.add(4_000, at: at(1_990))
        #expect(try broken(short).count == 1)
    }

    @Test func `where it does not apply a reason says so`() {
        var outcome = notifications { _ in 50 }
        #expect(reason(outcome, join(outcome), isTimed: false) == "the profile has latencies not measured")
        #expect(reason(outcome, nil) == "without identifiers no notification can be told from another")
        outcome.sender.firstWrites.add(1, at: at(5))
        #expect(reason(outcome, join(outcome))?.hasPrefix("not everything that was written was accepted") == true)
        outcome.simulator?.ledger.duplicates = 1
        #expect(reason(outcome, join(outcome))?.contains("accepted twice") == true)
        outcome.simulator = nil
        #expect(reason(outcome, join(outcome))?.contains("success is silent") == true)
    }

    @Test func `a refused notification leaves with its error reply`() throws {
        var outcome = notifications { _ in 50 }
        let replies = Histogram()
        for number in 0..<Int64(20) {
            outcome.sender.firstWrites.add(1, at: at(number))
            outcome.sender.refusedAt.add(1, at: at(number + 3_000))
            replies.record(3_000_000_000)
        }
        outcome.sender.histograms[.measure] = [.errorReply: replies.snapshot()]
        #expect(try broken(outcome) == [])
        outcome.sender.refusedAt.add(30, at: at(60))
        outcome.sender.firstWrites.add(30, at: at(30))
        #expect(reason(outcome, join(outcome))?.hasPrefix("more than 1 in 100 were refused") == true)
    }

    // MARK: - Requests

    /// Ten requests of 10 ms and one that was given up after 100 ms, as a session counts them, and as a recorder times them.
    private func requests(timed: [Int64]) -> RunOutcome {
        var outcome = RunOutcome()
        (outcome.startedAt, outcome.end) = (begin, at(100))
        var flight = FlightClock()
        flight.advance(to: at(0), inFlight: 0)
        flight.advance(to: at(10), inFlight: 11)
        flight.advance(to: at(100), inFlight: 1)
        outcome.sender.flight = flight
        let services = Histogram()
        for value in timed { services.record(value * 1_000_000) }
        outcome.sender.histograms[.measure] = [.service: services.snapshot()]
        return outcome
    }

    private func requestJoin(_ outcome: RunOutcome) -> LatencyJoin {
        LatencyJoin(
            LatencyJoin.Sources(
                sent: SequenceSample(), accepted: SequenceSample(), proved: SequenceSample(), rejected: [], unsent: [],
                schedule: nil, start: begin, end: outcome.end, bounds: outcome.bounds), isSampled: false)
    }

    @Test func `of requests those count that nobody answered, and no more can be in flight than were`() throws {
        let outcome = requests(timed: Self.tens + [100])
        guard case .found(let law) = LittlesLaw.find(outcome, requestJoin(outcome), isTimed: true) else {
            Issue.record("no law")
            return
        }
        #expect(law.inFlight == 2 && law.expectedInFlight == 2 && law.holds && law.tolerance == 0.001)
        #expect(law.perSecond == 110 && law.latencyMeanNs == 18_181_818)
    }

    private static let tens: [Int64] = Array(repeating: 10, count: 10)

    @Test(arguments: [tens, tens.dropLast() + [100], tens + [10, 100], tens + [99]] as [[Int64]])
    func `a request that is timed twice, not at all or wrongly breaks it`(timed: [Int64]) {
        let outcome = requests(timed: timed)
        guard case .found(let law) = LittlesLaw.find(outcome, requestJoin(outcome), isTimed: true) else {
            Issue.record("no law")
            return
        }
        #expect(!law.holds, "\(law)")
        var record = RunRecord()
        record.littlesLaw = law
        record.brokenInvariants = RunInvariants(record, outcome, join: nil, isTimed: false).broken
        record.conclude(thresholds: [])
        #expect(record.verdict.status == .internalError && record.verdict.exitCode == 1)
    }

    @Test func `no request is no law`() {
        var outcome = requests(timed: [10])
        #expect(reason(outcome, requestJoin(outcome)) == "1 are too few for a rate: 10 are needed")
        outcome.sender.histograms = [:]
        outcome.sender.flight = FlightClock()
        #expect(reason(outcome, requestJoin(outcome)) == "no request was in flight")
    }
}
