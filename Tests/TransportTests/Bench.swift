import Primitives
import SecureChannel
import Transport

/// An authority, contexts and two loops: what nearly every test needs.
struct Bench {
    let authority: CertificateAuthority
    let client: TLSContext
    let server: TLSContext
    let clientLoop: EventLoop
    let serverLoop: EventLoop

    init(
        tickets: TLSTickets = .none, clientVersions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
        clientCertificates: (CertificateAuthority) -> TLSClientCertificates = { _ in .none },
        identity: (CertificateAuthority) throws -> TLSIdentity? = { _ in nil }
    ) throws {
        authority = try CertificateAuthority()
        var serverOptions = TLSServerOptions(identity: try authority.issue(.server, names: ["gateway.test"]))
        serverOptions.tickets = tickets
        serverOptions.clientCertificates = clientCertificates(authority)
        server = try TLSContext(server: serverOptions)
        var clientOptions = TLSClientOptions(
            trust: .authorities(pem: authority.certificatePEM), identity: try identity(authority))
        clientOptions.versions = clientVersions
        client = try TLSContext(client: clientOptions)
        clientLoop = try EventLoop(label: "test.client")
        serverLoop = try EventLoop(label: "test.server")
    }

    func listen(
        options: ListenerOptions = ListenerOptions(), _ script: @escaping @Sendable (ScriptedHandler) -> Void = { _ in }
    ) throws -> Listener {
        try Listener(context: server, loops: [serverLoop], options: options) { _ in
            let handler = ScriptedHandler()
            script(handler)
            return handler
        }
    }

    /// Runs a server that runs this script, and connects to it.
    func connectToOwnServer(
        _ serverScript: @escaping @Sendable (ScriptedHandler) -> Void,
        client clientScript: @escaping @Sendable (ScriptedHandler) -> Void
    ) throws -> (listener: Listener, ended: Signal<ScriptedHandler.Ended>) {
        let listener = try listen(serverScript)
        return (listener, connect(to: listener.address, clientScript).ended)
    }

    /// Connects and returns the signals for its opening and its end.
    func connect(
        to address: SocketAddress, context: TLSContext? = nil, name: String = "localhost", resuming: TLSSession? = nil,
        options: LinkOptions = LinkOptions(), _ script: @escaping @Sendable (ScriptedHandler) -> Void = { _ in }
    ) -> (opened: Signal<LinkFacts>, ended: Signal<ScriptedHandler.Ended>) {
        let signals = (opened: Signal<LinkFacts>(), ended: Signal<ScriptedHandler.Ended>())
        let context = context ?? client
        clientLoop.enqueue { core in
            let handler = ScriptedHandler(opened: signals.opened, ended: signals.ended)
            script(handler)
            _ = core.connect(
                to: address, context: context, serverName: name, resuming: resuming, options: options, handler: handler)
        }
        return signals
    }

    func shutDown() async {
        await clientLoop.shutDownAndWait()
        await serverLoop.shutDownAndWait()
    }
}

/// Bytes that a seed determines.
func seededBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let raw = UnsafeMutableRawBufferPointer(buffer)
        var offset = 0
        while offset < count {
            withUnsafeBytes(of: random.next()) { word in
                let part = UnsafeRawBufferPointer(rebasing: word[..<min(8, count - offset)])
                UnsafeMutableRawBufferPointer(rebasing: raw[offset...]).copyMemory(from: part)
            }
            offset += 8
        }
        initialized = count
    }
}
