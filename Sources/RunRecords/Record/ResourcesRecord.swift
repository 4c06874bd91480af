/// What the processes used, from the start of the run to its end.
public struct ResourcesRecord: Codable, Equatable, Sendable {
    /// The process that sends.
    public var sender = ProcessResourcesRecord()
    /// The simulator's process; null if the target is another gateway or the simulator died.
    @ExplicitNull public var simulator: ProcessResourcesRecord?

    /// Makes an empty account.
    public init() {}
}

/// What one process used.
public struct ProcessResourcesRecord: Codable, Equatable, Sendable {
    /// Processor time in the program.
    public var cpuUserNs: Int64 = 0
    /// Processor time in the kernel on its behalf.
    public var cpuSystemNs: Int64 = 0
    /// The most memory it held, in bytes.
    public var peakRSSBytes: Int64 = 0
    /// Allocations, by the allocator's count; null if it does not count.
    @ExplicitNull public var allocations: Int64?
    /// Bytes allocated, by the allocator's count; null if it does not count.
    @ExplicitNull public var allocatedBytes: Int64?
    /// Context switches because it waited.
    public var voluntaryContextSwitches: Int64 = 0
    /// Context switches because others were due.
    public var involuntaryContextSwitches: Int64 = 0
    /// File descriptors that it held at the end; null on kernels before 6.2, which do not tell.
    @ExplicitNull public var descriptors: Int64?
    /// Its event loops one by one; null in records of versions that did not tell them apart.
    @ExplicitNull public var loops: [LoopResourcesRecord]?

    /// Makes an empty account.
    public init() {}

    /// Processor time in all.
    public var cpuNs: Int64 { cpuUserNs + cpuSystemNs }

    /// What was used since an earlier moment of the same process; what it held stays what it is.
    public func since(_ earlier: ProcessResourcesRecord) -> ProcessResourcesRecord {
        var use = self
        use.cpuUserNs -= earlier.cpuUserNs
        use.cpuSystemNs -= earlier.cpuSystemNs
        use.allocations = allocations.flatMap { now in earlier.allocations.map { now - $0 } }
        use.voluntaryContextSwitches -= earlier.voluntaryContextSwitches
        use.involuntaryContextSwitches -= earlier.involuntaryContextSwitches
        return use
    }

    /// Context switches of both kinds.
    public var contextSwitches: Int64 { voluntaryContextSwitches + involuntaryContextSwitches }

    /// For how long its event loops were ready to run while others had the processors; nil where the kernel does not tell.
    public var runQueueNs: Int64? {
        guard let loops, !loops.isEmpty else { return nil }
        var sum: Int64 = 0
        for loop in loops {
            guard let time = loop.runQueueNs else { return nil }
            sum += time
        }
        return sum
    }

    /// System calls of its event loops: reads, writes and waits. What else a process asks the kernel for is not among them.
    public var systemCalls: Int64? { sum { $0.reads + $0.writes + $0.waits } }

    /// Bytes that its sockets brought and took, TLS among them.
    public var wireBytes: Int64? { sum { $0.bytesIn + $0.bytesOut } }

    private func sum(_ figure: (LoopResourcesRecord) -> Int64) -> Int64? { loops?.reduce(0) { $0 + figure($1) } }
}

/// What one event loop used.
public struct LoopResourcesRecord: Codable, Equatable, Sendable {
    /// Its processor time.
    public var cpuNs: Int64 = 0
    /// For how long it was ready to run while others had the processors; null where the kernel does not tell.
    @ExplicitNull public var runQueueNs: Int64?
    /// Calls that read from sockets.
    public var reads: Int64 = 0
    /// Calls that wrote to sockets.
    public var writes: Int64 = 0
    /// Calls that waited for events.
    public var waits: Int64 = 0
    /// Bytes that its sockets brought, TLS among them.
    public var bytesIn: Int64 = 0
    /// Bytes that its sockets took, TLS among them.
    public var bytesOut: Int64 = 0

    /// Makes an account of nothing.
    public init() {}
}
