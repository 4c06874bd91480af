/// A record as JSON, and back with errors that say what is wrong with the file.
extension RunRecord {
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
        try RecordCoding.encoded(self, layout)
    }

    /// Reads a record.
    ///
    /// - Parameter path: a file of schema `pushbench.run/1`.
    /// - Returns: the record.
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> RunRecord {
        try decode(RecordCoding.bytes(of: path), path: path)
    }

    /// Reads a record from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: the record.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> RunRecord {
        try RecordCoding.decoded(bytes, path: path, schema: currentSchema)
    }
}
