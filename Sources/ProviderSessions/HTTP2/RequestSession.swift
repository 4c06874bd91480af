public import Primitives
public import PushWire
public import Workload

/// The sender's side of one connection slot of the provider API: requests on many streams, their answers, resending, retries.
///
/// A machine without sockets, clock or queue, like ``ProviderSession``, and driven alike. Every request has an answer here, so there is
/// nothing to prove: what an answer says is the notification's fate, and what has none when its connection ends is unproven.
///
/// After GOAWAY no request is opened; those up to its last stream may finish, those above it go first on the next connection, which
/// a successor opens meanwhile (``takeSuccessor()``).
/// A connection on which the gateway only ever refuses streams is given up after about two seconds and counts as a failed one.
public final class RequestSession {
    /// Which of the run's connections this is, from 0.
    public let slot: Int
    /// What the session was told about batches, reconnecting and the unproven.
    public let plan: SessionPlan
    /// What the session was told about requests.
    public let requests: RequestPlan
    /// What the gateway announced last.
    public internal(set) var peer = HTTP2Settings()
    /// How many requests were in flight over time, on this session's connections.
    var ownFlight = FlightClock()

    let supply: SequenceSupply
    let source: NotificationSource
    /// What outlives this session in its slot.
    let common: RequestSlot
    var state = ConnectionState.idle
    var authorization: [UInt8]?
    /// Whether another session has taken over, and this one only waits for its last answers.
    var isRetired = false
    var successor: RequestSession?

    // MARK: The connection

    var floods: HTTP2FloodGuard
    var hasSettings = false
    /// How many frames may still come for streams that were cancelled here.
    var lateFrameCredit = 0
    /// Frames of DATA that divided bodies took, each of which may earn us WINDOW_UPDATE.
    var dividedDataFrames: UInt64 = 0
    /// PINGs that were not answered yet.
    var openPings = 0
    /// Whether our SETTINGS were not acknowledged yet.
    var awaitsAcknowledgement = false
    var announcedLimit = 0
    var pausedUntil = Instant.zero
    var heardAt = Instant.zero
    var pingedAt: Instant?
    var batch: PendingBatch?
    /// What the batch has of notifications that are written for the first time.
    var fresh = SequenceRuns()
    var blocked = BlockedClock()

    // MARK: Output

    var action: SessionAction?
    var events: [SessionEvent] = []
    var samplesAt = Instant.zero
    let scratch: UnsafeMutableRawBufferPointer
    let wire: UnsafeMutablePointer<Wire>

    /// How many events have room without asking for memory.
    private static let keptEventCount = 64

    /// A batch between the moment at which it was encoded and the one at which the kernel had all of it.
    struct PendingBatch {
        var notifications: UInt64 = 0
        var resent: UInt64 = 0
        var bytes = 0
        var filledAt: Instant
    }

    /// The rest of a body for which a window had no room.
    struct PendingBody {
        var streamID: UInt32
        var sequence: UInt64
        var written: Int
        var count: Int
        var window: HTTP2Window
    }

    /// Why no request is opened on the connection any more.
    enum Leaving: Equatable {
        /// The gateway sent GOAWAY.
        case goAway(HTTP2ErrorCode, last: UInt32)
        /// The stream numbers came to their end.
        case rollover
        /// The gateway only ever refuses streams.
        case refusals
        /// The gateway broke a rule; it is told, and then the connection is closed.
        case violation
    }

    /// How many frames an answer may have that comes too late.
    private static let lateFrames = 4
    /// How many frames of a body may come after its stream was cancelled: what its window still had room for, in small frames.
    static let lateBodyFrames = 64
    /// The most bytes of a refusal's body that are kept.
    static let refusalBodyLimit = 4_096
    /// The most bytes of a response's body that are waited for; less than a stream's window, which is never widened here.
    static let responseBodyLimit = 32_768

