/// Reading the V2 format from bytes that may be damaged or hostile: memory is bounded by `cellLimit`, whatever the
/// bytes claim.
extension Histogram {
    /// More cells than any geometry of up to four digits needs.
    public static let defaultCellLimit = 1 << 20

    /// Reads a histogram, plain or compressed; its totals are estimated from the cells.
    ///
    /// - Parameters:
    ///   - bytes: exactly one encoded histogram.
    ///   - cellLimit: the most cells that are allocated.
    /// - Throws: ``HistogramError`` saying what is wrong with the bytes.
    public convenience init(
        encoded bytes: [UInt8], cellLimit: Int = Histogram.defaultCellLimit
    ) throws(HistogramError) {
        let plain = try V2Reader.plainBytes(of: bytes, cellLimit: cellLimit)
        let reader = try V2Reader(plain, cellLimit: cellLimit)
        self.init(reader.geometry)
        try fill(from: reader.payload)
    }

    /// Reads a histogram and restores its exact totals, which must agree with the cells.
    ///
    /// - Parameters:
    ///   - bytes: exactly one encoded histogram.
    ///   - totals: what ``Histogram/totals`` was.
    ///   - cellLimit: the most cells that are allocated.
    /// - Throws: ``HistogramError`` saying what is wrong, ``HistogramError/inconsistentTotals`` among others.
    public convenience init(
        encoded bytes: [UInt8], totals: HistogramTotals, cellLimit: Int = Histogram.defaultCellLimit
    ) throws(HistogramError) {
        try self.init(encoded: bytes, cellLimit: cellLimit)
        guard accepts(totals) else { throw .inconsistentTotals }
        exact.pointee = totals
    }

    /// Reads a histogram from base64, as it stands in a run record or an interval log.
    ///
    /// - Parameters:
    ///   - base64: the text of exactly one encoded histogram.
    ///   - totals: what ``Histogram/totals`` was; estimated from the cells if nil.
    ///   - cellLimit: the most cells that are allocated.
    /// - Throws: ``HistogramError`` saying what is wrong.
    public convenience init(
        base64: some StringProtocol, totals: HistogramTotals? = nil, cellLimit: Int = Histogram.defaultCellLimit
    ) throws(HistogramError) {
        let bytes = try Base64.decode(base64)
        if let totals {
            try self.init(encoded: bytes, totals: totals, cellLimit: cellLimit)
        } else {
            try self.init(encoded: bytes, cellLimit: cellLimit)
        }
    }

    /// Fills the cells of an empty histogram from a V2 payload.
    private func fill(from payload: ArraySlice<UInt8>) throws(HistogramError) {
        var totals = HistogramTotals()
        totals.isExact = false
        var index = 0
        var offset = payload.startIndex
        while offset < payload.endIndex {
            let error = HistogramError.badCount(offset: offset - payload.startIndex)
            guard let number = CellCode.read(payload, at: &offset) else { throw error }
            let room = geometry.cellCount - index
            guard number < 0 ? number >= -Int64(room) : room > 0 else { throw error }
            guard number > 0 else {
                index += number < 0 ? Int(-number) : 1
                continue
            }
            let (count, overflow) = totals.count.addingReportingOverflow(number)
            guard !overflow else { throw .countOverflow }
            cells[index] = number
            totals.count = count
            totals.sum += Int128(geometry.medianValue(at: index)) * Int128(number)
            totals.lowest = min(totals.lowest, geometry.lowestValue(at: index))
            totals.highest = geometry.highestValue(at: index)
            index += 1
        }
        exact.pointee = totals
    }

    /// Whether totals can be those of the values in the cells, which are not yet exact.
    private func accepts(_ totals: HistogramTotals) -> Bool {
        let estimate = self.totals
        guard totals.invalidCount >= 0, totals.overflowCount >= 0,
            totals.count.subtractingReportingOverflow(totals.overflowCount) == (estimate.count, false)
        else { return false }
        guard let minimum = totals.minimum, let maximum = totals.maximum else {
            return totals.sum == 0 && totals.lowest == .max && totals.highest == .min
        }
        guard minimum >= 0, minimum <= maximum, possibleSums(totals, maximum: maximum).contains(totals.sum) else {
            return false
        }
        let used = usedCells
        let minimumFits =
            used.isEmpty ? minimum > geometry.highestTrackable : geometry.index(of: minimum) == used.lowerBound
        let maximumFits =
            totals.overflowCount > 0
            ? maximum > geometry.highestTrackable : geometry.index(of: maximum) == used.upperBound - 1
        return minimumFits && maximumFits
    }

