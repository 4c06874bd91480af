/// The apps whose devices a connection reaches, by the topic numbers in their tokens: what its certificate says.
public enum TopicScope: Hashable, Sendable {
    /// The app under load, with or without a certificate.
    case appUnderLoad
    /// These of the gateway's apps, of which there are at most 64; bit n is the app of topic number n.
    case apps(UInt64)
    /// None: the certificate names no topic, and the gateway wants one.
    case missing

    /// The scope of a certificate.
    ///
    /// - Parameters:
    ///   - topics: what the certificate names.
    ///   - apps: the gateway's apps by topic number; none makes every certificate one for the app under load.
    public init(certificate topics: [String], apps: [String]) {
        guard !apps.isEmpty else {
            self = .appUnderLoad
            return
        }
        guard !topics.isEmpty else {
            self = .missing
            return
        }
        var bits: UInt64 = 0
        for (number, app) in apps.prefix(UInt64.bitWidth).enumerated() where topics.contains(app) {
            bits |= 1 << UInt64(number)
        }
        self = .apps(bits)
    }

    /// Whether a device of this topic number is reached.
    @inline(__always)
    func reaches(_ topic: UInt16) -> Bool {
        switch self {
        case .appUnderLoad: topic == 0
        case .apps(let bits): topic < UInt64.bitWidth && bits & 1 << UInt64(topic) != 0
        case .missing: false
        }
    }
}
