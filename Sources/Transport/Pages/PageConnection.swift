internal import CShims
internal import Glibc
internal import Primitives

/// One client of a ``PageServer``: one request, one answer, and the end.
struct PageConnection: ~Copyable {
    /// What the connection is at.
    private enum Stage {
        /// A request comes in.
        case reading(PageRequestReader)
        /// An answer goes out, from an offset on.
        case writing([UInt8], from: Int)
        /// The answer was given. What the client still sends is thrown away, since a close with unread bytes would destroy the answer.
        case lingering
        case over
    }

    let descriptor: Int32
    /// When it is closed, whatever it is at.
    private(set) var deadline: Instant
    private var stage = Stage.reading(PageRequestReader())

    /// How long it may take to close after the answer.
    private static let lingerLimit = Interval.seconds(1)
    private static let readBytes = 4_096

    /// Takes a connected, non-blocking socket over.
    init(_ descriptor: Int32, deadline: Instant) {
        self.descriptor = descriptor
        self.deadline = deadline
    }

    deinit { close(descriptor) }

    /// Whether nothing is left to do.
    var isOver: Bool { if case .over = stage { true } else { false } }

    /// Whether the client has not asked for anything yet.
    var isReading: Bool { if case .reading = stage { true } else { false } }

    /// What poll shall watch for.
    var events: Int16 { if case .writing = stage { Int16(POLLOUT) } else { Int16(POLLIN) } }

    /// The socket is ready: reads or writes once, so that no client gets more than its turn.
    mutating func turn(now: Instant, page: (PageRequest) -> PageResponse) {
        switch stage {
        case .reading(var reader):
            let state = receive { reader.read($0) }
            stage = .reading(reader)
            switch state {
            case .incomplete?, nil: break
            case .refused(let response)?: answer(response.bytes(withBody: true))
            case .request(let request)?: answer(page(request).bytes(withBody: request.method != "HEAD"))
            }
            // Nearly always the socket takes all of it at once.
            if case .writing = stage { send(now: now) }
        case .writing: send(now: now)
        case .lingering: _ = receive { _ in }
        case .over: break
        }
    }

    /// The time is over: a client that asked for nothing is told, if its socket takes that.
    mutating func timeOut() {
        guard case .reading = stage else {
            stage = .over
            return
        }
        let bytes = PageResponse(status: 408, line: "the request took too long").bytes(withBody: true)
        _ = bytes.withUnsafeBytes { shim_send(descriptor, $0.baseAddress, UInt($0.count)) }
        stage = .over
    }

    private mutating func answer(_ bytes: [UInt8]) { stage = .writing(bytes, from: 0) }

    /// Reads once and hands over what came; nil when nothing did, or the client is gone.
    private mutating func receive<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else {
                if count == 0 || ![EAGAIN, EINTR].contains(errno) { stage = .over }
                return nil
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private mutating func send(now: Instant) {
        guard case .writing(let bytes, let offset) = stage else { return }
        let count = bytes.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            return shim_send(descriptor, rest.baseAddress, UInt(rest.count))
        }
        guard count >= 0 else {
            if ![EAGAIN, EINTR].contains(errno) { stage = .over }
            return
        }
        guard offset + count == bytes.count else {
            stage = .writing(bytes, from: offset + count)
            return
        }
        shutdown(descriptor, Int32(SHUT_WR))
        deadline = min(deadline, now + Self.lingerLimit)
        stage = .lingering
    }
}
