import Primitives
import PushWire

/// What each frame does.
extension HTTP2GatewaySession {
    func take(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        let block = try wire.pointee.assembler.take(frame)
        switch frame.type {
        case .headers, .continuation:
            guard let block else { return }
            try takeHeaders(block, now: now)
        case .data: try takeData(frame, now: now)
        case .settings: try takeSettings(frame, now: now)
        case .ping:
            try note(frame.isAcknowledgement ? .idleFrame : .ping, now: now)
            if !frame.isAcknowledgement { wire.pointee.outbox.ping(frame.pingData, isAnswer: true) }
        case .windowUpdate: try takeWindowUpdate(frame, now: now)
        case .resetStream: try takeReset(frame)
        case .goAway:
            try note(.idleFrame, now: now)
            if isServing { life = .leaving(last: HTTP2FrameHeader.lastStreamID, closes: true) }
        case .priority, .unknown: try note(.idleFrame, now: now)
        case .pushPromise: throw HTTP2Violation(.pushPromise)
        }
        try wire.pointee.outbox.check()
    }

    /// Counts a frame that costs more than it moves, against what the connection's requests and its age allow.
    private func note(_ kind: HTTP2FloodKind, now: Instant) throws(HTTP2Violation) {
        try wire.pointee.flood.note(
            kind, requests: wire.pointee.openedCount, dataFrames: wire.pointee.dividedDataFrames, now: now)
    }

    // MARK: - Requests

    private func takeHeaders(_ block: HTTP2HeaderBlock, now: Instant) throws(HTTP2Violation) {
        let id = block.streamID
        let isKnown = id > wire.pointee.lastStreamID && isLikeTheLast(block.fields, now: now)
        var places = RequestMemo.Places(block.fields)
        let mark = wire.pointee.decoder.tableMark
        // Whatever becomes of the stream, the block must be decoded: both ends keep one table.
        var violation: HTTP2Violation?
        if !isKnown {
            fields.reset()
            do throws(HTTP2Violation) {
                try wire.pointee.decoder.decode(block.fields, streamID: id) {
                    fields.add($0)
                    places.note($0)
                }
            } catch {
                if error.scope == .connection { throw error }
                violation = error
            }
        }
        if id <= wire.pointee.lastStreamID { return try takeTrailers(block, now: now) }
        guard !id.isMultiple(of: 2) else { throw HTTP2Violation(.streamOrder) }
        wire.pointee.lastStreamID = id
        wire.pointee.openedCount += 1
        if case .leaving(let last, _) = life, id > last {
            ledger.counts.api.ignoredStreams += 1
            return
        }
        if try isBeyondLimit(id) { return }
        if !isKnown {
            if let violation { throw violation }
            try judgeFields(of: id, now: now)
            if wire.pointee.decoder.tableMark == mark {
                wire.pointee.memo.remember(
                    block.fields, places, on: connection, tableMark: mark)
            }
        }
        lastRequestAt = now
        var stream = GatewayStream()
        stream.id = id
        stream.head = wire.pointee.memo.head
        if stream.head.kind != .device { channelRequests[id] = judge.channelRequest(fields) }
        wire.pointee.streams.open(stream)
        wire.pointee.maxOpenCount = max(wire.pointee.maxOpenCount, wire.pointee.streams.count)
        if block.endsStream {
            try Self.check(0, against: wire.pointee.memo.head.contentLength, on: id)
            complete(id, body: UnsafeRawBufferPointer(start: nil, count: 0), now: now)
        }
    }

    /// Whether a header block differs from the last good one in nothing but a token and an identifier that are good, too; then
    /// the memo has what is to be known about it.
    private func isLikeTheLast(_ block: UnsafeRawBufferPointer, now: Instant) -> Bool {
        guard wire.pointee.memo.isLike(block, on: connection, tableMark: wire.pointee.decoder.tableMark) else {
            return false
        }
        if let token = connection.token, now > token.expiresAt { return false }
        let (token, messageID) = wire.pointee.memo.digits(of: block)
        return judge.renew(&wire.pointee.memo.head, token: token, messageID: messageID)
    }

