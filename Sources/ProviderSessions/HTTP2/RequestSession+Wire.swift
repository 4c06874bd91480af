import Primitives
import PushWire
import Workload

extension RequestSession {
    /// What changes with every request and every answer; behind a pointer, so that no run-time exclusivity check stands on each one's
    /// way.
    struct Wire: ~Copyable {
        var ring: StreamRing
        var cursor: DeviceCursor
        var cursorSequence: UInt64 = 0
        var reader = HTTP2FrameReader(role: .client)
        var assembler = HeaderBlockAssembler()
        var responses: ResponseDecoder
        var template: RequestTemplate
        var outbox = HTTP2Outbox()
        var sendWindow = HTTP2Window()
        var receiveWindow = HTTP2Window()
        var bodies: [PendingBody] = []
        /// Bodies of refusals that come in pieces, by their streams.
        var refusalBodies: [UInt32: [UInt8]] = [:]
        /// Whether a request on this connection was judged with good credentials.
        var isProven = false
        /// Whether a request on this connection was answered, however.
        var hasAnswered = false
        var leaving: Leaving?
        var refusedPause = Interval.zero
        var accepted: [UInt64] = []
        /// Refusals alike that no event tells of yet, and what was refused for good.
        var refusal: RequestRefusal?
        var rejected = SequenceRuns()
        var samples: [RequestSample] = []

        init(_ requests: RequestPlan, source: NotificationSource) {
            ring = StreamRing(limit: requests.streams)
            cursor = source.cursor(at: 0)
            responses = ResponseDecoder(ids: requests.ids)
            template = RequestTemplate(fields: requests.fields, ids: requests.ids)
        }
    }

    var ring: StreamRing {
        _read { yield wire.pointee.ring }
        _modify { yield &wire.pointee.ring }
    }

    var resends: ResendQueue {
        _read { yield common.work.pointee.resends }
        _modify { yield &common.work.pointee.resends }
    }

    var claimed: SequenceRun {
        _read { yield common.work.pointee.claimed }
        _modify { yield &common.work.pointee.claimed }
    }

    var cursor: DeviceCursor {
        _read { yield wire.pointee.cursor }
        _modify { yield &wire.pointee.cursor }
    }

    var cursorSequence: UInt64 {
        _read { yield wire.pointee.cursorSequence }
        _modify { yield &wire.pointee.cursorSequence }
    }

    var reader: HTTP2FrameReader {
        _read { yield wire.pointee.reader }
        _modify { yield &wire.pointee.reader }
    }

    var assembler: HeaderBlockAssembler {
        _read { yield wire.pointee.assembler }
        _modify { yield &wire.pointee.assembler }
    }

    var responses: ResponseDecoder {
        _read { yield wire.pointee.responses }
        _modify { yield &wire.pointee.responses }
    }

    var template: RequestTemplate {
        _read { yield wire.pointee.template }
        _modify { yield &wire.pointee.template }
    }

    var outbox: HTTP2Outbox {
        _read { yield wire.pointee.outbox }
        _modify { yield &wire.pointee.outbox }
    }

    var sendWindow: HTTP2Window {
        _read { yield wire.pointee.sendWindow }
        _modify { yield &wire.pointee.sendWindow }
    }

    var receiveWindow: HTTP2Window {
        _read { yield wire.pointee.receiveWindow }
        _modify { yield &wire.pointee.receiveWindow }
    }

    var bodies: [PendingBody] {
        _read { yield wire.pointee.bodies }
        _modify { yield &wire.pointee.bodies }
    }

    var refusalBodies: [UInt32: [UInt8]] {
        _read { yield wire.pointee.refusalBodies }
        _modify { yield &wire.pointee.refusalBodies }
    }

    var isProven: Bool {
        _read { yield wire.pointee.isProven }
        _modify { yield &wire.pointee.isProven }
    }

    var hasAnswered: Bool {
        _read { yield wire.pointee.hasAnswered }
        _modify { yield &wire.pointee.hasAnswered }
    }

    var isFruitless: Bool {
        _read { yield common.work.pointee.isFruitless }
        _modify { yield &common.work.pointee.isFruitless }
    }

    var leaving: Leaving? {
        _read { yield wire.pointee.leaving }
        _modify { yield &wire.pointee.leaving }
    }

    var refusedPause: Interval {
        _read { yield wire.pointee.refusedPause }
        _modify { yield &wire.pointee.refusedPause }
    }

    var accepted: [UInt64] {
        _read { yield wire.pointee.accepted }
        _modify { yield &wire.pointee.accepted }
    }

    var refusal: RequestRefusal? {
        _read { yield wire.pointee.refusal }
        _modify { yield &wire.pointee.refusal }
    }

    var rejected: SequenceRuns {
        _read { yield wire.pointee.rejected }
        _modify { yield &wire.pointee.rejected }
    }

    var samples: [RequestSample] {
        _read { yield wire.pointee.samples }
        _modify { yield &wire.pointee.samples }
    }
}

// MARK: - What the slot counts

extension RequestSession {
    /// How many connections stood so far.
    public var connectionCount: Int { common.connectionCount }
    /// How many requests were in flight over time; of sessions before this one what has ended.
    public var flight: FlightClock {
        var sum = common.earlierFlight
        sum.add(ownFlight)
        return sum
    }
    /// How many bytes of requests were written, headers included.
    public var writtenBytes: UInt64 { common.writtenBytes }
    /// How many requests were written, again or for the first time.
    public var writtenCount: UInt64 { common.writtenCount }
    /// How many of those were written again.
    public var resentCount: UInt64 { common.resentCount }
    /// How many notifications were accepted.
    public var acceptedCount: UInt64 { common.acceptedCount }
    /// How many requests were refused by a response.
    public var errorReplyCount: Int { common.errorReplyCount }
}
