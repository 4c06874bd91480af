/// What all requests of a run have in their headers besides path and `apns-id`.
///
/// Apple, "Sending notification requests to APNs", table 1. Whatever is nil or empty is left out.
public struct RequestFields: Hashable, Sendable {
    /// A field that the provider API does not know.
    public struct Extra: Hashable, Sendable {
        /// The name, in lower case.
        public var name: String
        /// The value.
        public var value: String

        /// Makes a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How `authorization` is written. It is by far the longest field, and the same in every request.
    public enum AuthorizationIndexing: Hashable, Sendable {
        /// Once in full, then by its index in the peer's table.
        case indexed
        /// In full every time, without indexing, as Apple advises.
        case literal
    }

    /// The host, as `:authority` has it.
    public var authority: String
    /// What stands before the device token in `:path`.
    public var pathPrefix = "/3/device/"
    /// The value of `authorization` with its scheme, for example `bearer …`.
    public var authorization: [UInt8]?
    /// How `authorization` is written.
    public var authorizationIndexing = AuthorizationIndexing.indexed
    /// `apns-topic`.
    public var topic: String?
    /// `apns-push-type`.
    public var pushType: String?
    /// `apns-priority`.
    public var priority: UInt8?
    /// `apns-expiration`, in UNIX seconds.
    public var expiration: UInt64?
    /// `apns-collapse-id`.
    public var collapseID: String?
    /// Further fields.
    public var extras: [Extra] = []

    /// Makes the fields of requests to a host.
    public init(authority: String) { self.authority = authority }

    /// The most bytes of all names and values together; a request's header block must fit into one frame.
    public static let byteLimit = 4_096

    /// How many bytes the names and values have.
    public var byteCount: Int {
        named.reduce(pathPrefix.utf8.count + (authorization?.count ?? 0)) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
    }

    /// The fields that stand behind `:path`, `authorization` and `apns-id` left aside.
    var named: [Extra] {
        var fields: [Extra] = []
        func add(_ name: HTTP2FieldName, _ value: String?) {
            if let value { fields.append(Extra(name: "\(name.text)", value: value)) }
        }
        add(.apnsTopic, topic)
        add(.apnsPushType, pushType)
        add(.apnsPriority, priority.map { "\($0)" })
        add(.apnsExpiration, expiration.map { "\($0)" })
        add(.apnsCollapseID, collapseID)
        return fields + extras
    }
}
