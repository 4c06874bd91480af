import Analysis
import Primitives
import RunRecords

/// What reconnects cost, for the terminal: the parts one under another, and what they mean for the run.
struct ReconnectTable {
    private let record: RunRecord

    /// The parts in the order in which they follow one another, then what they amount to.
    static let parts: [(series: String, name: String)] = [
        ("reconnectDetect", "end seen"), ("reconnectWait", "wait"), ("reconnectTCP", "TCP"),
        ("reconnectTLSFull", "TLS, full"), ("reconnectTLSResumed", "TLS, resumed"), ("reconnectWrite", "first write"),
        ("reconnect", "reconnect"), ("firstAcceptance", "first acceptance"),
    ]

    init(_ record: RunRecord) { self.record = record }

    /// Nothing when no connection was replaced.
    func lines(_ style: TerminalStyle) -> [String] {
        guard record.reconnects.count > 0 else { return [] }
        return costs.lines(style) + facts.flatMap { $0.lines(style) }
    }

    /// The parts of a reconnect, each with its latencies.
    var costs: TextTable {
        var table = TextTable([.left] + Array(repeating: .right, count: 5))
        table.add(["reconnect cost", "count", "p50", "p90", "p99", "max"])
        for part in Self.parts {
            guard let series = record.latency[part.series], series.count > 0 else { continue }
            let quantiles = series.quantiles
            table.add(
                [part.name, FigureText.count(series.count)]
                    + [quantiles.p50, quantiles.p90, quantiles.p99, series.maxNs].map(FigureText.time))
        }
        return table
    }

    /// What reconnects mean for the run.
    var facts: [LabelledText] {
        let reconnects = record.reconnects
        return [
            LabelledText(label: "each", items: each), LabelledText(label: "model", items: model),
            LabelledText(
                label: "handshakes", items: side("sender", reconnects.senderHandshakes, record.resources.sender)),
            LabelledText(
                label: "", items: side("simulator", reconnects.simulatorHandshakes, record.resources.simulator)),
        ].filter { !$0.items.isEmpty }
    }

    private var each: [String] {
        var items = ["\(Self.number(record.reconnects.resentPerReconnect)) notifications resent"]
        if let others = record.reconnects.others {
            items.append(
                "the others at \(Self.percent(others.medianShare)) of their share, "
                    + "\(Self.percent(others.minShare)) at least")
        }
        guard let lost = record.reconnects.throughputLost else {
            return items + ["throughput lost not known (no quiet time)"]
        }
        let isClear = lost.notifications >= 2 * lost.standardError
        items.append(
            "\(Self.number(lost.perReconnect.map { max(0, $0) })) of throughput lost"
                + (isClear ? "" : " (no more than noise)"))
        if lost.episodes < lost.reconnects {
            items.append("\(FigureText.count(lost.reconnects)) in \(FigureText.count(lost.episodes)) episodes")
        }
        return items
    }

    /// What the closed model of bad tokens says, where it applies, with its error.
    private var model: [String] {
        guard let price = BadTokenPrice(record), let model = price.model, let error = price.modelError,
            let basis = price.errorFreeBy
        else { return [] }
        func text(_ value: Double?, _ error: Double?) -> String {
            Self.number(value) + (error.map { " (\($0 < 0 ? "" : "+")\(Self.percent($0)))" } ?? "")
        }
        return [
            "\(text(model.resent, error.resent)) resent", "\(text(model.lost, error.lost)) lost",
            "\(text(model.acceptedPerSecond, error.acceptedPerSecond)) accepted/s", "from \(basis.text)",
        ]
    }

    /// A side's handshakes: how many a second, what one takes, and what all of them take of its processor time.
    private func side(_ name: String, _ handshakes: HandshakesRecord?, _ use: ProcessResourcesRecord?) -> [String] {
        guard let handshakes, handshakes.count > 0, let use, record.durationNs > 0 else { return [] }
        let rate = Double(handshakes.count) * 1e9 / Double(record.durationNs)
        var items = ["\(name) \(FigureText.rate(rate))"]
        for (kind, cost) in [("full", handshakes.full), ("resumed", handshakes.resumed)] where cost.count > 0 {
            items.append("\(FigureText.count(cost.count)) \(kind) at \(FigureText.value(cost.meanNs, .time)) cpu")
        }
        if use.cpuNs > 0 { items.append("\(100 * handshakes.cpuNs / use.cpuNs) % of its cpu") }
        return items
    }

    private static func percent(_ share: Double) -> String { "\(decimalText(100 * share, places: 0)) %" }

    private static func number(_ value: Double?) -> String {
        guard let value else { return FigureText.missing }
        return value < 10 ? decimalText(value, places: 1) : FigureText.value(value, .count)
    }
}
