import PushWire

/// What was found out about a request when its header block had come; of a fixed size, and kept until the body has come, too.
struct RequestHead {
    /// What a request is for.
    enum Kind: UInt8 {
        /// A notification to one device.
        case device
        /// A notification to a channel.
        case broadcast
        /// Making, reading, listing or deleting channels.
        case management
    }

    /// The longest device token in bytes.
    static let maxTokenBytes = 104

    var kind = Kind.device
    /// Why it is refused whatever its body is; nil when the body decides.
    var refusal: RefusalReason?
    /// When the device lost the app, in milliseconds since 1970; for the reasons that tell it.
    var timestamp: Int64 = 0
    /// Whether no key opens the token.
    var isForeign = false
    /// The number within the run; 0 when `apns-id` is not the run's.
    var identifier: UInt32 = 0
    /// The value of `apns-id`, as it came or as it was made.
    var messageID = InlineArray<36, UInt8>(repeating: 0)
    var token = InlineArray<104, UInt8>(repeating: 0)
    var tokenByteCount: UInt8 = 0
    var priority: UInt8 = 10
    /// The number of the app that the topic names.
    var app: UInt16 = 0
    /// The longest body in bytes.
    var bodyLimit: Int32 = 4_096
    /// The value of `content-length`; negative without the field.
    var contentLength: Int64 = -1
    /// Seconds since 1970; nil without `apns-expiration`.
    var expiration: Int64?

    /// Calls `body` with the token's bytes.
    @inline(__always)
    func withToken<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let count = Int(tokenByteCount)
        return withUnsafeBytes(of: token) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}

/// What a request is answered.
enum RequestAnswer: Equatable {
    /// 200 and no body.
    case accepted
    /// The reason's status and a JSON body; `timestamp`, in milliseconds since 1970, only with 410.
    case refused(RefusalReason, timestamp: Int64? = nil)
    /// What a channel request is answered.
    case channels(status: Int, channelID: [UInt8] = [], body: [UInt8] = [])
}
