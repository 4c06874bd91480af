import Primitives
import Testing

@Suite struct RateTextTests {
    @Test(
        arguments: [
            ("200k/s", 200_000), ("60/m", 1), ("2000/s", 2_000), ("2000", 2_000), ("10M/5min", 10_000_000.0 / 300),
            ("10M/5m", 10_000_000.0 / 300), ("1.5k", 1_500), ("0.5/s", 0.5), ("1/d", 1.0 / 86_400),
            ("1 M / s", 1_000_000),
            ("3.2 M/s", 3_200_000), ("1G/h", 1e9 / 3_600), ("5/100ms", 50), ("1_000/sec", 1_000),
            ("10/1m30s", 10.0 / 90),
        ] as [(String, Double)])
    func `a rate is read per its time`(text: String, perSecond: Double) throws {
        #expect(try abs(Rate(text: text).perSecond / perSecond - 1) < 1e-12)
    }

    @Test(
        arguments: [
            ("", .empty(.rate)), ("max", .notANumber(.rate, found: "max")), ("/s", .notANumber(.rate, found: "/s")),
            ("-5/s", .negative(.rate, found: "-5/s")), ("0/s", .zero(.rate, found: "0/s")),
            ("0", .zero(.rate, found: "0")),
            ("5/0s", .zero(.rate, found: "5/0s")), ("5/", .missingUnit(.rate, found: "5/")),
            ("10/5", .missingUnit(.rate, found: "10/5")),
            ("5/fortnight", .unknownUnit(.rate, unit: "fortnight", found: "5/fortnight")),
            ("5x/s", .unknownUnit(.rate, unit: "x", found: "5x/s")),
            ("5m/s", .unknownUnit(.rate, unit: "m", found: "5m/s")),
            ("5rps", .unknownUnit(.rate, unit: "rps", found: "5rps")), ("5/s/s", .notANumber(.rate, found: "5/s/s")),
            ("5/s 3", .notANumber(.rate, found: "5/s 3")),
            ("99999999999999999999/s", .tooLarge(.rate, found: "99999999999999999999/s")),
            ("1/0.1ns", .notWhole(.rate, found: "1/0.1ns")),
        ] as [(String, QuantityError)])
    func `a text that is no rate is refused with the reason`(text: String, error: QuantityError) {
        #expect(throws: error) { try Rate(text: text) }
    }

    @Test(
        arguments: [
            (3_200_000, "3.2 M/s"), (3_214_999, "3.21 M/s"), (200_000, "200 k/s"), (950, "950/s"), (999.6, "1 k/s"),
            (1, "1/s"), (0.5, "30/m"), (1.0 / 3_600, "1/h"), (1.0 / 86_400, "1/d"), (1.5e12, "1500 G/s"),
            (12.34, "12.3/s"),
        ] as [(Double, String)])
    func `a rate is printed with the unit that suits it`(perSecond: Double, text: String) {
        #expect(Rate(perSecond: perSecond).description == text)
    }

    @Test func `no rate makes the text trap`() {
        for extreme in [0, -1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e-12] {
            #expect(Rate(perSecond: extreme).description.hasSuffix("/s"))
        }
    }

    @Test func `a printed rate reads back within half a per cent`() throws {
        let seed: UInt64 = 52
        var random = SeededRandom(seed: seed)
        for _ in 0..<5_000 {
            let rate = Rate(perSecond: random.unit() * Double(UInt64(1) << random.below(40)) + 0.01)
            let back = try Rate(text: rate.description)
            #expect(abs(back.perSecond / rate.perSecond - 1) < 0.0051, "seed \(seed): \(rate.perSecond)")
        }
    }
}
