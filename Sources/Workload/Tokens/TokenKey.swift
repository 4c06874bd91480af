public import Primitives

/// The secret that turns a synthetic device into its 32-byte token and back.
///
/// A token is four words. The first two are index and attributes under a keyed permutation of two Feistel rounds, whose round
/// function has full avalanche (``mix64(_:)``); the other two are keyed hashes of those. So tokens look random in every byte, and
/// the holder of the key tells its own tokens from all others. The secrecy is statistical, for load tests, not cryptographic:
/// this is on both sides' way for every notification. Generator and simulator that hold the same seed agree about
/// any number of devices without sharing a list.
///
/// A token that the key did not make is taken for one of ours with probability 2⁻¹²⁸; one with a single bit changed and the
/// all-zero token never are, by construction.
public struct TokenKey: Sendable {
    /// The length of every synthetic token in bytes.
    public static let tokenBytes = 32

    @usableFromInline let indexSalt: UInt64
    @usableFromInline let attributeSalt: UInt64
    @usableFromInline let checkSalt: UInt64
    @usableFromInline let secondCheckSalt: UInt64
    @usableFromInline private(set) var thirdCheckSalt: UInt64

    /// Derives the key from a seed; equal seeds give equal keys on every machine.
    public init(seed: UInt64) {
        var random = SeededRandom(seed: mix64(seed ^ 0x746F_6B65_6E6B_6579))
        indexSalt = random.next()
        attributeSalt = random.next()
        checkSalt = random.next()
        secondCheckSalt = random.next()
        thirdCheckSalt = random.next()
        // Zeros must not be their own check, whatever the key.
        if checks(of: (0, 0)) == (0, 0) { thirdCheckSalt ^= 1 }
    }

    /// Writes the 32 bytes of a device's token.
    ///
    /// - Precondition: 32 bytes are writable at `destination`.
    @inlinable @inline(__always)
    public func writeToken(for device: SyntheticDevice, into destination: UnsafeMutableRawPointer) {
        writeToken(index: device.index, attributes: device.attributes, into: destination)
    }

    @inlinable @inline(__always)
    func writeToken(index: UInt64, attributes: UInt64, into destination: UnsafeMutableRawPointer) {
        let second = attributes ^ mix64(index ^ indexSalt)
        let first = index ^ mix64(second ^ attributeSalt)
        let check = checks(of: (first, second))
        destination.storeBytes(of: first.littleEndian, toByteOffset: 0, as: UInt64.self)
        destination.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
        destination.storeBytes(of: check.0.littleEndian, toByteOffset: 16, as: UInt64.self)
        destination.storeBytes(of: check.1.littleEndian, toByteOffset: 24, as: UInt64.self)
    }

    /// Returns the device whose token the 32 bytes are, or nil when this key did not make them.
    ///
    /// - Precondition: 32 bytes are readable at `token`.
    @inlinable @inline(__always)
    public func device(ofToken token: UnsafeRawPointer) -> SyntheticDevice? {
        let first = Self.word(of: token, at: 0)
        let second = Self.word(of: token, at: 8)
        guard checks(of: (first, second)) == (Self.word(of: token, at: 16), Self.word(of: token, at: 24))
        else { return nil }
        let index = first ^ mix64(second ^ attributeSalt)
        return SyntheticDevice(index: index, attributes: second ^ mix64(index ^ indexSalt))
    }

    /// Two keyed hashes of a token's first half. The first is a bijection of either word, so no change of one goes unseen; the
    /// second folds the full product of both, at half the cost.
    @inlinable @inline(__always)
    func checks(of words: (UInt64, UInt64)) -> (UInt64, UInt64) {
        let rotated = words.1 &<< 29 | words.1 &>> 35
        let product = (words.0 ^ secondCheckSalt).multipliedFullWidth(by: words.1 ^ thirdCheckSalt)
        return (mix64((words.0 ^ checkSalt) &+ rotated), product.high ^ product.low)
    }

    @inlinable @inline(__always)
    static func word(of token: UnsafeRawPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: token.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
