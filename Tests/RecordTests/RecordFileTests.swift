import Foundation
import Glibc
import Primitives
import Testing

@testable import RunRecords

@Suite struct RecordFileTests {
    @Test func `a record reads back as it was written`() throws {
        let folder = try TemporaryFolder()
        let file = RecordFile(path: folder.path("r.json"))
        try file.write(sampleRecord())
        #expect(try RunRecord.read(file.path) == sampleRecord())
        try file.writeInterval(sampleRecord().encoded(.compact))
        #expect(try RunRecord.read(file.path) == sampleRecord())
        #expect(try folder.names == ["r.json"], "no temporary file stays behind")
    }

    @Test func `a draft is the record's own text, however its intervals came`() throws {
        var record = sampleRecord()
        record.profile = .object(["name": .string("\"intervals\":[]]")])
        let interval = try #require(record.intervals.first)
        record.intervals = []
        var draft = RecordDraft()
        #expect(try draft.encoded(record) == record.encoded(.compact))
        for growth in [1, 0, 1, 3, 0, 2] {
            for _ in 0..<growth {
                record.intervals.append(interval)
                record.intervals[record.intervals.count - 1].startNs = Int64(record.intervals.count)
            }
            record.durationNs += 1
            #expect(try draft.encoded(record) == record.encoded(.compact))
        }
    }

    @Test func `a folder is made with those it lies in, or the system's reason is told`() throws {
        let folder = try TemporaryFolder()
        try FileAccess.makeFolder(folder.path("a/b//c/"))
        try FileAccess.makeFolder(folder.path("a/b/c"))
        try RecordFile(path: folder.path("a/b/c/r.json")).write(sampleRecord())
        for (path, code) in [("/proc/nope/x", ENOENT), (folder.path("a/b/c/r.json"), ENOTDIR)] {
            let error = #expect(throws: FileFailure.self) { try FileAccess.makeFolder(path) }
            #expect(error?.code == code && error?.operation == "create")
        }
    }

    @Test func `equal records are equal files`() throws {
        #expect(try sampleRecord().encoded() == sampleRecord().encoded())
    }

    @Test func `what was not measured is null and not left out`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(RunRecord().encoded())) as? [String: Any]
        let root = try #require(object)
        for key in ["simulatorLedger", "ledgerDifference", "limit", "calibration", "feedback"] {
            #expect(root[key] is NSNull, "\(key)")
        }
        let throughput = try #require(root["throughput"] as? [String: Any])
        #expect(throughput["acceptedPerSecond"] is NSNull)
        let keys: Set<String> = [
            "schema", "tool", "machine", "profile", "profileHash", "startedAt", "durationNs", "measuredNs", "verdict",
            "limit", "ledger", "simulatorLedger", "ledgerDifference", "throughput", "latency", "errors", "reconnects",
            "windowOverruns", "connections", "intervals", "resources", "calibration", "thresholds", "feedback",
            "schedule", "phases", "steadiness", "unmeasured", "brokenInvariants",
            "replies", "violationBytes", "streams", "littlesLaw", "warnings",
        ]
        #expect(Set(root.keys) == keys)
    }

    @Test func `a record of a version that did not measure reconnects' cost reads as one without it`() throws {
        var object = try #require(
            try JSONSerialization.jsonObject(with: Data(sampleRecord().encoded())) as? [String: Any])
        var reconnects = try #require(object["reconnects"] as? [String: Any])
        for key in [
            "full", "senderHandshakes", "simulatorHandshakes", "firstAcceptanceBy", "throughputLost", "events",
        ] {
            #expect(reconnects.removeValue(forKey: key) != nil, "\(key)")
        }
        object["reconnects"] = reconnects
        let bytes = Array(try JSONSerialization.data(withJSONObject: object))
        let record = try RunRecord.decode(bytes, path: "old.json")
        #expect(record.reconnects.count == 10)
        #expect(record.reconnects.full == nil && record.reconnects.events == nil)
    }

    @Test func `a record of before the feedback service reads as one without it`() throws {
        var record = sampleRecord()
        record.feedback = nil
        let text = String(decoding: try record.encoded(.compact), as: UTF8.self)
        let older = text.replacing("\"feedback\":null,", with: "").replacing(",\"storage\":null", with: "")
        #expect(!older.contains("feedback\":null") && !older.contains("\"storage\":null"))
        #expect(try RunRecord.decode(Array(older.utf8), path: "older.json") == record)
    }

    @Test func `quantiles have the schema's names, and few values give few of them`() throws {
        let text = String(decoding: try sampleRecord().encoded(.compact), as: UTF8.self)
        // Of 2,000 values only two are beyond p99.9.
        #expect(text.contains("\"quantiles\":{\"p50\":1000447,\"p90\":1800191,\"p99\":1980415,\"p99.9\":null}"))
    }

    @Test func `rates of no time are null, never a number that is none`() {
        for length: Int64 in [0, -5] {
            let rates = ThroughputRecord(
                accepted: 5, written: 5, bytes: 5, over: .init(nanoseconds: length))
            #expect(rates == ThroughputRecord())
        }
        #expect(ThroughputRecord(accepted: nil, written: 3, bytes: 9, over: .seconds(3)).writtenPerSecond == 1)
        #expect(ThresholdRecord(text: "t", value: .nan, passed: true).value == nil)
        #expect(!ThresholdRecord(text: "t", value: .infinity, passed: true).passed)
    }

    @Test func `a number that is none is an error with its place, not a broken file`() throws {
        var record = sampleRecord()
        record.profile = .object(["x": .number(.nan)])
        #expect(throws: RecordError.notEncodable(keyPath: "profile.x")) { try record.encoded() }
    }
}

