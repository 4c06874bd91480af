import Primitives
import Testing

@Suite struct IntervalTextTests {
    @Test(
        arguments: [
            ("500ms", 500_000_000), ("1ms", 1_000_000), ("2s", 2_000_000_000), ("1m30s", 90_000_000_000),
            ("1h", 3_600_000_000_000), ("250us", 250_000), ("250\u{B5}s", 250_000), ("250\u{3BC}s", 250_000),
            ("10ns", 10),
            ("30", 30_000_000_000), ("1.5", 1_500_000_000), ("0", 0), ("0s", 0), ("1.5h", 5_400_000_000_000),
            ("1d2h3m4s5ms6us7ns", 93_784_005_006_007), ("5min", 300_000_000_000), ("2sec", 2_000_000_000),
            (" 1 m  30 s ", 90_000_000_000), ("1_000ms", 1_000_000_000), ("0.000000001s", 1),
            ("1.50000000000000000000s", 1_500_000_000),
            ("00002s", 2_000_000_000), ("9223372036854775807ns", .max), ("0.001us", 1),
        ] as [(String, Int64)])
    func `a time is read with its units`(text: String, nanoseconds: Int64) throws {
        #expect(try Interval(text: text).nanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            ("", .empty(.interval)), ("  ", .empty(.interval)), ("-1s", .negative(.interval, found: "-1s")),
            ("fast", .notANumber(.interval, found: "fast")), (".5s", .notANumber(.interval, found: ".5s")),
            ("+5s", .notANumber(.interval, found: "+5s")), ("1s/2", .notANumber(.interval, found: "1s/2")),
            ("5 parsecs", .unknownUnit(.interval, unit: "parsecs", found: "5 parsecs")),
            ("5MS", .unknownUnit(.interval, unit: "MS", found: "5MS")),
            ("5.s", .unknownUnit(.interval, unit: ".s", found: "5.s")),
            ("1.2.3s", .unknownUnit(.interval, unit: ".", found: "1.2.3s")),
            ("1_s", .unknownUnit(.interval, unit: "_s", found: "1_s")),
            ("1s\n", .unknownUnit(.interval, unit: "s\n", found: "1s\n")),
            ("\u{665}s", .notANumber(.interval, found: "\u{665}s")),
            ("1m30", .missingUnit(.interval, found: "1m30")), ("1 30s", .missingUnit(.interval, found: "1 30s")),
            ("30s1m", .unitsOutOfOrder(.interval, found: "30s1m")),
            ("1s1s", .unitsOutOfOrder(.interval, found: "1s1s")),
            ("0.5ns", .notWhole(.interval, found: "0.5ns")),
            ("1.0000000001s", .notWhole(.interval, found: "1.0000000001s")),
            ("9223372036854775808ns", .tooLarge(.interval, found: "9223372036854775808ns")),
            ("9223372036854775807s", .tooLarge(.interval, found: "9223372036854775807s")),
            ("106751d24h", .tooLarge(.interval, found: "106751d24h")),
            (
                "99999999999999999999999999999999999999999s",
                .tooLarge(.interval, found: "99999999999999999999999999999999999999999s")
            ),
        ] as [(String, QuantityError)])
    func `a text that is no time is refused with the reason`(text: String, error: QuantityError) {
        #expect(throws: error) { try Interval(text: text) }
    }

    @Test(
        arguments: [
            (0, "0 s"), (1, "1 ns"), (999, "999 ns"), (1_000, "1 µs"), (1_250_000, "1.25 ms"), (12_500_000, "12.5 ms"),
            (125_000_000, "125 ms"), (999_499, "999 µs"), (999_600, "1 ms"), (999_949, "1 ms"), (9_996, "10 µs"),
            (9_994, "9.99 µs"), (1_000_000_000, "1 s"), (59_900_000_000, "59.9 s"), (59_950_000_000, "1m"),
            (90_400_000_000, "1m 30s"), (90_500_000_000, "1m 31s"), (3_600_000_000_000, "1h"),
            (93_784_000_000_000, "1d 2h 3m 4s"), (-1_250_000, "-1.25 ms"), (-90_000_000_000, "-1m 30s"),
            (.max, "106751d 23h 47m 17s"), (.min, "-106751d 23h 47m 17s"),
        ] as [(Int64, String)])
    func `a time is printed with the unit that suits it`(nanoseconds: Int64, text: String) {
        #expect(Interval(nanoseconds: nanoseconds).description == text)
    }

    @Test func `a printed time reads back within half a per cent, from a minute on within half a second`() throws {
        let seed: UInt64 = 51
        var random = SeededRandom(seed: seed)
        for _ in 0..<5_000 {
            let interval = Interval(nanoseconds: Int64(random.next() >> (1 + random.below(60))))
            let back = try Interval(text: interval.description)
            let difference = (back - interval).nanoseconds.magnitude
            let allowed = interval >= .milliseconds(59_950) ? 500_000_000 : interval.nanoseconds.magnitude / 200
            #expect(difference <= allowed, "seed \(seed): \(interval.nanoseconds)")
        }
    }
}
