import Foundation
import RunRecords

/// The figures of a record by the names that a page gives them, out of the record's JSON and not by the code that writes pages.
struct RecordFigures {
    private let record: RunRecord

    init(_ record: RunRecord) { self.record = record }

    /// The figures that a page must have.
    var names: [String] {
        let ledger = [
            "generated", "accepted", "rejected", "lost", "unknown", "unsent", "resent", "duplicates", "accepted/s",
        ]
        let series = record.latency.filter { $0.value.count > 0 }.flatMap { name, series in
            ["count", "min", "p50", "max"].map { "\(name).\($0)" }
                + (series.quantiles.p99 == nil ? [] : ["\(name).p99"])
        }
        let slots = record.connections.flatMap { slot in
            ["accepted", "written", "bytes"].map { "connections.\(slot.index).\($0)" }
        }
        let intervals = record.intervals.indices.flatMap { index in
            ["written", "rejected", "reconnects"].map { "intervals.\(index).\($0)" }
        }
        return ledger + series + slots + intervals + record.errors.filter { $0.count > 0 }.map { "errors.\($0.name)" }
            + record.thresholds.filter { $0.value != nil }.map(\.text)
    }

    /// A figure's exact value; nil if the record has no such figure.
    func value(_ name: String) -> String? {
        if let outcome = record.thresholds.first(where: { $0.text == name }) { return outcome.value.map(text) }
        if let count = counts[name] { return "\(count)" }
        let parts = name.split(separator: ".").map(String.init)
        switch parts.first {
        case "accepted/s": return record.throughput.acceptedPerSecond.map(text)
        case "intervals": return Int(parts[1]).flatMap { interval(record.intervals[$0], parts[2]) }
        case "connections":
            return Int(parts[1]).flatMap { index in
                record.connections.first { $0.index == index }.flatMap { slot($0, parts[2]) }
            }
        case "errors": return record.errors.first { "errors.\($0.name)" == name }.map { "\($0.count)" }
        default: return latency(name)
        }
    }

    private var counts: [String: Int64] {
        let ledger = record.ledger
        var counts = [
            "generated": ledger.generated, "accepted": ledger.accepted, "rejected": ledger.rejected,
            "lost": ledger.lost,
            "unknown": ledger.unknown, "unsent": ledger.unsent, "resent": ledger.resent,
            "duplicates": ledger.duplicates,
            "proof.errorReply": ledger.proof.errorReply, "proof.shutdown": ledger.proof.shutdown,
            "proof.sentinel": ledger.proof.sentinel,
            "proof.response": ledger.proof.response, "proof.simulator": ledger.proof.simulator,
            "reconnects": record.reconnects.count, "reconnect.resumed": record.reconnects.resumed,
        ]
        counts["reconnect.full"] = record.reconnects.full
        counts["inFlightAtError.p50"] = record.reconnects.inFlightAtError.p50
        counts["inFlightAtError.max"] = record.reconnects.inFlightAtError.max
        counts["ledgerDifference"] = record.ledgerDifference
        counts["simulatorLedger.accepted"] = record.simulatorLedger?.accepted
        counts["simulatorLedger.rejected"] = record.simulatorLedger?.rejected
        counts["simulatorLedger.duplicates"] = record.simulatorLedger?.duplicates
        return counts
    }

    private func interval(_ interval: IntervalRecord, _ part: String) -> String? {
        switch part {
        case "lengthNs": "\(interval.lengthNs)"
        case "acceptedPerSecond": interval.accepted.map { text(Double($0) * 1e9 / Double(interval.lengthNs)) }
        case "accepted": interval.accepted.map { "\($0)" }
        case "written": "\(interval.written)"
        case "rejected": "\(interval.rejected)"
        case "resent": "\(interval.resent)"
        case "reconnects": "\(interval.reconnects)"
        case "residenceP50Ns": interval.residenceP50Ns.map { "\($0)" }
        case "residenceP99Ns": interval.residenceP99Ns.map { "\($0)" }
        default: nil
        }
    }

    private func slot(_ slot: ConnectionRecord, _ part: String) -> String? {
        switch part {
        case "openings": "\(slot.openings)"
        case "written": "\(slot.written)"
        case "accepted": "\(slot.accepted)"
        case "rejected": "\(slot.rejected)"
        case "resent": "\(slot.resent)"
        case "bytes": "\(slot.bytes)"
        default: nil
        }
    }

    private func latency(_ name: String) -> String? {
        let phase = name.split(separator: "/", maxSplits: 1)
        let own = record.latency.first { name.hasPrefix($0.key + ".") }
        let ofPhase =
            phase.count == 2
            ? record.phases?.first { $0.name == phase[0] }?.latency.first { phase[1].hasPrefix($0.key + ".") } : nil
        guard let (key, series) = own ?? ofPhase else { return nil }
        let part = (own == nil ? phase[1] : name[...]).dropFirst(key.count + 1)
        let value: Int64? =
            switch part {
            case "count": series.count
            case "min": series.minNs
            case "max": series.maxNs
            case "p50": series.quantiles.p50
            case "p90": series.quantiles.p90
            case "p99": series.quantiles.p99
            case "p99.9": series.quantiles.p999
            default: nil
            }
        return value.map { "\($0)" }
    }

    private func text(_ number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }
}
