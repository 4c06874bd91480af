/// What is wrong with a histogram's geometry, with an encoded histogram, or with a name in an interval log.
public enum HistogramError: Error, Equatable, Sendable {
    /// A geometry outside its limits: lowest at least 1, highest at least twice that, digits in 0 ... 5.
    case badGeometry(lowest: Int64, highest: Int64, digits: Int)
    /// Two histograms whose cells do not mean the same values; adding them would move quantiles.
    case differentGeometry(expected: HistogramGeometry, found: HistogramGeometry)
    /// More counts than 63 bits hold.
    case countOverflow
    /// A character that base64 has not, or bad padding, at a byte offset of the text.
    case badBase64(offset: Int)
    /// A first word that names no format read here; V0, V1 and double histograms are among those.
    case unknownFormat(cookie: UInt32)
    /// Fewer bytes than the format needs.
    case truncated(expected: Int, found: Int)
    /// Bytes after the end of the histogram.
    case trailingBytes(count: Int)
    /// A header field with a value that is not supported, at a byte offset.
    case badField(offset: Int)
    /// A geometry that needs more cells than the reader allows.
    case tooManyCells(needed: Int, limit: Int)
    /// A damaged zlib stream, with zlib's own code.
    case badCompression(code: Int32)
    /// A compressed histogram that grows beyond every valid size.
    case inflatesBeyond(limit: Int)
    /// A count that is negative, cut, or outside the cells, at a byte offset of the payload.
    case badCount(offset: Int)
    /// Exact totals that cannot belong to these cells.
    case inconsistentTotals
    /// A tag for the interval log that is empty or has a comma, blank or line break.
    case badTag(String)
}

extension HistogramError: CustomStringConvertible {
    /// The error as a sentence for the reader of a file.
    public var description: String {
        switch self {
        case .badGeometry(let lowest, let highest, let digits):
            "histogram of \(lowest)...\(highest) at \(digits) digits: "
                + "lowest must be at least 1, highest at least twice that, digits in 0...5"
        case .differentGeometry(let expected, let found):
            "histograms of different geometry cannot be added: expected \(expected), found \(found)"
        case .countOverflow: "histogram counts exceed 63 bits"
        case .badBase64(let offset): "histogram text is not base64 at offset \(offset)"
        case .unknownFormat(let cookie):
            "unknown histogram format 0x\(String(cookie, radix: 16)), expected HdrHistogram V2"
        case .truncated(let expected, let found): "histogram cut off: expected \(expected) bytes, found \(found)"
        case .trailingBytes(let count): "\(count) bytes after the end of the histogram"
        case .badField(let offset): "unsupported histogram header field at offset \(offset)"
        case .tooManyCells(let needed, let limit): "histogram needs \(needed) cells, at most \(limit) are read"
        case .badCompression(let code): "histogram is damaged: zlib reports \(code)"
        case .inflatesBeyond(let limit): "histogram inflates beyond \(limit) bytes"
        case .badCount(let offset): "bad histogram count at payload offset \(offset)"
        case .inconsistentTotals: "exact totals do not belong to this histogram"
        case .badTag(let tag): "tag \(tag.debugDescription) must be non-empty without commas, blanks and line breaks"
        }
    }
}
