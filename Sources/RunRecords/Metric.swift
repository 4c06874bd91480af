import Primitives

/// A figure of a run record, by the name that thresholds and comparisons use.
public enum Metric: Equatable, Sendable {
    /// One of the figures that a run has once.
    case plain(Plain)
    /// A statistic of a latency series.
    case latency(series: String, Statistic)

    /// Figures that a run has once, by their names.
    public enum Plain: String, Sendable, CaseIterable {
        /// Rates over the measured part.
        case acceptedPerSecond = "accepted/s"
        /// The same without the seconds in which something went wrong.
        case undisturbedPerSecond = "undisturbed/s"
        /// The rate that the target can take; without data unless the target was the limit.
        case capacityPerSecond = "capacity/s"
        /// Notifications written per second.
        case writtenPerSecond = "written/s"
        /// Plain bytes written per second.
        case bytesPerSecond = "bytes/s"
        /// The ledger's counts, by their names there.
        case generated, accepted, rejected, lost, unknown, unsent, resent, duplicates
        /// Notifications about which the two ledgers differ.
        case ledgerDifference
        /// Connections replaced.
        case reconnects
        /// Notifications written again for each connection replaced.
        case resentPerReconnect = "reconnect.resent"
        /// Throughput lost for each connection replaced, in notifications.
        case lostPerReconnect = "reconnect.lost"
        /// Connections replaced with a full TLS handshake.
        case fullReconnects = "reconnect.full"
        /// Connections replaced with a resumed TLS session.
        case resumedReconnects = "reconnect.resumed"
        /// The sender's processor time for a full TLS handshake.
        case senderFullHandshakeCPU = "sender.fullHandshakeCPU"
        /// The sender's processor time for a resumed TLS handshake.
        case senderResumedHandshakeCPU = "sender.resumedHandshakeCPU"
        /// The simulator's processor time for a full TLS handshake.
        case simulatorFullHandshakeCPU = "simulator.fullHandshakeCPU"
        /// The simulator's processor time for a resumed TLS handshake.
        case simulatorResumedHandshakeCPU = "simulator.resumedHandshakeCPU"
        /// Error replies that named a notification outside the window.
        case windowOverruns
        /// Error replies that the simulator sent and the sender did not read.
        case missedReplies = "replies.missed"
        /// Error replies read after a write had failed.
        case errorAfterWriteFailure
        /// Notifications that followed a bad one, at the median.
        case inFlightP50 = "inFlightAtError.p50"
        /// Notifications that followed a bad one, at most.
        case inFlightMax = "inFlightAtError.max"
        /// The sender's processor time.
        case senderCPU = "sender.cpu"
        /// The sender's processor time per notification written.
        case senderCPUPerNotification = "sender.cpuPerNotification"
        /// The sender's peak memory.
        case senderPeakRSS = "sender.peakRSS"
        /// The sender's allocations.
        case senderAllocations = "sender.allocations"
        /// The simulator's processor time.
        case simulatorCPU = "simulator.cpu"
        /// The simulator's processor time per notification written.
        case simulatorCPUPerNotification = "simulator.cpuPerNotification"
        /// The simulator's peak memory.
        case simulatorPeakRSS = "simulator.peakRSS"
        /// The simulator's allocations.
        case simulatorAllocations = "simulator.allocations"
        /// What the sender's busiest event loop had to spare, 0 to 1.
        case senderHeadroom = "sender.headroom"
        /// What the simulator's busiest event loop had to spare, 0 to 1.
        case simulatorHeadroom = "simulator.headroom"
        /// Accepted per second as a share of what the simulator can accept at all.
        case ceilingShare = "simulator.ceilingShare"
        /// For how long the sender's event loops were ready to run while others had the processors.
        case senderRunQueue = "sender.runQueue"
        /// For how long the simulator's event loops were ready to run while others had the processors.
        case simulatorRunQueue = "simulator.runQueue"
        /// The sender's allocations per notification written.
        case senderAllocationsPerNotification = "sender.allocationsPerNotification"
        /// The simulator's allocations per notification written.
        case simulatorAllocationsPerNotification = "simulator.allocationsPerNotification"
        /// The sender's context switches.
        case senderContextSwitches = "sender.contextSwitches"
        /// The simulator's context switches.
        case simulatorContextSwitches = "simulator.contextSwitches"
        /// System calls of the sender's event loops.
        case senderSystemCalls = "sender.systemCalls"
        /// System calls of the simulator's event loops.
        case simulatorSystemCalls = "simulator.systemCalls"
        /// System calls of the sender's event loops per notification written.
        case senderSystemCallsPerNotification = "sender.systemCallsPerNotification"
        /// System calls of the simulator's event loops per notification written.
        case simulatorSystemCallsPerNotification = "simulator.systemCallsPerNotification"
        /// Bytes on the sender's connections in both directions, TLS among them, per notification written.
        case senderWireBytesPerNotification = "sender.wireBytesPerNotification"
        /// File descriptors that the sender held at the end.
        case senderDescriptors = "sender.descriptors"
        /// File descriptors that the simulator held at the end.
        case simulatorDescriptors = "simulator.descriptors"
        /// By how much the sender's memory grew from 20 to 90 % of the run; of runs with at least ten intervals.
        case senderMemoryGrowth = "sender.memoryGrowth"
        /// By how much the simulator's memory grew from 20 to 90 % of the run.
        case simulatorMemoryGrowth = "simulator.memoryGrowth"
        /// How many descriptors more the sender held at 90 % of the run than at 20 %.
        case senderDescriptorGrowth = "sender.descriptorGrowth"
        /// How many descriptors more the simulator held at 90 % of the run than at 20 %.
        case simulatorDescriptorGrowth = "simulator.descriptorGrowth"
        /// Notifications that an open loop's schedule had.
        case planned = "schedule.planned"
        /// Those of them that were never written.
        case skipped = "schedule.skipped"
        /// Those that were written late.
        case late = "schedule.late"
        /// Times that the schedule fell behind.
        case stalls = "schedule.stalls"
        /// The coefficient of variation of the times between batches.
        case gapVariation = "sendGap.variation"
    }

