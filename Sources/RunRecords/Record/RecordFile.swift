/// A run record that cannot be written or read.
public enum RecordError: Error, Equatable, Sendable {
    /// The system refused a file operation.
    case file(FileFailure)
    /// The file has no bytes.
    case empty(path: String)
    /// The text ends within the record; offset and length in bytes.
    case truncated(path: String, length: Int)
    /// The text is not JSON.
    case notJSON(path: String, offset: Int, found: String)
    /// The text is JSON5, and has something that JSON has not.
    case onlyJSON5(path: String)
    /// The JSON has another schema, or none.
    case otherSchema(path: String, found: String?, accepted: [String])
    /// The schema is right, but something in it is not as it says.
    case malformed(path: String, keyPath: String, reason: String)
    /// The record does not keep the histograms of its intervals.
    case noIntervalHistograms
    /// What was to be written does not have the form; its single runs may.
    case noSuchForm(form: String, of: String, accepted: [String], isOfItsRuns: Bool)
    /// A number of the record is not finite, which JSON cannot say.
    case notEncodable(keyPath: String)
}

extension RecordError: CustomStringConvertible {
    /// The path, what was found, and what is accepted.
    public var description: String {
        switch self {
        case .file(let failure): "\(failure)"
        case .empty(let path): "\(path): is empty; expected a run record"
        case .truncated(let path, let length): "\(path): ends within the record, after \(length) bytes"
        case .notJSON(let path, let offset, let found): "\(path): is not JSON: found \(found) at byte \(offset)"
        case .onlyJSON5(let path):
            "\(path): is not JSON: NaN, Infinity, comments and names without quotes are JSON5; profiles have them, records do not"
        case .otherSchema(let path, let found?, let accepted):
            "\(path): has the schema \(shortened(found)); accepted: \(quoted(accepted))"
        case .otherSchema(let path, nil, let accepted):
            "\(path): is JSON, but names no schema; accepted: \(quoted(accepted))"
        case .malformed(let path, let keyPath, let reason): "\(path): \(keyPath): \(reason)"
        case .noIntervalHistograms:
            "the record has no histograms of single intervals, of which an interval log is made; "
                + "`pushbench run -o hlog=PATH` keeps them"
        case .noSuchForm(let form, let subject, let accepted, let isOfItsRuns):
            "\(form) is no form of \(subject); accepted here: \(accepted.joined(separator: ", "))"
                + (isOfItsRuns ? "; `pushbench report RECORD --run N` picks one run" : "")
        case .notEncodable(let keyPath): "record: \(keyPath) is not a finite number"
        }
    }

    private func quoted(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
}

/// The file of a run record: written again and again during a run, always whole.
///
/// Each write replaces the file by renaming, so a run that is killed leaves the record of its last interval.
public struct RecordFile: Sendable {
    /// Where the record is written.
    public let path: String

    /// Names a file; nothing is written yet.
    public init(path: String) { self.path = path }

    /// Checks early, before a run has cost anything, that the file can be written; leaves an existing one alone.
    ///
    /// - Throws: ``RecordError/file(_:)``.
    public func checkWritable() throws(RecordError) {
        do throws(FileFailure) { try FileAccess.checkReplaceable(path) } catch { throw .file(error) }
    }

    /// Writes the text of a ``RecordDraft``, of a run that goes on: without waiting for the disk, since only this process may be killed.
    ///
    /// - Throws: ``RecordError``; the file of the last write is still there.
    public func writeInterval(_ text: [UInt8]) throws(RecordError) { try write(text, .process) }

    /// Writes the record of a run that has ended, down to the disk.
    ///
    /// - Throws: ``RecordError``; the file of the last write is still there.
    public func write(_ record: RunRecord) throws(RecordError) { try write(record.encoded(), .machine) }

    /// Writes the record of several runs, down to the disk.
    ///
    /// - Throws: ``RecordError``; the file of the last write is still there.
    public func write(_ series: RunSeriesRecord) throws(RecordError) { try write(series.encoded(), .machine) }

    /// Writes the text of another record, down to the disk.
    ///
    /// - Throws: ``RecordError``; the file of the last write is still there.
    public func write(encoded text: [UInt8]) throws(RecordError) { try write(text, .machine) }

    private func write(_ bytes: [UInt8], _ durability: FileAccess.Durability) throws(RecordError) {
        do throws(FileFailure) {
            try FileAccess.replace(path, with: bytes, durability: durability)
        } catch {
            throw .file(error)
        }
    }
}
