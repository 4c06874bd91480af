public import GatewaySimulator
public import Primitives
public import ProviderSessions
import PushWire
public import Workload

/// Provider sessions against gateway sessions in one process, over links in memory and under a clock that only moves when told.
///
/// The sessions are the ones that run on real TLS, so each race between a reply, a close and a write becomes a
/// deterministic test: same seed, same script, same run.
public final class SimulatedWorld {
    /// The present.
    public private(set) var now = Instant.zero
    /// The sender's sessions.
    public let sessions: [ProviderSession]
    /// The gateway's book.
    public let gatewayLedger: GatewayLedger
    /// The sender's book.
    public private(set) var ledger = FateLedger()
    /// Everything that the sessions told, in order.
    public private(set) var events: [SessionEvent] = []
    /// Connections that stood so far.
    public private(set) var connectionCount = 0
    /// Attempts to connect so far: whose they were, and when.
    public private(set) var attempts: [(slot: Int, at: Instant)] = []
    /// How many bytes lay unread at each abrupt close of a gateway.
    public private(set) var unreadAtAbruptClose: [Int] = []
    /// How often a session was asked for a batch.
    public private(set) var fillCount = 0
    /// Bytes that a sender wrote on a connection after it had read its error reply or its end; always 0 unless the sender is broken.
    public private(set) var bytesAfterEnd = 0

    private enum Event {
        case connected(slot: Int, isClosedAtOnce: Bool)
        case connectFailed(slot: Int, ConnectionEnd)
        case fill(slot: Int, link: Int)
        case toGateway(link: Int, [UInt8])
        case toSender(link: Int, [UInt8])
        case endAtSender(link: Int, ConnectionEnd)
        case endAtGateway(link: Int)
        case sessionTimer(slot: Int)
        case supplyTimer
        case gatewayTimer(link: Int)
        case resume(link: Int)
    }

    private final class Link {
        let slot: Int
        let gateway: GatewaySession
        let fault: LinkScript.Fault?
        var inFlightBytes = 0
        var deliveredBytes = 0
        var blocked: [UInt8]?
        var unread: [[UInt8]] = []
        var pausedUntil: Instant?
        var timerAt: Instant?
        var isOpenAtSender = true
        var isOpenAtGateway = true
        var hasReplied = false

        init(slot: Int, gateway: GatewaySession, fault: LinkScript.Fault?) {
            self.slot = slot
            self.gateway = gateway
            self.fault = fault
        }

        /// Whether nothing can be written once the gateway has replied, or should have.
        var failsWrites: Bool { fault == .writeFailsBeforeReply || fault == .writeFailsWithoutReply }
    }

    private let script: LinkScript
    private let settings: GatewaySettings
    private let judge: NotificationJudge
    private let pace: GatewayPace
    private let supply: SequenceSupply
    private var heap = EventHeap<Event>()
    private var links: [Link] = []
    private var linkOfSlot: [Int?]
    private var timerOfSlot: [Instant?]
    /// The idle sessions of an open loop, its timer, and whether nobody could take what was due.
    private var turns: FillTurns
    private var supplyTimerAt: Instant?
    private var isHeld = false
    private let batch: BatchPlan
    private var random: SeededRandom
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

    /// Makes a world of `connectionCount` sessions that share `supply`.
    public init(
        connectionCount: Int, plan: SessionPlan, supply: SequenceSupply, source: NotificationSource,
        gateway settings: GatewaySettings, script: LinkScript = LinkScript(), seed: UInt64
    ) {
        self.script = script
        self.settings = settings
        self.supply = supply
        judge = NotificationJudge(settings: settings)
        pace = GatewayPace(settings: settings)
        gatewayLedger = GatewayLedger(
            firstIdentifier: plan.identifiers.first, trackedCount: min(supply.limit, plan.sentinelBase),
            samplesAcceptance: true)
        sessions = (0..<connectionCount).map {
            ProviderSession(slot: $0, plan: plan, supply: supply, source: source, seed: seed)
        }
        turns = FillTurns(count: connectionCount)
        batch = plan.batch
        linkOfSlot = Array(repeating: nil, count: connectionCount)
        timerOfSlot = linkOfSlot.map { _ in nil }
        random = SeededRandom(seed: seed)
    }

    deinit { buffer.deallocate() }

    /// Whether every session has come to its end.
    public var isFinished: Bool { sessions.allSatisfy(\.isFinished) }