    /// What can be asked of a latency series.
    public enum Statistic: Equatable, Sendable {
        /// Recorded values.
        case count
        /// The shortest.
        case min
        /// The mean.
        case mean
        /// The longest.
        case max
        /// What a share of all, 0 to 1, did not exceed.
        case quantile(Double)
    }

    /// The latency series that records may have.
    public static let seriesNames = [
        "response", "responseRefused", "service", "serviceRefused", "responseBound", "serviceBound", "blocked",
        "scheduleLag", "sendGap", "residence", "errorReply",
        "connectTCP", "connectTLS", "reconnect", "timerLag",
        "reconnectDetect", "reconnectWait", "reconnectTCP", "reconnectTLSFull", "reconnectTLSResumed", "reconnectWrite",
        "firstAcceptance", "acceptance",
    ]

    /// The series of requests that were refused for one reason, a part of `serviceRefused`.
    public static func refusedSeries(_ reason: String) -> String { refusedPrefix + reason }
    private static let refusedPrefix = "serviceRefused/"

    /// The names of series in the order in which they are told: those of ``seriesNames``, and behind them those by reason.
    public static func ordered(_ names: some Sequence<String>) -> [String] {
        let names = Set(names)
        return seriesNames.filter { names.contains($0) } + names.subtracting(seriesNames).sorted()
    }

    /// Names of the figures that a run has once.
    public static let plainNames = Plain.allCases.map(\.rawValue)

    /// Finds a figure by its name: `lost`, `accepted/s`, `errorReply.p99`, `residence.max`.
    ///
    /// - Throws: ``ThresholdError/unknownMetric(_:nearest:)``.
    public init(_ name: String) throws(ThresholdError) {
        if let plain = Plain(rawValue: name) {
            self = .plain(plain)
            return
        }
        let parts = name.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let statistic = Statistic(parts[1]),
            Self.seriesNames.contains(String(parts[0])) || parts[0].hasPrefix(Self.refusedPrefix)
        else { throw .unknownMetric(name, nearest: Self.nearest(to: name)) }
        self = .latency(series: String(parts[0]), statistic)
    }

    /// The unit that values and bounds are in.
    public var unit: MetricUnit {
        switch self {
        case .latency(_, .count): .count
        case .latency: .time
        case .plain(.acceptedPerSecond), .plain(.undisturbedPerSecond), .plain(.writtenPerSecond),
            .plain(.capacityPerSecond):
            .rate
        case .plain(.bytesPerSecond): .bytesPerSecond
        case .plain(.senderPeakRSS), .plain(.simulatorPeakRSS): .size
        case .plain(.senderMemoryGrowth), .plain(.simulatorMemoryGrowth): .size
        case .plain(.senderWireBytesPerNotification): .size
        case .plain(.senderRunQueue), .plain(.simulatorRunQueue): .time
        case .plain(.senderCPU), .plain(.simulatorCPU): .time
        case .plain(.senderCPUPerNotification), .plain(.simulatorCPUPerNotification): .time
        case .plain(.senderFullHandshakeCPU), .plain(.senderResumedHandshakeCPU): .time
        case .plain(.simulatorFullHandshakeCPU), .plain(.simulatorResumedHandshakeCPU): .time
        case .plain(.senderHeadroom), .plain(.simulatorHeadroom), .plain(.ceilingShare), .plain(.gapVariation): .number
        case .plain(.resentPerReconnect), .plain(.lostPerReconnect): .number
        case .plain(.senderAllocationsPerNotification), .plain(.simulatorAllocationsPerNotification): .number
        case .plain(.senderSystemCallsPerNotification), .plain(.simulatorSystemCallsPerNotification): .number
        case .plain: .count
        }
    }

