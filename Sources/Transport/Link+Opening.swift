internal import CShims
internal import Glibc
internal import Primitives
public import SecureChannel

extension LoopCore {
    /// Begins a connection; whatever happens is told to the handler, in a later turn.
    ///
    /// `serverName` is what the server's certificate must be good for. `session` is offered for resuming.
    public func connect(
        to address: SocketAddress, context: TLSContext, serverName: String, resuming session: TLSSession? = nil,
        options: LinkOptions = LinkOptions(), handler: any LinkHandler
    ) -> Link {
        let link = Link(core: self, role: .client, peer: address, options: options, handler: handler)
        link.startedAt = refreshNow()
        guard !hasEnded else {
            link.finish(.closedLocally)
            return link
        }
        do throws(TLSFailure) {
            link.channel = try TLSChannel(client: context, serverName: serverName, resuming: session)
        } catch {
            link.finish(.handshakeFailed(error))
            return link
        }
        link.connect()
        return link
    }

    /// Takes an accepted connection over.
    func adopt(
        _ socket: Int32, peer: SocketAddress, context: TLSContext, options: LinkOptions, tally: ListenerTally,
        fault: HandshakeFault.Kind?, handler: any LinkHandler
    ) {
        guard !hasEnded else {
            Glibc.close(socket)
            return tally.linkWasReleased()
        }
        let link = Link(core: self, role: .server, peer: peer, options: options, handler: handler)
        link.socket = socket
        link.tally = tally
        link.handshakeFault = fault
        if let path = options.path { link.transit = PathTransit(path, tally: tally.paths, now: now) }
        do throws(TLSFailure) {
            link.channel = try TLSChannel(server: context)
        } catch {
            return link.finish(.handshakeFailed(error))
        }
        link.accept()
    }
}

extension Link {
    // MARK: - TCP

    fileprivate func connect() {
        socket = shim_tcp_socket(peer.family, 1)
        guard socket >= 0 else { return connectionFailed(errno) }
        applyOptions()
        let status = peer.withSystemForm { Glibc.connect(socket, $0, $1) }
        let code = status == 0 ? 0 : errno
        guard code == 0 || code == EINPROGRESS else { return connectionFailed(code) }
        watched = .writable
        guard core.watch(socket, slot: slot, for: watched) else { return watchingFailed() }
        // Also an immediate success waits for its event, so that no handler is called from here.
        setOwnDeadline(core.now + options.connectTimeout)
    }

    fileprivate func accept() {
        applyOptions()
        phase = .handshaking
        connectedAt = core.now
        watched = .readable
        guard core.watch(socket, slot: slot, for: watched) else { return watchingFailed() }
        // The round trips of TCP and of the handshake's flights are no fault of the peer's.
        setOwnDeadline(core.now + options.handshakeTimeout + (options.path?.roundTrip ?? .zero) * 3)
        if let fault = handshakeFault { beginFault(fault) }
    }

    /// The socket became writable or broke while connecting.
    func connectionIsDecided() {
        let code = pendingSocketError()
        if code != 0 { return connectionFailed(code) }
        if isConnectedToItself() { return connectionFailed(ECONNREFUSED) }
        connectedAt = core.refreshNow()
        phase = .handshaking
        updateWatch()
        setOwnDeadline(core.now + options.handshakeTimeout)
        advanceHandshake()
    }

    /// On loopback a connection to a free port can meet itself when the kernel picks that very port for our end.
    private func isConnectedToItself() -> Bool { localAddress == peer }

    private var localAddress: SocketAddress? {
        SocketAddress { storage in
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) } == 0
        }
    }

    private func connectionFailed(_ code: Int32) {
        let failure = SystemFailure(operation: "connecting", code: code)
        if failure.isLocalLimit { return finish(.localLimit(failure)) }
        switch code {
        case ECONNREFUSED: finish(.connectFailed(.refused))
        case ETIMEDOUT: finish(.connectFailed(.timedOut))
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: finish(.connectFailed(.unreachable(code: code)))
        default: finish(.connectFailed(.other(code: code)))
        }
    }

    private func watchingFailed() { finish(.localLimit(.last("watching a socket"))) }

    private func applyOptions() {
        if options.sendsAtOnce { set(Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        if let bytes = options.sendBufferBytes { set(SOL_SOCKET, SO_SNDBUF, bytes) }
        if let bytes = options.unsentLimitBytes { set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, bytes) }
        if let limit = options.unacknowledgedLimit {
            set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int(clamping: limit.nanoseconds / 1_000_000))
        }
        let pathBytes = options.path?.receiveBufferBytes ?? .max
        let receiveBytes = min(options.receiveBufferBytes ?? .max, pathBytes)
        if receiveBytes < .max { set(SOL_SOCKET, SO_RCVBUF, receiveBytes) }
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int) {
        var value = Int32(clamping: value)
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: - TLS

    /// Goes on with the handshake with the input that the channel was lent.
    func advanceHandshake() {
        guard let channel else { return }
        let before = ThreadClock.now()
        let step = channel.handshake(output: currentOutput)
        handshakeProcessorTime = handshakeProcessorTime + (ThreadClock.now() - before)
        if output == nil { flushOutput() }
        guard phase == .handshaking else { return }
        switch step {
        case .wantsInput: break
        case .done: becomeOpen(channel)
        case .closed: finish(.handshakeInterrupted)
        case .failed(let failure): finishLingering(.handshakeFailed(failure))
        }
    }

    private func becomeOpen(_ channel: TLSChannel) {
        phase = .open
        let now = core.refreshNow()
        openedAt = now
        setOwnDeadline(nil)
        noteActivity()
        let connected = connectedAt ?? startedAt
        let facts = LinkFacts(
            peer: peer, localPort: localAddress?.port ?? 0, tls: channel.facts, tcpTime: connected - startedAt,
            tlsTime: now - connected,
            handshakeProcessorTime: handshakeProcessorTime)
        requestFill()
        handler?.linkOpened(self, facts: facts, now: now)
    }
}
