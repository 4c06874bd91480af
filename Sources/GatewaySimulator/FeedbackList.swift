public import PushWire

/// Device tokens, each with the latest UNIX time that was noted for it, in the order in which they came.
///
/// The tuples lie behind each other as the feedback service writes them, so a list is its own stream, and a hash index finds a token.
/// Memory is bounded: about 50 bytes for each token of 32 bytes, up to a limit.
public struct FeedbackList: Hashable, Sendable {
    /// The most tokens that a list can hold, so that places in it fit 32 bits.
    public static let largestLimit = 50_000_000
    /// What the simulator keeps unless told otherwise.
    public static let defaultLimit = 1_000_000

    /// The most tokens of 32 bytes that are kept; longer tokens count for more, by their bytes.
    public let limit: Int
    /// All tuples, encoded.
    public private(set) var bytes: [UInt8] = []
    /// How many tokens there are.
    public private(set) var count = 0
    /// How many tokens were turned away because the list was full, each time counted.
    public private(set) var droppedCount: UInt64 = 0
    /// The place of each tuple in ``bytes`` plus 1, at the token's hash or behind it; 0 is free. Half of them are, at least.
    private var slots: [UInt32] = []

    /// Makes an empty list.
    ///
    /// - Precondition: `limit` is from 1 to ``largestLimit``.
    public init(limit: Int = defaultLimit) {
        precondition(limit > 0 && limit <= Self.largestLimit, "a list of \(limit) tokens")
        self.limit = limit
    }

    /// Whether there is no token.
    public var isEmpty: Bool { count == 0 }

    /// The order-free digest of all tuples; equal for equal lists.
    public var digest: UInt64 {
        var digest: UInt64 = 0
        forEach { digest &+= $0.digestTerm }
        return digest
    }

    /// Notes a token; of two times the later one counts.
    public mutating func note(_ tuple: FeedbackTuple) {
        if slots.isEmpty { rehash(slotCount: 64) }
        let slot = slot(of: tuple.token)
        if slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            let time = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
            if tuple.timestamp > UInt32(bigEndian: time) {
                bytes.withUnsafeMutableBytes {
                    $0.storeBytes(of: tuple.timestamp.bigEndian, toByteOffset: place, as: UInt32.self)
                }
            }
            return
        }
        guard bytes.count + tuple.byteCount <= limit * (FeedbackTuple.overheadBytes + 32) else {
            droppedCount += 1
            return
        }
        slots[slot] = UInt32(bytes.count + 1)
        let place = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: tuple.byteCount))
        bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { tuple.write(to: base + place) } }
        count += 1
        if count * 2 > slots.count { rehash(slotCount: slots.count * 2) }
    }

    /// Notes everything that is in another list, and counts what that one turned away.
    public mutating func note(_ other: FeedbackList) {
        if isEmpty, other.limit == limit {
            let dropped = droppedCount
            self = other
            droppedCount += dropped
            return
        }
        other.forEach { note($0) }
        droppedCount += other.droppedCount
    }

    /// Whether a token is in the list.
    public func contains(_ token: UnsafeRawBufferPointer) -> Bool { !slots.isEmpty && slots[slot(of: token)] != 0 }

    /// Calls `body` for each tuple, in order.
    public func forEach(_ body: (FeedbackTuple) -> Void) {
        var reader = FeedbackReader(tokenBytes: 0...Int(UInt16.max))
        bytes.withUnsafeBytes { reader.read($0, body) }
    }

    /// Empties the list, counts included, and returns what was in it.
    public mutating func take() -> FeedbackList {
        let taken = self
        self = FeedbackList(limit: limit)
        return taken
    }

    // MARK: - Index

    /// The slot that holds the token, or the free one where it belongs.
    private func slot(of token: UnsafeRawBufferPointer) -> Int {
        var slot = Int(truncatingIfNeeded: tokenHash(token)) & (slots.count - 1)
        // Ends at a free slot, and half of them are.
        while slots[slot] != 0, !holds(token, at: Int(slots[slot]) - 1) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private func holds(_ token: UnsafeRawBufferPointer, at place: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self)))
            guard length == token.count else { return false }
            let start = place + FeedbackTuple.overheadBytes
            return bytes[start..<start + length].elementsEqual(token)
        }
    }

    private mutating func rehash(slotCount: Int) {
        slots = [UInt32](repeating: 0, count: slotCount)
        var place: UInt32 = 1
        // The tuples are read from a copy of the reference, so that the index may change meanwhile.
        let tuples = bytes
        var reader = FeedbackReader(tokenBytes: 0...Int(UInt16.max))
        tuples.withUnsafeBytes { tuples in
            reader.read(tuples) { tuple in
                slots[slot(of: tuple.token)] = place
                place += UInt32(tuple.byteCount)
            }
        }
    }
}