    /// Makes the session of connection `slot`, counted from 0; `seed` decides the jitter of its pauses.
    public convenience init(
        slot: Int, plan: SessionPlan, requests: RequestPlan, supply: SequenceSupply, source: NotificationSource,
        seed: UInt64
    ) {
        self.init(
            slot: slot, plan: plan, requests: requests, supply: supply, source: source,
            common: RequestSlot(slot, seed: seed), authorization: requests.fields.authorization)
    }

    init(
        slot: Int, plan: SessionPlan, requests: RequestPlan, supply: SequenceSupply, source: NotificationSource,
        common: RequestSlot, authorization: [UInt8]?
    ) {
        precondition(plan.batch.notifications > 0 && requests.streams > 0, "a batch and a connection hold a request")
        precondition(requests.lastStreamID % 2 == 1, "a client's streams have odd numbers")
        self.slot = slot
        self.plan = plan
        self.requests = requests
        self.supply = supply
        self.source = source
        self.common = common
        self.authorization = authorization
        floods = HTTP2FloodGuard(limits: requests.floods)
        wire = .allocate(capacity: 1)
        wire.initialize(to: Wire(requests, source: source))
        scratch = .allocate(byteCount: RequestTemplate.maxTokenBytes + source.maxPayloadBytes, alignment: 16)
    }

    deinit {
        wire.deinitialize(count: 1)
        wire.deallocate()
        scratch.deallocate()
    }

    // MARK: - Output

    /// Takes what the session wants done; nil when nothing.
    public func takeAction() -> SessionAction? {
        defer { action = nil }
        return action
    }

    /// Passes each event since the last call to `body`, in order.
    public func takeEvents(_ body: (SessionEvent) -> Void) {
        guard !events.isEmpty else { return }
        for event in events { body(event) }
        events.removeAll(keepingCapacity: events.count <= Self.keptEventCount)
    }

    /// Passes the requests that were answered since the last call to `body`, with the time of the answers; none without answers.
    public func takeSamples(_ body: (UnsafeBufferPointer<RequestSample>, Instant) -> Void) {
        guard !samples.isEmpty else { return }
        samples.withUnsafeBufferPointer { body($0, samplesAt) }
        samples.removeAll(keepingCapacity: true)
    }

    /// Another value of `authorization` holds for the requests from now on; nil leaves it out.
    public func setAuthorization(_ value: [UInt8]?) {
        authorization = value
        template.setAuthorization(value)
    }

    /// Whether every notification that this session took has its fate, and no connection is wanted any more.
    public var isFinished: Bool { state.isFinished }

    /// Whether requests may be opened at present.
    public var isOpen: Bool { state.isOpen && leaving == nil }

    /// Whether a connection stands.
    public var isConnected: Bool { state.isConnected }

    /// Whether a connection stands that is not just another one of a series that soon ended; one on which the gateway allows no
    /// request, or lets all of them come to nothing, is of as little use as none.
    public func isLasting(at now: Instant) -> Bool {
        state.isLasting(at: now, base: plan.reconnect.base) && !isUnanswered
    }

    /// Whether requests are tried and come to nothing, and none was answered since.
    public var isUnanswered: Bool {
        if state.isOpen && hasSettings && streamLimit == 0 && ring.openCount == 0 { return true }
        return isFruitless && (ring.openCount > 0 || claimed.count > 0 || !resends.isEmpty)
    }

    /// How many requests are open.
    public var unsettledCount: UInt64 { UInt64(ring.openCount) }

    /// When the end of a connection was seen whose replacement has not carried a batch yet; nil if there is none.
    public var openEnd: Instant? { common.reconnectClock.openEnd }

    /// How many requests may be open at once at present.
    public var streamLimit: Int {
        let peerLimit = peer.maxConcurrentStreams.map { Int($0) } ?? .max
        // Before anything is known of the peer, one stream is what every gateway takes.
        let limit = hasSettings && (isProven || !requests.provesAuthorization) ? requests.streams : 1
        return min(limit, peerLimit)
    }

    /// The same as its driver asks for it.
    public var requestLimit: Int? { streamLimit }

