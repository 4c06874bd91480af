import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// Batches, linger, back-pressure and reconnecting, under the manual clock.
@Suite struct PacingTests {
    @Test func `C07 round trips do not slow a pipelined sender`() throws {
        func duration(latency: Interval, wait: Interval?) throws -> Interval {
            var bench = Bench(notifications: wait == nil ? 10_000 : 100)
            bench.script.latency = latency
            bench.plan.waitAfterBatch = wait
            if wait != nil { bench.plan.batch.notifications = 1 }
            let world = try bench.run()
            #expect(world.count(.accepted) == bench.notifications)
            return world.now - .zero
        }
        let near = try duration(latency: .microseconds(1), wait: nil)
        let far = try duration(latency: .milliseconds(25), wait: nil)
        #expect(far - near < .milliseconds(200), "set-up and the last reply cost a few round trips, not one each")
        let waiting = try duration(latency: .milliseconds(25), wait: .milliseconds(50))
        let pauses = waiting - (try duration(latency: .milliseconds(25), wait: .zero))
        #expect(pauses == .milliseconds(50) * 100, "the baseline waits for silence after each, the sentinel waits, too")
        #expect(waiting >= .milliseconds(50 + 50) * 99, "and a round trip before, in which an error would come")
    }

    @Test func `C07 the rate of ten thousand is the same at a round trip of 50 ms, within a tenth`() throws {
        func rate(latency: Interval) throws -> Double {
            var bench = Bench(notifications: 10_000)
            bench.script.latency = latency
            // A second's work for 10,000: the last arrives half a round trip later, and nothing else is lost.
            bench.script.writeCost = .milliseconds(10)
            let world = try bench.run()
            let writes = world.events.compactMap { event -> Instant? in
                guard case .wrote(_, _, _, _, let at) = event else { return nil }
                return at
            }
            let counts = world.gatewayLedger.counts
            #expect(counts.accepted == 10_000)
            return 10_000 / (try #require(counts.lastAcceptedAt) - (try #require(writes.first))).seconds
        }
        let (near, far) = (try rate(latency: .zero), try rate(latency: .milliseconds(25)))
        #expect(far >= 0.9 * near, "\(far) of \(near)")
    }

    @Test func `C21 linger counts from the oldest notification`() throws {
        var bench = Bench(notifications: 200)
        bench.arrivals = .constant(Rate(perSecond: 1_000.0 / 9))
        bench.start = .zero + .milliseconds(5)
        bench.plan.batch = BatchPlan(notifications: 1_000, linger: .milliseconds(10))
        let world = try bench.run()
        let schedule = ArrivalSchedule.constant(Rate(perSecond: 1_000.0 / 9))
        let lags = world.events.compactMap { event -> Interval? in
            guard case .sent(let run, let at, _) = event else { return nil }
            return at - (bench.start + schedule.time(of: run.start))
        }
        #expect(try #require(lags.max()) <= .milliseconds(10) + .microseconds(100))
        #expect(lags.count > 50)
    }

    @Test func `an open loop writes nothing before it is due`() throws {
        var bench = Bench(notifications: 500, connections: 3)
        bench.arrivals = .constant(Rate(perSecond: 1_000))
        bench.start = .zero + .milliseconds(100)
        bench.plan.batch = BatchPlan(notifications: 10, linger: .milliseconds(1))
        let world = try bench.run()
        var written: UInt64 = 0
        for case .wrote(let count, _, _, _, let at) in world.events {
            written += count
            let due = UInt64(max(0, (at - (.zero + .milliseconds(100))).nanoseconds) / 1_000_000) + 1
            #expect(written <= due)
        }
        #expect(written == 500)
    }

    @Test func `an open loop gives every connection its turn`() throws {
        var bench = Bench(notifications: 16_000, connections: 16)
        bench.arrivals = .constant(Rate(perSecond: 10_000))
        bench.start = .zero + .milliseconds(50)
        bench.plan.batch = BatchPlan(notifications: 100, linger: .milliseconds(1))
        let world = try bench.run()
        let shares = world.sessions.map(\.writtenCount)
        #expect(shares.allSatisfy { (800...1_200).contains($0) }, "\(shares)")
    }

    /// What was due before the connection stood is written at once, and the clock goes on.
    @Test(arguments: [
        (UInt64(1), Interval.milliseconds(1), Interval.microseconds(50)), (100, .zero, .microseconds(50)),
        (100, .milliseconds(1), .milliseconds(40)), (1, .zero, .milliseconds(40)),
    ])
    func `an open loop that is behind its schedule from the start comes to its end`(
        batch: UInt64, linger: Interval, latency: Interval
    ) throws {
        var bench = Bench(notifications: 500, connections: 2)
        bench.arrivals = .constant(Rate(perSecond: 1_000))
        bench.plan.batch = BatchPlan(notifications: batch, linger: linger)
        bench.script.latency = latency
        let world = try bench.run()
        #expect(world.count(.accepted) == 500)
        #expect(world.now < .zero + .seconds(1), "half a second of load, and a few round trips")
    }

    @Test func `a batch holds what the plan says`() throws {
        var bench = Bench(notifications: 1_000)
        bench.plan.batch = BatchPlan(notifications: 70, bytes: 4_000)
        let world = try bench.run()
        for case .wrote(let count, _, let bytes, _, _) in world.events {
            #expect(count <= 70 && bytes <= 4_000)
            #expect(count == 27 || count < 27, "4,000 bytes hold 27 frames of 145")
        }
    }

    @Test func `a notification larger than the batch's bytes still goes out`() throws {
        var bench = Bench(notifications: 20)
        bench.plan.batch = BatchPlan(notifications: 10, bytes: 50)
        let world = try bench.run()
        #expect(world.count(.accepted) == 20)
    }

    /// The gateway reads nothing for 5 s and then replies, on all connections alike: each reply is acted upon at once, while
    /// its connection's last batch still waits for room.
    @Test func `C19 error replies are read while writes are blocked, on 32 connections`() throws {
        var bench = Bench(notifications: 100_000, connections: 32)
        bench.script.capacityBytes = 1 << 16
        bench.gateway.faults.add(.status(.invalidToken), when: .at(.zero, for: .seconds(3)))
        var delay = ReplyDelay.constant(.seconds(5))
        delay.reads = false
        bench.gateway.faults.add(.replyDelay(delay))
        let world = try bench.run()
        #expect(world.errorReplies.count == 32)
        #expect(world.count(.rejected) == 32)
        #expect(world.count(.accepted) == 99_968)
        for reply in world.errorReplies {
            let latency = try #require(reply.latency)
            #expect(latency >= .seconds(5) && latency < .milliseconds(5_010))
            #expect(reply.inFlight * 145 > 32_768, "as much as fits is written and waits behind the bad one")
        }
        #expect(world.ledger.lostConnections.isEmpty, "no watch-dog took the silence for a dead connection")
    }

    @Test func `C26 a slow gateway pulls, the generator is not ahead of it`() throws {
        var bench = Bench(notifications: 20_000)
        bench.gateway.faults.add(.throttle(Rate(perSecond: 10_000)))
        bench.script.capacityBytes = 1 << 16
        let world = try bench.world()
        world.start()
        world.advance(to: .zero + .milliseconds(500))
        let ahead = world.ledger.written - world.gatewayLedger.counts.accepted
        #expect(ahead * 145 <= (1 << 17) + 65_536, "only the socket buffers are ahead of the gateway")
    }

    @Test func `C26 a capped gateway is capped`() throws {
        var bench = Bench(notifications: 20_000)
        bench.gateway.faults.add(.throttle(Rate(perSecond: 10_000)))
        bench.script.capacityBytes = 1 << 16
        let world = try bench.run()
        #expect(world.now - .zero > .milliseconds(1_800))
        #expect(world.count(.accepted) == 20_000)
    }

    @Test func `C27 a killed connection does not stop the others`() throws {
        var bench = Bench(notifications: 200_000, connections: 16)
        bench.plan.unproven = .resend(limit: 3)
        bench.script.writeCost = .milliseconds(5)
        bench.plan.reconnect.base = .milliseconds(50)
        let world = try bench.world()
        world.start()
        var before = [UInt64](repeating: 0, count: 16)
        for victim in 0...4 {
            world.advance(to: .zero + .milliseconds(Int64(victim + 1) * 100))
            let written = zip(world.sessions.map(\.writtenCount), before).map { $0 - $1 }
            // Each connection writes 100 notifications every 5 ms, whatever becomes of the one that was killed before.
            for (slot, count) in written.enumerated() where slot != victim {
                #expect(count >= 100 * 20 * 9 / 10, "slot \(slot) after the end of slot \(victim): \(written)")
            }
            before = world.sessions.map(\.writtenCount)
            if victim < 4 { world.kill(slot: victim + 1) }
        }
        world.advance(to: .zero + .seconds(60))
        world.giveUp()
        bench.expectBalance(world)
        #expect(world.ledger.connections == 16 + 4)
    }

    @Test(arguments: [UInt32(2), 20])
    func `what kills leave unproven is written again as often as allowed, and then lost`(limit: UInt32) throws {
        var bench = Bench(notifications: 5_000, connections: 2)
        bench.arrivals = .constant(Rate(perSecond: 10_000))
        bench.plan.unproven = .resend(limit: limit)
        bench.plan.reconnect = ReconnectPlan(base: .milliseconds(1), cap: .milliseconds(1), jitter: 0)
        bench.script.latency = .milliseconds(4)
        let world = try bench.world()
        world.start()
        for kill in 1...12 {
            world.advance(to: .zero + .milliseconds(Int64(kill) * 37))
            world.kill(slot: kill % 2)
        }
        world.advance(to: .zero + .seconds(60))
        world.giveUp()
        bench.expectBalance(world)
        #expect(world.ledger.lostConnections[.reset] ?? 0 >= 10)
        #expect(world.count(.unknown) == 0)
        #expect((world.count(.lost) > 0) == (limit == 2), "a tenth copy is as good as a first one")
        #expect(
            world.ledger.losses[.cap] ?? 0 == world.count(.lost), "nothing tells what a killed connection had carried")
        #expect(world.count(.accepted) + world.count(.lost) == 5_000)
    }

