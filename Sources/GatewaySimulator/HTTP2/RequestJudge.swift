import Primitives
public import PushWire
import Workload

/// Decides what a request of the HTTP/2 provider API is answered: by its header fields first, then by its body.
///
/// When several things are wrong, the first of this order counts; Apple documents none (`protocol.md` section 3.4):
///
/// 1. a repeated header: `DuplicateHeaders`
/// 2. `apns-id`: `BadMessageId`
/// 3. the method, then the path: `MethodNotAllowed`, `BadPath`, `MissingDeviceToken`
/// 4. who sends it: `MissingProviderToken`, `InvalidProviderToken`, `ExpiredProviderToken` and their like, `Forbidden`
/// 5. `apns-push-type`, then `apns-topic`: `InvalidPushType`, `MissingTopic`, `BadTopic`, `TopicDisallowed`
/// 6. `apns-priority`, `apns-expiration`, `apns-collapse-id`
/// 7. the device token: `BadDeviceToken`, `DeviceTokenNotForTopic`, `Unregistered`
/// 8. the body: `PayloadEmpty`, `PayloadTooLarge`, and `BadRequestPayload` for what is no JSON, if that is judged
///
/// Requests about channels keep to the same order with the fields that they have (``ChannelDesk``), except that an unknown path counts
/// before the method.
public final class RequestJudge {
    /// The longest `apns-collapse-id` in bytes.
    static let maxCollapseIDBytes = 64

    let settings: GatewaySettings
    let api: ProviderAPISettings
    private let desk: ProviderTokenDesk
    private let channels: ChannelDesk
    private let key: TokenKey?
    private let topics: TopicRules
    private let runIDs: NotificationIDSpace?
    private let madeIDs: NotificationIDSpace
    private let hasUnregisteredTokens: Bool
    private let identifiers: IdentifierSpace
    private var madeCount: UInt64 = 0

    /// Makes the judge of one event loop.
    ///
    /// - Parameters:
    ///   - settings: what holds for tokens and payloads whatever the protocol.
    ///   - api: what holds for the HTTP/2 provider API.
    ///   - desk: judges provider tokens.
    ///   - book: the channels of all event loops.
    ///   - identifiers: the run's, for the numbers that stand in `apns-id`.
    public init(
        settings: GatewaySettings, api: ProviderAPISettings, desk: ProviderTokenDesk, book: ChannelBook = ChannelBook(),
        identifiers: IdentifierSpace = IdentifierSpace()
    ) {
        self.identifiers = identifiers
        self.settings = settings
        self.api = api
        self.desk = desk
        channels = ChannelDesk(settings: api, book: book, unixOffset: settings.unixOffset)
        key = settings.tokenKey
        topics = TopicRules(apps: api.topics)
        runIDs = settings.tokenSeed.map { NotificationIDSpace(seed: $0) }
        madeIDs = NotificationIDSpace(seed: ~(settings.tokenSeed ?? 0))
        hasUnregisteredTokens = !settings.unregisteredTokens.isEmpty
    }

    /// Judges everything but the body.
    func judge(_ fields: ReceivedFields, on connection: ProviderConnection, now: Instant) -> RequestHead {
        var head = RequestHead()
        if let path = fields[.path] { head.kind = ChannelPath.kind(of: path) }
        let isNamed = takeMessageID(fields, into: &head)
        if fields.isRepeated {
            head.refusal = .duplicateHeaders
        } else if !isNamed {
            head.refusal = .badMessageID
        } else {
            head.refusal = refusal(of: fields, on: connection, into: &head, now: now)
        }
        return head
    }

    /// Takes from the fields what an answer and the book need, and judges nothing.
    func glance(at fields: ReceivedFields) -> RequestHead {
        var head = RequestHead()
        _ = takeMessageID(fields, into: &head)
        head.bodyLimit = .max
        let devices: StaticString = "/3/device/"
        guard let path = fields[.path], path.begins(with: devices) else { return head }
        let token = path.dropping(devices.utf8CodeUnitCount)
        guard token.count <= 2 * RequestHead.maxTokenBytes else { return head }
        let isHex = withUnsafeMutableBytes(of: &head.token) { target -> Bool in
            guard let base = target.baseAddress else { return false }
            return RequestText.bytes(ofHex: token, into: base)
        }
        if isHex { head.tokenByteCount = UInt8(truncatingIfNeeded: token.count / 2) }
        return head
    }

