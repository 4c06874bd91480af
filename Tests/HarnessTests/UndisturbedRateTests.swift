import Primitives
import RunRecords
import Testing

@testable import Harness

/// C36: the rate without the time in which something went wrong.
@Suite struct UndisturbedRateTests {
    /// One interval a second from the start at 5 s on; `rejected` has the error replies of each.
    private static func outcome(rejected: [Int64], accepted: Int64? = 1_000) -> RunOutcome {
        var outcome = RunOutcome()
        outcome.startedAt = .zero + .seconds(5)
        outcome.measureStart = outcome.startedAt
        outcome.intervals = rejected.enumerated().map { index, rejected in
            var interval = IntervalRecord()
            interval.startNs = Int64(index) * 1_000_000_000
            interval.lengthNs = 1_000_000_000
            interval.rejected = rejected
            interval.accepted = accepted.map { rejected > 0 ? $0 / 4 : $0 }
            return interval
        }
        outcome.simulator = SimulatorResult()
        outcome.simulator?.lastAcceptedNs = 5_000_000_000 + Int64(rejected.count) * 1_000_000_000
        return outcome
    }

    @Test func `seconds with errors, reconnects or second writes are left out`() {
        #expect(Self.outcome(rejected: [0, 7, 0, 0]).undisturbedRate == 1_000)
        var outcome = Self.outcome(rejected: [0, 7, 0, 0])
        outcome.intervals[2].reconnects = 1
        outcome.intervals[2].accepted = 10
        outcome.intervals[3].resent = 1
        outcome.intervals[3].accepted = 10
        #expect(outcome.undisturbedRate == 1_000)
    }

    @Test func `without any, with nothing else, or without the simulator's counts there is no such rate`() {
        #expect(Self.outcome(rejected: [0, 0, 0]).undisturbedRate == nil)
        #expect(Self.outcome(rejected: [1, 2, 3]).undisturbedRate == nil)
        #expect(Self.outcome(rejected: [0, 1], accepted: nil).undisturbedRate == nil)
        var outcome = Self.outcome(rejected: [0, 1])
        outcome.simulator = nil
        #expect(outcome.undisturbedRate == nil)
    }

    @Test func `the warm-up and what follows the last acceptance do not count`() {
        var outcome = Self.outcome(rejected: [0, 1, 0, 0])
        outcome.measureStart = outcome.startedAt + .seconds(1)
        outcome.simulator?.lastAcceptedNs = 8_500_000_000
        outcome.intervals[3].accepted = 0
        #expect(outcome.undisturbedRate == 1_000)
        outcome.simulator?.lastAcceptedNs = 7_500_000_000
        #expect(outcome.undisturbedRate == nil, "no whole quiet second is left")
    }
}
