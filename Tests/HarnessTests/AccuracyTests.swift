import Glibc
import Histograms
import Primitives
import RunRecords
import Testing
import Workload

@testable import Harness
@testable import ProviderSessions

/// Known distributions of delays, measured: what a record says of them must be true.
@Suite struct AccuracyTests {
    /// A distribution whose quantiles are known exactly.
    enum Truth: CaseIterable {
        case constant, bimodal, logNormal, exponential

        /// The delay that a share of all does not exceed.
        func quantile(_ share: Double) -> Interval {
            switch self {
            case .constant: return .milliseconds(3)
            // One in twenty takes a hundred times as long.
            case .bimodal: return share <= 0.95 ? .microseconds(800) : .milliseconds(80)
            case .logNormal:
                return Interval(nanoseconds: Int64(2e6 * exp(1.2 * Self.normalQuantile(share))))
            case .exponential: return Interval(nanoseconds: Int64(-5e6 * log(1 - share)))
            }
        }

        /// By halving, since only the distribution itself is in the library.
        private static func normalQuantile(_ share: Double) -> Double {
            var (low, high) = (-9.0, 9.0)
            for _ in 0..<48 {
                let middle = (low + high) / 2
                if erfc(-middle / 2.0.squareRoot()) / 2 < share { low = middle } else { high = middle }
            }
            return low
        }

        /// So many delays that stand for the distribution evenly, in an order drawn from a seed.
        func delays(_ count: Int, seed: UInt64) -> [Interval] {
            var delays = (0..<count).map { quantile((Double($0) + 0.5) / Double(count)) }
            var random = SeededRandom(seed: seed)
            for index in delays.indices.dropFirst() {
                delays.swapAt(index, Int(random.below(UInt64(index + 1))))
            }
            return delays
        }
    }