    /// The sums that values of these cells, and those above the range, can have.
    private func possibleSums(_ totals: HistogramTotals, maximum: Int64) -> ClosedRange<Int128> {
        let overflowCount = Int128(totals.overflowCount)
        var least = overflowCount * Int128(geometry.highestTrackable)
        var most = overflowCount * Int128(max(maximum, geometry.highestTrackable))
        for index in usedCells {
            least += Int128(geometry.lowestValue(at: index)) * Int128(cells[index])
            most += Int128(geometry.highestValue(at: index)) * Int128(cells[index])
        }
        return least...most
    }
}

/// The parts of a plain V2 encoding, checked.
private struct V2Reader {
    let geometry: HistogramGeometry
    let payload: ArraySlice<UInt8>

    /// Removes the compression, if there is one.
    static func plainBytes(of bytes: [UInt8], cellLimit: Int) throws(HistogramError) -> [UInt8] {
        let cookie = UInt32(try bigEndian(bytes, at: 0, bytes: 4))
        guard cookie & V2Format.cookieMask == V2Format.compressedCookie & V2Format.cookieMask else { return bytes }
        try check(bytes, length: Int(try bigEndian(bytes, at: 4, bytes: 4)), after: 8)
        // Every cell has at most one number.
        let (cellBytes, overflow) = cellLimit.multipliedReportingOverflow(by: V2Format.numberBytesMax)
        let limit = overflow ? Int.max : cellBytes.addingReportingOverflow(V2Format.headerBytes).partialValue
        return try ZlibStream.inflate(bytes[8...], limit: max(limit, V2Format.headerBytes))
    }

    init(_ bytes: [UInt8], cellLimit: Int) throws(HistogramError) {
        let cookie = UInt32(try Self.bigEndian(bytes, at: 0, bytes: 4))
        guard cookie & V2Format.cookieMask == V2Format.plainCookie & V2Format.cookieMask else {
            throw .unknownFormat(cookie: cookie)
        }
        guard bytes.count >= V2Format.headerBytes else {
            throw .truncated(expected: V2Format.headerBytes, found: bytes.count)
        }
        let payloadBytes = Int(try Self.bigEndian(bytes, at: 4, bytes: 4))
        try Self.check(bytes, length: payloadBytes, after: V2Format.headerBytes)
        guard try Self.bigEndian(bytes, at: 8, bytes: 4) == 0 else { throw .badField(offset: 8) }
        guard try Self.bigEndian(bytes, at: 32, bytes: 8) == (1.0).bitPattern else { throw .badField(offset: 32) }
        geometry = try HistogramGeometry(
            lowestDiscernible: Int64(bitPattern: try Self.bigEndian(bytes, at: 16, bytes: 8)),
            highestTrackable: Int64(bitPattern: try Self.bigEndian(bytes, at: 24, bytes: 8)),
            significantDigits: Int(try Self.bigEndian(bytes, at: 12, bytes: 4)))
        guard geometry.cellCount <= cellLimit else {
            throw .tooManyCells(needed: geometry.cellCount, limit: cellLimit)
        }
        payload = bytes[V2Format.headerBytes...]
    }

    /// Checks that the part after the header is as long as the header says.
    private static func check(_ bytes: [UInt8], length: Int, after headerBytes: Int) throws(HistogramError) {
        let expected = headerBytes + length
        guard bytes.count >= expected else { throw .truncated(expected: expected, found: bytes.count) }
        guard bytes.count == expected else { throw .trailingBytes(count: bytes.count - expected) }
    }

    /// The number at an offset, highest byte first.
    private static func bigEndian(_ bytes: [UInt8], at offset: Int, bytes count: Int) throws(HistogramError) -> UInt64 {
        guard bytes.count >= offset + count else { throw .truncated(expected: offset + count, found: bytes.count) }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
