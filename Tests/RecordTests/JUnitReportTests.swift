import Foundation
import FoundationXML
import RunRecords
import Testing

@testable import Analysis
@testable import Reports

@Suite struct JUnitReportTests {
    @Test func `a small record, exactly`() throws {
        var record = RunRecord()
        record.profile = .object(["name": .string("small")])
        record.tool.version = "0.1.0"
        record.tool.build = "debug"
        record.startedAt = "2026-01-02T03:04:05Z"
        record.durationNs = 1_500_000_000
        record.ledger.generated = 7
        record.ledger.accepted = 7
        record.brokenInvariants = []
        record.verdict = VerdictRecord(status: .failed, reasons: ["a < b failed", "c & d"], exitCode: 3)
        record.thresholds = [
            ThresholdRecord(text: "lost == 0", value: 0, passed: true),
            ThresholdRecord(text: "residence.p99 < 2ms", value: 3_000_000, passed: false),
            ThresholdRecord(text: "errorReply.p99 < 20ms", value: nil, passed: false),
        ]
        #expect(
            try OutputFormat.junit.text(.run(record)) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="pushbench" tests="7" failures="3" errors="0" skipped="1">
                  <testsuite name="pushbench.small" tests="7" failures="3" errors="0" skipped="1" time="1.500" \
                timestamp="2026-01-02T03:04:05">
                    <properties>
                      <property name="tool" value="pushbench 0.1.0 debug"/>
                      <property name="cores" value="0"/>
                      <property name="verdict" value="failed"/>
                      <property name="exitCode" value="3"/>
                      <property name="sender.cpuPerNotification" value="0"/>
                    </properties>
                    <testcase classname="pushbench.small" name="verdict">
                      <failure message="a &lt; b failed&#10;c &amp; d" type="failed"/>
                    </testcase>
                    <testcase classname="pushbench.small" name="the ledger balances"/>
                    <testcase classname="pushbench.small" name="both ledgers agree">
                      <skipped message="there is no second ledger"/>
                    </testcase>
                    <testcase classname="pushbench.small" name="the figures agree with each other"/>
                    <testcase classname="pushbench.small" name="lost == 0">
                      <system-out>0</system-out>
                    </testcase>
                    <testcase classname="pushbench.small" name="residence.p99 &lt; 2ms">
                      <failure message="residence.p99 &lt; 2ms: it is 3 ms" type="threshold"/>
                    </testcase>
                    <testcase classname="pushbench.small" name="errorReply.p99 &lt; 20ms">
                      <failure message="errorReply.p99 &lt; 20ms: there is no data for it" type="threshold"/>
                    </testcase>
                  </testsuite>
                </testsuites>

                """)
    }

    @Test func `a reader of XML finds suites, cases and counts`() throws {
        let document = try JUnitDocument(try OutputFormat.junit.text(.run(namedRecord())))
        #expect(document.counts == ["tests": 6, "failures": 1, "errors": 0, "skipped": 1])
        #expect(document.suites.map { $0["name"] } == ["pushbench.sample"])
        #expect(document.properties["accepted/s"] == "79992")
        #expect(document.properties["reconnect.p99"] == nil, "too few")
        #expect(document.outcome("lost == 0") == "passed")
        #expect(document.outcome("errorReply.p99 < 20ms") == "failure")
        #expect(document.outcome("both ledgers agree") == "passed")
    }

    @Test(arguments: [
        (VerdictRecord.Status.passed, "passed"), (.failed, "failure"), (.generatorLimited, "failure"),
        (.scheduleMissed, "failure"),
        (.inconclusive, "skipped"), (.unreachable, "error"), (.internalError, "error"), (.interrupted, "error"),
        (.running, "error"),
    ])
    func `the verdict is a case of its own`(_ status: VerdictRecord.Status, _ outcome: String) throws {
        var record = try namedRecord()
        record.verdict = VerdictRecord(status: status, exitCode: 0)
        #expect(try JUnitDocument(try OutputFormat.junit.text(.run(record))).outcome("verdict") == outcome)
    }

    @Test func `broken invariants fail`() throws {
        var record = try namedRecord()
        record.ledger.lost = 3
        record.ledgerDifference = 3
        record.brokenInvariants = ["a figure is negative"]
        let document = try JUnitDocument(try OutputFormat.junit.text(.run(record)))
        for name in ["the ledger balances", "both ledgers agree", "the figures agree with each other"] {
            #expect(document.outcome(name) == "failure", "\(name)")
        }
    }

    @Test func `hostile texts are texts, for every run of a series`() throws {
        let series = RunSeriesRecord([try hostileRecord(), try hostileRecord()])
        let document = try JUnitDocument(try OutputFormat.junit.text(.runs(series)))
        #expect(document.suites.count == 2)
        let shown = hostileText.replacing("\u{1B}", with: "\u{FFFD}").replacing("\u{0}", with: "\u{FFFD}")
            .replacing("\u{FFFE}", with: "\u{FFFD}")
        #expect(document.outcome(shown) == "failure")
        #expect(document.suites.map { $0["name"] } == ["pushbench.\(shown) run 1", "pushbench.\(shown) run 2"])
    }

    @Test func `what turns the direction of text is no part of a name`() throws {
        var record = sampleRecord()
        record.profile = .object(["name": .string("a\u{202E}b\u{2066}c\u{200F}")])
        let document = try JUnitDocument(try OutputFormat.junit.text(.run(record)))
        #expect(document.suites.map { $0["name"] } == ["pushbench.a\u{FFFD}b\u{FFFD}c\u{FFFD}"])
    }

    @Test func `a comparison has a case for each deciding figure and each threshold`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let slow = scatteredRuns(10, around: 80_000, seed: 2)
        let threshold = try Threshold("compare(accepted/s) > -5%")
        let comparison = compare(base, slow) { $0.thresholds = [threshold] }
        let document = try JUnitDocument(try OutputFormat.junit.text(.comparison(comparison)))
        #expect(document.suites.map { $0["name"] } == ["pushbench.compare"])
        #expect(document.outcome("comparable") == "passed")
        #expect(document.outcome("accepted/s") == "failure")
        #expect(document.outcome(threshold.text) == "failure")
        #expect(document.properties["verdict"] == "regressed")
        let few = compare(Array(base[..<2]), Array(slow[..<2]))
        #expect(try JUnitDocument(try OutputFormat.junit.text(.comparison(few))).outcome("accepted/s") == "skipped")
        #expect(document.outcome("the candidate's own conditions") == "passed")
        var failing = base
        failing[3].verdict = VerdictRecord(status: .failed, reasons: ["lost == 0 failed: it is 1"], exitCode: 3)
        let failed = compare(base, failing)
        let kept = try Comparison.decode(Array(try OutputFormat.json.text(.comparison(failed)).utf8), path: "c.json")
        for each in [failed, kept] {
            let document = try JUnitDocument(try OutputFormat.junit.text(.comparison(each)))
            #expect(each.verdict.exitCode == 3 && document.outcome("the candidate's own conditions") == "failure")
        }
        let none = compare([], slow)
        #expect(try JUnitDocument(try OutputFormat.junit.text(.comparison(none))).outcome("comparable") == "error")
    }
}

/// A JUnit document as Foundation's parser reads it.
private final class JUnitDocument: NSObject, XMLParserDelegate {
    struct Malformed: Error { var description: String }

    private(set) var suites: [[String: String]] = []
    private(set) var counts: [String: Int] = [:]
    private(set) var properties: [String: String] = [:]
    private var outcomes: [String: String] = [:]
    private var current: String?

    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else { throw Malformed(description: "\(String(describing: parser.parserError))") }
    }

    /// `passed`, or the element that the case has; nil if there is no such case.
    func outcome(_ name: String) -> String? { outcomes[name] }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch element {
        case "testsuites": counts = attributes.compactMapValues(Int.init)
        case "testsuite": suites.append(attributes)
        case "property": properties[attributes["name", default: ""]] = attributes["value"]
        case "testcase":
            current = attributes["name"]
            outcomes[current ?? ""] = "passed"
        case "failure", "error", "skipped": outcomes[current ?? ""] = element
        default: break
        }
    }
}
