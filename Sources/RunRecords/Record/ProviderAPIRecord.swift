/// The simulator's account of the HTTP/2 provider API; accepted and refused notifications stand in the ledger, too.
public struct ProviderAPIRecord: Codable, Equatable, Sendable {
    /// Requests read whole.
    public var requests: Int64 = 0
    /// Notifications accepted, each time counted.
    public var accepted: Int64 = 0
    /// Messages accepted for channels.
    public var broadcasts: Int64 = 0
    /// Requests about channels carried out.
    public var channelRequests: Int64 = 0
    /// Refused requests by reason.
    @CountsByName public var refusals: [String: Int64]
    /// Streams refused with REFUSED_STREAM.
    public var refusedStreams: Int64 = 0
    /// Streams that the client reset.
    public var cancelledStreams: Int64 = 0
    /// Streams that the plan reset instead of answering.
    public var resetStreams: Int64 = 0
    /// Requests that the plan left without answer.
    public var unanswered: Int64 = 0
    /// Streams beyond the last one of a GOAWAY.
    public var ignoredStreams: Int64 = 0
    /// GOAWAY frames sent, announcements and those for broken rules among them.
    public var goAways: Int64 = 0
    /// Connections that ended because the client broke the protocol.
    public var violations: Int64 = 0
    /// Clients that do not speak HTTP/2, by ALPN or by what they sent first; nil in older records.
    public var otherProtocols: Int64?
    /// Streams that ended because the client broke the protocol.
    public var streamViolations: Int64 = 0
    /// The most streams that were open at a time on one connection.
    public var maxOpenStreams: Int64 = 0

    /// Makes an account of nothing.
    public init() {}
}
