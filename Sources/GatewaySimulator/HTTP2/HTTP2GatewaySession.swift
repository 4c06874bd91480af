public import Primitives
import PushWire
import Workload

/// The gateway's side of one connection of the HTTP/2 provider API: read frames, judge requests, answer each of them.
///
/// A machine without sockets, clock or queue, in the shape of ``GatewaySession``, and bounded in everything that a peer can send: streams
/// by the limit that is announced, header blocks and bodies by what a request may have, answers by holding the reading back
/// while the peer does not take them (RFC 9113 section 10.5).
public final class HTTP2GatewaySession {
    /// How many bytes of answers may wait before nothing more is read.
    static let unreadLimit = 262_144
    /// How long a peer may take none of them before the connection is given up.
    static let unreadTimeout = Interval.seconds(60)
    /// The longest body that is kept; whatever is longer is refused while it comes.
    static let maxBodyBytes = 65_536
    /// How much of a body is read whose request is answered already; then the stream is reset with NO_ERROR (RFC 9113 section 8.1).
    static let maxDiscardedBytes = 1_048_576
    /// How long such a body may rest; some clients stop when they see the answer, and wait for the reset.
    static let discardPatience = Interval.milliseconds(250)
    /// How many streams a client may reset or spoil while they are most of what it opens (rapid reset, RFC 9113 section 10.5).
    static let spoiltStreamAllowance: UInt64 = 1_000

    /// What changes with every frame; behind a pointer, so that no run-time exclusivity check stands on each one's way.
    struct Wire: ~Copyable {
        var reader = HTTP2FrameReader(role: .server)
        var assembler = HeaderBlockAssembler()
        var decoder: HPACKDecoder
        var memo = RequestMemo()
        var flood = HTTP2FloodGuard()
        var outbox = HTTP2Outbox(limit: 262_144)
        var responses = ResponseBuffer()
        var streams: GatewayStreams
        /// Answers that leave later.
        var delayed = DueQueue<(streamID: UInt32, answer: RequestAnswer)>()
        /// Streams whose bodies are thrown away, with how much of each and of all bodies had come.
        var discarded = DueQueue<(streamID: UInt32, byteCount: Int, totalByteCount: UInt64)>()
        /// How much DATA came in all.
        var dataByteCount: UInt64 = 0
        var writer: ResponseWriter
        var own: HTTP2Settings
        var peer = HTTP2Settings()
        var receiveRoom = HTTP2Window()
        var sendRoom = HTTP2Window()
        /// The highest stream that the client opened.
        var lastStreamID: UInt32 = 0
        var openedCount: UInt64 = 0
        var maxOpenCount = 0
        var spoiltCount: UInt64 = 0
        /// The widest window that a stream was ever promised.
        var widestStreamWindow: UInt32
        /// Whether the next response must say that the dynamic table is not used (RFC 7541 section 4.2).
        var announcesTableSize = false
        var hasAnnouncedTableSize = false
        /// What the client knows of our settings.
        var announced: AnnouncedLimits
        /// Frames of DATA of answers that are divided, each of which may earn us WINDOW_UPDATE.
        var dividedDataFrames: UInt64 = 0

        init(_ api: ProviderAPISettings, streamLimit: UInt32, uniqueSeed: UInt64?) {
            decoder = HPACKDecoder(
                tableSizeLimit: max(4_096, Int(api.headerTableBytes)),
                listLimit: Int(api.maxHeaderListBytes))
            streams = GatewayStreams(expecting: Int(min(api.maxStreams, 8_192)))
            writer = ResponseWriter(uniqueSeed: uniqueSeed)
            var own = HTTP2Settings()
            own.headerTableSize = api.headerTableBytes
            own.maxConcurrentStreams = streamLimit
            own.initialWindowSize = api.streamWindowBytes
            own.maxHeaderListSize = api.maxHeaderListBytes
            self.own = own
            announced = AnnouncedLimits(streamLimit: streamLimit)
            widestStreamWindow = max(api.streamWindowBytes, 65_535)
        }
    }

