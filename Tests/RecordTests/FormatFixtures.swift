import Histograms
import RunRecords

@testable import Reports

/// The sample record under a name of its own.
func namedRecord(_ name: String = "sample") throws -> RunRecord {
    var record = sampleRecord()
    record.profile = try Profile.read(text: "{ name: \"\(name)\" }", source: "a").effectiveJSON
    return record
}

/// A record whose texts would break out of every form that does not escape them.
func hostileRecord() throws -> RunRecord {
    var record = sampleRecord()
    record.profile = .object(["name": .string(hostileText), "protocol": .string(hostileText)])
    record.machine.cpuModel = hostileText
    record.startedAt = hostileText
    record.errors = [ErrorCountRecord(status: nil, name: hostileText, count: 1)]
    record.verdict = VerdictRecord(status: .failed, reasons: [hostileText], exitCode: 3)
    record.thresholds = [ThresholdRecord(text: hostileText, value: 1, passed: false)]
    record.latency[hostileText] = record.latency["residence"]
    record.brokenInvariants = [hostileText]
    return record
}

let hostileText = "a|b\\c\"d'<e>&]]>\n# EOF\n\u{1B}[2J\u{0}`*_@all $x$ \u{FFFE}é"

extension OutputFormat {
    /// What it writes, as text.
    func text(_ subject: ReportSubject) throws -> String {
        String(decoding: try render(subject, style: .plain), as: UTF8.self)
    }
}
