import Primitives
import RunRecords

/// What a run was made with, and what it was asked for.
extension RunPage {
    var machine: HTMLPage.Section {
        HTMLPage.Section("machine", "Machine", [Self.machine(record.machine, record.tool), calibration])
    }

    /// A machine and the program on it.
    static func machine(_ machine: MachineRecord, _ tool: ToolRecord) -> Markup {
        let libraries = tool.libraries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return facts(
            [
                LabelledText(label: "processor", items: [machine.cpuModel, "\(machine.cores) cores for this process"]),
                LabelledText(label: "memory", items: [FigureText.size(machine.memoryBytes)]),
                LabelledText(label: "system", items: [machine.os, machine.kernel]),
                LabelledText(label: "program", items: ["\(tool.name) \(tool.version)", tool.build] + libraries),
            ].map { fact in
                var fact = fact
                fact.items = fact.items.filter { !$0.isEmpty }
                return fact
            })
    }

    private var calibration: Markup {
        guard let limits = record.calibration else {
            return .joined([
                .element("h3", text: "This machine's own limits"),
                .paragraph(
                    "No samples: the machine was not calibrated. `pushbench calibrate` measures it for the runs to come."
                ),
            ])
        }
        var table = HTMLTable(
            "What this machine can do without any protocol, measured at \(limits.measuredAt)",
            [.text("limit"), .number("value")])
        let perSecond = { (value: Int64?) in value.map(Double.init) }
        table.add(
            .text("raw TLS, \(limits.pipeConnections) connections"),
            [
                .figure(
                    "calibration.pipeBytesPerSecond", "\(limits.pipeBytesPerSecond)",
                    FigureText.bytesPerSecond(Double(limits.pipeBytesPerSecond)))
            ])
        table.add(
            .text("full handshakes"),
            [.rate("calibration.fullHandshakesPerSecond", perSecond(limits.fullHandshakesPerSecond))])
        table.add(
            .text("resumed handshakes"),
            [.rate("calibration.resumedHandshakesPerSecond", perSecond(limits.resumedHandshakesPerSecond))])
        table.add(
            .text("simulator's processor time for a notification accepted unseen"),
            [
                .figure(
                    "calibration.acceptAllNs", limits.acceptAllNs.flatMap(numberText),
                    FigureText.value(limits.acceptAllNs, .time))
            ])
        table.add(
            .text("the same for a request of HTTP/2"),
            [
                .figure(
                    "calibration.acceptAllHTTP2Ns", limits.acceptAllHTTP2Ns.flatMap(numberText),
                    FigureText.value(limits.acceptAllHTTP2Ns, .time))
            ])
        table.add(.text("reading the clock"), [.time("calibration.clockReadNs", limits.clockReadNs)])
        table.add(.text("lateness of a timer, median"), [.time("calibration.timerLagP50Ns", limits.timerLagP50Ns)])
        table.add(.text("lateness of a timer, p99"), [.time("calibration.timerLagP99Ns", limits.timerLagP99Ns)])
        return .joined([.element("h3", text: "This machine's own limits"), table.markup])
    }

    var configuration: HTMLPage.Section { Self.configuration(record) }

    /// All settings of a run, defaults among them.
    static func configuration(_ record: RunRecord) -> HTMLPage.Section {
        HTMLPage.Section(
            "configuration", "Configuration",
            [
                .paragraph("All settings, defaults among them; profile hash \(record.profileHash)."),
                .folded(
                    "The resolved profile",
                    [
                        .element(
                            "pre", ["tabindex": "0", "aria-label": "The resolved profile as JSON"],
                            [.element("code", text: record.profile.indentedText())])
                    ]),
            ])
    }
}

extension JSONValue {
    /// The value as text with sorted keys, a line for each member.
    fileprivate func indentedText(depth: Int = 0) -> String {
        let margin = String(repeating: "  ", count: depth)
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map { name, value in
                "\(margin)  \(JSONValue.string(name).canonicalText): \(value.indentedText(depth: depth + 1))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
        case .array(let values) where values.contains { $0.isObject }:
            let lines = values.map { "\(margin)  \($0.indentedText(depth: depth + 1))" }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
        default: return canonicalText
        }
    }

    private var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }
}