    /// Whether the figure may be below zero, so that a bound there means something.
    private var isSigned: Bool {
        switch self {
        case .plain(.senderMemoryGrowth), .plain(.simulatorMemoryGrowth), .plain(.senderDescriptorGrowth),
            .plain(.simulatorDescriptorGrowth), .plain(.lostPerReconnect):
            true
        default: false
        }
    }

    /// Reads a bound of the figure as users write it.
    func bound(of text: String) throws(ThresholdError) -> Double {
        guard isSigned, text.hasPrefix("-") else { return try unit.value(of: text) }
        return -(try unit.value(of: String(text.dropFirst())))
    }

    private static func nearest(to name: String) -> String? {
        let statistics = ["count", "min", "mean", "max", "p50", "p90", "p99", "p99.9"]
        let latencies = seriesNames.flatMap { series in statistics.map { "\(series).\($0)" } }
        return nearestName(to: name, among: plainNames + latencies)
    }
}

extension Metric.Statistic {
    /// Finds a statistic by its name; `p` and a number of percent is a quantile.
    init?(_ name: Substring) {
        switch name {
        case "count": self = .count
        case "min": self = .min
        case "mean": self = .mean
        case "max": self = .max
        default:
            guard name.first == "p", name.dropFirst().allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let percent = Double(name.dropFirst()), percent >= 0, percent <= 100
            else { return nil }
            self = .quantile(percent / 100)
        }
    }
}

/// The unit of a figure; values are nanoseconds, bytes, counts, or any of them per second.
public enum MetricUnit: String, Codable, Equatable, Sendable {
    /// A number of things.
    case count
    /// A number that is no whole one: a share of one, a count of each of something.
    case number
    /// Things per second.
    case rate = "perSecond"
    /// Bytes per second.
    case bytesPerSecond
    /// Nanoseconds.
    case time = "ns"
    /// Bytes.
    case size = "bytes"

    /// A value as people read it.
    public func text(_ value: Double) -> String {
        guard value.magnitude < 0x1p62 else { return "\(value)" }
        let whole = Int64(value.rounded())
        return switch self {
        case .count: Count(whole).grouped
        case .number: value.magnitude < 100 ? Self.fractionText(value) : Count(whole).grouped
        case .rate: value == 0 ? "0/s" : Rate(perSecond: value).description
        case .bytesPerSecond: ByteCount(bytes: whole).description + "/s"
        case .time: Interval(nanoseconds: whole).description
        case .size: ByteCount(bytes: whole).description
        }
    }

    /// Four places, or three digits where those begin later, without zeros at the end.
    private static func fractionText(_ value: Double) -> String {
        var (places, scaled) = (4, value.magnitude)
        while scaled > 0, scaled < 0.01, places < 12 {
            scaled *= 10
            places += 1
        }
        var text = Substring(decimalText(value, places: places))
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return String(text)
    }

    /// Reads a bound as users write it.
    func value(of text: String) throws(ThresholdError) -> Double {
        do throws(QuantityError) {
            switch self {
            case .count: return Double(try Count(text: text).value)
            case .number:
                if text.contains("."), let number = Double(text), number.isFinite, number >= 0 { return number }
                return Double(try Count(text: text).value)
            case .rate: return text == "0" ? 0 : try Rate(text: text).perSecond
            case .bytesPerSecond:
                return Double(try ByteCount(text: text.hasSuffix("/s") ? String(text.dropLast(2)) : text).bytes)
            case .size: return Double(try ByteCount(text: text).bytes)
            case .time:
                // Elsewhere a bare number is seconds; here a forgotten unit would make a threshold that cannot fail.
                if Double(text).map({ $0 > 0 }) == true { throw .missingUnit(.interval, found: text) }
                return Double(try Interval(text: text).nanoseconds)
            }
        } catch {
            throw .badBound(error)
        }
    }
}
