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
    /// The key that the simulator believes, if it is ours and made one.
    var signingKey: ProviderSigningKey?

    /// Starts or resolves what the profile names.
    ///
    /// - Throws: ``HarnessError``.
    static func prepare(_ profile: Profile, options: RunOptions) async throws(HarnessError) -> Target {
        var link = LinkOptions()
        link.connectTimeout = profile.sender.connectTimeout
        link.handshakeTimeout = profile.sender.handshakeTimeout
        link.unacknowledgedLimit = profile.sender.stallLimit
        link.sendsAtOnce = profile.sender.noDelay
        link.sendBufferBytes = profile.sender.sendBuffer
        link.unsentLimitBytes = profile.sender.unsentLimit
        let resumes = profile.sender.resume
        let attempts = AttemptPace(profile.sender.reconnect.attemptsPerSecond)
        let isHTTP2 = profile.protocolName == .http2
        let protocols = isHTTP2 ? ["h2"] : []
        switch profile.target {
        case .simulator(let simulator):
            let (child, ready) = try await startSimulator(options)
            // A certificate of the user's own vouches for names that the loopback address is not among.
            let isOwn = simulator.certificateFile == nil
            let trust: TLSTrust = isOwn ? .authorities(pem: ready.authorityPEM) : .anybody
            var options = TLSClientOptions(trust: trust, identity: ready.provider)
            let feedbackContext = try makeContext(options)
            options.applicationProtocols = protocols
            let connect = ConnectPlan(
                address: .loopback(port: isHTTP2 ? ready.http2Port : ready.port), serverName: "localhost",
                context: try makeContext(options), options: link, resumes: resumes, attempts: attempts,
                applicationProtocol: protocols.first)
            var feedback = connect
            feedback.applicationProtocol = nil
            feedback.address = .loopback(port: ready.feedbackPort)
            feedback.context = feedbackContext
            return Target(connect: connect, child: child, feedback: feedback, signingKey: ready.signingKey)
        case .gateway(let gateway):
            var options = try clientOptions(gateway.tls)
            options.applicationProtocols = protocols
            let context = try makeContext(options)
            return Target(
                connect: ConnectPlan(
                    address: try resolve(gateway.host, port: gateway.port),
                    serverName: gateway.tls.serverName ?? gateway.host, context: context, options: link,
                    resumes: resumes, attempts: attempts, applicationProtocol: protocols.first))
        }
    }

    /// What a simulator says that listens.
    private struct Ready {
        var port: UInt16
        var feedbackPort: UInt16
        var http2Port: UInt16
        var authorityPEM: String
        var provider: TLSIdentity?
        var signingKey: ProviderSigningKey?
    }

    private static func startSimulator(_ options: RunOptions) async throws(HarnessError) -> (SimulatorChild, Ready) {
        let child = try SimulatorChild(program: options.program, profileJSON: options.profileJSON)
        _ = await child.wait(upTo: 20) { $0.ready != nil || $0.failure != nil }
        guard let ready = child.current.ready, let port = UInt16(exactly: ready.port),
            let feedbackPort = UInt16(exactly: ready.feedbackPort), let http2Port = UInt16(exactly: ready.http2Port)
        else {
            let reason = child.current.failure ?? "it did not say that it listens"
            child.kill()
            throw .localLimit("the simulator did not start: \(reason)")
        }
        let provider = ready.provider.map {
            TLSIdentity(certificateChainPEM: $0.certificatePEM, privateKeyPEM: $0.keyPEM)
        }
        return (
            child,
            Ready(
                port: port, feedbackPort: feedbackPort, http2Port: http2Port, authorityPEM: ready.authorityPEM,
                provider: provider, signingKey: ready.signingKey)
        )
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
        var options = TLSClientOptions(trust: trust, identity: try IdentityFiles(tls).read())
        options.versions = SecureChannel.TLSVersion(tls.minVersion)...SecureChannel.TLSVersion(tls.maxVersion)
        return options
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

extension SecureChannel.TLSVersion {
    /// The version of a profile; a range of them is sound because ``Profile/check()`` has passed.
    init(_ version: RunRecords.TLSVersion) {
        switch version {
        case .tls12: self = .tls12
        case .tls13: self = .tls13
        }
    }
}
