internal import Glibc
internal import Primitives
internal import SecureChannel

extension Link {
    /// How long a connection that failed in TLS is kept, so that our alert reaches the peer.
    static let drainAfterFailure = Interval.seconds(1)
    /// The most bytes that a closing link discards, beside what a path may hold: more than buffers have, and than a peer writes that
    /// looks for our last bytes at all.
    static let drainByteLimit = 64 << 20
    /// How long a socket whose input is left unread is kept after our end of the stream.
    private static let finPatience = Interval.seconds(1)

    /// Closes the link; the handler gets nothing more but the end. The first graceful closing counts; abrupt ones
    /// overtake it.
    ///
    /// From inside a call to fill, a graceful closing happens after that batch.
    public func close(_ closing: LinkClosing) {
        guard phase != .ended else { return }
        switch closing {
        case .abrupt: finish(.closedLocally)
        case .reset:
            resetOnClose()
            finish(.closedLocally)
        case .graceful, .fin:
            if isFilling {
                pendingClosing = closing
            } else if phase == .open, writeError == nil, !isSwallowed {
                closesWithoutReading = closing == .fin
                if case .graceful(let drain) = closing {
                    beginFlushing(drain: drain)
                } else {
                    beginFlushing(drain: Self.finPatience)
                }
            } else if phase != .flushing, phase != .lingering {
                finish(.closedLocally)
            }
        }
    }

    /// Ends the link at once and reports `end`, unless another end is already on its way.
    func finish(_ end: LinkEnd) {
        guard phase != .ended else { return }
        report(end)
        release()
    }

    /// Reports `end` now, but keeps the socket for a moment so that our alert is not lost in a reset.
    func finishLingering(_ end: LinkEnd) {
        report(end)
        if writeError != nil || isInputOver { return release() }
        beginFlushing(drain: Self.drainAfterFailure)
    }

    func tlsFailed(_ failure: TLSFailure) {
        if case .alertReceived = failure { return finish(.tlsFailed(failure)) }
        finishLingering(.tlsFailed(failure))
    }

    func report(_ end: LinkEnd) {
        guard handler != nil, pendingEnd == nil else { return }
        pendingEnd = end
        joinTurn()
    }

    /// Ends our direction with close_notify and the end of the stream, behind what is pending, and reads on.
    ///
    /// From inside a call to fill it happens after that batch. The handler is asked for no more batches, hears of what the
    /// peer sends, and closes the link when it has heard enough.
    public func halfClose() {
        guard isOpen else { return }
        if isFilling {
            isHalfClosePending = true
            return
        }
        isHalfClosed = true
        wantsFill = false
        channel?.close(output: currentOutput)
        if output == nil, flushOutput() == .done { shutDownWriting() }
    }

    /// Ends our direction of the stream, now or when the end has gone all the way.
    func shutDownWriting() {
        if let transit {
            transit.outputEndDue = core.now + transit.path.oneWay
            armDeadline()
        } else {
            endSocketOutput()
        }
    }

    // MARK: - Graceful

    func beginFlushing(drain: Interval) {
        let wasOpen = phase == .open
        phase = .flushing
        isReadingPaused = closesWithoutReading
        readHeldUntil = nil
        handlerDeadline = nil
        drainTime = drain
        setOwnDeadline(core.now + drain)
        if wasOpen, pendingEnd == nil { channel?.close(output: currentOutput) }
        if output == nil {
            // Also when there was nothing to write.
            if flushOutput() == .done, phase == .flushing { endStream() }
        } else {
            updateWatch()
        }
    }

    /// Everything is written: ends our direction, and waits for the peer to end its.
    func endStream() {
        shutDownWriting()
        phase = .lingering
        if isInputOver || drainTime <= .zero { return finish(.closedLocally) }
        updateWatch()
        // Our end takes as long to arrive as the peer's answer to it.
        setOwnDeadline(core.now + drainTime + (transit?.path.roundTrip ?? .zero))
    }

    // MARK: - Deadlines

    func setOwnDeadline(_ deadline: Instant?) {
        ownDeadline = deadline
        armDeadline()
    }

    /// The earliest deadline of the link came.
    func deadlineCame() {
        if let own = ownDeadline, own <= core.now {
            ownDeadline = nil
            ownDeadlineCame()
        }
        if phase != .ended, let until = readHeldUntil, until <= core.now {
            readHeldUntil = nil
            updateWatch()
        }
        if phase != .ended, let transit { movePath(transit) }
        if phase != .ended, let deadline = handlerDeadline, deadline <= core.now {
            handlerDeadline = nil
            handler?.link(self, timerFiredAt: core.now)
        }
        armDeadline()
    }

    private func ownDeadlineCame() {
        switch phase {
        case .connecting: finish(.connectFailed(.timedOut))
        case .handshaking: finish(.handshakeTimedOut)
        case .open where isSwallowed: finish(.truncated)
        case .open: if let code = writeError { finish(.writeFailed(code: code)) }
        case .flushing, .lingering: finish(.closedLocally)
        case .ended: break
        }
    }
}
