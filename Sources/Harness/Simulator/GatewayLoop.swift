import GatewaySimulator
import Primitives
import Transport

/// The simulator's share of one event loop: its own book and pace, written without locks.
final class GatewayLoop {
    let ledger: GatewayLedger
    private let settings: GatewaySimulator.GatewaySettings
    private let triggers: FaultTriggers
    private let pace: GatewayPace
    private var judge: NotificationJudge?

    init(
        settings: GatewaySimulator.GatewaySettings, triggers: FaultTriggers, firstIdentifier: UInt32,
        trackedCount: UInt64, feedbackLimit: Int, store: NotificationStore?, journal: NotificationJournal?
    ) {
        self.settings = settings
        self.triggers = triggers
        pace = GatewayPace(settings: settings, triggers: triggers)
        ledger = GatewayLedger(
            firstIdentifier: firstIdentifier, trackedCount: trackedCount, feedbackLimit: feedbackLimit, store: store,
            journal: journal)
    }

    /// A handler for the next accepted connection.
    func makeLink() -> GatewayLink { GatewayLink { [self] now in makeSession(now: now) } }

    private func makeSession(now: Instant) -> GatewaySession {
        let start = triggers.connectionOpened(at: now)
        let judge = judge ?? NotificationJudge(settings: settings, start: start)
        self.judge = judge
        return GatewaySession(settings: settings, judge: judge, ledger: ledger, pace: pace)
    }
}
