import Primitives
public import RunRecords

/// A wish to have a record written: `json=run.json`, or `csv=-` for the standard output.
public struct OutputRequest: Equatable, Sendable {
    /// Where it is written.
    public enum Destination: Equatable, Sendable {
        /// The standard output.
        case standardOutput
        /// A file, which is replaced as a whole.
        case file(String)
    }

    /// The form.
    public let format: OutputFormat
    /// Where it is written.
    public let destination: Destination

    /// Reads `FORMAT=PATH`.
    ///
    /// - Throws: ``OutputRequestError`` saying what is accepted.
    public init(_ text: String) throws(OutputRequestError) {
        guard let sign = text.firstIndex(of: "=") else { throw .noPath(text) }
        let name = String(text[..<sign])
        guard let format = OutputFormat(rawValue: name) else {
            let names = OutputFormat.allCases.map(\.rawValue)
            throw .unknownFormat(name, nearest: nearestName(to: name, among: names))
        }
        let path = String(text[text.index(after: sign)...])
        guard !path.isEmpty else { throw .noPath(text) }
        self.format = format
        destination = path == "-" ? .standardOutput : .file(path)
    }

    /// Reads all outputs of a command.
    ///
    /// - Parameters:
    ///   - texts: the requests as written.
    ///   - kind: what will be written.
    /// - Returns: the requests in their order.
    /// - Throws: ``OutputRequestError``, also when two of them would go to the same place.
    public static func read(
        _ texts: [String], of kind: ReportSubject.Kind
    ) throws(OutputRequestError) -> [OutputRequest] {
        var requests: [OutputRequest] = []
        for text in texts { requests.append(try OutputRequest(text)) }
        if let other = requests.first(where: { !$0.format.kinds.contains(kind) }) {
            throw .noSuchForm(other.format.absence(of: kind))
        }
        let toStandardOutput = requests.filter { $0.destination == .standardOutput }.map(\.format.rawValue)
        guard toStandardOutput.count < 2 else { throw .sharedStandardOutput(formats: toStandardOutput) }
        var formats: [String: OutputFormat] = [:]
        for request in requests {
            guard case .file(let path) = request.destination, let file = FileAccess.identity(path) else { continue }
            if let other = formats.updateValue(request.format, forKey: file) {
                throw .sharedFile(path, formats: [other.rawValue, request.format.rawValue])
            }
        }
        return requests
    }

    /// Writes to a file, or hands the bytes to the caller if they belong on the standard output.
    ///
    /// - Parameters:
    ///   - subject: what is written.
    ///   - style: what the reader's terminal can show; a file gets no colours.
    /// - Returns: bytes for the standard output; nil if a file was written.
    /// - Throws: ``RecordError``; an existing file is then as it was.
    public func write(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        guard case .file(let path) = destination else { return try format.render(subject, style: style) }
        var fileStyle = TerminalStyle.plain
        fileStyle.usesUnicode = style.usesUnicode
        let bytes = try format.render(subject, style: fileStyle)
        do throws(FileFailure) {
            try FileAccess.replace(path, with: bytes, durability: .machine)
        } catch {
            throw .file(error)
        }
        return nil
    }
}

extension [OutputRequest] {
    /// The files among the places, of one form or of all.
    public func files(of format: OutputFormat? = nil) -> [RecordFile] {
        compactMap { output in
            guard format == nil || output.format == format, case .file(let path) = output.destination else {
                return nil
            }
            return RecordFile(path: path)
        }
    }
}

/// An output that cannot be understood.
public enum OutputRequestError: Error, Equatable, Sendable {
    /// There is no path.
    case noPath(String)
    /// There is no such format.
    case unknownFormat(String, nearest: String?)
    /// What will be written does not have the format.
    case noSuchForm(RecordError)
    /// Several are for the standard output.
    case sharedStandardOutput(formats: [String])
    /// Two would replace each other in a file.
    case sharedFile(String, formats: [String])
}

extension OutputRequestError: CustomStringConvertible {
    /// What was found and what is accepted.
    public var description: String {
        let accepted = "FORMAT=PATH with one of \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", "))"
        return switch self {
        case .noPath(let text):
            "\(text.debugDescription) names no path; expected \(accepted); \"-\" is the standard output"
        case .unknownFormat(let name, let nearest):
            "unknown format \(name.debugDescription)\(nearest.map { ", did you mean \"\($0)\"?" } ?? ""); expected \(accepted)"
        case .noSuchForm(let error): "\(error)"
        case .sharedFile(let path, let formats):
            "\(formats.joined(separator: " and ")) cannot both go to \(path); every output needs a file of its own"
        case .sharedStandardOutput(let formats):
            "\(formats.joined(separator: " and ")) cannot both go to the standard output; only one output may have the path \"-\""
        }
    }
}
