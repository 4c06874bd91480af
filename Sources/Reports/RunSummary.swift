import Analysis
import Primitives
public import RunRecords

/// A run on one screen: what was done, what came of it, and how far that can be trusted; read in ten seconds.
public struct RunSummary {
    private let record: RunRecord
    private let style: TerminalStyle

    /// Makes the summary of a record for a terminal.
    public init(_ record: RunRecord, style: TerminalStyle) {
        self.record = record
        self.style = style
    }

    /// The summary's text; ends with a line break.
    public var text: String {
        let blocks = [verdict, paragraphs, latencies, reconnectCost, uses, thresholds].filter { !$0.isEmpty }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private var verdict: [String] {
        let status = record.verdict.status
        let color: TerminalStyle.Color =
            switch status {
            case .passed: .green
            case .failed, .unreachable, .internalError: .red
            case .running, .inconclusive, .generatorLimited, .scheduleMissed, .interrupted: .yellow
            }
        var line = style.colored(status.title, color)
        line += style.shown(": \(record.name)")
        if let exitCode = record.verdict.exitCode, exitCode != 0 { line += " (exit \(exitCode))" }
        return [line] + record.verdict.reasons.map { style.shown("  - \($0)") }
    }

    private var paragraphs: [String] { facts.flatMap { $0.lines(style) } }

    /// What was sent, what came of it and what bound it, for every form that has it in words; one without a label goes on with the one
    /// before.
    var facts: [LabelledText] {
        let devices = [
            LabelledText(label: "feedback", items: feedback), LabelledText(label: "offline", items: offline),
        ].filter { !$0.items.isEmpty }
        let paragraphs = [
            LabelledText(label: "sent", items: setting), LabelledText(label: "result", items: result),
            LabelledText(label: "streams", items: streams), LabelledText(label: "in flight", items: inFlight),
            LabelledText(label: "limit", items: limitWords, separator: " "),
            LabelledText(label: "headroom", items: headroom), LabelledText(label: "schedule", items: schedule),
            LabelledText(label: "ledger", items: [balance]),
            LabelledText(label: "", items: besideBalance), LabelledText(label: "errors", items: errors + replies),
            LabelledText(label: "reconnects", items: reconnects),
        ]
        let struck = faults.isEmpty ? [] : [LabelledText(label: "faults", items: faults)]
        let optional = ["schedule", "headroom", "streams", "in flight"]
        return paragraphs.filter { !optional.contains($0.label) || !$0.items.isEmpty } + devices + struck
    }

    private var setting: [String] {
        let profile = record.profile
        let host = profile.text("target", "host")
        return [
            FigureText.count(record.ledger.generated, of: "notification"),
            FigureText.count(profile.integer("workload", "devices"), of: "device"),
            "\(profile.text("protocol") ?? "?") to \(host ?? "the simulator")",
            FigureText.count(profile.integer("sender", "connections"), of: "connection"),
        ] + way + [
            "seed \(profile.integer("workload", "seed").map { "\($0)" } ?? "?")"
        ] + (profile.text("sender", "mode") == "wait-each" ? ["waiting after each: a baseline, not a way to send"] : [])
    }

    /// What bounds what is under way: streams of a connection, or batch and window.
    private var way: [String] {
        let profile = record.profile
        if profile.text("protocol") == "http2" {
            return ["up to \(FigureText.count(profile.integer("sender", "streams"), of: "stream")) each"]
        }
        return [
            "batch \(FigureText.count(profile.integer("sender", "batch", "notifications")))",
            "window \(FigureText.count(profile.integer("sender", "window")))",
        ]
    }

    private var result: [String] {
        let bound = record.throughput.acceptedBound == nil ? "" : "at least "
        let proof = bound.isEmpty ? "" : ", by the last proof"
        var items = [bound + "\(FigureText.rate(record.throughput.acceptedPerSecond)) accepted" + proof]
        if let rate = record.throughput.undisturbedPerSecond {
            items.append("\(FigureText.rate(rate)) where nothing went wrong")
        }
        if let share = pipeShare { items.append("\(share) % of what TLS alone can do here") }
        items.append("\(FigureText.rate(record.throughput.writtenPerSecond)) written (proves nothing)")
        items.append(FigureText.bytesPerSecond(record.throughput.bytesPerSecond))
        items.append("over \(FigureText.time(record.measuredNs)) of \(FigureText.time(record.durationNs))")
        return items
    }

    /// Bytes per second in percent of the raw TLS pipe's, from the record's calibration; nil also where nothing tells that more took them
    /// than buffers.
    var pipeShare: Int? {
        guard record.throughput.acceptedPerSecond != nil, let pipe = record.calibration?.pipeBytesPerSecond, pipe > 0,
            let bytes = record.throughput.bytesPerSecond
        else { return nil }
        return Int(exactly: (100 * bytes / Double(pipe)).rounded())
    }

    /// A sentence, broken where the line ends.
    private var limitWords: [String] {
        guard let limit = record.limit else { return ["not known"] }
        let name = limit.kind.rawValue
        let text = limit.evidence.isEmpty ? name : "\(name): \(limit.evidence)"
        return text.split(separator: " ").reduce(into: []) { words, word in
            // A number and its percent sign stay together.
            if word.hasPrefix("%"), let last = words.popLast() {
                words.append("\(last) \(word)")
            } else {
                words.append(String(word))
            }
        }
    }

    /// What streams allow, held against what was measured.
    private var streams: [String] {
        guard let streams = record.streams else { return [] }
        let limits = record.intervals.compactMap { interval in
            interval.streamLimitLow.flatMap { low in interval.streamLimitHigh.map { (low, $0) } }
        }
        var items: [String] = []
        if let low = limits.map(\.0).min(), let high = limits.map(\.1).max() {
            let range = low == high ? FigureText.count(low) : "\(FigureText.count(low)) to \(FigureText.count(high))"
            items.append("\(range) requests at once on a connection")
        }
        if let expected = streams.expectedPerSecond, let answered = streams.answeredPerSecond,
            let deviation = streams.deviation
        {
            items.append(
                "\(FigureText.count(streams.allowed)) at once / \(FigureText.time(streams.serviceMeanNs)) = "
                    + "\(FigureText.rate(expected)), \(FigureText.rate(answered)) measured "
                    + "(\(Int((deviation * 100).rounded())) %)")
        }
        return items
    }

    /// What was in flight, counted and by Little's law.
    private var inFlight: [String] {
        guard let law = record.littlesLaw else { return [] }
        return [
            "\(Self.number(law.inFlight)) on average",
            "by Little's law \(FigureText.rate(law.perSecond)) × \(FigureText.time(law.latencyMeanNs)) = "
                + Self.number(law.expectedInFlight) + (law.holds ? "" : ", which DIFFERS"),
        ]
    }

    private static func number(_ value: Double) -> String {
        value.magnitude < 100 ? decimalText(value, places: 2) : FigureText.count(Int64(value.rounded()))
    }

    /// What the sender had to spare, and how far the simulator was from what it can take at all.
    private var headroom: [String] {
        var items: [String] = []
        if let headroom = record.limit?.headroom { items.append("\(Self.percent(headroom)) % of a core to spare") }
        guard let limit = record.limit, let isBound = limit.simulatorBound else { return items }
        if isBound { items.append("SIMULATOR-BOUND: the figures say what the simulator can do") }
        if let ceiling = limit.ceilingPerSecond, let share = limit.ceilingShare {
            items.append("\(Self.percent(share)) % of the \(FigureText.rate(ceiling)) that it can accept unseen")
        }
        return items
    }

    private static func percent(_ share: Double) -> Int { Int(exactly: (100 * share).rounded()) ?? 0 }

    /// What became of an open loop's schedule, and whether the run was steady; nothing in a short closed loop.
    private var schedule: [String] {
        var items: [String] = []
        if let schedule = record.schedule {
            items.append("\(FigureText.count(schedule.planned)) planned")
            items.append("\(FigureText.count(schedule.sent)) sent")
            items += Self.reasons(schedule.skipped, "skipped") + Self.reasons(schedule.late, "late")
            if schedule.stalls > 0 {
                items.append(
                    "fell behind \(FigureText.count(schedule.stalls, of: "time")) and caught up "
                        + "\(FigureText.count(schedule.caughtUp)) in \(FigureText.time(schedule.catchUpNs))")
            }
        }
        if record.steadiness?.status == .notSteady {
            items.append("NOT STEADY: " + (record.steadiness?.reasons.joined(separator: ", ") ?? ""))
        }
        return items
    }

    private static func reasons(_ counts: ScheduleReasonsRecord, _ word: String) -> [String] {
        guard counts.total > 0 else { return [] }
        let parts = [
            ("windows full", counts.windowFull), ("streams taken", counts.streamsTaken),
            ("no connection", counts.noConnection),
            ("generator late", counts.generatorLate), ("end of run", counts.endOfRun),
        ].filter { $0.1 > 0 }.map { "\(FigureText.count($0.1)) \($0.0)" }
        return ["\(FigureText.count(counts.total)) \(word) (\(parts.joined(separator: ", ")))"]
    }

    private var balance: String {
        let ledger = record.ledger
        let fates = [
            ("accepted", ledger.accepted), ("rejected", ledger.rejected), ("lost", ledger.lost),
            ("unknown", ledger.unknown), ("unsent", ledger.unsent),
        ]
        let sum = fates.map { "\(FigureText.count($0.1)) \($0.0)" }.joined(separator: " + ")
        return "\(FigureText.count(ledger.generated)) \(ledger.isBalanced ? "=" : "is NOT") \(sum)"
    }

    private var besideBalance: [String] {
        var items = [
            "\(FigureText.count(record.ledger.resent)) resent",
            "\(FigureText.count(record.ledger.duplicates)) duplicates", agreement,
        ]
        let losses = record.ledger.lostBy.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        items += losses.map { "\(FigureText.count($0.value)) lost \(Self.lossText($0.key))" }
        if let refusals = record.simulatorLedger?.unlistedRefusals, refusals > 0 {
            items.append("its list of refusals lacks \(FigureText.count(refusals)), so some lost ones may be rejected")
        }
        if let unfinished = record.simulatorLedger?.unfinished, unfinished > 0 {
            items.append("connections that ended inside a notification: \(FigureText.count(unfinished))")
        }
        return items
    }

    private static func lossText(_ reason: String) -> String {
        switch reason {
        case "window": "as they had left the window"
        case "cap": "at the cap of resends"
        case "abandoned": "as the run ended first"
        case "refused": "as their streams were refused too often"
        case "book": "never judged, by the simulator's ledger"
        default: "(\(reason))"
        }
    }

    private var agreement: String {
        if let book = record.simulatorLedger, !record.ledger.hasIdentifiers { return countsAlone(book) }
        return agreementByIdentifier
    }

    /// What can be said where no notification can be told from another.
    private func countsAlone(_ book: SimulatorLedgerRecord) -> String {
        let excess = record.ledgerDifference ?? 0
        return "no identifiers, so no proof: the simulator counted "
            + "\(FigureText.count(book.acceptedWithoutIdentifier)) accepted and "
            + "\(FigureText.count(book.rejectedWithoutIdentifier)) refused"
            + (excess > 0 ? ", \(FigureText.count(excess)) MORE than were written" : "")
    }

    private var agreementByIdentifier: String {
        switch record.ledgerDifference {
        case 0?: "the simulator's ledger agrees"
        case let difference?: "the simulator's ledger DIFFERS about \(FigureText.count(difference))"
        case nil: "no second ledger"
        }
    }

    private var errors: [String] {
        let errors = record.errors.filter { $0.count > 0 }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        guard !errors.isEmpty else { return ["none"] }
        var items = errors.map { error in
            "\(FigureText.count(error.count)) \(error.name)" + (error.status.map { " (\($0))" } ?? "")
        }
        let most = record.intervals.map(\.rejected).max() ?? 0
        if most > 0, record.intervals.count > 1 { items.append("at most \(FigureText.count(most)) in a second") }
        return items + violations
    }

    /// How streams began that are no error replies, the most frequent ones.
    private var violations: [String] {
        let kinds = record.violationBytes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return kinds.prefix(3).map { "\(FigureText.count($0.value)) × the bytes \($0.key)" }
    }

    /// How many replies arrived, where there were any but those to sentinels, or where some are missing.
    private var replies: [String] {
        guard let replies = record.replies else { return [] }
        var items: [String] = []
        if let sent = replies.sent, let rate = replies.receiptRate,
            sent != replies.read || record.errors.contains(where: { $0.count > 0 && $0.status != nil })
        {
            let share = sent == replies.read ? "all" : "\(decimalText(100 * rate, places: 1)) %"
            items.append("\(FigureText.count(replies.read)) of \(FigureText.count(sent)) replies read (\(share))")
        }
        if replies.errorAfterWriteFailure > 0 {
            items.append("\(FigureText.count(replies.errorAfterWriteFailure)) read after a failed write")
        }
        return items
    }

    /// What the simulator's faults did; empty without a fault plan.
    private var faults: [String] {
        (record.simulatorLedger?.faults ?? []).map { "\(FigureText.count($0.count)) \($0.fault)" }
    }

    private var reconnects: [String] {
        let reconnects = record.reconnects
        let failed = reconnects.failedAttempts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        guard reconnects.count > 0 || !failed.isEmpty || record.windowOverruns.count > 0 else { return ["none"] }
        var items = [
            "\(FigureText.count(reconnects.count))", "\(FigureText.count(reconnects.resumed)) with a resumed session",
        ]
        if let p50 = reconnects.inFlightAtError.p50, let max = reconnects.inFlightAtError.max {
            items.append("\(FigureText.count(p50)) in flight at an error (at most \(FigureText.count(max)))")
        }
        items += failed.map { "\(FigureText.count($0.value)) \($0.key)" }
        if record.windowOverruns.count > 0 {
            let needed = FigureText.count(record.windowOverruns.windowNeeded)
            items.append("\(FigureText.count(record.windowOverruns.count)) past the window: it must be \(needed)")
        }
        return items
    }

    /// What the feedback service has told or has to tell; nothing without a device that is gone.
    private var feedback: [String] {
        var items: [String] = []
        if let reading = record.feedback {
            items.append("\(FigureText.count(reading.tuples)) tuples read")
            switch (reading.problem, reading.agrees) {
            case (let problem?, _): items.append("NOT COMPLETE: \(problem)")
            case (nil, true?): items.append("the simulator's ledger agrees")
            case (nil, false?): items.append("the simulator's ledger DIFFERS")
            case (nil, nil): items.append("no second ledger")
            }
        }
        guard let ledger = record.simulatorLedger?.feedback else { return items }
        if ledger.waiting > 0 { items.append("\(FigureText.count(ledger.waiting)) tokens wait to be told") }
        if ledger.clearedUndelivered > 0 {
            items.append("\(FigureText.count(ledger.clearedUndelivered)) cleared undelivered")
        }
        if ledger.dropped > 0 { items.append("\(FigureText.count(ledger.dropped)) not noted: the list was full") }
        return items
    }

    /// What was kept for offline devices; nothing when there are none.
    private var offline: [String] {
        guard let storage = record.simulatorLedger?.storage else { return [] }
        return [
            "\(FigureText.count(storage.stored)) stored",
            "\(FigureText.count(storage.replaced)) replaced by a later one",
            "\(FigureText.count(storage.notStored)) not to be stored", "\(FigureText.count(storage.expired)) expired",
        ]
    }

    private var latencies: [String] {
        let apart = record.reconnects.count > 0 ? ReconnectTable.parts.map(\.series) : []
        let names = Metric.ordered(record.latency.keys).filter {
            (record.latency[$0]?.count ?? 0) > 0 && !apart.contains($0)
        }
        guard !names.isEmpty else { return [] }
        var table = TextTable([.left] + Array(repeating: .right, count: 7))
        table.add(["latency", "count", "min", "p50", "p90", "p99", "p99.9", "max"])
        for name in names {
            guard let series = record.latency[name] else { continue }
            let quantiles = series.quantiles
            table.add(
                [name, FigureText.count(series.count)]
                    + [series.minNs, quantiles.p50, quantiles.p90, quantiles.p99, quantiles.p999, series.maxNs]
                    .map(FigureText.time))
        }
        return table.lines(style)
    }

    private var reconnectCost: [String] { ReconnectTable(record).lines(style) }

    private var uses: [String] { ResourceTable(record).lines(style) }

    private var thresholds: [String] {
        guard !record.thresholds.isEmpty else { return [] }
        var table = TextTable([.left, .left, .left])
        for outcome in record.thresholds {
            let unit = (try? Threshold(outcome.text))?.metric.unit
            let value = unit.map { FigureText.value(outcome.value, $0) } ?? FigureText.missing
            table.add([outcome.passed ? "ok" : "FAILED", outcome.text, outcome.value == nil ? "no data" : value])
        }
        return table.lines(style)
    }
}
