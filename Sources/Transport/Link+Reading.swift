internal import Glibc
internal import Primitives
internal import SecureChannel

extension Link {
    /// The most that one read takes from a client that shakes hands, in bytes; its flights are shorter.
    private static let handshakeReadLimit = 4_096

    /// Reads once, at most 256 KiB, and delivers what it decrypts to.
    func readSome(ignoresPace: Bool) {
        guard let allowance = readAllowance(ignoresPace: ignoresPace) else { return }
        let buffer = core.scratch.ciphertext
        let count = recv(socket, buffer.baseAddress, min(buffer.count, allowance), 0)
        let code = errno
        core.traffic.noteRead(count)
        core.refreshNow()
        if count > 0 {
            countRead(count)
            if hasDrainedEnough { return finish(.closedLocally) }
            consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 {
            inputEnded()
        } else if code != EAGAIN, code != EINTR {
            inputFailed(code)
        }
    }

    /// How much may be read now; nil, with the reading held for a while, when the pace allows nothing.
    func readAllowance(ignoresPace: Bool) -> Int? {
        // A handler can bound the reading only from the opening on, so not much may come before it.
        if phase == .handshaking, role == .server { return Self.handshakeReadLimit }
        guard let readPace, !ignoresPace else { return LoopScratch.readCapacity }
        guard let until = readPace.hold(at: core.now) else { return readPace.readBytes }
        readHeldUntil = until
        updateWatch()
        armDeadline()
        return nil
    }

    /// Whether a closing link has discarded so much that its peer will not stop.
    var hasDrainedEnough: Bool { drainedByteCount > Self.drainByteLimit + (transit?.path.window ?? 0) }

    func countRead(_ count: Int) {
        if phase == .flushing || phase == .lingering { drainedByteCount += count }
        counters.wireBytesIn += count
        counters.readCount += 1
        readPace?.take(count, at: core.now)
    }

    func consume(_ input: UnsafeRawBufferPointer) {
        // The local reference keeps the channel alive when a handler ends the link meanwhile.
        if phase == .handshaking, let fault = handshakeFault { return carryOut(fault) }
        guard let channel, phase == .handshaking || (phase == .open && !isPeerFinished) else { return }
        channel.lend(input: input)
        defer { channel.takeBackInput() }
        if phase == .handshaking { advanceHandshake() }
        // The last flight of a handshake often brings the first data with it.
        if phase == .open { decrypt(channel) }
    }

    /// Delivers all that the lent input decrypts to; at most two rounds, because a read is as large as the buffer.
    private func decrypt(_ channel: TLSChannel) {
        noteActivity()
        while phase == .open {
            let plaintext = core.scratch.plaintext
            let step = channel.read(into: plaintext, output: currentOutput)
            if output == nil, core.scratch.spareOutput.pendingCount > 0 { flushOutput() }
            if step.byteCount > 0, phase == .open {
                let bytes = UnsafeRawBufferPointer(rebasing: plaintext[..<step.byteCount])
                handler?.link(self, received: bytes, now: core.now)
            }
            guard phase == .open else { return }
            switch step.reason {
            case .plaintextFull: continue
            case .wantsInput: return
            case .closed: return peerFinished(cleanly: true)
            case .failed(let failure): return tlsFailed(failure)
            }
        }
    }

    private func peerFinished(cleanly: Bool) {
        isPeerFinished = true
        if let code = writeError { return finish(.writeFailed(code: code)) }
        let answer = handler?.linkPeerFinished(self, cleanly: cleanly, now: core.now) ?? .end
        guard phase == .open else { return }
        switch answer {
        case .keepSending: updateWatch()
        case .end:
            if cleanly, output == nil {
                channel?.close(output: currentOutput)
                flushOutput()
            }
            finish(cleanly ? .closedByPeer : .truncated)
        }
    }

    func inputEnded() {
        isInputOver = true
        switch phase {
        case .handshaking: finish(.handshakeInterrupted)
        case .open where isPeerFinished: updateWatch()
        case .open: peerFinished(cleanly: false)
        case .flushing: updateWatch()
        case .lingering: finish(.closedLocally)
        case .connecting, .ended: break
        }
        if phase != .ended { updateWatch() }
    }

    /// The connection is broken: nothing more can be read or written.
    func inputFailed(_ code: Int32) {
        isInputOver = true
        switch phase {
        case .handshaking: finish(.handshakeInterrupted)
        case .open:
            if let writeError { return finish(.writeFailed(code: writeError)) }
            finish(code == ECONNRESET || code == 0 ? .reset : .readFailed(code: code))
        case .flushing, .lingering: finish(.closedLocally)
        case .connecting, .ended: break
        }
    }
}
