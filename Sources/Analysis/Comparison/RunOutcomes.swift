import RunRecords

/// What the runs of a comparison say of themselves, whatever their figures say of each other.
struct RunOutcomes: Equatable, Sendable {
    /// The exit code of a run that ended by an internal error (1) or without a target (8), which no comparison hides; nil if all came to
    /// their ends.
    var errorCode: Int?
    /// How many runs of the candidate failed by their own conditions, as a sentence; nil if none did.
    var candidateFailures: String?

    /// Of no runs.
    init() {}

    /// Looks at the runs of both sides.
    init(_ base: [RunRecord], _ candidate: [RunRecord]) {
        let codes = (base + candidate).compactMap { run -> Int? in
            switch run.verdict.status {
            case .internalError: 1
            case .unreachable: 8
            default: nil
            }
        }
        errorCode = codes.min()
        candidateFailures = Self.failures(of: candidate, side: .candidate)
    }

    /// How many runs of a side failed by their own conditions; nil if none did.
    static func failures(of runs: [RunRecord], side: ComparisonObstacle.Side) -> String? {
        let failed = runs.filter { $0.verdict.status == .failed }
        guard let first = failed.first else { return nil }
        return "\(failed.count) of \(runs.count) runs of the \(side.rawValue) failed, the first because "
            + (first.verdict.reasons.first ?? "of a reason that it does not name")
    }
}
