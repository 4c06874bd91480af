/// The Huffman code of HPACK's strings (RFC 7541 section 5.2 and appendix B), and its decoder.
///
/// The code is canonical: codes of one length are consecutive numbers in the order of their symbols, and those of the next length
/// go on where they end. So the lengths are all there is to know. Codes of up to twelve bits are looked up two symbols at a
/// time; what is longer hardly occurs in header fields and is found by its length.
final class HuffmanCode: Sendable {
    /// The one code that there is.
    static let hpack = HuffmanCode()

    /// Bits of the wide table's index.
    private static let indexBits = 12
    private static let longestCode = 30
    private static let endOfString: UInt16 = 256

    /// By the next twelve bits: two symbols, the bits that they take (bits 16 ... 23, 0 for longer codes), and how many symbols
    /// (bits 24 ... 25).
    private let pairs: [UInt32]
    /// By length: the first code that is too high for it, moved up to 30 bits.
    private let limits: [UInt32]
    /// By length: the place of its first symbol, less its first code.
    private let places: [Int]
    /// All symbols, by length and number.
    private let symbols: [UInt16]

    private init() {
        let lengths = Self.lengths + [30]
        let symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        var limits = [UInt32](repeating: 0, count: Self.longestCode + 1)
        var places = [Int](repeating: 0, count: Self.longestCode + 1)
        var singles = [(symbol: Int, length: Int)?](repeating: nil, count: 1 << Self.indexBits)
        var code = 0
        var place = 0
        for length in 1...Self.longestCode {
            code <<= 1
            places[length] = place - code
            while place < symbols.count, lengths[symbols[place]] == length {
                if length <= Self.indexBits {
                    let shift = Self.indexBits - length
                    for index in code << shift..<(code + 1) << shift { singles[index] = (symbols[place], length) }
                }
                code += 1
                place += 1
            }
            limits[length] = UInt32(code << (Self.longestCode - length))
        }
        self.limits = limits
        self.places = places
        self.symbols = symbols.map { UInt16($0) }
        pairs = singles.indices.map { index in
            guard let first = singles[index] else { return 0 }
            let rest = (index << first.length) & (1 << Self.indexBits - 1)
            if let second = singles[rest], first.length + second.length <= Self.indexBits {
                return UInt32(first.symbol | second.symbol << 8 | (first.length + second.length) << 16 | 2 << 24)
            }
            return UInt32(first.symbol | first.length << 16 | 1 << 24)
        }
    }

    /// The most bytes that `count` bytes of code decode to, and what the decoder may touch behind them.
    static func room(for count: Int) -> Int { count * 8 / 5 + 2 }

    /// Decodes a string and returns its length in bytes.
    ///
    /// - Precondition: ``room(for:)`` bytes are writable at `output`.
    /// - Throws: ``HTTP2Rule/huffmanCode`` if the padding is a byte or more, or not all ones, or if the code of the string's end occurs.
    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer) throws(HTTP2Violation) -> Int {
        var bits = BitQueue(input)
        var count = 0
        try pairs.withUnsafeBufferPointer { pairs throws(HTTP2Violation) in
            while bits.count > 0 {
                let pair = pairs[Int(bits.value >> (64 - Self.indexBits))]
                let taken = Int(pair >> 16 & 0xFF)
                if taken > 0 && taken <= bits.count {
                    output.storeBytes(
                        of: UInt16(truncatingIfNeeded: pair).littleEndian, toByteOffset: count, as: UInt16.self)
                    count &+= Int(pair >> 24)
                    bits.drop(taken)
                } else {
                    guard let symbol = try rareSymbol(&bits) else { return }
                    output.storeBytes(of: symbol, toByteOffset: count, as: UInt8.self)
                    count += 1
                }
            }
        }
        return count
    }

    /// Takes one symbol by its code's length; nil when only padding is left.
    private func rareSymbol(_ bits: inout BitQueue) throws(HTTP2Violation) -> UInt8? {
        let top = UInt32(truncatingIfNeeded: bits.value >> (64 - Self.longestCode))
        var length = 5
        while length < Self.longestCode && top >= limits[length] { length += 1 }
        guard length <= bits.count else {
            // Bits behind the end read as ones, so padding is what begins no code that is whole.
            guard bits.count < 8, bits.value == .max else { throw HTTP2Violation(.huffmanCode) }
            return nil
        }
        let symbol = symbols[places[length] + Int(top >> (Self.longestCode - length))]
        guard symbol != Self.endOfString else { throw HTTP2Violation(.huffmanCode) }
        bits.drop(length)
        return UInt8(truncatingIfNeeded: symbol)
    }

    /// The lengths of the codes of the 256 byte values; the string's end has 30 bits.
    static let lengths: [Int] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    ]
}

/// The next bits of a string; at least 32 while there are so many, and ones behind its end.
private struct BitQueue {
    /// The bits, the next one highest.
    private(set) var value: UInt64 = 0
    /// How many of them belong to the string.
    private(set) var count = 0
    private let input: UnsafeRawBufferPointer
    private var offset = 0

    init(_ input: UnsafeRawBufferPointer) {
        self.input = input
        refill()
    }

    mutating func drop(_ taken: Int) {
        value <<= UInt64(taken)
        count &-= taken
        if count < 32 { refill() }
    }

    private mutating func refill() {
        if offset &+ 4 <= input.count {
            let word = UInt32(bigEndian: input.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            value |= UInt64(word) << UInt64(32 - count)
            offset &+= 4
            count &+= 32
            return
        }
        value &= ~(UInt64.max >> UInt64(count))
        while count <= 56 && offset < input.count {
            value |= UInt64(input[offset]) << UInt64(56 - count)
            offset += 1
            count += 8
        }
        if offset == input.count && count < 64 { value |= UInt64.max >> UInt64(count) }
    }
}
