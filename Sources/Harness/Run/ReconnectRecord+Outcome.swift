import Histograms
import Primitives
import ProviderSessions
import PushWire
import RunRecords

extension ReconnectRecord {
    /// The most events that a record lists.
    private static let eventCapacity = 1_000

    /// Tells what reconnects cost.
    init(_ outcome: RunOutcome) {
        self.init()
        let ledger = outcome.sender.ledger
        let reconnects = outcome.sender.reconnects
        count = Int64(ledger.reconnects)
        resumed = Int64(reconnects.resumed)
        full = Int64(reconnects.full)
        resent = Int64(ledger.resent)
        let sorted = outcome.sender.inFlightAtError.sorted()
        inFlightAtError.count = Int64(sorted.count)
        inFlightAtError.p50 = sorted.isEmpty ? nil : Int64(sorted[(sorted.count - 1) / 2])
        inFlightAtError.max = sorted.last.map { Int64($0) }
        for (end, count) in ledger.failedAttempts { failedAttempts["\(end)"] = Int64(count) }
        for (end, count) in ledger.lostConnections { failedAttempts["lost: \(end)"] = Int64(count) }
        senderHandshakes = reconnects.handshakes
        simulatorHandshakes = outcome.simulator?.handshakes
        let end = outcome.measureEnd == .zero ? outcome.end : outcome.measureEnd
        let loss = ThroughputLoss(reconnects.throughput, until: end)
        throughputLost = loss.map(ThroughputLostRecord.init)
        events = Self.events(outcome, loss)
        others = OthersThroughputRecord(
            outcome.sender.reconnectEvents.compactMap { loss?.othersShare(of: $0, outcome) })
        if outcome.sender.histograms[.measure, default: [:]][.firstAcceptance] != nil {
            firstAcceptanceBy = outcome.simulator == nil ? .proof : .simulator
        }
    }

    private static func events(_ outcome: RunOutcome, _ loss: ThroughputLoss?) -> [ReconnectEventRecord] {
        let join = ReconnectJoin(outcome.simulator?.connectionTraces ?? [])
        var sample = EvenSample<ReconnectEventRecord>(capacity: eventCapacity)
        for reconnect in outcome.sender.reconnectEvents.sorted(by: { $0.endSeenAt < $1.endSeenAt }) {
            var event = ReconnectEventRecord(reconnect, startedAt: outcome.startedAt)
            event.detectNs = join.detection(of: reconnect)?.nanoseconds
            event.firstAcceptanceNs = join.firstAcceptance(after: reconnect)?.nanoseconds
            event.throughputLost = loss?.share(ofReconnectAt: reconnect.endSeenAt)
            event.othersShare = loss?.othersShare(of: reconnect, outcome)
            sample.add(event)
        }
        return sample.elements
    }
}

extension ReconnectEventRecord {
    fileprivate init(_ reconnect: Reconnect, startedAt: Instant) {
        self.init()
        atNs = (reconnect.endSeenAt - startedAt).nanoseconds
        connection = reconnect.slot
        cause =
            switch reconnect.cause {
            case .reply(let status): status.description
            case .end(let end): "\(end)"
            case .goAway(let code): "goAway \(code.name)"
            case .rollover: "rollover"
            }
        waitNs = reconnect.wait.nanoseconds
        tcpNs = reconnect.tcp.nanoseconds
        tlsNs = reconnect.tls.nanoseconds
        resumed = reconnect.facts.isResumed
        writeNs = reconnect.write.nanoseconds
        costNs = reconnect.cost.nanoseconds
        attempts = reconnect.attempts
        inFlight = Int64(reconnect.inFlight)
        resent = Int64(reconnect.resent)
    }
}

extension ThroughputLoss {
    fileprivate func othersShare(of reconnect: Reconnect, _ outcome: RunOutcome) -> Double? {
        othersShare(
            from: reconnect.endSeenAt, to: reconnect.writtenAt, connections: outcome.sender.connections.count)
    }
}

extension ThroughputLostRecord {
    fileprivate init(_ loss: ThroughputLoss) {
        self.init(
            notifications: loss.notifications, standardError: loss.standardError, reconnects: Int64(loss.events),
            episodes: Int64(loss.episodes), medianPerSecond: loss.medianPerSecond, binNs: loss.width.nanoseconds,
            quietNs: loss.quiet.nanoseconds, touchedNs: loss.touched.nanoseconds)
    }
}

extension RunOutcome {
    /// Adds what the simulator's clock tells about reconnects: how soon an end was seen, and when something was accepted again.
    mutating func joinReconnects() {
        guard let simulator, !sender.reconnectEvents.isEmpty else { return }
        let join = ReconnectJoin(simulator.connectionTraces)
        let (detect, acceptance) = (Histogram(), Histogram())
        for reconnect in sender.reconnectEvents where reconnect.writtenAt >= measureStart {
            if let time = join.detection(of: reconnect) { detect.record(time.nanoseconds) }
            if let time = join.firstAcceptance(after: reconnect) { acceptance.record(time.nanoseconds) }
        }
        sender.histograms[.measure, default: [:]][.reconnectDetect] = detect.snapshot()
        // The gateway's own note replaces the sender's, who learns of it from a later reply.
        sender.histograms[.measure, default: [:]][.firstAcceptance] = acceptance.snapshot()
    }
}
