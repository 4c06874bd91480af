/// How a field was written (RFC 7541 section 6).
@frozen public enum HPACKForm: Hashable, Sendable {
    /// By an index that stands for name and value.
    case indexed
    /// As a literal that enters the dynamic table.
    case incremental
    /// As a literal that does not.
    case withoutIndexing
    /// As a literal that nobody on the way may put into a table.
    case neverIndexed
}

/// A decoded field; its views are valid only during the call that passes it.
@frozen public struct HPACKField {
    /// The name, if it is a known one.
    public var name: HTTP2FieldName
    /// Whether name and value have only such bytes as HTTP/2 allows, and the name no upper-case letter (RFC 9113 section 8.2.1).
    public var isWellFormed: Bool
    /// How the field was written.
    public var form: HPACKForm
    /// The number of the dynamic table's field that this one repeats or has become, counted from 1 in the order of insertion; 0 if none.
    /// The same number on the same connection means the same name and value.
    public var entry: UInt32
    /// The name's bytes.
    public var nameBytes: UnsafeRawBufferPointer
    /// The value's bytes.
    public var value: UnsafeRawBufferPointer

    @inlinable
    init(
        name: HTTP2FieldName, isWellFormed: Bool, form: HPACKForm, entry: UInt32, nameBytes: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) {
        self.name = name
        self.isWellFormed = isWellFormed
        self.form = form
        self.entry = entry
        self.nameBytes = nameBytes
        self.value = value
    }
}

/// Decodes header blocks of one direction of a connection, and keeps the dynamic table that they share (RFC 7541).
///
/// Nothing is asked of the allocator for a field: views of the block, of the tables or of the decoder's own memory are passed on.
public struct HPACKDecoder: ~Copyable {
    /// The most bytes of one header list, each field counted with 32 bytes more (RFC 9113 section 6.5.2).
    public let listLimit: Int
    private var table: HPACKDynamicTable
    private var scratch = OwnedBytes()
    private var scratchCount = 0
    private let code = HuffmanCode.hpack

    /// Makes a decoder with an empty table.
    ///
    /// - Parameters:
    ///   - tableSizeLimit: the most bytes that the dynamic table may have; 4,096 until a peer has acknowledged SETTINGS that say less.
    ///   - listLimit: the most bytes of one header list.
    public init(tableSizeLimit: Int = 4_096, listLimit: Int = 32_768) {
        table = HPACKDynamicTable(limit: tableSizeLimit)
        self.listLimit = listLimit
    }

    /// The peer has acknowledged SETTINGS_HEADER_TABLE_SIZE.
    public mutating func setTableSizeLimit(_ limit: Int) { table.setLimit(limit) }

    /// A mark of what the dynamic table holds: while it stays the same, the same block means the same fields.
    public var tableMark: UInt64 { UInt64(table.insertedCount) << 32 | UInt64(table.count) }

    /// How many bytes the dynamic table holds, as the RFC counts them.
    public var tableSize: Int { table.size }

    /// How many fields the dynamic table holds.
    public var tableCount: Int { table.count }

    /// Decodes a whole header block and passes its fields on in order.
    ///
    /// - Parameters:
    ///   - block: the compressed fields.
    ///   - streamID: the stream that pays for a list that is too long.
    ///   - body: is called for each field, until the list's limit is passed.
    /// - Throws: a violation of the connection if the block cannot be decoded; ``HTTP2Rule/headerListSize`` for the stream if the list is too
    ///   long, after which further blocks can be decoded.
    public mutating func decode(
        _ block: UnsafeRawBufferPointer, streamID: UInt32, _ body: (HPACKField) -> Void
    ) throws(HTTP2Violation) {
        var offset = 0
        var listSize = 0
        try takeSizeUpdates(block, at: &offset)
        while offset < block.count {
            scratchCount = 0
            let field = try takeField(block, at: &offset)
            listSize += field.nameBytes.count + field.value.count + HPACKDynamicTable.entryOverhead
            if listSize <= listLimit { body(field) }
        }
        if listSize > listLimit { throw HTTP2Violation(.headerListSize, scope: .stream(streamID)) }
    }

