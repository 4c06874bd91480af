import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// One session against scripted gateways, under a clock that moves only when told.
final class RequestWorld {
    private enum Happening {
        case connected
        case toGateway(Int, [UInt8])
        case toSession(Int, [UInt8])
        case ended(Int, ConnectionEnd)
        case call(() -> Void)
    }

    private(set) var now = Instant.zero
    let session: RequestSession
    let supply: SequenceSupply
    var ledger = FateLedger()
    private(set) var events: [SessionEvent] = []
    private(set) var samples: [(sample: RequestSample, service: Interval)] = []
    private(set) var gateways: [ScriptedGateway] = []
    private(set) var mostUnsettled: UInt64 = 0
    /// Connections that fail instead of opening, by their order.
    var failedAttempts: Set<Int> = []
    /// Sets a new gateway up before its first settings leave.
    var prepare: (ScriptedGateway) -> Void = { _ in }
    /// One way between the two.
    var latency = Interval.milliseconds(1)
    /// Into what pieces bytes are cut on their way to the session.
    var pieceLimit = Int.max

    private let ids: NotificationIDSpace
    private let notifications: UInt64
    private var happenings: [(at: Instant, order: Int, what: Happening)] = []
    private var orderCount = 0
    private var present: Int?
    private var attemptCount = 0

    init(
        _ notifications: UInt64, payload: Int = 100, arrivals: SequenceSupply.Arrivals = .closedLoop,
        plan: SessionPlan = SessionPlan(), _ change: (inout RequestPlan) -> Void = { _ in }
    ) throws {
        self.notifications = notifications
        ids = NotificationIDSpace(seed: 7)
        var requests = RequestPlan(fields: RequestFields(authority: "api.push.apple.com"), ids: ids)
        requests.fields.authorization = Array("bearer abc".utf8)
        requests.fields.topic = "com.example.app"
        change(&requests)
        supply = SequenceSupply(limit: notifications, arrivals: arrivals, connectionCount: 1)
        let source = NotificationSource(
            tokens: .synthetic(
                try DevicePopulation(seed: 7, deviceCount: notifications, environment: .sandbox, rates: FateRates()),
                TokenKey(seed: 7)),
            payloads: .generated(
                try PayloadGenerator(PayloadPlan(seed: 7, sizes: PayloadSizes(constant: payload), limitBytes: 60_000)))
        )
        session = RequestSession(slot: 0, plan: plan, requests: requests, supply: supply, source: source, seed: 7)
    }

    /// The gateway of the latest connection.
    var gateway: ScriptedGateway { gateways[gateways.count - 1] }

    // MARK: - Running

    func run(for limit: Interval = .seconds(600)) {
        let end = now + limit
        if attemptCount == 0 {
            session.start(now: now)
            act()
        }
        for _ in 0..<5_000_000 {
            let next = happenings.first?.at ?? .distantFuture
            let deadline = session.isFinished ? .distantFuture : max(now, session.deadline ?? .distantFuture)
            let first = min(next, deadline, turn)
            guard first <= end, first < .distantFuture else { break }
            now = first
            if turn < min(next, deadline) {
                write()
                act()
                continue
            }
            if next <= deadline { happen(happenings.removeFirst().what) } else { session.timerFired(now: now) }
            act()
        }
        if now < end && !session.isFinished { now = end }
    }

    /// When a batch comes due for which the session waits, as the driver of an open loop would find.
    private var turn: Instant {
        guard supply.plan != nil, session.isWaiting, !supply.isExhausted else { return .distantFuture }
        return max(
            now,
            supply.batchTime(batch: session.plan.batch.notifications, linger: session.plan.batch.linger)
                ?? .distantFuture)
    }

    /// Gives the run up.
    func abandon() {
        session.abandon(now: now)
        act()
    }

    /// Calls `body` after a while, with the gateway's answers leaving afterwards.
    func after(_ delay: Interval, _ body: @escaping () -> Void) { schedule(.call(body), at: now + delay) }

    /// Ends the present connection from the gateway's side, behind all that was written.
    func close(_ gateway: ScriptedGateway, _ end: ConnectionEnd = .closedByPeer) {
        flush(gateway)
        schedule(.ended(gateway.index, end), at: now + latency)
    }

