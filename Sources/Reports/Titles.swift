import Analysis
public import RunRecords
import Statistics

extension VerdictRecord.Status {
    /// The end of a run as a heading.
    var title: String {
        switch self {
        case .running: "NOT FINISHED"
        case .passed: "PASSED"
        case .failed: "FAILED"
        case .inconclusive: "INCONCLUSIVE"
        case .generatorLimited: "GENERATOR-LIMITED"
        case .scheduleMissed: "SCHEDULE NOT MET"
        case .unreachable: "UNREACHABLE"
        case .interrupted: "INTERRUPTED"
        case .internalError: "INTERNAL ERROR"
        }
    }
}

extension Comparison {
    /// What the comparison says as a heading.
    var title: String {
        if !obstacles.isEmpty { return "NOT COMPARABLE" }
        if verdict.exitCode == 3 { return "A THRESHOLD FAILED" }
        return switch verdict.status {
        case .regressed: "REGRESSED"
        case .improved: "IMPROVED"
        case .equivalent: "EQUIVALENT"
        case .noEvidence: "NO EVIDENCE OF A CHANGE"
        case .inconclusive: "INCONCLUSIVE"
        }
    }
}

extension RunRecord {
    /// What the run is called: its profile's name.
    public var name: String { profile.text("name") ?? "unnamed" }
}
