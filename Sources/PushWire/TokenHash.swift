internal import Primitives

/// A number of 64 bits that spreads tokens evenly over tables and digests; not a cryptographic one.
public func tokenHash(_ token: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(token.count)
    var position = 0
    while position + 8 <= token.count {
        hash = mix64(hash ^ token.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        position += 8
    }
    var rest: UInt64 = 0
    while position < token.count {
        rest = rest << 8 | UInt64(token[position])
        position += 1
    }
    return mix64(hash ^ rest)
}
