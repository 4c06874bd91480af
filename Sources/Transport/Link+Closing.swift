internal import Glibc
internal import Primitives
internal import SecureChannel

extension Link {
    /// How long a connection that failed in TLS is kept, so that our alert reaches the peer.
    private static let drainAfterFailure = Interval.seconds(1)

    /// Closes the link; the handler gets nothing more but the end. The first graceful closing counts; abrupt ones
    /// overtake it.
    ///
    /// From inside a call to fill, a graceful closing happens after that batch.
    public func close(_ closing: LinkClosing) {
        guard phase != .ended else { return }
        switch closing {
        case .abrupt: finish(.closedLocally)
        case .reset:
            var value = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
            finish(.closedLocally)
        case .graceful(let drain):
            if isFilling {
                pendingClosing = closing
            } else if phase == .open, writeError == nil {
                beginFlushing(drain: drain)
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

    private func report(_ end: LinkEnd) {
        guard handler != nil, pendingEnd == nil else { return }
        pendingEnd = end
        joinTurn()
    }

    // MARK: - Graceful

    private func beginFlushing(drain: Interval) {
        let wasOpen = phase == .open
        phase = .flushing
        isReadingPaused = false
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
        shutdown(socket, Int32(SHUT_WR))
        phase = .lingering
        if isInputOver || drainTime <= .zero { return finish(.closedLocally) }
        updateWatch()
        setOwnDeadline(core.now + drainTime)
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
        case .open: if let code = writeError { finish(.writeFailed(code: code)) }
        case .flushing, .lingering: finish(.closedLocally)
        case .ended: break
        }
    }
}
