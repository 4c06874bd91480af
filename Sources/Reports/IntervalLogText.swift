import Foundation
import Histograms
import Primitives
public import RunRecords

/// The histograms of a record's intervals as an interval log of HdrHistogram's tools (`.hlog`): one line for each interval and series.
///
/// Series of the measured part have their names as tags, others the phase before, such as `Tag=warmup/residence`. Added up by
/// their tags, the lines give the record's own histograms exactly.
public enum IntervalLogText: RunText {
    static let summary = "interval log for the tools of HdrHistogram; of runs that were asked for one"

    /// The whole log.
    ///
    /// - Throws: ``RecordError/noIntervalHistograms`` when the record does not keep them.
    public static func text(_ record: RunRecord) throws(RecordError) -> String {
        guard !record.intervals.isEmpty else { throw .noIntervalHistograms }
        var text = header(record)
        for interval in record.intervals { text += try lines(interval, record) }
        return text
    }

    /// The lines above those of the intervals.
    public static func header(_ record: RunRecord) -> String {
        log(record).header(comments: [
            "pushbench \(record.tool.version), profile \(record.profileHash)",
            "nanoseconds; tags are series, those of other phases than the measured one with the phase before",
        ])
    }

    /// The lines of one interval of a record, in the order of their tags.
    ///
    /// - Throws: ``RecordError/noIntervalHistograms`` when its histograms were not kept, ``RecordError/malformed(path:keyPath:reason:)``
    ///   when they cannot be read.
    public static func lines(_ interval: IntervalRecord, _ record: RunRecord) throws(RecordError) -> String {
        guard let histograms = interval.histograms else { throw .noIntervalHistograms }
        var text = ""
        for (tag, code) in histograms.sorted(by: { $0.key < $1.key }) {
            do throws(HistogramError) {
                text += try log(record).line(
                    of: Histogram(base64: code), tag: tag, start: Interval(nanoseconds: interval.startNs),
                    length: Interval(nanoseconds: interval.lengthNs))
            } catch {
                throw .malformed(path: "record", keyPath: "intervals.histograms.\(tag)", reason: "\(error)")
            }
        }
        return text
    }

    private static func log(_ record: RunRecord) -> IntervalLog {
        let start = (try? Date(record.startedAt, strategy: .iso8601))?.timeIntervalSince1970 ?? 0
        return IntervalLog(startMilliseconds: Int64(start * 1_000))
    }
}
