/// One request on its way, from its header block to the end of its response.
struct GatewayStream {
    enum Phase: UInt8 {
        /// The body is still to come.
        case receiving
        /// The request is whole, and its answer waits or never comes.
        case waiting
        /// The header fields of the response have left, and its body waits for room in a window.
        case blocked
        /// The response has left before the request was whole, and what still comes is thrown away.
        case discarding
    }

    /// The stream's number; 0 for a free place.
    var id: UInt32 = 0
    var phase = Phase.receiving
    /// Bytes of the body so far.
    var bodyByteCount = 0
    /// Bytes that count against the stream's window and that it was not widened by.
    var unacknowledgedByteCount = 0
    /// Room that the client gave the response beyond its initial window.
    var responseRoom: Int64 = 0
    var head = RequestHead()
}

/// The open streams of a connection, in a ring by their numbers.
///
/// A client opens streams in order and most end in order, so a stream's place is its number modulo the ring's size. A stream that stays
/// open while others come round is put aside into a dictionary once the ring has its full size, so memory follows the streams that are
/// open and is bounded by their limit.
struct GatewayStreams: ~Copyable {
    private static let firstCapacity = 64

    private var places: UnsafeMutablePointer<GatewayStream>
    private var capacity = firstCapacity
    private let maxCapacity: Int
    private var aside: [UInt32: GatewayStream] = [:]
    /// How many streams are open.
    private(set) var count = 0

    /// Makes an empty table for up to about so many streams; more have room, but cost more.
    init(expecting limit: Int) {
        var capacity = Self.firstCapacity
        while capacity < 2 * limit && capacity < 16_384 { capacity *= 2 }
        maxCapacity = capacity
        places = .allocate(capacity: Self.firstCapacity)
        places.initialize(repeating: GatewayStream(), count: Self.firstCapacity)
    }

    deinit { places.deallocate() }

    /// Adds a stream with a number that was not used before.
    mutating func open(_ stream: GatewayStream) {
        let index = index(of: stream.id)
        if places[index].id != 0 { makeWay(at: stream.id) }
        places[self.index(of: stream.id)] = stream
        count += 1
    }

    /// Whether a stream is open.
    func isOpen(_ id: UInt32) -> Bool { places[index(of: id)].id == id || aside[id] != nil }

    /// Calls `body` with an open stream, which it may change; nil when there is none.
    @inline(__always)
    mutating func with<Result>(_ id: UInt32, _ body: (inout GatewayStream) -> Result) -> Result? {
        let index = index(of: id)
        if places[index].id == id { return body(&places[index]) }
        guard !aside.isEmpty, var stream = aside[id] else { return nil }
        defer { aside[id] = stream }
        return body(&stream)
    }

    /// Removes a stream; false when it was not open.
    @discardableResult
    mutating func close(_ id: UInt32) -> Bool {
        let index = index(of: id)
        if places[index].id == id {
            places[index].id = 0
        } else if aside.isEmpty || aside.removeValue(forKey: id) == nil {
            return false
        }
        count -= 1
        return true
    }

    /// Removes the streams above a number, and returns how many there were.
    mutating func closeAll(above last: UInt32) -> Int {
        var closed: [UInt32] = aside.keys.filter { $0 > last }
        for index in 0..<capacity where places[index].id > last { closed.append(places[index].id) }
        for id in closed { close(id) }
        return closed.count
    }

    private func index(of id: UInt32) -> Int { Int(id >> 1) & (capacity - 1) }

    /// Widens the ring, or puts the stream aside that has the place.
    private mutating func makeWay(at id: UInt32) {
        while capacity < maxCapacity {
            double()
            if places[index(of: id)].id == 0 { return }
        }
        let index = index(of: id)
        aside[places[index].id] = places[index]
        places[index].id = 0
    }

    private mutating func double() {
        let old = places
        let oldCapacity = capacity
        capacity *= 2
        places = .allocate(capacity: capacity)
        places.initialize(repeating: GatewayStream(), count: capacity)
        // Two streams that had two places have two places in a wider ring, too.
        for place in 0..<oldCapacity where old[place].id != 0 { places[index(of: old[place].id)] = old[place] }
        old.deallocate()
    }
}
