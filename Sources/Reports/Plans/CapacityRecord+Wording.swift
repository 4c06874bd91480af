import Analysis
import Primitives
import RunRecords

/// What every form says of a search for a capacity.
extension CapacityRecord {
    /// What was found, in a line.
    var result: String {
        guard let finding else { return "no capacity found: \(verdict.status.rawValue)" }
        let sustainable = FigureText.rate(finding.sustainablePerSecond)
        let failing = FigureText.rate(finding.failingPerSecond)
        return switch finding.kind {
        case .found:
            "sustainable: \(sustainable) (\(failing) fails)"
                + (finding.isConfirmed == true ? ", confirmed" : ", NOT CONFIRMED by the long try")
        case .atLeast: "sustainable: at least \(sustainable), the highest rate that was allowed"
        case .generatorLimited:
            "no capacity: \(sustainable) holds, and this machine does not generate \(failing)"
        case .nothingHolds: "no capacity: not even \(failing) holds"
        case .stopped: "no capacity found: the try at \(failing) cannot be used"
        }
    }

    /// What a rate had to hold.
    var asked: String { serviceLevel.isEmpty ? "99 % answered, nothing lost" : serviceLevel.joined(separator: ", ") }

    /// How far the machine's noise was in the way; nil if nothing showed.
    var noise: String? {
        guard contradictions > 0 else { return nil }
        return
            "noise: an edge of the bracket said another thing \(FigureText.count(Int64(contradictions), of: "time")) "
            + "when tried again"
    }

    /// Where latency begins to climb; nil if the curve has no knee.
    var kneeText: String? {
        knee.map { knee in
            "knee: \(knee.series) climbs from \(FigureText.rate(knee.ratePerSecond)) on (p99 \(FigureText.time(knee.p99Ns)) there), "
                + "by the curve of all tries"
        }
    }
}

extension ProbeRecord {
    /// Everything that was refused.
    var errors: Int64 { run.errors.reduce(0) { $0.addingReportingOverflow($1.count).overflow ? .max : $0 + $1.count } }

    /// What was in flight at the ends of the run's intervals, on average; nil without any.
    var inFlight: Double? {
        guard !run.intervals.isEmpty else { return nil }
        return run.intervals.reduce(0) { $0 + Double($1.inFlight) } / Double(run.intervals.count)
    }
}

extension CapacitySearch.Stage {
    /// What a try of it is for.
    var meaning: String {
        switch self {
        case .rise: "up or down by doubling"
        case .bisect: "between a rate that held and one that did not"
        case .edge: "an edge of the bracket once more"
        case .extend: "once more, for longer"
        case .confirm: "for long, at the rate that was found"
        }
    }
}
