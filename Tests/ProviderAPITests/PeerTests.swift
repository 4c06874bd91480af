import GatewaySimulator
import Histograms
import Primitives
import ProviderSessions
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// The sender's machine against the gateway's, over a link on which bytes of both sides cross each other.
private final class PeerWorld {
    /// A session, and what it has to do with the gateway's end of its connection.
    private final class Line {
        let session: RequestSession
        var gateway: HTTP2GatewaySession?
        var toGateway: [[UInt8]] = []
        var wantsFill = false
        var isHeld = false

        init(_ session: RequestSession) { self.session = session }
    }

    /// Sessions that have a successor, and at the end the one that carries requests.
    private var lines: [Line]
    let supply: SequenceSupply
    var book = FateLedger()
    let ledger = GatewayLedger()
    private(set) var now = Instant.zero
    private(set) var connectionCount = 0
    private(set) var events: [SessionEvent] = []
    private(set) var samples: [(sequence: UInt64, service: Interval)] = []
    private let bench: JudgeBench
    private let judge: RequestJudge
    private let pace: GatewayPace
    private let count: UInt64

    init(
        _ count: UInt64, bench: JudgeBench, rates: FateRates = .allValid,
        _ change: (inout RequestPlan) -> Void = { _ in }
    ) throws {
        self.count = count
        self.bench = bench
        judge = bench.judge()
        pace = GatewayPace(settings: bench.settings)
        var requests = RequestPlan(
            fields: RequestFields(authority: "localhost"), ids: NotificationIDSpace(seed: JudgeBench.seed))
        requests.fields.authorization = Array(ProviderTokens.bearer().utf8)
        requests.fields.topic = JudgeBench.topic
        change(&requests)
        supply = SequenceSupply(limit: count, arrivals: .closedLoop, connectionCount: 1)
        let source = NotificationSource(
            tokens: .synthetic(
                try DevicePopulation(seed: JudgeBench.seed, deviceCount: count, environment: .sandbox, rates: rates),
                TokenKey(seed: JudgeBench.seed)),
            payloads: .generated(
                try PayloadGenerator(PayloadPlan(seed: JudgeBench.seed, sizes: PayloadSizes(constant: 100)))))
        lines = [
            Line(
                RequestSession(
                    slot: 0, plan: SessionPlan(), requests: requests, supply: supply, source: source, seed: 1))
        ]
    }

    /// The session that carries requests.
    var session: RequestSession { lines[lines.count - 1].session }

    func run() {
        session.start(now: now)
        for _ in 0..<2_000_000 where !session.isFinished {
            if act() { continue }
            let due = lines.flatMap { [$0.session.deadline, $0.gateway?.deadline] }.compactMap { $0 }.min()
            guard let due, due < .distantFuture else { break }
            now = max(now, due)
            for line in lines {
                if let deadline = line.session.deadline, deadline <= now { line.session.timerFired(now: now) }
                if let deadline = line.gateway?.deadline, deadline <= now { line.gateway?.timerFired(now: now) }
            }
        }
        for line in lines { takeEvents(of: line.session) }
    }

    /// Does what either side of each connection wants; false when none wants anything.
    private func act() -> Bool {
        var hasActed = false
        for line in lines where act(on: line) {
            hasActed = true
            // The driver tells who goes on of whatever happens to those before.
            if line !== lines.last { session.lookAgain(now: now) }
        }
        let last = lines[lines.count - 1]
        if !hasActed { lines.removeAll { $0.session.isFinished && $0 !== last } }
        return hasActed
    }

    private func act(on line: Line) -> Bool {
        var hasActed = obey(line)
        takeEvents(of: line.session)
        hasActed = write(line) || hasActed
        if !line.toGateway.isEmpty, let gateway = line.gateway, !line.isHeld {
            hasActed = true
            line.toGateway.removeFirst().withUnsafeBytes { gateway.receive($0, now: now) }
        }
        return serve(line) || hasActed
    }

