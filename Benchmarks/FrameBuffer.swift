import Primitives
import PushWire
import Workload

/// As many whole frames as a batch of 64 KiB holds, and where their parts lie.
final class FrameBuffer<Format: NotificationFormat> {
    /// How many frames there are.
    let count: Int
    /// How often the buffer is read into one book.
    let bookRounds = 16
    /// The tokens and payloads of the frames, within ``bytes``.
    private(set) var tokens: [UnsafeRawPointer] = []
    private(set) var payloads: [UnsafeRawBufferPointer] = []
    /// The sum of the frames' identifiers and payload lengths.
    private(set) var partSum: UInt64 = 0
    /// The sum of the indexes of the devices that they go to.
    private(set) var deviceSum: UInt64 = 0
    private let format: Format
    private let source: NotificationSource
    private let original: UnsafeMutableRawBufferPointer
    private let duplicate: UnsafeMutableRawBufferPointer
    private let scratch: UnsafeMutableRawBufferPointer
    private var byteCount = 0

    init(_ format: Format, source: NotificationSource) {
        self.format = format
        self.source = source
        count = 440
        original = .allocate(byteCount: 1 << 17, alignment: 64)
        duplicate = .allocate(byteCount: 1 << 17, alignment: 64)
        scratch = .allocate(byteCount: 1 << 17, alignment: 64)
        byteCount = encode(from: 0, into: original)
        locateParts()
    }

    deinit {
        original.deallocate()
        duplicate.deallocate()
        scratch.deallocate()
    }

    /// The frames.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: original[..<byteCount]) }

    /// The frames' length on average.
    var bytesPerFrame: Double { Double(byteCount) / Double(count) }

    /// Encodes as many frames as there are, from a sequence number on, and returns how many bytes they have.
    func encode(from start: UInt64) -> Int { encode(from: start, into: scratch) }

    private func encode(from start: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        var identifier = IdentifierSpace().identifier(of: start)
        var cursor = source.cursor(at: start)
        var offset = 0
        for sequence in start..<start + UInt64(count) {
            let frame = base + offset
            let tokenBytes = source.writeToken(at: &cursor, into: frame + Format.tokenOffset)
            let payloadBytes = source.writePayload(
                sequence: sequence, into: frame + Format.payloadOffset(tokenBytes: tokenBytes),
                capacity: source.maxPayloadBytes)
            offset += format.frame(
                frame, identifier: identifier, tokenBytes: tokenBytes, payloadBytes: payloadBytes)
            identifier = identifier == .max ? 1 : identifier + 1
        }
        return offset
    }

    /// Copies the frames in one piece.
    func copy() { duplicate.copyMemory(from: bytes) }

    /// A hash of the frames, and of the last copy of them.
    var hash: UInt64 { Self.hash(bytes) }
    var copyHash: UInt64 { Self.hash(UnsafeRawBufferPointer(rebasing: duplicate[..<byteCount])) }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private func locateParts() {
        var reader = NotificationReader(parser: NotificationParser())
        reader.read(bytes) { frame, _ in
            guard case .notification(let notification) = frame, let token = notification.token.baseAddress else {
                return
            }
            tokens.append(token)
            payloads.append(notification.payload)
            partSum += UInt64(notification.identifier) + UInt64(notification.payload.count)
        }
        precondition(tokens.count == count, "the frames do not come back as they went in")
        deviceSum = (0..<UInt64(count)).reduce(0) { $0 &+ source.deviceIndex($1) }
    }
}
