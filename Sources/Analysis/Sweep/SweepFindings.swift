import Primitives
public import RunRecords
import Statistics

/// What the runs of a sweep say: what each combination gives, which is enough, and what each axis does.
public struct SweepFindings: Codable, Equatable, Sendable {
    /// The combinations, by their numbers in the grid.
    public var cells: [SweepCell]
    /// The combination with the best rate; null if none is complete. If conditions were varied (``SweepGrid/Axis/isCondition``), the best under
    /// the hardest ones, which are those under which the best is slowest.
    @ExplicitNull public var best: Int?
    /// The cheapest combination within ``SweepRace/goodShare`` of the best rate that holds the profile's thresholds; null if there is none.
    @ExplicitNull public var recommended: Int?
    /// Why it is recommended, or why nothing is, for people.
    public var reason: String
    /// The relative scatter of repeated runs, by the standard deviation of their rates' logarithms; what was assumed before any was repeated.
    public var scatter: Double
    /// The cheapest combination that these runs do not show to be behind by more than ``SweepRace/goodShare`` allows, where it is cheaper than
    /// the recommended one; null if there is none.
    @ExplicitNull public var cheapestNotBehind: Int?
    /// The rates around the recommended combination, one step away on one axis, as shares of its own.
    public var sensitivity: [SweepNeighbor]
    /// What each value of each axis does to the rate.
    public var effects: [SweepEffect]
    /// What bad tokens cost, measured and by the model; null if there were none.
    @ExplicitNull public var badTokens: BadTokenFindings?
    /// How the rate follows the number of connections or event loops; null unless enough of them were tried in a closed loop.
    @ExplicitNull public var scalability: SweepScalability?

    /// A combination whose busiest connection wrote more than so many averages is flagged as uneven.
    public static let unevenFrom = 1.5
}

/// What one combination of a sweep gives.
public struct SweepCell: Codable, Equatable, Sendable {
    /// Its values, one for each axis.
    public var values: [String]
    /// How often it was run.
    public var runs = 0
    /// Runs that did not finish, or lost sight of a notification.
    public var incompleteRuns = 0
    /// The median of the rates of complete runs, per second; null if a run did not finish, since that says nothing about the setting.
    @ExplicitNull public var acceptedPerSecond: Double?
    /// The lowest of them.
    @ExplicitNull public var lowestPerSecond: Double?
    /// The highest of them.
    @ExplicitNull public var highestPerSecond: Double?
    /// Whether each of its runs held the profile's thresholds and lost nothing.
    public var holdsThresholds = true
    /// Median of the residence at p99; null if not known.
    @ExplicitNull public var residenceP99Ns: Double?
    /// Median of the response time at p99; null if not known.
    @ExplicitNull public var responseP99Ns: Double?
    /// Median of the sender's processor time for each notification; null if not known.
    @ExplicitNull public var senderCPUPerNotificationNs: Double?
    /// The most memory that the sender held.
    public var senderPeakRSSBytes: Int64 = 0
    /// The most memory that the simulator held; null if not known.
    @ExplicitNull public var simulatorPeakRSSBytes: Int64?
    /// Median of the notifications that had followed a bad one when its reply came; null without error replies.
    @ExplicitNull public var inFlightAtErrorP50: Double?
    /// Median of the notifications written again for each replaced connection; null without any.
    @ExplicitNull public var resentPerReconnect: Double?
    /// Median of the throughput lost for each replaced connection, in notifications; null where it cannot be told.
    @ExplicitNull public var lostPerReconnect: Double?
    /// Median of what the busiest connection wrote, in averages of all; null with one connection.
    @ExplicitNull public var busiestConnection: Double?
    /// What bound most of its runs; null if not known.
    @ExplicitNull public var limit: LimitRecord.Kind?

    /// Whether its notifications were spread unevenly over its connections.
    public var isUneven: Bool { (busiestConnection ?? 1) > SweepFindings.unevenFrom }

