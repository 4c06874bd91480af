import Histograms
import Primitives
import Testing

@Suite struct IntervalLogTests {
    private let log = IntervalLog(startMilliseconds: 1_441_812_279_474)

    @Test func `the header names version, equal start and base time, and columns`() {
        #expect(
            log.header(comments: ["made by a test"]) == """
                #[made by a test]
                #[Histogram log format version 1.3]
                #[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 15:24:39 UTC 2015]
                #[BaseTime: 1441812279.474 (seconds since epoch)]
                "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"

                """)
    }

    @Test(
        arguments: [
            (0, "Thu Jan 01 00:00:00 UTC 1970"), (951_782_400_000, "Tue Feb 29 00:00:00 UTC 2000"),
            (1_709_251_199_999, "Thu Feb 29 23:59:59 UTC 2024"), (4_107_542_400_000, "Mon Mar 01 00:00:00 UTC 2100"),
            (1_735_689_599_000, "Tue Dec 31 23:59:59 UTC 2024"), (1_735_689_600_000, "Wed Jan 01 00:00:00 UTC 2025"),
        ] as [(Int64, String)])
    func `the date is that of the calendar`(milliseconds: Int64, date: String) {
        #expect(IntervalLog(startMilliseconds: milliseconds).header().contains(", \(date)]\n"))
    }

    @Test func `no line of the header is longer than 128 bytes and none of a comment is lost`() {
        let comment = String(repeating: "é", count: 500) + "\nsecond line"
        let lines = log.header(comments: [comment]).split(separator: "\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 128 && ($0.hasPrefix("#[") || $0.hasPrefix("\"")) })
        #expect(lines.joined().filter { $0 == "é" }.count == 500)
        #expect(lines.contains("#[second line]"))
    }

    @Test func `a line has tag, offset, length, maximum in milliseconds and a histogram that reads back`() throws {
        let histogram = Histogram()
        histogram.record(2_769_000)
        let line = try log.line(
            of: histogram, tag: "errorReply", start: .milliseconds(127), length: .milliseconds(1_007))
        let fields = line.dropLast().split(separator: ",")
        #expect(line.last == "\n")
        #expect(fields.prefix(4) == ["Tag=errorReply", "0.127", "1.007", "2.769"])
        #expect(try Histogram(base64: fields[4], totals: histogram.totals) == histogram)
    }

    @Test func `the sum of the intervals read back equals the total bit by bit`() throws {
        let seed: UInt64 = 61
        var random = SeededRandom(seed: seed)
        let (interval, total, sum) = (Histogram(), Histogram(), Histogram())
        for second in 0..<5 as Range<Int64> {
            for _ in 0..<1_000 {
                let value = Int64(random.below(3_000_000_000))
                interval.record(value)
                total.record(value)
            }
            let line = try log.line(of: interval, start: .seconds(second), length: .seconds(1))
            let text = try #require(line.dropLast().split(separator: ",").last)
            try sum.add(Histogram(base64: text))
            interval.reset()
        }
        #expect(sum.encoded() == total.encoded(), "seed \(seed)")
    }

    @Test func `an empty interval has maximum 0`() throws {
        let line = try log.line(of: Histogram(), start: .zero, length: .seconds(1))
        #expect(line.hasPrefix("0.000,1.000,0.000,HISTFAAA"))
    }

    @Test(arguments: ["", "a,b", "a b", "a\nb", "a\r", "\t", "a\u{2028}b", "a\u{A0}b"])
    func `a tag that would break the line is refused`(tag: String) {
        #expect(throws: HistogramError.badTag(tag)) {
            try log.line(of: Histogram(), tag: tag, start: .zero, length: .zero)
        }
    }
}
