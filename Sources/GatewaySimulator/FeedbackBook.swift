public import PushWire

/// The unregistered tokens that were pushed to, by the apps that a provider reaches: one event loop's part of what the feedback service tells.
///
/// The time of a tuple is the time of the latest push to its token, when the gateway found the app gone
/// (Apple, Local and Remote Notification Programming Guide, "Binary Provider API", table A-6). Every scope has a list of its own, since a
/// provider's certificate selects its applications.
public final class FeedbackBook {
    /// The most scopes that have a list; tokens of further ones are counted as dropped.
    public static let scopeLimit = 1_000

    /// The most tokens of each scope; see ``FeedbackList``.
    public let limit: Int
    /// The lists by scope.
    public private(set) var lists: [TopicScope: FeedbackList] = [:]
    /// Tokens of scopes beyond ``scopeLimit``, each time counted.
    public private(set) var homelessCount: UInt64 = 0

    /// Makes an empty book.
    public init(limit: Int = FeedbackList.defaultLimit) { self.limit = limit }

    /// Notes a push to a token.
    public func note(_ tuple: FeedbackTuple, scope: TopicScope) {
        guard lists[scope] != nil || lists.count < Self.scopeLimit else {
            homelessCount += 1
            return
        }
        lists[scope, default: FeedbackList(limit: limit)].note(tuple)
    }

    /// Notes everything in a list.
    public func note(_ list: FeedbackList, scope: TopicScope) {
        guard lists[scope] != nil || lists.count < Self.scopeLimit else {
            homelessCount += UInt64(list.count) + list.droppedCount
            return
        }
        lists[scope, default: FeedbackList(limit: limit)].note(list)
    }

    /// Empties all lists and returns what was in them, by scope.
    public func takeAll() -> [TopicScope: FeedbackList] {
        let taken = lists
        lists = [:]
        return taken
    }

    /// Empties the list of one scope and returns what was in it.
    public func take(scope: TopicScope) -> FeedbackList { lists[scope]?.take() ?? FeedbackList(limit: limit) }
}
