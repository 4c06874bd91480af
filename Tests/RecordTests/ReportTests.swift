import Foundation
import Histograms
import Primitives
import Testing

@testable import Analysis
@testable import Reports
@testable import RunRecords

@Suite struct IntervalColumnTests {
    @Test func `the page for users explains every format, and every column of the interval CSV`() throws {
        let names = IntervalCSV.text(RunRecord()).split(separator: "\n")[0].split(separator: ",")
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
        for format in OutputFormat.allCases { #expect(page.contains("| `\(format.rawValue)` |"), "\(format)") }
    }
}

@Suite struct RunSummaryTests {
    @Test func `a sound run on one screen`() {
        #expect(
            RunSummary(sampleRecord(), style: .plain).text == """
                PASSED: unnamed

                sent        100,000 notifications, 250,000 devices, enhanced to the simulator, 8 connections,
                            batch 100, window 65,536, seed 1
                result      80 k/s accepted, 81 k/s written (proves nothing), 11.4 MiB/s, over 1.25 s of 1.5 s
                limit       simulator: busiest simulator loop 97 %
                ledger      100,000 = 99,990 accepted + 10 rejected + 0 lost + 0 unknown + 0 unsent
                            1,234 resent, 0 duplicates, the simulator's ledger agrees
                errors      10 invalid token (8), 2 reset by peer, at most 7 in a second
                reconnects  10, 9 with a resumed session, 123 in flight at an error (at most 400), 3 refused

                latency    count   min   p50     p90      p99  p99.9   max
                residence  2,000  1 us  1 ms  1.8 ms  1.98 ms      -  2 ms

                reconnect cost  count   p50  p90  p99    max
                reconnect          10  5 ms    -    -  10 ms
                each        123 notifications resent, the others at 99 % of their share, 93 % at least,
                            420 of throughput lost, 10 in 8 episodes
                handshakes  sender 12/s, 9 full at 700 us cpu, 9 resumed at 400 us cpu, 1 % of its cpu
                            simulator 12/s, 9 full at 350 us cpu, 9 resumed at 300 us cpu, 0 % of its cpu

                process       cpu  cores  cpu each  memory  allocations
                sender     750 ms   0.50   7.41 us  48 MiB        4,321
                simulator   1.4 s   0.93   13.8 us     0 B            -

                ok      lost == 0              0
                FAILED  errorReply.p99 < 20ms  no data

                """)
    }

    @Test func `faults stand out and reasons follow the verdict`() {
        var record = sampleRecord()
        record.verdict = VerdictRecord(status: .failed, reasons: ["3 notifications were lost"], exitCode: 3)
        record.ledger.lost = 3
        record.ledgerDifference = 3
        record.windowOverruns.count = 1
        record.windowOverruns.windowNeeded = 2_000
        let text = RunSummary(record, style: .plain).text
        #expect(text.hasPrefix("FAILED: unnamed (exit 3)\n  - 3 notifications were lost\n"))
        #expect(text.contains("100,000 is NOT 99,990 accepted"))
        #expect(text.contains("the simulator's ledger DIFFERS about 3"))
        #expect(text.contains("1 past the window: it must be 2,000"))
    }

