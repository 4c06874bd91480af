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
    let session: RequestSession
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
    private var gateway: HTTP2GatewaySession?
    private var toGateway: [[UInt8]] = []
    private var wantsFill = false
    private var isHeld = false
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
        session = RequestSession(
            slot: 0, plan: SessionPlan(), requests: requests, supply: supply, source: source, seed: 1)
    }

    func run() {
        session.start(now: now)
        for _ in 0..<2_000_000 where !session.isFinished {
            if act() { continue }
            let due = [session.deadline, gateway?.deadline].compactMap { $0 }.min()
            guard let due, due < .distantFuture else { break }
            now = max(now, due)
            if let deadline = session.deadline, deadline <= now { session.timerFired(now: now) }
            if let deadline = gateway?.deadline, deadline <= now { gateway?.timerFired(now: now) }
        }
        takeEvents()
    }

    /// Does what either side wants; false when neither wants anything.
    private func act() -> Bool {
        var hasActed = obey()
        takeEvents()
        hasActed = write() || hasActed
        if !toGateway.isEmpty, let gateway, !isHeld {
            hasActed = true
            toGateway.removeFirst().withUnsafeBytes { gateway.receive($0, now: now) }
        }
        return serve() || hasActed
    }

    /// Does what the sender wants, as a driver does right behind each call.
    @discardableResult
    private func obey() -> Bool {
        var hasActed = false
        while let action = session.takeAction() {
            hasActed = true
            switch action {
            case .connect, .replace: connect()
            case .drop, .finish: disconnect()
            case .fill: wantsFill = true
            }
        }
        return hasActed
    }

    private func write() -> Bool {
        // Three batches are on their way before the gateway reads the first one, so that both sides write at once.
        guard wantsFill, gateway != nil, toGateway.count < 3 else { return false }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let written = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: now) }
        wantsFill = written > 0
        guard written > 0 else { return false }
        toGateway.append(Array(buffer[..<written]))
        session.flushed(now: now)
        return true
    }

    private func serve() -> Bool {
        guard let gateway else { return false }
        var hasActed = false
        while let action = gateway.takeAction() {
            hasActed = true
            switch action {
            case .fill: deliver()
            case .hold: isHeld = true
            case .resume: isHeld = false
            case .pause, .swallow: break
            case .close:
                deliver()
                guard self.gateway === gateway else { return true }
                disconnect()
                session.connectionEnded(.closedByPeer, now: now)
                return true
            }
        }
        return hasActed
    }

    private func deliver() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let peer = gateway
        while let gateway, gateway === peer {
            let written = buffer.withUnsafeMutableBytes { gateway.fill(into: $0, now: now) }
            guard written > 0 else { return }
            buffer.withUnsafeBytes { session.receive(UnsafeRawBufferPointer(rebasing: $0[..<written]), now: now) }
            obey()
        }
    }

    private func connect() {
        disconnect()
        connectionCount += 1
        gateway = HTTP2GatewaySession(judge: judge, ledger: ledger, pace: pace, openedAt: now)
        now = now + .milliseconds(1)
        session.connectionOpened(
            ConnectionFacts(tcp: .milliseconds(1), tls: .milliseconds(1), isResumed: false), now: now)
    }

    private func disconnect() {
        gateway?.connectionEnded()
        gateway = nil
        toGateway = []
        isHeld = false
    }

    private func takeEvents() {
        session.takeEvents {
            book.record($0)
            events.append($0)
        }
        session.takeSamples { batch, at in samples += batch.map { ($0.sequence, at - $0.writtenAt) } }
    }

    /// Both books say the same of every notification.
    func expectAgreement(accepted: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(session.isFinished, sourceLocation: sourceLocation)
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