    /// Starts all sessions and runs until all have ended or the clock reaches `limit`; then gives up what is left.
    public func run(until limit: Instant) {
        start()
        advance(to: limit)
        giveUp()
    }

    /// Starts all sessions.
    public func start() {
        for session in sessions {
            session.start(now: now)
            settle(session.slot)
        }
    }

    /// Ends the supply and gives everything that is not settled its fate.
    public func giveUp() {
        supply.stop()
        for session in sessions {
            session.abandon(now: now)
            settle(session.slot)
        }
        let claimed = supply.claimedCount
        for skip in supply.tally?.skips ?? [] { ledger.recordUnsent(skip.run) }
        if claimed < supply.limit { ledger.recordUnsent(SequenceRun(start: claimed, count: supply.limit - claimed)) }
    }

    /// Lets events happen until all sessions have ended or the clock reaches `limit`.
    public func advance(to limit: Instant) {
        while !isFinished, let time = heap.firstTime, time <= limit, let (_, event) = heap.removeFirst() {
            now = max(now, time)
            handle(event)
        }
        if !isFinished { now = max(now, limit) }
    }

    /// Breaks the present connection of a slot: the sender sees a reset, the gateway an end.
    public func kill(slot: Int) {
        guard let number = linkOfSlot[slot] else { return }
        links[number].isOpenAtGateway = false
        links[number].gateway.connectionEnded()
        heap.add(.endAtSender(link: number, .reset), at: now)
    }

    // MARK: - Events

    private func handle(_ event: Event) {
        switch event {
        case .connected(let slot, let isClosedAtOnce): open(slot, isClosedAtOnce: isClosedAtOnce)
        case .connectFailed(let slot, let end):
            sessions[slot].connectionEnded(end, now: now)
            settle(slot)
        case .fill(let slot, let link): if linkOfSlot[slot] == link { fill(slot) }
        case .toGateway(let link, let bytes): deliver(bytes, toGatewayOf: link)
        case .toSender(let number, let bytes):
            let link = links[number]
            guard link.isOpenAtSender else { return }
            bytes.withUnsafeBytes { sessions[link.slot].receive($0, now: now) }
            settle(link.slot)
        case .endAtSender(let number, let end):
            let link = links[number]
            guard link.isOpenAtSender else { return }
            link.isOpenAtSender = false
            linkOfSlot[link.slot] = nil
            sessions[link.slot].connectionEnded(end, now: now)
            settle(link.slot)
        case .endAtGateway(let number):
            guard links[number].isOpenAtGateway else { return }
            links[number].isOpenAtGateway = false
            links[number].gateway.connectionEnded()
        case .sessionTimer(let slot):
            guard let due = timerOfSlot[slot], due <= now else { return }
            timerOfSlot[slot] = nil
            sessions[slot].timerFired(now: now)
            settle(slot)
        case .supplyTimer:
            guard let due = supplyTimerAt, due <= now else { return }
            supplyTimerAt = nil
            takeTurns()
        case .gatewayTimer(let link):
            links[link].timerAt = nil
            guard links[link].isOpenAtGateway else { return }
            links[link].gateway.timerFired(now: now)
            settleGateway(link)
        case .resume(let link): resume(link)
        }
    }

    private func open(_ slot: Int, isClosedAtOnce: Bool) {
        let gateway = GatewaySession(settings: settings, judge: judge, ledger: gatewayLedger, pace: pace, openedAt: now)
        let number = links.count
        links.append(Link(slot: slot, gateway: gateway, fault: script.faults[connectionCount]))
        linkOfSlot[slot] = number
        if isClosedAtOnce {
            links[number].isOpenAtGateway = false
            gateway.connectionEnded()
            heap.add(.endAtSender(link: number, .closedByPeer), at: now + script.latency)
        }
        connectionCount += 1
        let facts = ConnectionFacts(
            tcp: script.latency * 2, tls: script.latency * 2, isResumed: false, roundTrip: script.latency * 2)
        sessions[slot].connectionOpened(facts, now: now)
        settle(slot)
        if !isClosedAtOnce { settleGateway(number) }
    }