    /// When ``timerFired(now:)`` wants to be called; nil when nothing waits for time.
    public var deadline: Instant? {
        var earliest = state.deadline ?? .distantFuture
        if let batch { earliest = min(earliest, batch.filledAt + plan.stallLimit) }
        guard state.isOpen else { return earliest == .distantFuture ? nil : earliest }
        if leaving == .violation { earliest = min(earliest, heardAt + plan.stallLimit) }
        if let oldest = ring.oldest() { earliest = min(earliest, oldest.pointee.openedAt + requests.requestTimeout) }
        if let pingedAt {
            earliest = min(earliest, pingedAt + requests.pingTimeout)
        } else if let pause = requests.pingAfter {
            earliest = min(earliest, heardAt + pause)
        }
        if batch == nil && leaving == nil && ring.openCount < streamLimit {
            earliest = min(earliest, nextWrite ?? .distantFuture)
        }
        return earliest == .distantFuture ? nil : earliest
    }

    /// When there is something to write that is not to be written now; nil if only an answer or the peer can bring it about.
    private var nextWrite: Instant? {
        if resends.isReady || claimed.count > 0 { return pausedUntil > .zero ? pausedUntil : nil }
        if pausedUntil > .zero { return pausedUntil }
        return resends.nextTime
    }

    /// Whether the session could write a request and has none: in an open loop its driver asks it to fill when its turn comes
    /// (``FillTurns``).
    public var isWaiting: Bool {
        state.isOpen && batch == nil && leaving == nil && !resends.isReady && claimed.count == 0
            && pausedUntil == .zero && ring.openCount < streamLimit
    }

    // MARK: - Connection

    /// Begins the slot's life: it wants a connection.
    public func start(now: Instant) {
        if state.beginAttempt(at: now) { action = .connect }
    }

    /// The connection asked for stands.
    public func connectionOpened(_ facts: ConnectionFacts, now: Instant) {
        guard state.opened(at: now) else { return }
        common.connectionCount += 1
        restart(now: now)
        common.reconnectClock.opened(facts, at: now)
        events.append(.connected(facts, at: now))
        action = .fill
    }

    /// Forgets the last connection, and says what a client says first (RFC 9113 section 3.4).
    private func restart(now: Instant) {
        ring.restart()
        reader = HTTP2FrameReader(role: .client)
        assembler.removeAll()
        template = RequestTemplate(fields: requests.fields, ids: requests.ids)
        template.setAuthorization(authorization)
        floods = HTTP2FloodGuard(limits: requests.floods)
        peer = HTTP2Settings()
        (sendWindow, receiveWindow) = (HTTP2Window(), HTTP2Window())
        (hasSettings, isProven, hasAnswered, leaving) = (false, false, false, nil)
        (lateFrameCredit, dividedDataFrames, openPings, awaitsAcknowledgement) = (0, 0, 0, true)
        (refusedPause, pausedUntil, heardAt, pingedAt) = (.zero, .zero, now, nil)
        bodies.removeAll()
        refusalBodies.removeAll()
        outbox.removeAll()
        outbox.preface()
        // Without a table every header block of the gateway can be read by itself.
        var own = HTTP2Settings()
        own.headerTableSize = 0
        own.isPushEnabled = false
        outbox.settings(own)
        noteLimit(now: now)
    }

    /// The attempt failed, or the connection ended; everything that it had received was passed in before.
    public func connectionEnded(_ end: ConnectionEnd, now: Instant) {
        noteFlight(now: now)
        if state.isConnected {
            loseConnection(end, now: now)
        } else if state.ended(at: now, plan: plan.reconnect, random: &common.random) != .ignore {
            common.reconnectClock.attemptFailed()
            isFruitless = false
            events.append(.connectFailed(end, at: now))
            if !hasWork { finish(.finish) }
        }
    }