    /// Judges the fields that were received, and leaves what was found out in the memo.
    private func judgeFields(of id: UInt32, now: Instant) throws(HTTP2Violation) {
        switch fields.fault {
        case .malformed?: throw HTTP2Violation(.malformedMessage, scope: .stream(id))
        case .tooLong?: throw HTTP2Violation(.headerListSize, scope: .stream(id))
        case nil: if !fields.isComplete { throw HTTP2Violation(.malformedMessage, scope: .stream(id)) }
        }
        wire.pointee.memo.forget()
        wire.pointee.memo.head =
            api.acceptsAll ? judge.glance(at: fields) : judge.judge(fields, on: connection, now: now)
        if let text = fields[.contentLength] {
            guard let length = RequestText.number(text), length >= 0 else {
                throw HTTP2Violation(.malformedMessage, scope: .stream(id))
            }
            wire.pointee.memo.head.contentLength = length
        }
    }

    /// Refuses a stream that is one too many.
    private func isBeyondLimit(_ id: UInt32) throws(HTTP2Violation) -> Bool {
        guard wire.pointee.streams.count >= Int(wire.pointee.announced.streamLimit) else { return false }
        // A client that has not seen our first SETTINGS knows no limit, and loses the stream, not the connection.
        if api.streamEnforcement == .goAway && wire.pointee.announced.isKnown {
            let last = id > 1 ? id - 2 : 0
            sayGoodbye(last: last, code: .protocolError)
            life = .leaving(last: last, closes: true)
            return true
        }
        ledger.counts.api.refusedStreams += 1
        wire.pointee.outbox.reset(streamID: id, code: .refusedStream)
        return true
    }

    private func takeTrailers(_ block: HTTP2HeaderBlock, now: Instant) throws(HTTP2Violation) {
        let id = block.streamID
        guard wire.pointee.streams.isOpen(id) else {
            if case .leaving(let last, _) = life, id > last { return }
            throw HTTP2Violation(.streamOrder)
        }
        guard block.endsStream else { throw HTTP2Violation(.malformedMessage, scope: .stream(id)) }
        try endOfBody(id, last: UnsafeRawBufferPointer(start: nil, count: 0), now: now)
    }

    private func takeData(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        let id = frame.streamID
        let content = try frame.content()
        wire.pointee.receiveRoom.consume(frame.payload.count)
        wire.pointee.dataByteCount += UInt64(frame.payload.count)
        guard wire.pointee.receiveRoom.room >= 0 else { throw HTTP2Violation(.windowExceeded) }
        if wire.pointee.receiveRoom.room <= Int64(api.connectionWindowBytes / 2) && windowHeldUntil == nil {
            widenConnection()
        }
        guard id <= wire.pointee.lastStreamID else { throw HTTP2Violation(.idleStream) }
        if content.isEmpty && !frame.endsStream { try note(.idleFrame, now: now) }
        guard wire.pointee.streams.isOpen(id) else {
            if content.count < Self.smallData { try note(.idleFrame, now: now) }
            return
        }
        if !frame.endsStream { try account(frame, on: id) }
        if frame.endsStream { return try endOfBody(id, last: content, now: now) }
        keep(content, of: id, now: now)
    }

    /// DATA that is shorter costs more to look at than to send, if nobody wants it.
    private static let smallData = 1_024

    /// Watches the window of a stream that goes on, and widens it.
    private func account(_ frame: HTTP2Frame, on id: UInt32) throws(HTTP2Violation) {
        let promised = Int(wire.pointee.own.initialWindowSize)
        let widest = Int(wire.pointee.widestStreamWindow)
        let byteCount = frame.payload.count
        let update =
            wire.pointee.streams.with(id) { stream in
                stream.unacknowledgedByteCount += byteCount
                let count = stream.unacknowledgedByteCount
                guard count <= widest else { return -1 }
                // Also once it is answered: a client may read that only when it has written everything.
                guard stream.phase == .receiving || stream.phase == .discarding, count > 0, count >= promised / 2
                else { return 0 }
                stream.unacknowledgedByteCount = 0
                return count
            } ?? 0
        if update < 0 { throw HTTP2Violation(.windowExceeded, scope: .stream(id)) }
        if update > 0 { wire.pointee.outbox.windowUpdate(streamID: id, increment: UInt32(update)) }
    }

