internal import CShims
internal import Glibc
public import Primitives

/// A very small HTTP/1.1 server for a few text pages, on a thread of its own that no event loop waits for.
///
/// A hostile client costs little whatever it does: there are few connections, each for one request and one answer, with a limit of
/// bytes and of time; the thread looks at them at most two hundred times a second; and when all places are taken, the client that
/// has asked for nothing for longest makes room.
public final class PageServer: Sendable {
    /// Makes the answer to a request; called on the server's thread.
    public typealias Page = @Sendable (PageRequest) -> PageResponse

    /// Where it listens, with the real port.
    public let address: SocketAddress
    private let wake: Int32
    private let thread: BlockingThread

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - address: where to listen; port 0 takes a free one.
    ///   - timeLimit: how long a client may take for its request and the answer. Default: 5 s.
    ///   - page: makes the answers.
    /// - Throws: ``TransportError/system(_:)`` when the port is taken or descriptors are short.
    public init(
        on address: SocketAddress, timeLimit: Interval = .seconds(5), page: @escaping Page
    ) throws(TransportError) {
        let socket = try ListenSocket(on: address, backlog: 16)
        let wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wake >= 0 else { throw .system(.last("making an event descriptor")) }
        self.address = socket.address
        self.wake = wake
        let listener = socket.giveAway()
        do throws(TransportError) {
            thread = try BlockingThread {
                var loop = PageLoop(listener: listener, wake: wake, timeLimit: timeLimit, page: page)
                loop.run()
            }
        } catch {
            Glibc.close(listener)
            Glibc.close(wake)
            throw error
        }
    }

    deinit {
        close()
        Glibc.close(wake)
    }

    /// Gives the port up and ends every connection; returns when the thread has ended.
    public func close() {
        eventfd_write(wake, 1)
        thread.join()
    }
}

/// The thread's own state: all that it shares is the descriptor that wakes it.
private struct PageLoop: ~Copyable {
    private let listener: Int32
    private let wake: Int32
    private let timeLimit: Interval
    private let page: PageServer.Page
    private var connections = PageConnections()

    /// How long the thread rests after each look, so that no client can keep it busy.
    private static let rest: useconds_t = 5_000

    init(listener: Int32, wake: Int32, timeLimit: Interval, page: @escaping PageServer.Page) {
        self.listener = listener
        self.wake = wake
        self.timeLimit = timeLimit
        self.page = page
    }

    deinit { close(listener) }

    /// Serves until it is woken.
    mutating func run() {
        while true {  // ends with a write to the descriptor that wakes it
            var watched = [
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            ]
            watched += connections.watched
            poll(&watched, nfds_t(watched.count), connections.patience(at: MonotonicClock.now()))
            if watched[0].revents != 0 { return }
            let now = MonotonicClock.now()
            connections.turn(watched[2...], now: now, page: page)
            if watched[1].revents != 0 { connections.accept(from: listener, until: now + timeLimit) }
            usleep(Self.rest)
        }
    }
}

/// The connections of a ``PageLoop``, a fixed number of places.
private struct PageConnections: ~Copyable {
    static let limit = 8
    private var places: [Place] = []

    /// A connection in a list; a class, since lists cannot hold what is not copied.
    private final class Place {
        var connection: PageConnection
        init(_ connection: consuming PageConnection) { self.connection = connection }
    }

    var watched: [pollfd] {
        places.map { pollfd(fd: $0.connection.descriptor, events: $0.connection.events, revents: 0) }
    }

    /// For how many milliseconds nothing is due; -1 for ever.
    func patience(at now: Instant) -> Int32 {
        guard let next = places.map({ $0.connection.deadline }).min() else { return -1 }
        return Int32(clamping: max(0, (next - now).nanoseconds) / 1_000_000 + 1)
    }

    /// Gives each connection that is ready its turn, and ends those whose time is over.
    mutating func turn(_ ready: ArraySlice<pollfd>, now: Instant, page: PageServer.Page) {
        for (place, poll) in zip(places, ready) {
            if poll.revents != 0 { place.connection.turn(now: now, page: page) }
            if place.connection.deadline <= now { place.connection.timeOut() }
        }
        places.removeAll { $0.connection.isOver }
    }

    /// Accepts what waits, a few at a time.
    mutating func accept(from listener: Int32, until deadline: Instant) {
        for _ in 0..<Self.limit {
            var peer = sockaddr_storage()
            let descriptor = shim_accept(listener, &peer)
            guard descriptor >= 0 else { return }
            if places.count == Self.limit { makeRoom() }
            places.append(Place(PageConnection(descriptor, deadline: deadline)))
        }
    }

    /// Lets one go: the oldest that has not asked for anything, else the oldest.
    private mutating func makeRoom() {
        places.remove(at: places.firstIndex { $0.connection.isReading } ?? 0)
    }
}
