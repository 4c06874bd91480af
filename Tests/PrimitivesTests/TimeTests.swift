import Primitives
import Testing

@Suite struct TimeTests {
    @Test func `an instant after an interval lies that much later`() {
        let start = Instant(nanoseconds: 1_000)
        #expect(start + .microseconds(2) == Instant(nanoseconds: 3_000))
        #expect((start + .milliseconds(1)) - start == .milliseconds(1))
        #expect(start - (start + .seconds(1)) == Interval(nanoseconds: -1_000_000_000))
        #expect(start < start + Interval(nanoseconds: 1))
    }

    @Test func `an instant beyond all time is the distant future`() {
        #expect(Instant.distantFuture + Interval(nanoseconds: 1) == .distantFuture)
        #expect(Instant(nanoseconds: 5) + Interval(nanoseconds: .max) == .distantFuture)
        #expect(Instant.distantFuture + .zero == .distantFuture)
    }

    @Test func `intervals add, subtract and multiply with their sign`() {
        #expect(Interval.seconds(1) + .milliseconds(500) == .milliseconds(1_500))
        #expect(Interval.milliseconds(1) - .seconds(1) == .milliseconds(-999))
        #expect(Interval.microseconds(3) * -2 == .microseconds(-6))
        #expect(Interval.milliseconds(1_500).seconds == 1.5)
        #expect(Interval.milliseconds(-1) < .zero)
    }

    @Test func `rates are ordered by their number`() {
        #expect(Rate(perSecond: 1) < Rate(perSecond: 1.5))
        #expect(!(Rate(perSecond: 2) < Rate(perSecond: 2)))
    }
}