    /// Does what the session of `slot` wants after a call.
    private func settle(_ slot: Int) {
        let session = sessions[slot]
        session.takeEvents {
            ledger.record($0)
            events.append($0)
        }
        switch session.takeAction() {
        case nil: break
        case .connect: connect(slot)
        case .replace:
            closeAtSender(slot)
            connect(slot)
        case .drop, .finish: closeAtSender(slot)
        case .fill: if let link = linkOfSlot[slot] { heap.add(.fill(slot: slot, link: link), at: now) }
        }
        if let deadline = session.deadline, timerOfSlot[slot].map({ deadline < $0 }) ?? true {
            timerOfSlot[slot] = deadline
            // What has been due for a while comes behind what was asked for before, or it would come first again and again.
            heap.add(.sessionTimer(slot: slot), at: max(now, deadline))
        }
        if supply.plan != nil, session.isWaiting {
            turns.add(slot)
            if isHeld {
                isHeld = false
                supply.resume(now: now)
            }
            armSupplyTimer()
        }
    }

    // MARK: - The schedule

    /// Has as many idle sessions write as batches are due, those first that have waited longest.
    private func takeTurns() {
        let isOver = supply.isExhausted
        var hasWoken = false
        var due =
            isOver ? sessions.count : supply.dueBatchCount(batch: batch.notifications, linger: batch.linger, now: now)
        while due > 0, let slot = turns.next(where: { sessions[$0].isWaiting }) {  // bounded: each session once
            due -= 1
            hasWoken = true
            if let link = linkOfSlot[slot] { heap.add(.fill(slot: slot, link: link), at: now) }
        }
        if due > 0, !hasWoken, !isOver, !isHeld {
            isHeld = true
            supply.hold(sessions.contains(where: \.isOpen) ? .windowFull : .noConnection, now: now)
        }
        armSupplyTimer()
    }

    private func armSupplyTimer() {
        guard !turns.isEmpty else { return }
        let batchTime = supply.batchTime(batch: batch.notifications, linger: batch.linger)
        guard let time = supply.isExhausted ? now : batchTime, supplyTimerAt.map({ time < $0 }) ?? true else { return }
        supplyTimerAt = time
        heap.add(.supplyTimer, at: max(now, time))
    }

    private func connect(_ slot: Int) {
        let admission = script.admission(attempts.count, now)
        attempts.append((slot, now))
        let standsAt = now + script.latency * 4
        switch admission {
        case .accepted: heap.add(.connected(slot: slot, isClosedAtOnce: false), at: standsAt)
        case .refused: heap.add(.connectFailed(slot: slot, .refused), at: now + script.latency * 2)
        case .handshakeRefused: heap.add(.connectFailed(slot: slot, .handshakeFailed), at: standsAt)
        case .closedAfterHandshake:
            heap.add(.connected(slot: slot, isClosedAtOnce: true), at: standsAt)
        }
    }

    private func closeAtSender(_ slot: Int) {
        guard let number = linkOfSlot[slot] else { return }
        linkOfSlot[slot] = nil
        links[number].isOpenAtSender = false
        heap.add(.endAtGateway(link: number), at: now + script.latency)
    }

    // MARK: - Bytes

    private func fill(_ slot: Int) {
        guard let number = linkOfSlot[slot], links[number].blocked == nil else { return }
        fillCount += 1
        let length = sessions[slot].fill(into: buffer, now: now)
        if length > 0 {
            if !links[number].isOpenAtSender { bytesAfterEnd += length }
            write(Array(buffer[0..<length]), on: number)
        }
        settle(slot)
    }

    private func write(_ bytes: [UInt8], on number: Int) {
        let link = links[number]
        if link.failsWrites && link.hasReplied {
            // The driver reads on for a while before it reports the end, so a reply that is there comes first.
            sessions[link.slot].writeFailed()
            heap.add(.endAtSender(link: number, .reset), at: now + script.drainLimit)
            return
        }
        guard link.inFlightBytes + bytes.count <= script.capacityBytes || link.inFlightBytes == 0 else {
            link.blocked = bytes
            return
        }
        link.inFlightBytes += bytes.count
        var rest = bytes[...]
        while let limit = script.segmentBytes, rest.count > 1 {  // bounded: each round takes at least one byte
            let piece = rest.prefix(Int(random.below(UInt64(limit))) + 1)
            heap.add(.toGateway(link: number, Array(piece)), at: now + script.latency)
            rest = rest.dropFirst(piece.count)
        }
        if !rest.isEmpty { heap.add(.toGateway(link: number, Array(rest)), at: now + script.latency) }
        sessions[link.slot].flushed(now: now)
        heap.add(.fill(slot: link.slot, link: number), at: now + script.writeCost)
    }

