import PushWire

/// Which app a topic names, and whether a connection may push to it (`protocol.md` sections 3.2, 3.3 and 3.8).
struct TopicRules {
    /// The apps by their tokens' topic numbers, as bytes; empty to take every topic for the app under load's.
    private let apps: [[UInt8]]

    init(apps: [String]) { self.apps = apps.map { Array($0.utf8) } }

    /// What became of a topic: the app's number, or why it is refused.
    enum Outcome: Equatable {
        case app(UInt16)
        case refused(RefusalReason)
    }

    /// Judges the topic of a request, without one the only topic of a certificate.
    ///
    /// - Parameters:
    ///   - text: the header's value; nil without the header.
    ///   - type: the push type, if one was named.
    ///   - connection: whose certificate or key says which topics are allowed.
    /// - Returns: the app's number, or the reason for a refusal.
    func judge(_ text: UnsafeRawBufferPointer?, type: PushType?, on connection: ProviderConnection) -> Outcome {
        guard let text, !text.isEmpty else {
            guard let topics = connection.certificateTopics, let only = topics.first, topics.count == 1 else {
                return .refused(.missingTopic)
            }
            return Array(only.utf8).withUnsafeBytes { number(of: $0) }
        }
        guard Self.isWellFormed(text) else { return .refused(.badTopic) }
        guard let app = base(of: text, type: type) else { return .refused(.badTopic) }
        guard isAllowed(app, topic: text, on: connection) else { return .refused(.topicDisallowed) }
        return number(of: app)
    }

    /// The app's identifier in a topic; nil when the topic is not one of the push type.
    private func base(of topic: UnsafeRawBufferPointer, type: PushType?) -> UnsafeRawBufferPointer? {
        if let type {
            let suffix = type.topicSuffix
            if suffix.utf8CodeUnitCount > 0 {
                guard topic.ends(with: suffix), topic.count > suffix.utf8CodeUnitCount else { return nil }
                return UnsafeRawBufferPointer(rebasing: topic[..<(topic.count - suffix.utf8CodeUnitCount)])
            }
            return Self.suffixCount(of: topic) == 0 || isApp(topic) ? topic : nil
        }
        if isApp(topic) { return topic }
        return UnsafeRawBufferPointer(rebasing: topic[..<(topic.count - Self.suffixCount(of: topic))])
    }

    private func isAllowed(
        _ app: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer, on connection: ProviderConnection
    ) -> Bool {
        if let topics = connection.certificateTopics {
            // A certificate without topics is another authority's, and says nothing.
            return topics.isEmpty || topics.contains { Self.equal($0, app) || Self.equal($0, topic) }
        }
        guard let topics = connection.token?.topics, !topics.isEmpty else { return true }
        return topics.contains { Self.equal($0, app) }
    }

    private func number(of app: UnsafeRawBufferPointer) -> Outcome {
        guard !apps.isEmpty else { return .app(0) }
        for (number, known) in apps.enumerated() where known.withUnsafeBytes({ $0.equals(app) }) {
            return .app(UInt16(truncatingIfNeeded: number))
        }
        return .refused(.topicDisallowed)
    }

    private func isApp(_ text: UnsafeRawBufferPointer) -> Bool {
        apps.contains { known in known.withUnsafeBytes { $0.equals(text) } }
    }

    private static func equal(_ name: String, _ text: UnsafeRawBufferPointer) -> Bool {
        name.utf8.count == text.count && name.utf8.elementsEqual(text)
    }

    private static let suffixedTypes = PushType.allCases.filter { $0.topicSuffix.utf8CodeUnitCount > 0 }

    /// The length of the push type's suffix with which a topic ends, 0 without one.
    private static func suffixCount(of topic: UnsafeRawBufferPointer) -> Int {
        for type in suffixedTypes {
            let suffix = type.topicSuffix
            if topic.ends(with: suffix), topic.count > suffix.utf8CodeUnitCount { return suffix.utf8CodeUnitCount }
        }
        return 0
    }

    /// Whether a text can be a bundle identifier with a suffix.
    static func isWellFormed(_ text: UnsafeRawBufferPointer) -> Bool {
        guard (1...255).contains(text.count) else { return false }
        return text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
