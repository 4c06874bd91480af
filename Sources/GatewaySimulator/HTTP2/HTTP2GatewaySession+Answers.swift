import Primitives
import PushWire

/// How requests are answered, and what goes wrong with that.
extension HTTP2GatewaySession {
    /// A request is whole.
    func complete(_ id: UInt32, body: UnsafeRawBufferPointer, now: Instant) {
        guard let head = wire.pointee.streams.with(id, { $0.head }) else { return }
        ledger.counts.api.requests += 1
        requestCount += 1
        guard let faults else {
            let answer = decide(head, id, body: body, now: now)
            return deliver(answer, on: id)
        }
        head.withToken { token in
            let subject = FaultSubject(
                identifier: head.identifier, token: token, payload: body, position: requestCount)
            complete(id, head, subject, under: faults, now: now)
        }
    }

    private func complete(
        _ id: UInt32, _ head: RequestHead, _ subject: FaultSubject, under faults: RequestFaults, now: Instant
    ) {
        let delivery = faults.delivery(of: subject, now: now)
        if delivery.isWithheld {
            ledger.counts.api.unanswered += 1
            _ = wire.pointee.streams.with(id) { $0.phase = .waiting }
        } else if let code = delivery.resetCode {
            ledger.counts.api.resetStreams += 1
            close(id)
            wire.pointee.outbox.reset(streamID: id, code: HTTP2ErrorCode(rawValue: code))
        } else {
            let answer: RequestAnswer
            if let reason = faults.refusal(of: subject, now: now) {
                enterRefusal(reason, head, payloadByteCount: subject.payload.count, now: now)
                answer = .refused(reason, timestamp: reason.status == 410 ? judge.timeOfLoss(subject.token) : nil)
            } else {
                answer = decide(head, id, body: subject.payload, now: now)
            }
            if delivery.delay > .zero {
                _ = wire.pointee.streams.with(id) { $0.phase = .waiting }
                wire.pointee.delayed.add((streamID: id, answer: answer), at: now + delivery.delay)
            } else {
                deliver(answer, on: id)
            }
        }
        guard isServing else { return }
        if let strike = faults.strike(subject, isLeaving: isLeaving, now: now) { suffer(strike, now: now) }
    }

    /// Judges a request and enters what became of it.
    private func decide(
        _ head: RequestHead, _ id: UInt32, body: UnsafeRawBufferPointer, now: Instant
    ) -> RequestAnswer {
        if head.kind != .device, let request = channelRequests.removeValue(forKey: id) {
            let answer = judge.answer(request, head: head, body: body, now: now)
            switch answer {
            case .accepted: ledger.counts.api.broadcasts += 1
            case .channels: ledger.counts.api.channelRequests += 1
            case .refused(let reason, _): ledger.counts.api.refusals[Int(reason.rawValue)] += 1
            }
            return answer
        }
        let answer = api.acceptsAll ? .accepted : judge.answer(head, body: body, now: now)
        switch answer {
        case .refused(let reason, _): enterRefusal(reason, head, payloadByteCount: body.count, now: now)
        case .accepted, .channels:
            head.withToken {
                ledger.accept(request: head.identifier, token: $0, payloadByteCount: body.count)
            }
            if let store = ledger.store, !api.acceptsAll {
                // Without a time it is kept as long as Apple keeps anything. Which one is kept is not decided by `apns-collapse-id`,
                // which merges on the device's screen (`protocol.md` section 5).
                head.withToken {
                    store.take($0, storedUntil: head.expiration ?? .max, unixTime: unixTime(at: now))
                }
            }
            if head.isForeign { ledger.counts.foreign += 1 }
            if head.priority == 5 { ledger.counts.powerSaving += 1 }
        }
        return answer
    }

    func enterRefusal(_ reason: RefusalReason, _ head: RequestHead, payloadByteCount: Int, now: Instant) {
        guard head.kind == .device else {
            ledger.counts.api.refusals[Int(reason.rawValue)] += 1
            return
        }
        head.withToken { token in
            ledger.refuse(request: head.identifier, token: token, payloadByteCount: payloadByteCount, for: reason)
            guard reason == .unregistered, !token.isEmpty else { return }
            // The gateway behind both interfaces is one, so the feedback service tells of these devices, too.
            ledger.counts.unregistered += 1
            ledger.feedback.note(
                FeedbackTuple(timestamp: UInt32(clamping: unixTime(at: now)), token: token), scope: scope)
        }
    }

    /// Seconds since 1970.
    private func unixTime(at now: Instant) -> Int64 { (now + settings.unixOffset).nanoseconds / 1_000_000_000 }

    /// Writes an answer, its body as far as the windows have room; does nothing for a stream that is gone.
    func deliver(_ answer: RequestAnswer, on id: UInt32) {
        let body = ResponseWriter.body(of: answer)
        let needsAnnouncement = wire.pointee.announcesTableSize
        let target = wire
        let isDiscarding = target.pointee.streams.with(id) { stream in
            let head = stream.head
            target.pointee.responses.append(ResponseWriter.maxHeadBytes) { place in
                target.pointee.writer.writeHead(
                    of: answer, to: head, streamID: id, announcesTableSize: needsAnnouncement, into: place)
            }
            return stream.phase == .discarding
        }
        guard let isDiscarding else { return }
        wire.pointee.announcesTableSize = false
        raiseLimit()
        let rest = body.isEmpty ? [] : write(body[...], on: id)
        if rest.isEmpty {
            if !isDiscarding { close(id) }
        } else {
            if !isDiscarding { _ = wire.pointee.streams.with(id) { $0.phase = .blocked } }
            blocked.append((id, rest))
        }
    }

