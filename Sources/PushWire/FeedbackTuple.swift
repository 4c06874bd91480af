internal import Primitives

/// One entry of the feedback service's list: when the gateway found the app gone from a device, and the device's token.
///
/// UNIX seconds (4) · token length (2) · token, integers big-endian; nothing stands between tuples or around them.
/// Apple, Local and Remote Notification Programming Guide, "Binary Provider API", table A-6.
public struct FeedbackTuple {
    /// Bytes of a tuple that are not its token.
    public static let overheadBytes = 6

    /// When the gateway found the app gone, in UNIX seconds.
    public var timestamp: UInt32
    /// The device token's bytes, valid as long as the buffer in which they lie.
    public var token: UnsafeRawBufferPointer

    /// Makes a tuple of its two fields.
    @inlinable
    public init(timestamp: UInt32, token: UnsafeRawBufferPointer) {
        self.timestamp = timestamp
        self.token = token
    }

    /// The tuple's length on the wire.
    @inlinable public var byteCount: Int { Self.overheadBytes + token.count }

    /// Writes the tuple.
    ///
    /// - Precondition: ``byteCount`` bytes are writable at `destination`, and the token has at most 65,535 bytes.
    @inlinable
    public func write(to destination: UnsafeMutableRawPointer) {
        destination.storeBytes(of: timestamp.bigEndian, as: UInt32.self)
        destination.storeBytes(of: UInt16(token.count).bigEndian, toByteOffset: 4, as: UInt16.self)
        if let base = token.baseAddress {
            (destination + Self.overheadBytes).copyMemory(from: base, byteCount: token.count)
        }
    }

    /// The tuple's term in an order-free digest of a list: the sum of all terms, without regard to overflow.
    public var digestTerm: UInt64 { mix64(tokenHash(token) ^ UInt64(timestamp)) }
}

/// A token length in a feedback stream that the reader does not take, which usually means that the stream is out of phase.
public struct FeedbackViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the tuple begins, in bytes from the start of the stream.
    public var offset: UInt64
    /// The token length that it declares.
    public var tokenBytes: Int
    /// The lengths that are taken.
    public var accepted: ClosedRange<Int>

    /// A sentence for people.
    public var description: String {
        "the tuple at byte \(offset) declares a token of \(tokenBytes) bytes; "
            + "\(accepted.lowerBound) to \(accepted.upperBound) are accepted"
    }
}

/// Cuts a feedback stream that arrives in any pieces into tuples, and keeps at most one unfinished one.
public struct FeedbackReader {
    /// The token lengths that are taken; a length is two bytes, so it can declare 0 to 65,535.
    public let tokenBytes: ClosedRange<Int>
    /// How many bytes belong to whole tuples so far; where an unfinished one begins.
    public private(set) var offset: UInt64 = 0
    /// Whole tuples so far.
    public private(set) var tupleCount: UInt64 = 0
    /// What ended the reading, if anything did; the rest of the stream is ignored.
    public private(set) var violation: FeedbackViolation?
    private var carry: [UInt8] = []

    /// Makes a reader at the start of a stream; up to 100 bytes of token are what the service's documents allow.
    public init(tokenBytes: ClosedRange<Int> = 1...100) { self.tokenBytes = tokenBytes }

    /// How many bytes of an unfinished tuple are kept; not 0 at the end of the stream means that the stream was cut.
    public var unfinishedByteCount: Int { carry.count }

    /// Passes each whole tuple to `body`, in order.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (FeedbackTuple) -> Void) {
        guard violation == nil else { return }
        var position = 0
        if !carry.isEmpty { position = completeCarry(from: bytes, body) }
        while position < bytes.count, violation == nil {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard let length = byteCount(of: rest) else { return }
            guard rest.count >= length else {
                carry.append(contentsOf: rest)
                return
            }
            pass(UnsafeRawBufferPointer(rebasing: rest[..<length]), body)
            position += length
        }
    }

    /// Adds as many bytes to the unfinished tuple as it needs and passes it on when it is whole; returns how many were taken.
    private mutating func completeCarry(from bytes: UnsafeRawBufferPointer, _ body: (FeedbackTuple) -> Void) -> Int {
        var taken = 0
        // Two rounds: the bytes up to the length, then the token.
        for _ in 0..<2 {
            guard let length = carry.withUnsafeBytes({ byteCount(of: $0) }) else { break }
            let part = bytes[taken...].prefix(length - carry.count)
            carry.append(contentsOf: part)
            taken += part.count
        }
        guard violation == nil, let length = carry.withUnsafeBytes({ byteCount(of: $0) }), carry.count == length else {
            return taken
        }
        carry.withUnsafeBytes { pass($0, body) }
        carry.removeAll(keepingCapacity: true)
        return taken
    }

    /// The length of the tuple that begins here, or as much as must be there to tell it; nil for one that is not taken.
    private mutating func byteCount(of tuple: UnsafeRawBufferPointer) -> Int? {
        guard tuple.count >= FeedbackTuple.overheadBytes else { return FeedbackTuple.overheadBytes }
        let length = Int(UInt16(bigEndian: tuple.loadUnaligned(fromByteOffset: 4, as: UInt16.self)))
        guard tokenBytes.contains(length) else {
            violation = FeedbackViolation(offset: offset, tokenBytes: length, accepted: tokenBytes)
            return nil
        }
        return FeedbackTuple.overheadBytes + length
    }

    private mutating func pass(_ tuple: UnsafeRawBufferPointer, _ body: (FeedbackTuple) -> Void) {
        offset += UInt64(tuple.count)
        tupleCount += 1
        body(
            FeedbackTuple(
                timestamp: UInt32(bigEndian: tuple.loadUnaligned(as: UInt32.self)),
                token: UnsafeRawBufferPointer(rebasing: tuple[FeedbackTuple.overheadBytes...])))
    }
}
