import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// One session against scripted gateways, under a clock that moves only when told.
final class RequestWorld {
    private enum Happening {
        case connected(Line)
        case toGateway(Int, [UInt8])
        case toSession(Int, [UInt8])
        case ended(Int, ConnectionEnd)
        case call(() -> Void)
    }

    /// A session and the gateway of its connection; sessions that have a successor wait for their last answers.
    private final class Line {
        let session: RequestSession
        var present: Int?

        init(_ session: RequestSession) { self.session = session }
    }

    private(set) var now = Instant.zero
    private var lines: [Line]
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
        lines = [
            Line(RequestSession(slot: 0, plan: plan, requests: requests, supply: supply, source: source, seed: 7))
        ]
    }

    /// The session that carries the slot's requests.
    var session: RequestSession { lines[lines.count - 1].session }

    /// How many connections stand.
    var connectionCount: Int { lines.count { $0.session.isConnected } }
    /// The most that ever stood at once.
    private(set) var mostConnections = 0

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
            let deadlines = lines.map { $0.session.isFinished ? .distantFuture : $0.session.deadline ?? .distantFuture }
            let deadline = max(now, deadlines.min() ?? .distantFuture)
            let first = min(next, deadline, turn)
            guard first <= end, first < .distantFuture else { break }
            now = first
            if turn < min(next, deadline) {
                write(lines[lines.count - 1])
                act()
                continue
            }
            if next <= deadline {
                happen(happenings.removeFirst().what)
            } else {
                for line in lines where line.session.deadline ?? .distantFuture <= now {
                    line.session.timerFired(now: now)
                }
            }
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
        for line in lines { line.session.abandon(now: now) }
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
        case .connected(let line):
            let gateway = ScriptedGateway(index: gateways.count, ids: ids)
            gateways.append(gateway)
            line.present = gateway.index
            prepare(gateway)
            if gateway.output.isEmpty { gateway.announce() }
            line.session.connectionOpened(ConnectionFacts(tcp: latency, tls: latency, isResumed: false), now: now)
        case .toGateway(let index, let bytes): gateways[index].receive(bytes)
        case .toSession(let index, let bytes):
            guard let line = lines.first(where: { $0.present == index }) else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(pieceLimit))
                rest = rest.dropFirst(piece.count)
                piece.withUnsafeBytes { line.session.receive($0, now: now) }
            }
        case .ended(let index, let end):
            guard let line = lines.first(where: { $0.present == index }) else { return }
            line.present = nil
            line.session.connectionEnded(end, now: now)
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
        // The driver tells who goes on of whatever happens to those before.
        if lines.count > 1 { session.lookAgain(now: now) }
        for _ in 0..<1_000 {
            mostUnsettled = max(mostUnsettled, session.unsettledCount)
            mostConnections = max(mostConnections, connectionCount)
            var hasActed = false
            for line in lines where act(for: line) {
                hasActed = true
                if line !== lines.last { session.lookAgain(now: now) }
            }
            guard hasActed else {
                let last = lines[lines.count - 1]
                return lines.removeAll { $0.session.isFinished && $0 !== last }
            }
        }
        Issue.record("the session never comes to rest")
    }

    /// Does what a session wants, as a driver does right behind each call; false when it wants nothing.
    private func act(for line: Line) -> Bool {
        let session = line.session
        session.takeEvents {
            ledger.record($0)
            events.append($0)
        }
        session.takeSamples { batch, at in samples += batch.map { ($0, at - $0.writtenAt) } }
        if let successor = session.takeSuccessor() as? RequestSession {
            lines.append(Line(successor))
            successor.start(now: now)
            return true
        }
        guard let action = session.takeAction() else { return false }
        switch action {
        case .connect, .replace:
            line.present = nil
            if failedAttempts.contains(attemptCount) {
                session.connectionEnded(.refused, now: now)
            } else {
                schedule(.connected(line), at: now + latency * 2)
            }
            attemptCount += 1
        case .drop, .finish: line.present = nil
        case .fill: write(line)
        }
        return true
    }

    private func write(_ line: Line) {
        guard let index = line.present else { return }
        let session = line.session
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<10_000 {
            let count = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: now) }
            guard count > 0 else { return }
            schedule(.toGateway(index, Array(buffer[..<count])), at: now + latency)
            session.flushed(now: now)
            guard line.present == index else { return }
        }
    }

    // MARK: - What must hold

    /// Everything has one fate, and nothing that the gateways saw was against the rules.
    func expectOrder(accepted: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(session.isFinished && lines.count == 1, sourceLocation: sourceLocation)
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