@Suite struct RecordReadingTests {
    @Test func `a file cut anywhere is named as cut`() throws {
        let bytes = try sampleRecord().encoded()
        for length in stride(from: 1, to: bytes.count - 2, by: 37) {
            let part = Array(bytes[..<length])
            #expect(throws: RecordError.truncated(path: "r.json", length: length)) {
                try RunRecord.decode(part, path: "r.json")
            }
        }
    }

    @Test func `a string that is cut within an escape is cut, too`() {
        let bytes = Array(#"{ "schema": "a \"b\\ \u00e9 \n", "x": 1.5e3, "y": [true, null] }"#.utf8)
        for length in 1..<bytes.count {
            let part = Array(bytes[..<length])
            #expect(throws: RecordError.truncated(path: "r.json", length: length)) {
                try RunRecord.decode(part, path: "r.json")
            }
        }
    }

    @Test(arguments: [
        ("", "r.json: is empty; expected a run record"),
        (" \n", "r.json: is empty; expected a run record"),
        ("{ \"schema\": ?", "r.json: is not JSON: found \"?\" at byte 12"),
        ("hello", "r.json: is not JSON: found \"hello\" at byte 0"),
        (
            "[]",
            "r.json: is JSON, but names no schema; accepted: \"pushbench.run/1\""
        ),
        (
            "{}",
            "r.json: is JSON, but names no schema; accepted: \"pushbench.run/1\""
        ),
        (
            "{\"schema\":\"pushbench.run/2\"}",
            "r.json: has the schema \"pushbench.run/2\"; accepted: \"pushbench.run/1\""
        ),
        ("{\"schema\":\"pushbench.run/1\"}", "r.json: tool: is missing"),
    ])
    func `what is no record is refused with the reason`(_ text: String, _ message: String) {
        expectRefusal(Array(text.utf8), message)
    }

    @Test func `a value of another kind is named by its key path`() throws {
        let text = String(decoding: try sampleRecord().encoded(.compact), as: UTF8.self)
        let broken = text.replacing("\"written\":80000", with: "\"written\":\"many\"")
        #expect(broken != text)
        expectRefusal(Array(broken.utf8), "r.json: intervals[0].written: has a value of another kind")
    }

    @Test func `bytes that are no text are named by their place`() {
        expectRefusal([0x7B, 0x22, 0xFF], "r.json: is not JSON: found bytes that are not UTF-8 at byte 2")
        // What looks at the bytes would not see what a reader that guesses the encoding sees.
        let wide = "{\"schema\": \"x\"}".utf8.flatMap { [UInt8]([$0, 0]) }
        expectRefusal(wide, "r.json: is not JSON: found a zero byte, which UTF-8 texts do not have at byte 1")
    }

    private func expectRefusal(_ bytes: [UInt8], _ message: String) {
        do throws(RecordError) {
            _ = try RunRecord.decode(bytes, path: "r.json")
            Issue.record("accepted")
        } catch {
            #expect(error.description == message)
        }
    }
}

