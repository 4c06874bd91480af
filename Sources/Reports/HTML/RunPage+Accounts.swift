import Primitives
import RunRecords

/// What became of the notifications, and what it took.
extension RunPage {
    // MARK: - Ledger

    var ledger: HTMLPage.Section {
        let ledger = record.ledger
        let book = record.simulatorLedger
        // Without a second book there is no column for it.
        let byBook: [HTMLTable.Column] = book == nil ? [] : [.number("by the simulator's book")]
        func cell(_ name: String, _ count: Int64?) -> [Markup] {
            book == nil ? [] : [count.map { .count("simulatorLedger.\(name)", $0) } ?? .nothing]
        }
        var table = HTMLTable(
            "What became of each notification. Each has exactly one fate.",
            [.text("fate"), .number("notifications"), .number("share")] + byBook)
        let fates: [(String, Int64, Int64?)] = [
            ("accepted", ledger.accepted, book?.accepted), ("rejected", ledger.rejected, book?.rejected),
            ("lost", ledger.lost, nil), ("unknown", ledger.unknown, nil), ("unsent", ledger.unsent, nil),
        ]
        for (name, count, other) in fates {
            table.add(.text(name), [.count(name, count), share(count)] + cell(name, other))
        }
        table.add(
            .text("generated"), [.count("generated", ledger.generated), share(ledger.generated)] + cell("", nil),
            class: "total")
        var beside = HTMLTable("Beside the balance", [.text("what"), .number("notifications")] + byBook)
        beside.add(.text("written again"), [.count("resent", ledger.resent)] + cell("", nil))
        beside.add(
            .text("known to be accepted twice"),
            [.count("duplicates", ledger.duplicates)] + cell("duplicates", book?.duplicates))
        let difference: Markup =
            record.ledgerDifference == nil
            ? .absent("no second ledger") : .count("ledgerDifference", record.ledgerDifference)
        beside.add(.text("the two books differ about"), [difference] + cell("", nil))
        return HTMLPage.Section(
            "ledger", "Ledger",
            [
                ledger.isBalanced
                    ? .nothing
                    : Markup.note([
                        "The ledger does NOT balance: \(ledger.imbalance) notifications have no fate, or more than one."
                    ]),
                table.markup, beside.markup, losses, proofs, requests,
            ])
    }

    private func share(_ count: Int64) -> Markup {
        guard record.ledger.generated > 0 else { return .absent("-") }
        return .text(decimalText(100 * Double(count) / Double(record.ledger.generated), places: 3) + " %")
    }

    private var losses: Markup {
        var table = HTMLTable("Why notifications were lost", [.text("reason"), .number("notifications")])
        for (reason, count) in record.ledger.lostBy.filter({ $0.value > 0 }).sorted(by: {
            ($1.value, $0.key) < ($0.value, $1.key)
        })
        .prefix(50) {
            table.add(.text(reason), [.count("lostBy.\(reason)", count)])
        }
        return table.markup
    }

    private var proofs: Markup {
        let proof = record.ledger.proof
        let kinds = [
            ("errorReply", "an error reply to a later one", proof.errorReply),
            ("shutdown", "status 10", proof.shutdown),
            ("sentinel", "the reply to a sentinel", proof.sentinel),
            ("response", "a response of its own", proof.response),
            ("simulator", "the simulator's book alone", proof.simulator),
        ].filter { $0.2 > 0 }
        var table = HTMLTable("What proved the accepted ones", [.text("proof"), .number("notifications")])
        for (key, name, count) in kinds { table.add(.text(name), [.count("proof.\(key)", count)]) }
        return table.markup
    }

    /// What the simulator counted of HTTP/2; nothing where nobody spoke it.
    private var requests: Markup {
        guard let book = record.simulatorLedger?.http2 else { return .nothing }
        let counts: [(String, String, Int64)] = [
            ("requests", "requests read whole", book.requests), ("accepted", "notifications accepted", book.accepted),
            ("refusedStreams", "streams refused", book.refusedStreams),
            ("cancelledStreams", "streams reset by the sender", book.cancelledStreams),
            ("resetStreams", "streams reset instead of answered", book.resetStreams),
            ("unanswered", "requests left without answer", book.unanswered),
            ("ignoredStreams", "streams beyond the last of a GOAWAY", book.ignoredStreams),
            ("goAways", "GOAWAY frames", book.goAways),
            ("violations", "connections that broke the protocol", book.violations),
            ("maxOpenStreams", "streams open at once on a connection, at most", book.maxOpenStreams),
        ]
        var table = HTMLTable("HTTP/2 by the simulator's book", [.text("what"), .number("count")])
        for (key, name, count) in counts where count != 0 {
            table.add(.text(name), [.count("simulatorLedger.http2.\(key)", count)])
        }
        return table.markup
    }

    // MARK: - Errors

    var errors: HTMLPage.Section {
        let errors = record.errors.filter { $0.count > 0 }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        guard !errors.isEmpty else { return HTMLPage.Section("errors", "Errors", [.paragraph("There was none.")]) }
        var table = HTMLTable(
            "Errors by name", [.text("error"), .number("status"), .number("count")], hidesCaption: true)
        for error in errors.prefix(100) {
            table.add(
                .text(error.name),
                [error.status.map { .text("\($0)") } ?? .absent("none"), .count("errors.\(error.name)", error.count)])
        }
        let more = errors.count - 100
        return HTMLPage.Section(
            "errors", "Errors",
            [
                table.markup, more > 0 ? .paragraph("\(more) rarer ones are in the record.") : .nothing, violations,
                faults,
            ])
    }

