import Histograms
import Primitives
import ProviderSessions
import RunRecords

extension RunOutcome {
    /// What bound the run; nil where too little happened to tell.
    func limit(
        _ profile: Profile, acceptedPerSecond: Double?, streams: StreamsRecord?, inFlight: Double?,
        schedule: ScheduleRecord?
    )
        -> LimitRecord?
    {
        let underLoad = (sender.lastProof ?? sender.lastWrite ?? end) - startedAt
        guard (underLoad >= .milliseconds(100) && sender.ledger.written > 0) || targetEnd != nil else { return nil }
        let length = max(underLoad, .milliseconds(1))
        var rules = LimitRules(
            sender: Self.side(sender.usesUnderLoad.map { LoopResourcesRecord($0) }, over: length),
            simulator: simulator.map { Self.side($0.loopsUnderLoad(profile.sender.connections), over: length) })
        let time = length.seconds * Double(profile.sender.connections)
        rules.windows = [
            LimitRules.Hold(name: "the sender's window", share: sender.windowHeld.seconds / time),
            LimitRules.Hold(
                name: "the window of the way to the simulator", share: Double(simulator?.pathStopNs ?? 0) / 1e9 / time),
            LimitRules.Hold(
                name: "the gateway's window for requests", share: Double(streams?.blockedByWindowNs ?? 0) / 1e9 / time),
        ]
        func share(of name: Series) -> Double {
            Double(sender.histograms.values.compactMap { $0[name]?.totals.sum }.reduce(0, +)) / 1e9 / time
        }
        rules.replacing = share(of: .reconnect)
        if !sender.failedAttempts.isEmpty { rules.unreachable = share(of: .reconnectWait) }
        rules.streams = Double(streams?.blockedByStreamsNs ?? 0) / 1e9 / time
        rules.streamsInFlight = streams.flatMap { streams in
            inFlight.map { $0 / Double(max(1, streams.allowed)) }
        }
        if profile.load.loop == .open { rules.scheduleKept = missedSchedule == nil }
        rules.miss = schedule.flatMap { LimitRules.Miss($0, heldFor: tally?.heldFor) }
        rules.targetEnd = targetEnd
        rules.isCutShort = abort != nil && abort != .interrupted
        if profile.protocolName.hasIdentifiers {
            let sent = Int64(generated) - Int64(sender.ledger.count(of: .unsent))
            let settled = sender.ledger.count(of: .accepted) + sender.ledger.count(of: .rejected)
            if sent > 0 { rules.settled = Double(settled) / Double(sent) }
        }
        rules.acceptedPerSecond = acceptedPerSecond
        if let loops = simulator?.resources.loops?.count, sender.ledger.written > 0 {
            let bytes = Double(sender.ledger.writtenBytes) / Double(sender.ledger.written)
            rules.ceilingPerSecond = calibration?.acceptAllPerSecond(
                bytes: bytes, loops: loops, isHTTP2: profile.protocolName == .http2)
        }
        return rules.limit
    }

    /// Why the run ended early, if its target was the cause.
    private var targetEnd: String? {
        switch abort {
        case nil, .interrupted?, .bookMissing?: nil
        case .simulatorDied?: "the target was gone: the simulator's process ended"
        case .unreachable?, .neverConnected?: "the target was unreachable"
        case .unanswered?: "the target was failing: it answered no request"
        case .certificateRefused?: "the target was unreachable: a certificate was refused or is missing"
        case .protocolRefused?: "the target was unreachable: it does not speak the run's protocol"
        }
    }

    private static func side(_ loops: [LoopResourcesRecord], over length: Interval) -> LimitRules.Side {
        let busiest = loops.max { $0.cpuNs + ($0.runQueueNs ?? 0) < $1.cpuNs + ($1.runQueueNs ?? 0) }
        guard let busiest else { return LimitRules.Side(busy: 0) }
        func share(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 / length.seconds }
        return LimitRules.Side(busy: share(busiest.cpuNs), queued: busiest.runQueueNs.map(share))
    }
}

extension SimulatorResult {
    /// What its loops used without the handshakes by which connections were set up before the load began.
    fileprivate func loopsUnderLoad(_ connections: Int) -> [LoopResourcesRecord] {
        let loops = resources.loops ?? []
        guard !loops.isEmpty, let cost = handshakes.full.meanNs else { return loops }
        let setUp = Int64(cost) * Int64(min(Int64(connections), handshakes.full.count)) / Int64(loops.count)
        return loops.map { loop in
            var loop = loop
            loop.cpuNs = max(0, loop.cpuNs - setUp)
            return loop
        }
    }
}
