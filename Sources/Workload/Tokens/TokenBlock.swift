/// 256 bits as four little-endian words, and the permutation that ``TokenKey`` applies to them.
@usableFromInline
struct TokenBlock {
    @usableFromInline var word0: UInt64
    @usableFromInline var word1: UInt64
    @usableFromInline var word2: UInt64
    @usableFromInline var word3: UInt64

    @inlinable @inline(__always)
    init(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    @inlinable @inline(__always)
    init(loadingFrom source: UnsafeRawPointer) {
        word0 = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        word1 = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        word2 = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        word3 = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    }

    @inlinable @inline(__always)
    func store(to destination: UnsafeMutableRawPointer) {
        destination.storeBytes(of: word0.littleEndian, toByteOffset: 0, as: UInt64.self)
        destination.storeBytes(of: word1.littleEndian, toByteOffset: 8, as: UInt64.self)
        destination.storeBytes(of: word2.littleEndian, toByteOffset: 16, as: UInt64.self)
        destination.storeBytes(of: word3.littleEndian, toByteOffset: 24, as: UInt64.self)
    }

    /// Twelve rounds with a subkey before each four and after the last.
    @inlinable @inline(__always)
    mutating func permute(_ key: TokenKey) {
        add(key.word0, key.word1, key.word2, key.word3)
        roundsA()
        add(key.word1, key.word2, key.word3, key.word4 &+ 1)
        roundsB()
        add(key.word2, key.word3, key.word4, key.word0 &+ 2)
        roundsA()
        add(key.word3, key.word4, key.word0, key.word1 &+ 3)
    }

    /// Undoes ``permute(_:)``.
    @inlinable @inline(__always)
    mutating func invert(_ key: TokenKey) {
        subtract(key.word3, key.word4, key.word0, key.word1 &+ 3)
        inverseRoundsA()
        subtract(key.word2, key.word3, key.word4, key.word0 &+ 2)
        inverseRoundsB()
        subtract(key.word1, key.word2, key.word3, key.word4 &+ 1)
        inverseRoundsA()
        subtract(key.word0, key.word1, key.word2, key.word3)
    }

    @inlinable @inline(__always)
    mutating func add(_ subkey0: UInt64, _ subkey1: UInt64, _ subkey2: UInt64, _ subkey3: UInt64) {
        word0 &+= subkey0
        word1 &+= subkey1
        word2 &+= subkey2
        word3 &+= subkey3
    }

    @inlinable @inline(__always)
    mutating func subtract(_ subkey0: UInt64, _ subkey1: UInt64, _ subkey2: UInt64, _ subkey3: UInt64) {
        word0 &-= subkey0
        word1 &-= subkey1
        word2 &-= subkey2
        word3 &-= subkey3
    }

    /// Rounds 0 to 3 of each eight; swapping words 1 and 3 after each round is done by naming.
    @inlinable @inline(__always)
    mutating func roundsA() {
        Self.mix(&word0, &word1, 14)
        Self.mix(&word2, &word3, 16)
        Self.mix(&word0, &word3, 52)
        Self.mix(&word2, &word1, 57)
        Self.mix(&word0, &word1, 23)
        Self.mix(&word2, &word3, 40)
        Self.mix(&word0, &word3, 5)
        Self.mix(&word2, &word1, 37)
    }

    /// Rounds 4 to 7 of each eight.
    @inlinable @inline(__always)
    mutating func roundsB() {
        Self.mix(&word0, &word1, 25)
        Self.mix(&word2, &word3, 33)
        Self.mix(&word0, &word3, 46)
        Self.mix(&word2, &word1, 12)
        Self.mix(&word0, &word1, 58)
        Self.mix(&word2, &word3, 22)
        Self.mix(&word0, &word3, 32)
        Self.mix(&word2, &word1, 32)
    }

    /// Undoes ``roundsA()``.
    @inlinable @inline(__always)
    mutating func inverseRoundsA() {
        Self.unmix(&word0, &word3, 5)
        Self.unmix(&word2, &word1, 37)
        Self.unmix(&word0, &word1, 23)
        Self.unmix(&word2, &word3, 40)
        Self.unmix(&word0, &word3, 52)
        Self.unmix(&word2, &word1, 57)
        Self.unmix(&word0, &word1, 14)
        Self.unmix(&word2, &word3, 16)
    }

    /// Undoes ``roundsB()``.
    @inlinable @inline(__always)
    mutating func inverseRoundsB() {
        Self.unmix(&word0, &word3, 32)
        Self.unmix(&word2, &word1, 32)
        Self.unmix(&word0, &word1, 58)
        Self.unmix(&word2, &word3, 22)
        Self.unmix(&word0, &word3, 46)
        Self.unmix(&word2, &word1, 12)
        Self.unmix(&word0, &word1, 25)
        Self.unmix(&word2, &word3, 33)
    }

    @inlinable @inline(__always)
    static func mix(_ left: inout UInt64, _ right: inout UInt64, _ rotation: UInt64) {
        left &+= right
        right = (right &<< rotation | right &>> (64 &- rotation)) ^ left
    }

    @inlinable @inline(__always)
    static func unmix(_ left: inout UInt64, _ right: inout UInt64, _ rotation: UInt64) {
        let mixed = right ^ left
        right = mixed &>> rotation | mixed &<< (64 &- rotation)
        left &-= right
    }
}
