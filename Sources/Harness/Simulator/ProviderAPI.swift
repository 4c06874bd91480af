import GatewaySimulator
import Primitives
import RunRecords
import SecureChannel
import Workload

/// What all event loops of the simulator have in common for the HTTP/2 provider API.
struct ProviderAPI: Sendable {
    let settings: ProviderAPISettings
    let verifier: SignatureVerifier?
    let fleet = ProviderTokenFleet()
    let channels = ChannelBook()
    /// The key with which the run's own sender signs; nil unless one was asked for.
    let signingKey: ProviderSigningKey?

    /// Reads the key of the settings, or makes one for the run's own sender.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` for a file without a key that can be used.
    init(_ simulator: SimulatorSettings, makesSigningKey: Bool) throws(HarnessError) {
        var settings = ProviderAPISettings(simulator.http2)
        settings.topics = simulator.topics
        let http2 = simulator.http2
        if let file = http2.keyFile {
            let text = try readFile(file)
            let key: VerifyingKey
            do throws(TLSFailure) {
                key = try VerifyingKey(pem: text)
            } catch {
                throw .invalidInput("\(file): \(error)")
            }
            settings.providerKeys = [Self.key(http2, keyID: http2.keyID ?? "", teamID: http2.teamID ?? "")]
            verifier = { _, message, signature in key.verifies(message, signature: signature) }
            signingKey = nil
        } else if makesSigningKey {
            let order = try SigningKeyOrder(keyID: http2.keyID, teamID: http2.teamID)
            do throws(TLSFailure) {
                let key = try SigningKey()
                let verifying = try key.verifyingKey()
                settings.providerKeys = [Self.key(http2, keyID: order.keyID, teamID: order.teamID)]
                verifier = { _, message, signature in verifying.verifies(message, signature: signature) }
                signingKey = ProviderSigningKey(
                    keyPEM: try key.privateKeyPEM(), keyID: order.keyID, teamID: order.teamID)
            } catch {
                throw .internalFailure("cannot make a signing key: \(error)")
            }
        } else {
            verifier = nil
            signingKey = nil
        }
        self.settings = settings
    }

    private static func key(_ http2: HTTP2SimulatorSettings, keyID: String, teamID: String) -> ProviderKey {
        let environment: PushEnvironment? =
            switch http2.keyEnvironment {
            case .both: nil
            case .sandbox: .sandbox
            case .production: .production
            }
        return ProviderKey(keyID: keyID, teamID: teamID, environment: environment, topics: http2.keyTopics)
    }
}

extension ProviderAPISettings {
    /// The profile's settings as gateway sessions want them.
    fileprivate init(_ http2: HTTP2SimulatorSettings) {
        self.init()
        authentication = http2.authentication == .required ? .required : .none
        mixedAuthentication = http2.mixedAuthentication == .ignored ? .ignoresToken : .forbidden
        tokenLifetime = http2.tokenLifetime
        tokenUpdateInterval = http2.tokenUpdateInterval
        tokenUpdateScope = http2.tokenUpdateScope == .connection ? .connection : .fleet
        keyEnvironmentSpelling = http2.keyEnvironmentSpelling == .wire ? .wire : .documented
        maxStreams = UInt32(http2.maxStreams)
        streamsBeforeAuthentication = UInt32(http2.streamsBeforeAuthentication)
        streamEnforcement = http2.streamEnforcement == .refusedStream ? .refusedStream : .goAway
        streamWindowBytes = UInt32(http2.streamWindow)
        connectionWindowBytes = UInt32(http2.connectionWindow)
        headerTableBytes = UInt32(http2.headerTable)
        maxHeaderListBytes = UInt32(http2.headerList)
        prefaceTimeout = http2.prefaceTimeout
        idleTimeout = http2.idleTimeout
        channelLimit = http2.channels
        hasBroadcasts = http2.channels > 0
        unregisteredAt = http2.unregisteredAt
        acceptsAll = http2.acceptAll
    }
}