    /// Writes what has waited for the connection's window, in order; a body whose own window has no room lets the others pass.
    func sendBlocked() {
        guard !blocked.isEmpty, wire.pointee.sendRoom.room > 0 else { return }
        for index in blocked.indices { sendBlocked(at: index) }
        blocked.removeAll { $0.body.isEmpty }
    }

    /// Writes what has waited for the window of a stream.
    func sendBlocked(on id: UInt32) {
        guard let index = blocked.firstIndex(where: { $0.streamID == id }) else { return }
        sendBlocked(at: index)
        if blocked[index].body.isEmpty { blocked.remove(at: index) }
    }

    private func sendBlocked(at index: Int) {
        let (id, body) = blocked[index]
        guard let phase = wire.pointee.streams.with(id, { $0.phase }) else {
            blocked[index].body = []
            return
        }
        blocked[index].body = write(body, on: id)
        if blocked[index].body.isEmpty && phase != .discarding { close(id) }
    }

    /// Writes as much of a body as the windows have room for (RFC 9113 section 6.9), and returns the rest.
    private func write(_ body: ArraySlice<UInt8>, on id: UInt32) -> ArraySlice<UInt8> {
        let initial = Int64(wire.pointee.peer.initialWindowSize)
        let own = wire.pointee.streams.with(id) { initial + $0.responseRoom } ?? 0
        let room = Int(max(0, min(own, wire.pointee.sendRoom.room)))
        let end = body.startIndex + min(body.count, room)
        var rest = body
        while rest.startIndex < end {  // bounded: each turn writes a frame
            let piece = rest.prefix(min(end - rest.startIndex, HTTP2FrameHeader.defaultMaxFrameSize))
            rest = rest.dropFirst(piece.count)
            append(piece, isLast: rest.isEmpty, on: id)
        }
        let count = end - body.startIndex
        wire.pointee.sendRoom.consume(count)
        _ = wire.pointee.streams.with(id) { $0.responseRoom -= Int64(count) }
        return rest
    }

    private func append(_ piece: ArraySlice<UInt8>, isLast: Bool, on id: UInt32) {
        if !isLast { wire.pointee.dividedDataFrames += 1 }
        wire.pointee.responses.append(HTTP2FrameHeader.byteCount + piece.count) { place in
            HTTP2FrameHeader(type: .data, flags: isLast ? .endStream : [], streamID: id, length: piece.count)
                .write(to: place)
            piece.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                (place + HTTP2FrameHeader.byteCount).copyMemory(from: base, byteCount: piece.count)
            }
            return HTTP2FrameHeader.byteCount + piece.count
        }
    }

    /// Lets a provider open all streams once it has shown a good token.
    private func raiseLimit() {
        guard !isLimitRaised, connection.token != nil else { return }
        isLimitRaised = true
        guard wire.pointee.own.maxConcurrentStreams == min(api.streamsBeforeAuthentication, api.maxStreams) else {
            return
        }
        setStreamLimit(api.maxStreams)
    }

    func setStreamLimit(_ limit: UInt32) {
        let before = wire.pointee.own
        wire.pointee.own.maxConcurrentStreams = limit
        if limit != before.maxConcurrentStreams { announce(since: before) }
    }

    private func announce(since before: HTTP2Settings) {
        wire.pointee.outbox.settings(wire.pointee.own, since: before)
        wire.pointee.announced.add(streamLimit: wire.pointee.own.maxConcurrentStreams ?? .max)
    }

    // MARK: - Faults

    func suffer(_ strike: RequestFaults.Strike, now: Instant) {
        switch strike {
        case .goAway(let order): giveUp(order, now: now)
        case .close(let mode): end(mode)
        case .stall(let until): want(.pause(until: until))
        case .blackHole:
            life = .closed
            want(.swallow)
        case .streamLimit(let limit):
            isLimitRaised = true
            setStreamLimit(limit)
        case .streamWindow(let bytes):
            let before = wire.pointee.own
            wire.pointee.own.initialWindowSize = bytes
            wire.pointee.widestStreamWindow = max(wire.pointee.widestStreamWindow, bytes)
            if bytes != before.initialWindowSize { announce(since: before) }
        case .windowHeld(let until): windowHeldUntil = max(until, windowHeldUntil ?? until)
        }
    }

    private func giveUp(_ order: GoAwayOrder, now: Instant) {
        guard let announcement = order.announcement else { return sendGoAway(order) }
        guard announcedGoAway == nil else { return }
        sayGoodbye(last: HTTP2FrameHeader.lastStreamID, code: .noError, debugData: debugData(of: order))
        announcedGoAway = (order, now + announcement)
    }

    /// Sends GOAWAY; streams that it disclaims are forgotten.
    func sendGoAway(_ order: GoAwayOrder) {
        announcedGoAway = nil
        let latest = wire.pointee.lastStreamID
        let last: UInt32 =
            switch order.lastStream {
            case .latest: latest
            case .behind(let count): UInt32(max(0, Int64(latest) - 2 * Int64(count)))
            case .none: 0
            case .highest: HTTP2FrameHeader.lastStreamID
            }
        sayGoodbye(last: last, code: HTTP2ErrorCode(rawValue: order.code), debugData: debugData(of: order))
        ledger.counts.api.ignoredStreams += UInt64(wire.pointee.streams.closeAll(above: last))
        life = .leaving(last: last, closes: order.closes && order.lastStream != .highest)
    }

    private func debugData(of order: GoAwayOrder) -> [UInt8] { order.reason.map { ResponseWriter.json($0) } ?? [] }
}
