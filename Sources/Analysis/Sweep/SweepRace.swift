import Glibc
import Primitives
import Statistics

/// Which combination of a sweep is run next: all of them in each round, in an order of its own; in a race only those that may still win.
///
/// After a round a combination is out when even its best rate, and what scatters, leave it behind the leader. Its scatter is that of the
/// logarithms of all repeated rates so far, and at least ``scatterMin``, so that luck in two runs decides nothing.
public struct SweepRace: Equatable, Sendable {
    /// How it is carried out.
    public struct Plan: Equatable, Sendable {
        /// How often a combination is run at most.
        public var repeats = 5
        /// Whether combinations that are clearly behind are given up.
        public var isRace = true
        /// The seed of the order.
        public var seed: UInt64 = 1

        /// The defaults.
        public init() {}
    }

    /// No scatter is taken to be less: runs of a hundredth more or less are alike.
    public static let scatterMin = 0.03
    /// The scatter that is assumed as long as no combination was run twice.
    public static let scatterBefore = 0.15
    /// A combination is out when it lies that many standard deviations of a difference behind.
    public static let deviations = 3.0
    /// Rates within this share of the best count as good as the best, and stay in.
    public static let goodShare = 0.97

    private let plan: Plan
    private var rates: [[Double?]]
    private var queue: [Int] = []
    private var round = 0
    /// The combinations that are still run.
    public private(set) var running: [Int]

    /// Begins a sweep of so many combinations, with the rates that are known already (nil for a run that did not finish).
    public init(_ plan: Plan, known: [[Double?]]) {
        self.plan = plan
        rates = known
        running = Array(known.indices)
        beginRound()
    }

    /// The combination to run now; nil when the sweep is over.
    public var cell: Int? { queue.last }

    /// The round that goes on, from 1.
    public var currentRound: Int { round }

    /// How many runs are left at most.
    public var runsLeft: Int {
        queue.count + max(0, running.reduce(0) { $0 + max(0, plan.repeats - max(rates[$1].count, round)) })
    }

    /// Takes the rate of the present combination; nil if its run did not finish.
    public mutating func take(_ rate: Double?) {
        guard let cell = queue.popLast() else { return }
        rates[cell].append(rate)
        if queue.isEmpty { beginRound() }
    }

    /// The next round that has something to run: combinations which were run that often already, before an interruption, are left out.
    private mutating func beginRound() {
        while queue.isEmpty, round < plan.repeats {
            if round > 0, plan.isRace { dropLosers() }
            round += 1
            var order = running.filter { rates[$0].count < round }
            var random = SeededRandom(seed: mix64(plan.seed) ^ UInt64(round))
            for index in order.indices.reversed() {
                order.swapAt(index, Int(random.below(UInt64(index + 1))))
            }
            queue = order
        }
    }

    private mutating func dropLosers() {
        let scatter = scatter
        let logs = rates.map { $0.compactMap { $0 }.map(log) }
        let finished = running.filter { !logs[$0].isEmpty }
        guard let leader = finished.max(by: { mean(logs[$0]) < mean(logs[$1]) }) else { return }
        let best = mean(logs[leader]) + log(Self.goodShare)
        running = running.filter { cell in
            guard !logs[cell].isEmpty else { return rates[cell].count < 2 }
            let deviation = scatter * (1 / Double(logs[cell].count) + 1 / Double(logs[leader].count)).squareRoot()
            return mean(logs[cell]) + Self.deviations * deviation >= best
        }
    }

    /// The standard deviation of the logarithms of rates of one combination, over all that were run more than once.
    private var scatter: Double {
        var squares = 0.0
        var freedom = 0
        for values in rates.map({ $0.compactMap { $0 }.map(log) }) where values.count > 1 {
            let mean = mean(values)
            squares += values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            freedom += values.count - 1
        }
        guard freedom > 0 else { return Self.scatterBefore }
        return max(Self.scatterMin, (squares / Double(freedom)).squareRoot())
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
}
