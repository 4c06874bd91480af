internal import Glibc
internal import Primitives
internal import SecureChannel

extension Link {
    /// Reads once, at most 256 KiB, and delivers what it decrypts to.
    func readSome() {
        let buffer = core.scratch.ciphertext
        let count = recv(socket, buffer.baseAddress, buffer.count, 0)
        let code = errno
        core.refreshNow()
        if count > 0 {
            counters.wireBytesIn += count
            counters.readCount += 1
            consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 {
            inputEnded()
        } else if code != EAGAIN, code != EINTR {
            inputFailed(code)
        }
    }

    private func consume(_ input: UnsafeRawBufferPointer) {
        // The local reference keeps the channel alive when a handler ends the link meanwhile.
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

    private func inputEnded() {
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