    @Test func `missing replies, replies behind a failed write and the bytes of violations are told`() {
        var record = sampleRecord()
        record.replies = ReplyRecord(sent: 12, read: 12)
        #expect(RunSummary(record, style: .plain).text.contains("12 of 12 replies read (all)\n"))
        record.replies = ReplyRecord(sent: 1_000, read: 997, errorAfterWriteFailure: 2)
        record.violationBytes = ["09 08 00": 3]
        let text = RunSummary(record, style: .plain).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("3 x the bytes 09 08 00"))
        #expect(text.contains("997 of 1,000 replies read (99.7 %), 2 read after a failed write"), "\(text)")
        #expect(Metric.plain(.missedReplies).value(in: record) == 3)
        #expect(Metric.plain(.errorAfterWriteFailure).value(in: record) == 2)
        record.errors = []
        record.violationBytes = [:]
        record.replies = ReplyRecord(sent: 8, read: 8)
        #expect(RunSummary(record, style: .plain).text.contains("errors      none\n"), "sentinels alone say nothing")
    }

    @Test func `one of a thing is told in the singular, and no share of TLS without anything accepted`() {
        var record = sampleRecord()
        record.ledger.generated = 1
        var schedule = ScheduleRecord()
        (schedule.planned, schedule.stalls, schedule.caughtUp) = (1, 1, 1)
        record.schedule = schedule
        var calibration = CalibrationRecord()
        calibration.pipeBytesPerSecond = 10_000_000
        record.calibration = calibration
        let text = RunSummary(record, style: .plain).text
        #expect(text.contains("sent        1 notification,") && text.contains("fell behind 1 time and"))
        #expect(text.contains("% of what TLS alone can do"))
        record.throughput = ThroughputRecord(accepted: nil, written: 16_384, bytes: 1 << 24, over: .milliseconds(1))
        #expect(!RunSummary(record, style: .plain).text.contains("% of what TLS alone can do"))
    }

    @Test func `losses are told by their reasons`() {
        var record = sampleRecord()
        record.ledger.lost = 30
        record.ledger.lostBy = ["cap": 20, "window": 10]
        let text = RunSummary(record, style: .plain).text
        #expect(text.contains("20 lost at the cap of resends"))
        #expect(text.contains("10 lost as they had left the window"))
    }

    @Test func `C07 a run that waits after each is labelled a baseline`() throws {
        var record = sampleRecord()
        #expect(!RunSummary(record, style: .plain).text.contains("baseline"))
        record.profile = try Profile.read(text: #"{ sender: { mode: "wait-each" } }"#, source: "a").effectiveJSON
        #expect(RunSummary(record, style: .plain).text.contains("waiting after each: a baseline, not a way to send"))
    }

    @Test func `C36 the rate stands with and without the time in which something went wrong`() {
        var record = sampleRecord()
        #expect(!RunSummary(record, style: .plain).text.contains("went wrong"))
        record.throughput.undisturbedPerSecond = 90_000
        let text = RunSummary(record, style: .plain).text
        let both = "result      80 k/s accepted, 90 k/s where nothing went wrong, 81 k/s written"
        #expect(text.contains(both), "\(text)")
    }

    @Test func `what faults did is told when there was a plan`() {
        var record = sampleRecord()
        #expect(!RunSummary(record, style: .plain).text.contains("faults"))
        record.simulatorLedger?.faults = [
            FaultCountRecord(fault: "stall", count: 8), FaultCountRecord(fault: "shutdown", count: 0),
        ]
        #expect(RunSummary(record, style: .plain).text.contains("\nfaults      8 stall, 0 shutdown\n"))
    }

    @Test func `connections that ended inside a notification are told when there were some`() {
        var record = sampleRecord()
        for count in [nil, 0] as [Int64?] {
            record.simulatorLedger?.unfinished = count
            #expect(!RunSummary(record, style: .plain).text.contains("inside a notification"))
        }
        record.simulatorLedger?.unfinished = 1_200
        let words = RunSummary(record, style: .plain).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("connections that ended inside a notification: 1,200"), "\(words)")
    }

    @Test func `without quiet time or handshakes the cost of reconnects says so`() {
        var record = sampleRecord()
        record.reconnects.throughputLost = nil
        record.reconnects.senderHandshakes = nil
        let text = RunSummary(record, style: .plain).text
        #expect(text.contains("throughput lost not known"))
        #expect(!text.contains("sender 12/s"))
        record.reconnects.throughputLost = ThroughputLostRecord(
            notifications: -30, standardError: 150, reconnects: 10, episodes: 10, medianPerSecond: 80_000,
            binNs: 1_048_576, quietNs: 1_000_000_000, touchedNs: 50_000_000)
        #expect(RunSummary(record, style: .plain).text.contains("0.0 of throughput lost (no more than noise)"))
        record.reconnects.count = 0
        #expect(!RunSummary(record, style: .plain).text.contains("reconnect cost"))
    }

    @Test func `devices that are gone or offline have their lines, where there are any`() {
        var record = sampleRecord()
        #expect(!RunSummary(record, style: .plain).text.contains("feedback"))
        record.simulatorLedger?.feedback = FeedbackLedgerRecord()
        record.simulatorLedger?.feedback?.waiting = 1_200
        record.simulatorLedger?.storage = StorageLedgerRecord()
        record.simulatorLedger?.storage?.stored = 40
        var text = RunSummary(record, style: .plain).text
        #expect(text.contains("\nfeedback    1,200 tokens wait to be told\n"))
        #expect(text.contains("\noffline     40 stored, 0 replaced by a later one, 0 not to be stored, 0 expired\n"))
        record.feedback = FeedbackRecord()
        record.feedback?.agrees = false
        text = RunSummary(record, style: .plain).text
        #expect(
            text.contains("feedback    0 tuples read, the simulator's ledger DIFFERS, 1,200 tokens wait to be told"))
    }

    @Test func `an empty record has dashes, never a number that is none`() {
        let text = RunSummary(RunRecord(), style: .plain).text
        #expect(text.hasPrefix("NOT FINISHED: unnamed\n"))
        #expect(text.contains("- accepted, - written"))
        #expect(!text.lowercased().contains("nan") && !text.contains("inf "))
    }

    @Test func `the machine's own limit stands beside the result`() {
        var record = sampleRecord()
        record.calibration = CalibrationRecord()
        record.calibration?.pipeBytesPerSecond = 24_000_000
        #expect(RunSummary(record, style: .plain).text.contains("50 % of what TLS alone can do here"))
    }

    @Test func `a hostile record cannot drive the terminal`() {
        var record = sampleRecord()
        record.errors = [ErrorCountRecord(status: nil, name: "\u{1B}[2J\u{9B}x\nFAKE\u{202E}", count: 1)]
        record.profile = .object(["name": .string("\u{1B}]0;t\u{7}")])
        for style in [TerminalStyle.plain, TerminalStyle(usesColor: false, usesUnicode: true, isLive: true, width: 80)]
        {
            let text = RunSummary(record, style: style).text
            #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{7}", "\u{9B}", "\u{202E}"].contains($0) })
            #expect(!text.contains("\nFAKE"))
        }
    }

    @Test func `no line is wider than asked, and plain text is ASCII`() {
        var record = sampleRecord()
        record.errors = (0..<30).map { ErrorCountRecord(status: $0, name: "some kind of error", count: 1_000) }
        let text = RunSummary(
            record, style: TerminalStyle(usesColor: false, usesUnicode: false, isLive: false, width: 60)
        ).text
        for line in text.split(separator: "\n") where !line.hasPrefix("ledger") && !line.hasPrefix("latency") {
            #expect(displayWidth(String(line)) <= 72, "\(line)")
        }
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
    }
}

