public import Primitives
public import PushWire

/// The gateway's book: what it accepted, by identifier, and what it refused or threw away.
///
/// One per event loop, written without locks; ``GatewayLedger/merge(_:)`` adds them up. Acceptance is one bit per identifier in pages that
/// come into being when first used, so memory follows what was accepted and is bounded by the tracked range.
public final class GatewayLedger {
    /// Bits of one page.
    private static let pageBits = 1 << 18

    /// The identifiers whose acceptance is tracked, from 1 upwards: 1 ... `trackedCount`; others are only counted.
    public let firstIdentifier: UInt32
    /// How many identifiers are tracked from ``firstIdentifier`` on, in the order of ``IdentifierSpace``.
    public let trackedCount: UInt64

    /// Accepted notifications, a second acceptance of the same identifier included.
    public internal(set) var accepted: UInt64 = 0
    /// Acceptances of an identifier that was accepted before.
    public private(set) var duplicates: UInt64 = 0
    /// Acceptances outside the tracked range, whose duplicates are not seen.
    public private(set) var untracked: UInt64 = 0
    /// Accepted notifications whose device no longer has the app; a feedback service would name them.
    public internal(set) var unregistered: UInt64 = 0
    /// Accepted notifications whose token no key opened.
    public internal(set) var foreign: UInt64 = 0
    /// Refused notifications with a tracked identifier, by status; shutdowns are no refusals.
    public internal(set) var rejections: [UInt64] = Array(repeating: 0, count: 256)
    /// Refusals outside the tracked range: sentinels, mostly.
    public internal(set) var untrackedRejections: UInt64 = 0
    /// Notifications read and thrown away behind a refused one.
    public internal(set) var discarded: UInt64 = 0
    /// Replies with status 10.
    public internal(set) var shutdowns: UInt64 = 0
    /// Connections that stood.
    public internal(set) var connections: UInt64 = 0
    /// Connections that ended inside a notification.
    public internal(set) var partialNotifications: UInt64 = 0
    /// Frame bytes of accepted notifications.
    public internal(set) var acceptedBytes: UInt64 = 0
    /// An order-free digest of the accepted (identifier, token) pairs; comparable only without duplicates.
    public private(set) var digest: UInt64 = 0
    /// When the first and the last notification was accepted.
    public internal(set) var firstAcceptedAt: Instant?
    /// When the last notification was accepted.
    public internal(set) var lastAcceptedAt: Instant?

    private var pages: [UnsafeMutablePointer<UInt64>?]

    /// Makes an empty book that tracks `trackedCount` identifiers from `firstIdentifier` on.
    public init(firstIdentifier: UInt32 = 1, trackedCount: UInt64 = IdentifierSpace.count) {
        self.firstIdentifier = firstIdentifier
        self.trackedCount = min(trackedCount, IdentifierSpace.count)
        pages = Array(repeating: nil, count: Int(self.trackedCount / UInt64(Self.pageBits)) + 1)
    }

    deinit { for page in pages { page?.deallocate() } }

    /// All refusals of tracked notifications.
    public var rejected: UInt64 { rejections.reduce(0, +) }

    /// The term of one accepted pair in ``digest``; the sender computes the same from its own side.
    public static func digestTerm(identifier: UInt32, token: UnsafeRawBufferPointer) -> UInt64 {
        var word: UInt64 = UInt64(token.count)
        if token.count >= 8, let base = token.baseAddress {
            word = base.loadUnaligned(fromByteOffset: token.count - 8, as: UInt64.self)
        }
        return mix64(word ^ (UInt64(identifier) &* 0x9E37_79B9_7F4A_7C15))
    }

    /// Whether an identifier was accepted.
    public func wasAccepted(_ identifier: UInt32) -> Bool {
        guard let index = index(of: identifier), let page = pages[index / Self.pageBits] else { return false }
        let bit = index % Self.pageBits
        return page[bit >> 6] & (1 << UInt64(bit & 63)) != 0
    }

    /// Whether `identifier` is one whose acceptance is tracked.
    func isTracked(_ identifier: UInt32) -> Bool { index(of: identifier) != nil }

    /// Enters an acceptance.
    func accept(_ notification: NotificationView) {
        accepted += 1
        acceptedBytes += UInt64(notification.byteCount)
        guard let index = index(of: notification.identifier) else {
            untracked += 1
            return
        }
        let page = page(index / Self.pageBits)
        let bit = index % Self.pageBits
        let mask: UInt64 = 1 << UInt64(bit & 63)
        let word = page[bit >> 6]
        if word & mask != 0 {
            duplicates += 1
        } else {
            page[bit >> 6] = word | mask
            digest &+= Self.digestTerm(identifier: notification.identifier, token: notification.token)
        }
    }

    /// Adds another loop's book to this one; an identifier accepted by both counts as a duplicate.
    ///
    /// - Precondition: both track the same identifiers.
    public func merge(_ other: GatewayLedger) {
        precondition(
            other.firstIdentifier == firstIdentifier && other.trackedCount == trackedCount,
            "ledgers of different identifiers")
        for (number, theirs) in other.pages.enumerated() {
            guard let theirs else { continue }
            let ours = page(number)
            for word in 0..<Self.pageBits / 64 {
                duplicates += UInt64((ours[word] & theirs[word]).nonzeroBitCount)
                ours[word] |= theirs[word]
            }
        }
        accepted += other.accepted
        duplicates += other.duplicates
        untracked += other.untracked
        unregistered += other.unregistered
        foreign += other.foreign
        for status in rejections.indices { rejections[status] += other.rejections[status] }
        untrackedRejections += other.untrackedRejections
        discarded += other.discarded
        shutdowns += other.shutdowns
        connections += other.connections
        partialNotifications += other.partialNotifications
        acceptedBytes += other.acceptedBytes
        digest &+= other.digest
        firstAcceptedAt = [firstAcceptedAt, other.firstAcceptedAt].compactMap { $0 }.min()
        lastAcceptedAt = [lastAcceptedAt, other.lastAcceptedAt].compactMap { $0 }.max()
    }

    /// Calls `body` for each stretch of accepted identifiers, by their distance from the first one, in order.
    public func forEachAcceptedStretch(_ body: (Range<UInt64>) -> Void) {
        var start: UInt64?
        for (number, page) in pages.enumerated() {
            let base = UInt64(number * Self.pageBits)
            guard let page else {
                if let open = start { body(open..<base) }
                start = nil
                continue
            }
            for word in 0..<Self.pageBits / 64 {
                let bits = page[word]
                if bits == 0 && start == nil || bits == .max && start != nil { continue }
                for bit in 0..<64 {
                    let position = base + UInt64(word * 64 + bit)
                    let isSet = bits & (1 << UInt64(bit)) != 0
                    if isSet && start == nil { start = position }
                    if !isSet, let open = start {
                        body(open..<position)
                        start = nil
                    }
                }
            }
        }
        if let open = start { body(open..<UInt64(pages.count * Self.pageBits)) }
    }

    private func index(of identifier: UInt32) -> Int? {
        guard identifier != 0 else { return nil }
        let offset =
            identifier >= firstIdentifier
            ? UInt64(identifier - firstIdentifier)
            : UInt64(identifier) + IdentifierSpace.count - UInt64(firstIdentifier)
        return offset < trackedCount ? Int(offset) : nil
    }

    private func page(_ number: Int) -> UnsafeMutablePointer<UInt64> {
        if let page = pages[number] { return page }
        let words = Self.pageBits / 64
        let page = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
        page.initialize(repeating: 0, count: words)
        pages[number] = page
        return page
    }
}
