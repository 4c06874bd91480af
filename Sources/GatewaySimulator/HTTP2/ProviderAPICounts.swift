import PushWire

/// What a gateway counts of the HTTP/2 provider API beside what all protocols share.
public struct ProviderAPICounts: Hashable, Sendable {
    /// Requests that came whole.
    public var requests: UInt64 = 0
    /// Notifications to devices that were accepted.
    public var accepted: UInt64 = 0
    /// Messages that were accepted for channels.
    public var broadcasts: UInt64 = 0
    /// Requests about channels that were carried out.
    public var channelRequests: UInt64 = 0
    /// Refused requests by ``RefusalReason``.
    public var refusals = [UInt64](repeating: 0, count: RefusalReason.allCases.count)
    /// Streams refused with REFUSED_STREAM.
    public var refusedStreams: UInt64 = 0
    /// Streams that the client reset.
    public var cancelledStreams: UInt64 = 0
    /// Streams that were reset instead of answered.
    public var resetStreams: UInt64 = 0
    /// Requests that the plan leaves without answer.
    public var unanswered: UInt64 = 0
    /// Requests above the last stream of a GOAWAY, which were not looked at.
    public var ignoredStreams: UInt64 = 0
    /// GOAWAY frames, announcements among them.
    public var goAways: UInt64 = 0
    /// Connections that ended because the client broke the protocol.
    public var violations: UInt64 = 0
    /// Clients that do not speak HTTP/2, by the protocols that they offered or by what they sent first.
    public var otherProtocols: UInt64 = 0
    /// Streams that ended because the client broke the protocol.
    public var streamViolations: UInt64 = 0
    /// The most streams that were open at a time on one connection.
    public var maxOpenStreams: UInt64 = 0

    /// Makes sums of nothing.
    public init() {}

    /// All refused requests.
    public var refused: UInt64 { refusals.reduce(0, +) }

    /// Adds another loop's sums to these.
    mutating func add(_ other: ProviderAPICounts) {
        requests += other.requests
        accepted += other.accepted
        broadcasts += other.broadcasts
        channelRequests += other.channelRequests
        for index in refusals.indices { refusals[index] += other.refusals[index] }
        refusedStreams += other.refusedStreams
        cancelledStreams += other.cancelledStreams
        resetStreams += other.resetStreams
        unanswered += other.unanswered
        ignoredStreams += other.ignoredStreams
        goAways += other.goAways
        violations += other.violations
        otherProtocols += other.otherProtocols
        streamViolations += other.streamViolations
        maxOpenStreams = max(maxOpenStreams, other.maxOpenStreams)
    }
}
