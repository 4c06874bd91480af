import Glibc
public import PushWire

/// What takes the tuples that a client reads; lives on the client's event loop.
public protocol FeedbackSink: AnyObject {
    /// Takes one tuple, whose bytes are valid during the call.
    func take(_ tuple: FeedbackTuple)

    /// All whole tuples of what has arrived were taken: what is kept back should be written now.
    ///
    /// - Returns: why nothing more can be taken, as the system's error number; nil to go on.
    func pieceEnded() -> Int32?
}

/// How the reading of a feedback list went.
public struct FeedbackReading: Equatable, Sendable {
    /// How it ended.
    public enum End: Equatable, Sendable {
        /// The service closed behind a whole tuple; `cleanly` tells whether with close_notify, as TLS wants it.
        case complete(cleanly: Bool)
        /// The service closed inside a tuple.
        case cut
        /// What came is no feedback stream.
        case violation(FeedbackViolation)
        /// Nothing came for too long.
        case silence
        /// The connection broke, or TLS did.
        case broken(String)
        /// There was no connection; the reason is a person's.
        case notConnected(String)
        /// One side will not have the other's certificate, of which TLS 1.3 tells a client only once its connection stands.
        case certificateRefused(String)
        /// The sink can take no more, by the system's error number.
        case sinkFailed(code: Int32)
    }

    /// How it ended.
    public internal(set) var end = End.notConnected("")
    /// Whole tuples that were read; the sink has got all of them.
    public internal(set) var tupleCount: UInt64 = 0
    /// The bytes of whole tuples; where a cut one begins.
    public internal(set) var byteCount: UInt64 = 0
    /// Bytes of an unfinished tuple.
    public internal(set) var unfinishedByteCount = 0
    /// The order-free digest of the tuples.
    public internal(set) var digest: UInt64 = 0

    /// Why the list is not complete, and where it ended; nil when it is complete.
    public var problem: String? {
        let place = "after byte \(byteCount + UInt64(unfinishedByteCount))"
        switch end {
        case .complete: return nil
        case .cut:
            return
                "cut \(place), inside the tuple that begins at byte \(byteCount); \(tupleCount) whole tuples came before"
        case .violation(let violation): return "\(violation); \(tupleCount) whole tuples came before"
        case .silence: return "nothing came for too long \(place); \(tupleCount) whole tuples came before"
        case .broken(let reason): return "\(reason) \(place); \(tupleCount) whole tuples came before"
        case .notConnected(let reason), .certificateRefused(let reason): return "no connection: \(reason)"
        case .sinkFailed(let code): return "the tuples cannot be written: \(String(cString: strerror(code)))"
        }
    }
}