    private var violations: Markup {
        var table = HTMLTable("How streams began that are no error replies", [.text("bytes"), .number("count")])
        for (bytes, count) in record.violationBytes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(16) {
            table.add(.element("code", text: bytes), [.count("violationBytes.\(bytes)", count)])
        }
        return table.markup
    }

    private var faults: Markup {
        var table = HTMLTable("What the simulator did wrong on purpose", [.text("fault"), .number("times")])
        for fault in (record.simulatorLedger?.faults ?? []).prefix(50) {
            table.add(.text(fault.fault), [.count("faults.\(fault.fault)", fault.count)])
        }
        return table.markup
    }

    // MARK: - Reconnects

    var reconnects: HTMLPage.Section {
        let failed = record.reconnects.failedAttempts.filter { $0.value > 0 }
        guard record.reconnects.count > 0 || !failed.isEmpty else {
            return HTMLPage.Section("reconnects", "Reconnects", [])
        }
        var attempts = HTMLTable("Attempts to connect that failed", [.text("how"), .number("count")])
        for (name, count) in failed.sorted(by: { $0.key < $1.key }).prefix(50) {
            attempts.add(.text(name), [.count("failedAttempts.\(name)", count)])
        }
        let table = ReconnectTable(record)
        var counts = HTMLTable("Replaced connections", [.text("what"), .number("count")])
        counts.add(.text("replaced"), [.count("reconnects", record.reconnects.count)])
        counts.add(.text("with a resumed TLS session"), [.count("reconnect.resumed", record.reconnects.resumed)])
        counts.add(.text("with a full handshake"), [.count("reconnect.full", record.reconnects.full)])
        counts.add(
            .text("notifications in flight at an error, median"),
            [.count("inFlightAtError.p50", record.reconnects.inFlightAtError.p50)])
        counts.add(
            .text("notifications in flight at an error, at most"),
            [.count("inFlightAtError.max", record.reconnects.inFlightAtError.max)])
        return HTMLPage.Section(
            "reconnects", "Reconnects",
            [
                counts.markup,
                record.reconnects.count > 0 ? HTMLTable("What one reconnect takes", table.costs).markup : .nothing,
                record.reconnects.count > 0 ? Self.facts(table.facts) : .nothing, attempts.markup,
            ])
    }

    // MARK: - Connections

    var connections: HTMLPage.Section {
        let connections = record.connections
        guard !connections.isEmpty else {
            return HTMLPage.Section(
                "connections", "Connections",
                [.paragraph("No samples: the record tells of none, as that of a run that was killed.")])
        }
        let shown = connections.prefix(64)
        let sessions = Set(connections.map(Self.session))
        var columns: [HTMLTable.Column] = [.text("slot"), .number("loop")]
        columns += ["openings", "written", "accepted", "rejected", "resent", "bytes"].map { .number($0) }
        if sessions.count > 1 { columns.append(.text("latest connection")) }
        var table = HTMLTable("Connection slots: a connection and its successors", columns)
        for slot in shown {
            let name = { (figure: String) in "connections.\(slot.index).\(figure)" }
            let cells: [Markup] = [
                .text("\(slot.loop)"), .count(name("openings"), slot.openings), .count(name("written"), slot.written),
                .count(name("accepted"), slot.accepted), .count(name("rejected"), slot.rejected),
                .count(name("resent"), slot.resent), .size(name("bytes"), slot.bytes),
            ]
            table.add(.text("\(slot.index)"), cells + (sessions.count > 1 ? [.text(Self.session(slot))] : []))
        }
        let more = connections.count - shown.count
        let written = connections.map(\.written).sorted()
        let told = [
            more > 0 ? "The first \(shown.count) of \(FigureText.count(Int64(connections.count))) are listed." : "",
            "Notifications written by a slot: \(FigureText.count(written.first)) at least, "
                + "\(FigureText.count(written[written.count / 2])) at the median, \(FigureText.count(written.last)) at most.",
            sessions.count == 1 ? "The latest connection of each: \(sessions.first ?? "")." : "",
        ].filter { !$0.isEmpty }
        return HTMLPage.Section(
            "connections", "Connections", [.paragraph(told.joined(separator: " ")), table.markup])
    }

    /// How the latest connection of a slot was secured.
    private static func session(_ slot: ConnectionRecord) -> String {
        guard let version = slot.tlsVersion else { return "none came up" }
        let resumed = slot.resumed.map { $0 ? "a resumed session" : "a full handshake" }
        return [version, slot.cipher, resumed].compactMap { $0 }.joined(separator: ", ")
    }

    // MARK: - Resources

    var resources: HTMLPage.Section {
        let table = ResourceTable(record)
        return HTMLPage.Section(
            "resources", "Resources",
            [
                printer.figure(TimeCharts(record)?.processors), HTMLTable("What each process used", table.own).markup,
                table.shared.map {
                    HTMLTable("What each process asked of the kernel; each: for one written notification", $0).markup
                }
                    ?? .nothing,
            ])
    }
}
