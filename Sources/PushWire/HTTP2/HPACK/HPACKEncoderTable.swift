/// The dynamic table of a peer's decoder, as the writer of its blocks has to picture it (RFC 7541 sections 2.3.2 and 4).
///
/// Few fields, inserted once for a connection; so they are searched and not hashed.
struct HPACKEncoderTable {
    private struct Entry {
        var name: [UInt8]
        /// Nil if only the name is of use.
        var value: [UInt8]?
        var size: Int
    }

    /// The most that is used of what a peer offers.
    static let wantedSize = 4_096

    /// From the oldest to the newest.
    private var entries: [Entry] = []
    private var size = 0
    /// What the peer allows, or what is wanted of it.
    private var limit = Self.wantedSize
    /// The least that the peer has allowed since the last block.
    private var smallestLimit = Self.wantedSize
    /// The size that the peer was told last.
    private var announcedSize = Self.wantedSize
    /// Whether all fields of a request have room together; otherwise each would drive out another.
    private var isUseful = true
    /// How often anything was inserted or announced.
    private(set) var changeCount = 0

    /// What a field takes.
    static func size(name: Int, value: Int) -> Int { name + value + HPACKDynamicTable.entryOverhead }

    /// The peer allows another size from the next block on.
    mutating func setLimit(_ peerLimit: Int) {
        limit = min(peerLimit, Self.wantedSize)
        smallestLimit = min(smallestLimit, limit)
    }

    /// Begins a block whose fields take `needed` bytes, with the announcements of sizes that are due (section 4.2).
    mutating func begin(needed: Int, writer: inout HPACKWriter) {
        isUseful = needed <= limit
        if smallestLimit < announcedSize { announce(smallestLimit, writer: &writer) }
        if limit != announcedSize { announce(limit, writer: &writer) }
        smallestLimit = limit
    }

    private mutating func announce(_ size: Int, writer: inout HPACKWriter) {
        writer.tableSizeUpdate(size)
        announcedSize = size
        evict(upTo: size)
        changeCount += 1
    }

    /// Writes a field: by its index if it is in the table, and into the table otherwise, if that is of use.
    mutating func write(_ name: [UInt8], _ value: [UInt8], writer: inout HPACKWriter) {
        if let place = entries.lastIndex(where: { $0.value == value && $0.name == name }) {
            return writer.indexed(index(of: place))
        }
        writeHead(name, valueCount: value.count, writer: &writer)
        if isUseful { insert(name, value, valueCount: value.count) }
        value.withUnsafeBytes { writer.append($0) }
    }

    /// Writes a field but for its value of `valueCount` bytes, which the caller appends: each time another one, so that only the first
    /// one enters the table, for its name.
    mutating func writeName(_ name: [UInt8], valueCount: Int, writer: inout HPACKWriter) {
        if let place = entries.lastIndex(where: { $0.name == name }) {
            return writer.literalHead(.withoutIndexing, nameIndex: index(of: place), valueCount: valueCount)
        }
        writeHead(name, valueCount: valueCount, writer: &writer)
        if isUseful { insert(name, nil, valueCount: valueCount) }
    }

    private func writeHead(_ name: [UInt8], valueCount: Int, writer: inout HPACKWriter) {
        let form = isUseful ? HPACKForm.incremental : .withoutIndexing
        name.withUnsafeBytes { bytes in
            let known = HTTP2FieldName(bytes)
            if let index = HPACKStaticTable.index(of: known) {
                writer.literalHead(form, nameIndex: index, valueCount: valueCount)
            } else {
                writer.literalHead(form, name: bytes, valueCount: valueCount)
            }
        }
    }

    private func index(of place: Int) -> Int { HPACKStaticTable.count + entries.count - place }

    private mutating func insert(_ name: [UInt8], _ value: [UInt8]?, valueCount: Int) {
        let entry = Entry(name: name, value: value, size: Self.size(name: name.count, value: valueCount))
        evict(upTo: max(0, announcedSize - entry.size))
        entries.append(entry)
        size += entry.size
        changeCount += 1
    }

    private mutating func evict(upTo most: Int) {
        while size > most, let oldest = entries.first {
            size -= oldest.size
            entries.removeFirst()
        }
    }
}
