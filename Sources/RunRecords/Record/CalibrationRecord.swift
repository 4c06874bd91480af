/// A machine's own limits: what TLS alone can do on it, and how well it tells the time.
public struct CalibrationRecord: Codable, Equatable, Sendable {
    /// Plain bytes per second through TLS in records of 16 KiB, both ends on this machine.
    public var pipeBytesPerSecond: Int64 = 0
    /// Connections that the pipe figure was measured with.
    public var pipeConnections = 0
    /// Processor time of the pipe's sending side for one record; null if not measured.
    @ExplicitNull public var pipeSenderNsPerRecord: Int64?
    /// Processor time of the pipe's receiving side for one record; null if not measured.
    @ExplicitNull public var pipeReceiverNsPerRecord: Int64?
    /// Full handshakes per second; null if not measured.
    @ExplicitNull public var fullHandshakesPerSecond: Int64?
    /// Resumed handshakes per second; null if not measured.
    @ExplicitNull public var resumedHandshakesPerSecond: Int64?
    /// The client's processor time for a full handshake, its connection included; null if not measured.
    @ExplicitNull public var fullHandshakeClientNs: Int64?
    /// The server's processor time for a full handshake, its connection included; null if not measured.
    @ExplicitNull public var fullHandshakeServerNs: Int64?
    /// The client's processor time for a resumed handshake, its connection included; null if not measured.
    @ExplicitNull public var resumedHandshakeClientNs: Int64?
    /// The server's processor time for a resumed handshake, its connection included; null if not measured.
    @ExplicitNull public var resumedHandshakeServerNs: Int64?
    /// The simulator's processor time for a notification of ``acceptAllBytes`` that it accepts without looking at it; null if not
    /// measured.
    @ExplicitNull public var acceptAllNs: Double?
    /// The bytes of those notifications, on average.
    @ExplicitNull public var acceptAllBytes: Double?
    /// The same for a request of HTTP/2 of ``acceptAllHTTP2Bytes``, which is answered with 200 unseen; null if not measured.
    @ExplicitNull public var acceptAllHTTP2Ns: Double?
    /// The bytes of those requests, on average.
    @ExplicitNull public var acceptAllHTTP2Bytes: Double?
    /// What one reading of the clock costs; null if not measured.
    @ExplicitNull public var clockReadNs: Int64?
    /// By how much an event loop's timer is late, at the median; null if not measured.
    @ExplicitNull public var timerLagP50Ns: Int64?
    /// Lateness that 99 of 100 timers did not exceed; null if not measured.
    @ExplicitNull public var timerLagP99Ns: Int64?
    /// The latest timer's lateness; null if not measured.
    @ExplicitNull public var timerLagMaxNs: Int64?
    /// When it was measured, ISO 8601 in UTC.
    public var measuredAt = ""

    /// Makes an empty calibration.
    public init() {}
}

extension CalibrationRecord {
    /// The bytes of the records that the pipe's figures are about.
    private static let recordBytes = 16_384.0

    /// How many notifications a simulator with so many event loops, a processor for each, can accept in a second without looking at
    /// them; nil if not measured.
    ///
    /// Other lengths than those measured cost what the raw pipe's receiver takes for the difference in bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of a notification, on average.
    ///   - loops: the simulator's event loops.
    ///   - isHTTP2: whether they are requests of HTTP/2.
    /// - Returns: notifications per second.
    public func acceptAllPerSecond(bytes: Double, loops: Int, isHTTP2: Bool = false) -> Double? {
        let measured = isHTTP2 ? (acceptAllHTTP2Ns, acceptAllHTTP2Bytes) : (acceptAllNs, acceptAllBytes)
        guard case (let acceptAllNs?, let acceptAllBytes?) = measured, acceptAllNs > 0, bytes > 0, loops > 0 else {
            return nil
        }
        let perByte = Double(pipeReceiverNsPerRecord ?? 0) / Self.recordBytes
        // However short, a notification costs its frame's parsing.
        let cost = max(acceptAllNs / 4, acceptAllNs + (bytes - acceptAllBytes) * perByte)
        return Double(loops) * 1e9 / cost
    }
}
