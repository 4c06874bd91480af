public import Primitives

/// The sender's side of one connection slot, whatever its protocol, as its driver and its event loop see it.
///
/// A machine without sockets, clock or queue: the driver passes bytes and times in, and after each call takes
/// the ``takeAction()`` and the ``takeEvents(_:)`` out. Called once for a read, a write or a timer, never for a notification.
public protocol SenderSession: AnyObject {
    /// Which of the run's connections this is, from 0.
    var slot: Int { get }
    /// How many connections stood so far.
    var connectionCount: Int { get }
    /// How many bytes of notifications were written.
    var writtenBytes: UInt64 { get }
    /// How many notifications were written, again or for the first time.
    var writtenCount: UInt64 { get }
    /// How many of those were written again.
    var resentCount: UInt64 { get }
    /// How many notifications were proved to be accepted.
    var acceptedCount: UInt64 { get }
    /// How many refusals came.
    var errorReplyCount: Int { get }
    /// For how long a window of our own alone kept notifications from being written.
    var windowHeldTime: Interval { get }
    /// How many requests were in flight over time; nothing where none is answered one by one.
    var flight: FlightClock { get }
    /// How many requests may be open at once at present; nil where nothing is answered one by one.
    var requestLimit: Int? { get }
    /// Whether every notification that this session took has its fate, and no connection is wanted any more.
    var isFinished: Bool { get }
    /// Whether batches may be written at present.
    var isOpen: Bool { get }
    /// Whether a connection stands, for batches or for the last proof.
    var isConnected: Bool { get }
    /// Whether the session could write a batch and has none: in an open loop its driver asks it to fill when its turn comes.
    var isWaiting: Bool { get }
    /// Whether requests come to nothing, and none was answered since: streams refused, given up by GOAWAY or by the end of a
    /// connection, answers overdue, or no request allowed.
    var isUnanswered: Bool { get }
    /// How many notifications are written on the present connection and not settled.
    var unsettledCount: UInt64 { get }
    /// When the end of a connection was seen whose replacement has not carried a batch yet; nil if there is none.
    var openEnd: Instant? { get }
    /// When ``timerFired(now:)`` wants to be called; nil when nothing waits for time.
    var deadline: Instant? { get }

    /// Whether a connection stands that is not just another one of a series that soon ended.
    func isLasting(at now: Instant) -> Bool
    /// Takes the session that goes on with the slot's work on a connection of its own, once; the driver starts it, and drives this one
    /// on until it is finished.
    func takeSuccessor() -> (any SenderSession)?
    /// Something happened to a session before this one: it may have left something to be sent, or nothing is awaited of it any more.
    func lookAgain(now: Instant)
    /// Takes what the session wants done; nil when nothing.
    func takeAction() -> SessionAction?
    /// Passes each event since the last call to `body`, in order.
    func takeEvents(_ body: (SessionEvent) -> Void)
    /// Passes the requests that were answered since the last call to `body`, with the time of the answers; none without answers.
    func takeSamples(_ body: (UnsafeBufferPointer<RequestSample>, Instant) -> Void)
    /// Begins the slot's life: it wants a connection.
    func start(now: Instant)
    /// The connection asked for stands.
    func connectionOpened(_ facts: ConnectionFacts, now: Instant)
    /// The attempt failed, or the connection ended; everything that it had received was passed in before.
    func connectionEnded(_ end: ConnectionEnd, now: Instant)
    /// The gateway was seen to accept notifications, on whichever connection: it is slow, and not silent.
    func gatewayMoved(now: Instant)
    /// Time has come for what ``deadline`` announced.
    func timerFired(now: Instant)
    /// Gives up at the end of the run's time: what is not settled gets its fate now.
    func abandon(now: Instant)
    /// Encodes the next batch into `buffer` and returns its length in bytes; 0 when there is nothing to write now.
    func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int
    /// The kernel has all of the last batch, which it was first asked to take at `sentAt`.
    func flushed(sentAt: Instant, now: Instant)
    /// A write on the present connection failed; whatever had come before is still passed in, for a while.
    func writeFailed()
    /// Bytes came from the gateway.
    func receive(_ bytes: UnsafeRawBufferPointer, now: Instant)
}

extension SenderSession {
    /// The kernel has taken the last batch in no time.
    public func flushed(now: Instant) { flushed(sentAt: now, now: now) }
    /// Whether nothing can be written before something is answered.
    public var hasAllRequestsOpen: Bool { requestLimit.map { unsettledCount >= UInt64($0) } ?? false }
    /// Where a connection's end is its last word, nobody has to go on meanwhile.
    public func takeSuccessor() -> (any SenderSession)? { nil }
    /// Without a session before this one nothing happens to it.
    public func lookAgain(now: Instant) {}
    /// Without answers there is nothing to sample.
    public func takeSamples(_ body: (UnsafeBufferPointer<RequestSample>, Instant) -> Void) {}
    /// Where every notification is answered, an answer says by itself what it is about.
    public func writeFailed() {}
    /// Where every notification is answered, nothing is concluded from silence.
    public func gatewayMoved(now: Instant) {}
    /// Without a window of our own nothing is held back by it.
    public var windowHeldTime: Interval { .zero }
    /// The binary interface knows no requests.
    public var flight: FlightClock { FlightClock() }
    /// The binary interface knows no requests.
    public var requestLimit: Int? { nil }
    /// Where success is silent, silence is no sign.
    public var isUnanswered: Bool { false }
}

extension ProviderSession: SenderSession {}
