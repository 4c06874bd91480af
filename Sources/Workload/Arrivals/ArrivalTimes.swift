public import Primitives

/// The times of a file, to be replayed: one for each operation, not falling.
public struct ArrivalTimes: Hashable, Sendable {
    private let nanoseconds: [Int64]

    /// The most times that are read.
    public static let limit = 50_000_000

    /// Makes a list of times from the start, which must not fall.
    public init(_ times: [Interval]) {
        precondition(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "times must not fall")
        nanoseconds = times.map(\.nanoseconds)
    }

    /// Reads one time a line, from the start: `12ms`, `1.5s`, or a bare number of seconds.
    ///
    /// Empty lines, and all from `#` to the end of a line, are left out.
    ///
    /// - Parameters:
    ///   - text: the file's bytes.
    ///   - fileName: the name for error messages.
    /// - Throws: ``WorkloadError`` with the first bad line.
    public init(parsing text: UnsafeRawBufferPointer, fileName: String) throws(WorkloadError) {
        var times: [Int64] = []
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            let found = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
            guard !found.isEmpty else { continue }
            guard let time = try? Interval(text: found) else {
                throw .badArrivalTime(file: fileName, line: number, found: String(found.prefix(40)))
            }
            guard time.nanoseconds >= times.last ?? 0 else { throw .fallingArrivalTime(file: fileName, line: number) }
            guard times.count < Self.limit else { throw .tooManyArrivalTimes(file: fileName) }
            times.append(time.nanoseconds)
        }
        guard !times.isEmpty else { throw .noArrivalTimes(file: fileName) }
        nanoseconds = times
    }

    /// How many operations there are.
    public var count: Int { nanoseconds.count }

    /// When an operation begins; ``Interval/never`` behind the last one.
    func time(of index: UInt64) -> Interval {
        index < UInt64(nanoseconds.count) ? Interval(nanoseconds: nanoseconds[Int(index)]) : .never
    }
}
