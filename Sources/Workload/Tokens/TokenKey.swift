public import Primitives

/// The secret that turns a synthetic device into its 32-byte token and back.
///
/// A token is four words: a keyed hash of the device's index with full avalanche (``mix64(_:)``), index and attributes masked by the product of
/// that hash and a number of the key, and a check of the two. So tokens look random in every byte, and the
/// holder of the key tells its own tokens from all others. The secrecy is statistical, for load tests, not cryptographic:
/// this is on both sides' way for every notification. Generator and simulator that hold the same seed agree about
/// any number of devices without sharing a list.
///
/// A token that the key did not make, or that was changed, is taken for one of ours with a probability of about 2⁻¹²⁸ and
/// 2⁻⁶⁴; the all-zero token never is, by construction.
public struct TokenKey: Sendable {
    /// The length of every synthetic token in bytes.
    public static let tokenBytes = 32

    @usableFromInline private(set) var indexSalt: UInt64
    @usableFromInline let multiplier: UInt64
    @usableFromInline let attributeSalt: UInt64
    @usableFromInline let checkSalt: UInt64
    @usableFromInline let secondCheckSalt: UInt64

    /// Derives the key from a seed; equal seeds give equal keys on every machine.
    public init(seed: UInt64) {
        var random = SeededRandom(seed: mix64(seed ^ 0x746F_6B65_6E6B_6579))
        indexSalt = random.next()
        multiplier = random.next() | 1
        attributeSalt = random.next()
        checkSalt = random.next()
        secondCheckSalt = random.next()
        // Zeros stand for the device of index 0, whose hash must not be zero, whatever the key.
        if mix64(indexSalt) == 0 { indexSalt ^= 1 }
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
        let hash = mix64(index ^ indexSalt)
        let masks = masks(of: hash)
        let first = index ^ masks.index
        let second = attributes ^ masks.attributes
        destination.storeBytes(of: hash.littleEndian, toByteOffset: 0, as: UInt64.self)
        destination.storeBytes(of: first.littleEndian, toByteOffset: 8, as: UInt64.self)
        destination.storeBytes(of: second.littleEndian, toByteOffset: 16, as: UInt64.self)
        destination.storeBytes(of: check(first, second).littleEndian, toByteOffset: 24, as: UInt64.self)
    }

    /// Returns the device whose token the 32 bytes are, or nil when this key did not make them.
    ///
    /// - Precondition: 32 bytes are readable at `token`.
    @inlinable @inline(__always)
    public func device(ofToken token: UnsafeRawPointer) -> SyntheticDevice? {
        let hash = Self.word(of: token, at: 0)
        let first = Self.word(of: token, at: 8)
        let second = Self.word(of: token, at: 16)
        // Index and attributes wait for one product only; what the hash and the check say is known later, and seldom news.
        let masks = masks(of: hash)
        let index = first ^ masks.index
        guard hash == mix64(index ^ indexSalt), check(first, second) == Self.word(of: token, at: 24) else { return nil }
        return SyntheticDevice(index: index, attributes: second ^ masks.attributes)
    }

    @inlinable @inline(__always)
    func masks(of hash: UInt64) -> (index: UInt64, attributes: UInt64) {
        let product = hash.multipliedFullWidth(by: multiplier)
        return (product.high ^ product.low, (product.low &<< 29 | product.low &>> 35) ^ attributeSalt)
    }

    @inlinable @inline(__always)
    func check(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = (first ^ checkSalt).multipliedFullWidth(by: second ^ secondCheckSalt)
        return product.high ^ product.low
    }

    @inlinable @inline(__always)
    static func word(of token: UnsafeRawPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: token.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