    private mutating func takeSizeUpdates(
        _ block: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(HTTP2Violation) {
        var count = 0
        while offset < block.count, block[offset] & 0xE0 == 0x20 {
            let size = try HPACKInteger.read(block, at: &offset, prefixBits: 5)
            count += 1
            guard count <= 2 else { throw HTTP2Violation(.tableSizeUpdate) }
            guard size <= table.limit else { throw HTTP2Violation(.tableSize) }
            table.setMaxSize(size)
        }
    }

    private mutating func takeField(
        _ block: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(HTTP2Violation) -> HPACKField {
        let first = block[offset]
        if first & 0x80 != 0 {
            return try indexedField(HPACKInteger.read(block, at: &offset, prefixBits: 7))
        }
        if first & 0x40 != 0 {
            let index = try HPACKInteger.read(block, at: &offset, prefixBits: 6)
            var field = try literal(block, at: &offset, nameIndex: index, form: .incremental)
            table.insert(
                field.name, name: field.nameBytes, value: field.value, isWellFormed: field.isWellFormed)
            // A field that is larger than the table leaves it empty and is in it no more.
            if table.count > 0 { field.entry = table.number(at: 1) }
            return field
        }
        if first & 0x20 != 0 { throw HTTP2Violation(.tableSizeUpdate) }
        let form: HPACKForm = first & 0x10 != 0 ? .neverIndexed : .withoutIndexing
        let index = try HPACKInteger.read(block, at: &offset, prefixBits: 4)
        return try literal(block, at: &offset, nameIndex: index, form: form)
    }

    private func indexedField(_ index: Int) throws(HTTP2Violation) -> HPACKField {
        guard index > HPACKStaticTable.count else {
            guard index > 0 else { throw HTTP2Violation(.fieldIndex) }
            let entry = HPACKStaticTable.entries[index]
            return HPACKField(
                name: entry.knownName, isWellFormed: true, form: .indexed, entry: 0, nameBytes: entry.name.bytes,
                value: entry.value.bytes)
        }
        let place = index - HPACKStaticTable.count
        guard place <= table.count else { throw HTTP2Violation(.fieldIndex) }
        let entry = table.entry(at: place)
        return HPACKField(
            name: entry.name, isWellFormed: entry.isWellFormed, form: .indexed, entry: table.number(at: place),
            nameBytes: table.name(of: entry), value: table.value(of: entry))
    }

    private mutating func literal(
        _ block: UnsafeRawBufferPointer, at offset: inout Int, nameIndex: Int, form: HPACKForm
    ) throws(HTTP2Violation) -> HPACKField {
        var field: HPACKField
        if nameIndex == 0 {
            let name = try string(block, at: &offset)
            field = HPACKField(
                name: HTTP2FieldName(name), isWellFormed: HTTP2FieldBytes.isName(name), form: form, entry: 0,
                nameBytes: name, value: name)
        } else {
            field = try indexedField(nameIndex)
            field.form = form
            field.entry = 0
            // An insertion may drop the field whose name this is.
            if form == .incremental, nameIndex > HPACKStaticTable.count {
                field.nameBytes = keep(field.nameBytes, for: block)
            }
            if !field.isWellFormed { field.isWellFormed = HTTP2FieldBytes.isName(field.nameBytes) }
        }
        field.value = try string(block, at: &offset)
        if field.isWellFormed { field.isWellFormed = HTTP2FieldBytes.isValue(field.value) }
        return field
    }

    /// Takes a string literal (RFC 7541 section 5.2).
    private mutating func string(
        _ block: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(HTTP2Violation) -> UnsafeRawBufferPointer {
        guard offset < block.count else { throw HTTP2Violation(.fieldTruncated) }
        let isCoded = block[offset] & 0x80 != 0
        let count = try HPACKInteger.read(block, at: &offset, prefixBits: 7)
        guard count <= block.count - offset else { throw HTTP2Violation(.fieldTruncated) }
        let bytes = UnsafeRawBufferPointer(rebasing: block[offset..<offset + count])
        offset += count
        guard isCoded && count > 0 else { return bytes }
        reserveScratch(for: block)
        guard let start = scratch.all.baseAddress else { return bytes }
        let decoded = try code.decode(bytes, into: start + scratchCount)
        defer { scratchCount += decoded }
        return scratch.view(scratchCount..<scratchCount + decoded)
    }

    /// Copies a name out of the table.
    private mutating func keep(
        _ name: UnsafeRawBufferPointer, for block: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        reserveScratch(for: block)
        scratch.put(name, at: scratchCount)
        defer { scratchCount += name.count }
        return scratch.view(scratchCount..<scratchCount + name.count)
    }

    /// Makes room for whatever one field of `block` can need, before any of it is used: a name of the table, and all of the block's
    /// strings decoded.
    private mutating func reserveScratch(for block: UnsafeRawBufferPointer) {
        guard scratchCount == 0 else { return }
        scratch.reserve(table.limit + 2 * HuffmanCode.room(for: block.count))
    }
}
