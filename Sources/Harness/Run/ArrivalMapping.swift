import Primitives
import ProviderSessions
import RunRecords
import Workload

extension Profile {
    /// When the run's notifications are due, its timing file read.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` that names the file and the line.
    func arrivals() throws(HarnessError) -> SequenceSupply.Arrivals {
        guard load.loop == .open else { return .closedLoop }
        var plan = ArrivalPlan(try arrivalSchedule())
        plan.catchUp = load.catchUp
        plan.skipAfter = load.skipAfter
        plan.lateAfter = load.lateAfter
        // Waiting for a batch is no stall.
        plan.tick = max(plan.tick, sender.batch.linger * 2)
        return .open(plan)
    }

    private func arrivalSchedule() throws(HarnessError) -> ArrivalSchedule {
        let shard = load.shard.map { ArrivalShard(index: UInt64($0.index), count: UInt64($0.of)) } ?? .whole
        if let file = load.replayFile { return ArrivalSchedule(try arrivalTimes(file), shard: shard) }
        let spacing: ArrivalSchedule.Spacing =
            switch load.arrivals {
            case .constant: .even
            case .poisson: .poisson(seed: workload.seed)
            case .bursts: .bursts(UInt64(load.burst ?? 1))
            }
        return ArrivalSchedule(rateCurve, spacing: spacing, shard: shard)
    }

    private var rateCurve: RateCurve {
        if let rate = load.totalRate(connections: sender.connections) { return RateCurve(rate) }
        let stages = load.staircase?.stages ?? load.stages
        return RateCurve(stages.map { RateCurve.Stage($0.rate, to: $0.to, for: $0.length) })
    }

    private func arrivalTimes(_ file: String) throws(HarnessError) -> ArrivalTimes {
        let bytes = try readFile(file, limit: timingFileBytesMax)
        let times = bytes.withUnsafeBytes { text in
            Result { () throws(WorkloadError) in try ArrivalTimes(parsing: text, fileName: file) }
        }
        switch times {
        case .success(let times): return times
        case .failure(let error): throw .invalidInput(error.description)
        }
    }
}

/// The most bytes of a timing file, 1 GiB.
private let timingFileBytesMax = 1 << 30
