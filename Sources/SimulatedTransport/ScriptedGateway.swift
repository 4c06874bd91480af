public import PushWire

/// One request as a scripted gateway sees it.
public struct SeenRequest: Equatable, Sendable {
    /// The stream on which it came.
    public var streamID: UInt32
    /// The notification, by its `apns-id`.
    public var sequence: UInt64
    /// Which connection of the run it came on, from 0.
    public var connection: Int
    /// Which request of that connection it is, from 0.
    public var number: Int
    /// The value of `authorization`.
    public var authorization: String?
    /// Its body.
    public var body: [UInt8] = []
}

/// The gateway's end of one connection: reads what the sender writes with the library's own reader and decoder, checks that it is in order,
/// and writes whatever a test wants.
public final class ScriptedGateway {
    /// Which connection of the run it is the end of, from 0.
    public let index: Int
    /// What it announced.
    public private(set) var settings = HTTP2Settings()
    /// The requests that came whole, in their order.
    public private(set) var requests: [SeenRequest] = []
    /// Streams that were opened and not ended by this side.
    public private(set) var open: Set<UInt32> = []
    /// The most of them at a time.
    public private(set) var mostOpen = 0
    /// Breaches of HTTP/2 by the sender; none are expected.
    public private(set) var breaches: [String] = []
    /// Streams that the sender reset.
    public private(set) var resets: [(stream: UInt32, code: HTTP2ErrorCode)] = []
    /// Data of PINGs that were not answers.
    public private(set) var pings: [UInt64] = []
    /// Data of PINGs that were answers.
    public private(set) var pongs: [UInt64] = []
    /// How often the sender acknowledged SETTINGS.
    public private(set) var settingsAcknowledged = 0
    /// Codes of the sender's GOAWAY frames.
    public private(set) var goAways: [HTTP2ErrorCode] = []
    /// DATA that was received, and the room that the sender has by what it was told.
    public private(set) var dataBytes = 0
    /// The room for DATA at present.
    public private(set) var window = HTTP2Window.initial
    /// The least room that there was.
    public private(set) var leastWindow = HTTP2Window.initial
    /// Whether room for DATA is given back as it is used.
    public var replenishes = true
    /// What waits to be sent.
    public var output: [UInt8] = []
    /// What is called for each whole request.
    public var onRequest: (SeenRequest) -> Void = { _ in }
    /// What is called for each frame of DATA, with its stream and length.
    public var onData: (UInt32, Int) -> Void = { _, _ in }
    /// Whether PINGs are answered.
    public var answersPings = false
    /// What is called when headers have opened a stream; false takes the stream for refused.
    public var onOpen: (UInt32) -> Bool = { _ in true }

    private let ids: NotificationIDSpace
    private var reader = HTTP2FrameReader(role: .server)
    private var assembler = HeaderBlockAssembler()
    private var decoder = HPACKDecoder()
    private var unfinished: [UInt32: SeenRequest] = [:]
    private var lastStream: UInt32 = 0

    /// Makes the end of connection `index` of a run with these identifiers.
    public init(index: Int, ids: NotificationIDSpace) {
        self.index = index
        self.ids = ids
    }

    // MARK: - Reading