    private func deliver(_ bytes: [UInt8], toGatewayOf number: Int) {
        let link = links[number]
        guard link.isOpenAtGateway else { return read(bytes.count, of: number) }
        if let until = link.pausedUntil, now < until { return link.unread.append(bytes) }
        read(bytes.count, of: number)
        link.deliveredBytes += bytes.count
        if case .resetAfter(let limit) = link.fault, link.deliveredBytes >= limit {
            link.isOpenAtGateway = false
            link.gateway.connectionEnded()
            heap.add(.endAtSender(link: number, .reset), at: now + script.latency)
            return
        }
        if case .gatewayBabbles(let babble) = link.fault, !link.hasReplied {
            link.hasReplied = true
            heap.add(.toSender(link: number, babble), at: now + script.latency)
        }
        bytes.withUnsafeBytes { link.gateway.receive($0, now: now) }
        settleGateway(number)
    }

    /// Bytes have left the socket buffers, which may let a blocked write go on.
    private func read(_ count: Int, of number: Int) {
        let link = links[number]
        link.inFlightBytes -= count
        guard let blocked = link.blocked, link.isOpenAtSender else { return }
        link.blocked = nil
        write(blocked, on: number)
        settle(link.slot)
    }

    private func resume(_ number: Int) {
        let link = links[number]
        guard let until = link.pausedUntil, until <= now else { return }
        link.pausedUntil = nil
        let waiting = link.unread
        link.unread = []
        for bytes in waiting { deliver(bytes, toGatewayOf: number) }
    }

    private func settleGateway(_ number: Int) {
        let link = links[number]
        var lastPiece: [UInt8] = []
        while let action = link.gateway.takeAction() {  // bounded: a session asks for a pause, for fill, then close
            switch action {
            case .fill: lastPiece = Array(buffer[0..<link.gateway.fill(into: buffer, now: now)])
            case .pause(let until):
                link.pausedUntil = max(until, link.pausedUntil ?? until)
                heap.add(.resume(link: number), at: until)
            case .hold, .resume: break  // only sessions of HTTP/2 ask for these
            case .swallow: link.pausedUntil = .distantFuture
            case .close(let mode):
                let end = end(of: number, mode: mode)
                if mode == .abrupt { unreadAtAbruptClose.append(link.inFlightBytes) }
                if end != .reset || mode == .abrupt && random.unit() < script.replySurvival {
                    reply(lastPiece, on: number)
                }
                if !lastPiece.isEmpty { link.hasReplied = true }
                lastPiece = []
                closeAtGateway(number, mode: mode, end: end)
            }
        }
        reply(lastPiece, on: number)
        if let deadline = link.gateway.deadline, link.timerAt.map({ deadline < $0 || $0 < now }) ?? true {
            link.timerAt = deadline
            heap.add(.gatewayTimer(link: number), at: max(now, deadline))
        }
    }

    /// What the sender sees of a close; nil when there is none. Unread input turns a close at once into a reset.
    private func end(of number: Int, mode: CloseMode) -> ConnectionEnd? {
        let link = links[number]
        if link.fault == .replyDestroyed { return .reset }
        if link.failsWrites { return nil }
        return switch mode {
        case .never: nil
        case .graceful, .halfClose, .fin: .closedByPeer
        case .abrupt: link.inFlightBytes > 0 ? .reset : .closedByPeer
        case .reset: .reset
        }
    }

    private func reply(_ bytes: [UInt8], on number: Int) {
        guard !bytes.isEmpty else { return }
        let link = links[number]
        link.hasReplied = true
        guard link.fault != .replyDestroyed, link.fault != .writeFailsWithoutReply else { return }
        var delay = script.latency
        guard case .replySplit(let size) = link.fault else {
            return heap.add(.toSender(link: number, bytes), at: now + delay)
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            heap.add(.toSender(link: number, Array(bytes[start..<min(start + size, bytes.count)])), at: now + delay)
            delay = delay + .milliseconds(1)
        }
    }

    private func closeAtGateway(_ number: Int, mode: CloseMode, end: ConnectionEnd?) {
        guard let end else { return }
        let link = links[number]
        switch mode {
        case .graceful, .halfClose, .never:
            guard link.pausedUntil == .distantFuture else { break }
            link.pausedUntil = now
            heap.add(.resume(link: number), at: now)
        case .fin: link.pausedUntil = .distantFuture
        case .abrupt, .reset: link.isOpenAtGateway = false
        }
        heap.add(.endAtSender(link: number, end), at: now + script.latency + .milliseconds(10))
    }
}
