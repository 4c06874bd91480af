import GatewaySimulator
import Primitives
import RunRecords
import Transport

/// The simulator's share of one event loop: its own book and pace, written without locks.
final class GatewayLoop {
    let ledger: GatewayLedger
    let traces = ConnectionTraces()
    private let settings: GatewaySimulator.GatewaySettings
    private let triggers: FaultTriggers
    private let pace: GatewayPace
    private var judge: NotificationJudge?

    init(
        settings: GatewaySimulator.GatewaySettings, triggers: FaultTriggers, firstIdentifier: UInt32,
        trackedCount: UInt64, feedbackLimit: Int, store: NotificationStore?
    ) {
        self.settings = settings
        self.triggers = triggers
        pace = GatewayPace(settings: settings, triggers: triggers)
        ledger = GatewayLedger(
            firstIdentifier: firstIdentifier, trackedCount: trackedCount, feedbackLimit: feedbackLimit, store: store)
    }

    /// A handler for the next accepted connection.
    func makeLink() -> GatewayLink { GatewayLink(traces: traces) { [self] now in makeSession(now: now) } }

    private func makeSession(now: Instant) -> GatewaySession {
        let start = triggers.connectionOpened(at: now)
        let judge = judge ?? NotificationJudge(settings: settings, start: start)
        self.judge = judge
        return GatewaySession(settings: settings, judge: judge, ledger: ledger, pace: pace)
    }

    /// What a loop knows at the end of a run.
    struct Share: Sendable {
        var counts: GatewayCounts
        var accepted: [Range<UInt64>]?
        var refused: [UInt32]
        var unlistedRefusals: UInt64
        var handshakes: HandshakesRecord
        var traces: [ConnectionTrace]
        var storage: NotificationStore.Snapshot?
    }

    /// Everything at present.
    var share: Share {
        Share(
            counts: ledger.counts, accepted: ledger.acceptedStretches(), refused: ledger.refused,
            unlistedRefusals: ledger.unlistedRefusals, handshakes: traces.handshakes, traces: traces.traces,
            storage: ledger.store?.snapshot)
    }
}
