import Primitives
import Testing

@Suite struct QuantityErrorTests {
    @Test func `the message tells what was found, why it is refused and what is accepted`() throws {
        let error = #expect(throws: QuantityError.self) { try Interval(text: "5 parsecs") }
        #expect(
            error?.description
                == "\"5 parsecs\" has the unknown unit \"parsecs\"; expected a time such as 500ms, 2s, 1m30s or 1h "
                + "(ns us ms s m h d; a bare number is seconds)")
    }

    @Test(arguments: [Quantity.interval, .rate, .count, .size])
    func `every message ends with the accepted forms of its quantity`(quantity: Quantity) {
        let errors: [QuantityError] = [
            .empty(quantity), .notANumber(quantity, found: "?"), .negative(quantity, found: "-1"),
            .zero(quantity, found: "0"), .missingUnit(quantity, found: "1"),
            .unknownUnit(quantity, unit: "x", found: "1x"), .ambiguousUnit(quantity, unit: "MB", found: "1MB"),
            .unitsOutOfOrder(quantity, found: "1s1m"), .tooLarge(quantity, found: "9"),
            .notWhole(quantity, found: "0.1"),
        ]
        for error in errors { #expect(error.description.hasSuffix("expected \(quantity.accepted)")) }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }

    @Test func `a message shows control characters escaped and long texts cut`() {
        let error = QuantityError.notANumber(.count, found: "\u{1B}[31m" + String(repeating: "x", count: 10_000))
        #expect(error.description.count < 200)
        #expect(!error.description.unicodeScalars.contains("\u{1B}"))
    }

    @Test func `no text makes a reader trap`() {
        let seed: UInt64 = 53
        var random = SeededRandom(seed: seed)
        let pieces = [
            "1", "9", "0", ".", "_", "-", " ", "/", "k", "M", "s", "m", "h", "ns", "KiB", "\u{301}", "é", "\0",
            "999999999999",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let text = (0..<random.below(9)).map { _ in pieces[Int(random.below(UInt64(pieces.count)))] }.joined()
            if let interval = try? Interval(text: text) {
                accepted += 1
                #expect(interval >= .zero, "seed \(seed): \(text.debugDescription)")
            }
            if let rate = try? Rate(text: text) {
                accepted += 1
                #expect(rate.perSecond > 0 && rate.perSecond.isFinite, "seed \(seed): \(text.debugDescription)")
            }
            if let count = try? Count(text: text) {
                #expect(count.value >= 0, "seed \(seed): \(text.debugDescription)")
            }
            if let size = try? ByteCount(text: text) {
                #expect(size.bytes >= 0, "seed \(seed): \(text.debugDescription)")
            }
        }
        #expect(accepted > 100, "seed \(seed)")
    }
}
