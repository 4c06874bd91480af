/// Integers with a prefix of some bits (RFC 7541 section 5.1).
public enum HPACKInteger {
    /// The most bytes behind the prefix that are accepted; they hold 28 bits, more than any sensible length or index.
    static let continuationLimit = 4
    /// The most bytes that ``write(_:prefixBits:pattern:to:)`` writes.
    public static let maxByteCount = 6

    /// Reads the integer that begins in the low `prefixBits` bits of the byte at `offset`, and moves `offset` behind it.
    ///
    /// - Precondition: the byte at `offset` exists.
    /// - Throws: ``HTTP2Rule/fieldTruncated`` if it is cut off, ``HTTP2Rule/fieldInteger`` if it is over 28 bits long.
    @inlinable @inline(__always)
    static func read(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, prefixBits: UInt8
    ) throws(HTTP2Violation) -> Int {
        let mask = UInt8(truncatingIfNeeded: 1 << prefixBits &- 1)
        let prefix = bytes[offset] & mask
        offset &+= 1
        return prefix < mask ? Int(prefix) : try readRest(bytes, at: &offset, prefix: Int(mask))
    }

    @usableFromInline
    static func readRest(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, prefix: Int
    ) throws(HTTP2Violation) -> Int {
        var value = prefix
        for place in 0..<continuationLimit {
            guard offset < bytes.count else { throw HTTP2Violation(.fieldTruncated) }
            let byte = bytes[offset]
            offset += 1
            value += Int(byte & 0x7F) << (7 * place)
            if byte & 0x80 == 0 { return value }
        }
        throw HTTP2Violation(.fieldInteger)
    }

    /// Writes `value` with a prefix of `prefixBits` bits below the bits of `pattern`, and returns how many bytes that took.
    ///
    /// - Precondition: ``maxByteCount`` bytes are writable at `destination`, and `value` is 0 ..< 2³².
    @inlinable
    public static func write(
        _ value: Int, prefixBits: UInt8, pattern: UInt8, to destination: UnsafeMutableRawPointer
    ) -> Int {
        let mask = 1 << Int(prefixBits) &- 1
        guard value >= mask else {
            destination.storeBytes(of: pattern | UInt8(truncatingIfNeeded: value), as: UInt8.self)
            return 1
        }
        destination.storeBytes(of: pattern | UInt8(truncatingIfNeeded: mask), as: UInt8.self)
        var rest = value &- mask
        var count = 1
        while rest >= 0x80 {
            destination.storeBytes(
                of: UInt8(truncatingIfNeeded: rest & 0x7F | 0x80), toByteOffset: count, as: UInt8.self)
            rest >>= 7
            count &+= 1
        }
        destination.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        return count &+ 1
    }
}
