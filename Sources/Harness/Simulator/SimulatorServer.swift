public import GatewaySimulator
import Primitives
import PushWire
public import RunRecords
import SecureChannel
import Transport
import Workload

/// The gateway simulator: a TLS listener with its own authority and one book per event loop.
public final class SimulatorServer: Sendable {
    /// The certificate of the authority that vouches for the simulator, as PEM.
    public let authorityPEM: String
    /// The certificate for the run's own sender; nil where none is asked for, or none shall be shown.
    public let provider: ProviderIdentity?
    /// The key with which the run's own sender signs provider tokens; nil unless one was asked for.
    public let signingKey: ProviderSigningKey?
    private let loops: [EventLoop]
    private let listener: Listener
    private let http2Listener: Listener
    private let feedback: FeedbackService
    private let timetable: FaultTimetable
    private let faults: [FaultSettings]
    private let connectionTimetable: ConnectionTimetable

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - profile: its workload says which tokens are valid and which identifiers to expect.
    ///   - settings: the simulator's own part of the profile.
    ///   - connectionFaults: what befalls connections whatever is sent on them; nil takes those of the settings.
    ///   - makesSigningKey: whether to make a key for provider tokens, and believe no other, where the settings name none.
    ///   - journalLimit: how many notifications each event loop notes down at most until ``takeJournal()``; nil for none.
    ///   - samplesAcceptance: whether it notes when a sample of notifications was accepted, for ``SimulatorResult/acceptanceTimes``.
    /// - Throws: ``HarnessError``: the port is taken, the address is not of this machine, descriptors are short.
    public init(
        profile: Profile, settings: SimulatorSettings, connectionFaults: ConnectionFaults? = nil,
        makesSigningKey: Bool = false, journalLimit: Int? = nil, samplesAcceptance: Bool = false
    ) async throws(HarnessError) {
        let connectionFaults = connectionFaults ?? settings.connectionFaults(seed: profile.workload.seed)
        let loopCount = settings.loops ?? Self.defaultLoopCount
        var gateway = profile.gatewaySettings(settings, loops: loopCount)
        gateway.unregisteredTokens = try settings.feedback.unregisteredTokens()
        let tracked = UInt64(min(profile.workload.notifications, Profile.notificationLimit))
        let firstIdentifier = profile.sender.firstIdentifier
        let totals = FaultTotals(of: gateway.faults)
        let api = try ProviderAPI(settings, makesSigningKey: makesSigningKey)
        signingKey = api.signingKey
        do {
            let security = try SimulatorSecurity(settings)
            authorityPEM = security.authorityPEM
            provider = security.provider
            let context = security.context
            var listening = ListenerOptions()
            listening.connectionLimit = settings.maxConnections
            listening.backlog = RunNeed.backlog
            listening.link.sendsAtOnce = settings.noDelay
            listening.link.handshakeTimeout = settings.handshakeTimeout
            listening.link.receiveBufferBytes = settings.receiveBuffer
            listening.link.path = settings.path
            listening.faults = connectionFaults.accept
            guard let port = UInt16(exactly: settings.port),
                let address = try SocketAddress.resolve(host: settings.address, port: port).first
            else { throw HarnessError.invalidInput("\(settings.address) is no address to listen on") }
            var loops: [EventLoop] = []
            for index in 0..<loopCount {
                let loop = try EventLoop(label: "pushbench.gateway.\(index)")
                try await loop.run { [gateway] core in
                    core.tenant = GatewayLoop(
                        settings: gateway, topics: settings.topics, totals: totals,
                        firstIdentifier: firstIdentifier, trackedCount: tracked,
                        feedbackLimit: settings.feedback.limit, store: profile.notificationStore(settings),
                        registry: LinkRegistry(connectionFaults, loop: index, of: loopCount),
                        journal: journalLimit.map { NotificationJournal(limit: $0) },
                        samplesAcceptance: samplesAcceptance, api: api,
                        extraWork: ExtraWork(each: settings.extraWork))
                }
                loops.append(loop)
            }
            self.loops = loops
            listener = try Listener(on: address, context: context, loops: loops, options: listening) { core in
                guard let loop = core.tenant as? GatewayLoop else { preconditionFailure("a loop without its gateway") }
                return loop.makeLink(.binary)
            }
            var http2Address = address
            http2Address.port = UInt16(settings.http2.port)
            http2Listener = try Listener(
                on: http2Address, context: security.http2Context, loops: loops, options: listening
            ) { core in
                guard let loop = core.tenant as? GatewayLoop else { preconditionFailure("a loop without its gateway") }
                return loop.makeLink(.http2)
            }
            var feedbackAddress = address
            feedbackAddress.port = UInt16(settings.feedback.port)
            feedback = try await FeedbackService(
                settings, on: feedbackAddress, context: context, gatewayLoops: loops)
        } catch let error as HarnessError {
            throw error
        } catch let error as TransportError {
            throw .localLimit("cannot listen on \(settings.address):\(settings.port): \(error)")
        } catch {
            throw .internalFailure("cannot start the simulator: \(error)")
        }
        faults = settings.faults
        timetable = FaultTimetable(
            settings.faults, totals: totals, listeners: [listener, http2Listener],
            loops: loops + [feedback.loop])
        connectionTimetable = ConnectionTimetable(
            connectionFaults, listeners: [listener, http2Listener], loops: loops)
    }

