public import Primitives
import PushWire
public import RunRecords
import SecureChannel
import Transport

/// Reads a feedback service's list once, in constant memory however long it is.
public struct FeedbackClient: Sendable {
    /// How long nothing may come before the service is given up, unless told otherwise.
    public static let defaultPatience = Interval.seconds(30)

    private let plans: [ConnectPlan]
    private let patience: Interval

    /// Makes a client of a service; looks its name up and reads the files that `tls` names.
    ///
    /// - Parameters:
    ///   - host: a name or an address; whether it may be asked is the caller's business (``TargetPolicy``).
    ///   - port: the service's TCP port.
    ///   - tls: whom to believe, and the certificate to show.
    ///   - timeout: the longest that TCP may take, and the TLS handshake after it.
    ///   - patience: the longest that nothing may come.
    /// - Throws: ``HarnessError``: a file is wrong, or the host has no address.
    public init(
        host: String, port: UInt16, tls: TLSSettings, timeout: Interval, patience: Interval = defaultPatience
    ) throws(HarnessError) {
        let context = try Target.makeContext(try Target.clientOptions(tls))
        var link = LinkOptions()
        link.connectTimeout = timeout
        link.handshakeTimeout = timeout
        let addresses: [SocketAddress]
        do throws(TransportError) {
            addresses = try SocketAddress.resolve(host: host, port: port)
        } catch {
            throw .unreachable(error.description)
        }
        plans = addresses.map { address in
            ConnectPlan(
                address: address, serverName: tls.serverName ?? host, context: context, options: link, resumes: false,
                attempts: AttemptPace(Rate(perSecond: 1_000)))
        }
        self.patience = patience
    }

    /// Reads the list; `makeSink` makes what takes the tuples, once a connection stands and on the event loop that reads it.
    public func read(into makeSink: @escaping @Sendable () -> any FeedbackSink) async -> FeedbackReading {
        var reading = FeedbackReading()
        // A name may have addresses at which nothing listens, as localhost often has.
        for plan in plans {
            reading = await Self.read(from: plan, patience: patience, into: makeSink)
            guard case .notConnected = reading.end else { break }
        }
        return reading
    }

    /// Reads the list of one address.
    static func read(
        from plan: ConnectPlan, patience: Interval = defaultPatience,
        into makeSink: @escaping @Sendable () -> (any FeedbackSink)? = { nil }
    ) async -> FeedbackReading {
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoop(label: "pushbench.feedback.client")
        } catch {
            var reading = FeedbackReading()
            reading.end = .notConnected(error.description)
            return reading
        }
        let reading = await withCheckedContinuation { continuation in
            loop.enqueue { core in
                let handler = FeedbackReadingLink(makeSink: makeSink, patience: patience) {
                    continuation.resume(returning: $0)
                }
                _ = core.connect(
                    to: plan.address, context: plan.context, serverName: plan.serverName, options: plan.options,
                    handler: handler)
            }
        }
        await loop.shutDownAndWait()
        return reading
    }
}

/// Drives the client's side of one feedback connection.
private final class FeedbackReadingLink: LinkHandler {
    private let makeSink: () -> (any FeedbackSink)?
    private var sink: (any FeedbackSink)?
    private let patience: Interval
    private let ended: (FeedbackReading) -> Void
    private var reader = FeedbackReader()
    private var reading = FeedbackReading()
    /// What ended the reading before the connection did.
    private var end: FeedbackReading.End?
    private var isOpen = false

    init(
        makeSink: @escaping () -> (any FeedbackSink)?, patience: Interval,
        ended: @escaping (FeedbackReading) -> Void
    ) {
        self.makeSink = makeSink
        self.patience = patience
        self.ended = ended
    }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        isOpen = true
        sink = makeSink()
        link.setDeadline(now + patience)
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        guard end == nil else { return }
        reader.read(bytes) { tuple in
            reading.digest &+= tuple.digestTerm
            sink?.take(tuple)
        }
        if let code = sink?.pieceEnded() {
            stop(link, .sinkFailed(code: code))
        } else if let violation = reader.violation {
            stop(link, .violation(violation))
        } else {
            // Writing what came may have taken its time, which is not the service's.
            link.setDeadline(link.core.refreshNow() + patience)
        }
    }

    /// There is nothing to say to a feedback service.
    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int { 0 }

    func link(_ link: Link, timerFiredAt now: Instant) { stop(link, .silence) }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        reading.tupleCount = reader.tupleCount
        reading.byteCount = reader.offset
        reading.unfinishedByteCount = reader.unfinishedByteCount
        reading.end = self.end ?? Self.end(end, isOpen: isOpen, isCut: reader.unfinishedByteCount > 0)
        ended(reading)
    }

    private func stop(_ link: Link, _ end: FeedbackReading.End) {
        self.end = end
        link.close(.abrupt)
    }

    private static func end(_ end: LinkEnd, isOpen: Bool, isCut: Bool) -> FeedbackReading.End {
        switch end {
        case _ where end.isCertificateRefusal: .certificateRefused(end.text)
        case .closedByPeer: isCut ? .cut : .complete(cleanly: true)
        case .truncated: isCut ? .cut : .complete(cleanly: false)
        default: isOpen ? .broken(end.text) : .notConnected(end.text)
        }
    }
}