    /// Does what the sender wants, as a driver does right behind each call; false when it wants nothing.
    @discardableResult
    private func obey(_ line: Line) -> Bool {
        var hasActed = false
        if let successor = line.session.takeSuccessor() as? RequestSession {
            hasActed = true
            lines.append(Line(successor))
            successor.start(now: now)
        }
        while let action = line.session.takeAction() {
            hasActed = true
            switch action {
            case .connect, .replace: connect(line)
            case .drop, .finish: disconnect(line)
            case .fill: line.wantsFill = true
            }
        }
        return hasActed
    }

    private func write(_ line: Line) -> Bool {
        // Three batches are on their way before the gateway reads the first one, so that both sides write at once.
        guard line.wantsFill, line.gateway != nil, line.toGateway.count < 3 else { return false }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let written = buffer.withUnsafeMutableBytes { line.session.fill(into: $0, now: now) }
        line.wantsFill = written > 0
        guard written > 0 else { return false }
        line.toGateway.append(Array(buffer[..<written]))
        line.session.flushed(now: now)
        return true
    }

    private func serve(_ line: Line) -> Bool {
        guard let gateway = line.gateway else { return false }
        var hasActed = false
        while let action = gateway.takeAction() {
            hasActed = true
            switch action {
            case .fill: deliver(line)
            case .hold: line.isHeld = true
            case .resume: line.isHeld = false
            case .pause, .swallow: break
            case .close:
                deliver(line)
                guard line.gateway === gateway else { return true }
                disconnect(line)
                line.session.connectionEnded(.closedByPeer, now: now)
                return true
            }
        }
        return hasActed
    }

    private func deliver(_ line: Line) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let peer = line.gateway
        while let gateway = line.gateway, gateway === peer {
            let written = buffer.withUnsafeMutableBytes { gateway.fill(into: $0, now: now) }
            guard written > 0 else { return }
            buffer.withUnsafeBytes { line.session.receive(UnsafeRawBufferPointer(rebasing: $0[..<written]), now: now) }
            obey(line)
        }
    }

    private func connect(_ line: Line) {
        disconnect(line)
        connectionCount += 1
        line.gateway = HTTP2GatewaySession(judge: judge, ledger: ledger, pace: pace, openedAt: now)
        now = now + .milliseconds(1)
        line.session.connectionOpened(
            ConnectionFacts(tcp: .milliseconds(1), tls: .milliseconds(1), isResumed: false), now: now)
    }

    private func disconnect(_ line: Line) {
        line.gateway?.connectionEnded()
        line.gateway = nil
        line.toGateway = []
        line.isHeld = false
    }

    private func takeEvents(of session: RequestSession) {
        session.takeEvents {
            book.record($0)
            events.append($0)
        }
        session.takeSamples { batch, at in samples += batch.map { ($0.sequence, at - $0.writtenAt) } }
    }

    /// Both books say the same of every notification.
    func expectAgreement(accepted: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(lines.allSatisfy { $0.session.isFinished }, sourceLocation: sourceLocation)
        #expect(book.isBalanced(generated: count), sourceLocation: sourceLocation)
        #expect(book.count(of: .accepted) == accepted ?? count, sourceLocation: sourceLocation)
        #expect(ledger.counts.accepted == accepted ?? count, sourceLocation: sourceLocation)
        #expect(ledger.counts.duplicates == 0, sourceLocation: sourceLocation)
        #expect(ledger.counts.acceptedWithoutIdentifier == 0, sourceLocation: sourceLocation)
        let runs = book.fates[.accepted]?.runs ?? []
        let isProved = runs.allSatisfy { run in
            (run.start..<run.end).allSatisfy { ledger.wasAccepted(IdentifierSpace().identifier(of: $0)) }
        }
        #expect(isProved, "what the sender calls accepted was accepted", sourceLocation: sourceLocation)
        #expect(ledger.counts.api.violations == 0, sourceLocation: sourceLocation)
        #expect(ledger.counts.api.streamViolations == 0, sourceLocation: sourceLocation)
    }
}

/// Both machines of this package against each other.
struct PeerTests {
    private var bench: JudgeBench {
        var bench = JudgeBench()
        bench.api.authentication = .required
        return bench
    }

    @Test
    func `every notification is accepted once, from one stream to the full limit`() throws {
        let world = try PeerWorld(20_000, bench: bench)
        world.run()
        world.expectAgreement()
        #expect(world.connectionCount == 1 && world.ledger.counts.api.refusedStreams == 0)
        #expect(world.ledger.counts.api.maxOpenStreams <= 1_000)
    }

