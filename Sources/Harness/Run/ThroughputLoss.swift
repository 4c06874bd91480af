import Primitives
import RunRecords

/// How much throughput reconnects cost: the area below the median rate, in notifications, while connections were replaced.
///
/// The time in which any connection was being replaced, or wrote again what its predecessor had in flight, is held against
/// the median of the quiet time. What quiet time itself has below its median, which is noise, is taken off in proportion. Reconnects
/// that overlap make one episode, shared evenly among them.
struct ThroughputLoss {
    /// What is lost in all, in notifications; noise may make it negative.
    let notifications: Double
    /// The standard error of that, from the noise of quiet time.
    let standardError: Double
    /// Reconnects in the time that was looked at.
    let events: Int
    /// Stretches of touched time.
    let episodes: Int
    /// The median rate of quiet time per second.
    let medianPerSecond: Double
    /// The width of a bin.
    let width: Interval
    /// How much of the time was quiet, and how much was touched.
    let quiet: Interval
    let touched: Interval

    private let series: ThroughputBins
    private let shares: [Double]
    /// The bins that were looked at.
    private let window: Range<Int>
    /// What a quiet bin holds on average.
    private let quietMean: Double

    /// Less quiet time than so many bins has no median worth the name.
    private static let quietMinimum = 32
    /// So many bins must lie between the borders of a reconnect for a figure about the other connections.
    private static let othersMinimum = 16

    /// Nil when nothing was replaced or too little time was quiet.
    ///
    /// The last notification was taken from the supply at `end`; from then on less is written for that reason.
    init?(_ series: ThroughputBins, until end: Instant) {
        var series = series
        // Bins in which a batch more or less makes half of the rate say nothing about it.
        var window = Self.window(of: series, until: end)
        var level = Self.level(of: series.bins[window])
        while level.quiet.count >= 2 * Self.quietMinimum, level.deviation * 2 > level.median {
            series.widen()  // bounded: halves the quiet bins
            window = Self.window(of: series, until: end)
            level = Self.level(of: series.bins[window])
        }
        guard level.quiet.count >= Self.quietMinimum, level.median > 0, window.count > level.quiet.count else {
            return nil
        }
        var shares = Array(repeating: 0.0, count: series.bins.count)
        var (lost, events, episodes) = (0.0, 0, 0)
        var next = window.lowerBound
        // Ends with the bins.
        while let start = series.bins[next..<window.upperBound].firstIndex(where: \.isTouched) {
            next = series.bins[start..<window.upperBound].firstIndex { !$0.isTouched } ?? window.upperBound
            let episode = series.bins[start..<next]
            let area = episode.reduce(0) { $0 + max(0, level.median - Double($1.fresh)) - level.noise }
            let began = episode.reduce(0) { $0 + Int($1.began) }
            for index in start..<next { shares[index] = area / Double(max(1, began)) }
            lost += area
            events += began
            episodes += 1
        }
        guard events > 0 else { return nil }
        self.series = series
        self.shares = shares
        self.window = window
        quietMean = level.quiet.reduce(0, +) / Double(level.quiet.count)
        self.events = events
        self.episodes = episodes
        let touchedCount = window.count - level.quiet.count
        notifications = lost
        standardError = level.noiseDeviation * Double(touchedCount).squareRoot()
        width = series.width
        medianPerSecond = level.median / width.seconds
        quiet = width * Int64(level.quiet.count)
        touched = width * Int64(touchedCount)
    }

    /// The share of the reconnect that began at `instant` in its episode; nil outside of the time that was looked at.
    func share(ofReconnectAt instant: Instant) -> Double? {
        guard let index = series.index(of: instant), series.bins[index].isTouched, index < shares.count else {
            return nil
        }
        return shares[index]
    }

    /// What was written between two instants, as a share of what quiet time would have had in as much time with one connection fewer.
    ///
    /// A connection that is being replaced writes nothing, so this is what the others did. Nil when so few whole bins lie between
    /// that single batches decide.
    func othersShare(from start: Instant, to end: Instant, connections: Int) -> Double? {
        guard connections > 1, let first = series.index(of: start), let last = series.index(of: end),
            last - first > Self.othersMinimum, last < window.upperBound
        else { return nil }
        let whole = series.bins[(first + 1)..<last]
        let written = whole.reduce(0) { $0 + Double($1.fresh) }
        let share = Double(connections - 1) / Double(connections)
        return written / (quietMean * Double(whole.count) * share)
    }

    /// The bins between the first write and the end; neither of the two bins at the borders is whole.
    private static func window(of series: ThroughputBins, until end: Instant) -> Range<Int> {
        let bins = series.bins
        guard let first = bins.firstIndex(where: { $0.fresh > 0 }), let last = bins.lastIndex(where: { $0.fresh > 0 })
        else { return 0..<0 }
        let bound = min(last, series.index(of: end) ?? last)
        return first + 1 < bound ? first + 1..<bound : 0..<0
    }

    private struct Level {
        var quiet: [Double]
        var median = 0.0
        /// The standard deviation of quiet bins.
        var deviation = 0.0
        /// What a quiet bin has below the median, on average, and the standard deviation of it.
        var noise = 0.0
        var noiseDeviation = 0.0
    }

    private static func level(of bins: ArraySlice<ThroughputBins.Bin>) -> Level {
        var level = Level(quiet: bins.filter { !$0.isTouched }.map { Double($0.fresh) }.sorted())
        guard !level.quiet.isEmpty else { return level }
        let median = level.quiet[level.quiet.count / 2]
        level.median = median
        level.deviation = spread(level.quiet).deviation
        (level.noise, level.noiseDeviation) = spread(level.quiet.map { max(0, median - $0) })
        return level
    }

    private static func spread(_ values: [Double]) -> (mean: Double, deviation: Double) {
        let count = Double(values.count)
        let mean = values.reduce(0, +) / count
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, (squares / count).squareRoot())
    }
}
