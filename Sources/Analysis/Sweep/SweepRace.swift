import Primitives
import Statistics

/// Which combination of a sweep is run next: all of them in each round, in an order of its own; in a race only those that may still win.
///
/// After a round a combination is out when what scatters does not explain how far it lies behind the leader (``PooledRates``).
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

    /// Rates within this share of the best count as good as the best, and stay in.
    public static let goodShare = 0.97

    private let plan: Plan
    /// The combinations that race against each other, by numbers that are equal within a race.
    private let fields: [Int]
    private var rates: [[Double?]]
    private var queue: [Int] = []
    private var round = 0
    /// The combinations that are still run.
    public private(set) var running: [Int]

    /// Begins a sweep of so many combinations, with the rates that are known already (nil for a run that did not finish).
    ///
    /// - Parameters:
    ///   - plan: how it is carried out.
    ///   - known: the rates of each combination.
    ///   - fields: the race that each combination takes part in; nil if all are in one.
    public init(_ plan: Plan, known: [[Double?]], fields: [Int]? = nil) {
        precondition(fields.map { $0.count == known.count } ?? true, "each combination is in a race")
        self.plan = plan
        self.fields = fields ?? known.map { _ in 0 }
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

    /// One that did not finish in two rounds is out as well.
    private mutating func dropLosers() {
        let pool = PooledRates(rates.map { $0.compactMap { $0 } })
        var leaders: [Int: Int] = [:]
        for cell in running {
            guard let mean = pool.means[cell] else { continue }
            let best = leaders[fields[cell]].flatMap { pool.means[$0] } ?? -.infinity
            if mean > best { leaders[fields[cell]] = cell }
        }
        running = running.filter { cell in
            guard let leader = leaders[fields[cell]] else { return true }
            guard pool.means[cell] != nil else { return rates[cell].count < 2 }
            return pool.mayReach(Self.goodShare, of: leader, with: cell)
        }
    }
}
