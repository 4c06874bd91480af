/// A pseudo-random order of 0 ..< `count` that is computed, not stored: any place of any key's order in constant time.
///
/// Rounds of multiply and fold permute the next power of two; a result outside the range is permuted again until it is
/// inside (cycle walking), which takes fewer than two passes on average.
@usableFromInline
struct KeyedPermutation: Sendable {
    @usableFromInline let count: UInt64
    @usableFromInline let mask: UInt64
    @usableFromInline let fold: UInt64

    /// - Precondition: `count` is positive.
    @inlinable
    init(count: UInt64) {
        precondition(count > 0, "a permutation of nothing")
        self.count = count
        let bits = UInt64(64 - (count - 1).leadingZeroBitCount)
        mask = bits == 64 ? .max : (1 << bits) - 1
        // A fold by zero bits would send everything to zero.
        fold = max(1, (bits + 1) / 2)
    }

    /// Returns what stands at `position` in the order of `key`.
    ///
    /// - Precondition: `position` is below ``count``.
    @inlinable
    func element(at position: UInt64, key: UInt64) -> UInt64 {
        var value = position
        repeat {
            value = (value &+ key) & mask
            value ^= value &>> fold
            value = (value &* 0x9E37_79B9_7F4A_7C15 &+ (key &>> 32)) & mask
            value ^= value &>> fold
            value = (value &* 0xD1B5_4A32_D192_ED03) & mask
            value ^= value &>> fold
        } while value >= count
        return value
    }
}
