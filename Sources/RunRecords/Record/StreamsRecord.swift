/// Requests in flight of a run over HTTP/2, and what Little's law makes of them: rate = requests in flight / service time.
public struct StreamsRecord: Codable, Equatable, Sendable {
    /// How many requests could be in flight on all connections together, at the highest limit that held.
    public var allowed: Int64 = 0
    /// The mean service time, from a request to the end of its response; null without answers.
    @ExplicitNull public var serviceMeanNs: Int64?
    /// Answers per second that `allowed` requests in flight would bring at that service time.
    @ExplicitNull public var expectedPerSecond: Double?
    /// Answers per second as measured.
    @ExplicitNull public var answeredPerSecond: Double?
    /// For how long the gateway's limit of streams kept connections from opening requests, added over all of them.
    public var blockedByStreamsNs: Int64 = 0
    /// For how long its windows did.
    public var blockedByWindowNs: Int64 = 0

    /// Makes an account of nothing.
    public init() {}

    /// How many requests were in flight on average, by Little's law; nil without answers.
    public var inFlightOnAverage: Double? {
        guard let answeredPerSecond, let serviceMeanNs else { return nil }
        return answeredPerSecond * Double(serviceMeanNs) / 1e9
    }

    /// The measured rate against the expected one, less 1; nil without answers.
    public var deviation: Double? {
        guard let answeredPerSecond, let expectedPerSecond, expectedPerSecond > 0 else { return nil }
        return answeredPerSecond / expectedPerSecond - 1
    }
}
