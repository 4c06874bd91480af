import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// A client of HTTP/2 that does what a test says, against a session of the gateway; time moves only when told.
final class ScriptedClient {
    /// A response as the client sees it.
    struct Response: Equatable {
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var isComplete = false

        var reason: String? {
            let body = body.withUnsafeBytes { RefusalBody($0) }
            return body.reasonName.isEmpty ? nil : body.reasonName
        }
        var timestamp: Int64? { body.withUnsafeBytes { RefusalBody($0) }.timestampMilliseconds }
    }

    /// GOAWAY as the client sees it.
    struct GoAway: Equatable {
        var last: UInt32
        var code: HTTP2ErrorCode
        var text: String
    }

    let session: HTTP2GatewaySession
    let ledger: GatewayLedger
    var now = Instant.zero
    private(set) var responses: [UInt32: Response] = [:]
    private(set) var resets: [UInt32: HTTP2ErrorCode] = [:]
    private(set) var goAways: [GoAway] = []
    private(set) var windowUpdates: [(stream: UInt32, increment: UInt32)] = []
    /// DATA that was sent, by its streams; 0 is the connection.
    private var sentData: [UInt32: Int] = [:]
    private(set) var settings = HTTP2Settings()
    private(set) var settingsCount = 0
    private(set) var acknowledgementCount = 0
    private(set) var pings: [UInt64] = []
    private(set) var closing: CloseMode?
    private(set) var pausedUntil: Instant?
    private(set) var isHeld = false
    private(set) var isSwallowed = false
    /// Whether the client takes what the session has written.
    var reads = true
    var nextStreamID: UInt32 = 1
    private var reader = HTTP2FrameReader(role: .client)
    private var assembler = HeaderBlockAssembler()
    private var decoder = HPACKDecoder(tableSizeLimit: 4_096)

    /// Makes a client of a gateway that `bench` describes; the preface is still to be sent.
    init(
        _ bench: JudgeBench = JudgeBench(), connection: ProviderConnection = ProviderConnection(),
        refusal: String? = nil,
        ledger: GatewayLedger = GatewayLedger(), judge: RequestJudge? = nil, pace: GatewayPace? = nil
    ) {
        self.ledger = ledger
        session = HTTP2GatewaySession(
            judge: judge ?? bench.judge(), ledger: ledger, pace: pace ?? GatewayPace(settings: bench.settings),
            connection: connection, refusal: refusal, openedAt: .zero)
        collect()
    }

    /// Makes a client that has greeted the gateway and acknowledged its settings.
    static func greeted(
        _ bench: JudgeBench = JudgeBench(), connection: ProviderConnection = ProviderConnection()
    ) throws -> ScriptedClient {
        let client = ScriptedClient(bench, connection: connection)
        try client.greet()
        return client
    }

    func greet(_ settings: HTTP2Settings = HTTP2Settings()) throws {
        try send { outbox in
            outbox.preface()
            outbox.settings(settings)
            outbox.settingsAcknowledgement()
        }
    }

    // MARK: - Sending

    func send(_ body: (inout HTTP2Outbox) -> Void) throws {
        var outbox = HTTP2Outbox()
        body(&outbox)
        var bytes = [UInt8](repeating: 0, count: outbox.byteCount)
        _ = bytes.withUnsafeMutableBytes { outbox.drain(into: $0) }
        try send(bytes)
    }

    /// How much DATA the session will take on a stream, or on the connection if `stream` is 0.
    func room(of stream: UInt32) -> Int {
        let initial = stream == 0 ? Int(HTTP2Window.initial) : Int(settings.initialWindowSize)
        let given = windowUpdates.reduce(0) { $0 + ($1.stream == stream ? Int($1.increment) : 0) }
        return initial + given - sentData[stream, default: 0]
    }

    /// Notes whole DATA frames at the front of what is sent.
    private func noteData(_ bytes: [UInt8]) {
        var place = 0
        while place + HTTP2FrameHeader.byteCount <= bytes.count {
            let header = bytes.withUnsafeBytes { HTTP2FrameHeader(at: $0.baseAddress! + place) }
            if header.type == .data {
                for stream in [0, header.streamID] { sentData[stream, default: 0] += header.length }
            }
            place += HTTP2FrameHeader.byteCount + header.length
        }
    }

    func send(_ bytes: [UInt8]) throws {
        noteData(bytes)
        bytes.withUnsafeBytes { session.receive($0, now: now) }
        collect()
        try parse()
    }

    /// Sends a request on the next stream and returns the stream's number.
    @discardableResult
    func request(_ request: Request = Request(), endsStream: Bool = true) throws -> UInt32 {
        let id = nextStreamID
        nextStreamID += 2
        try send(Self.bytes(of: request, on: id, endsStream: endsStream))
        return id
    }

