import Histograms
import Primitives
import ProviderSessions
import Transport

/// The latency series of a run; those behind ``reconnect`` come into being with their first value.
enum Series: Int, CaseIterable {
    case residence, errorReply, connectTCP, connectTLS, reconnect
    case reconnectDetect, reconnectWait, reconnectTCP, reconnectTLSFull, reconnectTLSResumed, reconnectWrite
    case firstAcceptance
    /// From the request to the end of its response, of those accepted and of those refused; what the gateway kept waiting.
    case service, serviceRefused, blocked

    /// The name in records and thresholds.
    var name: String { "\(self)" }
}

/// What one event loop of the sender measures; written on that loop only, and read by value.
final class LoopRecorder {
    /// Sums since the run's start, and the residence of the present interval.
    struct Snapshot: Sendable {
        var written: UInt64 = 0
        var resent: UInt64 = 0
        var writtenBytes: UInt64 = 0
        var settled: UInt64 = 0
        var rejected: UInt64 = 0
        var reconnects: UInt64 = 0
        var unsettled: UInt64 = 0
        /// Connections that stood at any time.
        var connections: UInt64 = 0
        /// Attempts that failed because one side will not have the other's certificate.
        var certificateRefusals: UInt64 = 0
        /// Attempts after which the target would not speak the run's protocol.
        var protocolRefusals: UInt64 = 0
        /// Attempts that failed, and connections that ended without a reply that explains it.
        var connectionFailures: UInt64 = 0
        var openConnections = 0
        var lastingConnections = 0
        var finishedSessions = 0
        /// How many requests connections could have open at once in the present interval; nil for the binary interface.
        var streamLimits: ClosedRange<Int>?
        var processorTime = Interval.zero
        var residence: HistogramSnapshot?
    }

    private(set) var ledger = FateLedger()
    private(set) var inFlightAtError: [UInt64] = []
    private(set) var reconnects = ReconnectRecorder()
    private(set) var lastProof: Instant?
    private(set) var firstWrite: Instant?
    private(set) var lastWrite: Instant?
    /// Failed attempts to connect, in the words of the layer that failed.
    private(set) var failedAttempts: [String: Int] = [:]
    private var streamLimits: ClosedRange<Int>?
    private var certificateRefusals: UInt64 = 0
    private var protocolRefusals: UInt64 = 0
    /// Events before this instant belong to the warm-up and enter no latency series.
    private(set) var measureStart = Instant.zero

    private var series = Series.allCases.map { $0.rawValue <= Series.reconnect.rawValue ? Histogram() : nil }
    private let intervalResidence = Histogram(.runTotals)
    /// Errors beyond this many keep only their number, so that a gateway that refuses everything cannot fill memory.
    private static let inFlightCapacity = 100_000

    subscript(_ name: Series) -> Histogram {
        if let histogram = series[name.rawValue] { return histogram }
        let histogram = Histogram()
        series[name.rawValue] = histogram
        return histogram
    }

    /// Everything in the series that came into being.
    var histograms: [Series: HistogramSnapshot] {
        Dictionary(
            uniqueKeysWithValues: Series.allCases.compactMap { name in
                series[name.rawValue].map { (name, $0.snapshot()) }
            })
    }

    /// Latencies count from now on.
    func beginMeasuring(at start: Instant) {
        measureStart = start
        reconnects.beginMeasuring(at: start)
    }

    /// Enters one event.
    func record(_ event: SessionEvent) {
        ledger.record(event)
        switch event {
        case .wrote(let notifications, let resent, _, let residence, let at):
            reconnects.wrote(notifications: notifications, resent: resent, at: at)
            firstWrite = firstWrite ?? at
            lastWrite = at
            intervalResidence.record(residence.nanoseconds, count: Int64(notifications))
            if at >= measureStart { self[.residence].record(residence.nanoseconds, count: Int64(notifications)) }
        case .errorReply(_, _, let latency, let inFlight, let at):
            lastProof = at
            if inFlightAtError.count < Self.inFlightCapacity { inFlightAtError.append(inFlight) }
            if let latency, at >= measureStart { self[.errorReply].record(latency.nanoseconds) }
        case .connected(let facts, _):
            self[.connectTCP].record(facts.tcp.nanoseconds)
            self[.connectTLS].record(facts.tls.nanoseconds)
            reconnects.connected(facts)
        case .reconnected(let reconnect):
            reconnects.reconnected(reconnect)
            recordParts(reconnect)
        case .firstProof(let delay, let at):
            if at >= measureStart { self[.firstAcceptance].record(delay.nanoseconds) }
        case .proved(let at): lastProof = at
        case .request(.blocked(_, let time, let at)):
            if at >= measureStart { self[.blocked].record(time.nanoseconds) }
        case .request(.streamLimit(let limit, _)): noteStreamLimit(limit)
        default: break
        }
    }

    /// A connection may have so many requests open at once.
    func noteStreamLimit(_ limit: Int) {
        streamLimits = streamLimits.map { min($0.lowerBound, limit)...max($0.upperBound, limit) } ?? limit...limit
    }

    /// Enters requests whose responses ended at `end`.
    func record(_ requests: UnsafeBufferPointer<RequestSample>, answeredAt end: Instant) {
        lastProof = end
        guard end >= measureStart else { return }
        let (accepted, refused) = (self[.service], self[.serviceRefused])
        for request in requests {
            (request.isAccepted ? accepted : refused).record((end - request.writtenAt).nanoseconds)
        }
    }

    /// Enters why an attempt to connect failed; of what a hostile gateway can vary, only the first kinds are kept.
    func recordFailedAttempt(_ end: LinkEnd) {
        if end.isCertificateRefusal { certificateRefusals += 1 }
        countFailure(end.text)
    }

    /// Enters that the target chose another protocol than the one that it was offered, or none.
    func recordOtherProtocol(_ chosen: String?, wanted: String) {
        protocolRefusals += 1
        let choice = chosen.map { "chose \($0.prefix(16)) by ALPN" } ?? "chose no protocol by ALPN"
        countFailure("the target \(choice), where \(wanted) was offered and is needed")
    }

    private func countFailure(_ text: String) {
        if failedAttempts[text] != nil || failedAttempts.count < 16 { failedAttempts[text, default: 0] += 1 }
    }

    /// A session gives up while a connection of it waits for its replacement.
    func recordAbandoned(from endSeen: Instant, to now: Instant) { reconnects.abandoned(from: endSeen, to: now) }

    /// The sums so far; with the residence of the interval that ends, if it does.
    func takeSnapshot(endsInterval: Bool) -> Snapshot {
        defer { if endsInterval { streamLimits = nil } }
        return Snapshot(
            written: ledger.written, resent: ledger.resent, writtenBytes: ledger.writtenBytes,
            settled: ledger.settledCount, rejected: ledger.count(of: .rejected), reconnects: ledger.reconnects,
            connections: ledger.connections, certificateRefusals: certificateRefusals,
            protocolRefusals: protocolRefusals,
            connectionFailures: ledger.connectionFailures, streamLimits: streamLimits,
            residence: endsInterval ? intervalResidence.takeSnapshot() : nil)
    }
}
