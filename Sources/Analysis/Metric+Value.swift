public import RunRecords

/// Where in a record each figure stands.
extension Metric {
    /// The figure's value in its unit (nanoseconds, bytes, counts, per second); nil if the record has no data for it.
    public func value(in record: RunRecord) -> Double? {
        switch self {
        case .plain(let plain): plain.value(in: record).flatMap { $0.isFinite ? $0 : nil }
        case .latency(let series, let statistic): record.latency[series].flatMap { statistic.value(in: $0) }
        }
    }
}

extension Metric.Statistic {
    fileprivate func value(in series: LatencyRecord) -> Double? {
        switch self {
        case .count: Double(series.count)
        case .min: series.minNs.map(Double.init)
        case .mean: series.meanNs.map(Double.init)
        case .max: series.maxNs.map(Double.init)
        case .quantile(let quantile): series.value(atQuantile: quantile).map(Double.init)
        }
    }
}

extension Metric.Plain {
    fileprivate func value(in record: RunRecord) -> Double? {
        switch self {
        case .acceptedPerSecond: record.throughput.acceptedPerSecond
        case .undisturbedPerSecond: record.throughput.undisturbedPerSecond
        case .capacityPerSecond: record.throughput.capacityPerSecond
        case .writtenPerSecond: record.throughput.writtenPerSecond
        case .bytesPerSecond: record.throughput.bytesPerSecond
        case .generated: Double(record.ledger.generated)
        case .accepted: Double(record.ledger.accepted)
        case .rejected: Double(record.ledger.rejected)
        case .lost: Double(record.ledger.lost)
        case .unknown: Double(record.ledger.unknown)
        case .unsent: Double(record.ledger.unsent)
        case .resent: Double(record.ledger.resent)
        case .duplicates: Double(record.ledger.duplicates)
        case .ledgerDifference: record.ledgerDifference.map(Double.init)
        case .reconnects: Double(record.reconnects.count)
        case .resentPerReconnect: record.reconnects.resentPerReconnect
        case .lostPerReconnect: record.reconnects.throughputLost?.perReconnect
        case .fullReconnects: record.reconnects.full.map(Double.init)
        case .resumedReconnects: Double(record.reconnects.resumed)
        case .senderFullHandshakeCPU: record.reconnects.senderHandshakes?.full.meanNs
        case .senderResumedHandshakeCPU: record.reconnects.senderHandshakes?.resumed.meanNs
        case .simulatorFullHandshakeCPU: record.reconnects.simulatorHandshakes?.full.meanNs
        case .simulatorResumedHandshakeCPU: record.reconnects.simulatorHandshakes?.resumed.meanNs
        case .windowOverruns: Double(record.windowOverruns.count)
        case .missedReplies: record.replies?.missed.map(Double.init)
        case .errorAfterWriteFailure: record.replies.map { Double($0.errorAfterWriteFailure) }
        case .inFlightP50: record.reconnects.inFlightAtError.p50.map(Double.init)
        case .inFlightMax: record.reconnects.inFlightAtError.max.map(Double.init)
        case .senderCPU: Double(record.resources.sender.cpuNs)
        case .senderCPUPerNotification: record.perNotification(Double(record.resources.sender.cpuNs))
        case .senderPeakRSS: Double(record.resources.sender.peakRSSBytes)
        case .senderAllocations: record.resources.sender.allocations.map(Double.init)
        case .simulatorCPU: record.resources.simulator.map { Double($0.cpuNs) }
        case .simulatorCPUPerNotification:
            record.resources.simulator.flatMap { record.perNotification(Double($0.cpuNs)) }
        case .simulatorPeakRSS: record.resources.simulator.map { Double($0.peakRSSBytes) }
        case .simulatorAllocations: record.resources.simulator?.allocations.map(Double.init)
        case .senderHeadroom: record.limit?.headroom
        case .simulatorHeadroom: record.limit?.simulatorBusy.map { max(0, 1 - $0) }
        case .ceilingShare: record.limit?.ceilingShare
        case .senderRunQueue: record.resources.sender.runQueueNs.map(Double.init)
        case .simulatorRunQueue: record.resources.simulator?.runQueueNs.map(Double.init)
        case .senderAllocationsPerNotification:
            record.resources.sender.allocations.flatMap { record.perNotification(Double($0)) }
        case .simulatorAllocationsPerNotification:
            record.resources.simulator?.allocations.flatMap { record.perNotification(Double($0)) }
        case .senderContextSwitches: Double(record.resources.sender.contextSwitches)
        case .simulatorContextSwitches: record.resources.simulator.map { Double($0.contextSwitches) }
        case .senderSystemCalls: record.resources.sender.systemCalls.map(Double.init)
        case .simulatorSystemCalls: record.resources.simulator?.systemCalls.map(Double.init)
        case .senderSystemCallsPerNotification:
            record.resources.sender.systemCalls.flatMap { record.perNotification(Double($0)) }
        case .simulatorSystemCallsPerNotification:
            record.resources.simulator?.systemCalls.flatMap { record.perNotification(Double($0)) }
        case .senderWireBytesPerNotification:
            record.resources.sender.wireBytes.flatMap { record.perNotification(Double($0)) }
        case .senderDescriptors: record.resources.sender.descriptors.map(Double.init)
        case .simulatorDescriptors: record.resources.simulator?.descriptors.map(Double.init)
        case .senderMemoryGrowth: record.growth(of: \.senderRSSBytes)
        case .simulatorMemoryGrowth: record.growth(of: \.simulatorRSSBytes)
        case .senderDescriptorGrowth: record.growth(of: \.senderDescriptors)
        case .simulatorDescriptorGrowth: record.growth(of: \.simulatorDescriptors)
        case .planned: record.schedule.map { Double($0.planned) }
        case .skipped: record.schedule.map { Double($0.skipped.total) }
        case .late: record.schedule.map { Double($0.late.total) }
        case .stalls: record.schedule.map { Double($0.stalls) }
        case .gapVariation: record.schedule?.gapVariation
        }
    }
}

extension RunRecord {
    /// Notifications written, those written again among them.
    public var writtenCount: Int64 { ledger.generated - ledger.unsent + ledger.resent }

    /// By how much a figure grew between 20 and 90 % of the run, past the warming up and before the end; nil where a short run or
    /// missing figures tell nothing.
    fileprivate func growth(of figure: KeyPath<IntervalRecord, Int64?>) -> Double? {
        let values = intervals.compactMap { $0[keyPath: figure] }
        guard values.count >= 10 else { return nil }
        return Double(values[values.count * 9 / 10] - values[values.count / 5])
    }

    /// A sum over the whole run, shared among all notifications written; nil if none was.
    fileprivate func perNotification(_ sum: Double) -> Double? { writtenCount > 0 ? sum / Double(writtenCount) : nil }
}