@Suite struct RecordFileFailureTests {
    @Test func `a full disk is told as the system tells it`() {
        // The device refuses every write as a full disk does, and must not be replaced by a file.
        let file = RecordFile(path: "/dev/full")
        let failure = FileFailure(operation: "write", path: "/dev/full", code: ENOSPC)
        #expect(throws: RecordError.file(failure)) { try file.write(RunRecord()) }
        #expect(failure.description == "/dev/full: cannot write: No space left on device (errno 28)")
        var status = stat()
        #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func `a folder that is not there fails before the run`() {
        let file = RecordFile(path: "/nowhere/r.json")
        let failure = FileFailure(operation: "create", path: "/nowhere/r.json", code: ENOENT)
        #expect(throws: RecordError.file(failure)) { try file.checkWritable() }
        #expect(throws: RecordError.file(failure)) { try file.write(RunRecord()) }
    }

    @Test func `a folder in the file's place is refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("")
        #expect(throws: RecordError.file(FileFailure(operation: "write", path: path, code: EISDIR))) {
            try RecordFile(path: path).checkWritable()
        }
    }

    @Test func `a failed write leaves the record of the last interval`() throws {
        let folder = try TemporaryFolder()
        let file = RecordFile(path: folder.path("r.json"))
        try file.writeInterval(sampleRecord().encoded(.compact))
        var broken = sampleRecord()
        broken.profile = .number(.infinity)
        #expect(throws: RecordError.self) { try file.write(broken) }
        #expect(try RunRecord.read(file.path) == sampleRecord())
    }

    @Test func `checking leaves the file alone`() throws {
        let folder = try TemporaryFolder()
        try folder.write("r.json", "old")
        try RecordFile(path: folder.path("r.json")).checkWritable()
        try RecordFile(path: folder.path("new.json")).checkWritable()
        #expect(try folder.names == ["r.json"])
        #expect(try String(contentsOfFile: folder.path("r.json"), encoding: .utf8) == "old")
    }

    @Test func `a link stays a link, and its target gets the record`() throws {
        let folder = try TemporaryFolder()
        try folder.write("target.json", "old")
        try #require(symlink(folder.path("target.json"), folder.path("link.json")) == 0)
        try RecordFile(path: folder.path("link.json")).write(sampleRecord())
        #expect(try RunRecord.read(folder.path("target.json")) == sampleRecord())
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.json"))
        #expect(link == folder.path("target.json"))
    }
}

@Suite struct LedgerRecordTests {
    @Test func `a ledger balances exactly when every notification has one fate`() {
        var ledger = LedgerRecord()
        #expect(ledger.isBalanced)
        ledger.generated = 15
        (ledger.accepted, ledger.rejected, ledger.lost, ledger.unknown, ledger.unsent) = (1, 2, 3, 4, 5)
        (ledger.resent, ledger.duplicates) = (100, 7)
        #expect(ledger.isBalanced, "resent and duplicates are counted apart")
        ledger.unsent = 4
        #expect(!ledger.isBalanced && ledger.imbalance == 1)
        ledger.unsent = 6
        #expect(!ledger.isBalanced && ledger.imbalance == -1)
        (ledger.unsent, ledger.lost, ledger.unknown) = (5, -3, 10)
        #expect(!ledger.isBalanced, "a negative count is a fault even if the sum is right")
    }

    @Test func `the difference of two ledgers counts every fate`() {
        let record = sampleRecord()
        guard var simulator = record.simulatorLedger else { return }
        #expect(record.ledger.difference(to: simulator) == 0)
        simulator.accepted -= 3
        simulator.rejected += 2
        simulator.duplicates = 4
        #expect(record.ledger.difference(to: simulator) == 9)
    }
}