    /// Time has come for what ``deadline`` announced.
    public func timerFired(now: Instant) {
        noteFlight(now: now)
        if let batch, now >= batch.filledAt + plan.stallLimit {
            return loseConnection(.timedOut, now: now)
        }
        if state.beginAttempt(at: now) {
            action = .connect
            return
        }
        guard state.isOpen else { return }
        if leaving == .violation, now >= heardAt + plan.stallLimit { return loseConnection(.closedHere, now: now) }
        if let pingedAt, now >= pingedAt + requests.pingTimeout { return loseConnection(.timedOut, now: now) }
        let isSilent = cancelOverdue(now: now)
        if pingedAt == nil, let pause = requests.pingAfter, isSilent || now >= heardAt + pause {
            pingedAt = now
            openPings += 1
            outbox.ping(UInt64(bitPattern: now.nanoseconds), isAnswer: false)
        }
        concludeIfIdle(now: now)
        if action == nil && batch == nil { action = .fill }
    }

    /// Cancels requests whose answers are overdue; whether they were accepted nobody knows.
    ///
    /// - Returns: whether one of them was open so long without anything else being heard, either.
    private func cancelOverdue(now: Instant) -> Bool {
        var count: UInt64 = 0
        var isSilent = false
        while let oldest = ring.oldest(), oldest.pointee.openedAt + requests.requestTimeout <= now {
            outbox.reset(streamID: oldest.pointee.streamID, code: .cancel)
            let request = oldest.pointee
            if request.openedAt >= heardAt { isSilent = true }
            close(oldest)
            settleUnproven(request, now: now)
            lateFrameCredit += Self.lateFrames
            count += 1
        }
        if count > 0 { events.append(.request(.timedOut(count: count, at: now))) }
        return isSilent
    }

    /// Gives up at the end of the run's time: what is not settled gets its fate now.
    public func abandon(now: Instant) {
        guard !state.isFinished else { return }
        noteFlight(now: now)
        noteSent(at: batch?.filledAt ?? now, now: now)
        ring.closeAll { giveUp($0, now: now) }
        for resend in resends.takeAll() {
            let isLost = resend.otherwise == .lost
            if resend.otherwise != .rejected { events.append(.request(.neverAnswered(resend.sequence, at: now))) }
            events.append(isLost ? .lost(resend.run, .abandoned) : .settled(resend.run, resend.otherwise, nil))
        }
        if claimed.count > 0 { events.append(.settled(claimed, .unsent, nil)) }
        claimed.count = 0
        batch = nil
        if let hold = blocked.end(at: now) { events.append(.request(hold)) }
        finish(.drop)
    }

    // MARK: - Ends

    /// Whether anything is left that needs a connection, or may come to need one.
    var hasWork: Bool { !isRetired && (hasOwnWork || common.drainingCount > 0) }

    /// Whether anything is left to be sent.
    var hasOwnWork: Bool { !resends.isEmpty || claimed.count > 0 || !supply.isExhausted }

    /// Replaces a connection that is to be left, or ends the slot, once no answer is awaited any more.
    func concludeIfIdle(now: Instant) {
        guard state.isOpen else { return }
        handOver()
        guard ring.openCount == 0, batch == nil else { return }
        switch leaving {
        case nil:
            guard !hasWork, outbox.isEmpty else { return }
            if let hold = blocked.end(at: now) { events.append(.request(hold)) }
            finish(.finish)
        case .violation?:
            if outbox.isEmpty { loseConnection(.closedHere, now: now) }
        case .rollover?: replace(now: now)
        case .refusals?: loseConnection(.closedHere, now: now)
        case .goAway(let code, _)?:
            // An orderly end of a connection that was of use is no failure, however soon it comes.
            if code == .noError && isProven {
                replace(now: now)
            } else {
                loseConnection(.closedByPeer, now: now)
            }
        }
    }

    private func replace(now: Instant) {
        if let hold = blocked.end(at: now) { events.append(.request(hold)) }
        guard hasWork else { return finish(.finish) }
        state.replaced()
        action = .replace
    }

