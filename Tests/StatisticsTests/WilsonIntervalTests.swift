import Statistics
import Testing

@Suite struct WilsonIntervalTests {
    @Test(arguments: [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (20, 20, 0.8389, 1)])
    func `the interval is Wilson's`(successes: Int64, trials: Int64, low: Double, high: Double) throws {
        // The first three are the examples of R. G. Newcombe, Statistics in Medicine 17 (1998), table I.
        let interval = try #require(WilsonInterval(successes: successes, trials: trials))
        #expect(abs(interval.low - low) < 6e-5 && abs(interval.high - high) < 6e-5, "\(interval)")
    }

    @Test func `without trials there is none`() {
        #expect(WilsonInterval(successes: 0, trials: 0) == nil)
        #expect(WilsonInterval(successes: 3, trials: 2) == nil)
    }
}
