import Primitives
import RunRecords
import SecureChannel
import Transport

/// What a run sends to: an address that is resolved, a TLS context that is made, and the simulator process if it is ours.
struct Target {
    var connect: ConnectPlan
    var child: SimulatorChild?
    /// The feedback service of the simulator, if it is ours.
    var feedback: ConnectPlan?

    /// Starts or resolves what the profile names.
    ///
    /// - Throws: ``HarnessError``.
    static func prepare(_ profile: Profile, options: RunOptions) async throws(HarnessError) -> Target {
        var link = LinkOptions()
        link.connectTimeout = profile.sender.connectTimeout
        link.handshakeTimeout = profile.sender.handshakeTimeout
        link.sendsAtOnce = profile.sender.noDelay
        link.sendBufferBytes = profile.sender.sendBuffer
        link.unsentLimitBytes = profile.sender.unsentLimit
        let resumes = profile.sender.resume
        let attempts = AttemptPace(profile.sender.reconnect.attemptsPerSecond)
        switch profile.target {
        case .simulator:
            let (child, port, feedbackPort, pem) = try await startSimulator(options)
            let context = try makeContext(TLSClientOptions(trust: .authorities(pem: pem)))
            let connect = ConnectPlan(
                address: .loopback(port: port), serverName: "localhost", context: context, options: link,
                resumes: resumes, attempts: attempts)
            var feedback = connect
            feedback.address = .loopback(port: feedbackPort)
            return Target(connect: connect, child: child, feedback: feedback)
        case .gateway(let gateway):
            let context = try makeContext(clientOptions(gateway.tls))
            return Target(
                connect: ConnectPlan(
                    address: try resolve(gateway.host, port: gateway.port),
                    serverName: gateway.tls.serverName ?? gateway.host, context: context, options: link,
                    resumes: resumes, attempts: attempts))
        }
    }

    private static func startSimulator(
        _ options: RunOptions
    ) async throws(HarnessError) -> (SimulatorChild, port: UInt16, feedbackPort: UInt16, pem: String) {
        let child = try SimulatorChild(program: options.program, profileJSON: options.profileJSON)
        _ = await child.wait(upTo: 20) { $0.ready != nil || $0.failure != nil }
        guard let ready = child.current.ready, let port = UInt16(exactly: ready.port),
            let feedbackPort = UInt16(exactly: ready.feedbackPort)
        else {
            let reason = child.current.failure ?? "it did not say that it listens"
            child.kill()
            throw .localLimit("the simulator did not start: \(reason)")
        }
        return (child, port, feedbackPort, ready.authorityPEM)
    }

    private static func resolve(_ host: String, port: Int) throws(HarnessError) -> SocketAddress {
        guard let port = UInt16(exactly: port), port > 0 else {
            throw .invalidInput("\(port) is no port; 1 to 65535 are accepted")
        }
        let addresses: [SocketAddress]
        do throws(TransportError) {
            addresses = try SocketAddress.resolve(host: host, port: port)
        } catch {
            throw .unreachable(error.description)
        }
        guard let address = addresses.first else { throw .unreachable("no address for \(host)") }
        return address
    }

    /// The sender's side of TLS, its files read.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)``.
    static func clientOptions(_ tls: TLSSettings) throws(HarnessError) -> TLSClientOptions {
        var trust = TLSTrust.system
        if !tls.verify { trust = .anybody }
        if let file = tls.caFile { trust = .authorities(pem: String(decoding: try readFile(file), as: UTF8.self)) }
        guard tls.keyPassphraseFile == nil else {
            throw .invalidInput(
                "target.tls.keyPassphraseFile is not yet supported; a key without a passphrase is accepted")
        }
        var identity: TLSIdentity?
        if let certificate = tls.certificateFile {
            identity = TLSIdentity(
                certificateChainPEM: String(decoding: try readFile(certificate), as: UTF8.self),
                privateKeyPEM: String(decoding: try readFile(tls.keyFile ?? certificate), as: UTF8.self))
        }
        return TLSClientOptions(trust: trust, identity: identity)
    }

    /// Makes the context of a client.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)``.
    static func makeContext(_ options: TLSClientOptions) throws(HarnessError) -> TLSContext {
        do throws(TLSFailure) {
            return try TLSContext(client: options)
        } catch {
            throw .invalidInput("TLS settings: \(error)")
        }
    }
}
