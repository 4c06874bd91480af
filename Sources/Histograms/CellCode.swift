/// The numbers of the V2 payload: ZigZag, then 7-bit groups from the low end, of which a ninth byte carries eight
/// bits (`measurement.md` 9.5); a count if positive, a run of empty cells if negative.
enum CellCode {
    /// Appends one number.
    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        for _ in 0..<8 {
            guard rest > 0x7F else { break }
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads the number at `offset` and moves past it; nil if the bytes end within it.
    static func read(_ bytes: ArraySlice<UInt8>, at offset: inout Int) -> Int64? {
        var pattern: UInt64 = 0
        for place in 0..<9 {
            guard offset < bytes.endIndex else { return nil }
            let byte = bytes[offset]
            offset += 1
            let isLast = place == 8 || byte & 0x80 == 0
            pattern |= UInt64(place == 8 ? byte : byte & 0x7F) << UInt64(7 * place)
            if isLast { break }
        }
        return Int64(bitPattern: pattern >> 1) ^ -Int64(bitPattern: pattern & 1)
    }
}
