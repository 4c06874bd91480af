public import PushWire

/// The sender's book of a run: every notification's fate, by sequence number, and what it took to get there.
///
/// Kept per event loop and added up afterwards. Fates are runs of sequence numbers, so that only errors take memory, a few bytes each.
public struct FateLedger: Sendable {
    /// The notifications of each fate.
    public private(set) var fates: [Fate: RunBook] = [:]
    /// How many notifications are lost for which reason, together the count of the fate lost.
    public private(set) var losses: [LossReason: UInt64] = [:]
    /// How many acceptances rest on which proof.
    public private(set) var proofs: [Proof: UInt64] = [:]
    /// How many notifications were written, again or for the first time.
    public private(set) var written: UInt64 = 0
    /// How many of those were written again.
    public private(set) var resent: UInt64 = 0
    /// Bytes of frames written.
    public private(set) var writtenBytes: UInt64 = 0
    /// Error replies by status.
    public private(set) var errors: [ErrorStatus: UInt64] = [:]
    /// Replies that named nothing written on their connection.
    public private(set) var unplacedReplies: UInt64 = 0
    /// Replies to sentinels.
    public private(set) var sentinelReplies: UInt64 = 0
    /// Replies read although a write on their connection had failed before.
    public private(set) var repliesAfterWriteFailure: UInt64 = 0
    /// Streams that did not begin as an error reply does.
    public private(set) var protocolViolations: UInt64 = 0
    /// How such streams began instead; the first few kinds only, as a hostile gateway can make up any number of them.
    public private(set) var violationBytes: [LeadingBytes: UInt64] = [:]
    /// Replies that named a notification so old that followers of it had left the window.
    public private(set) var windowOverruns: UInt64 = 0
    /// The window that would have lost nothing, in notifications; 0 without overruns.
    public private(set) var windowNeeded: UInt64 = 0
    /// Connections that stood.
    public private(set) var connections: UInt64 = 0
    /// Connections that replaced another and carried a batch.
    public private(set) var reconnects: UInt64 = 0
    /// Failed attempts to connect, by kind.
    public private(set) var failedAttempts: [ConnectionEnd: UInt64] = [:]
    /// Connections that ended without an explaining reply, by kind.
    public private(set) var lostConnections: [ConnectionEnd: UInt64] = [:]

    /// What only the provider API tells.
    public private(set) var requests = RequestBook()
    private static let violationKinds = 16

    /// Makes an empty book.
    public init() {}

    /// How many notifications have a fate.
    public func count(of fate: Fate) -> UInt64 { fates[fate]?.count ?? 0 }

    /// Attempts that failed, and connections that ended without an explaining reply.
    public var connectionFailures: UInt64 {
        failedAttempts.values.reduce(lostConnections.values.reduce(0, +), +)
    }

    /// How many notifications have any fate.
    public var settledCount: UInt64 { fates.values.reduce(0) { $0 + $1.count } }

    /// Enters what an event says.
    public mutating func record(_ event: SessionEvent) {
        switch event {
        case .wrote(let notifications, let resends, let bytes, _, _):
            written += notifications
            resent += resends
            writtenBytes += bytes
        case .settled(let run, let fate, let proof):
            // How often it was written again matters only for what was refused or lost at the cap (``resolve(_:)``).
            let entry = fate == .rejected ? run : SequenceRun(start: run.start, count: run.count)
            fates[fate, default: []].append(entry)
            if let proof { proofs[proof, default: 0] += run.count }
        case .lost(let run, let reason):
            fates[.lost, default: []].append(reason == .cap ? run : SequenceRun(start: run.start, count: run.count))
            losses[reason, default: 0] += run.count
        case .errorReply(let reply, _, _, _, _): errors[reply.status, default: 0] += 1
        case .unplacedReply(let reply, _):
            errors[reply.status, default: 0] += 1
            unplacedReplies += 1
        case .replyAfterWriteFailure: repliesAfterWriteFailure += 1
        case .protocolViolation(let bytes, _):
            protocolViolations += 1
            addViolations(of: bytes, 1)
        case .windowOverrun(_, let needed):
            windowOverruns += 1
            windowNeeded = max(windowNeeded, needed)
        case .connected: connections += 1
        case .reconnected: reconnects += 1
        case .connectFailed(let end, _): failedAttempts[end, default: 0] += 1
        case .connectionLost(let end, _, _): lostConnections[end, default: 0] += 1
        case .request(let event): requests.record(event)
        case .proved: sentinelReplies += 1
        case .firstProof, .sent: break
        }
    }

