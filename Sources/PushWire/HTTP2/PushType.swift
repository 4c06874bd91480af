/// What kind of notification a request says it brings: the values of `apns-push-type` with what Apple's documents demand for
/// each ("Sending notification requests to APNs", table of the header).
public enum PushType: String, Hashable, Sendable, CaseIterable {
    /// Something that the user sees or hears.
    case alert
    /// Nothing that the user notices.
    case background
    /// A complication on a watch.
    case complication
    /// Controls that load themselves anew.
    case controls
    /// A file provider's changes.
    case fileprovider
    /// A Live Activity.
    case liveactivity
    /// A question for the device's location.
    case location
    /// A mobile device management server's.
    case mdm
    /// A push-to-talk service's.
    case pushtotalk
    /// A call over IP.
    case voip
    /// Widgets that load themselves anew.
    case widgets

    /// What stands behind the app's identifier in the topic; empty for nothing.
    public var topicSuffix: StaticString {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The longest body in bytes.
    public var payloadLimit: Int { self == .voip ? 5_120 : 4_096 }

    /// Whether a request of this type may have that priority: background ones only 5, Live Activities not 1.
    public func allows(priority: UInt8) -> Bool {
        switch self {
        case .background: priority == 5
        case .liveactivity: priority == 5 || priority == 10
        default: priority == 1 || priority == 5 || priority == 10
        }
    }

    /// Whether it needs a provider token, and a certificate does not do.
    public var needsProviderToken: Bool { self == .location }

    /// Finds the type that a header's value names; nil for any other.
    public init?(_ text: UnsafeRawBufferPointer) {
        let found: PushType? =
            switch text.count {
            case 3: .mdm
            case 4: .voip
            case 5: .alert
            case 7: .widgets
            case 8: text.first == UInt8(ascii: "c") ? .controls : .location
            case 10: text.first == UInt8(ascii: "b") ? .background : .pushtotalk
            case 12:
                switch text[0] {
                case UInt8(ascii: "c"): .complication
                case UInt8(ascii: "f"): .fileprovider
                default: .liveactivity
                }
            default: nil
            }
        guard let found, text.elementsEqual(found.name) else { return nil }
        self = found
    }

    /// The value of the header, as bytes.
    private var name: UnsafeBufferPointer<UInt8> {
        let text: StaticString =
            switch self {
            case .alert: "alert"
            case .background: "background"
            case .complication: "complication"
            case .controls: "controls"
            case .fileprovider: "fileprovider"
            case .liveactivity: "liveactivity"
            case .location: "location"
            case .mdm: "mdm"
            case .pushtotalk: "pushtotalk"
            case .voip: "voip"
            case .widgets: "widgets"
            }
        return UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
