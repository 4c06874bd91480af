import Testing

@testable import Primitives

@Suite struct LogNormalCurveTests {
    /// Abramowitz and Stegun, table 26.5.
    @Test(arguments: [(0.5, 0.0), (0.9, 1.281_551_6), (0.99, 2.326_347_9), (0.999, 3.090_232_3), (0.025, -1.959_964_0)])
    func `the quantiles of the normal distribution are those of the tables`(share: Double, value: Double) {
        #expect((LogNormalCurve.normalQuantile(share) - value).magnitude < 1e-6)
    }

    @Test func `half of the values lie below the median, and their logarithms are spread by sigma`() {
        let values = LogNormalCurve(median: 10, sigma: 0.8).values(10_000)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        #expect((values[4_999] + values[5_000]) / 2 - 10 < 0.001)
        let upper = values[8_412]  // Φ(1) = 0.84134
        #expect((BinaryLogarithm.log2(upper / 10) * 0.693_147_180_559_945_3 - 0.8).magnitude < 0.001)
        #expect((values[9_999] / 10) > 22, "the tail is not cut")
    }

    @Test func `without spread all values are the median`() {
        #expect(LogNormalCurve(median: 5, sigma: 0).values(3).allSatisfy { ($0 - 5).magnitude < 1e-9 })
    }
}