    /// Half of the processors, at least one: the other half is the sender's.
    static var defaultLoopCount: Int { max(1, Machine.processorCount / 2) }

    /// The port on which it listens.
    public var port: Int { Int(listener.address.port) }

    /// The port on which its feedback service listens.
    public var feedbackPort: Int { feedback.port }

    /// The port on which it serves the HTTP/2 provider API.
    public var http2Port: Int { Int(http2Listener.address.port) }

    /// The sums at present.
    public func progress() async -> SimulatorProgress {
        var accepted: UInt64 = 0
        var duplicates: UInt64 = 0
        var runQueueTime: Interval? = .zero
        for loop in loops {
            let part = try? await loop.run { core in
                (core.tenant as? GatewayLoop).map { ($0.ledger.counts, core.use.runQueueTime) }
            }
            guard let (counts, time) = part.flatMap({ $0 }) else { continue }
            accepted += counts.accepted - counts.duplicates
            duplicates += counts.duplicates
            runQueueTime = runQueueTime.flatMap { sum in time.map { sum + $0 } }
        }
        return SimulatorProgress(
            atNs: MonotonicClock.now().nanoseconds, accepted: Int64(accepted),
            duplicates: Int64(duplicates), cpuNs: ProcessUsage.processorTime.nanoseconds,
            runQueueNs: runQueueTime?.nanoseconds,
            holdings: ProcessUsage.holdings)
    }

    /// What became of each notification since the last time, in the order of each event loop, and how many are left out.
    public func takeJournal() async -> (entries: [JournalEntry], droppedCount: UInt64) {
        var entries: [JournalEntry] = []
        var droppedCount: UInt64 = 0
        for loop in loops {
            let share = try? await loop.run { ($0.tenant as? GatewayLoop)?.ledger.journal?.take() }
            guard let share = share ?? nil else { continue }
            entries += share.entries
            droppedCount += share.droppedCount
        }
        return (entries, droppedCount)
    }