    /// The connection is gone; what has no answer is unproven, unless the gateway never read anything.
    func loseConnection(_ end: ConnectionEnd, now: Instant) {
        let inFlight = UInt64(ring.openCount)
        let queued = resends.count
        let isExpected = leaving != nil && leaving != .violation
        noteSent(at: batch?.filledAt ?? now, now: now)
        if !isExpected || inFlight > 0 { events.append(.connectionLost(end, unproven: inFlight, at: now)) }
        let unread = end == .handshakeFailed
        settleOpen(now: now) { request in
            if unread { sendAgain(request, otherwise: .lost, now: now) } else { settleUnproven(request, now: now) }
        }
        batch = nil
        if let hold = blocked.end(at: now) { events.append(.request(hold)) }
        if !isExpected && !isRetired {
            common.reconnectClock.connectionEnded(
                .end(end), inFlight: inFlight, resent: UInt64(resends.count - queued), at: now)
        }
        guard hasWork else { return finish(.drop) }
        // Who asks for calm gets a pause, however much came before.
        let isCalming = if case .goAway(.enhanceYourCalm, _)? = leaving { true } else { false }
        let wasOfUse = !isCalming && (hasAnswered || !isFruitless)
        switch state.ended(at: now, plan: plan.reconnect, random: &common.random, wasOfUse: wasOfUse) {
        case .connect: action = .replace
        case .pause: action = .drop
        case .ignore: break
        }
    }

    /// Closes all streams as their connection ends. A request whose body did not leave whole was accepted by nobody, and goes again as if
    /// its stream had been refused; of the others `settle` decides.
    func settleOpen(now: Instant, _ settle: (OpenRequest) -> Void) {
        let unfinished = Set(bodies.map(\.streamID))
        ring.closeAll { request in
            guard unfinished.contains(request.streamID) else { return settle(request) }
            var request = request
            refuseStream(&request, now: now)
        }
        bodies.removeAll()
        refusalBodies.removeAll()
    }

    /// Closes a request's stream.
    func close(_ place: UnsafeMutablePointer<OpenRequest>) {
        let streamID = place.pointee.streamID
        ring.close(place)
        if !bodies.isEmpty { bodies.removeAll { $0.streamID == streamID } }
        if !refusalBodies.isEmpty { refusalBodies[streamID] = nil }
    }

    /// Nothing tells what became of a request.
    func settleUnproven(_ request: OpenRequest, now: Instant) {
        isFruitless = true
        if case .resend(let limit) = plan.unproven, UInt32(request.unprovenResends) < min(limit, 255) {
            var again = request
            again.unprovenResends += 1
            sendAgain(again, otherwise: .unknown, now: now)
        } else {
            giveUp(request, now: now)
        }
    }

    /// A request will never have an answer.
    private func giveUp(_ request: OpenRequest, now: Instant) {
        events.append(.request(.unanswered(request.sequence, writtenAt: request.openedAt, at: now)))
        events.append(.settled(request.run, .unknown, nil))
    }

    /// Sends a notification again before any new one.
    func sendAgain(_ request: OpenRequest, otherwise: Fate, now: Instant) {
        isFruitless = true
        ownFlight.withdraw(openedAt: request.openedAt, now: now)
        resends.append(
            Resend(
                sequence: request.sequence, unprovenResends: request.unprovenResends, retries: request.retries,
                refusedStreams: request.refusedStreams,
                otherwise: request.unprovenResends > 0 ? .unknown : otherwise))
    }

    /// What is open now has been so since the last call; called before anything changes at another instant.
    func noteFlight(now: Instant) { ownFlight.advance(to: now, inFlight: ring.openCount) }

    func finish(_ last: SessionAction) {
        if isRetired && !state.isFinished {
            common.drainingCount -= 1
            common.earlierFlight.add(ownFlight)
        }
        state.finish()
        action = last
    }
}

extension RequestSession: SenderSession {}

extension OpenRequest {
    /// The notification as events name it.
    var run: SequenceRun { SequenceRun(start: sequence, count: 1, unprovenResends: UInt32(unprovenResends)) }
}
