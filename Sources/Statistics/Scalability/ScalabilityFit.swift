import Glibc
import Primitives

/// The rates measured with so many at a time: connections, streams in flight, cores.
public struct ScalabilityPoint: Equatable, Sendable {
    /// How many at a time, at least 1.
    public var level: Double
    /// The rates of the runs there, per second, each above 0.
    public var rates: [Double]

    /// Makes a point.
    public init(level: Double, rates: [Double]) {
        self.level = level
        self.rates = rates
    }
}

/// Why rates cannot be fitted at all.
public enum ScalabilityError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Fewer levels than the law's three coefficients can be told from.
    case tooFewLevels(Int)
    /// A level below 1, or a rate that is not a positive number.
    case notPositive

    /// The fewest levels of which anything can be said.
    public static let minimumLevels = 6

    /// What was found and what is needed.
    public var description: String {
        switch self {
        case .tooFewLevels(let count):
            "\(count) levels were measured; a fit of scalability needs \(Self.minimumLevels) different ones"
        case .notPositive: "levels from 1 and rates above 0 are needed for a fit of scalability"
        }
    }
}

/// A model of scalability fitted to measured rates, how certain it is, and whether it may be believed.
///
/// The sum of weighted squares is least; with several runs at each level the weights are one over their variance, and outliers count less (Huber).
/// Intervals come from resampling the residuals, with a seed: the same rates give the same intervals on every machine.
public struct ScalabilityFit: Equatable, Sendable {
    /// The best model.
    public let model: ScalabilityModel
    /// α with its interval.
    public let contention: EstimateInterval
    /// β with its interval.
    public let coherency: EstimateInterval
    /// The level of the peak with its interval; nil if β may be 0 as well, or if there is no peak.
    public let peakLevel: EstimateInterval?
    /// The greatest rate with its interval, per second; nil as the level of the peak.
    public let peakRate: EstimateInterval?
    /// The root of the mean square of the residuals, each as a share of its rate.
    public let relativeError: Double
    /// Why the model must not be used to foretell anything; empty if nothing speaks against it.
    public let objections: [Objection]

    /// What speaks against a model.
    public enum Objection: Equatable, Sendable, CustomStringConvertible {
        /// The residuals are greater than ``limit`` of the rates.
        case poorFit(Double)
        /// Residuals of one sign follow each other: the rates have another shape.
        case otherShape(runs: Int, of: Int)
        /// Without the rates of the greatest level, these are foretold that badly.
        case poorForecast(Double)
        /// The peak lies far above the greatest level measured.
        case peakBeyond(level: Double, measured: Double)
        /// The peak lies below the least level measured.
        case peakBefore(level: Double, measured: Double)
        /// Too few levels were measured beyond the peak to know where it is.
        case openPeak(levelsBeyond: Int)

        /// The greatest error that a model may have, relative to the rates.
        public static let limit = 0.05
        /// The greatest error in foretelling the rate of the greatest level from the others.
        public static let forecastLimit = 0.1
        /// A peak may lie at most that many times above the greatest level measured.
        public static let reach = 1.5
        /// That many levels must lie beyond the peak, measured or foretold.
        public static let levelsBeyond = 2

        /// What speaks against it, and what is accepted.
        public var description: String {
            switch self {
            case .poorFit(let error):
                "it misses the rates by \(Self.percent(error)) (at most \(Self.percent(Self.limit)) is accepted)"
            case .otherShape(let runs, let count):
                "the residuals of \(count) levels change their sign only \(runs - 1) times: the rates have another shape"
            case .poorForecast(let error):
                "without the greatest level it misses the rate there by \(Self.percent(error)) "
                    + "(at most \(Self.percent(Self.forecastLimit)) is accepted)"
            case .peakBeyond(let level, let measured):
                "its peak at \(decimalText(level, places: 1)) lies beyond \(Self.reach) times the greatest level measured, "
                    + decimalText(measured, places: 1)
            case .peakBefore(let level, let measured):
                "its peak at \(decimalText(level, places: 1)) lies before the least level measured, "
                    + decimalText(measured, places: 1)
            case .openPeak(let count):
                "\(count) of the levels lie beyond the peak (at least \(Self.levelsBeyond) are needed to know where it is)"
            }
        }

        private static func percent(_ share: Double) -> String { decimalText(100 * share, places: 1) + " %" }
    }

    /// Whether the model may be used to foretell rates.
    public var applies: Bool { objections.isEmpty }

    /// How outliers are treated.
    public enum Method: Sendable {
        /// All rates count by their weight alone.
        case plain
        /// Rates far from the model count less.
        case robust
    }

