import Primitives
import Testing

@Suite struct CountAndByteCountTests {
    @Test(
        arguments: [
            ("250000", 250_000), ("1_000k", 1_000_000), ("1M", 1_000_000), ("1.5M", 1_500_000), ("2G", 2_000_000_000),
            ("0", 0), ("3 k", 3_000), ("0.001k", 1), ("9223372036854775807", .max), ("7K", 7_000),
        ] as [(String, Int64)])
    func `a count is read with powers of 1000`(text: String, value: Int64) throws {
        #expect(try Count(text: text).value == value)
    }

    @Test(
        arguments: [
            ("", .empty(.count)), ("-1", .negative(.count, found: "-1")), ("many", .notANumber(.count, found: "many")),
            ("1.5", .notWhole(.count, found: "1.5")), ("0.0001k", .notWhole(.count, found: "0.0001k")),
            ("1m", .unknownUnit(.count, unit: "m", found: "1m")),
            ("1KiB", .unknownUnit(.count, unit: "KiB", found: "1KiB")),
            ("1k5", .notANumber(.count, found: "1k5")), ("1/2", .notANumber(.count, found: "1/2")),
            ("1e6", .unknownUnit(.count, unit: "e", found: "1e6")), ("_1", .notANumber(.count, found: "_1")),
            ("9223372036854775808", .tooLarge(.count, found: "9223372036854775808")),
            ("9223372036854775807k", .tooLarge(.count, found: "9223372036854775807k")),
            ("10000000000G", .tooLarge(.count, found: "10000000000G")),
        ] as [(String, QuantityError)])
    func `a text that is no count is refused with the reason`(text: String, error: QuantityError) {
        #expect(throws: error) { try Count(text: text) }
    }

    @Test(
        arguments: [
            (0, "0", "0"), (999, "999", "999"), (1_000, "1 k", "1,000"), (1_250_000, "1.25 M", "1,250,000"),
            (999_999, "1 M", "999,999"), (-12_345, "-12.3 k", "-12,345"), (100_000, "100 k", "100,000"),
            (.max, "9223372037 G", "9,223,372,036,854,775,807"), (.min, "-9223372037 G", "-9,223,372,036,854,775,808"),
        ] as [(Int64, String, String)])
    func `a count is printed rounded and exact`(value: Int64, rounded: String, exact: String) {
        #expect(Count(value).description == rounded)
        #expect(Count(value).grouped == exact)
    }

    @Test(
        arguments: [
            ("4096", 4_096), ("512B", 512), ("64KiB", 65_536), ("16K", 16_384), ("16k", 16_384), ("1.5MiB", 1_572_864),
            ("2M", 2_097_152), ("1GiB", 1_073_741_824), ("1G", 1_073_741_824), ("64 KiB", 65_536), ("0", 0),
        ] as [(String, Int64)])
    func `a size is read with powers of 1024`(text: String, bytes: Int64) throws {
        #expect(try ByteCount(text: text).bytes == bytes)
    }

    @Test(
        arguments: [
            ("", .empty(.size)), ("-1K", .negative(.size, found: "-1K")), ("big", .notANumber(.size, found: "big")),
            ("1MB", .ambiguousUnit(.size, unit: "MB", found: "1MB")),
            ("1kB", .ambiguousUnit(.size, unit: "kB", found: "1kB")),
            ("1Mib", .unknownUnit(.size, unit: "Mib", found: "1Mib")), ("0.3K", .notWhole(.size, found: "0.3K")),
            ("8589934592GiB", .tooLarge(.size, found: "8589934592GiB")), ("1K/s", .notANumber(.size, found: "1K/s")),
        ] as [(String, QuantityError)])
    func `a text that is no size is refused with the reason`(text: String, error: QuantityError) {
        #expect(throws: error) { try ByteCount(text: text) }
    }

    @Test(
        arguments: [
            (0, "0 B"), (512, "512 B"), (1_023, "1023 B"), (65_536, "64 KiB"), (1_572_864, "1.5 MiB"),
            (1_048_575, "1 MiB"), (1_610_612_736, "1.5 GiB"), (-2_048, "-2 KiB"), (.max, "8388608 TiB"),
        ] as [(Int64, String)])
    func `a size is printed with the unit that suits it`(bytes: Int64, text: String) {
        #expect(ByteCount(bytes: bytes).description == text)
    }

    @Test func `counts and sizes are ordered by their number`() {
        #expect(Count(1) < Count(2))
        #expect(!(ByteCount(bytes: 2) < ByteCount(bytes: 2)))
    }

    @Test(
        arguments: [
            (1.25, 2, "1.25"), (1.005, 0, "1"), (0.5, 0, "1"), (-0.4, 0, "0"), (-0.26, 1, "-0.3"), (0.03, 3, "0.030"),
            (1_753_219.071, 3, "1753219.071"), (0.999999999999, 12, "0.999999999999"), (9.96, 1, "10.0"),
            (.nan, 2, "nan"), (.infinity, 2, "inf"), (1e300, 2, "1e+300"), (-3, 2, "-3.00"),
        ] as [(Double, Int, String)])
    func `a decimal text has exactly its places`(value: Double, places: Int, text: String) {
        #expect(decimalText(value, places: places) == text)
    }
}
