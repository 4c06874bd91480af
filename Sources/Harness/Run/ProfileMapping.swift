public import GatewaySimulator
import Glibc
import Primitives
public import ProviderSessions
import PushWire
public import RunRecords
import Transport
public import Workload

/// Why a run could not be prepared or carried out.
public enum HarnessError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The user's input is wrong; exit code 2.
    case invalidInput(String)
    /// This machine lacks something; exit code 2.
    case localLimit(String)
    /// The target cannot be reached; exit code 8.
    case unreachable(String)
    /// Something of ours is broken; exit code 1.
    case internalFailure(String)

    /// The message for the user.
    public var description: String {
        switch self {
        case .invalidInput(let text), .localLimit(let text), .unreachable(let text), .internalFailure(let text): text
        }
    }
}

extension Profile {
    /// The profile's batch, window and reconnect rules, as the sessions want them.
    public func sessionPlan() -> SessionPlan {
        var plan = SessionPlan()
        plan.batch = BatchPlan(
            notifications: UInt64(sender.batch.notifications), bytes: sender.batch.bytes, linger: sender.batch.linger)
        plan.window = UInt64(sender.window)
        plan.reconnect = ReconnectPlan(
            base: sender.reconnect.base, factor: sender.reconnect.factor, cap: sender.reconnect.cap,
            jitter: sender.reconnect.jitter)
        switch sender.unproven.policy {
        case .report: plan.unproven = .report
        case .resend: plan.unproven = .resend(limit: UInt32(sender.unproven.limit))
        }
        if sender.mode == .waitEach {
            plan.batch.notifications = 1
            plan.waitAfterBatch = sender.wait
        }
        if sender.mode == .windowed { plan.silence = sender.silence.map { .constant($0) } ?? .roundTrip }
        plan.stallLimit = sender.stallLimit
        plan.sentinelTimeout = sender.sentinelTimeout
        plan.watchTime = sender.watch
        plan.identifiers = IdentifierSpace(first: sender.identifiers.fixed ?? sender.firstIdentifier)
        plan.command = command
        if let expiry = workload.expiry {
            let now = MonotonicClock.now() + UnixClock.offset + expiry
            plan.expiry = UInt32(clamping: now.nanoseconds / 1_000_000_000)
        }
        plan.malformed = sender.malformed.map { malformed in
            let token: MalformedToken =
                switch malformed.token {
                case .missingByte: .missingByte
                case .extraByte: .extraByte
                case .empty: .empty
                }
            return MalformedPlan(token: token, every: UInt64(malformed.every))
        }
        plan.sentinelBase = UInt64(Self.notificationLimit)
        return plan
    }

    /// The command of the binary interface; without meaning for HTTP/2, of which it has only in common that all is identified.
    private var command: NotificationCommand {
        switch protocolName {
        case .simple: .simple
        case .framed: .framed(priority: sender.priority)
        case .mixed: .mixed(priority: sender.priority)
        case .enhanced, .http2: .enhanced
        }
    }

    /// The environment of the target, whose tokens are valid there.
    public var targetEnvironment: PushEnvironment {
        let name =
            switch target {
            case .simulator(let settings): settings.environment
            case .gateway(let settings): settings.environment
            }
        return name == .sandbox ? .sandbox : .production
    }

    /// Tokens and payloads of the run, with the files that the profile names read and checked.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` that names the file and the place.
    public func notificationSource() throws(HarnessError) -> NotificationSource {
        NotificationSource(tokens: try tokenSource(), payloads: try payloadSource())
    }

    /// The token lengths that the target takes, in bytes; for a gateway that is not ours those that were ever seen.
    private var acceptedTokenBytes: ClosedRange<Int> {
        guard case .simulator(let simulator) = target, simulator.tokenLength == .variable else {
            return TokenKey.tokenBytes...TokenKey.tokenBytes
        }
        return TokenList.documentedBytes
    }

