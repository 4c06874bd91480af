public import RunRecords

/// Two records side by side: figures and their ratios, without a judgement on chance, for which one run each is too few.
public struct RecordComparison: Equatable, Sendable {
    /// One figure of both records.
    public struct Row: Equatable, Sendable {
        /// The figure's name.
        public var name: String
        /// The unit of both values.
        public var unit: MetricUnit
        /// Which way is better.
        public var direction: Direction
        /// The baseline's value; nil without data.
        public var base: Double?
        /// The candidate's value; nil without data.
        public var candidate: Double?

        /// Candidate ÷ baseline; nil without data, or if the baseline is 0.
        public var ratio: Double? {
            guard let base, let candidate, base != 0 else { return nil }
            return candidate / base
        }

        /// What the difference means.
        public var change: Change {
            guard let base, let candidate else { return .unknown }
            guard base != candidate else { return .same }
            return switch direction {
            case .neither: .different
            case .higher: candidate > base ? .better : .worse
            case .lower: candidate < base ? .better : .worse
            }
        }
    }

    /// Which way a figure is better.
    public enum Direction: Equatable, Sendable {
        /// More is better.
        case higher
        /// Less is better.
        case lower
        /// It describes, and does not rate.
        case neither
    }

    /// What a difference means.
    public enum Change: Equatable, Sendable {
        /// The candidate's value is better.
        case better
        /// The candidate's value is worse.
        case worse
        /// The values are equal.
        case same
        /// The values differ, and neither is better.
        case different
        /// One has no data.
        case unknown
    }

    /// The figures, most important first; those that neither record has are left out.
    public var rows: [Row]
    /// Why the two cannot be compared; empty if they can.
    public var obstacles: [Obstacle]

    /// Whether the ratios mean anything.
    public var isComparable: Bool { obstacles.isEmpty }

    /// Puts two records side by side.
    public init(base: RunRecord, candidate: RunRecord) {
        obstacles = Obstacle.all(base, candidate)
        let series = Metric.ordered(Array(base.latency.keys) + candidate.latency.keys)
        let latencies = series.flatMap { name in
            Self.statistics.map { (Metric.latency(series: name, $0.1), "\(name).\($0.0)", Direction.lower) }
        }
        rows = (Self.leading + latencies + Self.resources).compactMap { metric, name, direction in
            let (left, right) = (Self.value(of: metric, in: base), Self.value(of: metric, in: candidate))
            guard left != nil || right != nil else { return nil }
            return Row(name: name, unit: metric.unit, direction: direction, base: left, candidate: right)
        }
    }

    /// A figure's value, but not a quantile with fewer than ten values beyond it: it is the maximum under another name.
    private static func value(of metric: Metric, in record: RunRecord) -> Double? {
        if case .latency(let name, .quantile(let quantile)) = metric {
            let count = Double(record.latency[name]?.count ?? 0)
            guard quantile <= 0.5 || count * (1 - quantile) + 1e-6 >= 10 else { return nil }
        }
        return metric.value(in: record)
    }

    private typealias Entry = (Metric, String, Direction)

    private static func entry(_ plain: Metric.Plain, _ direction: Direction) -> Entry {
        (.plain(plain), plain.rawValue, direction)
    }

    private static let leading: [Entry] = [
        entry(.acceptedPerSecond, .higher), entry(.writtenPerSecond, .neither), entry(.bytesPerSecond, .higher),
        entry(.generated, .neither), entry(.accepted, .neither), entry(.rejected, .neither), entry(.lost, .lower),
        entry(.unknown, .lower), entry(.unsent, .lower), entry(.resent, .lower), entry(.duplicates, .lower),
        entry(.ledgerDifference, .lower), entry(.reconnects, .neither), entry(.windowOverruns, .lower),
        entry(.inFlightP50, .lower), entry(.fullReconnects, .neither), entry(.resentPerReconnect, .lower),
        entry(.lostPerReconnect, .lower),
    ]

    private static let statistics: [(String, Metric.Statistic)] = [
        ("p50", .quantile(0.5)), ("p99", .quantile(0.99)), ("max", .max),
    ]

    private static let resources: [Entry] = [
        entry(.senderCPUPerNotification, .lower), entry(.senderPeakRSS, .lower), entry(.senderAllocations, .lower),
        entry(.simulatorCPUPerNotification, .lower), entry(.simulatorPeakRSS, .lower),
        entry(.senderFullHandshakeCPU, .lower), entry(.senderResumedHandshakeCPU, .lower),
        entry(.simulatorFullHandshakeCPU, .lower), entry(.simulatorResumedHandshakeCPU, .lower),
    ]
}

extension RecordComparison {
    /// A reason for which the ratios of two records mean nothing.
    public enum Obstacle: Equatable, Sendable {
        /// The machines differ in a part of their fingerprints.
        case machine(part: String, base: String, candidate: String)
        /// The runs were asked for different things.
        case profile(differences: [String])
        /// A run did not come to its end.
        case unfinished(side: Side, status: VerdictRecord.Status)
        /// A record contradicts itself.
        case unbalanced(side: Side)

        /// One of the two records.
        public enum Side: String, Equatable, Sendable {
            /// The first one.
            case baseline
            /// The second one.
            case candidate
        }

        static func all(_ base: RunRecord, _ candidate: RunRecord) -> [Obstacle] {
            var obstacles = machines(base.machine, candidate.machine)
            if base.profileHash != candidate.profileHash {
                obstacles.append(.profile(differences: JSONValue.differences(base.profile, candidate.profile)))
            }
            for (side, record) in [(Side.baseline, base), (.candidate, candidate)] {
                let isUnfinished = [.running, .interrupted, .unreachable, .internalError].contains(
                    record.verdict.status)
                if isUnfinished { obstacles.append(.unfinished(side: side, status: record.verdict.status)) }
                if !record.ledger.isBalanced { obstacles.append(.unbalanced(side: side)) }
            }
            return obstacles
        }

        private static func machines(_ base: MachineRecord, _ candidate: MachineRecord) -> [Obstacle] {
            let parts = [
                ("cpu model", base.cpuModel, candidate.cpuModel), ("cores", "\(base.cores)", "\(candidate.cores)"),
                ("memory", "\(base.memoryBytes)", "\(candidate.memoryBytes)"),
                ("kernel", base.kernel, candidate.kernel), ("os", base.os, candidate.os),
                ("openssl", base.openssl, candidate.openssl),
            ]
            return parts.filter { $0.1 != $0.2 }.map { .machine(part: $0.0, base: $0.1, candidate: $0.2) }
        }
    }
}

extension RecordComparison.Obstacle: CustomStringConvertible {
    /// The reason as a sentence.
    public var description: String {
        switch self {
        case .machine(let part, let base, let candidate): "other machine: \(part) \(base) against \(candidate)"
        case .profile(let differences) where differences.isEmpty: "other profile"
        case .profile(let differences): "other profile: \(differences.joined(separator: "; "))"
        case .unfinished(let side, let status): "the \(side.rawValue) did not come to its end: \(status.rawValue)"
        case .unbalanced(let side): "the ledger of the \(side.rawValue) does not balance"
        }
    }
}

extension JSONValue {
    /// The key paths at which two profiles differ, with both values; what decides nothing is left out.
    static func differences(_ left: JSONValue, _ right: JSONValue) -> [String] {
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
