public import Primitives

/// How many operations are wanted a second, over time: constant, or in stages with and without ramps.
public struct RateCurve: Hashable, Sendable {
    /// A stretch of time in which the rate is constant or changes evenly.
    public struct Stage: Hashable, Sendable {
        /// The rate at its beginning.
        public var from: Rate
        /// The rate at its end.
        public var to: Rate
        /// How long it lasts.
        public var length: Interval

        /// Makes a stage; without `to` its rate is constant.
        public init(_ from: Rate, to: Rate? = nil, for length: Interval) {
            self.from = from
            self.to = to ?? from
            self.length = length
        }
    }

    fileprivate struct Segment: Hashable {
        var start: Interval
        var startPosition: ArrivalPosition
        /// Nil for ever.
        var length: Interval?
        /// The rate at the beginning and at the end; the same if constant.
        var from: Double
        var to: Double
        /// The time between two operations at the rate of the beginning, in 2^-64 nanoseconds.
        var gap: UInt128
    }

    private let segments: [Segment]
    /// Where the curve ends; nil for one that does not.
    let endPosition: ArrivalPosition?
    /// How long the curve is; nil for one that does not end.
    public let length: Interval?

    /// Makes a constant rate for ever.
    public init(_ rate: Rate) {
        segments = [
            Segment(
                start: .zero, startPosition: ArrivalPosition(whole: 0), from: rate.perSecond, to: rate.perSecond,
                gap: Self.gap(of: rate.perSecond))
        ]
        endPosition = nil
        length = nil
    }

    /// Makes a curve of stages that follow each other, at least one.
    public init(_ stages: [Stage]) {
        precondition(!stages.isEmpty, "a curve has at least one stage")
        var segments: [Segment] = []
        var start = Interval.zero
        var position = ArrivalPosition(whole: 0)
        for stage in stages {
            let (from, to) = (stage.from.perSecond, stage.to.perSecond)
            segments.append(
                Segment(
                    start: start, startPosition: position, length: stage.length, from: from, to: to,
                    gap: Self.gap(of: from)))
            start = start + stage.length
            position = position + ArrivalPosition((from + to) / 2 * stage.length.seconds)
        }
        self.segments = segments
        endPosition = position
        length = start
    }

    /// 10⁹ / `rate` with 64 binary places, rounded up by what a rate's own rounding may have taken off: times are rounded down to
    /// nanoseconds, and operation 300 of 300 a second must not begin before the second is over. What is added is less than a nanosecond
    /// after a month.
    private static func gap(of rate: Double) -> UInt128 {
        precondition(rate >= 0.000_001 && rate <= 1e9, "a rate must lie between one in eleven days and 10⁹ a second")
        // A number below 2^53 is an integer times a negative power of two.
        let shift = 52 - Int(rate.exponent)
        let mantissa = UInt128(rate.significandBitPattern | 1 << 52)
        let (whole, rest) = (UInt128(1_000_000_000) << UInt128(shift)).quotientAndRemainder(dividingBy: mantissa)
        let gap = whole << 64 + (rest << 64) / mantissa
        return gap + gap >> 52 + 1
    }

    /// When a place on the scale is reached, rounded down to a nanosecond; ``Interval/never`` behind the end.
    func time(of position: ArrivalPosition) -> Interval {
        if let endPosition, position >= endPosition { return .never }
        let segment = segments[index(of: position)]
        let distance = position - segment.startPosition
        let time = segment.from == segment.to ? segment.evenTime(of: distance) : segment.rampTime(of: distance)
        guard let time else { return .never }
        return segment.start + min(time, segment.length ?? time)
    }

    private func index(of position: ArrivalPosition) -> Int {
        var (low, high) = (0, segments.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if segments[middle].startPosition <= position { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The rate at `time` from the start of the curve, per second; 0 behind its end.
    public func rate(at time: Interval) -> Double {
        guard let segment = segments.last(where: { $0.start <= time }) else { return segments[0].from }
        guard let length = segment.length else { return segment.from }
        let share = (time - segment.start).seconds / length.seconds
        return share > 1 ? 0 : segment.from + (segment.to - segment.from) * share
    }
}

extension RateCurve.Segment {
    /// When the distance is covered at a constant rate; nil beyond all times.
    fileprivate func evenTime(of distance: ArrivalPosition) -> Interval? {
        let (product, overflow) = UInt128(distance.whole).multipliedReportingOverflow(by: gap)
        guard !overflow else { return nil }
        let rest = UInt128(distance.fraction) * (gap >> 32)
        return Int64(exactly: (product + rest) >> 64).flatMap { $0 < .max / 4 ? Interval(nanoseconds: $0) : nil }
    }

    /// When the distance is covered at a rate that changes evenly: from · t + (to - from) · t² / 2 length = distance, solved
    /// in the form that does not cancel.
    fileprivate func rampTime(of distance: ArrivalPosition) -> Interval? {
        guard let length else { return nil }
        let acceleration = (to - from) / length.seconds
        let discriminant = max(0, from * from + 2 * acceleration * distance.value)
        let seconds = 2 * distance.value / (from + discriminant.squareRoot())
        return Interval(nanoseconds: Int64(min(seconds * 1e9, 0x1p61)))
    }
}