    private func expect(_ record: LatencyRecord, agreesWith truth: Truth, _ name: String) throws {
        let quantiles = record.quantiles
        for (share, value) in [
            (0.5, quantiles.p50), (0.9, quantiles.p90), (0.99, quantiles.p99), (0.999, quantiles.p999),
        ] {
            let expected = truth.quantile(share).nanoseconds
            let found = try #require(value, "\(name): \(truth) \(share)")
            #expect(
                (found - expected).magnitude <= expected.magnitude / 100 + 50_000,
                "\(name): \(truth) at \(share) is \(found) and not \(expected)")
        }
    }

    /// 50,000 a second, written when they are due; of more than 65,536 a sample is timed.
    @Test(arguments: Truth.allCases, [20_000, 65_000])
    func `binary protocols: percentiles of acceptance agree with the truth within 1 % and 50 us`(
        truth: Truth, count: Int
    ) throws {
        let schedule = ArrivalSchedule.constant(Rate(perSecond: 50_000))
        let start = Instant.zero + .seconds(1)
        var cursor = ArrivalCursor()
        var (sent, accepted) = (SequenceSample(), SequenceSample())
        for (number, delay) in truth.delays(count, seed: 5).enumerated() {
            let sequence = UInt64(number)
            let due = start + schedule.time(of: sequence, &cursor)
            sent.add(sequence, at: due)
            accepted.add(sequence, at: due + delay)
        }
        let join = LatencyJoin(
            LatencyJoin.Sources(
                sent: sent, accepted: accepted, proved: SequenceSample(), rejected: [], unsent: [], schedule: schedule,
                start: start, end: start + .seconds(60), bounds: PhaseBounds()))
        for name in [Series.response, .service] {
            let timed = try #require(join.series[.measure]?[name])
            #expect(timed.histogram.count == Int64(count) && timed.censored == 0)
            try expect(LatencyRecord(timed.histogram), agreesWith: truth, name.name)
        }
    }

    /// Each value is exact but for its cell, so that a sample is off by chance alone: by 3 standard deviations of a rank at most.
    @Test func `a thinned sample keeps the percentiles that its size can carry`() throws {
        let count = 400_000
        let truth = Truth.exponential
        var (sent, accepted) = (SequenceSample(), SequenceSample())
        for (number, delay) in truth.delays(count, seed: 6).enumerated() {
            let at = Instant.zero + .microseconds(Int64(number))
            sent.add(UInt64(number), at: at)
            accepted.add(UInt64(number), at: at + delay)
        }
        let join = LatencyJoin(
            LatencyJoin.Sources(
                sent: sent, accepted: accepted, proved: SequenceSample(), rejected: [], unsent: [], schedule: nil,
                start: .zero, end: .zero + .seconds(60), bounds: PhaseBounds()))
        let histogram = try #require(join.series[.measure]?[.service]?.histogram)
        #expect(histogram.count >= 30_000 && histogram.count <= 65_536)
        for share in [0.5, 0.9, 0.99, 0.999] {
            let spread = 3 * (share * (1 - share) / Double(histogram.count)).squareRoot()
            let low = Double(truth.quantile(share - spread).nanoseconds) * 0.998
            let high = Double(truth.quantile(share + spread).nanoseconds) * 1.002
            let found = Double(try #require(histogram.value(atQuantile: share)))
            #expect((low...high).contains(found), "\(share): \(found) is not in \(low)...\(high)")
        }
    }

    @Test(arguments: Truth.allCases)
    func `the provider API: percentiles of responses agree with the truth within 1 % and 50 us`(truth: Truth) throws {
        let count = 20_000
        let schedule = ArrivalSchedule.constant(Rate(perSecond: 20_000))
        let recorder = LoopRecorder(ArrivalPlan(schedule))
        let start = Instant.zero + .seconds(1)
        recorder.begin(at: start, PhaseBounds())
        var cursor = ArrivalCursor()
        for (number, delay) in truth.delays(count, seed: 7).enumerated() {
            let due = start + schedule.time(of: UInt64(number), &cursor)
            let sample = RequestSample(sequence: UInt64(number), writtenAt: due)
            withUnsafePointer(to: sample) {
                recorder.record(UnsafeBufferPointer(start: $0, count: 1), answeredAt: due + delay)
            }
        }
        for name in [Series.response, .service] {
            let series = try #require(recorder.histograms[.measure]?[name])
            try expect(LatencyRecord(Histogram(series)), agreesWith: truth, name.name)
        }
    }

    /// The row "failed-fast responses improve percentiles" of the known mistakes.
    @Test func `that half of all fail at once changes no percentile of the others`() throws {
        let truth = Truth.logNormal
        let recorder = LoopRecorder(nil)
        recorder.begin(at: .zero, PhaseBounds())
        var (sent, accepted, rejected) = (SequenceSample(), SequenceSample(), SequenceRuns())
        for (number, delay) in truth.delays(20_000, seed: 8).enumerated() {
            let at = Instant.zero + .microseconds(Int64(number) * 20)
            for (offset, isAccepted) in [true, false].enumerated() {
                let sequence = UInt64(2 * number + offset)
                sent.add(sequence, at: at)
                if isAccepted {
                    accepted.add(sequence, at: at + delay)
                } else {
                    rejected.append(SequenceRun(start: sequence, count: 1))
                }
                let end = isAccepted ? at + delay : at + .microseconds(1)
                let sample = RequestSample(sequence: sequence, writtenAt: at, status: isAccepted ? 200 : 400)
                withUnsafePointer(to: sample) {
                    recorder.record(UnsafeBufferPointer(start: $0, count: 1), answeredAt: end)
                }
            }
        }
        let join = LatencyJoin(
            LatencyJoin.Sources(
                sent: sent, accepted: accepted, proved: SequenceSample(), rejected: rejected.runs, unsent: [],
                schedule: nil, start: .zero, end: .zero + .seconds(60), bounds: PhaseBounds()))
        #expect(join.untimedCount == 20_000)
        let binary = try #require(join.series[.measure]?[.service]?.histogram)
        let requests = try #require(recorder.histograms[.measure]?[.service])
        for histogram in [binary, Histogram(requests)] {
            #expect(histogram.count == 20_000)
            try expect(LatencyRecord(histogram), agreesWith: truth, "service")
        }
        #expect(recorder.histograms[.measure]?[.serviceRefused]?.totals.maximum == 1_000)
    }
}
