public import PushWire

/// The unregistered tokens that were pushed to, by topic: one event loop's part of what the feedback service tells.
///
/// The time of a tuple is the time of the latest push to its token, when the gateway found the app gone
/// (Apple, Local and Remote Notification Programming Guide, "Binary Provider API", table A-6). Every topic has a list of its own, since a
/// provider's certificate selects its application.
public final class FeedbackBook {
    /// The most topics that have a list; tokens of further ones are counted as dropped.
    public static let topicLimit = 1_000

    /// The topic of providers whose certificate names none, or who need no certificate.
    public static let commonTopic = ""

    /// The most tokens of each topic; see ``FeedbackList``.
    public let limit: Int
    /// The lists by topic.
    public private(set) var lists: [String: FeedbackList] = [:]
    /// Tokens of topics beyond ``topicLimit``, each time counted.
    public private(set) var homelessCount: UInt64 = 0

    /// Makes an empty book.
    public init(limit: Int = FeedbackList.defaultLimit) { self.limit = limit }

    /// Notes a push to a token.
    public func note(_ tuple: FeedbackTuple, topic: String) {
        guard lists[topic] != nil || lists.count < Self.topicLimit else {
            homelessCount += 1
            return
        }
        lists[topic, default: FeedbackList(limit: limit)].note(tuple)
    }

    /// Notes everything in a list.
    public func note(_ list: FeedbackList, topic: String) {
        guard lists[topic] != nil || lists.count < Self.topicLimit else {
            homelessCount += UInt64(list.count) + list.droppedCount
            return
        }
        lists[topic, default: FeedbackList(limit: limit)].note(list)
    }

    /// Empties all lists and returns what was in them, by topic.
    public func takeAll() -> [String: FeedbackList] {
        let taken = lists
        lists = [:]
        return taken
    }

    /// Empties the list of one topic and returns what was in it.
    public func take(topic: String) -> FeedbackList { lists[topic]?.take() ?? FeedbackList(limit: limit) }
}
