public import Analysis
public import RunRecords

/// What can be written for a reader.
public enum ReportSubject: Sendable {
    /// One run.
    case run(RunRecord)
    /// Several runs of one profile.
    case runs(RunSeriesRecord)
    /// What two sets of runs say about each other.
    case comparison(Comparison)
    /// A profile at many settings.
    case sweep(SweepRecord)
    /// The search for the highest rate that a target holds.
    case capacity(CapacityRecord)

    /// What it is, whatever is in it.
    public enum Kind: Sendable, CaseIterable {
        /// See the cases of ``ReportSubject``.
        case run, runs, comparison, sweep, capacity

        /// Its name for people, with an article where there is one.
        public var title: String {
            switch self {
            case .run: "one run"
            case .runs: "several runs"
            case .comparison: "a comparison"
            case .sweep: "a sweep"
            case .capacity: "a search for a capacity"
            }
        }
    }

    /// What it is.
    public var kind: Kind {
        switch self {
        case .run: .run
        case .runs: .runs
        case .comparison: .comparison
        case .sweep: .sweep
        case .capacity: .capacity
        }
    }
}

extension ReportSubject {
    /// The schemas of all records that can be written for a reader.
    private static let schemas = [
        RunRecord.currentSchema, RunSeriesRecord.currentSchema, Comparison.currentSchema, SweepRecord.currentSchema,
        CapacityRecord.currentSchema,
    ]

    /// Reads a record of any kind; a series of one run is that run.
    ///
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> ReportSubject {
        try decode(RecordCoding.bytes(of: path), path: path)
    }

    /// Reads a record of any kind from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: what it is a record of.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> ReportSubject {
        switch try RecordCoding.schema(of: bytes, path: path, accepted: schemas) {
        case Comparison.currentSchema: return .comparison(try Comparison.decode(bytes, path: path))
        case SweepRecord.currentSchema: return .sweep(try SweepRecord.decode(bytes, path: path))
        case CapacityRecord.currentSchema: return .capacity(try CapacityRecord.decode(bytes, path: path))
        default:
            let series = try RunSeriesRecord.decode(bytes, path: path)
            return series.runs.count == 1 ? .run(series.runs[0]) : .runs(series)
        }
    }
}