@Suite struct TerminalStyleTests {
    @Test(arguments: [
        (true, ["TERM": "xterm"], true, true), (false, ["TERM": "xterm"], false, false),
        (true, ["NO_COLOR": "1"], false, true), (true, ["NO_COLOR": ""], true, true),
        (true, ["CI": "true"], false, false),
        (true, ["CI": "false"], true, true), (true, ["TERM": "dumb"], false, false),
    ])
    func `colour and drawing follow the customs`(
        _ isTerminal: Bool, _ environment: [String: String], _ usesColor: Bool, _ isLive: Bool
    ) {
        let style = TerminalStyle(isTerminal: isTerminal, environment: environment)
        #expect(style.usesColor == usesColor)
        #expect(style.isLive == isLive)
    }

    @Test func `the first locale variable that is set decides about Unicode`() {
        let usesUnicode = { TerminalStyle(isTerminal: true, environment: $0).usesUnicode }
        #expect(usesUnicode(["LANG": "de_DE.UTF-8"]))
        #expect(usesUnicode(["LC_ALL": "", "LC_CTYPE": "C.utf8", "LANG": "C"]))
        #expect(!usesUnicode(["LC_ALL": "C", "LANG": "de_DE.UTF-8"]))
        #expect(!usesUnicode([:]))
    }

    @Test func `colour surrounds the verdict only where it is allowed`() {
        let style = TerminalStyle(usesColor: true, usesUnicode: true, isLive: true, width: 100)
        #expect(RunSummary(sampleRecord(), style: style).text.hasPrefix("\u{1B}[32mPASSED\u{1B}[0m: "))
    }

    @Test func `columns align by what is seen, not by what is stored`() {
        var table = TextTable([.left, .right])
        table.add(["n\u{61}\u{308}me", "1"])
        table.add(["日本", "22"])
        let style = TerminalStyle(usesColor: false, usesUnicode: true, isLive: true, width: 100)
        #expect(table.lines(style) == ["na\u{308}me   1", "日本  22"])
        #expect(displayWidth("日本") == 4 && displayWidth("a\u{308}") == 1 && displayWidth("µs") == 2)
    }
}

