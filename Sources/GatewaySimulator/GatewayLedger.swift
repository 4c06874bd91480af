public import Primitives
public import PushWire
public import Workload

/// The gateway's book: what it accepted, by identifier, and what it refused or threw away.
///
/// One per event loop, written without locks. Acceptance is one bit per identifier in pages that
/// come into being when first used, so memory follows what was accepted and is bounded by the tracked range.
public final class GatewayLedger {
    /// Bits of one page, as a power of two and as a number.
    private static let pageShift = 18
    private static let pageBits = 1 << pageShift

    /// The identifiers whose acceptance is tracked, from 1 upwards: 1 ... `trackedCount`; others are only counted.
    public let firstIdentifier: UInt32
    /// How many identifiers are tracked from ``firstIdentifier`` on, in the order of ``IdentifierSpace``.
    public let trackedCount: UInt64
    /// When a sample of the tracked notifications was accepted for the first time, by their distances from ``firstIdentifier``; nil
    /// unless a sender wants to hold its own sample against it.
    public private(set) var acceptanceTimes: SequenceSample?
    /// ``SequenceSample/bound`` of the sample, asked for every notification; 0 without one.
    private var sampleBound: UInt64 = 0
    /// When what is being entered was read.
    var readAt = Instant.zero {
        willSet { addAcceptances() }
    }
    /// When the tracked notifications were accepted for the first time, all together and whatever their numbers.
    private var acceptedAt = InstantSum()
    /// What became of each notification; nil unless somebody wants to know.
    public let journal: NotificationJournal?

    /// The refused identifiers by their distance from ``firstIdentifier``, in the order of their refusals, each time listed.
    public private(set) var refused: [UInt32] = []
    /// How many more were refused than ``refused`` has room for.
    public private(set) var unlistedRefusals: UInt64 = 0

    /// The most refused identifiers that are listed, so that a provider of bad tokens cannot fill memory.
    public let refusedCapacity: Int

    /// What was counted so far.
    public internal(set) var counts: GatewayCounts {
        get { sums.pointee }
        _modify { yield &sums.pointee }
    }

    /// The unregistered tokens that were pushed to and that the feedback service has not told yet.
    public let feedback: FeedbackBook
    /// What is kept for devices that are offline; nil when all devices are online.
    public let store: NotificationStore?

    // Behind pointers, so that no run-time exclusivity check stands on each notification's way.
    private let sums: UnsafeMutablePointer<GatewayCounts>
    private let pages: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>?>
    private let pageCount: Int

    /// Makes an empty book that tracks `trackedCount` identifiers from `firstIdentifier` on.
    ///
    /// - Parameters:
    ///   - firstIdentifier: the first tracked identifier.
    ///   - trackedCount: how many are tracked.
    ///   - feedbackLimit: the most unregistered tokens of each topic; see ``FeedbackList``.
    ///   - store: what is kept for offline devices, if some are.
    ///   - journal: what is noted down about single notifications, if anything.
    ///   - refusedCapacity: the most refused identifiers that are listed.
    ///   - samplesAcceptance: whether ``acceptanceTimes`` are taken.
    public init(
        firstIdentifier: UInt32 = 1, trackedCount: UInt64 = IdentifierSpace.count,
        feedbackLimit: Int = FeedbackList.defaultLimit, store: NotificationStore? = nil,
        journal: NotificationJournal? = nil, refusedCapacity: Int = 1_000_000,
        samplesAcceptance: Bool = false
    ) {
        if samplesAcceptance {
            let sample = SequenceSample()
            acceptanceTimes = sample
            sampleBound = sample.bound
        }
        feedback = FeedbackBook(limit: feedbackLimit)
        self.store = store
        self.firstIdentifier = firstIdentifier
        self.journal = journal
        self.refusedCapacity = refusedCapacity
        self.trackedCount = min(trackedCount, IdentifierSpace.count)
        pageCount = Int(self.trackedCount / UInt64(Self.pageBits)) + 1
        pages = .allocate(capacity: pageCount)
        pages.initialize(repeating: nil, count: pageCount)
        sums = .allocate(capacity: 1)
        sums.initialize(to: GatewayCounts())
    }

    deinit {
        for number in 0..<pageCount { pages[number]?.deallocate() }
        pages.deallocate()
        sums.deinitialize(count: 1)
        sums.deallocate()
    }

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

    /// Enters a strike of one fault of the plan.
    func countFault(_ index: Int) { counts.addFault(index, 1) }

    /// A client offered no protocol that is spoken here.
    public func refuseProtocol() { counts.api.otherProtocols += 1 }

    /// Enters a connection that was refused for its certificate.
    public func refuseCertificate(_ reason: CertificateRefusal) {
        counts.refusedCertificates[reason, default: 0] += 1
    }

    /// Enters an acceptance.
    func accept(_ notification: NotificationView) {
        noteDown(notification)
        counts.accepted += 1
        mark(notification.identifier, term: Self.digestTerm(of: notification))
    }

    /// What of a notification is entered when it is accepted later than it came.
    struct HeldNotification {
        fileprivate var identifier: UInt32
        fileprivate var digestTerm: UInt64
    }

