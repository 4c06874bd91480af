import GatewaySimulator
import ProviderSessions
import PushWire
import RunRecords
import Workload

/// Joins the sender's book with the simulator's, notification by notification.
struct LedgerJoin {
    private let accepted: [Range<UInt64>]
    private let refused: [Range<UInt64>]

    /// Makes the join from what the simulator listed: alternating starts and ends of accepted and of refused stretches.
    init(accepted: [UInt64], refused: [UInt64]) {
        self.accepted = Self.stretches(accepted)
        self.refused = Self.stretches(refused)
    }

    private static func stretches(_ bounds: [UInt64]) -> [Range<UInt64>] {
        stride(from: 0, to: bounds.count - 1, by: 2).map { bounds[$0]..<bounds[$0 + 1] }
    }

    /// What the simulator's book says became of the notification at `sequence`: what it neither accepted nor refused is lost.
    func fate(of sequence: UInt64) -> Fate {
        if Self.holds(accepted, sequence) { return .accepted }
        return Self.holds(refused, sequence) ? .rejected : .lost
    }

    /// How many of the sender's rejected notifications the simulator never refused.
    func unfoundRejections(in runs: RunBook) -> UInt64 {
        let (ours, _) = mergeStretches(runs.runs.map { $0.start..<$0.end })
        let (_, common) = mergeStretches(ours + refused)
        return runs.count - common
    }

    private static func holds(_ stretches: [Range<UInt64>], _ sequence: UInt64) -> Bool {
        var low = 0
        var high = stretches.count
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].upperBound <= sequence { low = middle + 1 } else { high = middle }
        }
        return low < stretches.count && stretches[low].contains(sequence)
    }

    /// How many notifications only one of the two books calls accepted.
    func difference(from runs: RunBook) -> UInt64 {
        let ours = runs.runs.map { $0.start..<$0.end }
        let (ourUnion, ourOverlap) = mergeStretches(ours)
        let (_, common) = mergeStretches(ourUnion + accepted)
        let ourCount = ourUnion.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        let theirCount = accepted.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        return ourCount + theirCount - 2 * common + ourOverlap
    }

    /// The digest of the accepted (identifier, token) pairs as the sender has it, to be compared with the simulator's.
    static func digest(of runs: RunBook, source: NotificationSource, identifiers: IdentifierSpace) -> UInt64 {
        var digest: UInt64 = 0
        withUnsafeTemporaryAllocation(byteCount: max(64, source.maxTokenBytes), alignment: 8) { token in
            guard let base = token.baseAddress else { return }
            for run in runs.runs {
                var cursor = source.cursor(at: run.start)
                for sequence in run.start..<run.end {
                    let count = source.writeToken(at: &cursor, into: base)
                    digest &+= GatewayLedger.digestTerm(
                        identifier: identifiers.identifier(of: sequence),
                        token: UnsafeRawBufferPointer(start: base, count: count))
                }
            }
        }
        return digest
    }
}