    /// Takes token and identifier of a request that is otherwise like the one that `head` is about; false if they are not both good,
    /// and all of it must be judged.
    func renew(
        _ head: inout RequestHead, token: UnsafeRawBufferPointer, messageID: UnsafeRawBufferPointer
    ) -> Bool {
        guard let sequence = runIDs?.sequence(of: messageID) else { return false }
        head.identifier = identifiers.identifier(of: sequence)
        withUnsafeMutableBytes(of: &head.messageID) { $0.copyMemory(from: messageID) }
        let isHex = withUnsafeMutableBytes(of: &head.token) { target in
            target.baseAddress.map { RequestText.bytes(ofHex: token, into: $0) } ?? false
        }
        guard isHex else { return false }
        guard !api.acceptsAll, settings.judgesTokens else { return true }
        let app = head.app
        return head.withToken { verdict(on: $0, app: app) } == .good
    }

    /// Judges a request whose header fields are good by its body.
    func answer(_ head: RequestHead, body: UnsafeRawBufferPointer, now: Instant) -> RequestAnswer {
        if let refusal = head.refusal {
            return .refused(refusal, timestamp: refusal.status == 410 ? head.timestamp : nil)
        }
        if body.isEmpty { return .refused(.payloadEmpty) }
        if settings.judgesPayloadSize, body.count > Int(head.bodyLimit) { return .refused(.payloadTooLarge) }
        if settings.judgesJSON && JSONSyntax.check(body) != nil { return .refused(.badRequestPayload) }
        return .accepted
    }

    /// Whether a body must be shown whole, and its length does not do.
    func needsBody(_ head: RequestHead) -> Bool { settings.judgesJSON && head.refusal == nil }

    /// The channel request that a head of another kind than a device's stands for.
    func channelRequest(_ fields: ReceivedFields) -> ChannelRequest? { channels.request(fields) }

    /// Answers a channel request whose body has come.
    func answer(
        _ request: ChannelRequest, head: RequestHead, body: UnsafeRawBufferPointer, now: Instant
    ) -> RequestAnswer {
        if let refusal = head.refusal { return .refused(refusal) }
        return channels.answer(request, body: body, now: now)
    }

    // MARK: - Header fields

    /// Takes the identifier that the response will carry, or makes one; false when there is one that is no UUID.
    private func takeMessageID(_ fields: ReceivedFields, into head: inout RequestHead) -> Bool {
        let text =
            head.kind == .device
            ? fields[.apnsID] ?? fields[.apnsRequestID] : fields[.apnsRequestID] ?? fields[.apnsID]
        return withUnsafeMutableBytes(of: &head.messageID) { target in
            guard let base = target.baseAddress else { return false }
            if let text, let sequence = runIDs?.sequence(of: text) {
                head.identifier = identifiers.identifier(of: sequence)
                target.copyMemory(from: text)
                return true
            }
            if let text, RequestText.isUUID(text) {
                target.copyMemory(from: text)
                return true
            }
            madeIDs.write(sequence: madeCount, to: base)
            madeCount &+= 1
            return text == nil
        }
    }

    private func refusal(
        of fields: ReceivedFields, on connection: ProviderConnection, into head: inout RequestHead, now: Instant
    ) -> RefusalReason? {
        let path = fields[.path] ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let devices: StaticString = "/3/device/"
        guard path.begins(with: devices) else {
            return refusalElsewhere(of: path, fields, on: connection, into: &head, now: now)
        }
        guard fields[.method]?.isText("POST") ?? false else { return .methodNotAllowed }
        let token = path.dropping(devices.utf8CodeUnitCount)
        if token.isEmpty { return .missingDeviceToken }
        if let refusal = authentication(of: fields, on: connection, now: now) { return refusal }
        var type: PushType?
        if let text = fields[.apnsPushType] {
            type = PushType(text)
            guard let type else { return .invalidPushType }
            head.bodyLimit = Int32(truncatingIfNeeded: type.payloadLimit)
            if type.needsProviderToken && connection.certificateTopics != nil { return .forbidden }
        }
        let app: UInt16
        switch topics.judge(fields[.apnsTopic], type: type, on: connection) {
        case .app(let number): app = number
        case .refused(let reason): return reason
        }
        if type == nil, let topic = fields[.apnsTopic], topic.ends(with: PushType.voip.topicSuffix) {
            head.bodyLimit = Int32(truncatingIfNeeded: PushType.voip.payloadLimit)
        }
        if let refusal = priority(of: fields, type: type, into: &head) { return refusal }
        if let text = fields[.apnsExpiration] {
            guard let number = RequestText.canonicalNumber(text) else { return .badExpirationDate }
            head.expiration = number
        }
        if let text = fields[.apnsCollapseID], text.count > Self.maxCollapseIDBytes { return .badCollapseID }
        head.app = app
        return device(token, app: app, into: &head)
    }