    /// Fits a model.
    ///
    /// - Parameters:
    ///   - points: the levels and the rates measured there, in any order; levels that come twice are joined.
    ///   - method: how outliers are treated.
    ///   - bootstrap: how intervals are made.
    /// - Throws: ``ScalabilityError`` when there are too few levels, or impossible ones.
    public init(
        _ points: [ScalabilityPoint], method: Method = .robust, bootstrap: Bootstrap = Bootstrap(resamples: 2_000)
    ) throws(ScalabilityError) {
        let levels = Self.joined(points)
        guard levels.allSatisfy({ $0.level >= 1 && $0.rates.allSatisfy { $0 > 0 && $0.isFinite } }) else {
            throw .notPositive
        }
        guard levels.count >= ScalabilityError.minimumLevels else { throw .tooFewLevels(levels.count) }
        let search = Self.search(Self.weighted(levels), method: method)
        let model = search.best()
        self.model = model
        let resampled = Resampling(search: search, model: model, bootstrap: bootstrap)
        contention = resampled.interval(\.contention)
        coherency = resampled.interval(\.coherency)
        let hasPeak = coherency.low > 0
        peakLevel = hasPeak ? resampled.interval { $0.peakLevel } : nil
        peakRate = hasPeak ? resampled.interval { $0.greatestRate } : nil
        relativeError = Self.relativeError(of: model, search.points)
        objections = Self.objections(to: model, search.points, method: method)
    }

    private static func joined(_ points: [ScalabilityPoint]) -> [ScalabilityPoint] {
        Dictionary(grouping: points, by: \.level)
            .map { level, points in ScalabilityPoint(level: level, rates: points.flatMap(\.rates)) }
            .filter { !$0.rates.isEmpty }
            .sorted { $0.level < $1.level }
    }

    // MARK: - Weights

    /// One point for each level: the mean of its runs. Runs tell how certain it is; a mean is never taken as better known than 1 %.
    private static func weighted(_ levels: [ScalabilityPoint]) -> [ScalabilitySearch.Point] {
        let areRepeated = levels.allSatisfy { $0.rates.count > 1 }
        return levels.map { level in
            let count = Double(level.rates.count)
            let mean = level.rates.reduce(0, +) / count
            guard areRepeated else { return ScalabilitySearch.Point(level: level.level, rate: mean, weight: 1) }
            let variance = level.rates.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
            let floor = 0.01 * mean
            return ScalabilitySearch.Point(
                level: level.level, rate: mean, weight: 1 / max(variance / count, floor * floor))
        }
    }

    /// Weighs outliers down twice, by Huber's function of the residuals.
    private static func search(_ points: [ScalabilitySearch.Point], method: Method) -> ScalabilitySearch {
        var search = ScalabilitySearch(points: points)
        guard method == .robust else { return search }
        for _ in 0..<2 {
            let model = search.best()
            let residuals = points.map { $0.weight.squareRoot() * ($0.rate - model.rate(at: $0.level)) }
            let center = median(residuals) ?? 0
            let bound = 1.345 * 1.4826 * (median(residuals.map { abs($0 - center) }) ?? 0)
            guard bound > 0 else { break }
            for (index, residual) in residuals.enumerated() {
                search.points[index].weight = points[index].weight * min(1, bound / abs(residual))
            }
        }
        return search
    }

    // MARK: - Checks

    private static func relativeError(of model: ScalabilityModel, _ points: [ScalabilitySearch.Point]) -> Double {
        let squares = points.map { point in
            let share = (point.rate - model.rate(at: point.level)) / point.rate
            return share * share
        }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }

    private static func objections(
        to model: ScalabilityModel, _ points: [ScalabilitySearch.Point], method: Method
    ) -> [Objection] {
        var objections: [Objection] = []
        let error = relativeError(of: model, points)
        if error > Objection.limit { objections.append(.poorFit(error)) }
        let signs = SignRuns(points.map { $0.rate - model.rate(at: $0.level) })
        // A pattern in what is far within the accepted error spoils no forecast.
        if error > Objection.limit / 2, signs.areTooFew {
            objections.append(.otherShape(runs: signs.runs, of: points.count))
        }
        guard let first = points.first, let last = points.last else { return objections }
        let forecast = search(Array(points.dropLast()), method: method).best().rate(at: last.level)
        let miss = abs(forecast / last.rate - 1)
        if miss > Objection.forecastLimit { objections.append(.poorForecast(miss)) }
        guard let peak = model.peakLevel else { return objections }
        if peak > Objection.reach * last.level {
            objections.append(.peakBeyond(level: peak, measured: last.level))
        } else if peak < first.level {
            objections.append(.peakBefore(level: peak, measured: first.level))
        }
        let fastest = points.max { $0.rate < $1.rate }?.level ?? last.level
        let beyond = points.count { $0.level > min(fastest, peak) }
        if beyond < Objection.levelsBeyond { objections.append(.openPeak(levelsBeyond: beyond)) }
        return objections
    }
}
