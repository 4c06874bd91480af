import GatewaySimulator
import Primitives
import RunRecords
import Workload

extension GatewayLoop {
    /// What a loop knows at the end of a run.
    struct Share: Sendable {
        var counts: GatewayCounts
        var accepted: [Range<UInt64>]?
        var refused: [UInt32]
        var unlistedRefusals: UInt64
        var handshakes: HandshakesRecord
        var traces: [ConnectionTrace]
        var storage: NotificationStore.Snapshot?
        var acceptanceTimes: SequenceSample?
        var acceptedAt: InstantSum
    }

    /// Everything at present.
    var share: Share {
        Share(
            counts: ledger.counts, accepted: ledger.acceptedStretches(), refused: ledger.refused,
            unlistedRefusals: ledger.unlistedRefusals, handshakes: traces.handshakes, traces: traces.traces,
            storage: ledger.store?.snapshot, acceptanceTimes: ledger.acceptanceTimes,
            acceptedAt: ledger.acceptanceInstants)
    }
}
