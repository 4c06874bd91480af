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

    /// Reads the keys of the settings, and makes one for the run's own sender where they say so, or name none.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` for a file without a key that can be used.
    init(_ simulator: SimulatorSettings, makesSigningKey: Bool) throws(HarnessError) {
        var settings = ProviderAPISettings(simulator.http2)
        settings.topics = simulator.topics
        var verifying: [VerifyingKey] = []
        var made: ProviderSigningKey?
        let keys = simulator.http2.keys
        for (index, key) in (keys.isEmpty && makesSigningKey ? [ProviderKeySettings()] : keys).enumerated() {
            if let file = key.file {
                verifying.append(try Self.read(file))
                settings.providerKeys.append(Self.key(key, keyID: key.keyID ?? "", teamID: key.teamID ?? ""))
                continue
            }
            guard makesSigningKey else {
                throw .invalidInput(
                    "target.simulator.http2.keys[\(index)] needs a file; only the simulator of a run makes a key")
            }
            let (own, half) = try Self.make(keyID: key.keyID, teamID: key.teamID)
            verifying.append(half)
            settings.providerKeys.append(Self.key(key, keyID: own.keyID, teamID: own.teamID))
            made = own
        }
        self.settings = settings
        signingKey = made
        let halves = verifying
        let verify: SignatureVerifier = { key, message, signature in
            halves[key].verifies(message, signature: signature)
        }
        verifier = halves.isEmpty ? nil : verify
    }

    private static func read(_ file: String) throws(HarnessError) -> VerifyingKey {
        let text = try readFile(file)
        do throws(TLSFailure) {
            return try VerifyingKey(pem: text)
        } catch {
            throw .invalidInput("\(file): \(error)")
        }
    }

    /// Makes the key of the run's own sender, and the half that verifies.
    private static func make(keyID: String?, teamID: String?) throws(HarnessError) -> (ProviderSigningKey, VerifyingKey)
    {
        let order = try SigningKeyOrder(keyID: keyID, teamID: teamID)
        do throws(TLSFailure) {
            let key = try SigningKey()
            let signing = ProviderSigningKey(
                keyPEM: try key.privateKeyPEM(), keyID: order.keyID, teamID: order.teamID)
            return (signing, try key.verifyingKey())
        } catch {
            throw .internalFailure("cannot make a signing key: \(error)")
        }
    }

    private static func key(_ settings: ProviderKeySettings, keyID: String, teamID: String) -> ProviderKey {
        let environment: PushEnvironment? =
            switch settings.environment {
            case .both: nil
            case .sandbox: .sandbox
            case .production: .production
            }
        return ProviderKey(keyID: keyID, teamID: teamID, environment: environment, topics: settings.topics)
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
