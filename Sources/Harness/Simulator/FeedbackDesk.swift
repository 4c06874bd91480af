import GatewaySimulator
import Primitives
import SecureChannel
import PushWire
import Transport

/// Sums of the feedback service.
struct FeedbackCounts: Sendable {
    /// Tuples that wait to be told, those that are on their way among them.
    var waiting: UInt64 = 0
    /// Tuples that were delivered whole, to clients that were there to the end.
    var delivered: UInt64 = 0
    /// The order-free digest of the delivered tuples.
    var deliveredDigest: UInt64 = 0
    /// Tuples that were cleared although their client did not get the whole list; only with clearing at the connection.
    var clearedUndelivered: UInt64 = 0
    /// Tokens that were not noted because a list was full or there were too many topics, each time counted.
    var dropped: UInt64 = 0
}

/// Where the parts of all gateway loops come together and are handed to the feedback connections; lives on the service's loop.
///
/// Each gateway loop notes tokens in a book of its own. When a client connects, the loops are asked for their parts, in their own
/// time; the first client that waits for a topic gets its list, and what was not delivered is put back.
final class FeedbackDesk {
    private let settings: FeedbackSettings
    private let topics: [String]
    private let gatewayLoops: [EventLoop]
    /// The loop that this lives on; it holds the desk.
    private weak var home: EventLoop?
    private let book: FeedbackBook
    private var waitingLinks: [FeedbackLink] = []
    private var servedLinks: [FeedbackLink] = []
    private var missingParts = 0
    private var settled = FeedbackCounts()

    /// Makes the desk of a gateway whose apps are `topics`, by topic number.
    init(settings: FeedbackSettings, topics: [String], limit: Int, gatewayLoops: [EventLoop], home: EventLoop) {
        self.settings = settings
        self.topics = topics
        self.gatewayLoops = gatewayLoops
        self.home = home
        book = FeedbackBook(limit: limit)
    }

    /// A handler for the next accepted connection.
    func makeLink() -> FeedbackLink { FeedbackLink(session: FeedbackSession(settings: settings), desk: self) }

    /// The apps whose feedback a client gets.
    func scope(of certificate: ProviderCertificate?) -> TopicScope { TopicScope(of: certificate, apps: topics) }

    /// A client waits for its list.
    func request(_ link: FeedbackLink, now: Instant) {
        waitingLinks.append(link)
        if missingParts == 0 { collect(now: now) }
    }

    /// A client has all that it gets: what it did not get is put back.
    func linkIsDone(_ link: FeedbackLink) {
        waitingLinks.removeAll { $0 === link }
        guard let index = servedLinks.firstIndex(where: { $0 === link }) else { return }
        servedLinks.remove(at: index)
        let list = link.session.list
        if link.session.isDelivered {
            settled.delivered += UInt64(list.count)
            settled.deliveredDigest &+= list.digest
            settled.dropped += list.droppedCount
        } else if settings.clearing == .connected {
            settled.clearedUndelivered += UInt64(list.count)
            settled.dropped += list.droppedCount
        } else {
            book.note(list, scope: link.scope)
        }
    }

    /// Notes the parts of a gateway loop.
    func note(_ parts: [TopicScope: FeedbackList]) {
        for (scope, list) in parts { book.note(list, scope: scope) }
    }

    /// The sums at present, of all parts that were noted here.
    var counts: FeedbackCounts {
        var counts = settled
        let lists = Array(book.lists.values) + servedLinks.map(\.session.list)
        for list in lists {
            counts.waiting += UInt64(list.count)
            counts.dropped += list.droppedCount
        }
        counts.dropped += book.homelessCount
        return counts
    }

    // MARK: - Parts

    private func collect(now: Instant) {
        missingParts = gatewayLoops.count
        for loop in gatewayLoops {
            let isTaken = loop.enqueue { [home] core in
                let parts = (core.tenant as? GatewayLoop)?.ledger.feedback.takeAll() ?? [:]
                home?.enqueue { core in (core.tenant as? FeedbackDesk)?.partCame(parts, now: core.now) }
            }
            if !isTaken { missingParts -= 1 }
        }
        if missingParts == 0 { serve(now: now) }
    }

    private func partCame(_ parts: [TopicScope: FeedbackList], now: Instant) {
        note(parts)
        missingParts -= 1
        if missingParts == 0 { serve(now: now) }
    }

    private func serve(now: Instant) {
        let links = waitingLinks
        waitingLinks = []
        servedLinks += links
        for link in links { link.begin(with: book.take(scope: link.scope), now: now) }
    }
}
