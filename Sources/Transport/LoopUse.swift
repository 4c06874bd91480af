public import Primitives

/// What an event loop has used so far of what it shares with others.
public struct LoopUse: Hashable, Sendable {
    /// Its processor time.
    public var processorTime = Interval.zero
    /// For how long it was ready to run while others had the processors; nil where the kernel does not tell.
    public var runQueueTime: Interval?
    /// Its calls that read from sockets.
    public var reads: UInt64 = 0
    /// Its calls that wrote to sockets.
    public var writes: UInt64 = 0
    /// Its calls that waited for events.
    public var waits: UInt64 = 0
    /// Bytes that its sockets brought, as they are on the wire above TCP.
    public var bytesIn: UInt64 = 0
    /// Bytes that its sockets took.
    public var bytesOut: UInt64 = 0

    /// Makes an account of nothing.
    public init() {}

    /// What was used between an earlier moment of the same loop and this one.
    public func since(_ earlier: LoopUse) -> LoopUse {
        var use = LoopUse()
        use.processorTime = processorTime - earlier.processorTime
        use.runQueueTime = runQueueTime.flatMap { time in earlier.runQueueTime.map { time - $0 } }
        use.reads = reads - earlier.reads
        use.writes = writes - earlier.writes
        use.waits = waits - earlier.waits
        use.bytesIn = bytesIn - earlier.bytesIn
        use.bytesOut = bytesOut - earlier.bytesOut
        return use
    }

    /// A call read from a socket; a negative count is one that brought nothing.
    mutating func noteRead(_ count: Int) {
        reads &+= 1
        if count > 0 { bytesIn &+= UInt64(count) }
    }

    /// A call wrote to a socket; a negative count is one that took nothing.
    mutating func noteWrite(_ count: Int) {
        writes &+= 1
        if count > 0 { bytesOut &+= UInt64(count) }
    }
}