    /// What becomes of a piece of a body.
    private enum Piece {
        case kept
        case counted
        case tooMuch
        case unwanted
    }

    /// Keeps a piece of a body, or counts it where nobody will look at it; a body that is too long is answered at once, so that a
    /// connection keeps no more than its streams may bring.
    private func keep(_ content: UnsafeRawBufferPointer, of id: UInt32, now: Instant) {
        let acceptsAll = api.acceptsAll
        let judgesSize = settings.judgesPayloadSize && !acceptsAll
        let piece =
            wire.pointee.streams.with(id) { stream -> Piece in
                stream.bodyByteCount += content.count
                if stream.phase == .discarding {
                    return stream.bodyByteCount > Self.maxDiscardedBytes ? .unwanted : .counted
                }
                guard stream.phase == .receiving else { return .counted }
                // What nobody judges has no length that is too long, until it has no end.
                if acceptsAll, stream.bodyByteCount > Self.maxBodyBytes {
                    return stream.bodyByteCount > Self.maxDiscardedBytes ? .tooMuch : .counted
                }
                let isRefused = stream.head.refusal != nil
                let limit = judgesSize && !isRefused ? Int(stream.head.bodyLimit) : Self.maxBodyBytes
                if stream.bodyByteCount > min(limit, Self.maxBodyBytes) { return .tooMuch }
                return isRefused ? .counted : .kept
            } ?? .counted
        switch piece {
        case .kept: bodies[id, default: []] += content
        case .counted: break
        case .tooMuch: refuseLongBody(of: id, now: now)
        case .unwanted: cut(id)
        }
    }

    /// Whether the body of a stream's answer waits for room in a window.
    private func hasBlockedAnswer(_ id: UInt32) -> Bool { blocked.contains { $0.streamID == id } }

    private func refuseLongBody(of id: UInt32, now: Instant) {
        let stream = wire.pointee.streams.with(id) { stream in
            stream.phase = .discarding
            return (head: stream.head, byteCount: stream.bodyByteCount)
        }
        guard let (head, byteCount) = stream else { return }
        bodies[id] = nil
        channelRequests[id] = nil
        ledger.counts.api.requests += 1
        let reason = head.refusal ?? .payloadTooLarge
        enterRefusal(reason, head, payloadByteCount: byteCount, now: now)
        deliver(.refused(reason, timestamp: reason.status == 410 ? head.timestamp : nil), on: id)
        awaitRest(of: id, byteCount: byteCount, now: now)
    }

    private func awaitRest(of id: UInt32, byteCount: Int, now: Instant) {
        wire.pointee.discarded.add((id, byteCount, wire.pointee.dataByteCount), at: now + Self.discardPatience)
    }

    /// Ends a stream whose answer has left, if no more of its body came than there was before, and not because others had the
    /// connection's window.
    func endDiscarding(_ id: UInt32, since before: Int, totalByteCount: UInt64, now: Instant) {
        let count = wire.pointee.streams.with(id) { $0.phase == .discarding ? $0.bodyByteCount : nil } ?? nil
        guard let count else { return }
        let othersBytes = wire.pointee.dataByteCount - totalByteCount
        let mayStarve = windowHeldUntil != nil || isHolding || othersBytes >= UInt64(api.connectionWindowBytes / 2)
        if count == before && !hasBlockedAnswer(id) && !mayStarve { return cut(id) }
        awaitRest(of: id, byteCount: count, now: now)
    }

    private func cut(_ id: UInt32) {
        // Only behind a whole answer it is no error; one that the client has no room for is given up.
        let code = hasBlockedAnswer(id) ? HTTP2ErrorCode.cancel : .noError
        blocked.removeAll { $0.streamID == id }
        close(id)
        // Behind the answer, which other frames may overtake.
        wire.pointee.responses.append(HTTP2FrameHeader.byteCount + 4) { place in
            HTTP2FrameHeader(type: .resetStream, streamID: id, length: 4).write(to: place)
            place.storeBytes(
                of: code.rawValue.bigEndian, toByteOffset: HTTP2FrameHeader.byteCount, as: UInt32.self)
            return HTTP2FrameHeader.byteCount + 4
        }
    }

