/// The fields that a peer has put into the decoder's table (RFC 7541 sections 2.3.2 and 4).
///
/// Names and values stand one behind the other in memory of twice the table's size. When its end is reached, what is still in the table
/// moves to the front, so that each byte is moved at most once for each time it was inserted.
@usableFromInline
struct HPACKDynamicTable: ~Copyable {
    /// What the RFC adds to each field's length (section 4.1).
    static let entryOverhead = 32

    /// One field; its name begins at `offset`, its value directly behind that.
    @usableFromInline
    struct Entry {
        var offset: Int
        @usableFromInline var nameCount: Int
        @usableFromInline var valueCount: Int
        @usableFromInline var name: HTTP2FieldName
        @usableFromInline var isWellFormed: Bool

        var size: Int { nameCount + valueCount + HPACKDynamicTable.entryOverhead }
    }

    /// The most bytes that our SETTINGS allow.
    private(set) var limit: Int
    /// The most bytes that the peer uses at present.
    private(set) var maxSize: Int
    /// The fields' lengths and their overheads.
    private(set) var size = 0
    /// How many fields there are.
    @usableFromInline private(set) var count = 0
    /// How many fields have ever been inserted.
    @usableFromInline private(set) var insertedCount: UInt32 = 0
    private var ring: [Entry] = []
    private var bytes = OwnedBytes()
    private var end = 0

    init(limit: Int) {
        self.limit = limit
        maxSize = limit
    }

    /// The field at `index`, 1 for the newest.
    ///
    /// - Precondition: `index` is 1 ... ``count``.
    @usableFromInline
    func entry(at index: Int) -> Entry { ring[(Int(insertedCount) &- index) & (ring.count &- 1)] }

    /// The number of the field at `index`, in the order of insertion from 1.
    @usableFromInline
    func number(at index: Int) -> UInt32 { insertedCount &- UInt32(index) &+ 1 }

    @usableFromInline
    func name(of entry: Entry) -> UnsafeRawBufferPointer {
        bytes.view(entry.offset..<entry.offset + entry.nameCount)
    }

    @usableFromInline
    func value(of entry: Entry) -> UnsafeRawBufferPointer {
        let start = entry.offset + entry.nameCount
        return bytes.view(start..<start + entry.valueCount)
    }

    /// Our SETTINGS allow another size from now on.
    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        setMaxSize(min(maxSize, limit))
    }

    /// The peer uses another size from now on.
    mutating func setMaxSize(_ maxSize: Int) {
        self.maxSize = maxSize
        evict(upTo: maxSize)
    }

    /// Inserts a field, for which the oldest ones make room; one that is larger than the table leaves it empty (section 4.4).
    ///
    /// - Precondition: neither view is of this table's memory.
    mutating func insert(
        _ known: HTTP2FieldName, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, isWellFormed: Bool
    ) {
        let entry = Entry(
            offset: 0, nameCount: name.count, valueCount: value.count, name: known, isWellFormed: isWellFormed)
        evict(upTo: max(0, maxSize - entry.size))
        guard entry.size <= maxSize else { return }
        reserve(name.count + value.count)
        if ring.count <= count { widenRing() }
        ring[Int(insertedCount) & (ring.count - 1)] = entry
        ring[Int(insertedCount) & (ring.count - 1)].offset = end
        bytes.put(name, at: end)
        bytes.put(value, at: end + name.count)
        end += name.count + value.count
        size += entry.size
        count += 1
        insertedCount &+= 1
    }

    private mutating func evict(upTo most: Int) {
        while size > most && count > 0 {
            size -= entry(at: count).size
            count -= 1
        }
        if count == 0 { end = 0 }
    }

    /// Makes room for `byteCount` bytes at the end; the table's own bytes are fewer than half of the memory.
    private mutating func reserve(_ byteCount: Int) {
        guard end + byteCount > bytes.all.count else { return }
        var moved = 0
        if count > 0 {
            let start = entry(at: count).offset
            let live = UnsafeRawBufferPointer(rebasing: bytes.all[start..<end])
            bytes.put(live, at: 0)
            moved = start
        }
        for index in 0..<count { ring[(Int(insertedCount) - 1 - index) & (ring.count - 1)].offset -= moved }
        end -= count > 0 ? moved : end
        bytes.reserve(max(2 * min(limit, max(maxSize, 512)), 2 * (end + byteCount)), keeping: end)
    }

    private mutating func widenRing() {
        let empty = Entry(offset: 0, nameCount: 0, valueCount: 0, name: .other, isWellFormed: true)
        var wider = [Entry](repeating: empty, count: max(16, 2 * ring.count))
        for index in stride(from: count, to: 0, by: -1) {
            wider[(Int(insertedCount) - index) & (wider.count - 1)] = entry(at: index)
        }
        ring = wider
    }
}