    private func priority(
        of fields: ReceivedFields, type: PushType?, into head: inout RequestHead
    ) -> RefusalReason? {
        guard let text = fields[.apnsPriority] else {
            // The default of 10 is an error for background pushes; who names no priority does not mean that.
            head.priority = type == .background ? 5 : 10
            return nil
        }
        guard let priority = RequestText.priority(text) else { return .badPriority }
        head.priority = priority
        return type.map { $0.allows(priority: priority) } ?? true ? nil : .badPriority
    }

    /// Judges who sends a request.
    private func authentication(
        of fields: ReceivedFields, on connection: ProviderConnection, now: Instant
    ) -> RefusalReason? {
        guard api.authentication == .required else { return nil }
        let authorization = fields[.authorization]
        if connection.certificateTopics != nil {
            return authorization != nil && api.mixedAuthentication == .forbidden ? .forbidden : nil
        }
        guard let authorization else { return .missingProviderToken }
        return desk.refusal(of: authorization, on: connection, now: now)
    }

    // MARK: - The device

    private func device(_ text: UnsafeRawBufferPointer, app: UInt16, into head: inout RequestHead) -> RefusalReason? {
        let count = text.count / 2
        guard settings.tokenBytes.contains(count), text.count.isMultiple(of: 2), count <= RequestHead.maxTokenBytes
        else { return .badDeviceToken }
        let isHex = withUnsafeMutableBytes(of: &head.token) { target -> Bool in
            guard let base = target.baseAddress else { return false }
            return RequestText.bytes(ofHex: text, into: base)
        }
        guard isHex else { return .badDeviceToken }
        head.tokenByteCount = UInt8(truncatingIfNeeded: count)
        guard settings.judgesTokens else { return nil }
        let fate = head.withToken { verdict(on: $0, app: app) }
        head.isForeign = fate == .foreign
        switch fate {
        case .good, .foreign: return nil
        case .refused(let reason):
            if reason == .unregistered { head.timestamp = head.withToken { timeOfLoss($0) } }
            return reason
        }
    }

    private enum DeviceVerdict: Equatable {
        case good
        case foreign
        case refused(RefusalReason)
    }

    private func verdict(on token: UnsafeRawBufferPointer, app: UInt16) -> DeviceVerdict {
        if hasUnregisteredTokens && settings.unregisteredTokens.contains(token) { return .refused(.unregistered) }
        if let key, token.count == TokenKey.tokenBytes, let bytes = token.baseAddress,
            let device = key.device(ofToken: bytes)
        {
            if settings.judgesEnvironment && device.environment != settings.environment {
                return .refused(.badDeviceToken)
            }
            if device.fate == .badToken { return .refused(.badDeviceToken) }
            if device.topic != app || device.fate == .otherTopic { return .refused(.deviceTokenNotForTopic) }
            return device.fate == .unregistered ? .refused(.unregistered) : .good
        }
        let isAccepted = settings.foreignTokens == .accept && !token.allSatisfy { $0 == 0 }
        return isAccepted ? .foreign : .refused(.badDeviceToken)
    }

    /// When a device lost the app: always the same time for the same device, within the week before the gateway's clock began.
    func timeOfLoss(_ token: UnsafeRawBufferPointer) -> Int64 {
        if let fixed = api.unregisteredAt { return fixed }
        let age = Int64(tokenHash(token) % 604_800_000)
        return max(0, settings.unixOffset.nanoseconds / 1_000_000 - age)
    }

    // MARK: - Channels

    private func refusalElsewhere(
        of path: UnsafeRawBufferPointer, _ fields: ReceivedFields, on connection: ProviderConnection,
        into head: inout RequestHead, now: Instant
    ) -> RefusalReason? {
        let method = fields[.method] ?? UnsafeRawBufferPointer(start: nil, count: 0)
        guard let place = ChannelPath(path) else {
            guard head.kind == .device else { return .badPath }
            guard method.isText("POST") else { return .methodNotAllowed }
            return path.isText("/3/device") ? .missingDeviceToken : .badPath
        }
        guard place.allows(method: method) else { return .methodNotAllowed }
        if let refusal = authentication(of: fields, on: connection, now: now) { return refusal }
        switch topics.judge(place.app, type: nil, on: connection) {
        case .app: break
        case .refused(.topicDisallowed): return connection.certificateTopics != nil ? .topicMismatch : .topicDisallowed
        case .refused: return .badPath
        }
        return channels.refusal(of: fields, at: place, into: &head)
    }
}
