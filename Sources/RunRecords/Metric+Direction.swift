/// Which way a figure is better.
public enum MetricDirection: String, Codable, Sendable, CaseIterable {
    /// More is better.
    case higher
    /// Less is better.
    case lower
    /// It describes, and does not rate.
    case neither
}

extension Metric {
    /// The name by which ``init(_:)`` finds the figure.
    public var name: String {
        switch self {
        case .plain(let plain): plain.rawValue
        case .latency(let series, let statistic): "\(series).\(statistic.name)"
        }
    }

    /// Which way the figure is better; the table of all comparisons.
    public var direction: MetricDirection {
        switch self {
        case .latency(_, .count): .neither
        // How evenly batches go is another question than how far apart.
        case .latency("sendGap", _): .neither
        case .latency: .lower
        case .plain(let plain): plain.direction
        }
    }
}

extension Metric {
    /// The figures that are known while a run goes on.
    static let liveNames = ["accepted/s", "written/s", "bytes/s", "rejected", "resent", "reconnects", "residence.max"]

    /// Whether the figure is known while a run goes on.
    public var isLive: Bool { Self.liveNames.contains(name) }
}

extension Metric.Statistic {
    /// `count`, `min`, `mean`, `max`, or `p` and the percent of a quantile.
    public var name: String {
        switch self {
        case .count: return "count"
        case .min: return "min"
        case .mean: return "mean"
        case .max: return "max"
        case .quantile(let quantile):
            // Percent have at most six places here, so that 0.999 is p99.9 again.
            let percent = (quantile * 1e8).rounded() / 1e6
            let text = "\(percent)"
            return "p" + (text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        }
    }
}

extension Metric.Plain {
    /// Which way the figure is better. What follows from the workload alone, or is good or bad by what one wants, is neither.
    public var direction: MetricDirection {
        switch self {
        case .acceptedPerSecond, .undisturbedPerSecond, .capacityPerSecond, .bytesPerSecond, .senderHeadroom,
            .simulatorHeadroom,
            .ceilingShare:
            .higher
        case .writtenPerSecond, .generated, .accepted, .rejected, .reconnects, .fullReconnects, .resumedReconnects,
            .planned:
            .neither
        case .lost, .unknown, .unsent, .resent, .duplicates, .ledgerDifference, .resentPerReconnect, .lostPerReconnect,
            .senderFullHandshakeCPU, .senderResumedHandshakeCPU, .simulatorFullHandshakeCPU,
            .simulatorResumedHandshakeCPU, .windowOverruns, .missedReplies, .errorAfterWriteFailure, .inFlightP50,
            .inFlightMax, .senderCPU, .senderCPUPerNotification, .senderPeakRSS, .senderAllocations, .simulatorCPU,
            .simulatorCPUPerNotification, .simulatorPeakRSS, .simulatorAllocations, .senderRunQueue,
            .simulatorRunQueue, .senderAllocationsPerNotification, .simulatorAllocationsPerNotification,
            .senderContextSwitches, .simulatorContextSwitches, .senderSystemCalls, .simulatorSystemCalls,
            .senderSystemCallsPerNotification, .simulatorSystemCallsPerNotification, .senderWireBytesPerNotification,
            .senderDescriptors, .simulatorDescriptors, .senderMemoryGrowth, .simulatorMemoryGrowth,
            .senderDescriptorGrowth, .simulatorDescriptorGrowth, .skipped, .late, .stalls, .gapVariation:
            .lower
        }
    }
}
