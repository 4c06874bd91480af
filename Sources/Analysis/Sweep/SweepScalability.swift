import Primitives
public import RunRecords
import Statistics

/// How the rate follows the number of connections or event loops, by the Universal Scalability Law, or why the law does not tell.
///
/// Source: N. J. Gunther, *Guerrilla Capacity Planning*, chapter 4.
public struct SweepScalability: Codable, Equatable, Sendable {
    /// A coefficient or a peak with its interval.
    public struct Figure: Codable, Equatable, Sendable {
        /// The estimate.
        public var estimate: Double
        /// The interval's lower end.
        public var low: Double
        /// The interval's upper end.
        public var high: Double

        init(_ interval: EstimateInterval) {
            (estimate, low, high) = (interval.estimate, interval.low, interval.high)
        }
    }

    /// The axis's key.
    public var key: String
    /// The values of the other axes, as `KEY=VALUE`.
    public var setting: [String]
    /// How many values of the axis the fit rests on.
    public var levels: Int
    /// How many were left out since the generator or the processors were the limit there.
    public var generatorLimitedLevels: Int
    /// α, the share of the work that only one can do at a time; null without a fit, as all that follows.
    @ExplicitNull public var contention: Figure?
    /// β, what each pair costs to keep in step.
    @ExplicitNull public var coherency: Figure?
    /// γ, the rate of one alone, per second.
    @ExplicitNull public var rateOfOnePerSecond: Double?
    /// From how many on more only make it slower; null if β may be 0 as well.
    @ExplicitNull public var peakLevel: Figure?
    /// The rate there, per second.
    @ExplicitNull public var peakPerSecond: Figure?
    /// The root of the mean square of the residuals, each as a share of its rate.
    @ExplicitNull public var relativeError: Double?
    /// Why nothing may be foretold by it, one sentence each; empty if nothing speaks against it.
    public var objections: [String] = []

    /// The keys that are a number of things at work at the same time.
    static let keys = ["sender.loops", "sender.connections"]

    /// Fits the runs of a sweep; nil if it has no such axis with values enough, or if its loops were open: there the rate is what was offered.
    ///
    /// - Parameters:
    ///   - record: the runs.
    ///   - cells: what they give.
    ///   - anchor: the combination whose values the other axes have.
    init?(_ record: SweepRecord, _ cells: [SweepCell], at anchor: Int) {
        let grid = record.grid
        guard record.runs.allSatisfy({ $0.isOpenLoop != true }),
            let axis = Self.keys.lazy.compactMap({ key in grid.axes.firstIndex { $0.key == key } }).first,
            grid.axes[axis].values.count >= ScalabilityError.minimumLevels
        else { return nil }
        key = grid.axes[axis].key
        var place = grid.place(ofCell: anchor)
        setting = grid.axes.indices.filter { $0 != axis }
            .map { "\(grid.axes[$0].key)=\(grid.axes[$0].values[place[$0]])" }
        var points: [ScalabilityPoint] = []
        var limited = 0
        for (index, value) in grid.axes[axis].values.enumerated() {
            place[axis] = index
            guard let cell = grid.cell(at: place), let level = try? Count(text: value),
                cells[cell].acceptedPerSecond ?? 0 > 0
            else { continue }
            // Loops are the generator: what they reach together is what is asked.
            if key != "sender.loops", [.generator, .processor].contains(cells[cell].limit) {
                limited += 1
                continue
            }
            let rates = record.runs.filter { $0.cell == cell }.compactMap(\.acceptedPerSecond)
            points.append(ScalabilityPoint(level: Double(level.value), rates: rates))
        }
        levels = points.count
        generatorLimitedLevels = limited
        do throws(ScalabilityError) {
            take(try ScalabilityFit(points))
        } catch {
            objections = [error.description]
        }
    }

    private mutating func take(_ fit: ScalabilityFit) {
        contention = Figure(fit.contention)
        coherency = Figure(fit.coherency)
        rateOfOnePerSecond = fit.model.rateOfOne
        peakLevel = fit.peakLevel.map(Figure.init)
        peakPerSecond = fit.peakRate.map(Figure.init)
        relativeError = fit.relativeError
        objections = fit.objections.map(\.description)
    }
}