    init(values: [String], runs: [SweepRunRecord]) {
        self.values = values
        self.runs = runs.count
        let complete = runs.filter(\.isComplete)
        incompleteRuns = runs.count - complete.count
        holdsThresholds = !runs.isEmpty && runs.allSatisfy { $0.status == .passed }
        senderPeakRSSBytes = runs.map(\.senderPeakRSSBytes).max() ?? 0
        simulatorPeakRSSBytes = runs.compactMap(\.simulatorPeakRSSBytes).max()
        guard incompleteRuns == 0 else { return }
        func middle(_ figure: (SweepRunRecord) -> Double?) -> Double? { median(complete.compactMap(figure)) }
        let rates = complete.compactMap(\.acceptedPerSecond)
        acceptedPerSecond = median(rates)
        lowestPerSecond = rates.min()
        highestPerSecond = rates.max()
        residenceP99Ns = middle { $0.residenceP99Ns.map(Double.init) }
        responseP99Ns = middle { $0.responseP99Ns.map(Double.init) }
        senderCPUPerNotificationNs = middle(\.senderCPUPerNotificationNs)
        inFlightAtErrorP50 = middle { $0.inFlightAtErrorP50.map(Double.init) }
        resentPerReconnect = middle(\.resentPerReconnect)
        lostPerReconnect = middle(\.lostPerReconnect)
        busiestConnection = middle(\.busiestConnection)
        limit = Self.limit(of: complete)
    }

    /// What bound most of these runs; nil if not known.
    static func limit(of runs: [SweepRunRecord]) -> LimitRecord.Kind? {
        let limits = Dictionary(grouping: runs.compactMap(\.limit)) { $0 }
        return limits.max { ($0.value.count, $1.key.rawValue) < ($1.value.count, $0.key.rawValue) }?.key
    }
}

/// A combination one step from the recommended one.
public struct SweepNeighbor: Codable, Equatable, Sendable {
    /// Its number in the grid.
    public var cell: Int
    /// Its rate as a share of the recommended one's; null if it is not known.
    @ExplicitNull public var share: Double?
}

/// What one value of an axis does to the rate, whatever the other axes are.
public struct SweepEffect: Codable, Equatable, Sendable {
    /// The axis's key.
    public var key: String
    /// The value.
    public var value: String
    /// The geometric mean of the rates with it as a share of that of all rates; null if no combination with it is complete.
    @ExplicitNull public var share: Double?
}

extension SweepRecord {
    /// Works the findings out of the runs so far.
    public mutating func conclude() {
        guard !runs.isEmpty else { return }
        let byCell = Dictionary(grouping: runs, by: \.cell)
        let cells = (0..<grid.count).map { SweepCell(values: grid.values(ofCell: $0), runs: byCell[$0] ?? []) }
        let rates = cells.map(\.acceptedPerSecond)
        let field = hardestField(rates)
        let best = field.filter { rates[$0] != nil }.max { (rates[$0] ?? 0) < (rates[$1] ?? 0) }
        let good = field.filter {
            let rate = rates[$0] ?? 0
            return rate > 0 && rate >= SweepRace.goodShare * (best.flatMap { rates[$0] } ?? .infinity)
        }
        let holding = grid.hasChoice ? good.filter { cells[$0].holdsThresholds } : []
        let recommended = holding.min { cost(ofCell: $0) < cost(ofCell: $1) }
        let pool = PooledRates(
            cells.indices.map { cell in
                cells[cell].acceptedPerSecond == nil ? [] : (byCell[cell] ?? []).compactMap(\.acceptedPerSecond)
            })
        let notBehind = recommended.flatMap { own in
            field
                .filter { cell in
                    cells[cell].holdsThresholds && cost(ofCell: cell) < cost(ofCell: own)
                        && pool.mayReach(SweepRace.goodShare, of: best ?? own, with: cell)
                }
                .min { cost(ofCell: $0) < cost(ofCell: $1) }
        }
        findings = SweepFindings(
            cells: cells, best: best, recommended: recommended,
            reason: reason(cells: cells, best: best, good: good, recommended: recommended), scatter: pool.scatter,
            cheapestNotBehind: notBehind, sensitivity: sensitivity(of: recommended, rates: rates),
            effects: effects(rates), badTokens: badTokenFindings(byCell, scatter: pool.scatter),
            scalability: (recommended ?? best).flatMap { SweepScalability(self, cells, at: $0) })
    }

