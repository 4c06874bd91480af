import Histograms
import Primitives
import ProviderSessions
import RunRecords

/// Why a run ended before its plan was carried out.
public enum RunAbort: Hashable, Sendable {
    /// The user asked for it.
    case interrupted
    /// The simulator process ended by itself.
    case simulatorDied
    /// The simulator did not hand its book over.
    case bookMissing
    /// No connection could be had for too long.
    case unreachable
}

/// Everything that is known when a run has ended, before it is told as a record.
struct RunOutcome: Sendable {
    var startedAt = Instant.zero
    var measureStart = Instant.zero
    var measureEnd = Instant.zero
    var end = Instant.zero
    var generated: UInt64 = 0
    var ledger = FateLedger()
    var histograms: [Series: HistogramSnapshot] = [:]
    var inFlightAtError: [UInt64] = []
    var resumed: UInt64 = 0
    var firstWrite: Instant?
    var lastWrite: Instant?
    var lastProof: Instant?
    var connections: [ConnectionRecord] = []
    var intervals: [IntervalRecord] = []
    var busiestLoop = Interval.zero
    var measuredWritten: UInt64 = 0
    var measuredBytes: UInt64 = 0
    var senderUsage = ProcessResourcesRecord()
    var simulator: SimulatorResult?
    var simulatorProgress: [SimulatorProgress] = []
    var abort: RunAbort?
    /// What the sender itself knew to be accepted, before the simulator's book was joined.
    var acceptedBySender: UInt64 = 0
    /// How many accepted notifications the two books disagree about; nil without a simulator's book.
    var difference: UInt64?

    /// Adds what a loop leaves.
    mutating func add(_ loop: SenderLoop.Result) {
        ledger.add(loop.ledger)
        for (series, snapshot) in loop.histograms {
            let sum = histograms[series].map { Histogram($0) } ?? Histogram(.runTotals)
            do {
                try sum.add(snapshot)
            } catch {
                preconditionFailure("all series of a run have one geometry")
            }
            histograms[series] = sum.snapshot()
        }
        inFlightAtError += loop.inFlightAtError
        resumed += loop.resumed
        firstWrite = [firstWrite, loop.firstWrite].compactMap { $0 }.min()
        lastWrite = [lastWrite, loop.lastWrite].compactMap { $0 }.max()
        lastProof = [lastProof, loop.lastProof].compactMap { $0 }.max()
        connections += loop.connections
        busiestLoop = max(busiestLoop, loop.processorTime)
    }
}