    private func tokenSource() throws(HarnessError) -> TokenSource {
        let key = TokenKey(seed: workload.seed)
        if let path = workload.tokensFile {
            let bytes = try readFile(path, limit: tokenFileBytesMax)
            let list = bytes.withUnsafeBytes { text in
                Result { () throws(TokenFileError) in
                    try TokenList(parsing: text, fileName: path, acceptedBytes: acceptedTokenBytes)
                }
            }
            switch list {
            case .success(let list): return .list(list, key)
            case .failure(let error): throw .invalidInput(error.description)
            }
        }
        do throws(WorkloadError) {
            let faults = workload.faults
            let rates = try FateRates(
                badToken: faults.badToken, unregistered: faults.unregistered, otherTopic: faults.otherTopic)
            let environment: PushEnvironment = workload.environment == .sandbox ? .sandbox : .production
            return .synthetic(
                try DevicePopulation(
                    seed: workload.seed, deviceCount: UInt64(workload.devices), environment: environment, rates: rates),
                key)
        } catch {
            throw .invalidInput(error.description)
        }
    }

    private func payloadSource() throws(HarnessError) -> PayloadSource {
        let payload = workload.payload
        let name = payload.templateFile ?? payload.file ?? ""
        let text = name.isEmpty ? [] : try readFile(name)
        do throws(WorkloadError) {
            if payload.templateFile != nil {
                let template = text.withUnsafeBytes { text in
                    Result { () throws(WorkloadError) in
                        try PayloadTemplate(
                            parsing: text, name: name, seed: workload.seed, alphabet: payload.text,
                            form: payload.form, limitBytes: payloadLimit)
                    }
                }
                return .template(try template.get(), limitBytes: payloadLimit)
            }
            if payload.file != nil {
                let generator = text.withUnsafeBytes { text in
                    Result { () throws(WorkloadError) in
                        try PayloadGenerator(fixed: text, name: name, limitBytes: payloadLimit)
                    }
                }
                return .generated(try generator.get())
            }
            let sizes =
                switch payload.bytes {
                case .constant(let bytes): try PayloadSizes(constant: bytes)
                case .distribution(let quantiles):
                    try PayloadSizes(p50: quantiles.p50, p99: quantiles.p99, max: quantiles.max)
                }
            return .generated(
                try PayloadGenerator(
                    PayloadPlan(
                        seed: workload.seed, sizes: sizes, alphabet: payload.text, form: payload.form,
                        limitBytes: payloadLimit, oversizedFraction: workload.faults.oversizedPayload)))
        } catch {
            throw .invalidInput(error.description)
        }
    }

    /// What the embedded gateway keeps for offline devices, for one event loop; nil when all are online.
    func notificationStore(_ simulator: SimulatorSettings) -> NotificationStore? {
        guard simulator.storage.offline > 0 else { return nil }
        let settings = StorageSettings(
            offlineShare: simulator.storage.offline, seed: workload.seed,
            readsExpirySigned: simulator.storage.expirySign == .signed)
        return NotificationStore(settings: settings, tokenSeed: workload.seed)
    }

    /// How the embedded gateway judges and misbehaves.
    public func gatewaySettings(_ simulator: SimulatorSettings, loops: Int) -> GatewaySimulator.GatewaySettings {
        var settings = GatewaySimulator.GatewaySettings()
        settings.tokenSeed = workload.seed
        settings.environment = simulator.environment == .sandbox ? .sandbox : .production
        settings.judgesTokens = simulator.judge.tokens
        settings.acceptsAll = simulator.judge.acceptAll
        settings.judgesEnvironment = simulator.judge.environment
        settings.foreignTokens = simulator.judge.foreignTokens == .accept ? .accept : .reject
        settings.payloadLimit = simulator.payloadLimit
        settings.judgesPayloadSize = simulator.judge.payloadSize
        switch simulator.tokenLength {
        case .strict: settings.tokenBytes = GatewaySimulator.GatewaySettings.strictTokenBytes
        case .variable: settings.tokenBytes = GatewaySimulator.GatewaySettings.variableTokenBytes
        }
        settings.unknownCommand = simulator.unknownCommand == .protocolError ? .protocolError : .silentClose
        settings.simpleRefusal = simulator.simpleRefusal == .silentClose ? .silentClose : .reply
        settings.judgesJSON = simulator.judge.payloadJSON
        settings.unixOffset = UnixClock.offset
        settings.faults = FaultPlan(simulator.faults, seed: workload.seed, loops: loops)
        return settings
    }
}