    /// The combinations under the conditions under which the best rate is lowest; all of them if no condition was varied.
    private func hardestField(_ rates: [Double?]) -> [Int] {
        let numbers = fields
        let members = Dictionary(grouping: rates.indices, by: { numbers[$0] })
        let bests = members.compactMapValues { cells in cells.compactMap { rates[$0] }.max() }
        let hardest = bests.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return hardest.flatMap { members[$0] } ?? Array(rates.indices)
    }

    /// What a combination costs: the notifications that it has on their way, which is the product of its values where all are numbers; else,
    /// and of equal products, how far it lies from the first values of the axes, the last axis first.
    private func cost(ofCell cell: Int) -> [Double] {
        let place = grid.place(ofCell: cell).map(Double.init)
        let chosen = zip(grid.axes, grid.values(ofCell: cell)).filter { !$0.0.isCondition }.map(\.1)
        let numbers = chosen.compactMap { (try? Count(text: $0)).map { Double($0.value) } }
        guard numbers.count == chosen.count else { return [place.reduce(0, +)] + place.reversed() }
        return [numbers.reduce(1, *)] + place.reversed()
    }

    private func reason(cells: [SweepCell], best: Int?, good: [Int], recommended: Int?) -> String {
        guard let best, let rate = cells[best].acceptedPerSecond else { return "no combination finished its runs" }
        guard rate > 0 else { return "nothing was accepted with any combination" }
        let bestText = "\(MetricUnit.rate.text(rate)) (\(cells[best].values.joined(separator: ", ")))"
        guard grid.hasChoice else {
            return
                "only conditions were varied, so that there is no setting to choose; under the hardest of them: \(bestText)"
        }
        let under = Set(fields).count > 1 ? "under the hardest conditions, " : ""
        guard let recommended, let own = cells[recommended].acceptedPerSecond else {
            return
                under
                + "none of the \(good.count) combinations within 3 % of the best rate, \(bestText), holds the thresholds"
        }
        if recommended == best, good.count == 1 {
            return under + "no other combination comes within 3 % of its rate, \(bestText)"
        }
        return
            under
            + "the cheapest of \(good.count) within 3 % of the best rate, \(bestText): it has \(MetricUnit.rate.text(own)), "
            + "\(decimalText(100 * own / rate, places: 1)) % of that"
    }

    private func sensitivity(of cell: Int?, rates: [Double?]) -> [SweepNeighbor] {
        guard let cell, let own = rates[cell], own > 0 else { return [] }
        return grid.neighbors(ofCell: cell).map { SweepNeighbor(cell: $0, share: rates[$0].map { $0 / own }) }
    }

    private func effects(_ rates: [Double?]) -> [SweepEffect] {
        func mean(_ cells: [Int]) -> Double? {
            geometricMean(cells.compactMap { rates[$0] }.filter { $0 > 0 })
        }
        let all = Array(rates.indices)
        guard let overall = mean(all) else { return [] }
        return grid.axes.indices.flatMap { axis in
            grid.axes[axis].values.indices.map { index in
                let with = mean(all.filter { grid.place(ofCell: $0)[axis] == index })
                return SweepEffect(
                    key: grid.axes[axis].key, value: grid.axes[axis].values[index], share: with.map { $0 / overall })
            }
        }
    }
}

extension Array where Element == Double {
    fileprivate static func < (left: [Double], right: [Double]) -> Bool { left.lexicographicallyPrecedes(right) }
}