    /// How far the connection is from its end.
    enum Life {
        /// Nothing came yet but parts of the preface.
        case starting
        /// Requests are answered.
        case serving
        /// GOAWAY was sent: streams up to that one are answered, and then the connection is closed, if it shall.
        case leaving(last: UInt32, closes: Bool)
        /// Nothing is read or answered any more.
        case closed
    }

    /// When the connection's first notification was accepted; nil before.
    public internal(set) var firstAcceptedAt: Instant?

    let settings: GatewaySettings
    let api: ProviderAPISettings
    let judge: RequestJudge
    let ledger: GatewayLedger
    let pace: GatewayPace
    let connection: ProviderConnection
    /// The apps whose feedback its unregistered devices stand in.
    let scope: TopicScope
    /// Nil without faults that can strike the connection.
    let faults: RequestFaults?
    let fields = ReceivedFields()
    let wire: UnsafeMutablePointer<Wire>
    var throttle: ReadingThrottle?
    var life = Life.starting
    /// Bodies that came in pieces and are wanted whole, by their streams.
    var bodies: [UInt32: [UInt8]] = [:]
    /// Requests about channels whose bodies are still to come.
    var channelRequests: [UInt32: ChannelRequest] = [:]
    /// What is left of bodies of responses that wait for room in a window, in order.
    var blocked: [(streamID: UInt32, body: ArraySlice<UInt8>)] = []
    var requestCount: UInt64 = 0
    var lastRequestAt: Instant
    var windowHeldUntil: Instant?
    var announcedGoAway: (order: GoAwayOrder, at: Instant)?
    var isLimitRaised = false
    /// Whether nothing that comes is looked at any more.
    var isBroken = false
    var isHolding = false
    var heldSince = Instant.zero
    private let openedAt: Instant
    private var actions: [GatewayAction] = []