    @Test func `pauses grow to the cap and carry jitter`() {
        let plan = ReconnectPlan()
        var random = SeededRandom(seed: 1)
        let pauses = (1...8).map { plan.pause(afterFailures: $0, random: &random) }
        #expect(pauses[0] <= .milliseconds(500) && pauses[0] >= .milliseconds(400))
        #expect(pauses[7] <= .seconds(10) && pauses[7] >= .seconds(8))
        #expect(Set(pauses[5...]).count == 3, "jitter makes them differ")
    }

    @Test func `C36 a burst of spurious rejections is survived and counted`() throws {
        var bench = Bench(notifications: 50_000, connections: 4)
        // Each of 10,000 devices gets five notifications, and the burst is over after the first two fifths.
        let (devices, seed) = (UInt64(10_000), bench.seed)
        bench.sharedSource = NotificationSource(
            tokens: .synthetic(
                try DevicePopulation(seed: seed, deviceCount: devices, environment: .sandbox), TokenKey(seed: seed)),
            payloads: .generated(try PayloadGenerator(PayloadPlan(seed: seed, sizes: PayloadSizes(constant: 100)))))
        bench.arrivals = .constant(Rate(perSecond: 10_000))
        var burst = FaultTrigger.at(.zero, for: .seconds(2))
        burst.share = 0.00032
        bench.gateway.faults.add(.status(.invalidToken), when: burst)
        let world = try bench.run()
        let hit = (world.ledger.fates[.rejected]?.runs ?? []).flatMap { Array($0.start..<$0.end) }
        #expect((1...25).contains(hit.count), "32 of 100,000 among 20,000")
        #expect(UInt64(hit.count) == world.gatewayLedger.counts.rejected)
        #expect(world.count(.accepted) + world.count(.rejected) == 50_000)
        let source = try bench.source()
        func token(_ sequence: UInt64) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                guard let base = buffer.baseAddress else { return }
                count = source.writeToken(sequence: sequence, into: UnsafeMutableRawPointer(base))
            }
        }
        // Each round goes to all devices, in an order of its own.
        let lastRound = Dictionary(uniqueKeysWithValues: (4 * devices..<5 * devices).map { (token($0), $0) })
        for sequence in hit {
            let again = try #require(lastRound[token(sequence)], "the token that was hit stays in the population")
            #expect(world.gatewayLedger.wasAccepted(bench.plan.identifiers.identifier(of: again)))
        }
    }

    @Test func `a stalled gateway is survived`() throws {
        var bench = Bench(notifications: 50_000, connections: 2)
        bench.gateway.faults.add(.stall, when: .at(.milliseconds(2), for: .seconds(5)))
        let world = try bench.run()
        #expect(world.count(.accepted) == 50_000)
        #expect(world.now > .zero + .seconds(5))
    }

    @Test(arguments: [true, false])
    func `the proof may be late as long as the gateway is seen to move`(isSeen: Bool) throws {
        var bench = Bench(notifications: 10)
        bench.plan.sentinelTimeout = .seconds(10)
        let supply = SequenceSupply(limit: 10, connectionCount: 1)
        let session = ProviderSession(
            slot: 0, plan: bench.plan, supply: supply, source: try bench.source(), seed: 1)
        session.start(now: .zero)
        session.connectionOpened(ConnectionFacts(tcp: .zero, tls: .zero, isResumed: false), now: .zero)
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            let batch = UnsafeMutableRawBufferPointer(buffer)
            #expect(session.fill(into: batch, now: .zero) > 0)
            session.flushed(now: .zero)
            #expect(session.fill(into: batch, now: .zero) > 0, "the sentinel")
        }
        session.flushed(now: .zero)
        if isSeen { session.gatewayMoved(now: .zero + .seconds(9)) }
        session.timerFired(now: .zero + .seconds(11))
        #expect(session.isConnected == isSeen)
        session.timerFired(now: .zero + .seconds(19))
        #expect(!session.isConnected, "a gateway that has stopped is not waited for any longer")
    }

    @Test func `a write that never goes on is given up`() throws {
        var bench = Bench(notifications: 50_000)
        bench.gateway.faults.add(.stall, when: .at(.zero, for: .seconds(10_000)))
        bench.plan.stallLimit = .seconds(20)
        bench.script.capacityBytes = 1 << 16
        let world = try bench.run(limit: .seconds(70))
        #expect(world.ledger.lostConnections[.timedOut] ?? 0 >= 1)
        #expect(world.count(.unknown) > 0)
    }
}