    /// The request's frames.
    static func bytes(of request: Request, on id: UInt32, endsStream: Bool = true) -> [UInt8] {
        let block = block(of: request.fields)
        let isEmpty = request.body.isEmpty && endsStream
        var bytes = frame(.headers, isEmpty ? [.endHeaders, .endStream] : .endHeaders, id, block)
        if !isEmpty { bytes += frame(.data, endsStream ? .endStream : [], id, request.body) }
        return bytes
    }

    static func block(of fields: [(name: String, value: String)]) -> [UInt8] {
        let room = fields.reduce(64) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            var writer = HPACKWriter(UnsafeMutableRawBufferPointer(buffer))
            for (name, value) in fields {
                Array(name.utf8).withUnsafeBytes { name in
                    Array(value.utf8).withUnsafeBytes { writer.literal(.withoutIndexing, name: name, value: $0) }
                }
            }
            count = writer.count
        }
    }

    static func frame(_ type: HTTP2FrameType, _ flags: HTTP2Flags, _ id: UInt32, _ payload: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: HTTP2FrameHeader.byteCount)
        bytes.withUnsafeMutableBytes { target in
            guard let base = target.baseAddress else { return }
            HTTP2FrameHeader(type: type, flags: flags, streamID: id, length: payload.count).write(to: base)
        }
        return bytes + payload
    }

    // MARK: - Time

    /// Lets time pass, with every timer that the session asked for.
    func pass(_ interval: Interval) throws {
        let end = now + interval
        while let deadline = session.deadline, deadline <= end, closing == nil {  // bounded: by the session's timers
            now = max(now, deadline)
            session.timerFired(now: now)
            collect()
        }
        now = end
        try parse()
    }

    /// Reads what the session has written and what it asks for.
    func drain() throws {
        collect()
        try parse()
    }

    private var unparsed: [UInt8] = []

    /// Takes so many bytes of what the session has to write, as a full socket buffer does; they are looked at later.
    func readPiece(of count: Int) {
        var buffer = [UInt8](repeating: 0, count: count)
        let taken = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: now) }
        unparsed += buffer[..<taken]
    }

    private func collect() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var turns = 0
        while turns < 10_000 {
            turns += 1
            var hasActed = false
            while let action = session.takeAction() {
                hasActed = true
                switch action {
                case .fill: break
                case .pause(let until): pausedUntil = max(until, pausedUntil ?? until)
                case .hold: isHeld = true
                case .resume: isHeld = false
                case .swallow: isSwallowed = true
                case .close(let mode): closing = closing ?? mode
                }
            }
            guard reads else { return }
            let count = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: now) }
            unparsed += buffer[..<count]
            if count == 0 && !hasActed { return }
        }
        Issue.record("the session never comes to rest")
    }

    private func parse() throws {
        let bytes = unparsed
        unparsed = []
        try bytes.withUnsafeBytes { buffer in
            var rest = buffer
            while let frame = try reader.next(in: &rest) {
                let block = try assembler.take(frame)
                try take(frame, block)
            }
        }
    }

    private func take(_ frame: HTTP2Frame, _ block: HTTP2HeaderBlock?) throws {
        let id = frame.streamID
        if resets[id] != nil { Issue.record("\(frame.type) on stream \(id) behind its reset") }
        switch frame.type {
        case .headers, .continuation:
            guard let block else { return }
            var response = Response()
            try decoder.decode(block.fields, streamID: id) { field in
                let value = String(decoding: field.value, as: UTF8.self)
                let name = String(decoding: field.nameBytes, as: UTF8.self)
                if name == ":status" { response.status = Int(value) ?? 0 } else { response.fields[name] = value }
            }
            response.isComplete = block.endsStream
            responses[id] = response
        case .data:
            responses[id, default: Response()].body += Array(try frame.content())
            if frame.endsStream { responses[id]?.isComplete = true }
        case .resetStream: resets[id] = frame.resetCode
        case .goAway:
            goAways.append(
                GoAway(
                    last: frame.lastStreamID, code: frame.goAwayCode,
                    text: String(decoding: frame.debugData, as: UTF8.self)))
        case .windowUpdate: windowUpdates.append((id, try frame.windowIncrement()))
        case .settings:
            if frame.isAcknowledgement {
                acknowledgementCount += 1
            } else {
                try settings.apply(frame)
                settingsCount += 1
            }
        case .ping: if frame.isAcknowledgement { pings.append(frame.pingData) }
        case .priority, .pushPromise, .unknown: Issue.record("an unexpected frame \(frame.type)")
        }
    }
}
