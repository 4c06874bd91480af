import Primitives
import PushWire

/// The parts of one notification, as a test writes them down.
struct Parts: Equatable {
    var command: UInt8 = 1
    var identifier: UInt32
    var hasIdentifier = true
    var expiry: UInt32
    var priority: UInt8 = 10
    var token: [UInt8]
    var payload: [UInt8]

    /// Parts of command 1 that a seed determines.
    static func drawn(from random: inout SeededRandom, tokenBytes: Int = 32, payloadLimit: UInt64 = 300) -> Parts {
        Parts(
            identifier: UInt32(truncatingIfNeeded: random.next()), expiry: UInt32(truncatingIfNeeded: random.next()),
            token: bytes(tokenBytes, from: &random),
            payload: bytes(1 + Int(random.below(payloadLimit)), from: &random))
    }

    /// Parts of any command that a seed determines.
    static func drawnMixed(from random: inout SeededRandom, payloadLimit: UInt64 = 300) -> Parts {
        var parts = drawn(from: &random, payloadLimit: payloadLimit)
        parts.command = UInt8(random.below(3))
        if parts.command == 0 {
            (parts.identifier, parts.hasIdentifier, parts.expiry) = (0, false, 0)
        }
        if parts.command == 2 && random.below(2) == 0 { parts.priority = 5 }
        return parts
    }

    static func bytes(_ count: Int, from random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// The frame of these parts, by the encoder under test.
    var frame: [UInt8] {
        switch command {
        case 0: frame(SimpleNotification())
        case 1: frame(EnhancedNotification(expiry: expiry))
        default: frame(FramedNotification(expiry: expiry, priority: priority))
        }
    }

    private func frame<Format: NotificationFormat>(_ format: Format) -> [UInt8] {
        let room = Format.overheadBytes + token.count + payload.count
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let base = UnsafeMutableRawPointer(buffer.baseAddress!)
            base.advanced(by: Format.tokenOffset).copyMemory(from: token, byteCount: token.count)
            base.advanced(by: Format.payloadOffset(tokenBytes: token.count))
                .copyMemory(from: payload, byteCount: payload.count)
            count = format.frame(
                base, identifier: identifier, tokenBytes: token.count, payloadBytes: payload.count)
        }
    }
}

/// A command 2 with these items, whatever they are.
func framed(_ items: [(id: UInt8, data: [UInt8])]) -> [UInt8] {
    let data = items.flatMap { [$0.id] + bigEndian($0.data.count, 2) + $0.data }
    return [2] + bigEndian(data.count, 4) + data
}

/// A number in so many bytes, the highest first.
func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
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
                case .refused(let refused):
                    seen.append(.refused(refused.status, refused.identifier))
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
            command: view.command, identifier: view.identifier, hasIdentifier: view.hasIdentifier, expiry: view.expiry,
            priority: view.priority, token: Array(view.token), payload: Array(view.payload))
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
