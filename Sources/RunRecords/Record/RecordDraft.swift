import Foundation

/// The JSON of a run that goes on: intervals, which only ever grow in number, are encoded once and not again for each write.
public struct RecordDraft: Sendable {
    private var intervals: [UInt8] = []
    private var intervalCount = 0

    /// Makes a draft without intervals.
    public init() {}

    /// The record as ``RunRecord/encoded(_:)`` gives it in the compact layout.
    ///
    /// - Parameter record: the record so far; its intervals begin with those of the last call.
    /// - Returns: UTF-8 text, with a line break at the end.
    /// - Throws: ``RecordError/notEncodable(keyPath:)``.
    public mutating func encoded(_ record: RunRecord) throws(RecordError) -> [UInt8] {
        var frame = record
        frame.intervals = record.intervals.count > intervalCount ? Array(record.intervals[intervalCount...]) : []
        let (head, added, tail) = try Self.split(frame.encoded(.compact))
        if !added.isEmpty, !intervals.isEmpty { intervals.append(UInt8(ascii: ",")) }
        intervals.append(contentsOf: added)
        intervalCount = record.intervals.count
        var text: [UInt8] = []
        text.reserveCapacity(head.count + intervals.count + tail.count)
        text.append(contentsOf: head)
        text.append(contentsOf: intervals)
        text.append(contentsOf: tail)
        return text
    }

    /// The text before, in and behind the list of intervals, which holds no list itself. No string can hold the key as it
    /// stands in the JSON, since its quotes would be escaped.
    private static func split(
        _ text: [UInt8]
    ) throws(RecordError) -> (head: ArraySlice<UInt8>, list: ArraySlice<UInt8>, tail: ArraySlice<UInt8>) {
        guard let key = text.firstRange(of: Array("\"intervals\":[".utf8)),
            let end = text[key.upperBound...].firstIndex(of: UInt8(ascii: "]"))
        else { throw .notEncodable(keyPath: "intervals") }
        return (text[..<key.upperBound], text[key.upperBound..<end], text[end...])
    }
}
