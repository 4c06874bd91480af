public import Primitives
import PushWire

extension RequestSession {
    /// Bytes came from the gateway.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        guard state.isConnected, leaving != .violation else { return }
        noteFlight(now: now)
        heardAt = now
        pingedAt = nil
        var rest = bytes
        var isReading = true
        while isReading && leaving != .violation {
            do throws(HTTP2Violation) {
                isReading = try readFrame(in: &rest, now: now)
            } catch {
                handle(error, now: now)
            }
        }
        settleAnswered(now: now)
        concludeIfIdle(now: now)
        if action == nil && batch == nil && state.isOpen && mayWrite(now: now) { action = .fill }
    }

    private func mayWrite(now: Instant) -> Bool {
        if !outbox.isEmpty { return true }
        guard leaving == nil, now >= pausedUntil else { return false }
        if !bodies.isEmpty { return sendWindow.room > 0 }
        return hasWork && ring.openCount < streamLimit && sendWindow.room > 0
    }

    private func readFrame(in bytes: inout UnsafeRawBufferPointer, now: Instant) throws(HTTP2Violation) -> Bool {
        guard let frame = try reader.next(in: &bytes) else { return false }
        if let block = try assembler.take(frame) {
            try handle(block, now: now)
            return true
        }
        switch frame.type {
        case .data: try handleData(frame, now: now)
        case .settings: try handleSettings(frame, now: now)
        case .windowUpdate: try handleWindowUpdate(frame, now: now)
        case .resetStream: try handleReset(frame, now: now)
        case .goAway:
            try note(.idleFrame, now: now)
            handleGoAway(frame, now: now)
        case .ping:
            guard !frame.isAcknowledgement else {
                try notePong(now: now)
                return true
            }
            try note(.ping, now: now)
            outbox.ping(frame.pingData, isAnswer: true)
            try outbox.check()
        case .priority, .unknown: try note(.idleFrame, now: now)
        case .headers, .continuation, .pushPromise: break
        }
        return true
    }

    /// Tells the gateway what it did wrong, and gives up a stream or the connection.
    private func handle(_ violation: HTTP2Violation, now: Instant) {
        events.append(.request(.violation(violation, at: now)))
        switch violation.scope {
        case .stream(let streamID):
            if let place = ring.find(streamID) {
                outbox.reset(streamID: streamID, code: violation.code)
                let request = place.pointee
                close(place)
                settleUnproven(request, now: now)
            }
            do throws(HTTP2Violation) {
                try note(.reset, now: now)
            } catch {
                handle(error, now: now)
            }
        case .connection:
            settleOpen(now: now) { settleUnproven($0, now: now) }
            outbox.removeAll()
            outbox.goAway(lastStreamID: 0, code: violation.code)
            leaving = .violation
            action = .fill
        }
    }

    // MARK: - Answers

    private func handle(_ block: HTTP2HeaderBlock, now: Instant) throws(HTTP2Violation) {
        guard let place = ring.find(block.streamID) else { return try noteClosed(block.streamID, now: now) }
        guard place.pointee.phase == .awaiting else {
            try responses.decodeTrailers(block)
            return end(place, now: now)
        }
        if ResponseDecoder.isSuccess(block.fields) {
            if block.endsStream { accept(place, now: now) } else { place.pointee.phase = .succeeding }
            return
        }
        let head = try responses.decode(block)
        guard !head.isInterim else {
            try note(.idleFrame, now: now)
            if block.endsStream { throw HTTP2Violation(.malformedMessage, scope: .stream(block.streamID)) }
            return
        }
        if head.status == 200 {
            place.pointee.phase = .succeeding
        } else {
            place.pointee.phase = .failing
            place.pointee.status = UInt16(head.status)
        }
        if block.endsStream { end(place, now: now) }
    }

    private func handleData(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        receiveWindow.consume(frame.header.length)
        guard receiveWindow.room >= 0 else { throw HTTP2Violation(.windowExceeded) }
        if receiveWindow.room < HTTP2Window.initial / 2 {
            let increment = HTTP2Window.initial - receiveWindow.room
            outbox.windowUpdate(streamID: 0, increment: UInt32(increment))
            try receiveWindow.widen(by: increment)
        }
        guard let place = ring.find(frame.streamID) else { return try noteClosed(frame.streamID, now: now) }
        let content = try frame.content()
        if content.isEmpty && !frame.endsStream { try note(.idleFrame, now: now) }
        switch place.pointee.phase {
        case .awaiting: throw HTTP2Violation(.malformedMessage, scope: .stream(frame.streamID))
        case .succeeding: break
        case .failing:
            // A body in one frame, which is the rule, is read where it is.
            if frame.endsStream && (refusalBodies.isEmpty || refusalBodies[frame.streamID] == nil) {
                let known = UnsafeRawBufferPointer(rebasing: content.prefix(Self.refusalBodyLimit))
                return refuse(place, body: RefusalBody(known), now: now)
            }
            let room = Self.refusalBodyLimit - (refusalBodies[frame.streamID]?.count ?? 0)
            refusalBodies[frame.streamID, default: []] += content.prefix(max(0, room))
        }
        place.pointee.bodyBytes += UInt32(frame.header.length)
        if frame.endsStream { return end(place, now: now) }
        // Status and reason are known by then, and what follows would only fill the stream's window.
        guard place.pointee.bodyBytes > UInt32(Self.responseBodyLimit) else { return }
        outbox.reset(streamID: frame.streamID, code: .cancel)
        lateFrameCredit += Self.lateBodyFrames
        end(place, now: now)
    }

    /// The answer is complete.
    private func end(_ place: UnsafeMutablePointer<OpenRequest>, now: Instant) {
        guard place.pointee.phase == .failing else { return accept(place, now: now) }
        let bytes = refusalBodies.isEmpty ? nil : refusalBodies[place.pointee.streamID]
        refuse(place, body: (bytes ?? []).withUnsafeBytes { RefusalBody($0) }, now: now)
    }

    private func accept(_ place: UnsafeMutablePointer<OpenRequest>, now: Instant) {
        let request = place.pointee
        closeAnswered(place)
        accepted.append(request.sequence)
        samples.append(RequestSample(sequence: request.sequence, writtenAt: request.openedAt))
        refusedPause = .zero
        (hasAnswered, isFruitless) = (true, false)
        if !isProven {
            isProven = true
            noteLimit(now: now)
        }
    }

    /// Closes a stream whose answer is complete. One that came before the end of the body leaves the stream half open, which the gateway
    /// may end by a reset of its own (RFC 9113 section 8.1).
    private func closeAnswered(_ place: UnsafeMutablePointer<OpenRequest>) {
        let streamID = place.pointee.streamID
        if !bodies.isEmpty, bodies.contains(where: { $0.streamID == streamID }) {
            outbox.reset(streamID: streamID, code: .noError)
            lateFrameCredit += 1
        }
        close(place)
    }

    private func refuse(_ place: UnsafeMutablePointer<OpenRequest>, body: RefusalBody, now: Instant) {
        var request = place.pointee
        let status = Int(request.status)
        closeAnswered(place)
        common.errorReplyCount += 1
        (hasAnswered, isFruitless) = (true, false)
        // Whatever is not about the credentials was judged with good ones.
        if !isProven && status != 401 && status != 403 && status != 429 && status < 500 {
            isProven = true
            noteLimit(now: now)
        }
        var rule = RefusalReason.retry(forStatus: status)
        var sample = RequestSample(sequence: request.sequence, writtenAt: request.openedAt, status: request.status)
        if case .known(let reason) = body.reason { (rule, sample.reason) = (reason.retry, reason) }
        samples.append(sample)
        let delay = requests.retries.delay(rule: rule, retries: request.retries)
        note(
            RequestRefusal(
                count: 1, status: status, reason: body.reason, timestampMilliseconds: body.timestampMilliseconds,
                isRetried: delay != nil), now: now)
        guard let delay else { return rejected.append(request.run) }
        request.retries += 1
        let again = Resend(
            sequence: request.sequence, unprovenResends: request.unprovenResends, retries: request.retries,
            otherwise: .rejected)
        if rule == .otherConnection {
            resends.append(again)
            if leaving == nil { leave(.goAway(.noError, last: HTTP2FrameHeader.lastStreamID), resent: 1, now: now) }
        } else {
            resends.append(again, until: now + delay)
        }
    }

    /// Adds a refusal to those before it, if they are alike: a gateway that refuses everything is not to cost an event for each.
    private func note(_ next: RequestRefusal, now: Instant) {
        if let before = refusal, before.isLike(next) {
            refusal?.count += 1
        } else {
            tellRefusal(now: now)
            refusal = next
        }
    }

    private func tellRefusal(now: Instant) {
        guard let told = refusal else { return }
        events.append(.request(.refused(told, at: now)))
        refusal = nil
    }

    /// Enters what was answered since the last time, neighbours together.
    private func settleAnswered(now: Instant) {
        if !samples.isEmpty { samplesAt = now }
        tellRefusal(now: now)
        for run in rejected.runs { events.append(.settled(run, .rejected, nil)) }
        rejected.removeAll()
        settleAccepted(now: now)
    }

    private func settleAccepted(now: Instant) {
        guard !accepted.isEmpty else { return }
        common.acceptedCount += UInt64(accepted.count)
        if zip(accepted, accepted.dropFirst()).contains(where: { $0 > $1 }) { accepted.sort() }
        var run = SequenceRun(start: accepted[0], count: 0)
        for sequence in accepted {
            if sequence != run.end {
                events.append(.settled(run, .accepted, .response))
                run = SequenceRun(start: sequence, count: 0)
            }
            run.count += 1
        }
        events.append(.settled(run, .accepted, .response))
        accepted.removeAll(keepingCapacity: true)
        if !isRetired, let seen = common.reconnectClock.proved() {
            events.append(.firstProof(after: now - seen, at: now))
        }
    }

    /// A frame for a stream that is not open: one that we have closed, or one that never was (RFC 9113 section 5.1).
    private func noteClosed(_ streamID: UInt32, now: Instant) throws(HTTP2Violation) {
        guard streamID % 2 == 1, streamID < ring.nextStreamID else { throw HTTP2Violation(.idleStream) }
        if lateFrameCredit > 0 {
            lateFrameCredit -= 1
        } else {
            try note(.idleFrame, now: now)
        }
    }

    /// Counts a frame that costs more than it moves, against what the connection's requests and its age allow.
    private func note(_ kind: HTTP2FloodKind, now: Instant) throws(HTTP2Violation) {
        try floods.note(
            kind, requests: UInt64(ring.nextStreamID / 2), dataFrames: dividedDataFrames, now: now)
    }

    /// The answer to a PING; only one that was not asked for costs more than it moves.
    private func notePong(now: Instant) throws(HTTP2Violation) {
        guard openPings == 0 else {
            openPings -= 1
            return
        }
        try note(.idleFrame, now: now)
    }

    // MARK: - The connection

    private func handleSettings(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        guard !frame.isAcknowledgement else {
            if !awaitsAcknowledgement { try note(.idleFrame, now: now) }
            awaitsAcknowledgement = false
            return
        }
        try note(.settings, now: now)
        let before = peer
        try peer.apply(frame)
        hasSettings = true
        if peer.headerTableSize != before.headerTableSize {
            template.setPeerTableSize(Int(peer.headerTableSize))
        }
        let growth = Int64(peer.initialWindowSize) - Int64(before.initialWindowSize)
        if growth != 0 {
            for index in bodies.indices { try bodies[index].window.widen(by: growth) }
        }
        outbox.settingsAcknowledgement()
        try outbox.check()
        noteLimit(now: now)
    }

    private func handleWindowUpdate(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        try note(.windowUpdate, now: now)
        let increment = Int64(try frame.windowIncrement())
        guard frame.streamID != 0 else { return try sendWindow.widen(by: increment) }
        guard frame.streamID % 2 == 1, frame.streamID < ring.nextStreamID else { throw HTTP2Violation(.idleStream) }
        guard let index = bodies.firstIndex(where: { $0.streamID == frame.streamID }) else { return }
        try bodies[index].window.widen(by: increment, scope: .stream(frame.streamID))
    }

    private func handleReset(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        guard let place = ring.find(frame.streamID) else { return try noteClosed(frame.streamID, now: now) }
        var request = place.pointee
        close(place)
        events.append(.request(.streamsReset(frame.resetCode, count: 1, at: now)))
        switch frame.resetCode {
        case .refusedStream:
            refuseStream(&request, now: now)
            pause(now: now)
        case .enhanceYourCalm:
            settleUnproven(request, now: now)
            pause(now: now)
        default: settleUnproven(request, now: now)
        }
    }

    /// Nothing was done about the request (RFC 9113 section 8.7), so it goes again, as often as allowed.
    func refuseStream(_ request: inout OpenRequest, now: Instant) {
        request.refusedStreams += 1
        if request.refusedStreams <= requests.refusedLimit { return sendAgain(request, otherwise: .lost, now: now) }
        isFruitless = true
        ownFlight.withdraw(openedAt: request.openedAt, now: now)
        events.append(
            request.unprovenResends > 0 ? .settled(request.run, .unknown, nil) : .lost(request.run, .refused))
    }

    /// Opens nothing for a while, so that a gateway that only ever refuses streams is not stormed; one that does so after the longest
    /// pause is left.
    private func pause(now: Instant) {
        guard leaving == nil, now >= pausedUntil else { return }
        guard refusedPause < requests.refusedPauseLimit else { return leave(.refusals, resent: 0, now: now) }
        refusedPause = refusedPause == .zero ? requests.refusedPause : min(refusedPause * 2, requests.refusedPauseLimit)
        pausedUntil = now + refusedPause
    }

    private func handleGoAway(_ frame: HTTP2Frame, now: Instant) {
        var last = frame.lastStreamID
        // A second one may only lower it (RFC 9113 section 6.8).
        if case .goAway(_, let before)? = leaving { last = min(last, before) }
        let queued = resends.count
        var above: [UInt32] = []
        ring.closeAll(above: last) { request in
            above.append(request.streamID)
            sendAgain(request, otherwise: .lost, now: now)
        }
        if !bodies.isEmpty { bodies.removeAll { $0.streamID > last } }
        if !refusalBodies.isEmpty { refusalBodies = refusalBodies.filter { $0.key <= last } }
        let resent = UInt64(resends.count - queued)
        events.append(
            .request(
                .goAway(frame.goAwayCode, reason: RefusalBody(frame.debugData).reason, resent: resent, at: now)))
        leave(.goAway(frame.goAwayCode, last: last), resent: resent, now: now)
    }

    /// Opens no request on this connection any more.
    private func leave(_ why: Leaving, resent: UInt64, now: Instant) {
        if leaving == nil {
            let cause: Reconnect.Cause = if case .goAway(let code, _) = why { .goAway(code) } else { .end(.closedHere) }
            common.reconnectClock.connectionEnded(
                cause, inFlight: UInt64(ring.openCount) + resent, resent: resent, at: now)
        }
        leaving = why
        noteBlocked(by: nil, now: now)
    }
}
