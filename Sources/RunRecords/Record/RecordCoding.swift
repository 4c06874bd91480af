import Foundation

/// What all records share: JSON with sorted keys, a schema's name, and errors that say what is wrong.
package enum RecordCoding {
    private static let fileBytesMax = 1 << 30

    /// A whole file.
    package static func bytes(of path: String) throws(RecordError) -> [UInt8] {
        do throws(FileFailure) { return try FileAccess.read(path, limit: fileBytesMax) } catch { throw .file(error) }
    }

    /// A record as JSON with sorted keys and a line break at the end.
    package static func encoded(
        _ record: some Encodable, _ layout: RunRecord.Layout = .indented
    ) throws(RecordError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if layout == .indented { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return Array(try encoder.encode(record)) + [UInt8(ascii: "\n")]
        } catch {
            var keyPath = ""
            if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
                keyPath = text(of: context.codingPath)
            }
            throw .notEncodable(keyPath: keyPath)
        }
    }

    /// The name of the schema that a file's text says it has, which must be one of those.
    package static func schema(
        of bytes: [UInt8], path: String, accepted: [String]
    ) throws(RecordError) -> String {
        guard bytes.contains(where: { !isBlank($0) }) else { throw .empty(path: path) }
        // Foundation would guess another encoding by the zeros, and whatever else looks at the bytes would not.
        if let offset = bytes.firstIndex(of: 0) {
            throw .notJSON(path: path, offset: offset, found: "a zero byte, which UTF-8 texts do not have")
        }
        guard let name = try? JSONDecoder().decode(SchemaName.self, from: Data(bytes)) else {
            throw notARecord(bytes, path, accepted)
        }
        guard let schema = name.schema, accepted.contains(schema) else {
            throw .otherSchema(path: path, found: name.schema, accepted: accepted)
        }
        return schema
    }

    /// A record of a schema, with all its figures in range.
    package static func decoded<Record: Decodable>(
        _ bytes: [UInt8], path: String, schema name: String
    ) throws(RecordError) -> Record {
        _ = try schema(of: bytes, path: path, accepted: [name])
        return try decoded(bytes, path: path)
    }

    /// A record of a file whose schema is known to be that of `Record`, with all its figures in range.
    package static func decoded<Record: Decodable>(_ bytes: [UInt8], path: String) throws(RecordError) -> Record {
        if let violation = NumberRange.violation(in: bytes) {
            throw .malformed(path: path, keyPath: violation.keyPath, reason: violation.reason)
        }
        do {
            return try JSONDecoder().decode(Record.self, from: Data(bytes))
        } catch {
            throw malformed(error, path)
        }
    }

    private struct SchemaName: Decodable { var schema: String? }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Says why bytes are no JSON object; Foundation's own error tells no position here.
    private static func notARecord(_ bytes: [UInt8], _ path: String, _ accepted: [String]) -> RecordError {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .notJSON(path: path, offset: validPrefixCount(bytes), found: "bytes that are not UTF-8")
        }
        do throws(JSON5SyntaxError) {
            _ = try JSON5Reader.read(text, source: path)
        } catch {
            let rest = bytes[error.offset...]
            let isCut =
                error.found.hasSuffix("without an end") || isBeginning(ofValue: rest) || isBeginning(ofEscape: rest)
            if isCut { return .truncated(path: path, length: bytes.count) }
            return .notJSON(path: path, offset: error.offset, found: error.found)
        }
        // What only JSON5 has, such as NaN, is none of a record's.
        let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
        return isJSON ? .otherSchema(path: path, found: nil, accepted: accepted) : .onlyJSON5(path: path)
    }

    /// Whether the last bytes of a text may be the first ones of a value that was cut: nothing, a word or a number.
    private static func isBeginning(ofValue bytes: ArraySlice<UInt8>) -> Bool {
        let word = String(decoding: bytes.prefix { !isBlank($0) }, as: UTF8.self)
        guard bytes.dropFirst(word.utf8.count).allSatisfy(isBlank) else { return false }
        if ["true", "false", "null"].contains(where: { $0.hasPrefix(word) }) { return true }
        return word.utf8.allSatisfy { JSON5Reader.isDigit($0) || "-+.eE".utf8.contains($0) }
    }

    /// Whether the last bytes of a text may be the first ones of an escape in a string: a backslash, and fewer digits than it has.
    private static func isBeginning(ofEscape bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "\\"), bytes.count < 6 else { return false }
        return bytes.count == 1 || bytes.dropFirst().first == UInt8(ascii: "u")
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
