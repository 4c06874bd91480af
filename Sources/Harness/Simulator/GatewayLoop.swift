import GatewaySimulator
import Primitives
import Transport

/// The simulator's share of one event loop: its own book and pace, written without locks.
final class GatewayLoop {
    let ledger: GatewayLedger
    let registry: LinkRegistry
    private let settings: GatewaySimulator.GatewaySettings
    private let pace: GatewayPace
    private let judge: NotificationJudge

    init(
        settings: GatewaySimulator.GatewaySettings, totals: FaultTotals, firstIdentifier: UInt32, trackedCount: UInt64,
        registry: LinkRegistry
    ) {
        self.registry = registry
        self.settings = settings
        pace = GatewayPace(settings: settings, totals: totals)
        judge = NotificationJudge(settings: settings)
        ledger = GatewayLedger(firstIdentifier: firstIdentifier, trackedCount: trackedCount)
    }

    /// A handler for the next accepted connection.
    func makeLink() -> GatewayLink { GatewayLink(registry: registry) { [self] now in makeSession(now: now) } }

    private func makeSession(now: Instant) -> GatewaySession {
        pace.totals.connectionOpened(at: now)
        return GatewaySession(settings: settings, judge: judge, ledger: ledger, pace: pace, openedAt: now)
    }
}
