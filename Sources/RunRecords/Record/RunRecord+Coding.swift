import Foundation

/// A record as JSON, and back with errors that say what is wrong with the file.
extension RunRecord {
    private static let fileBytesMax = 1 << 30

    /// How a record's JSON is laid out.
    public enum Layout: Sendable {
        /// On one line, for the writes during a run.
        case compact
        /// Indented, for people.
        case indented
    }

    /// The record as JSON with sorted keys, so that equal records are equal files.
    ///
    /// - Parameter layout: how the text is laid out.
    /// - Returns: UTF-8 text, with a line break at the end.
    /// - Throws: ``RecordError/notEncodable(keyPath:)``.
    public func encoded(_ layout: Layout = .indented) throws(RecordError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if layout == .indented { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        } catch {
            var keyPath = ""
            if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
                keyPath = Self.text(of: context.codingPath)
            }
            throw .notEncodable(keyPath: keyPath)
        }
    }

    /// Reads a record.
    ///
    /// - Parameter path: a file of schema `pushbench.run/1`.
    /// - Returns: the record.
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> RunRecord {
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try FileAccess.read(path, limit: fileBytesMax) } catch { throw .file(error) }
        return try decode(bytes, path: path)
    }

    /// Reads a record from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: the record.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> RunRecord {
        guard bytes.contains(where: { !Self.isBlank($0) }) else { throw .empty(path: path) }
        let data = Data(bytes)
        let decoder = JSONDecoder()
        guard let schema = try? decoder.decode(SchemaName.self, from: data) else { throw notARecord(bytes, path) }
        guard schema.schema == currentSchema else { throw .otherSchema(path: path, found: schema.schema) }
        do {
            return try decoder.decode(RunRecord.self, from: data)
        } catch {
            throw malformed(error, path)
        }
    }

    private struct SchemaName: Decodable { var schema: String? }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Says why bytes are no JSON object; Foundation's own error tells no position here.
    private static func notARecord(_ bytes: [UInt8], _ path: String) -> RecordError {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .notJSON(path: path, offset: validPrefixCount(bytes), found: "bytes that are not UTF-8")
        }
        do throws(JSON5SyntaxError) {
            _ = try JSON5Reader.read(text, source: path)
        } catch {
            let isCut = error.found.hasSuffix("without an end") || isBeginning(ofValue: bytes[error.offset...])
            if isCut { return .truncated(path: path, length: bytes.count) }
            return .notJSON(path: path, offset: error.offset, found: error.found)
        }
        return .otherSchema(path: path, found: nil)
    }

    /// Whether the last bytes of a text may be the first ones of a value that was cut: nothing, a word or a number.
    private static func isBeginning(ofValue bytes: ArraySlice<UInt8>) -> Bool {
        let word = String(decoding: bytes.prefix { !isBlank($0) }, as: UTF8.self)
        guard bytes.dropFirst(word.utf8.count).allSatisfy(isBlank) else { return false }
        if ["true", "false", "null"].contains(where: { $0.hasPrefix(word) }) { return true }
        return word.utf8.allSatisfy { JSON5Reader.isDigit($0) || "-+.eE".utf8.contains($0) }
    }

    private static func validPrefixCount(_ bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
        return count
    }

    private static func malformed(_ error: any Error, _ path: String) -> RecordError {
        guard let error = error as? DecodingError else {
            return .malformed(path: path, keyPath: "", reason: "\(error)")
        }
        switch error {
        case .keyNotFound(let key, let context):
            return .malformed(path: path, keyPath: text(of: context.codingPath + [key]), reason: "is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return .malformed(path: path, keyPath: text(of: context.codingPath), reason: "has a value of another kind")
        @unknown default:
            return .malformed(path: path, keyPath: "", reason: "cannot be read")
        }
    }

    private static func text(of codingPath: [any CodingKey]) -> String {
        codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined().drop { $0 == "." }
            .description
    }
}
