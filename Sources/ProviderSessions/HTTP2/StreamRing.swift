import Primitives

/// A request whose answer is awaited.
struct OpenRequest {
    /// How far its answer is.
    enum Phase: UInt8 {
        /// Nothing came.
        case awaiting
        /// The header of a success came, and not yet the end.
        case succeeding
        /// The header of a refusal came, and not yet the end.
        case failing
    }

    /// The stream; 0 if the place is free.
    var streamID: UInt32
    var phase = Phase.awaiting
    /// How often it was written again without proof that the first time failed.
    var unprovenResends: UInt8
    /// How often it was refused by a response before.
    var retries: UInt8
    /// How often its stream was refused before.
    var refusedStreams: UInt16 = 0
    /// The status of a refusal whose body has not ended.
    var status: UInt16 = 0
    /// Bytes of the response's body so far.
    var bodyBytes: UInt32 = 0
    var sequence: UInt64
    var openedAt: Instant
}

/// The open requests of a connection, found by a few bits of their stream's number.
///
/// Streams are numbered upwards and mostly end in that order, so neighbours seldom wait for each other's place; a number whose place is
/// still taken is left out, which HTTP/2 allows (RFC 9113 section 5.1.1).
struct StreamRing: ~Copyable {
    private let places: UnsafeMutablePointer<OpenRequest>
    private let mask: UInt32
    /// How many requests are open.
    private(set) var openCount = 0
    /// The number of the next stream.
    private(set) var nextStreamID: UInt32 = 1
    /// No open request has a lower number.
    private var oldestStreamID: UInt32 = 1

    /// Makes a ring for up to `limit` open requests.
    init(limit: Int) {
        var capacity = 4
        while capacity < 2 * limit { capacity *= 2 }
        mask = UInt32(capacity - 1)
        places = .allocate(capacity: capacity)
        places.initialize(
            repeating: OpenRequest(streamID: 0, unprovenResends: 0, retries: 0, sequence: 0, openedAt: .zero),
            count: capacity)
    }

    deinit { places.deallocate() }

    private func place(_ streamID: UInt32) -> UnsafeMutablePointer<OpenRequest> {
        places + Int((streamID >> 1) & mask)
    }

    /// The place of an open request; nil if the stream is not open. Valid until it is closed.
    func find(_ streamID: UInt32) -> UnsafeMutablePointer<OpenRequest>? {
        let place = place(streamID)
        return streamID != 0 && place.pointee.streamID == streamID ? place : nil
    }

    /// Opens the next stream for a request and returns its number.
    ///
    /// - Precondition: fewer requests are open than the ring was made for.
    mutating func open(_ request: OpenRequest) -> UInt32 {
        while place(nextStreamID).pointee.streamID != 0 { nextStreamID += 2 }
        let streamID = nextStreamID
        place(streamID).pointee = request
        place(streamID).pointee.streamID = streamID
        nextStreamID += 2
        openCount += 1
        return streamID
    }

    mutating func close(_ place: UnsafeMutablePointer<OpenRequest>) {
        place.pointee.streamID = 0
        openCount -= 1
    }

    /// The number that the next stream will have.
    mutating func peekStreamID() -> UInt32 {
        while place(nextStreamID).pointee.streamID != 0 { nextStreamID += 2 }
        return nextStreamID
    }

    /// The open request that was opened first.
    mutating func oldest() -> UnsafeMutablePointer<OpenRequest>? {
        guard openCount > 0 else {
            oldestStreamID = nextStreamID
            return nil
        }
        while oldestStreamID < nextStreamID {
            if let place = find(oldestStreamID) { return place }
            oldestStreamID += 2
        }
        return nil
    }

    /// Closes all open requests with a number above `streamID`, from the oldest to the newest.
    mutating func closeAll(above streamID: UInt32 = 0, _ body: (OpenRequest) -> Void) {
        guard openCount > 0 else { return }
        let first = max(oldestStreamID, streamID < 1 ? 1 : streamID + 1 + streamID % 2)
        for number in stride(from: first, to: nextStreamID, by: 2) {
            guard openCount > 0 else { return }
            guard let place = find(number) else { continue }
            let request = place.pointee
            close(place)
            body(request)
        }
    }

    /// Begins a new connection.
    mutating func restart() {
        closeAll { _ in }
        (nextStreamID, oldestStreamID) = (1, 1)
    }
}
