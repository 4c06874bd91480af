/// A place in a text file as editors show it: line and column from 1, columns in bytes.
struct TextPosition: Equatable {
    var line: Int
    var column: Int

    /// The position of the byte at `offset`, which may be the end.
    init(offset: Int, in text: UnsafeRawBufferPointer) {
        line = 1
        column = 1
        for byte in text.prefix(offset) {
            column += 1
            guard byte == UInt8(ascii: "\n") else { continue }
            line += 1
            column = 1
        }
    }
}
