import Primitives

/// Models of rates that could have been measured as well: those of the model, each with a residual of another level.
struct Resampling {
    private let model: ScalabilityModel
    private let models: [ScalabilityModel]
    private let alpha: Double

    init(search: ScalabilitySearch, model: ScalabilityModel, bootstrap: Bootstrap) {
        self.model = model
        alpha = bootstrap.alpha
        // As shares of the rate: residuals of a small rate would be lost among those of a great one.
        let shares = search.points.map { $0.rate / model.rate(at: $0.level) }
        var random = SeededRandom(seed: bootstrap.seed)
        models = (0..<bootstrap.resamples).map { _ in
            var drawn = search
            for index in drawn.points.indices {
                let share = shares[Int(random.below(UInt64(shares.count)))]
                drawn.points[index].rate = model.rate(at: drawn.points[index].level) * share
            }
            return drawn.best(near: model)
        }
    }

    /// What nine in ten, or as asked, of the models say of a figure.
    func interval(_ figure: (ScalabilityModel) -> Double) -> EstimateInterval {
        let drawn = models.map(figure).sorted()
        let estimate = figure(model)
        return EstimateInterval(
            estimate: estimate, low: quantile(alpha / 2, ofSorted: drawn) ?? estimate,
            high: quantile(1 - alpha / 2, ofSorted: drawn) ?? estimate)
    }

    /// The same for a figure that not all models have; nil if the best one has none. Those without count as infinite.
    func interval(_ figure: (ScalabilityModel) -> Double?) -> EstimateInterval? {
        guard figure(model) != nil else { return nil }
        return interval { (candidate: ScalabilityModel) -> Double in figure(candidate) ?? .infinity }
    }
}
