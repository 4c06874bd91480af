public import Primitives
import PushWire
import Workload

extension RequestSession {
    /// Encodes the next batch of requests into `buffer`, behind answers to the gateway, and returns its length in bytes; 0 when there is
    /// nothing to write now.
    ///
    /// The driver hands a batch over in one write, calls ``flushed(sentAt:now:)`` when the kernel has all of it, and asks
    /// for the next one only then.
    public func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        guard state.isConnected, batch == nil else { return 0 }
        noteFlight(now: now)
        var next = PendingBatch(filledAt: now)
        let control = outbox.drain(into: buffer)
        next.bytes = control
        if outbox.isEmpty && leaving != .violation {
            writeBodies(into: buffer, batch: &next)
            writeRequests(into: buffer, batch: &next, now: now)
        }
        guard next.bytes > 0 else {
            concludeIfIdle(now: now)
            return 0
        }
        batch = next
        batch?.bytes -= control
        return next.bytes
    }

    /// The kernel has all of the last batch, which it was first asked to take at `sentAt`.
    public func flushed(sentAt: Instant, now: Instant) {
        guard let written = batch else { return }
        batch = nil
        noteSent(at: sentAt, now: now)
        if written.notifications > 0 {
            common.writtenCount += written.notifications
            common.writtenBytes += UInt64(written.bytes)
            common.resentCount += written.resent
            events.append(
                .wrote(
                    notifications: written.notifications, resent: written.resent, bytes: UInt64(written.bytes),
                    residence: now - written.filledAt, at: now))
            if !isRetired, let reconnect = common.reconnectClock.written(at: now) {
                events.append(.reconnected(reconnect))
            }
        }
        concludeIfIdle(now: now)
    }

    /// Tells of what is written for the first time; also when the connection ends before the kernel has taken all of it.
    func noteSent(at: Instant, now: Instant) {
        for run in fresh.runs { events.append(.sent(run, at: at, takenAt: now)) }
        fresh.removeAll()
    }

    // MARK: - Requests

    private func writeRequests(into buffer: UnsafeMutableRawBufferPointer, batch: inout PendingBatch, now: Instant) {
        guard let base = buffer.baseAddress, leaving == nil else { return noteBlocked(by: nil, now: now) }
        resends.release(at: now)
        guard now >= pausedUntil else { return }
        pausedUntil = .zero
        let limit = streamLimit
        let capacity = buffer.count
        let planned = min(capacity, plan.batch.bytes)
        var cause: BlockCause?
        while batch.notifications < plan.batch.notifications {
            guard resends.isReady || claimed.count > 0 || claim(for: batch, now: now) else { break }
            guard ring.openCount < limit else {
                cause = isLimitedByPeer ? .streams : nil
                break
            }
            // A body that waits for its window goes before any new one.
            guard bodies.isEmpty, sendWindow.room > 0 else {
                cause = .window
                break
            }
            guard ring.peekStreamID() <= requests.lastStreamID else {
                leaving = .rollover
                common.reconnectClock.connectionEnded(.rollover, inFlight: 0, resent: 0, at: now)
                break
            }
            let room = batch.notifications == 0 ? capacity : planned
            guard batch.bytes + longestRequest <= room else { break }
            batch.bytes += writeRequest(at: base + batch.bytes, batch: &batch, now: now)
        }
        noteBlocked(by: cause, now: now)
    }

    /// The most bytes of the next request, with the header of one more frame if its body is divided.
    private var longestRequest: Int {
        template.payloadOffset(tokenBytes: source.maxTokenBytes) + source.maxPayloadBytes
            + HTTP2FrameHeader.byteCount * (source.maxPayloadBytes / HTTP2FrameHeader.defaultMaxFrameSize + 1)
    }

    private func claim(for batch: PendingBatch, now: Instant) -> Bool {
        let most = supply.plan == nil ? supply.claimLimit : plan.batch.notifications - batch.notifications
        guard let time = supply.batchTime(batch: plan.batch.notifications, linger: plan.batch.linger), time <= now,
            let run = supply.claim(most: max(1, min(most, UInt64(streamLimit))), now: now)
        else { return false }
        claimed = run
        return true
    }

    /// Writes the next request and opens its stream; returns its length in bytes.
    private func writeRequest(at start: UnsafeMutableRawPointer, batch: inout PendingBatch, now: Instant) -> Int {
        let request = takeNext(now: now, batch: &batch)
        let tokenBytes = writeToken(of: request.sequence)
        let token = UnsafeRawBufferPointer(start: scratch.baseAddress, count: tokenBytes)
        let streamID = ring.open(request)
        batch.notifications += 1
        let offset = template.payloadOffset(tokenBytes: tokenBytes)
        let payloadBytes = source.writePayload(
            sequence: request.sequence, into: start + offset, capacity: source.maxPayloadBytes)
        let room = min(Int(sendWindow.room), Int(peer.initialWindowSize), HTTP2FrameHeader.defaultMaxFrameSize)
        if payloadBytes <= room {
            sendWindow.consume(payloadBytes)
            return template.write(
                to: start, streamID: streamID, token: token, sequence: request.sequence, payloadBytes: payloadBytes)
        }
        let headerBytes = template.writeHeaders(
            to: start, streamID: streamID, token: token, sequence: request.sequence, endsStream: false)
        var body = PendingBody(
            streamID: streamID, sequence: request.sequence, written: 0, count: payloadBytes,
            window: HTTP2Window(Int64(peer.initialWindowSize)))
        let bodyBytes = write(&body, to: start + headerBytes, capacity: longestRequest - headerBytes)
        if body.written < body.count { bodies.append(body) }
        return headerBytes + bodyBytes
    }

    private func takeNext(now: Instant, batch: inout PendingBatch) -> OpenRequest {
        if let resend = resends.first {
            resends.removeFirst()
            batch.resent += 1
            return OpenRequest(
                streamID: 0, unprovenResends: resend.unprovenResends, retries: resend.retries,
                refusedStreams: resend.refusedStreams, sequence: resend.sequence, openedAt: now)
        }
        let sequence = claimed.start
        claimed.start += 1
        claimed.count -= 1
        fresh.append(SequenceRun(start: sequence, count: 1))
        return OpenRequest(streamID: 0, unprovenResends: 0, retries: 0, sequence: sequence, openedAt: now)
    }

    /// Writes a device token to the scratch memory and returns its length; those of consecutive notifications cost less.
    private func writeToken(of sequence: UInt64) -> Int {
        guard let destination = scratch.baseAddress else { return 0 }
        if sequence != cursorSequence { cursor = source.cursor(at: sequence) }
        cursorSequence = sequence + 1
        return source.writeToken(at: &cursor, into: destination)
    }

    // MARK: - Bodies

    /// Writes as much of the waiting bodies as the windows have room for, in the order of their streams.
    private func writeBodies(into buffer: UnsafeMutableRawBufferPointer, batch: inout PendingBatch) {
        guard !bodies.isEmpty, let base = buffer.baseAddress else { return }
        for index in bodies.indices {
            guard sendWindow.room > 0 else { break }
            batch.bytes += write(&bodies[index], to: base + batch.bytes, capacity: buffer.count - batch.bytes)
        }
        bodies.removeAll { $0.written == $0.count }
    }

    /// Writes DATA frames of a body until it, a window or the capacity ends; returns their length in bytes.
    private func write(_ body: inout PendingBody, to start: UnsafeMutableRawPointer, capacity: Int) -> Int {
        guard let memory = scratch.baseAddress else { return 0 }
        let payload = memory + RequestTemplate.maxTokenBytes
        _ = source.writePayload(sequence: body.sequence, into: payload, capacity: source.maxPayloadBytes)
        var end = 0
        while body.written < body.count {
            let window = Int(min(sendWindow.room, body.window.room))
            let room = capacity - end - HTTP2FrameHeader.byteCount
            let count = min(body.count - body.written, window, HTTP2FrameHeader.defaultMaxFrameSize, room)
            guard count > 0 else { break }
            (start + end + HTTP2FrameHeader.byteCount).copyMemory(from: payload + body.written, byteCount: count)
            body.written += count
            HTTP2FrameHeader(
                type: .data, flags: body.written == body.count ? .endStream : [], streamID: body.streamID, length: count
            ).write(to: start + end)
            body.window.consume(count)
            sendWindow.consume(count)
            dividedDataFrames += 1
            end += HTTP2FrameHeader.byteCount + count
        }
        return end
    }

    // MARK: - What holds requests back

    /// Whether it is the peer's limit of streams that holds, and neither ours nor the wait for the first answer.
    private var isLimitedByPeer: Bool {
        guard let limit = peer.maxConcurrentStreams.map({ Int($0) }) else { return false }
        return limit < requests.streams && limit == streamLimit
    }

    func noteBlocked(by cause: BlockCause?, now: Instant) {
        if let ended = blocked.note(cause, at: now) { events.append(.request(ended)) }
    }

    /// Tells when another number of requests may be open.
    func noteLimit(now: Instant) {
        let limit = streamLimit
        guard limit != announcedLimit, !isRetired else { return }
        announcedLimit = limit
        events.append(.request(.streamLimit(limit, at: now)))
    }
}
