/// A fixed number of bits, all clear at first; memory is eight bytes for every 64 bits.
public struct Bitmap: ~Copyable {
    /// How many bits there are.
    public let bitCount: Int
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    @usableFromInline let wordCount: Int

    /// Makes a bitmap of `bitCount` clear bits.
    ///
    /// - Precondition: `bitCount` is not negative.
    public init(bitCount: Int) {
        precondition(bitCount >= 0, "a bitmap cannot have \(bitCount) bits")
        self.bitCount = bitCount
        wordCount = (bitCount + 63) / 64
        words = .allocate(capacity: max(1, wordCount))
        words.initialize(repeating: 0, count: max(1, wordCount))
    }

    deinit { words.deallocate() }

    /// Sets a bit and returns whether it was set before.
    ///
    /// - Precondition: `index` is in 0 ..< ``bitCount``.
    @inlinable
    public mutating func set(_ index: Int) -> Bool {
        precondition(index >= 0 && index < bitCount, "bit out of range")
        let mask: UInt64 = 1 << UInt64(index & 63)
        let before = words[index >> 6]
        words[index >> 6] = before | mask
        return before & mask != 0
    }

    /// Clears a bit and returns whether it was set before.
    ///
    /// - Precondition: `index` is in 0 ..< ``bitCount``.
    @inlinable
    public mutating func clear(_ index: Int) -> Bool {
        precondition(index >= 0 && index < bitCount, "bit out of range")
        let mask: UInt64 = 1 << UInt64(index & 63)
        let before = words[index >> 6]
        words[index >> 6] = before & ~mask
        return before & mask != 0
    }

    /// Whether a bit is set; false for an index outside the bitmap.
    @inlinable
    public func contains(_ index: Int) -> Bool {
        guard index >= 0 && index < bitCount else { return false }
        return words[index >> 6] & (1 << UInt64(index & 63)) != 0
    }

    /// How many bits are set.
    public var setCount: Int {
        var count = 0
        for word in 0..<wordCount { count += words[word].nonzeroBitCount }
        return count
    }

    /// Sets every bit that is set in `other`, which must have the same size.
    public mutating func formUnion(_ other: borrowing Bitmap) {
        precondition(other.bitCount == bitCount, "bitmaps of different sizes")
        // Written out: the compiler (6.3.1) crashes on `|=` here when it builds for the thread sanitizer.
        for word in 0..<wordCount { words[word] = words[word] | other.words[word] }
    }

    /// Calls `body` with the bytes of the bitmap, bit 0 lowest in byte 0 (little-endian words).
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: words, count: wordCount * 8))
    }
}