    /// Notes down a notification that is not accepted yet.
    func hold(_ notification: NotificationView) -> HeldNotification {
        noteDown(notification)
        return HeldNotification(
            identifier: notification.identifier, digestTerm: Self.digestTerm(of: notification))
    }

    /// Enters the acceptance of what was held until now.
    func accept(_ held: HeldNotification) {
        counts.accepted += 1
        mark(held.identifier, term: held.digestTerm)
    }

    @inline(__always)
    private func noteDown(_ notification: NotificationView) {
        if let journal {
            journal.note(notification, wasAccepted(notification.identifier) ? .duplicate : .accepted)
        }
        if notification.command != EnhancedNotification.command { countCommand(of: notification) }
    }

    @inline(__always)
    private static func digestTerm(of notification: NotificationView) -> UInt64 {
        digestTerm(identifier: notification.identifier, token: notification.token)
    }

    /// Enters an accepted request of the HTTP/2 provider API; the identifier is 0 when its `apns-id` is not the run's.
    func accept(request identifier: UInt32, token: UnsafeRawBufferPointer, payloadByteCount: Int) {
        if let journal {
            let isSecond = identifier != 0 && wasAccepted(identifier)
            journal.note(
                identifier, token: token, payloadByteCount: payloadByteCount, isSecond ? .duplicate : .accepted)
        }
        counts.accepted += 1
        counts.api.accepted += 1
        mark(identifier, term: Self.digestTerm(identifier: identifier, token: token))
    }

    /// Enters a refused request to a device.
    func refuse(
        request identifier: UInt32, token: UnsafeRawBufferPointer, payloadByteCount: Int, for reason: RefusalReason
    ) {
        journal?.note(identifier, token: token, payloadByteCount: payloadByteCount, .answered(reason))
        counts.api.refusals[Int(reason.rawValue)] += 1
        if let index = index(of: identifier) { list(refusedAt: index) }
    }

    @inline(__always)
    private func mark(_ identifier: UInt32, term: @autoclosure () -> UInt64) {
        guard let index = index(of: identifier) else {
            if identifier == 0 { counts.acceptedWithoutIdentifier += 1 } else { counts.untracked += 1 }
            return
        }
        let page = page(index &>> Self.pageShift)
        let bit = index & (Self.pageBits - 1)
        let mask: UInt64 = 1 << UInt64(bit & 63)
        let word = page[bit >> 6]
        if word & mask != 0 {
            counts.duplicates += 1
        } else {
            page[bit >> 6] = word | mask
            if UInt64(index) &* SequenceSample.factor <= sampleBound { sample(index) }
            counts.digest &+= term()
        }
    }

    /// Enters what was accepted since the last time that ``readAt`` changed.
    private func addAcceptances() {
        // In place: a copy of all sums for each read would be dear.
        let first =
            sums.pointee.accepted - sums.pointee.duplicates - sums.pointee.acceptedWithoutIdentifier
            - sums.pointee.untracked
        let added = Int64(first) - acceptedAt.count
        if added > 0 { acceptedAt.add(added, at: readAt) }
    }

    /// When all tracked notifications were accepted for the first time, added up until now.
    public var acceptanceInstants: InstantSum {
        addAcceptances()
        return acceptedAt
    }

    private func sample(_ index: Int) {
        acceptanceTimes?.add(UInt64(index), at: readAt)
        sampleBound = acceptanceTimes?.bound ?? 0
    }

    /// Enters a notification that is thrown away behind a refused one.
    func discard(_ notification: NotificationView) {
        journal?.note(notification, .discarded)
        counts.discarded += 1
    }

    /// Enters a refusal.
    func refuse(_ refused: RefusedNotification) {
        let status = Int(refused.status.rawValue)
        if refused.identifier == 0 {
            counts.rejectionsWithoutIdentifier[status] += 1
        } else if let index = index(of: refused.identifier) {
            counts.rejections[status] += 1
            list(refusedAt: index)
        } else {
            counts.untrackedRejections += 1
        }
    }

    private func list(refusedAt index: Int) {
        if refused.count < refusedCapacity { refused.append(UInt32(index)) } else { unlistedRefusals += 1 }
    }

    /// Command 1 is what remains, so that the usual notification costs no count of its own.
    private func countCommand(of notification: NotificationView) {
        if notification.command == SimpleNotification.command { counts.simple += 1 } else { counts.framed += 1 }
        if notification.priority == FramedNotification.powerSavingPriority { counts.powerSaving += 1 }
    }

    /// The accepted identifiers as stretches of distances from ``firstIdentifier``, in order; nil beyond `limit` stretches.
    public func acceptedStretches(limit: Int = 2_000_000) -> [Range<UInt64>]? {
        var stretches: [Range<UInt64>] = []
        forEachAcceptedStretch { if stretches.count <= limit { stretches.append($0) } }
        return stretches.count <= limit ? stretches : nil
    }

    /// Calls `body` for each stretch of accepted identifiers, by their distance from the first one, in order.
    private func forEachAcceptedStretch(_ body: (Range<UInt64>) -> Void) {
        var start: UInt64?
        for number in 0..<pageCount {
            let base = UInt64(number * Self.pageBits)
            guard let page = pages[number] else {
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
        if let open = start { body(open..<UInt64(pageCount * Self.pageBits)) }
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