    /// Enters notifications that no session ever took.
    public mutating func recordUnsent(_ run: SequenceRun) {
        guard run.count > 0 else { return }
        fates[.unsent, default: []].append(run)
    }

    private mutating func addViolations(of bytes: LeadingBytes, _ count: UInt64) {
        guard violationBytes[bytes] != nil || violationBytes.count < Self.violationKinds else { return }
        violationBytes[bytes, default: 0] += count
    }

    /// Replies of all kinds that were read, those to sentinels among them.
    public var repliesRead: UInt64 { errors.values.reduce(sentinelReplies, +) }

    /// Moves what is `unknown` to the fate that the gateway's own ledger tells for it.
    ///
    /// Likewise what was refused after an earlier copy had met with silence: if that copy was accepted, a device got it. And
    /// likewise what was given up at the cap.
    /// - Returns: how many refused notifications turned out to be accepted.
    @discardableResult
    public mutating func resolve(_ fate: (UInt64) -> Fate) -> UInt64 {
        let unknown = fates.removeValue(forKey: .unknown) ?? []
        for run in unknown.runs {
            for sequence in run.start..<run.end {
                let told = fate(sequence)
                fates[told, default: []].append(SequenceRun(start: sequence, count: 1))
                if told == .lost { losses[.book, default: 0] += 1 }
            }
        }
        resolveCapped(fate)
        return resolveRefusedCopies(fate)
    }

    /// Of the lost ones only those at the cap were written more than once.
    private mutating func resolveCapped(_ fate: (UInt64) -> Fate) {
        guard let lost = fates[.lost], lost.runs.contains(where: { $0.unprovenResends > 0 }) else { return }
        var left = RunBook()
        for run in lost.runs {
            guard run.unprovenResends > 0 else {
                left.append(run)
                continue
            }
            for sequence in run.start..<run.end {
                let told = fate(sequence)
                if told == .lost {
                    left.append(SequenceRun(start: sequence, count: 1, unprovenResends: run.unprovenResends))
                } else {
                    fates[told, default: []].append(SequenceRun(start: sequence, count: 1))
                    losses[.cap, default: 1] -= 1  // as many were entered
                }
            }
        }
        fates[.lost] = left
    }

    private mutating func resolveRefusedCopies(_ fate: (UInt64) -> Fate) -> UInt64 {
        guard let rejected = fates[.rejected], rejected.runs.contains(where: { $0.unprovenResends > 0 }) else {
            return 0
        }
        var refused = RunBook()
        for run in rejected.runs {
            guard run.unprovenResends > 0 else {
                refused.append(run)
                continue
            }
            for sequence in run.start..<run.end {
                let single = SequenceRun(start: sequence, count: 1)
                if fate(sequence) == .accepted {
                    fates[.accepted, default: []].append(single)
                } else {
                    refused.append(single)
                }
            }
        }
        fates[.rejected] = refused
        return rejected.count - refused.count
    }

    /// Adds another loop's book to this one.
    public mutating func add(_ other: FateLedger) {
        for (fate, runs) in other.fates { fates[fate, default: []].append(contentsOf: runs) }
        losses.merge(other.losses, uniquingKeysWith: +)
        proofs.merge(other.proofs, uniquingKeysWith: +)
        written += other.written
        resent += other.resent
        writtenBytes += other.writtenBytes
        errors.merge(other.errors, uniquingKeysWith: +)
        unplacedReplies += other.unplacedReplies
        sentinelReplies += other.sentinelReplies
        repliesAfterWriteFailure += other.repliesAfterWriteFailure
        protocolViolations += other.protocolViolations
        for (bytes, count) in other.violationBytes { addViolations(of: bytes, count) }
        windowOverruns += other.windowOverruns
        windowNeeded = max(windowNeeded, other.windowNeeded)
        connections += other.connections
        reconnects += other.reconnects
        failedAttempts.merge(other.failedAttempts, uniquingKeysWith: +)
        lostConnections.merge(other.lostConnections, uniquingKeysWith: +)
        requests.add(other.requests)
    }

    /// Whether exactly the notifications 0 ..< `generated` have a fate, and each only one.
    public func isBalanced(generated: UInt64) -> Bool {
        let runs = fates.values.flatMap(\.runs).sorted { $0.start < $1.start }
        var next: UInt64 = 0
        for run in runs {
            guard run.start == next else { return false }
            next = run.end
        }
        return next == generated
    }
}
