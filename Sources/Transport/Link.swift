internal import CShims
internal import Glibc
public import Primitives
public import SecureChannel

/// One TCP and TLS connection, either side of it, driven by its ``LinkHandler``.
///
/// It belongs to one loop and must be used there only. One call to fill is one batch: it is encrypted into full records
/// that leave in one write, and the next batch is asked for only when the kernel has taken the last. Every link gets one
/// batch and one read a turn. Reading goes on while a write is blocked.
public final class Link {
    enum Phase {
        case connecting
        case handshaking
        case open
        /// Closing gracefully: what is pending and our close_notify are on their way.
        case flushing
        /// Our direction is shut; input is discarded until the peer ends, too.
        case lingering
        case ended
    }

    /// How long input is still read after a write failed, for an answer that was sent before (C03).
    static let drainAfterWriteError = Interval.seconds(1)

    /// How long a swallowed link is kept at most.
    static let swallowLimit = Interval.seconds(600)

    /// The loop that the link belongs to.
    public let core: LoopCore
    /// Which side of the connection this is.
    public let role: TLSContext.Role
    /// The other end.
    public let peer: SocketAddress
    /// What was counted so far; stays readable after the end.
    public internal(set) var counters = LinkCounters()
    /// When the kernel was first asked to take the last batch; what it carries cannot arrive anywhere before.
    public internal(set) var batchSentAt = Instant.zero
    /// When the connection was begun, or accepted.
    public internal(set) var startedAt: Instant
    /// When TCP was connected; nil before.
    public internal(set) var connectedAt: Instant?
    /// When the TLS handshake was done; nil before.
    public internal(set) var openedAt: Instant?

    let options: LinkOptions
    var handler: (any LinkHandler)?
    var channel: TLSChannel?
    /// Told when the descriptor is given back.
    var tally: ListenerTally?
    var socket: Int32 = -1
    var slot = -1
    var phase = Phase.connecting
    var watched: Selector.Readiness = []
    var handshakeProcessorTime = Interval.zero

    var isReadingPaused = false
    /// Nothing is read or written any more, and nobody is told.
    var isSwallowed = false
    /// How fast the socket is read; nil means as fast as it goes.
    var readPace: ReadPace?
    var readHeldUntil: Instant?
    /// The long way to the peer, if there is one.
    var transit: PathTransit?
    /// What happens in place of the handshake.
    var handshakeFault: HandshakeFault.Kind?
    /// The peer's close_notify or end of stream was seen.
    var isPeerFinished = false
    /// The end of the socket's input was seen.
    var isInputOver = false

    var wantsFill = false
    var isFilling = false
    var hasBatchOutstanding = false
    /// Encrypted bytes that the kernel did not take yet; nil means that none wait.
    var output: CiphertextBuffer?
    var writeError: Int32?
    var unsentAtEnd = 0

    var isInTurnList = false
    var isInSweep = false
    var wasActive = false
    var handlerDeadline: Instant?
    var ownDeadline: Instant?
    var drainTime = Interval.zero
    /// What was read and discarded since the closing began.
    var drainedByteCount = 0
    /// Whether a closing link leaves what still comes unread.
    var closesWithoutReading = false
    /// Our direction is shut or about to be, while reading goes on.
    var isHalfClosed = false
    /// A half-close asked for while a batch was being filled, which still goes out.
    var isHalfClosePending = false
    /// A closing in order asked for while a batch was being filled, which still goes out.
    var pendingClosing: LinkClosing?
    var pendingEnd: LinkEnd?
    private var savedSession: TLSSession?

    init(core: LoopCore, role: TLSContext.Role, peer: SocketAddress, options: LinkOptions, handler: any LinkHandler) {
        self.core = core
        self.role = role
        self.peer = peer
        self.options = options
        self.handler = handler
        startedAt = core.now
        slot = core.insert(.link(self))
    }

    // MARK: - For handlers

    /// Whether the link is open and takes batches.
    public var isOpen: Bool { phase == .open && writeError == nil && !isHalfClosed && !isSwallowed }

    /// Lets another handler hear of the link from now on.
    public func handOver(to next: any LinkHandler) {
        if handler != nil { handler = next }
    }

    /// How many encrypted bytes the kernel has not taken: now, or at the end.
    public var unsentByteCount: Int { output?.pendingCount ?? unsentAtEnd }

    /// How many bytes the kernel has taken but the peer's kernel not acknowledged; nil when the link is not connected.
    public var unacknowledgedByteCount: Int? {
        let count = socket >= 0 ? shim_unsent_count(socket) : -1
        return count < 0 ? nil : Int(count)
    }

    /// Asks for a call to fill, at the latest in the loop's next turn.
    public func requestFill() {
        wantsFill = true
        if isOpen, output == nil, !isFilling { joinTurn() }
    }

    /// Sets the one deadline of the handler, instead of what was set before; nil means none.
    public func setDeadline(_ deadline: Instant?) {
        guard handler != nil, phase != .flushing, phase != .lingering, !isSwallowed else { return }
        handlerDeadline = deadline
        armDeadline()
    }

