import Primitives
import SecureChannel
import Synchronization
import Transport

/// One end of a TLS connection that does what a test's closure says, whatever the protocol wants.
final class ScriptedPeer: LinkHandler {
    /// What a finished peer has seen.
    struct Seen: Sendable {
        var received: [UInt8]
        var end: LinkEnd
    }

    /// Called with what came (empty at the opening); returns bytes to send, if any, and how to close after them, if at all.
    var answer: ([UInt8]) -> (bytes: [UInt8], closing: LinkClosing?) = { _ in ([], nil) }
    /// Whether received bytes are remembered.
    var keepsReceived = true
    private var received: [UInt8] = []
    private var pending: ArraySlice<UInt8> = []
    private var closing: LinkClosing?
    private let ended: @Sendable (Seen) -> Void

    init(ended: @escaping @Sendable (Seen) -> Void = { _ in }) { self.ended = ended }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) { act(link, on: []) }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        if keepsReceived { received += bytes }
        act(link, on: Array(bytes))
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let part = pending.prefix(buffer.count)
        pending = pending.dropFirst(part.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return part.count
    }

    func link(_ link: Link, flushedAt now: Instant) {
        if !pending.isEmpty { return link.requestFill() }
        if let closing { link.close(closing) }
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) { ended(Seen(received: received, end: end)) }

    private func act(_ link: Link, on bytes: [UInt8]) {
        let next = answer(bytes)
        // Not added up: what a test sends may be large, and it measures memory.
        if pending.isEmpty { pending = next.bytes[...] } else { pending += next.bytes }
        closing = next.closing ?? closing
        if !pending.isEmpty {
            link.requestFill()
        } else if let closing {
            link.close(closing)
        }
    }
}

/// A gateway over real TLS that does what a test's closure says.
final class HostileGateway: Sendable {
    let port: Int
    let authorityPEM: String
    private let loop: EventLoop
    private let listener: Listener

    /// Listens; `script` prepares the peer of each connection, which is told its number from 0.
    init(applicationProtocols: [String] = [], _ script: @escaping @Sendable (ScriptedPeer, Int) -> Void) throws {
        let authority = try CertificateAuthority()
        authorityPEM = authority.certificatePEM
        var options = TLSServerOptions(identity: try authority.issue(.server, names: ["localhost", "127.0.0.1"]))
        options.applicationProtocols = applicationProtocols
        let context = try TLSContext(server: options)
        loop = try EventLoop(label: "test.gateway")
        let count = Counter()
        listener = try Listener(context: context, loops: [loop]) { _ in
            let peer = ScriptedPeer()
            script(peer, count.next())
            return peer
        }
        port = Int(listener.address.port)
    }

    var connectionCount: Int { listener.counts.accepted }

    func close() async {
        await listener.close()
        await loop.shutDownAndWait()
    }

    /// The target part of a profile that reaches this gateway.
    var target: String { #"target: { host: "127.0.0.1", port: \#(port), tls: { verify: false } }"# }
}

/// Numbers from 0 on.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}

/// A TLS client that sends what it is told and returns what it saw at the end.
final class HostileProvider: Sendable {
    private let loop: EventLoop
    private let context: TLSContext
    private let address: SocketAddress

    init(port: Int, authorityPEM: String) throws {
        loop = try EventLoop(label: "test.provider")
        context = try TLSContext(client: TLSClientOptions(trust: .authorities(pem: authorityPEM)))
        address = .loopback(port: UInt16(port))
    }

    /// Sends these bytes and closes when told so; else waits for the gateway's end.
    func send(_ bytes: [UInt8], closing: LinkClosing? = nil) async -> ScriptedPeer.Seen {
        await withCheckedContinuation { continuation in
            let (context, address) = (context, address)
            loop.enqueue { core in
                let peer = ScriptedPeer { continuation.resume(returning: $0) }
                peer.answer = { $0.isEmpty ? (bytes, closing) : ([], nil) }
                _ = core.connect(to: address, context: context, serverName: "localhost", handler: peer)
            }
        }
    }

    func close() async { await loop.shutDownAndWait() }
}
