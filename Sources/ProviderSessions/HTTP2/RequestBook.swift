public import Primitives
public import PushWire

/// What only the provider API tells, summed up over a run: reasons, resets, ends.
public struct RequestBook: Hashable, Sendable {
    /// A kind of refusal.
    public struct RefusalKind: Hashable, Sendable {
        /// The response's status.
        public var status: Int
        /// The reason in its body; without one, the status.
        public var name: String

        /// Makes a kind.
        public init(status: Int, name: String) {
            self.status = status
            self.name = name
        }

        /// Makes the kind of a response.
        public init(status: Int, reason: RefusalBody.Reason) {
            self.init(
                status: status, name: reason == .absent ? "\(status)" : RefusalBody(reason: reason).reasonName)
        }
    }

    /// A kind of GOAWAY frame.
    public struct GoAwayKind: Hashable, Sendable {
        /// Its error code.
        public var code: HTTP2ErrorCode
        /// The reason in its debug data; empty for none.
        public var reason: String

        /// Makes a kind.
        public init(code: HTTP2ErrorCode, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }

    /// Refused requests, those that were sent again among them.
    public var refusals: [RefusalKind: UInt64] {
        Dictionary(refusalCounts.map { ($0.kind, $0.count) }, uniquingKeysWith: +)
    }
    /// Between what times device tokens were told to be gone, in milliseconds since 1970, by kind of refusal.
    public var goneSince: [RefusalKind: ClosedRange<Int64>] {
        let told = refusalCounts.compactMap { count in count.goneSince.map { (count.kind, $0) } }
        return Dictionary(told) { Self.joined($0, $1) }
    }
    /// The same in the order in which the kinds came: a gateway that refuses everything has few of them, and texts cost too much for each.
    private var refusalCounts: [RefusalCount] = []
    /// Refused requests that were sent again.
    public private(set) var retried: UInt64 = 0
    /// Streams that the gateway ended, by code.
    public private(set) var resets: [HTTP2ErrorCode: UInt64] = [:]
    /// GOAWAY frames by code and reason, announcements among them.
    public private(set) var goAways: [GoAwayKind: UInt64] = [:]
    /// Requests that had no answer in time.
    public private(set) var timedOut: UInt64 = 0
    /// Rules that the gateway broke.
    public private(set) var violations: [HTTP2Rule: UInt64] = [:]
    /// For how long the gateway kept connections from opening requests, added over all of them.
    public private(set) var blocked: [BlockCause: Interval] = [:]

    private struct RefusalCount: Hashable {
        var status: Int
        var reason: RefusalBody.Reason
        var count: UInt64
        var goneSince: ClosedRange<Int64>?

        var kind: RefusalKind { RefusalKind(status: status, reason: reason) }
    }

    /// A hostile gateway may vary reasons and codes; of each kind only so many are told apart.
    private static let kindLimit = 64
    private static let otherName = "other"
    private static let otherCode = HTTP2ErrorCode(rawValue: .max)

    /// Makes an empty book.
    public init() {}

    /// Enters what an event says.
    public mutating func record(_ event: RequestEvent) {
        switch event {
        case .refused(let refusal, _):
            let goneSince = refusal.timestampMilliseconds.map { $0...$0 }
            count(status: refusal.status, refusal.reason, refusal.count, goneSince: goneSince)
            if refusal.isRetried { retried += refusal.count }
        case .streamsReset(let code, let count, _): Self.count(code, count, in: &resets, otherwise: Self.otherCode)
        case .timedOut(let count, _): timedOut += count
        case .goAway(let code, let reason, _, _):
            let name = reason == .absent ? "" : RefusalBody(reason: reason).reasonName
            Self.count(
                GoAwayKind(code: code, reason: name), 1, in: &goAways,
                otherwise: GoAwayKind(code: Self.otherCode, reason: Self.otherName))
        case .violation(let violation, _):
            violations[violation.rule, default: 0] += 1
        case .blocked(let cause, let time, _): blocked[cause, default: .zero] = blocked[cause, default: .zero] + time
        case .streamLimit, .unanswered, .neverAnswered: break
        }
    }

    private mutating func count(
        status: Int, _ reason: RefusalBody.Reason, _ count: UInt64, goneSince: ClosedRange<Int64>?
    ) {
        if let index = refusalCounts.firstIndex(where: { $0.status == status && $0.reason == reason }) {
            refusalCounts[index].count += count
            guard let goneSince else { return }
            refusalCounts[index].goneSince =
                refusalCounts[index].goneSince.map { Self.joined($0, goneSince) } ?? goneSince
        } else if refusalCounts.count < Self.kindLimit {
            refusalCounts.append(
                RefusalCount(status: status, reason: reason, count: count, goneSince: goneSince))
        } else {
            let isOther = { (kind: RefusalCount) in kind.status == 0 }
            if let index = refusalCounts.firstIndex(where: isOther) {
                refusalCounts[index].count += count
            } else {
                refusalCounts.append(RefusalCount(status: 0, reason: .unknown(Self.otherName), count: count))
            }
        }
    }

    private static func joined(_ left: ClosedRange<Int64>, _ right: ClosedRange<Int64>) -> ClosedRange<Int64> {
        min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
    }

    private static func count<Key: Hashable>(
        _ key: Key, _ count: UInt64, in counts: inout [Key: UInt64], otherwise: Key
    ) {
        let isKnown = counts[key] != nil || counts.count < kindLimit
        counts[isKnown ? key : otherwise, default: 0] += count
    }

    /// Adds another loop's book to this one.
    public mutating func add(_ other: RequestBook) {
        for kind in other.refusalCounts {
            count(status: kind.status, kind.reason, kind.count, goneSince: kind.goneSince)
        }
        retried += other.retried
        resets.merge(other.resets, uniquingKeysWith: +)
        goAways.merge(other.goAways, uniquingKeysWith: +)
        timedOut += other.timedOut
        violations.merge(other.violations, uniquingKeysWith: +)
        blocked.merge(other.blocked, uniquingKeysWith: +)
    }
}