    /// Reads nothing more from the socket until resumed, so that the peer's writes come to a halt.
    ///
    /// What was read before is still delivered. A broken connection, a failed write or a close ends the pause.
    public func pauseReading() {
        isReadingPaused = true
        updateWatch()
    }

    /// Reads again.
    public func resumeReading() {
        isReadingPaused = false
        updateWatch()
        // What came on a path meanwhile waits for its turn.
        if transit != nil { armDeadline() }
    }

    /// Reads the socket no faster from now on; nil lifts the bound.
    public func limitReading(to pace: ReadPace?) {
        readPace = pace
        readHeldUntil = nil
        updateWatch()
    }

    /// Reads and writes nothing more and does not close either, as if a firewall had forgotten the connection.
    ///
    /// The handler hears only of the end: when the peer's end arrives, which a full window keeps away, when the link is
    /// closed, or after ten minutes, so that forgotten sockets do not pile up.
    public func swallow() {
        guard phase == .open else { return }
        isSwallowed = true
        wantsFill = false
        handlerDeadline = nil
        readHeldUntil = nil
        updateWatch()
        setOwnDeadline(core.now + Self.swallowLimit)
    }

    /// Takes the newest session for resuming that the peer has given, also after the end; nil when there is no new one.
    public func takeSession() -> TLSSession? {
        if let session = channel?.takeSession() { return session }
        defer { savedSession = nil }
        return savedSession
    }

    /// Whether a write has failed; input is still read for a while.
    public var hasWriteFailed: Bool { writeError != nil }

    // MARK: - The loop's side

    /// Serves a readiness event: input before output, so that an answer is seen while a write is blocked (C19).
    func serve(_ readiness: Selector.Readiness) {
        if phase == .connecting { return connectionIsDecided() }
        let isBroken = !readiness.isDisjoint(with: .broken)
        if isSwallowed { return finish(isBroken ? .reset : .truncated) }
        if readiness.contains(.peerClosed), phase == .lingering { return finish(.closedLocally) }
        if let transit { return serve(readiness, through: transit) }
        if isBroken { isReadingPaused = false }
        if isInputOver {
            if isBroken { inputFailed(pendingSocketError()) }
        } else if isBroken || (readiness.contains(.readable) && !isReadingPaused) {
            readSome(ignoresPace: isBroken)
        }
        if output != nil, phase != .ended, readiness.contains(.writable) { writeSome() }
    }

    /// The link's turn: reports its end, or sends one batch.
    func takeTurn() {
        isInTurnList = false
        if let end = pendingEnd {
            pendingEnd = nil
            let last = handler
            handler = nil
            last?.linkEnded(self, end: end, now: core.now)
        } else if isOpen, wantsFill, output == nil {
            fillOnce()
        }
    }

    func joinTurn() {
        guard !isInTurnList else { return }
        isInTurnList = true
        core.joinTurn(self)
    }

    func armDeadline() {
        guard slot >= 0 else { return }
        var earliest = handlerDeadline ?? .distantFuture
        if let ownDeadline { earliest = min(earliest, ownDeadline) }
        if let readHeldUntil { earliest = min(earliest, readHeldUntil) }
        if let due = transit?.nextDeadline(isTaking: takesFromPath) { earliest = min(earliest, due) }
        core.setDeadline(slot: slot, to: earliest < .distantFuture ? earliest : nil)
    }

    /// Watches the socket for exactly what can be used now.
    func updateWatch() {
        guard slot >= 0, socket >= 0 else { return }
        var wanted: Selector.Readiness = []
        if isSwallowed || (phase == .lingering && closesWithoutReading) {
            wanted.insert(.peerClosed)
        } else if let transit {
            if transit.isSendBlocked { wanted.insert(.writable) }
            if transit.takesInput, readHeldUntil == nil, !closesWithoutReading { wanted.insert(.readable) }
        } else {
            if phase == .connecting || output != nil { wanted.insert(.writable) }
            if phase != .connecting, !isInputOver, !isReadingPaused, readHeldUntil == nil { wanted.insert(.readable) }
        }
        guard wanted != watched else { return }
        watched = wanted
        core.rewatch(socket, slot: slot, for: wanted)
    }

    func noteActivity() {
        wasActive = true
        guard !isInSweep else { return }
        isInSweep = true
        core.noteActivity(of: self)
    }

    /// Gives the record buffers back when there was no activity since the last call; true when the sweep may forget us.
    func releaseBuffersIfIdle() -> Bool {
        if wasActive, phase == .open {
            wasActive = false
            return false
        }
        isInSweep = false
        if phase == .open { channel?.releaseBuffers() }
        return true
    }

    func pendingSocketError() -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
        return code
    }

    /// Gives everything back but what the handler may still ask for.
    func release() {
        phase = .ended
        if let session = channel?.takeSession() { savedSession = session }
        channel = nil
        if let kept = output {
            unsentAtEnd = kept.pendingCount
            output = nil
            core.scratch.takeBack(kept)
        }
        if let transit, socket >= 0, !core.hasEnded { leaveSocket(to: transit) }
        transit = nil
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
        if slot >= 0 { core.remove(slot: slot) }
        slot = -1
        tally?.linkWasReleased()
        tally = nil
    }
}
