import Foundation
import Testing

@testable import Primitives

@Suite struct QuantileCurveTests {
    @Test func `values rise through the median and the 99th percentile to the largest`() {
        let values = QuantileCurve(p50: 100, p99: 800, max: 1_000).values(1_000)
        #expect(values == values.sorted())
        #expect(abs(values[499] - 100) < 1 && abs(values[989] - 800) < 20)
        #expect(values.last == 1_000)
    }

    @Test func `three equal quantiles are a constant`() {
        #expect(QuantileCurve(p50: 5, p99: 5, max: 5).values(3) == [5, 5, 5])
    }

    @Test func `the logarithm agrees with the C library's`() {
        for value in [1e-6, 0.3, 1, 1.5, 2, 99, 8_191, 1e12] {
            #expect(abs(BinaryLogarithm.log2(value) - log2(value)) < 1e-9)
            #expect(abs(BinaryLogarithm.exp2(log2(value)) / value - 1) < 1e-9)
        }
    }
}
