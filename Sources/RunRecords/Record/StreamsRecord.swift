/// What streams allow of a run over HTTP/2: no more answers a second than streams / service time.
public struct StreamsRecord: Codable, Equatable, Sendable {
    /// How many requests could be in flight on all connections together, at the highest limit that held.
    public var allowed: Int64 = 0
    /// The mean service time, from a request to the end of its response; null without answers.
    @ExplicitNull public var serviceMeanNs: Int64?
    /// Answers per second that `allowed` requests in flight would bring at that service time; null in an open loop, which does not try
    /// to have them all in flight.
    @ExplicitNull public var expectedPerSecond: Double?
    /// Answers per second as measured.
    @ExplicitNull public var answeredPerSecond: Double?
    /// For how long the gateway's limit of streams kept connections from opening requests, added over all of them.
    public var blockedByStreamsNs: Int64 = 0
    /// For how long its windows did.
    public var blockedByWindowNs: Int64 = 0

    /// Makes an account of nothing.
    public init() {}

    /// The measured rate against the expected one, less 1; nil without answers.
    public var deviation: Double? {
        guard let answeredPerSecond, let expectedPerSecond, expectedPerSecond > 0 else { return nil }
        return answeredPerSecond / expectedPerSecond - 1
    }
}