@Suite struct OutputTests {
    @Test func `intervals are one line each, and what was not measured is empty`() {
        #expect(
            IntervalCSV.text(sampleRecord()) == """
                startNs,lengthNs,written,accepted,rejected,resent,reconnects,inFlight,bytes,senderCPUNs,simulatorCPUNs,\
                senderRunQueueNs,simulatorRunQueueNs,timerLagP99Ns,timerLagMaxNs,\
                senderRSSBytes,senderDescriptors,simulatorRSSBytes,simulatorDescriptors,\
                residenceP50Ns,residenceP99Ns,residenceMaxNs,streamLimitLow,streamLimitHigh
                0,1000000000,80000,79000,7,900,7,1000,11600000,500000000,900000000,\
                ,,,,30000000,29,40000000,,40000,90000,120000,,
                0,0,0,,0,0,0,0,0,0,,,,,,,,,,,,,,

                """)
    }

    @Test func `a request names format and place`() throws {
        let file = try OutputRequest("json=a=b.json")
        #expect(file.format == .json && file.destination == .file("a=b.json"))
        #expect(try OutputRequest("csv=-").destination == .standardOutput)
    }

    private static let accepted =
        "FORMAT=PATH with one of terminal, json, csv, reconnects, hgrm, hlog, markdown, junit, gobench, github-bigger, "
        + "github-smaller, openmetrics, prometheus, html"

    @Test(arguments: [
        ("json", "\"json\" names no path; expected \(accepted); \"-\" is the standard output"),
        ("json=", "\"json=\" names no path; expected \(accepted); \"-\" is the standard output"),
        ("jsn=x", "unknown format \"jsn\", did you mean \"json\"?; expected \(accepted)"),
        ("=x", "unknown format \"\"; expected \(accepted)"),
    ])
    func `a bad request says what is accepted`(_ text: String, _ message: String) {
        do throws(OutputRequestError) {
            _ = try OutputRequest(text)
            Issue.record("accepted")
        } catch {
            #expect(error.description == message)
        }
    }

    @Test func `only one output goes to the standard output`() throws {
        #expect(try OutputRequest.read(["json=-", "csv=a", "csv=b"], of: .run).count == 3)
        do throws(OutputRequestError) {
            _ = try OutputRequest.read(["json=-", "terminal=x", "csv=-"], of: .run)
            Issue.record("accepted")
        } catch {
            #expect(
                error.description
                    == "json and csv cannot both go to the standard output; only one output may have the path \"-\"")
        }
    }

    @Test func `reconnects are one line each, and a hostile cause stays in its field`() throws {
        let text = ReconnectCSV.text(sampleRecord())
        #expect(
            text == """
                atNs,connection,cause,detectNs,waitNs,tcpNs,tlsNs,resumed,writeNs,costNs,firstAcceptanceNs,attempts,\
                inFlight,resent,throughputLost,othersShare
                5,3,"a ""b"", c",7,1,2,3,true,4,10,,1,40,30,,0.975

                """)
        #expect(ReconnectCSV.text(RunRecord()).split(separator: "\n").count == 1, "only the names")
    }

    @Test func `files are written whole, the standard output is the caller's`() throws {
        let folder = try TemporaryFolder()
        let record = sampleRecord()
        #expect(try OutputRequest("json=\(folder.path("r.json"))").write(.run(record), style: .plain) == nil)
        #expect(try RunRecord.read(folder.path("r.json")) == record)
        let bytes = try OutputRequest("csv=-").write(.run(record), style: .plain)
        #expect(bytes == Array(IntervalCSV.text(record).utf8))
        #expect(throws: RecordError.self) { try OutputRequest("csv=/nowhere/x").write(.run(record), style: .plain) }
    }

    @Test func `a file gets no colours whatever the terminal can`() throws {
        let folder = try TemporaryFolder()
        let style = TerminalStyle(usesColor: true, usesUnicode: true, isLive: true, width: 100)
        _ = try OutputRequest("terminal=\(folder.path("s.txt"))").write(.run(sampleRecord()), style: style)
        let text = try String(contentsOfFile: folder.path("s.txt"), encoding: .utf8)
        var colourless = TerminalStyle.plain
        colourless.usesUnicode = true
        #expect(text == RunSummary(sampleRecord(), style: colourless).text)
    }
}