    /// Makes the session of one accepted connection; judge, book and pace are those of the event loop on which it lives.
    ///
    /// - Parameters:
    ///   - judge: judges the requests, and has the settings.
    ///   - ledger: the event loop's book.
    ///   - pace: what its connections share.
    ///   - limiters: how often its devices were pushed to.
    ///   - connection: what is known of the provider.
    ///   - scope: the apps that it reaches, for the feedback service.
    ///   - refusal: why the connection is given up before any request, for example because of its certificate; nil to serve it.
    ///   - now: the time at which it was opened.
    public init(
        judge: RequestJudge, ledger: GatewayLedger, pace: GatewayPace, limiters: TokenLimiters = TokenLimiters(),
        connection: ProviderConnection = ProviderConnection(), scope: TopicScope = .appUnderLoad,
        refusal: String? = nil, openedAt now: Instant
    ) {
        self.judge = judge
        settings = judge.settings
        api = judge.api
        self.ledger = ledger
        self.pace = pace
        self.connection = connection
        self.scope = scope
        faults = RequestFaults(
            settings: settings, ledger: ledger, totals: pace.totals, limiters: limiters, openedAt: now)
        throttle = ReadingThrottle(plan: settings.faults, scope: .connection, totals: pace.totals, openedAt: now)
        openedAt = now
        lastRequestAt = now
        let isRestricted = api.authentication == .required && connection.certificateTopics == nil && !api.acceptsAll
        wire = .allocate(capacity: 1)
        // Each connection has values of its own, whatever event loop it is on.
        let number = pace.totals.numberConnection()
        let uniqueSeed = mix64((settings.tokenSeed ?? 0) ^ 0x756E_6971_7565) &+ number
        wire.initialize(
            to: Wire(
                api, streamLimit: isRestricted ? min(api.streamsBeforeAuthentication, api.maxStreams) : api.maxStreams,
                uniqueSeed: settings.environment == .sandbox && !api.acceptsAll ? uniqueSeed : nil))
        ledger.counts.connections += 1
        wire.pointee.outbox.settings(wire.pointee.own)
        if api.connectionWindowBytes > UInt32(HTTP2Window.initial) {
            let increment = api.connectionWindowBytes - UInt32(HTTP2Window.initial)
            wire.pointee.outbox.windowUpdate(streamID: 0, increment: increment)
            try? wire.pointee.receiveRoom.widen(by: Int64(increment))
        }
        want(.fill)
        if let refusal {
            sayGoodbye(last: 0, code: .noError, debugData: Array(#"{"reason":"\#(refusal)"}"#.utf8))
            life = .leaving(last: 0, closes: true)
        }
    }

    deinit {
        wire.deinitialize(count: 1)
        wire.deallocate()
    }

    /// Takes what the session wants done; nil when nothing.
    public func takeAction() -> GatewayAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// How many streams are open.
    public var openStreamCount: Int { wire.pointee.streams.count }

    /// How many bytes of answers wait to be written.
    public var waitingByteCount: Int { wire.pointee.outbox.byteCount + wire.pointee.responses.byteCount }

    /// When ``timerFired(now:)`` wants to be called.
    public var deadline: Instant? {
        if case .closed = life { return nil }
        var next = Instant.distantFuture
        if case .starting = life { next = min(next, openedAt + api.prefaceTimeout) }
        if let due = wire.pointee.delayed.nextAt { next = min(next, due) }
        if let due = wire.pointee.discarded.nextAt { next = min(next, due) }
        if let due = faults?.deadline { next = min(next, due) }
        if let due = windowHeldUntil { next = min(next, due) }
        if let announced = announcedGoAway { next = min(next, announced.at) }
        if isHolding { next = min(next, heldSince + Self.unreadTimeout) }
        if let timeout = api.idleTimeout, wire.pointee.streams.count == 0 { next = min(next, lastRequestAt + timeout) }
        return next < .distantFuture ? next : nil
    }

    /// Bytes came from the provider.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        ledger.counts.receivedBytes += UInt64(bytes.count)
        ledger.readAt = now
        let before = ledger.counts.api.accepted
        var rest = bytes
        while !isClosed && !isBroken {  // bounded: each turn takes bytes off the input
            do throws(HTTP2Violation) {
                guard let frame = try wire.pointee.reader.next(in: &rest) else { break }
                try take(frame, now: now)
            } catch {
                punish(error, now: now)
            }
        }
        let acceptedNow = ledger.counts.api.accepted - before
        if acceptedNow > 0 { noteAcceptance(of: acceptedNow, now: now) }
        let mostOpen = UInt64(wire.pointee.maxOpenCount)
        if mostOpen > ledger.counts.api.maxOpenStreams { ledger.counts.api.maxOpenStreams = mostOpen }
        settle(now: now)
    }

    /// Time has come for what ``deadline`` announced.
    public func timerFired(now: Instant) {
        if case .starting = life, now >= openedAt + api.prefaceTimeout { return end(.graceful) }
        if isHolding, now >= heldSince + Self.unreadTimeout { return end(.abrupt) }
        while !isClosed, let due = wire.pointee.delayed.takeDue(now) {  // bounded: by the streams that are open
            deliver(due.answer, on: due.streamID)
        }
        while !isClosed, let due = wire.pointee.discarded.takeDue(now) {  // bounded: what rests on is due later
            endDiscarding(due.streamID, since: due.byteCount, totalByteCount: due.totalByteCount, now: now)
        }
        // bounded: each fault strikes once
        while !isClosed, let strike = faults?.timedStrike(isLeaving: isLeaving, now: now) {
            suffer(strike, now: now)
        }
        if let until = windowHeldUntil, now >= until {
            windowHeldUntil = nil
            widenConnection()
        }
        if let announced = announcedGoAway, now >= announced.at { sendGoAway(announced.order) }
        if let timeout = api.idleTimeout, wire.pointee.streams.count == 0, now >= lastRequestAt + timeout, isServing {
            var order = GoAwayOrder()
            order.reason = .idleTimeout
            sendGoAway(order)
        }
        settle(now: now)
    }

    /// Writes frames that wait, as many as have room, and returns their length; 0 if there are none.
    public func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        // A response of which a part has left must be whole before any other frame.
        var count = wire.pointee.responses.isCut ? wire.pointee.responses.drain(into: buffer) : 0
        if !wire.pointee.responses.isCut {
            count += wire.pointee.outbox.drain(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            count += wire.pointee.responses.drain(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        }
        settle(now: now, wantsFill: false)
        return count
    }

    /// The provider closed the connection, or it broke.
    public func connectionEnded() {
        if wire.pointee.reader.unfinishedByteCount > 0 && !isClosed { ledger.counts.partialNotifications += 1 }
        life = .closed
    }

    // MARK: - Between the parts

    var isClosed: Bool { if case .closed = life { true } else { false } }

    var isServing: Bool {
        switch life {
        case .starting, .serving: true
        case .leaving, .closed: false
        }
    }

    /// Whether the client was told to go, or will be for good in a moment.
    var isLeaving: Bool { !isServing || announcedGoAway != nil }

    func want(_ action: GatewayAction) { actions.append(action) }

    /// Asks for what follows from what was done: bytes to write, an end, or that nothing more be read for now.
    func settle(now: Instant, wantsFill: Bool = true) {
        guard !isClosed else { return }
        let waiting = waitingByteCount
        if waiting > 0 {
            if wantsFill { want(.fill) }
        } else if case .leaving(_, true) = life, wire.pointee.streams.count == 0 {
            return end(.graceful)
        }
        if waiting > Self.unreadLimit, !isHolding {
            isHolding = true
            heldSince = now
            want(.hold)
        } else if isHolding, !isBroken, waiting <= Self.unreadLimit / 2 {
            isHolding = false
            want(.resume)
        } else if isHolding, !wantsFill {
            heldSince = now
        }
    }

    func end(_ mode: CloseMode) {
        life = .closed
        want(.close(mode))
    }

    private func noteAcceptance(of count: UInt64, now: Instant) {
        ledger.counts.firstAcceptedAt = ledger.counts.firstAcceptedAt ?? now
        ledger.counts.lastAcceptedAt = now
        firstAcceptedAt = firstAcceptedAt ?? now
        if let until = pace.pause(afterAccepting: count, now: now, ledger: ledger) { want(.pause(until: until)) }
        let own = throttle?.pause(afterAccepting: count, now: now, ledger: ledger)
        if let until = own { want(.pause(until: until)) }
    }

    /// What a broken rule costs: a stream, or the connection.
    func punish(_ violation: HTTP2Violation, now: Instant) {
        switch violation.scope {
        case .stream(let id):
            ledger.counts.api.streamViolations += 1
            close(id)
            wire.pointee.outbox.reset(streamID: id, code: violation.code)
            wire.pointee.spoiltCount += 1
            if isSpoilingMost { punish(HTTP2Violation(.flood(.reset)), now: now) }
        case .connection:
            ledger.counts.api.violations += 1
            let last: UInt32
            if case .leaving(let promised, _) = life { last = promised } else { last = wire.pointee.lastStreamID }
            let isOtherProtocol = violation.rule == .preface
            if isOtherProtocol { ledger.counts.api.otherProtocols += 1 }
            sayGoodbye(
                last: last, code: violation.code,
                debugData: isOtherProtocol
                    ? Array("only HTTP/2 is spoken here; its connection preface is missing".utf8) : [])
            breakOff(now: now)
        }
    }

    /// Sends GOAWAY.
    func sayGoodbye(last: UInt32, code: HTTP2ErrorCode, debugData: [UInt8] = []) {
        ledger.counts.api.goAways += 1
        wire.pointee.outbox.goAway(lastStreamID: last, code: code, debugData: debugData)
    }

    /// Ends the connection once what waits is written, without answering anything more.
    ///
    /// Until then nothing more is read, and a peer that does not take the last word is not waited for without end.
    func breakOff(now: Instant) {
        _ = wire.pointee.streams.closeAll(above: 0)
        bodies.removeAll()
        channelRequests.removeAll()
        blocked.removeAll()
        life = .leaving(last: 0, closes: true)
        isBroken = true
        guard !isHolding else { return }
        isHolding = true
        heldSince = now
        want(.hold)
    }

    /// Whether most of many streams were reset by the client or broke the protocol.
    var isSpoilingMost: Bool {
        wire.pointee.spoiltCount > Self.spoiltStreamAllowance
            && wire.pointee.spoiltCount > wire.pointee.openedCount / 2
    }

    /// Forgets a stream.
    func close(_ id: UInt32) {
        wire.pointee.streams.close(id)
        if !bodies.isEmpty { bodies[id] = nil }
        if !channelRequests.isEmpty { channelRequests[id] = nil }
    }
}
