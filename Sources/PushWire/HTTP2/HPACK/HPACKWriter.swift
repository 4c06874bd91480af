/// Writes fields of a header block in place, without Huffman code, which would cost both ends more than it saves.
///
/// It keeps no table: whoever writes literals with incremental indexing knows what they become. Literals are cheap to write and to read.
public struct HPACKWriter {
    /// Where the block begins.
    public let start: UnsafeMutableRawPointer
    /// How many bytes have room.
    public let capacity: Int
    /// How many bytes are written.
    public private(set) var count = 0

    /// Makes a writer of an empty block in `buffer`.
    public init(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { preconditionFailure("a header block needs room") }
        self.start = start
        capacity = buffer.count
    }

    /// The most bytes that a literal takes besides its name and value.
    public static let literalOverhead = 3 * HPACKInteger.maxByteCount

    /// Writes a field by its index (RFC 7541 section 6.1).
    ///
    /// - Precondition: there is room for ``HPACKInteger/maxByteCount`` bytes, as for all methods besides names and values.
    public mutating func indexed(_ index: Int) {
        integer(index, prefixBits: 7, pattern: 0x80)
    }

    /// Writes a literal with the name at `nameIndex` of the tables (RFC 7541 section 6.2).
    public mutating func literal(_ form: HPACKForm, nameIndex: Int, value: UnsafeRawBufferPointer) {
        literalHead(form, nameIndex: nameIndex, valueCount: value.count)
        append(value)
    }

    /// Writes a literal with its name.
    public mutating func literal(
        _ form: HPACKForm, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {
        literalHead(form, name: name, valueCount: value.count)
        append(value)
    }

    /// Writes a literal with the name at `nameIndex` of the tables, but for the value's bytes, which are to be appended.
    public mutating func literalHead(_ form: HPACKForm, nameIndex: Int, valueCount: Int) {
        head(form, nameIndex: nameIndex)
        integer(valueCount, prefixBits: 7, pattern: 0)
    }

    /// Writes a literal with its name, but for the value's bytes, which are to be appended.
    public mutating func literalHead(_ form: HPACKForm, name: UnsafeRawBufferPointer, valueCount: Int) {
        head(form, nameIndex: 0)
        integer(name.count, prefixBits: 7, pattern: 0)
        append(name)
        integer(valueCount, prefixBits: 7, pattern: 0)
    }

    /// Appends bytes of a value.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(count + bytes.count <= capacity, "the header block does not fit")
        guard let source = bytes.baseAddress else { return }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Writes a literal with a known name, by the static table's index if that has it.
    ///
    /// - Precondition: the name is not ``HTTP2FieldName/other``.
    public mutating func literal(_ form: HPACKForm, _ name: HTTP2FieldName, value: UnsafeRawBufferPointer) {
        precondition(name != .other, "a name has bytes")
        if let index = HPACKStaticTable.index(of: name) {
            literal(form, nameIndex: index, value: value)
        } else {
            literal(form, name: name.text.bytes, value: value)
        }
    }

    /// Writes a literal with a known name and a constant value.
    public mutating func literal(_ form: HPACKForm, _ name: HTTP2FieldName, value: StaticString) {
        literal(form, name, value: value.bytes)
    }

    /// Announces a size of the dynamic table (RFC 7541 section 6.3); at the beginning of a block only.
    public mutating func tableSizeUpdate(_ size: Int) {
        integer(size, prefixBits: 5, pattern: 0x20)
    }

    /// Writes `:status`, by its index if the static table has the status.
    ///
    /// - Precondition: the status is 100 ... 999.
    public mutating func status(_ status: Int) {
        switch status {
        case 200: indexed(8)
        case 204: indexed(9)
        case 206: indexed(10)
        case 304: indexed(11)
        case 400: indexed(12)
        case 404: indexed(13)
        case 500: indexed(14)
        default:
            precondition(100...999 ~= status, "a status has three digits")
            var digits = (
                UInt8(ascii: "0") + UInt8(status / 100), UInt8(ascii: "0") + UInt8(status / 10 % 10),
                UInt8(ascii: "0") + UInt8(status % 10)
            )
            withUnsafeBytes(of: &digits) { literal(.withoutIndexing, nameIndex: 8, value: $0) }
        }
    }

    private mutating func head(_ form: HPACKForm, nameIndex: Int) {
        switch form {
        case .incremental: integer(nameIndex, prefixBits: 6, pattern: 0x40)
        case .withoutIndexing: integer(nameIndex, prefixBits: 4, pattern: 0)
        case .neverIndexed: integer(nameIndex, prefixBits: 4, pattern: 0x10)
        case .indexed: preconditionFailure("an indexed field is no literal")
        }
    }

    private mutating func integer(_ value: Int, prefixBits: UInt8, pattern: UInt8) {
        precondition(count + HPACKInteger.maxByteCount <= capacity, "the header block does not fit")
        count += HPACKInteger.write(value, prefixBits: prefixBits, pattern: pattern, to: start + count)
    }
}
