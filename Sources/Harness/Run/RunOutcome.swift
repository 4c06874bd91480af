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
    /// The target let all requests come to nothing for too long.
    case unanswered
    /// The run never had a connection.
    case neverConnected
    /// One side will not have the other's certificate.
    case certificateRefused
    /// The target does not speak the run's protocol.
    case protocolRefused
}

/// Everything that is known when a run has ended, before it is told as a record.
struct RunOutcome: Sendable {
    var startedAt = Instant.zero
    var measureStart = Instant.zero
    var measureEnd = Instant.zero
    var end = Instant.zero
    var generated: UInt64 = 0
    /// How many of the notifications had been handed out when the time of the offer was over; nil if something else ended it.
    var claimedInTime: UInt64?
    /// When the phases begin.
    var bounds = PhaseBounds()
    /// Planned notifications that were never written, and when each was given up.
    var neverSent: [UnsentRun] = []
    /// An open loop's schedule; nil in a closed loop.
    var arrivals: ArrivalPlan?
    /// What became of an open loop's schedule; nil in a closed loop.
    var tally: ArrivalTally?
    /// What all loops of the sender leave.
    var sender = SenderLoop.Result()
    var intervals: [IntervalRecord] = []
    /// The machine's own limits; nil if they are not known.
    var calibration: CalibrationRecord?
    var senderUsage = ProcessResourcesRecord()
    var simulator: SimulatorResult?
    /// What the feedback service told at the end; nil when it was not asked.
    var feedback: FeedbackReading?
    var simulatorProgress: [SimulatorProgress] = []
    var abort: RunAbort?
    /// Why the target cannot even be tried, such as a name without an address.
    var unresolved: String?
    /// What the sender itself knew to be accepted, before the simulator's book was joined.
    var acceptedBySender: UInt64 = 0
    /// What error replies themselves had named.
    var rejectedBySender: UInt64 = 0
    /// How many accepted notifications the two books disagree about; nil without a simulator's book.
    var difference: UInt64?

    /// What the simulator accepted over all, each notification once; nil without its book.
    var acceptedInAll: Int64? { simulator.map { $0.ledger.accepted + $0.ledger.acceptedWithoutIdentifier } }

    /// Has the intervals add up to what is known at the end: by the simulator's book, or else by the answers, if those tell.
    ///
    /// Where neither does, nobody knows what was accepted when, and what a simulator reported while it lived is no proof of it.
    mutating func completeIntervals(countsAnswers: Bool) {
        let accepted = acceptedInAll ?? (countsAnswers ? Int64(acceptedBySender) : nil)
        intervals.complete(accepted: accepted, rejected: Int64(sender.ledger.count(of: .rejected)))
        guard accepted == nil else { return }
        for index in intervals.indices { intervals[index].accepted = nil }
    }
}

extension Profile {
    /// Whether the answers of a target that is not our simulator tell what was accepted, and when.
    var isAnsweredByOthers: Bool {
        if case .simulator = target { return false }
        return protocolName == .http2
    }
}
