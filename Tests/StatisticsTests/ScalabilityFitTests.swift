import Statistics
import Testing

@Suite struct ScalabilityFitTests {
    /// Rates of a router with 1 to 32 clients, the data set of usl4j's tests (N. J. Gunther's book has its coefficients).
    static let rates: [Double] = [
        955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71, 8646.7,
        9047.84,
        9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806.0, 12089.37,
        12075.41,
        12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39,
    ]

    static func points(_ count: Int) -> [ScalabilityPoint] {
        (1...count).map { ScalabilityPoint(level: Double($0), rates: [rates[$0 - 1]]) }
    }

    static let quick = Bootstrap(resamples: 200)

    @Test func `the coefficients of the 32 rates are those of the book`() throws {
        let fit = try ScalabilityFit(Self.points(32), method: .plain, bootstrap: Self.quick)
        #expect(abs(fit.model.contention - 0.02671591) < 1e-6)
        #expect(abs(fit.model.coherency - 7.690945e-4) < 1e-8)
        #expect(abs(fit.model.rateOfOne - 995.6486) < 1e-2)
        #expect(abs((fit.model.peakLevel ?? 0) - 35.57) < 0.01)
        #expect(abs((fit.model.greatestRate ?? 0) - 12_343) < 1)
        #expect(fit.applies, "\(fit.objections)")
        #expect(fit.contention.low < 0.0267 && 0.0267 < fit.contention.high)
    }

    @Test(arguments: [(8, 17_844.0), (12, 10_623), (16, 10_493), (24, 12_746)])
    func `rates that end before the peak are refused`(count: Int, foretold: Double) throws {
        let fit = try ScalabilityFit(Self.points(count), method: .plain, bootstrap: Self.quick)
        #expect(abs((fit.model.greatestRate ?? 0) - foretold) < 1)
        #expect(!fit.applies)
        #expect(try !ScalabilityFit(Self.points(count), bootstrap: Self.quick).applies)
    }

    @Test func `six exact rates give the coefficients that made them`() throws {
        let points = zip([1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])
            .map { ScalabilityPoint(level: $0, rates: [$1]) }
        let fit = try ScalabilityFit(points, bootstrap: Self.quick)
        #expect(abs(fit.model.contention - 0.02) < 1e-4)
        #expect(abs(fit.model.coherency - 0.02) < 1e-5)
        #expect(abs(fit.model.rateOfOne - 1) < 1e-4)
        #expect(fit.applies, "\(fit.objections)")
    }

    @Test func `rates without a peak have none, and their limit is what contention leaves`() throws {
        let truth = ScalabilityModel(contention: 0.1, coherency: 0, rateOfOne: 1_000)
        let points = [1.0, 2, 4, 8, 16, 32, 64].map { ScalabilityPoint(level: $0, rates: [truth.rate(at: $0)]) }
        let fit = try ScalabilityFit(points, bootstrap: Self.quick)
        #expect(abs(fit.model.contention - 0.1) < 1e-6)
        #expect(fit.peakLevel == nil)
        #expect(abs((fit.model.greatestRate ?? 0) - 10_000) < 100)
    }

    @Test func `one wild rate hardly moves the robust fit`() throws {
        let truth = ScalabilityModel(contention: 0.02, coherency: 0.001, rateOfOne: 1_000)
        var points = [1.0, 2, 4, 8, 16, 24, 32, 48, 64].enumerated().map { index, level in
            ScalabilityPoint(level: level, rates: [truth.rate(at: level) * (index % 2 == 0 ? 1.002 : 0.998)])
        }
        points[5].rates[0] *= 0.7
        let plain = try ScalabilityFit(points, method: .plain, bootstrap: Self.quick).model
        let robust = try ScalabilityFit(points, bootstrap: Self.quick).model
        func error(_ model: ScalabilityModel) -> Double { abs((model.peakLevel ?? 0) / (truth.peakLevel ?? 1) - 1) }
        #expect(error(robust) < error(plain) / 2, "\(error(robust)) against \(error(plain))")
    }

    @Test func `a rate that is known badly counts less`() throws {
        let truth = ScalabilityModel(contention: 0.02, coherency: 0.001, rateOfOne: 1_000)
        var points = [1.0, 2, 4, 8, 16, 32, 64].map { level in
            let rate = truth.rate(at: level)
            return ScalabilityPoint(level: level, rates: [rate * 0.999, rate, rate * 1.001])
        }
        points[6].rates = points[6].rates.map { $0 * 0.9 }
        points[6].rates[0] *= 0.5
        points[6].rates[1] *= 1.5
        let fit = try ScalabilityFit(points, method: .plain, bootstrap: Self.quick)
        #expect(abs((fit.model.peakLevel ?? 0) / (truth.peakLevel ?? 1) - 1) < 0.05)
    }

    @Test func `few levels, and impossible ones, are refused`() {
        #expect(throws: ScalabilityError.tooFewLevels(5)) { try ScalabilityFit(Self.points(5)) }
        #expect(throws: ScalabilityError.notPositive) {
            try ScalabilityFit(Self.points(7) + [ScalabilityPoint(level: 0, rates: [1])])
        }
        #expect(throws: ScalabilityError.notPositive) {
            try ScalabilityFit(Self.points(7) + [ScalabilityPoint(level: 9, rates: [.nan])])
        }
    }

    @Test func `rates of another shape are refused`() throws {
        // A step: half the rate from the fifth level on.
        let points = (1...12).map { ScalabilityPoint(level: Double($0), rates: [$0 < 5 ? Double($0) * 100 : 200]) }
        let fit = try ScalabilityFit(points, bootstrap: Self.quick)
        #expect(!fit.applies)
    }

    @Test func `the same seed gives the same intervals`() throws {
        let first = try ScalabilityFit(Self.points(32), bootstrap: Bootstrap(resamples: 100, seed: 7))
        #expect(try first == ScalabilityFit(Self.points(32), bootstrap: Bootstrap(resamples: 100, seed: 7)))
        #expect(try first != ScalabilityFit(Self.points(32), bootstrap: Bootstrap(resamples: 100, seed: 8)))
    }
}
