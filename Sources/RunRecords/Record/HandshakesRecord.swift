public import Primitives

/// TLS handshakes of one side, by kind as the TLS library tells it.
public struct HandshakesRecord: Codable, Equatable, Sendable {
    /// Full handshakes: certificate, signature, key exchange.
    public var full = HandshakeCostRecord()
    /// Handshakes that resumed an earlier session.
    public var resumed = HandshakeCostRecord()

    /// Makes a count of none.
    public init() {}

    /// Handshakes of both kinds.
    public var count: Int64 { full.count + resumed.count }
    /// Processor time of both kinds.
    public var cpuNs: Int64 { full.cpuNs + resumed.cpuNs }

    /// Enters one handshake.
    public mutating func add(isResumed: Bool, processorTime: Interval) {
        if isResumed { resumed.add(processorTime) } else { full.add(processorTime) }
    }

    /// Adds another loop's handshakes.
    public mutating func add(_ other: HandshakesRecord) {
        full.add(other.full)
        resumed.add(other.resumed)
    }
}

/// Handshakes of one kind.
public struct HandshakeCostRecord: Codable, Equatable, Sendable {
    /// How many were completed.
    public var count: Int64 = 0
    /// Processor time spent in the TLS library for them, in nanoseconds; what the kernel does for TCP is not in it.
    public var cpuNs: Int64 = 0

    /// Makes a count of none.
    public init() {}

    /// Processor time of one; nil if there was none.
    public var meanNs: Double? { count > 0 ? Double(cpuNs) / Double(count) : nil }

    fileprivate mutating func add(_ processorTime: Interval) {
        count += 1
        cpuNs += processorTime.nanoseconds
    }

    fileprivate mutating func add(_ other: HandshakeCostRecord) {
        count += other.count
        cpuNs += other.cpuNs
    }
}
