public import RunRecords
public import Statistics

/// How runs shall be compared.
public struct ComparisonPlan: Sendable {
    /// The error rate of all deciding figures together. Default: 5 %.
    public var alpha = 0.05
    /// The seed of the resampling. Default: 1.
    public var seed: UInt64 = 1
    /// How often is resampled. Default: 10,000.
    public var resamples = 10_000
    /// The figures that decide; empty (the default) for those that suit the load (``Metric/gates(for:)``).
    public var gates: [Metric] = []
    /// The order of interleaved runs, whose *i*-th runs are pairs; nil (the default) if the sides were run apart.
    public var order: String?
    /// What the machine's comparisons of something with itself showed, by the figures' names.
    public var noise: [String: NoiseFloor] = [:]
    /// The smallest change that counts, for figures without a measured one; nil (the default) for ``assumedNoise``.
    public var declaredNoise: Double?
    /// Whether the two sides were asked for different things on purpose. Default: false.
    public var mayDiffer = false
    /// Whether an inconclusive comparison passes. Default: false.
    public var isAdvisory = false
    /// Conditions on changes.
    public var thresholds: [Threshold] = []

    /// The smallest change that counts where nothing is known about the machine.
    public static let assumedNoise = 0.05

    /// Makes the default plan.
    public init() {}
}

extension Metric {
    /// The figures that decide unless the user names others: few, so that each of them can be shown with few runs.
    ///
    /// A closed loop is judged by what it carries. An open loop carries what it is offered, so it is judged by its response times, too.
    public static func gates(for run: RunRecord) -> [Metric] {
        let rate = Metric.plain(.acceptedPerSecond)
        return run.schedule == nil ? [rate] : [rate, .latency(series: "response", .quantile(0.99))]
    }

    /// All figures that comparisons show, the most important first.
    static func compared(in runs: [RunRecord]) -> [Metric] {
        let series = ordered(runs.flatMap(\.latency.keys))
        let latencies = series.flatMap { name in
            [Metric.Statistic.quantile(0.5), .quantile(0.99), .max].map { Metric.latency(series: name, $0) }
        }
        return leading.map(Metric.plain) + latencies + resources.map(Metric.plain)
    }

    private static let leading: [Metric.Plain] = [
        .acceptedPerSecond, .writtenPerSecond, .bytesPerSecond, .generated, .accepted, .rejected, .lost, .unknown,
        .unsent, .resent, .duplicates, .ledgerDifference, .reconnects, .windowOverruns, .inFlightP50, .fullReconnects,
        .resentPerReconnect, .lostPerReconnect,
    ]

    private static let resources: [Metric.Plain] = [
        .senderCPUPerNotification, .senderPeakRSS, .senderAllocations, .simulatorCPUPerNotification, .simulatorPeakRSS,
        .senderFullHandshakeCPU, .senderResumedHandshakeCPU, .simulatorFullHandshakeCPU, .simulatorResumedHandshakeCPU,
    ]

    /// A figure's value, but not a quantile with fewer than ten values beyond it: it is the maximum under another name.
    public func comparableValue(in run: RunRecord) -> Double? {
        if case .latency(let name, .quantile(let quantile)) = self {
            let count = Double(run.latency[name]?.count ?? 0)
            guard quantile <= 0.5 || count * (1 - quantile) + 1e-6 >= 10 else { return nil }
        }
        return value(in: run)
    }
}
