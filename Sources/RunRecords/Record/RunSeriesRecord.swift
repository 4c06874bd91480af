/// The record of several runs of one profile, one after the other, each with a gateway of its own.
///
/// Its JSON has the schema `pushbench.runs/1`; each of its runs is a whole record of schema `pushbench.run/1`.
public struct RunSeriesRecord: Codable, Equatable, Sendable {
    /// The schema that this version writes and reads.
    public static let currentSchema = "pushbench.runs/1"

    /// The schema's name and version.
    public var schema = RunSeriesRecord.currentSchema
    /// How the series ended: as its worst run.
    public var verdict = VerdictRecord()
    /// How the runs alternated with those of another series; null if they did not.
    @ExplicitNull public var interleaving: InterleavingRecord?
    /// The runs, in the order in which they were made.
    public private(set) var runs: [RunRecord] = []

    /// Makes a series without runs.
    public init() {}

    /// Makes a series of runs.
    public init(_ runs: [RunRecord], interleaving: InterleavingRecord? = nil) {
        self.interleaving = interleaving
        for run in runs { add(run) }
    }

    /// Adds a run that has ended, and holds its end against the worst so far.
    public mutating func add(_ run: RunRecord) {
        runs.append(run)
        guard let worst = runs.map(\.verdict).max(by: { $0.status.badness < $1.status.badness }) else { return }
        verdict = VerdictRecord(status: worst.status, reasons: reasons, exitCode: worst.exitCode ?? 1)
    }

    private var reasons: [String] {
        runs.enumerated().flatMap { index, run in run.verdict.reasons.map { "run \(index + 1): \($0)" } }
    }
}

/// How a series alternated with another one.
public struct InterleavingRecord: Codable, Equatable, Sendable {
    /// A number that the two series of one comparison share, and no others.
    public var comparison: String
    /// The order of both series' runs, such as `ABBABAAB`.
    public var order: String
    /// Which of its letters this series is.
    public var side: String

    /// Names the place of a series in a comparison.
    public init(comparison: String, order: String, side: String) {
        self.comparison = comparison
        self.order = order
        self.side = side
    }
}

extension VerdictRecord.Status {
    /// Which of two ends is worse: the greater one.
    public var badness: Int {
        switch self {
        case .passed: 0
        case .inconclusive: 1
        case .failed: 2
        case .generatorLimited, .scheduleMissed: 3
        case .interrupted: 4
        case .unreachable: 5
        // A run that was killed left no verdict.
        case .running: 6
        case .internalError: 7
        }
    }
}

extension RunSeriesRecord {
    /// The series as JSON with sorted keys.
    ///
    /// - Throws: ``RecordError/notEncodable(keyPath:)``.
    public func encoded(_ layout: RunRecord.Layout = .indented) throws(RecordError) -> [UInt8] {
        try RecordCoding.encoded(self, layout)
    }

    /// Reads a series, or a record of one run as a series of one.
    ///
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> RunSeriesRecord {
        try decode(RecordCoding.bytes(of: path), path: path)
    }

    /// Reads a series, or a record of one run, from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: the series.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> RunSeriesRecord {
        let accepted = [RunRecord.currentSchema, currentSchema]
        guard try RecordCoding.schema(of: bytes, path: path, accepted: accepted) == currentSchema else {
            return RunSeriesRecord([try RunRecord.decode(bytes, path: path)])
        }
        let series: RunSeriesRecord = try RecordCoding.decoded(bytes, path: path)
        if let other = series.runs.first(where: { $0.schema != RunRecord.currentSchema }) {
            throw .otherSchema(path: path, found: other.schema, accepted: [RunRecord.currentSchema])
        }
        return series
    }
}
