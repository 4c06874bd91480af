import RunRecords

/// What the runs of a comparison say of themselves, whatever their figures say of each other.
enum RunOutcomes {
    /// The exit code of a run that ended by an internal error or not at all (1), or without a target (8), which no comparison hides;
    /// nil if all came to ends of their own.
    static func errorCode(_ runs: [RunRecord]) -> Int? {
        let codes = runs.compactMap { run -> Int? in
            switch run.verdict.status {
            // The record of a run that goes on is all that a run which was killed leaves.
            case .internalError, .running: 1
            case .unreachable: 8
            default: nil
            }
        }
        return codes.min()
    }

    /// How many runs of a side failed by their own conditions; nil if none did.
    static func failures(of runs: [RunRecord], side: ComparisonObstacle.Side) -> String? {
        let failed = runs.filter { $0.verdict.status == .failed }
        guard let first = failed.first else { return nil }
        return "\(failed.count) of \(runs.count) runs of the \(side.rawValue) failed, the first because "
            + (first.verdict.reasons.first ?? "of a reason that it does not name")
    }
}
