public import RunRecords

/// A reason for which a comparison of runs means nothing.
public enum ComparisonObstacle: Hashable, Sendable {
    /// A side has no run.
    case noRuns(side: Side)
    /// The machines differ in a part of their fingerprints.
    case machine(part: String, base: String, candidate: String)
    /// The programs were built in different ways, or with other libraries.
    case build(part: String, base: String, candidate: String)
    /// The runs were asked for different things.
    case profile(differences: [String])
    /// The runs of one side were asked for different things.
    case mixedProfiles(side: Side)
    /// A run did not come to its end.
    case unfinished(side: Side, status: VerdictRecord.Status)
    /// A record contradicts itself.
    case unbalanced(side: Side)
    /// The ledgers of a run's two sides differ, though it says that it passed.
    case disagreeing(side: Side)
    /// A run broke what always holds of a run.
    case brokenInvariant(side: Side, name: String)
    /// A run accepted nothing.
    case nothingAccepted(side: Side)
    /// A run says what the generator can do, and not what the target can.
    case generatorLimited(side: Side)
    /// A run offered less than its schedule has.
    case scheduleMissed(side: Side)
    /// The candidate failed to deliver what the baseline delivered; what is left undone makes the rest look better.
    case lossier(name: String, count: Int64)

    /// One of the two sides.
    public enum Side: String, Sendable {
        /// The first one.
        case baseline
        /// The second one.
        case candidate
    }

    /// All reasons, each once.
    static func all(_ base: [RunRecord], _ candidate: [RunRecord], mayDiffer: Bool) -> [ComparisonObstacle] {
        guard let first = base.first, let other = candidate.first else {
            return [(Side.baseline, base), (.candidate, candidate)].filter { $0.1.isEmpty }.map { .noRuns(side: $0.0) }
        }
        var obstacles: [ComparisonObstacle] = []
        for run in base.dropFirst() + candidate { obstacles += machines(first.machine, run.machine) }
        for run in base.dropFirst() + candidate { obstacles += builds(first.tool, run.tool) }
        if !isSameProfile(first, other), !mayDiffer {
            obstacles.append(.profile(differences: JSONValue.differences(first.profile, other.profile)))
        }
        for (side, runs) in [(Side.baseline, base), (.candidate, candidate)] {
            if runs.contains(where: { !isSameProfile(runs[0], $0) }) { obstacles.append(.mixedProfiles(side: side)) }
            for run in runs { obstacles += judged(run, side) }
        }
        for (name, count) in [
            ("lost", \LedgerRecord.lost), ("unknown", \.unknown), ("unsent", \.unsent), ("duplicates", \.duplicates),
        ] where base.allSatisfy({ $0.ledger[keyPath: count] == 0 }) {
            let most = candidate.map { $0.ledger[keyPath: count] }.max() ?? 0
            if most > 0 { obstacles.append(.lossier(name: name, count: most)) }
        }
        var seen: Set<ComparisonObstacle> = []
        return obstacles.filter { seen.insert($0).inserted }
    }

    /// Whether two runs were asked for the same. Somebody may have changed the profile of a record, and not its hash.
    private static func isSameProfile(_ run: RunRecord, _ other: RunRecord) -> Bool {
        run.profileHash == other.profileHash && JSONValue.differences(run.profile, other.profile).isEmpty
    }

    private static func judged(_ run: RunRecord, _ side: Side) -> [ComparisonObstacle] {
        var obstacles: [ComparisonObstacle] = []
        switch run.verdict.status {
        case .running, .interrupted, .unreachable, .internalError:
            obstacles.append(.unfinished(side: side, status: run.verdict.status))
        case .generatorLimited: obstacles.append(.generatorLimited(side: side))
        case .scheduleMissed: obstacles.append(.scheduleMissed(side: side))
        case .passed, .failed, .inconclusive:
            // With a simulator of ours both sides of the connection are what is compared; with another gateway it alone is.
            if run.limit?.kind == .generator, run.simulatorLedger == nil {
                obstacles.append(.generatorLimited(side: side))
            }
        }
        if let broken = run.brokenInvariants?.first { obstacles.append(.brokenInvariant(side: side, name: broken)) }
        if run.throughput.acceptedPerSecond == 0 { obstacles.append(.nothingAccepted(side: side)) }
        if let difference = run.ledgerDifference, difference != 0, run.verdict.status == .passed {
            obstacles.append(.disagreeing(side: side))
        }
        if !run.ledger.isBalanced { obstacles.append(.unbalanced(side: side)) }
        return obstacles
    }