    /// The request is whole.
    private func endOfBody(_ id: UInt32, last: UnsafeRawBufferPointer, now: Instant) throws(HTTP2Violation) {
        let stream = wire.pointee.streams.with(id) { stream in
            stream.bodyByteCount += last.count
            let length = stream.head.refusal == nil ? stream.head.contentLength : -1
            return (phase: stream.phase, length: length, byteCount: stream.bodyByteCount)
        }
        let phase = stream?.phase
        let length = stream?.length ?? -1
        let byteCount = stream?.byteCount ?? 0
        guard phase == .receiving else {
            guard phase == .discarding else { throw HTTP2Violation(.closedStream, scope: .stream(id)) }
            guard hasBlockedAnswer(id) else {
                close(id)
                // Also a sign of life: curl 7.88 waits for any frame behind its early end of such a stream.
                if windowHeldUntil == nil { widenConnection() }
                return
            }
            _ = wire.pointee.streams.with(id) { $0.phase = .blocked }
            return
        }
        guard !bodies.isEmpty, var body = bodies.removeValue(forKey: id) else {
            try Self.check(byteCount, against: length, on: id)
            return complete(id, body: last, now: now)
        }
        body += last
        try Self.check(byteCount, against: length, on: id)
        body.withUnsafeBytes { complete(id, body: $0, now: now) }
    }

    /// A body of another length than `content-length` says is malformed (RFC 9113 section 8.1.1); what was refused before is not kept, and
    /// has none to be held against.
    private static func check(_ count: Int, against length: Int64, on id: UInt32) throws(HTTP2Violation) {
        if length >= 0, length != Int64(count) { throw HTTP2Violation(.malformedMessage, scope: .stream(id)) }
    }

    // MARK: - Everything else

    private func takeSettings(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        if case .starting = life { life = .serving }
        guard !frame.isAcknowledgement else {
            if !wire.pointee.announced.acknowledge() { try note(.idleFrame, now: now) }
            return
        }
        try note(.settings, now: now)
        try wire.pointee.peer.apply(frame)
        if wire.pointee.peer.headerTableSize < 4_096, !wire.pointee.hasAnnouncedTableSize {
            wire.pointee.hasAnnouncedTableSize = true
            wire.pointee.announcesTableSize = true
        }
        wire.pointee.outbox.settingsAcknowledgement()
        sendBlocked()
    }

    private func takeWindowUpdate(_ frame: HTTP2Frame, now: Instant) throws(HTTP2Violation) {
        try note(.windowUpdate, now: now)
        let increment = Int64(try frame.windowIncrement())
        let id = frame.streamID
        if id == 0 {
            try wire.pointee.sendRoom.widen(by: increment)
            sendBlocked()
        } else {
            guard id <= wire.pointee.lastStreamID else { throw HTTP2Violation(.idleStream) }
            let limit = Int64(HTTP2Settings.maxWindowSize) - Int64(wire.pointee.peer.initialWindowSize)
            let isFine =
                wire.pointee.streams.with(id) { stream in
                    stream.responseRoom += increment
                    return stream.responseRoom <= limit
                } ?? true
            guard isFine else { throw HTTP2Violation(.windowOverflow, scope: .stream(id)) }
            sendBlocked(on: id)
        }
    }

    private func takeReset(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        let id = frame.streamID
        guard id <= wire.pointee.lastStreamID else { throw HTTP2Violation(.idleStream) }
        wire.pointee.spoiltCount += 1
        if isSpoilingMost { throw HTTP2Violation(.flood(.reset)) }
        guard wire.pointee.streams.isOpen(id) else { return }
        ledger.counts.api.cancelledStreams += 1
        close(id)
        blocked.removeAll { $0.streamID == id }
    }

    /// Gives the client its window back.
    func widenConnection() {
        let increment = Int64(api.connectionWindowBytes) - wire.pointee.receiveRoom.room
        guard increment > 0 else { return }
        wire.pointee.outbox.windowUpdate(streamID: 0, increment: UInt32(increment))
        try? wire.pointee.receiveRoom.widen(by: increment)
    }
}
