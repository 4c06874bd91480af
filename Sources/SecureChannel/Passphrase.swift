/// What opens an encrypted key; neither printed nor compared nor encoded, so that it enters no record and no log.
public struct Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    /// The bytes as the library takes them, without a final zero.
    let bytes: [UInt8]

    /// Makes a passphrase of a file's first line; the rest of the file is not looked at.
    public init(firstLineOf bytes: some Sequence<UInt8>) {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        self.bytes = line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line)
    }

    /// Makes a passphrase of a text.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Whether it has no bytes.
    public var isEmpty: Bool { bytes.isEmpty }

    /// A word that says nothing of it.
    public var description: String { "a passphrase" }

    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Calls `body` with the passphrase as C text.
    func withCText<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var text = bytes.map { CChar(bitPattern: $0) } + [0]
        defer { for index in text.indices { text[index] = 0 } }
        return body(text)
    }
}