    private static func machines(_ base: MachineRecord, _ other: MachineRecord) -> [ComparisonObstacle] {
        let parts = [
            ("cpu model", base.cpuModel, other.cpuModel), ("cores", "\(base.cores)", "\(other.cores)"),
            ("memory", "\(base.memoryBytes)", "\(other.memoryBytes)"), ("kernel", base.kernel, other.kernel),
            ("os", base.os, other.os), ("openssl", base.openssl, other.openssl),
        ]
        return parts.filter { $0.1 != $0.2 }.map { .machine(part: $0.0, base: $0.1, candidate: $0.2) }
    }

    private static func builds(_ base: ToolRecord, _ other: ToolRecord) -> [ComparisonObstacle] {
        var parts = [("build", base.build, other.build)]
        for name in Set(base.libraries.keys).union(other.libraries.keys).sorted() {
            parts.append((name, base.libraries[name] ?? "none", other.libraries[name] ?? "none"))
        }
        return parts.filter { $0.1 != $0.2 }.map { .build(part: $0.0, base: $0.1, candidate: $0.2) }
    }
}

extension ComparisonObstacle: CustomStringConvertible {
    /// The reason as a sentence.
    public var description: String {
        switch self {
        case .noRuns(let side): "the \(side.rawValue) has no run"
        case .machine(let part, let base, let candidate): "other machine: \(part) \(base) against \(candidate)"
        case .build(let part, let base, let candidate): "other program: \(part) \(base) against \(candidate)"
        case .profile(let differences) where differences.isEmpty: "other profile"
        case .profile(let differences): "other profile: \(differences.joined(separator: "; "))"
        case .mixedProfiles(let side): "the runs of the \(side.rawValue) have different profiles"
        case .unfinished(let side, let status): "the \(side.rawValue) did not come to its end: \(status.rawValue)"
        case .unbalanced(let side): "the ledger of the \(side.rawValue) does not balance"
        case .disagreeing(let side): "the ledgers of the \(side.rawValue)'s sender and simulator differ"
        case .brokenInvariant(let side, let name): "the \(side.rawValue) contradicts itself: \(name)"
        case .nothingAccepted(let side): "the \(side.rawValue) accepted nothing: its other figures mean nothing"
        case .generatorLimited(let side): "the generator was the limit of the \(side.rawValue)"
        case .scheduleMissed(let side): "the \(side.rawValue) did not meet its schedule"
        case .lossier(let name, let count):
            "the candidate left up to \(count) notifications \(name), the baseline none: its other figures flatter it"
        }
    }
}

extension JSONValue {
    /// The key paths at which two profiles differ, with both values; what decides nothing is left out.
    public static func differences(_ left: JSONValue, _ right: JSONValue) -> [String] {
        var differences: [String] = []
        collect(left, right, at: "", into: &differences)
        return differences.filter { !$0.hasPrefix("name ") && !$0.hasPrefix("thresholds ") }
    }

    private static func collect(_ left: JSONValue, _ right: JSONValue, at path: String, into list: inout [String]) {
        guard left != right else { return }
        guard case .object(let leftMembers) = left, case .object(let rightMembers) = right else {
            list.append("\(path) \(left.canonicalText) against \(right.canonicalText)")
            return
        }
        for name in Set(leftMembers.keys).union(rightMembers.keys).sorted() {
            let inner = path.isEmpty ? name : "\(path).\(name)"
            collect(leftMembers[name] ?? .null, rightMembers[name] ?? .null, at: inner, into: &list)
        }
    }
}
