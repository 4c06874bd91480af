import Glibc

/// The search for the coefficients that fit best: for any contention and coherency the best rate of one follows by arithmetic, so that only
/// two remain to be searched (variable projection).
struct ScalabilitySearch {
    /// A level, the rate there, and how much it counts.
    struct Point {
        var level: Double
        var rate: Double
        var weight: Double
    }

    var points: [Point]

    /// Where searches begin: contention and coherency of systems that scale well, badly, and in between.
    private static let starts = [1e-4, 1e-2, 0.2].flatMap { contention in
        [1e-6, 1e-4, 1e-2].map { (contention, $0) }
    }

    /// The best model, begun at one that is known to be good, if there is one. Models without contention, or without coherency cost, are
    /// among those tried.
    func best(near known: ScalabilityModel? = nil) -> ScalabilityModel {
        let starts = known.map { [(max($0.contention, 1e-9), max($0.coherency, 1e-12))] } ?? Self.starts
        var best = model(contention: 0, coherency: 0)
        var least = error(of: best)
        func consider(_ candidate: ScalabilityModel) {
            let error = error(of: candidate)
            guard error < least else { return }
            (best, least) = (candidate, error)
        }
        for (contention, coherency) in starts {
            let (inner, _) = NelderMead.minimum(from: [log(contention), log(coherency)], step: 1) {
                error(of: model(contention: exp($0[0]), coherency: exp($0[1])))
            }
            consider(model(contention: exp(inner[0]), coherency: exp(inner[1])))
            let (flat, _) = NelderMead.minimum(from: [log(contention)], step: 1) {
                error(of: model(contention: exp($0[0]), coherency: 0))
            }
            consider(model(contention: exp(flat[0]), coherency: 0))
            let (steep, _) = NelderMead.minimum(from: [log(coherency)], step: 1) {
                error(of: model(contention: 0, coherency: exp($0[0])))
            }
            consider(model(contention: 0, coherency: exp(steep[0])))
        }
        return best
    }

    /// The model with these coefficients, whose rate of one is the best for them.
    private func model(contention: Double, coherency: Double) -> ScalabilityModel {
        var model = ScalabilityModel(contention: min(contention, 1), coherency: min(coherency, 1), rateOfOne: 1)
        var (product, square) = (0.0, 0.0)
        for point in points {
            let shape = model.shape(at: point.level)
            product += point.weight * shape * point.rate
            square += point.weight * shape * shape
        }
        model.rateOfOne = square > 0 ? product / square : 0
        return model
    }

    private func error(of model: ScalabilityModel) -> Double {
        points.reduce(0) { sum, point in
            let residual = point.rate - model.rate(at: point.level)
            return sum + point.weight * residual * residual
        }
    }
}