    /// Takes what the sender wrote.
    public func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { view in
            var rest = view
            do throws(HTTP2Violation) {
                while let frame = try reader.next(in: &rest) { try take(frame) }
            } catch {
                breaches.append("\(error)")
            }
        }
    }

    private func take(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        if let block = try assembler.take(frame) { return try take(block) }
        switch frame.type {
        case .data:
            dataBytes += frame.payload.count
            window -= Int64(frame.payload.count)
            leastWindow = min(leastWindow, window)
            if window < 0 { breaches.append("more DATA than the window has room for") }
            if replenishes && window < HTTP2Window.initial / 2 { widen(by: UInt32(HTTP2Window.initial - window)) }
            onData(frame.streamID, frame.payload.count)
            guard var request = unfinished[frame.streamID] else { return }
            request.body += frame.payload
            unfinished[frame.streamID] = frame.endsStream ? nil : request
            if frame.endsStream { finish(request) }
        case .settings: if frame.isAcknowledgement { settingsAcknowledged += 1 }
        case .ping:
            guard !frame.isAcknowledgement else { return pongs.append(frame.pingData) }
            pings.append(frame.pingData)
            if answersPings { self.frame(.ping, .acknowledgement, payload: [UInt8](frame.payload)) }
        case .resetStream:
            resets.append((frame.streamID, frame.resetCode))
            open.remove(frame.streamID)
            unfinished[frame.streamID] = nil
        case .goAway: goAways.append(frame.goAwayCode)
        case .windowUpdate: _ = try frame.windowIncrement()
        default: break
        }
    }

    private func take(_ block: HTTP2HeaderBlock) throws(HTTP2Violation) {
        var request = SeenRequest(streamID: block.streamID, sequence: .max, connection: index, number: requests.count)
        try decoder.decode(block.fields, streamID: block.streamID) { field in
            if field.name == .apnsID { request.sequence = ids.sequence(of: field.value) ?? .max }
            if field.name == .authorization { request.authorization = String(decoding: field.value, as: UTF8.self) }
            if !field.isWellFormed { breaches.append("a malformed field") }
        }
        if block.streamID % 2 == 0 || block.streamID <= lastStream { breaches.append("stream \(block.streamID)") }
        lastStream = max(lastStream, block.streamID)
        guard onOpen(block.streamID) else { return }
        open.insert(block.streamID)
        mostOpen = max(mostOpen, open.count)
        if block.endsStream { finish(request) } else { unfinished[block.streamID] = request }
    }

    private func finish(_ request: SeenRequest) {
        var request = request
        request.number = requests.count
        requests.append(request)
        onRequest(request)
    }

    // MARK: - Writing

    /// Sends a frame, whatever it is.
    public func frame(_ type: HTTP2FrameType, _ flags: HTTP2Flags = [], stream: UInt32 = 0, payload: [UInt8] = []) {
        var header = [UInt8](repeating: 0, count: HTTP2FrameHeader.byteCount)
        header.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress else { return }
            HTTP2FrameHeader(type: type, flags: flags, streamID: stream, length: payload.count).write(to: start)
        }
        output += header + payload
    }

    /// Sends settings with a change.
    public func announce(_ change: (inout HTTP2Settings) -> Void = { _ in }) {
        let before = settings
        change(&settings)
        output += [UInt8](unsafeUninitializedCapacity: HTTP2Settings.maxByteCount) { buffer, count in
            count = buffer.baseAddress.map { settings.write(to: UnsafeMutableRawPointer($0), since: before) } ?? 0
        }
    }

    /// Gives room for DATA.
    public func widen(by increment: UInt32, stream: UInt32 = 0) {
        if stream == 0 { window += Int64(increment) }
        frame(.windowUpdate, stream: stream, payload: Self.word(increment))
    }

    /// Answers an open stream with 200.
    public func accept(_ stream: UInt32) {
        guard open.remove(stream) != nil else { return }
        frame(.headers, [.endHeaders, .endStream], stream: stream, payload: [0x88])
    }

    /// Answers an open stream with a refusal.
    public func refuse(_ stream: UInt32, status: Int, body: String) {
        guard open.remove(stream) != nil else { return }
        let block = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            var writer = HPACKWriter(UnsafeMutableRawBufferPointer(buffer))
            writer.status(status)
            count = writer.count
        }
        frame(.headers, .endHeaders, stream: stream, payload: block)
        frame(.data, .endStream, stream: stream, payload: Array(body.utf8))
    }

    /// Resets a stream.
    public func reset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        open.remove(stream)
        frame(.resetStream, stream: stream, payload: Self.word(code.rawValue))
    }

    /// Says goodbye.
    public func goAway(last: UInt32, code: HTTP2ErrorCode = .noError, debug: String = "") {
        frame(.goAway, payload: Self.word(last) + Self.word(code.rawValue) + Array(debug.utf8))
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}
