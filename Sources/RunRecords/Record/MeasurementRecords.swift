public import Primitives

/// Rates over the measured part of a run; null where nothing was measured.
public struct ThroughputRecord: Codable, Equatable, Sendable {
    /// Notifications proved to have been taken, the headline figure.
    @ExplicitNull public private(set) var acceptedPerSecond: Double?
    /// `lower` where ``acceptedPerSecond`` is only a lower bound: success is silent, the target is not our simulator, and so the time until
    /// the last proof counts, which may come long after the last acceptance. Null where it is the rate.
    @ExplicitNull public var acceptedBound: String?
    /// The same without the intervals in which an error came, a connection was replaced or something was written again; null unless
    /// there are both such intervals and others, or if the simulator cannot be asked.
    @ExplicitNull public var undisturbedPerSecond: Double?
    /// What the target can take: ``acceptedPerSecond`` where the target itself was the limit. Null otherwise, above all where the
    /// generator was: then the rate says only that the target took this.
    @ExplicitNull public var capacityPerSecond: Double?
    /// Notifications written, those written again among them; says nothing about delivery.
    @ExplicitNull public private(set) var writtenPerSecond: Double?
    /// Plain bytes written.
    @ExplicitNull public private(set) var bytesPerSecond: Double?

    /// Makes rates of nothing.
    public init() {}

    /// Divides counts by the time they took; nil counts, and times that are not positive, give null.
    ///
    /// - Parameters:
    ///   - accepted: notifications taken.
    ///   - written: notifications written.
    ///   - bytes: plain bytes written.
    ///   - length: the time that all this took.
    ///   - provedLength: the time in which `accepted` were taken, where it is another.
    public init(accepted: Int64?, written: Int64, bytes: Int64, over length: Interval, provedLength: Interval? = nil) {
        guard length > .zero else { return }
        let acceptedLength = provedLength ?? length
        if acceptedLength > .zero { acceptedPerSecond = accepted.map { Double($0) / acceptedLength.seconds } }
        writtenPerSecond = Double(written) / length.seconds
        bytesPerSecond = Double(bytes) / length.seconds
    }
}

/// One connection slot: a connection and its successors.
public struct ConnectionRecord: Codable, Equatable, Sendable {
    /// The slot's number, from 0.
    public var index = 0
    /// The event loop that it lives on, from 0.
    public var loop = 0
    /// Connections that the slot has had.
    public var openings: Int64 = 0
    /// Notifications written, those written again among them.
    public var written: Int64 = 0
    /// Notifications proved to have been taken.
    public var accepted: Int64 = 0
    /// Notifications named by error replies.
    public var rejected: Int64 = 0
    /// Notifications written again.
    public var resent: Int64 = 0
    /// Plain bytes written.
    public var bytes: Int64 = 0
    /// TLS version of the latest connection; null if none came up.
    @ExplicitNull public var tlsVersion: String?
    /// Cipher suite of the latest connection; null if none came up.
    @ExplicitNull public var cipher: String?
    /// Whether the latest connection resumed a session; null if none came up.
    @ExplicitNull public var resumed: Bool?

    /// Makes an unused slot.
    public init(index: Int = 0, loop: Int = 0) {
        self.index = index
        self.loop = loop
    }
}

/// What happened in one second, or in the shorter last interval.
public struct IntervalRecord: Codable, Equatable, Sendable {
    /// Start, from the start of the run.
    public var startNs: Int64 = 0
    /// Length.
    public var lengthNs: Int64 = 0
    /// Notifications written, those written again among them.
    public var written: Int64 = 0
    /// Notifications taken, by the simulator's count; null where it cannot be asked.
    @ExplicitNull public var accepted: Int64?
    /// Notifications named by error replies.
    public var rejected: Int64 = 0
    /// Notifications written again.
    public var resent: Int64 = 0
    /// Connections replaced.
    public var reconnects: Int64 = 0
    /// Notifications written and not yet proved, at the interval's end.
    public var inFlight: Int64 = 0
    /// The lowest number of requests that a connection could have open at once in it; null for the binary interface.
    @ExplicitNull public var streamLimitLow: Int64?
    /// The highest such number; null for the binary interface.
    @ExplicitNull public var streamLimitHigh: Int64?
    /// Plain bytes written.
    public var bytes: Int64 = 0
    /// The sender's processor time.
    public var senderCPUNs: Int64 = 0
    /// The simulator's processor time; null where it cannot be asked.
    @ExplicitNull public var simulatorCPUNs: Int64?
    /// For how long the sender's event loops were ready to run while others had the processors, added over all of them; null where
    /// the kernel does not tell.
    @ExplicitNull public var senderRunQueueNs: Int64?
    /// The same of the simulator's event loops; null where it cannot be asked, too.
    @ExplicitNull public var simulatorRunQueueNs: Int64?
    /// By how much the sender's idle timers were late, 99 of 100 of them at most; null without any.
    @ExplicitNull public var timerLagP99Ns: Int64?
    /// The most by which one of them was late; null without any.
    @ExplicitNull public var timerLagMaxNs: Int64?
    /// Memory that the sender's process held at the end.
    @ExplicitNull public var senderRSSBytes: Int64?
    /// File descriptors that the sender's process held at the end; null on kernels before 6.2, which do not tell.
    @ExplicitNull public var senderDescriptors: Int64?
    /// Memory that the simulator's process held at the end; null where it cannot be asked.
    @ExplicitNull public var simulatorRSSBytes: Int64?
    /// File descriptors that the simulator's process held at the end; null as for the sender's.
    @ExplicitNull public var simulatorDescriptors: Int64?
    /// Residence of what was written; null if nothing was.
    @ExplicitNull public var residenceP50Ns: Int64?
    /// Residence that 99 of 100 did not exceed; null if nothing was written.
    @ExplicitNull public var residenceP99Ns: Int64?
    /// The longest residence; null if nothing was written.
    @ExplicitNull public var residenceMaxNs: Int64?
    /// The histograms of the interval by their tags, in HdrHistogram's compressed V2 format, base64: those of the measured part
    /// by their series' names, those of other phases with the phase before, such as `warmup/residence`. Over all intervals they
    /// add up to the run's. `reconnectDetect` and the simulator's `firstAcceptance` are of the whole run only. Null unless an
    /// interval log was asked for.
    @ExplicitNull public var histograms: [String: String]?

    /// Makes an empty interval.
    public init() {}
}

extension IntervalRecord {
    /// Whether something went wrong in it.
    public var isDisturbed: Bool { rejected > 0 || reconnects > 0 || resent > 0 }
}

/// What became of one threshold.
public struct ThresholdRecord: Codable, Equatable, Sendable {
    /// The threshold as the profile has it.
    public var text: String
    /// The metric's value, in the metric's unit (nanoseconds, counts, per second); null if there was no data.
    @ExplicitNull public private(set) var value: Double?
    /// Whether it held; no data never holds.
    public private(set) var passed: Bool

    /// The figure that the threshold is about; nil of a text that is none.
    public var metric: Metric? { (try? Threshold(text))?.metric }

    /// Makes an outcome; a value that is not finite counts as no data.
    public init(text: String, value: Double?, passed: Bool) {
        self.text = text
        let finite = value.flatMap { $0.isFinite ? $0 : nil }
        self.value = finite
        self.passed = passed && finite != nil
    }
}