    /// Everything that is known at present; of use when the run is over.
    public func result() async -> SimulatorResult {
        var counts = GatewayCounts()
        var stretches: [Range<UInt64>]? = []
        var refused: [Range<UInt64>] = []
        var result = SimulatorResult()
        var storage: NotificationStore.Snapshot?
        var acceptanceTimes: SequenceSample?
        var acceptedAt = InstantSum()
        var uses: [LoopResourcesRecord] = []
        for loop in loops {
            let part = try? await loop.run { core in
                (core.tenant as? GatewayLoop).map { ($0.share, core.use) }
            }
            guard let (share, use) = part.flatMap({ $0 }) else { continue }
            counts.add(share.counts)
            acceptedAt.add(share.acceptedAt)
            if let old = stretches, let new = share.accepted { stretches = old + new } else { stretches = nil }
            refused += share.refused.map { UInt64($0)..<UInt64($0) + 1 }
            result.unlistedRefusals += Int64(share.unlistedRefusals)
            result.handshakes.add(share.handshakes)
            result.connectionTraces += share.traces
            if let part = share.acceptanceTimes {
                acceptanceTimes = acceptanceTimes.map { $0.adding(part) } ?? part
            }
            if let part = share.storage { storage = storage.map { $0.joined(with: part) } ?? part }
            uses.append(LoopResourcesRecord(use))
        }
        result.acceptanceTimes = acceptanceTimes.map(AcceptanceTimes.init)
        result.acceptedAt = AcceptanceInstants(acceptedAt)
        result.refusedStretches = mergeStretches(refused).union.flatMap { [$0.lowerBound, $0.upperBound] }
        if let all = stretches {
            let (union, overlap) = mergeStretches(all)
            counts.duplicates += overlap
            result.acceptedStretches = union.flatMap { [$0.lowerBound, $0.upperBound] }
        }
        fill(&result, from: counts)
        result.resources.loops = uses
        if !faults.isEmpty { result.ledger.faults = await faultCounts(counts.faults) }
        result.ledger.storage = storage.map { StorageLedgerRecord($0.result) }
        let told = await feedback.counts()
        result.feedbackDigest = told.deliveredDigest
        result.ledger.feedback = FeedbackLedgerRecord(told, notifications: counts.unregistered)
        return result
    }

    /// Closes everything.
    public func shutDown() async {
        timetable.end()
        connectionTimetable.end()
        await listener.close()
        await http2Listener.close()
        await feedback.shutDown()
        for loop in loops { await loop.shutDownAndWait() }
    }

    /// How many connections the faults of ``ConnectionFaults`` hit so far.
    public func connectionFaultCounts() async -> ConnectionFaultCounts {
        var counts = ConnectionFaultCounts()
        for loop in loops {
            if let share = try? await loop.run({ ($0.tenant as? GatewayLoop)?.registry.counts }) { counts.add(share) }
        }
        for listener in [listener, http2Listener] {
            counts.refused += listener.counts.refused
            counts.spoiltHandshakes += listener.counts.spoiltHandshakes
            counts.delayed += listener.counts.delayed
        }
        counts.outages = connectionTimetable.outageCount
        return counts
    }

    private func fill(_ result: inout SimulatorResult, from counts: GatewayCounts) {
        result.digest = counts.digest
        result.firstAcceptedNs = counts.firstAcceptedAt?.nanoseconds
        result.lastAcceptedNs = counts.lastAcceptedAt?.nanoseconds
        result.resources = ProcessUsage.now()
        for (status, count) in counts.rejections.enumerated() where count > 0 {
            result.rejections[status] = Int64(count)
        }
        for (status, count) in counts.rejectionsWithoutIdentifier.enumerated() where count > 0 {
            result.rejections[status, default: 0] += Int64(count)
        }
        result.ledger.accepted = Int64(counts.accepted - counts.duplicates - counts.acceptedWithoutIdentifier)
        result.ledger.acceptedWithoutIdentifier = Int64(counts.acceptedWithoutIdentifier)
        result.ledger.rejectedWithoutIdentifier = Int64(counts.rejectedWithoutIdentifier)
        result.ledger.unknownCommands = Int64(counts.unknownCommands)
        if counts.unknownCommands > 0 {
            let status = Int(ErrorStatus.protocolError.rawValue)
            result.rejections[status, default: 0] += Int64(counts.unknownCommands)
        }
        result.ledger.unfinished = Int64(counts.partialNotifications)
        result.ledger.commands = CommandCountRecord(
            simple: Int64(counts.simple), enhanced: Int64(counts.enhanced), framed: Int64(counts.framed))
        result.ledger.powerSaving = Int64(counts.powerSaving)
        result.ledger.duplicates = Int64(counts.duplicates)
        result.ledger.rejected = Int64(counts.rejected + counts.api.refused)
        if counts.api.requests + counts.api.violations + counts.api.otherProtocols > 0 {
            result.ledger.http2 = ProviderAPIRecord(counts.api)
        }
        result.ledger.unlistedRefusals = result.unlistedRefusals
        result.ledger.discarded = Int64(counts.discarded)
        result.ledger.sentinels = Int64(counts.untrackedRejections)
        result.ledger.received = Int64(
            counts.accepted + counts.rejected + counts.rejectedWithoutIdentifier + counts.discarded
                + counts.untrackedRejections + counts.api.refused)
        result.ledger.connectionsAccepted = Int64(counts.connections)
        for listening in [listener.counts, http2Listener.counts] {
            result.ledger.connectionsRefused += Int64(listening.turnedAway + listening.refused)
            result.pathStops += Int64(listening.pathStops)
            result.pathStopNs += listening.pathStopTime.nanoseconds
        }
        for (reason, count) in counts.refusedCertificates {
            result.ledger.certificateRefusals[reason.rawValue] = Int64(count)
        }
        result.ledger.repliesSent = Int64(counts.repliesSent)
        result.ledger.bytesReceived = Int64(counts.receivedBytes)
    }
}

