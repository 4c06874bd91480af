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
        if isServing, let strike = faults.strike(subject, now: now) { suffer(strike, now: now) }
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
        let initial = Int64(wire.pointee.peer.initialWindowSize)
        let needsAnnouncement = wire.pointee.announcesTableSize
        var room: Int64?
        var isDiscarding = false
        let target = wire
        let isOpen: Void? = target.pointee.streams.with(id) { stream in
            room = initial + stream.responseRoom
            isDiscarding = stream.phase == .discarding
            let head = stream.head
            target.pointee.responses.append(ResponseWriter.maxHeadBytes) { place in
                target.pointee.writer.writeHead(
                    of: answer, to: head, streamID: id, announcesTableSize: needsAnnouncement, into: place)
            }
        }
        guard isOpen != nil, let room else { return }
        wire.pointee.announcesTableSize = false
        raiseLimit()
        if body.isEmpty {
            if !isDiscarding { close(id) }
        } else if blocked.isEmpty && room >= Int64(body.count) && wire.pointee.sendRoom.room >= Int64(body.count) {
            write(body, on: id)
            if !isDiscarding { close(id) }
        } else {
            if !isDiscarding { _ = wire.pointee.streams.with(id) { $0.phase = .blocked } }
            blocked.append((id, body))
        }
    }

    /// Writes bodies that have waited for room, in order; one whose own window has none lets the others pass.
    func sendBlocked() {
        guard !blocked.isEmpty else { return }
        var rest: [(streamID: UInt32, body: [UInt8])] = []
        for waiting in blocked {
            let room = wire.pointee.streams.with(waiting.streamID) { $0.responseRoom }
            guard let room else { continue }
            let own = room + Int64(wire.pointee.peer.initialWindowSize)
            if own >= Int64(waiting.body.count) && wire.pointee.sendRoom.room >= Int64(waiting.body.count) {
                write(waiting.body, on: waiting.streamID)
                let isDiscarding = wire.pointee.streams.with(waiting.streamID) { $0.phase == .discarding }
                if isDiscarding == false { close(waiting.streamID) }
            } else {
                rest.append(waiting)
            }
        }
        blocked = rest
    }

    private func write(_ body: [UInt8], on id: UInt32) {
        wire.pointee.sendRoom.consume(body.count)
        var offset = 0
        repeat {
            let count = min(body.count - offset, HTTP2FrameHeader.defaultMaxFrameSize)
            let isLast = offset + count == body.count
            wire.pointee.responses.append(HTTP2FrameHeader.byteCount + count) { place in
                HTTP2FrameHeader(type: .data, flags: isLast ? .endStream : [], streamID: id, length: count)
                    .write(to: place)
                body[offset..<offset + count].withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress {
                        (place + HTTP2FrameHeader.byteCount).copyMemory(from: base, byteCount: count)
                    }
                }
                return HTTP2FrameHeader.byteCount + count
            }
            offset += count
        } while offset < body.count
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
        if limit != before.maxConcurrentStreams {
            wire.pointee.outbox.settings(wire.pointee.own, since: before)
        }
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
            if bytes != before.initialWindowSize {
                wire.pointee.outbox.settings(wire.pointee.own, since: before)
            }
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
