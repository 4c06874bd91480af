public import Primitives

/// Why a gateway refuses a connection for its certificate.
public enum CertificateRefusal: String, Hashable, Sendable, CaseIterable {
    /// The client showed none.
    case missing
    /// Its time is over.
    case expired
    /// Its time has not come.
    case notYetValid
    /// Nobody whom the gateway believes vouches for it.
    case unknownAuthority
    /// It is wrong in another way.
    case unusable
    /// It is good, but for the other environment.
    case otherEnvironment
}

/// The sums in a gateway's book; those of several event loops are added up.
public struct GatewayCounts: Hashable, Sendable {
    /// Accepted notifications, a second acceptance of the same identifier included.
    public var accepted: UInt64 = 0
    /// Acceptances of an identifier that was accepted before.
    public var duplicates: UInt64 = 0
    /// Acceptances outside the tracked range, whose duplicates are not seen.
    public var untracked: UInt64 = 0
    /// Acceptances without an identifier, of command 0 or of a command 2 that leaves it out, or of identifier 0, which replies
    /// use for none; no bitmap can hold them.
    public var acceptedWithoutIdentifier: UInt64 = 0
    /// Accepted notifications of command 0.
    public var simple: UInt64 = 0
    /// Accepted notifications of command 2.
    public var framed: UInt64 = 0
    /// Accepted notifications of priority 5.
    public var powerSaving: UInt64 = 0
    /// Accepted notifications whose device no longer has the app; a feedback service would name them.
    public var unregistered: UInt64 = 0
    /// Accepted notifications whose token no key opened.
    public var foreign: UInt64 = 0
    /// Refused notifications with a tracked identifier, by status; shutdowns are no refusals.
    public var rejections: [UInt64] = Array(repeating: 0, count: 256)
    /// Refused notifications without an identifier or with 0, or whose identifier could not be read, by status.
    public var rejectionsWithoutIdentifier: [UInt64] = Array(repeating: 0, count: 256)
    /// What is counted of the HTTP/2 provider API.
    public var api = ProviderAPICounts()
    /// Bytes that stood in a command's place and are none; the stream cannot be read behind one.
    public var unknownCommands: UInt64 = 0
    /// Refusals outside the tracked range: sentinels, mostly.
    public var untrackedRejections: UInt64 = 0
    /// Notifications read and thrown away behind a refused one.
    public var discarded: UInt64 = 0
    /// Replies whose last byte was handed over for sending, those to sentinels and those with status 10 among them.
    public var repliesSent: UInt64 = 0
    /// Replies with status 10.
    public var shutdowns: UInt64 = 0
    /// Connections that stood.
    public var connections: UInt64 = 0
    /// Connections refused for their certificate.
    public var refusedCertificates: [CertificateRefusal: UInt64] = [:]
    /// Connections that ended inside a notification.
    public var partialNotifications: UInt64 = 0
    /// Bytes read inside TLS, whatever became of them: also of refused, discarded and unfinished notifications.
    public var receivedBytes: UInt64 = 0
    /// An order-free digest of the accepted (identifier, token) pairs; comparable only without duplicates.
    public var digest: UInt64 = 0
    /// How often each fault of the plan struck, by its place there; shorter when the last ones never did.
    public var faults: [UInt64] = []
    /// When the first and the last notification was accepted.
    public var firstAcceptedAt: Instant?
    /// When the last notification was accepted.
    public var lastAcceptedAt: Instant?

    /// Makes sums of nothing.
    public init() {}

    /// All refusals of tracked notifications.
    public var rejected: UInt64 { rejections.reduce(0, +) }

    /// All refusals of notifications without a readable identifier.
    public var rejectedWithoutIdentifier: UInt64 { rejectionsWithoutIdentifier.reduce(0, +) }

    /// Accepted notifications of command 1.
    public var enhanced: UInt64 { accepted - simple - framed - api.accepted }

    /// Adds so many strikes of one fault.
    mutating func addFault(_ index: Int, _ count: UInt64) {
        if index >= faults.count { faults += Array(repeating: 0, count: index + 1 - faults.count) }
        faults[index] += count
    }

    /// Adds another loop's sums to these.
    public mutating func add(_ other: GatewayCounts) {
        accepted += other.accepted
        duplicates += other.duplicates
        untracked += other.untracked
        acceptedWithoutIdentifier += other.acceptedWithoutIdentifier
        simple += other.simple
        framed += other.framed
        powerSaving += other.powerSaving
        unregistered += other.unregistered
        foreign += other.foreign
        for status in rejections.indices {
            rejections[status] += other.rejections[status]
            rejectionsWithoutIdentifier[status] += other.rejectionsWithoutIdentifier[status]
        }
        api.add(other.api)
        unknownCommands += other.unknownCommands
        untrackedRejections += other.untrackedRejections
        discarded += other.discarded
        repliesSent += other.repliesSent
        shutdowns += other.shutdowns
        connections += other.connections
        refusedCertificates.merge(other.refusedCertificates, uniquingKeysWith: +)
        partialNotifications += other.partialNotifications
        receivedBytes += other.receivedBytes
        digest &+= other.digest
        for (index, count) in other.faults.enumerated() { addFault(index, count) }
        firstAcceptedAt = [firstAcceptedAt, other.firstAcceptedAt].compactMap { $0 }.min()
        lastAcceptedAt = [lastAcceptedAt, other.lastAcceptedAt].compactMap { $0 }.max()
    }
}