extension SimulatorServer {
    /// What each fault of the plan did; `sessions` are the counts of the gateway sessions.
    private func faultCounts(_ sessions: [UInt64]) async -> [FaultCountRecord] {
        let timed = timetable.counts
        var connections = await connectionFaultCounts()
        return faults.enumerated().map { index, fault in
            let count = index < sessions.count ? Int64(sessions[index]) : 0
            let other = timed[index, default: 0] + connections.take(fault)
            return FaultCountRecord(fault: fault.kind.rawValue, count: count + other)
        }
    }
}

extension ProviderAPIRecord {
    /// The sums of all event loops, for a record.
    fileprivate init(_ counts: ProviderAPICounts) {
        self.init()
        requests = Int64(counts.requests)
        accepted = Int64(counts.accepted)
        broadcasts = Int64(counts.broadcasts)
        channelRequests = Int64(counts.channelRequests)
        for reason in RefusalReason.allCases where counts.refusals[Int(reason.rawValue)] > 0 {
            refusals["\(reason.name)"] = Int64(counts.refusals[Int(reason.rawValue)])
        }
        refusedStreams = Int64(counts.refusedStreams)
        cancelledStreams = Int64(counts.cancelledStreams)
        resetStreams = Int64(counts.resetStreams)
        unanswered = Int64(counts.unanswered)
        ignoredStreams = Int64(counts.ignoredStreams)
        goAways = Int64(counts.goAways)
        violations = Int64(counts.violations)
        otherProtocols = Int64(counts.otherProtocols)
        streamViolations = Int64(counts.streamViolations)
        maxOpenStreams = Int64(counts.maxOpenStreams)
    }
}

extension ConnectionFaultCounts {
    /// Takes what a fault did out of the counts; of several handshake faults the first one gets all.
    fileprivate mutating func take(_ fault: FaultSettings) -> Int64 {
        switch fault.kind {
        case .refuse where fault.share != nil: Self.take(&refused)
        case .slowAccept: Self.take(&delayed)
        case .handshake: Self.take(&spoiltHandshakes)
        case .blackHole where fault.idle != nil: Self.take(&swallowed)
        case .idleClose: Self.take(&closedIdle)
        case .kill: Self.take(&killed)
        case .outage: Self.take(&outages, atMost: 1)
        default: 0
        }
    }

    private static func take(_ count: inout Int, atMost limit: Int = .max) -> Int64 {
        let taken = min(count, limit)
        count -= taken
        return Int64(taken)
    }
}

/// The union of stretches, in order, and how many numbers were in more than one of them, each time counted.
func mergeStretches(_ stretches: [Range<UInt64>]) -> (union: [Range<UInt64>], overlap: UInt64) {
    var union: [Range<UInt64>] = []
    var overlap: UInt64 = 0
    for stretch in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        guard let last = union.last, stretch.lowerBound <= last.upperBound else {
            union.append(stretch)
            continue
        }
        overlap += min(last.upperBound, stretch.upperBound) - stretch.lowerBound
        union[union.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
    }
    return (union, overlap)
}