    private func schedule(_ what: Happening, at time: Instant) {
        orderCount += 1
        let index = happenings.lastIndex { $0.at <= time }.map { $0 + 1 } ?? 0
        happenings.insert((time, orderCount, what), at: index)
    }

    private func happen(_ what: Happening) {
        switch what {
        case .connected:
            let gateway = ScriptedGateway(index: gateways.count, ids: ids)
            gateways.append(gateway)
            present = gateway.index
            prepare(gateway)
            if gateway.output.isEmpty { gateway.announce() }
            session.connectionOpened(ConnectionFacts(tcp: latency, tls: latency, isResumed: false), now: now)
        case .toGateway(let index, let bytes): gateways[index].receive(bytes)
        case .toSession(let index, let bytes):
            guard present == index else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(pieceLimit))
                rest = rest.dropFirst(piece.count)
                piece.withUnsafeBytes { session.receive($0, now: now) }
            }
        case .ended(let index, let end):
            guard present == index else { return }
            present = nil
            session.connectionEnded(end, now: now)
        case .call(let body): body()
        }
    }

    private func flush(_ gateway: ScriptedGateway) {
        guard !gateway.output.isEmpty else { return }
        schedule(.toSession(gateway.index, gateway.output), at: now + latency)
        gateway.output = []
    }

    private func act() {
        for gateway in gateways { flush(gateway) }
        for _ in 0..<1_000 {
            mostUnsettled = max(mostUnsettled, session.unsettledCount)
            session.takeEvents {
                ledger.record($0)
                events.append($0)
            }
            session.takeSamples { batch, at in samples += batch.map { ($0, at - $0.writtenAt) } }
            guard let action = session.takeAction() else { return }
            switch action {
            case .connect, .replace:
                present = nil
                if failedAttempts.contains(attemptCount) {
                    session.connectionEnded(.refused, now: now)
                } else {
                    schedule(.connected, at: now + latency * 2)
                }
                attemptCount += 1
            case .drop, .finish: present = nil
            case .fill: write()
            }
        }
        Issue.record("the session never comes to rest")
    }

    private func write() {
        guard let index = present else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<10_000 {
            let count = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: now) }
            guard count > 0 else { return }
            schedule(.toGateway(index, Array(buffer[..<count])), at: now + latency)
            session.flushed(now: now)
            guard present == index else { return }
        }
    }

    // MARK: - What must hold

    /// Everything has one fate, and nothing that the gateways saw was against the rules.
    func expectOrder(accepted: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(session.isFinished, sourceLocation: sourceLocation)
        ledger.recordUnsent(
            SequenceRun(start: supply.claimedCount, count: notifications - supply.claimedCount))
        #expect(ledger.isBalanced(generated: notifications), sourceLocation: sourceLocation)
        #expect(ledger.count(of: .accepted) == accepted ?? notifications, sourceLocation: sourceLocation)
        #expect(gateways.flatMap(\.breaches) == [], sourceLocation: sourceLocation)
        #expect(session.unsettledCount == 0, sourceLocation: sourceLocation)
        expectFlight(sourceLocation: sourceLocation)
    }

    /// What the session says was in flight over time is what its requests took, each by itself, to the last nanosecond.
    func expectFlight(sourceLocation: SourceLocation = #_sourceLocation) {
        let answered = samples.reduce(Int128(0)) { $0 + Int128($1.service.nanoseconds) }
        let givenUp = requestEvents.reduce(Int128(0)) { sum, event in
            guard case .unanswered(_, let writtenAt, let at) = event else { return sum }
            return sum + Int128((at - writtenAt).nanoseconds)
        }
        #expect(
            session.flight.total == answered + givenUp + session.flight.withdrawnTime, sourceLocation: sourceLocation)
    }

    /// How often each notification was accepted by a gateway, when all that it saw counts.
    var timesSeen: [UInt64: Int] {
        Dictionary(gateways.flatMap(\.requests).map { ($0.sequence, 1) }, uniquingKeysWith: +)
    }

    /// The events that only the provider API has.
    var requestEvents: [RequestEvent] {
        events.compactMap { if case .request(let event) = $0 { event } else { nil } }
    }
}
