/// What a template may leave open, written `{{title}}` and so on.
public enum TemplateField: UInt8, Sendable, CaseIterable {
    /// A short made-up text, for inside a string.
    case title
    /// A longer made-up text, for inside a string.
    case body
    /// A number from 1 to 99.
    case badge
    /// The name of the system's default sound, for inside a string.
    case sound
    /// A deep link with the sequence number in it, for inside a string.
    case link
    /// The notification's sequence number, decimal.
    case sequence
    /// The index of the device, decimal.
    case device

    /// The name between the braces.
    public var name: String {
        switch self {
        case .title: "title"
        case .body: "body"
        case .badge: "badge"
        case .sound: "sound"
        case .link: "link"
        case .sequence: "sequence"
        case .device: "device"
        }
    }
}

/// Whether payloads over the protocol's limit are a mistake or the purpose.
public enum OversizePolicy: Sendable {
    /// They are an error when the workload is made.
    case refused
    /// They are sent as they are.
    case wanted
}
