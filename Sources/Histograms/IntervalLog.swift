public import Primitives

/// Makes the text of an HdrHistogram interval log (`.hlog`, format 1.3, `measurement.md` 9.7): the header once, then
/// a line for each interval and tag.
///
/// It only makes text; the caller writes it, in the order of start times, and flushes after each interval.
public struct IntervalLog: Sendable {
    /// When the run began, in milliseconds since 1970 (UTC).
    public let startMilliseconds: Int64
    /// How many recorded units make one unit of the log's maximum column; nanoseconds are shown as milliseconds.
    public static let maximumUnit: Double = 1_000_000

    /// Makes a log of a run that began at this time, in milliseconds since 1970.
    public init(startMilliseconds: Int64) { self.startMilliseconds = startMilliseconds }

    /// The lines above the intervals: comments, version, times, legend.
    ///
    /// Start and base time are both written and equal, so that no reader has to guess what the stamps mean.
    ///
    /// - Parameter comments: free text; lines that some readers would not take are divided.
    /// - Returns: lines, each ended by a line feed.
    public func header(comments: [String] = []) -> String {
        var text = ""
        for comment in comments {
            for line in comment.split(whereSeparator: \.isNewline) {
                // HdrHistogram_c keeps 128 bytes of a line.
                for part in pieces(of: line, bytes: 120) { text += "#[\(part)]\n" }
            }
        }
        let seconds = decimalText(Double(startMilliseconds) / 1_000, places: 3)
        text += "#[Histogram log format version 1.3]\n"
        text += "#[StartTime: \(seconds) (seconds since epoch), \(dateText(milliseconds: startMilliseconds))]\n"
        text += "#[BaseTime: \(seconds) (seconds since epoch)]\n"
        text += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
        return text
    }

    /// The line of one interval.
    ///
    /// - Parameters:
    ///   - histogram: what was recorded in the interval, and only in it.
    ///   - tag: the series, such as `errorReply`; nil for the default series.
    ///   - start: when the interval began, from the start of the run.
    ///   - length: how long it was.
    /// - Returns: one line, ended by a line feed.
    /// - Throws: ``HistogramError/badTag(_:)`` for a tag that would break the line.
    public func line(
        of histogram: Histogram, tag: String? = nil, start: Interval, length: Interval
    ) throws(HistogramError) -> String {
        var prefix = ""
        if let tag {
            let isBroken =
                tag.isEmpty || tag.unicodeScalars.contains { $0 == "," || $0.value <= 0x20 || $0.value == 0x7F }
            if isBroken || tag.contains(where: \.isWhitespace) { throw .badTag(tag) }
            prefix = "Tag=\(tag),"
        }
        let maximum = Double(histogram.totals.maximum ?? 0) / Self.maximumUnit
        return prefix + decimalText(start.seconds, places: 3) + "," + decimalText(length.seconds, places: 3) + ","
            + decimalText(maximum, places: 3) + "," + histogram.base64() + "\n"
    }

    /// Divides a line between characters, so that no piece is longer than so many bytes.
    private func pieces(of line: Substring, bytes limit: Int) -> [String] {
        var pieces: [String] = []
        var piece = ""
        for scalar in line.unicodeScalars {
            if piece.utf8.count + scalar.utf8.count > limit {
                pieces.append(piece)
                piece = ""
            }
            piece.unicodeScalars.append(scalar)
        }
        return pieces + [piece]
    }
}

/// A date as Java writes it, in UTC: `Wed Sep 09 15:24:39 UTC 2015`.
private func dateText(milliseconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let seconds = max(0, milliseconds / 1_000)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    var year: Int64 = 1970 + days / 146_097 * 400
    var left = days % 146_097
    func isLeap() -> Bool { year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400) }
    while left >= (isLeap() ? 366 : 365) {
        left -= isLeap() ? 366 : 365
        year += 1
    }
    var month = 0
    for length: Int64 in [31, isLeap() ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        guard left >= length else { break }
        left -= length
        month += 1
    }
    return "\(weekdays[Int(days % 7)]) \(names[month]) \(two(left + 1)) "
        + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) UTC \(year)"
}
