internal import Primitives

/// Bytes on their way in one direction of a simulated path, in order, each piece with the instant of its arrival.
///
/// Owns copies of what it was given. Knows neither socket nor clock.
struct TransitQueue: ~Copyable {
    private struct Piece {
        var storage: UnsafeMutableRawBufferPointer
        var offset: Int
        var due: Instant
    }

    private var pieces: ContiguousArray<Piece> = []
    /// Pieces before this index have left.
    private var head = 0
    /// How many bytes are on their way.
    private(set) var byteCount = 0

    /// Makes an empty queue.
    init() {}

    deinit { for piece in pieces[head...] { piece.storage.deallocate() } }

    /// When the next piece arrives; nil when none is on its way.
    var nextDue: Instant? { head < pieces.count ? pieces[head].due : nil }

    /// Sends a copy of `bytes`, at least one, on the way; `due` is not before that of the piece before.
    mutating func append(_ bytes: UnsafeRawBufferPointer, due: Instant) {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        storage.copyMemory(from: bytes)
        pieces.append(Piece(storage: storage, offset: 0, due: due))
        byteCount += bytes.count
    }

    /// What is left of the next piece, if it has arrived; valid until it is consumed.
    func arrived(by now: Instant) -> UnsafeRawBufferPointer? {
        guard head < pieces.count, pieces[head].due <= now else { return nil }
        return UnsafeRawBufferPointer(rebasing: pieces[head].storage[pieces[head].offset...])
    }

    /// Forgets the first `count` bytes of the next piece.
    mutating func consume(_ count: Int) {
        byteCount -= count
        pieces[head].offset += count
        if pieces[head].offset == pieces[head].storage.count { takeFirst().deallocate() }
    }

    /// Takes the next piece out, if it has arrived; the caller deallocates it.
    mutating func take(arrivedBy now: Instant) -> UnsafeMutableRawBufferPointer? {
        guard head < pieces.count, pieces[head].due <= now else { return nil }
        byteCount -= pieces[head].storage.count - pieces[head].offset
        return takeFirst()
    }

    private mutating func takeFirst() -> UnsafeMutableRawBufferPointer {
        let storage = pieces[head].storage
        head += 1
        if head == pieces.count {
            pieces.removeAll(keepingCapacity: pieces.count <= 64)
            head = 0
        } else if head >= 64, head * 2 >= pieces.count {
            pieces.removeFirst(head)
            head = 0
        }
        return storage
    }
}
