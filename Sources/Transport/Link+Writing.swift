internal import CShims
internal import Glibc
internal import Primitives
internal import SecureChannel

extension Link {
    enum Flush {
        case done
        /// The kernel took a part; the rest waits for the socket to become writable.
        case blocked
        case failed
    }

    /// Where encrypted bytes go: behind those that wait, or into the loop's spare buffer, which must then be flushed at
    /// once, before any other link works.
    var currentOutput: CiphertextBuffer { output ?? core.scratch.spareOutput }

    /// Asks for one batch, encrypts it and writes it.
    func fillOnce() {
        guard let channel else { return }
        wantsFill = false
        isFilling = true
        let batch = core.scratch.batch
        let count = handler?.link(self, fill: batch, now: core.now) ?? 0
        isFilling = false
        precondition(count >= 0 && count <= batch.count, "a handler filled more than its buffer")
        guard phase == .open else { return }
        if count > 0 { send(UnsafeRawBufferPointer(rebasing: batch[..<count]), through: channel) }
        if let closing = pendingClosing {
            pendingClosing = nil
            close(closing)
        } else if isHalfClosePending {
            isHalfClosePending = false
            halfClose()
        } else if wantsFill, output == nil, isOpen {
            joinTurn()
        }
    }

    private func send(_ plaintext: UnsafeRawBufferPointer, through channel: TLSChannel) {
        noteActivity()
        counters.batchCount += 1
        wantsFill = true
        if let failure = channel.write(plaintext, output: currentOutput) { return tlsFailed(failure) }
        hasBatchOutstanding = true
        batchSentAt = core.refreshNow()
        if flushOutput() == .done { batchWasFlushed() }
    }

    /// The socket takes bytes again.
    func writeSome() {
        guard flushOutput() == .done else { return }
        if phase == .flushing { return endStream() }
        if isHalfClosed { return shutDownWriting() }
        if hasBatchOutstanding { batchWasFlushed() }
        if wantsFill, isOpen { joinTurn() }
    }

    private func batchWasFlushed() {
        hasBatchOutstanding = false
        handler?.link(self, flushedAt: core.refreshNow())
    }

    /// Writes what waits in the current output, and keeps the rest for later.
    @discardableResult
    func flushOutput() -> Flush {
        let buffer = currentOutput
        // Ends at success, at a full socket or at an error; only an interrupting signal repeats.
        while buffer.pendingCount > 0 {
            guard writeError == nil, socket >= 0 else {
                buffer.reset()
                return .failed
            }
            if let transit {
                if sendOnPath(buffer, transit) == .blocked { return keepOutput() }
                continue
            }
            let pending = buffer.pending
            let count = shim_send(socket, pending.baseAddress, UInt(pending.count))
            let code = errno
            core.traffic.noteWrite(count)
            if count > 0 {
                counters.writeCount += 1
                counters.wireBytesOut += count
                buffer.consume(count)
                if buffer.pendingCount > 0 { return keepOutput() }
            } else if code == EAGAIN {
                return keepOutput()
            } else if code != EINTR {
                let unsentCount = buffer.pendingCount
                buffer.reset()
                writeFailed(code, unsentCount: unsentCount)
                return .failed
            }
        }
        if let kept = output {
            output = nil
            core.scratch.takeBack(kept)
            updateWatch()
        }
        return .done
    }

    private func keepOutput() -> Flush {
        counters.blockedWriteCount += 1
        if output == nil {
            output = core.scratch.spareOutput
            core.scratch.giveSpareAway()
            updateWatch()
        }
        return .blocked
    }

    /// Gives up writing, but reads on for a while: an answer may have come before the connection broke (C03).
    func writeFailed(_ code: Int32, unsentCount: Int) {
        writeError = code
        unsentAtEnd = unsentCount
        if let kept = output {
            output = nil
            core.scratch.takeBack(kept)
        }
        wantsFill = false
        hasBatchOutstanding = false
        switch phase {
        case .handshaking, .open:
            if isInputOver { return finish(.writeFailed(code: code)) }
            isReadingPaused = false
            updateWatch()
            setOwnDeadline(core.now + Self.drainAfterWriteError)
        case .flushing, .lingering: finish(.closedLocally)
        case .connecting, .ended: break
        }
    }
}
