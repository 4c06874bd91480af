internal import Primitives

/// What is on its way on the simulated path of one link, in both directions, and how full its window is.
///
/// Bytes occupy the window from their arrival at our socket until half a round trip after the link took them: then their
/// acknowledgement would be back at the peer. Knows neither socket nor clock.
final class PathTransit {
    /// How the peer's stream ended at our socket.
    enum InputEnd: Equatable {
        case finished
        case failed(code: Int32)
    }

    /// The most bytes on their way out; a peer can make us write only little without reading it.
    static let outputLimit = 1 << 20
    /// What a piece costs beside its bytes, for the bound of all connections together.
    private static let pieceOverhead = 64
    /// When to look again for room that other connections hold.
    private static let retryPause = Interval.milliseconds(5)

    let path: NetworkPath
    /// Nothing arrives before, because the packets that open the connection take one round trip.
    private let opensAt: Instant
    private let tally: PathTally
    private var inbound = TransitQueue()
    private var acknowledgements: ContiguousArray<(due: Instant, count: Int)> = []
    private var acknowledgedHead = 0
    private var unacknowledged = 0
    private var inboundCost = 0
    private var inputEnd: (end: InputEnd, due: Instant)?
    private var fullSince: Instant?
    private var retryAt: Instant?
    /// Bytes on their way out.
    var outbound = TransitQueue()
    /// When the end of our stream arrives; nil when it is not on its way.
    var outputEndDue: Instant?
    /// Whether the socket does not take what has arrived.
    var isSendBlocked = false

    init(_ path: NetworkPath, tally: PathTally, now: Instant) {
        self.path = path
        self.tally = tally
        opensAt = now + path.roundTrip
    }

    deinit { tally.release(inboundCost) }

    // MARK: - In

    /// Whether the end of the peer's stream was met at the socket.
    private(set) var isSocketAtEnd = false

    /// Whether the window is full.
    var isFull: Bool { fullSince != nil && !isSocketAtEnd }

    /// Whether the window has room for more, so that the socket is to be read.
    var takesInput: Bool { fullSince == nil && !isSocketAtEnd }

    /// Whether bytes are on their way in that the link has not seen.
    var holdsInput: Bool { inbound.byteCount > 0 }

    /// How many bytes may be read now; 0 closes the window until room comes.
    func room(at now: Instant) -> Int {
        acknowledge(by: now)
        let free = path.window - inbound.byteCount - unacknowledged
        // Like a receiver that avoids silly windows (RFC 9293 section 3.8.6.2.2), not opened for a few bytes.
        let isFree = free >= min(16_384, path.window / 4) && !tally.isFull(limit: path.totalWindow)
        if isFree {
            if let since = fullSince { tally.windowWasFull(for: now - since) }
            fullSince = nil
            retryAt = nil
            return free
        }
        if fullSince == nil { fullSince = now }
        retryAt = inbound.nextDue == nil && unacknowledged == 0 ? now + Self.retryPause : nil
        return 0
    }

    /// Bytes came from the socket.
    func arrive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
        inbound.append(bytes, due: max(now, opensAt) + path.oneWay)
        let cost = bytes.count + Self.pieceOverhead
        inboundCost += cost
        tally.hold(cost)
    }

    /// The peer's stream ended at the socket.
    func arrive(_ end: InputEnd, at now: Instant) {
        isSocketAtEnd = true
        if inputEnd == nil { inputEnd = (end, max(now, opensAt) + path.oneWay) }
    }

    /// Takes the next bytes that have come all the way; the caller deallocates them.
    func takeInput(at now: Instant) -> UnsafeMutableRawBufferPointer? {
        guard let piece = inbound.take(arrivedBy: now) else { return nil }
        let cost = piece.count + Self.pieceOverhead
        inboundCost -= cost
        tally.release(cost)
        unacknowledged += piece.count
        acknowledgements.append((now + path.oneWay, piece.count))
        return piece
    }

    /// Takes the end of the peer's stream when it has come all the way, behind all bytes.
    func takeInputEnd(at now: Instant) -> InputEnd? {
        guard let last = inputEnd, last.due <= now, inbound.nextDue == nil else { return nil }
        inputEnd = nil
        return last.end
    }

    /// Whether the peer's end has come, although bytes before it are not taken: a failure overtakes a link that pauses.
    func hasFailed(at now: Instant) -> Bool {
        guard case (.failed, let due)? = inputEnd else { return false }
        return due <= now
    }

    private func acknowledge(by now: Instant) {
        while acknowledgedHead < acknowledgements.count, acknowledgements[acknowledgedHead].due <= now {
            unacknowledged -= acknowledgements[acknowledgedHead].count
            acknowledgedHead += 1
        }
        if acknowledgedHead == acknowledgements.count {
            acknowledgements.removeAll(keepingCapacity: true)
            acknowledgedHead = 0
        } else if acknowledgedHead >= 64, acknowledgedHead * 2 >= acknowledgements.count {
            acknowledgements.removeFirst(acknowledgedHead)
            acknowledgedHead = 0
        }
    }

    /// Nothing of what is on its way out can be sent any more.
    func loseOutput() {
        outbound = TransitQueue()
        outputEndDue = nil
        isSendBlocked = false
    }

    // MARK: - Time

    /// When something arrives, or the window may open; nil when nothing is on its way.
    ///
    /// `isTaking` tells whether the link takes input at present.
    func nextDeadline(isTaking: Bool) -> Instant? {
        var next = Instant.distantFuture
        if isTaking, let due = inbound.nextDue ?? inputEnd?.due { next = min(next, due) }
        if let inputEnd, case .failed = inputEnd.end { next = min(next, inputEnd.due) }
        if !isSendBlocked, let due = outbound.nextDue ?? outputEndDue { next = min(next, due) }
        if isFull {
            if acknowledgedHead < acknowledgements.count { next = min(next, acknowledgements[acknowledgedHead].due) }
            if let retryAt { next = min(next, retryAt) }
        }
        return next < .distantFuture ? next : nil
    }
}
