import Primitives
import PushWire
import Workload

/// A path under which channels are managed or published to.
struct ChannelPath {
    enum Kind {
        /// `/4/broadcasts/apps/<app>`
        case broadcast
        /// `/1/apps/<app>/channels`
        case channels
        /// `/1/apps/<app>/all-channels`
        case list
    }

    let kind: Kind
    let app: UnsafeRawBufferPointer

    private static let broadcasts: StaticString = "/4/broadcasts/"
    private static let broadcastApps: StaticString = "/4/broadcasts/apps/"
    private static let apps: StaticString = "/1/apps/"

    /// What a request is for by the beginning of its path, also if there is nothing under the rest of it: its response names it as that
    /// interface does.
    static func kind(of path: UnsafeRawBufferPointer) -> RequestHead.Kind {
        path.begins(with: apps) ? .management : path.begins(with: broadcasts) ? .broadcast : .device
    }

    /// Takes a path apart; nil for any other.
    init?(_ path: UnsafeRawBufferPointer) {
        if path.begins(with: Self.broadcastApps) {
            kind = .broadcast
            app = path.dropping(Self.broadcastApps.utf8CodeUnitCount)
        } else if path.begins(with: Self.apps) {
            let rest = path.dropping(Self.apps.utf8CodeUnitCount)
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            let name = rest.dropping(slash + 1)
            guard name.isText("channels") || name.isText("all-channels") else { return nil }
            kind = name.isText("channels") ? .channels : .list
            app = UnsafeRawBufferPointer(rebasing: rest[..<slash])
        } else {
            return nil
        }
        guard !app.isEmpty, !app.contains(UInt8(ascii: "/")) else { return nil }
    }

    func allows(method: UnsafeRawBufferPointer) -> Bool {
        switch kind {
        case .broadcast: method.isText("POST")
        case .channels: method.isText("POST") || method.isText("GET") || method.isText("DELETE")
        case .list: method.isText("GET")
        }
    }
}

/// A request about channels, kept until its body has come.
struct ChannelRequest {
    enum Action {
        case create
        case read
        case delete
        case list
        case publish
    }

    var action: Action
    var app: [UInt8]
    var channelID: [UInt8]
}

/// Judges and carries out requests about broadcast channels (`protocol.md` sections 4.1 to 4.3).
struct ChannelDesk {
    let settings: ProviderAPISettings
    let book: ChannelBook
    let unixOffset: Interval

    /// The longest body of a publication in bytes.
    static let maxPayloadBytes = 5_120
    /// The longest identifier of a channel that is looked up, in bytes.
    static let maxChannelIDBytes = 256

    /// What is wrong with the header fields of a request.
    func refusal(of fields: ReceivedFields, at place: ChannelPath, into head: inout RequestHead) -> RefusalReason? {
        guard settings.hasBroadcasts else { return .featureNotEnabled }
        head.bodyLimit = Int32(Self.maxPayloadBytes)
        let isCreation = place.kind == .channels && fields[.method]?.isText("POST") ?? false
        if place.kind == .list || isCreation { return nil }
        guard let identifier = fields[.apnsChannelID], !identifier.isEmpty else { return .missingChannelID }
        guard identifier.count <= Self.maxChannelIDBytes, identifier.allSatisfy(Self.isBase64) else {
            return .badChannelID
        }
        if place.kind == .broadcast, let refusal = publicationRefusal(of: fields, into: &head) { return refusal }
        guard let channel = book.channel(Array(identifier), app: Array(place.app)) else { return .channelNotRegistered }
        if place.kind == .broadcast, channel.storagePolicy == 0, head.expiration != 0 { return .badExpirationDate }
        return nil
    }

    private func publicationRefusal(of fields: ReceivedFields, into head: inout RequestHead) -> RefusalReason? {
        guard let type = fields[.apnsPushType] else { return .missingPushType }
        guard type.isText("liveactivity") || type.isText("Liveactivity") else { return .invalidPushType }
        guard let expiration = fields[.apnsExpiration], let time = RequestText.canonicalNumber(expiration) else {
            return .badExpirationDate
        }
        head.expiration = time
        guard let priority = fields[.apnsPriority].flatMap(RequestText.priority) else { return .badPriority }
        head.priority = priority
        // A broadcast has no topic beside the app in its path.
        return fields[.apnsTopic] == nil ? nil : .badRequestParams
    }

    /// The request that the fields stand for; nil for one about a device.
    func request(_ fields: ReceivedFields) -> ChannelRequest? {
        guard let path = fields[.path], let place = ChannelPath(path), let method = fields[.method] else { return nil }
        let action: ChannelRequest.Action =
            switch place.kind {
            case .broadcast: .publish
            case .list: .list
            case .channels: method.isText("POST") ? .create : method.isText("GET") ? .read : .delete
            }
        return ChannelRequest(
            action: action, app: Array(place.app), channelID: fields[.apnsChannelID].map { Array($0) } ?? [])
    }

    /// Carries out a request whose header fields are good.
    func answer(_ request: ChannelRequest, body: UnsafeRawBufferPointer, now: Instant) -> RequestAnswer {
        switch request.action {
        case .create: return create(request, body: body)
        case .read:
            guard let channel = book.channel(request.channelID, app: request.app) else {
                return .refused(.channelNotRegistered)
            }
            let text = #"{"message-storage-policy":\#(channel.storagePolicy),"push-type":"LiveActivity"}"#
            return .channels(status: 200, body: Array(text.utf8))
        case .delete:
            guard book.delete(request.channelID, app: request.app) else { return .refused(.channelNotRegistered) }
            return .channels(status: 204)
        case .list:
            var text = Array(#"{"channels":["#.utf8)
            for (index, identifier) in book.identifiers(app: request.app).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text += [UInt8(ascii: "\"")] + identifier + [UInt8(ascii: "\"")]
            }
            return .channels(status: 200, body: text + Array("]}".utf8))
        case .publish:
            if body.isEmpty { return .refused(.payloadEmpty) }
            if body.count > Self.maxPayloadBytes { return .refused(.payloadTooLarge) }
            guard JSONSyntax.check(body) == nil else { return .refused(.badRequestPayload) }
            book.publish(to: request.channelID, app: request.app)
            return .accepted
        }
    }

    private func create(_ request: ChannelRequest, body: UnsafeRawBufferPointer) -> RequestAnswer {
        if body.isEmpty { return .refused(.payloadEmpty) }
        guard JSONSyntax.check(body) == nil else { return .refused(.badRequestPayload) }
        guard let type = JSONMembers.text("push-type", in: body) else { return .refused(.missingPushType) }
        guard type.elementsEqual("LiveActivity".utf8) else { return .refused(.invalidPushType) }
        guard let policy = JSONMembers.value("message-storage-policy", in: body),
            policy.isText("0") || policy.isText("1")
        else { return .refused(.badRequestPayload) }
        let number = policy.isText("1") ? 1 : 0
        guard let identifier = book.create(app: request.app, storagePolicy: number, limit: settings.channelLimit) else {
            return .refused(.cannotCreateChannelConfig)
        }
        return .channels(status: 201, channelID: identifier)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
