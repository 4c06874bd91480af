import GatewaySimulator
import Primitives
import Transport

/// The simulator's share of one event loop: its own book and pace, written without locks.
final class GatewayLoop {
    let ledger: GatewayLedger
    private let settings: GatewaySimulator.GatewaySettings
    private let judge: NotificationJudge
    private let pace: GatewayPace

    init(
        settings: GatewaySimulator.GatewaySettings, start: Instant, firstIdentifier: UInt32, trackedCount: UInt64
    ) {
        self.settings = settings
        judge = NotificationJudge(settings: settings, start: start)
        pace = GatewayPace(settings: settings)
        ledger = GatewayLedger(firstIdentifier: firstIdentifier, trackedCount: trackedCount)
    }

    /// A handler for the next accepted connection.
    func makeLink() -> GatewayLink {
        GatewayLink { [settings, judge, ledger, pace] in
            GatewaySession(settings: settings, judge: judge, ledger: ledger, pace: pace)
        }
    }
}
