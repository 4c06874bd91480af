import Primitives
import PushWire

/// The parts of one notification, as a test writes them down.
struct Parts: Equatable {
    var identifier: UInt32
    var expiry: UInt32
    var token: [UInt8]
    var payload: [UInt8]

    /// Parts that a seed determines.
    static func drawn(from random: inout SeededRandom, tokenBytes: Int = 32, payloadLimit: UInt64 = 300) -> Parts {
        Parts(
            identifier: UInt32(truncatingIfNeeded: random.next()), expiry: UInt32(truncatingIfNeeded: random.next()),
            token: bytes(tokenBytes, from: &random),
            payload: bytes(1 + Int(random.below(payloadLimit)), from: &random))
    }

    static func bytes(_ count: Int, from random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// The frame of these parts, by the encoder under test.
    var frame: [UInt8] {
        let room = EnhancedNotification.overheadBytes + token.count + payload.count
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let base = UnsafeMutableRawPointer(buffer.baseAddress!)
            base.advanced(by: EnhancedNotification.tokenOffset).copyMemory(from: token, byteCount: token.count)
            base.advanced(by: EnhancedNotification.payloadOffset(tokenBytes: token.count))
                .copyMemory(from: payload, byteCount: payload.count)
            count = EnhancedNotification.frame(
                base, identifier: identifier, expiry: expiry, tokenBytes: token.count, payloadBytes: payload.count)
        }
    }
}

/// What a reader passed on, copied out of its buffers.
enum Seen: Equatable {
    case notification(Parts)
    case refused(ErrorStatus, UInt32)
    case unknownCommand(UInt8)
}

/// What to do after a frame was refused.
enum AfterRefusal {
    case nothing
    case acceptAnyLength
}

/// Reads pieces one after the other and returns all that the reader passes on.
func read(
    _ pieces: [ArraySlice<UInt8>], _ after: AfterRefusal = .nothing,
    parser: NotificationParser = NotificationParser(payloadLimit: 256)
) -> (seen: [Seen], reader: NotificationReader) {
    var reader = NotificationReader(parser: parser)
    var seen: [Seen] = []
    for piece in pieces {
        // A buffer of its own for each piece: nothing may hold on to the last one.
        Array(piece).withUnsafeBytes { bytes in
            reader.read(bytes) { frame, reader in
                switch frame {
                case .notification(let view): seen.append(.notification(Parts(view)))
                case .refused(let status, let identifier):
                    seen.append(.refused(status, identifier))
                    if after == .acceptAnyLength { reader.acceptAnyLength() }
                case .unknownCommand(let command): seen.append(.unknownCommand(command))
                case .incomplete: preconditionFailure("an incomplete frame was passed on")
                }
            }
        }
    }
    return (seen, reader)
}

extension Parts {
    init(_ view: NotificationView) {
        self.init(
            identifier: view.identifier, expiry: view.expiry, token: Array(view.token), payload: Array(view.payload))
    }
}

/// Cuts bytes into pieces of random lengths, empty ones among them.
func randomPieces(of bytes: [UInt8], longest: UInt64, random: inout SeededRandom) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = rest.prefix(Int(random.below(longest + 1)))
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return pieces
}

/// The same judgement as the reader's in the plainest way: whole stream in one array, fields by index arithmetic.
func plainReading(of stream: [UInt8], _ after: AfterRefusal, payloadLimit: Int) -> [Seen] {
    var seen: [Seen] = []
    var rest = stream[...]
    var isStrict = true
    func number(_ offset: Int, _ count: Int) -> Int {
        rest.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
    while let command = rest.first {
        guard command == 1 else { return seen + [.unknownCommand(command)] }
        guard rest.count >= 11 else { return seen }
        let identifier = UInt32(number(1, 4))
        let tokenBytes = number(9, 2)
        var status: ErrorStatus?
        if isStrict && tokenBytes != 32 { status = tokenBytes == 0 ? .missingDeviceToken : .invalidTokenSize }
        var payloadBytes = 0
        if status == nil {
            guard rest.count >= 13 + tokenBytes else { return seen }
            payloadBytes = number(11 + tokenBytes, 2)
            if isStrict && payloadBytes == 0 { status = .missingPayload }
            if isStrict && payloadBytes > payloadLimit { status = .invalidPayloadSize }
        }
        if let status {
            seen.append(.refused(status, identifier))
            guard after == .acceptAnyLength else { return seen }
            isStrict = false
            continue
        }
        let byteCount = 13 + tokenBytes + payloadBytes
        guard rest.count >= byteCount else { return seen }
        seen.append(
            .notification(
                Parts(
                    identifier: identifier, expiry: UInt32(number(5, 4)),
                    token: Array(rest.dropFirst(11).prefix(tokenBytes)),
                    payload: Array(rest.dropFirst(13 + tokenBytes).prefix(payloadBytes)))))
        rest = rest.dropFirst(byteCount)
    }
    return seen
}
