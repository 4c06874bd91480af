/// HdrHistogram's V2 format (`measurement.md` 9.5 and 9.6), which any of its implementations reads.
///
/// It carries the cells only; ``Histogram/totals`` must be kept beside it.
extension Histogram {
    /// The V2 encoding without compression.
    public func encoded() -> [UInt8] {
        let payload = encodedCells()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(V2Format.headerBytes + payload.count)
        bytes.append(bigEndian: V2Format.plainCookie)
        bytes.append(bigEndian: UInt32(payload.count))
        bytes.append(bigEndian: UInt32(0))
        bytes.append(bigEndian: UInt32(geometry.significantDigits))
        bytes.append(bigEndian: UInt64(geometry.lowestDiscernible))
        bytes.append(bigEndian: UInt64(geometry.highestTrackable))
        bytes.append(bigEndian: (1.0).bitPattern)
        return bytes + payload
    }

    /// The V2 encoding in a zlib stream.
    public func compressed() -> [UInt8] {
        let stream = ZlibStream.deflate(encoded())
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + stream.count)
        bytes.append(bigEndian: V2Format.compressedCookie)
        bytes.append(bigEndian: UInt32(stream.count))
        return bytes + stream
    }

    /// The compressed V2 encoding as base64; begins with `HISTFAAA`.
    public func base64() -> String { Base64.encode(compressed()) }

    /// Counts, and runs of empty cells as negative numbers, up to the last cell with a count.
    private func encodedCells() -> [UInt8] {
        var payload: [UInt8] = []
        var emptyCount = usedCells.lowerBound
        for index in usedCells {
            guard cells[index] != 0 else {
                emptyCount += 1
                continue
            }
            if emptyCount > 0 { CellCode.append(Int64(-emptyCount), to: &payload) }
            emptyCount = 0
            CellCode.append(cells[index], to: &payload)
        }
        return payload
    }
}

/// Constants of the V2 format.
enum V2Format {
    static let plainCookie: UInt32 = 0x1c84_9313
    static let compressedCookie: UInt32 = 0x1c84_9314
    /// Implementations mark the word size here; it means nothing in V2.
    static let cookieMask: UInt32 = ~0xF0
    static let headerBytes = 40
    /// The longest encoding of one number.
    static let numberBytesMax = 9
}

extension [UInt8] {
    /// Appends a number, highest byte first.
    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
