/// Memory that belongs to one value, grows on demand, and stays where it is until it grows.
///
/// Views of it may be handed out, which an array does not allow. Inlinable to the end, as the optimiser cannot inline one
/// half of a noncopyable type that inlinable code holds.
@usableFromInline
struct OwnedBytes: ~Copyable {
    @usableFromInline var all = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    @inlinable
    init() {}

    @inlinable
    deinit { all.deallocate() }

    /// Makes room for `count` bytes; the first `kept` ones stay as they are.
    @usableFromInline
    mutating func reserve(_ count: Int, keeping kept: Int = 0) {
        guard all.count < count else { return }
        let wider = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 256), alignment: 8)
        if kept > 0 { wider.copyMemory(from: UnsafeRawBufferPointer(rebasing: all.prefix(kept))) }
        all.deallocate()
        all = wider
    }

    /// Copies `bytes` to `offset`.
    ///
    /// - Precondition: there is room, made by ``reserve(_:keeping:)``.
    @inlinable
    func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard bytes.count > 0 else { return }
        UnsafeMutableRawBufferPointer(rebasing: all[offset..<offset + bytes.count]).copyMemory(from: bytes)
    }

    /// Whether the first `count` bytes are these, and all of these.
    func begins(with bytes: UnsafeRawBufferPointer, count: Int) -> Bool {
        guard bytes.count == count else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if all.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != word { return false }
            offset &+= 8
        }
        while offset < count {
            if all[offset] != bytes[offset] { return false }
            offset &+= 1
        }
        return true
    }

    /// A view of some of the bytes.
    @inlinable
    func view(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: all[range])
    }
}
