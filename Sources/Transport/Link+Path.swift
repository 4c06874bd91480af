internal import CShims
internal import Glibc
internal import Primitives
internal import SecureChannel

/// Links at the end of a simulated long way (``NetworkPath``): the socket is one end of it, the link the other.
extension Link {
    /// Serves a readiness event of a socket at the far end of a path.
    func serve(_ readiness: Selector.Readiness, through transit: PathTransit) {
        let isBroken = !readiness.isDisjoint(with: .broken)
        if isBroken || (readiness.contains(.readable) && transit.takesInput) {
            if !transit.isSocketAtEnd { readIntoPath(transit, ignoresWindow: isBroken) }
            // A broken socket is reported again and again, and has nothing more to tell.
            if isBroken, transit.isSocketAtEnd, socket >= 0 { core.unwatch(socket) }
        }
        if phase != .ended, readiness.contains(.writable) {
            transit.isSendBlocked = false
            sendArrived(transit)
        }
        updateWatch()
        armDeadline()
    }

    /// Delivers what has come all the way, and sends what has gone all the way.
    func movePath(_ transit: PathTransit) {
        if isSwallowed {
            if transit.hasFailed(at: core.now) { finish(.reset) }
            return
        }
        deliverArrived(transit)
        if phase != .ended { sendArrived(transit) }
        guard phase != .ended else { return }
        if transit.isFull { _ = transit.room(at: core.now) }
        updateWatch()
    }

    /// Puts the bytes of `buffer` on their way out.
    func sendOnPath(_ buffer: CiphertextBuffer, _ transit: PathTransit) -> Flush {
        guard transit.outbound.byteCount + buffer.pendingCount <= PathTransit.outputLimit else { return .blocked }
        transit.outbound.append(buffer.pending, due: core.now + transit.path.oneWay)
        buffer.reset()
        armDeadline()
        return .done
    }

    /// Lets the socket outlive the link until everything on its way out has arrived; then it is closed.
    func leaveSocket(to transit: PathTransit) {
        core.unwatch(socket)
        if transit.holdsInput {
            // What the peer sent is never read: a close that leaves input unread is a reset.
            resetOnClose()
        }
        ClosingTail.begin(socket, transit: transit, core: core, tally: tally)
        socket = -1
        tally = nil
    }

    /// Sends the end of our stream now.
    func endSocketOutput() { shutdown(socket, Int32(SHUT_WR)) }

    /// Makes the socket's close a reset.
    func resetOnClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    private func readIntoPath(_ transit: PathTransit, ignoresWindow: Bool) {
        guard let allowance = readAllowance(ignoresPace: ignoresWindow) else { return }
        let room = ignoresWindow ? allowance : transit.room(at: core.now)
        guard room > 0 else { return }
        let buffer = core.scratch.ciphertext
        let count = recv(socket, buffer.baseAddress, min(buffer.count, min(room, allowance)), 0)
        let code = errno
        core.traffic.noteRead(count)
        core.refreshNow()
        if count > 0 {
            countRead(count)
            if hasDrainedEnough { return finish(.closedLocally) }
            transit.arrive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: core.now)
        } else if count == 0 {
            transit.arrive(.finished, at: core.now)
        } else if code != EAGAIN, code != EINTR {
            transit.arrive(.failed(code: code), at: core.now)
        }
    }

    private func deliverArrived(_ transit: PathTransit) {
        if transit.hasFailed(at: core.now) { isReadingPaused = false }
        var budget = LoopScratch.readCapacity
        while phase != .ended, takesFromPath, budget > 0, let piece = transit.takeInput(at: core.now) {
            budget -= piece.count
            core.refreshNow()
            consume(UnsafeRawBufferPointer(piece))
            piece.deallocate()
        }
        guard phase != .ended, takesFromPath, let end = transit.takeInputEnd(at: core.now) else { return }
        switch end {
        case .finished: inputEnded()
        case .failed(let code): inputFailed(code)
        }
    }

    /// Whether input that has come all the way is taken at present.
    var takesFromPath: Bool { !isReadingPaused && !isSwallowed && !isInputOver }

    /// Writes to the socket what has gone all the way.
    private func sendArrived(_ transit: PathTransit) {
        // Each round sends some, or leaves; only an interrupting signal repeats.
        while let bytes = transit.outbound.arrived(by: core.now) {
            let count = shim_send(socket, bytes.baseAddress, UInt(bytes.count))
            let code = errno
            core.traffic.noteWrite(count)
            if count > 0 {
                counters.writeCount += 1
                counters.wireBytesOut += count
                transit.outbound.consume(count)
            } else if code == EAGAIN {
                counters.blockedWriteCount += 1
                transit.isSendBlocked = true
                return updateWatch()
            } else if code != EINTR {
                let unsentCount = transit.outbound.byteCount
                transit.loseOutput()
                return writeFailed(code, unsentCount: unsentCount)
            }
        }
        if transit.outbound.nextDue == nil, let due = transit.outputEndDue, due <= core.now {
            transit.outputEndDue = nil
            endSocketOutput()
        }
        if output != nil { writeSome() }
    }
}
