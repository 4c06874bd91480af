import Primitives
import PushWire

/// Bytes of a text of hexadecimal digits, blanks left aside.
func bytes(hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { HexDigits.value(of: $0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A field of a header list, as a test writes it down.
struct Field: Hashable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A frame that outlives the reader.
struct KeptFrame: Equatable {
    var header: HTTP2FrameHeader
    var payload: [UInt8]

    init(_ type: HTTP2FrameType, _ flags: HTTP2Flags = [], stream: UInt32 = 0, payload: [UInt8] = []) {
        header = HTTP2FrameHeader(type: type, flags: flags, streamID: stream, length: payload.count)
        self.payload = payload
    }

    init(_ frame: HTTP2Frame) {
        header = frame.header
        payload = Array(frame.payload)
    }

    /// The bytes on the wire, written by hand.
    var bytes: [UInt8] {
        let count = UInt32(payload.count)
        let id = header.streamID
        return [
            UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), header.typeCode, header.flags.rawValue,
        ]
            + [UInt8(id >> 24), UInt8(id >> 16 & 0xFF), UInt8(id >> 8 & 0xFF), UInt8(id & 0xFF)] + payload
    }
}

/// The fields of a header block, or the violation that it is.
func decode(
    _ block: [UInt8], with decoder: inout HPACKDecoder, _ body: (HPACKField) -> Void = { _ in }
) throws(HTTP2Violation) -> [Field] {
    var fields: [Field] = []
    let result = block.withUnsafeBytes { view -> Result<Void, HTTP2Violation> in
        do throws(HTTP2Violation) {
            try decoder.decode(view, streamID: 1) { field in
                fields.append(
                    Field(
                        String(decoding: field.nameBytes, as: UTF8.self), String(decoding: field.value, as: UTF8.self)))
                body(field)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
    try result.get()
    return fields
}

/// Drives a frame reader with bytes in pieces, and keeps what comes out.
struct ReaderBench: ~Copyable {
    var reader: HTTP2FrameReader
    var frames: [KeptFrame] = []
    var violations: [HTTP2Violation] = []
    var mostKept = 0

    init(role: HTTP2FrameReader.Role = .client) { reader = HTTP2FrameReader(role: role) }

    mutating func receive(_ bytes: some Collection<UInt8>) {
        let piece = Array(bytes)
        piece.withUnsafeBytes { view in
            var rest = view
            for _ in 0...2 * piece.count {
                do throws(HTTP2Violation) {
                    guard let frame = try reader.next(in: &rest) else { break }
                    frames.append(KeptFrame(frame))
                } catch {
                    violations.append(error)
                }
            }
        }
        mostKept = max(mostKept, reader.unfinishedByteCount)
    }
}

/// Two digits for a byte.
func hex(_ byte: UInt8) -> String { String(UInt16(byte) + 0x100, radix: 16).dropFirst().description }

/// The `apns-id` of a notification.
func idBytes(_ ids: NotificationIDSpace, _ sequence: UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: NotificationIDSpace.byteCount) { buffer, count in
        ids.write(sequence: sequence, to: UnsafeMutableRawPointer(buffer.baseAddress!))
        count = NotificationIDSpace.byteCount
    }
}

/// A request as a template writes it, cut into its parts by hand.
struct Request {
    var wire: [UInt8]
    var block: [UInt8]
    var body: [UInt8] = []
    var streams: [UInt32]
    var flags: [UInt8]

    init(_ template: inout RequestTemplate, token: [UInt8], sequence: UInt64, stream: UInt32, payload: [UInt8]) {
        let offset = template.payloadOffset(tokenBytes: token.count)
        wire = [UInt8](repeating: 0xEE, count: offset + payload.count)
        wire.replaceSubrange(offset..., with: payload)
        let count = wire.withUnsafeMutableBytes { buffer in
            token.withUnsafeBytes {
                template.write(
                    to: buffer.baseAddress!, streamID: stream, token: $0, sequence: sequence,
                    payloadBytes: payload.count)
            }
        }
        wire.removeLast(wire.count - count)
        let header = wire.withUnsafeBytes { HTTP2FrameHeader(at: $0.baseAddress!) }
        block = Array(wire[9..<9 + header.length])
        streams = [header.streamID]
        flags = [header.flags.rawValue]
        let end = 9 + header.length
        guard end < wire.count else { return }
        let data = wire.withUnsafeBytes { HTTP2FrameHeader(at: $0.baseAddress! + end) }
        streams.append(data.streamID)
        flags.append(data.flags.rawValue)
        body = Array(wire[(end + 9)...])
    }
}
