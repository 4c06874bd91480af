import Primitives

/// The secret that turns a synthetic device into its 32-byte token and back.
///
/// The token is the device under a keyed permutation of 256 bits with the structure of Threefish-256 (Ferguson and others,
/// "The Skein Hash Function Family", version 1.3, section 3.3) in 12 of its 72 rounds. Every bit depends on every other
/// after nine, so tokens look random; the secrecy is statistical, for load tests, not cryptographic. Generator and
/// simulator that hold the same seed agree about any number of devices without sharing a list.
///
/// Half of the permuted block is a constant of the key, so a token that the key did not make is taken for one of ours
/// with probability 2⁻¹²⁸ or less; the all-zero token never is, by construction.
public struct TokenKey: Sendable {
    /// The length of every synthetic token in bytes.
    public static let tokenBytes = 32

    @usableFromInline let word0: UInt64
    @usableFromInline let word1: UInt64
    @usableFromInline let word2: UInt64
    @usableFromInline let word3: UInt64
    /// Threefish's parity word.
    @usableFromInline let word4: UInt64
    @usableFromInline private(set) var check0: UInt64
    @usableFromInline let check1: UInt64

    /// Derives the key from a seed; equal seeds give equal keys on every machine.
    public init(seed: UInt64) {
        var random = SeededRandom(seed: mix64(seed ^ 0x746F_6B65_6E6B_6579))
        word0 = random.next()
        word1 = random.next()
        word2 = random.next()
        word3 = random.next()
        word4 = 0x1BD1_1BDA_A9FC_1A22 ^ word0 ^ word1 ^ word2 ^ word3
        check1 = random.next()
        // A check word that differs from what the all-zero token holds in its place, whatever the key.
        let difference = random.next() | 1
        check0 = 0
        var zero = TokenBlock(0, 0, 0, 0)
        zero.invert(self)
        check0 = zero.word2 ^ difference
    }

    /// Writes the 32 bytes of a device's token.
    ///
    /// - Precondition: 32 bytes are writable at `destination`.
    @inlinable @inline(__always)
    public func writeToken(for device: SyntheticDevice, into destination: UnsafeMutableRawPointer) {
        var block = TokenBlock(device.index, device.attributes, check0, check1)
        block.permute(self)
        block.store(to: destination)
    }

    /// Returns the device whose token the 32 bytes are, or nil when this key did not make them.
    ///
    /// - Precondition: 32 bytes are readable at `token`.
    @inlinable @inline(__always)
    public func device(ofToken token: UnsafeRawPointer) -> SyntheticDevice? {
        var block = TokenBlock(loadingFrom: token)
        block.invert(self)
        guard block.word2 == check0, block.word3 == check1 else { return nil }
        return SyntheticDevice(index: block.word0, attributes: block.word1)
    }
}