    @Test
    func `nothing is lost or sent twice with GOAWAY every thousand streams and one in a hundred refused`() throws {
        var bench = bench
        bench.settings.faults.seed = 11
        bench.settings.faults.add(.goAway(GoAwayOrder()), when: .every(1_000, scope: .connection))
        bench.settings.faults.add(.resetStream(HTTP2ErrorCode.refusedStream.rawValue), when: .share(0.01))
        bench.settings.faults.add(
            .responseDelay(.distribution(p50: .milliseconds(1), p99: .milliseconds(20), max: .seconds(1))))
        let world = try PeerWorld(10_000, bench: bench)
        world.run()
        world.expectAgreement()
        let counts = world.ledger.counts.api
        #expect(counts.goAways >= 10 && (50...200).contains(counts.resetStreams))
        #expect(counts.ignoredStreams > 0, "some were on their way when the connection was given up")
        #expect(world.connectionCount == Int(counts.goAways) + 1)
    }

    @Test(arguments: 0..<3)
    func `each request takes the delay that was drawn for it, in every percentile`(truth: Int) throws {
        var bench = bench
        bench.settings.faults.seed = 3
        switch truth {
        case 0: bench.settings.faults.add(.responseDelay(.constant(.milliseconds(3))))
        case 1:
            bench.settings.faults.add(.responseDelay(.constant(.microseconds(800))))
            bench.settings.faults.add(.responseDelay(.constant(.milliseconds(80))), when: .share(0.05))
        default: bench.settings.faults.add(.responseDelay(.logNormal(median: .milliseconds(2), sigma: 1.2)))
        }
        let world = try PeerWorld(20_000, bench: bench)
        world.run()
        world.expectAgreement()
        #expect(world.samples.count == 20_000)
        let service = Histogram()
        var delays: [Interval] = []
        for sample in world.samples {
            let delay = bench.settings.faults.delay(drawnFor: IdentifierSpace().identifier(of: sample.sequence))
            #expect(sample.service == delay, "\(sample.sequence)")
            service.record(sample.service.nanoseconds)
            delays.append(delay)
        }
        delays.sort()
        for share in [0.5, 0.9, 0.99, 0.999] {
            let rank = delays[Int((share * Double(delays.count)).rounded(.up)) - 1].nanoseconds
            let found = try #require(service.value(atQuantile: share))
            #expect((found - rank).magnitude <= rank.magnitude / 100 + 50_000, "at \(share): \(found)")
        }
    }

    @Test
    func `a lowered and raised limit loses nothing`() throws {
        var bench = bench
        bench.settings.faults.add(.responseDelay(.constant(.milliseconds(5))))
        bench.settings.faults.add(.streamLimit(10), when: .after(2_000))
        bench.settings.faults.add(.streamLimit(500), when: .after(4_000))
        bench.settings.faults.add(.streamWindow(64), when: .after(5_000))
        let world = try PeerWorld(8_000, bench: bench)
        world.run()
        world.expectAgreement()
        #expect(world.connectionCount == 1)
    }

    @Test
    func `bad devices are rejected by both books, good ones accepted`() throws {
        let world = try PeerWorld(
            10_000, bench: bench, rates: FateRates(badToken: 0.01, unregistered: 0.02, otherTopic: 0.01))
        world.run()
        let refused = world.ledger.counts.api.refused
        #expect((200...600).contains(refused))
        #expect(world.book.count(of: .rejected) == refused)
        world.expectAgreement(accepted: 10_000 - refused)
        #expect(world.ledger.counts.api.refusals[Int(RefusalReason.unregistered.rawValue)] > 100)
    }

    @Test
    func `a small table and small windows only slow both down`() throws {
        var bench = bench
        bench.api.headerTableBytes = 0
        bench.api.streamWindowBytes = 50
        bench.api.connectionWindowBytes = 2_000
        bench.api.maxStreams = 7
        let world = try PeerWorld(2_000, bench: bench)
        world.run()
        world.expectAgreement()
        #expect(world.ledger.counts.api.maxOpenStreams <= 7)
    }
}
