import Analysis
import Harness
import Primitives
import RunRecords
import Statistics

/// Runs of two sides in turns, each as a process of its own.
struct InterleavedRuns {
    /// What each side is asked to do.
    var orders: [InterleavedOrder.Side: RunOrder]
    var pairs: Int
    var seed: UInt64
    /// Whether each pair is told on the standard error.
    var isQuiet: Bool

    /// What came of them: as many runs of each side as there are complete pairs.
    struct Outcome {
        var base: [RunRecord] = []
        var candidate: [RunRecord] = []
        var order = ""
        var isInterrupted = false
    }

    /// Carries the pairs out, until all are done, the user interrupts, or a run says that no verdict can come.
    func run(interrupts: Interrupts) async throws -> Outcome {
        let order = InterleavedOrder(pairs: pairs, seed: seed)
        let folder = try ScratchFolder()
        var outcome = Outcome()
        for pair in 0..<pairs {
            var made: [InterleavedOrder.Side: RunRecord] = [:]
            for side in order.sides[(2 * pair)...(2 * pair + 1)] {
                guard let runOrder = orders[side] else { preconditionFailure("both sides have an order") }
                made[side] = try await RunProcess(runOrder, in: folder).run(interrupts: interrupts)
                if interrupts.value > 0 {
                    outcome.isInterrupted = true
                    return outcome
                }
            }
            guard let base = made[.a], let candidate = made[.b] else { preconditionFailure("a pair has both sides") }
            outcome.base.append(base)
            outcome.candidate.append(candidate)
            outcome.order += order.sides[(2 * pair)...(2 * pair + 1)].map(\.rawValue).joined()
            if !isQuiet { Terminal.note(line(pair, base, candidate)) }
            let isHopeless = [base, candidate].contains {
                [.unreachable, .internalError, .running].contains($0.verdict.status)
            }
            if isHopeless { break }
        }
        return outcome
    }

    private func line(_ pair: Int, _ base: RunRecord, _ candidate: RunRecord) -> String {
        func figure(_ record: RunRecord) -> String {
            record.throughput.acceptedPerSecond.map { MetricUnit.rate.text($0) } ?? record.verdict.status.rawValue
        }
        return "pair \(pair + 1) of \(pairs): accepted/s A \(figure(base)), B \(figure(candidate))"
    }
}
