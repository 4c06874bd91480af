import GatewaySimulator
import Primitives
import ProviderSessions
import SimulatedTransport
import Testing
import Workload

/// The open loop under the manual clock: turns, stalls, catching up, skipping, and the account of it.
@Suite struct OpenLoopTests {
    private func supply(
        _ limit: UInt64 = .max, perSecond: Double = 1_000, _ change: (inout ArrivalPlan) -> Void = { _ in }
    ) -> SequenceSupply {
        var plan = ArrivalPlan(.constant(Rate(perSecond: perSecond)))
        change(&plan)
        return SequenceSupply(limit: limit, arrivals: .open(plan), connectionCount: 1)
    }

    /// Claims all that may go at each of the given times; returns how many each time.
    private func claim(_ supply: SequenceSupply, at times: [Int64], batch: UInt64 = 100) -> [UInt64] {
        times.map { milliseconds in
            var count: UInt64 = 0
            while let run = supply.claim(most: batch, now: .zero + .milliseconds(milliseconds)) { count += run.count }
            return count
        }
    }

    @Test func `what is due goes, and nothing before`() {
        #expect(claim(supply(), at: [0, 1, 2, 5, 10]) == [1, 1, 1, 3, 5])
    }

    @Test func `after a stall the schedule is caught up at no more than twice its rate`() throws {
        let supply = supply()
        _ = claim(supply, at: Array(0...100))
        // Nobody looks for a second.
        let counts = claim(supply, at: Array(1_100...3_000))
        #expect(counts.allSatisfy { $0 <= 3 }, "two and a rounded one a millisecond: \(counts.max() ?? 0)")
        #expect(counts[0] == 1, "the first late one goes at once")
        #expect(counts[..<900].reduce(0, +) <= 1_802)
        let tally = try #require(supply.tally)
        #expect(tally.stalls == 1)
        #expect((1_900...2_100).contains(tally.caughtUp))
        #expect((Interval.milliseconds(950)...Interval.milliseconds(1_050)).contains(tally.catchUpTime))
        #expect(counts.reduce(0, +) == 2_900, "all is made up in the end")
        #expect(counts[1_200...].allSatisfy { $0 == 1 })
        #expect(tally.late == [.generatorLate: tally.late[.generatorLate] ?? 0])
        #expect((1_900...2_000).contains(tally.late[.generatorLate] ?? 0))
    }

    @Test(arguments: [1.0, 2, 5, 50])
    func `the cap is the profile's`(catchUp: Double) {
        let supply = supply { $0.catchUp = catchUp }
        _ = claim(supply, at: [0])
        let counts = claim(supply, at: Array(1_000...1_100))
        let expected = min(1_100, 100 * catchUp)
        #expect((Double(counts.reduce(0, +)) - expected).magnitude <= 2)
    }

    /// A timer that comes late again and again is no stall: what was due in between goes, and no more.
    @Test(arguments: [1, 4, 10] as [Int64])
    func `a burst is what was due since the last tick`(tick: Int64) throws {
        let supply = supply(perSecond: 50_000)
        let counts = claim(supply, at: Array(stride(from: 0, to: 1_000, by: Int64.Stride(tick))))
        #expect(counts.dropFirst().allSatisfy { $0 == UInt64(50 * tick) })
        #expect(try #require(supply.tally).stalls == 0)
    }

    @Test func `a machine that looks every twenty milliseconds keeps its schedule`() {
        let supply = supply()
        let counts = claim(supply, at: Array(stride(from: 0, to: 4_000, by: 20)))
        #expect(counts.allSatisfy { $0 <= 40 })
        #expect(counts.reduce(0, +) >= 3_900)
    }

    @Test func `what is too late is skipped, and counted by why`() throws {
        let supply = supply { $0.skipAfter = .milliseconds(50) }
        _ = claim(supply, at: Array(0...100))
        supply.hold(.windowFull, now: .zero + .milliseconds(101))
        supply.resume(now: .zero + .milliseconds(401))
        _ = claim(supply, at: [401])
        #expect(try #require(supply.tally).skipped == [.windowFull: 250])
        _ = claim(supply, at: Array(402...500))
        supply.hold(.noConnection, now: .zero + .milliseconds(500))
        supply.resume(now: .zero + .milliseconds(700))
        _ = claim(supply, at: [701])
        _ = claim(supply, at: Array(702...2_000))
        let tally = try #require(supply.tally)
        #expect(tally.skipped[.noConnection] ?? 0 > 100)
        #expect(tally.skippedCount == tally.skipped.values.reduce(0, +))
        #expect(
            tally.skips.map(\.at) == [.milliseconds(401), .milliseconds(701)], "each was given up when it was looked at"
        )
        #expect(supply.claimedCount == 2_001, "skipped ones are taken, too")
    }

    @Test func `a closed schedule hands out what was due by then, and no more`() {
        let supply = supply()
        _ = claim(supply, at: [0, 3])
        supply.close(at: .zero + .milliseconds(7))
        #expect(supply.scheduledCount == 7)
        #expect(
            supply.batchTime(batch: 100, linger: .seconds(1)) == .zero + .milliseconds(6), "nothing waits for others")
        #expect(claim(supply, at: [8, 50]) == [3, 0])
        #expect(supply.isExhausted)
    }

    @Test func `one idle connection wakes for a batch, whatever their number`() throws {
        var bench = Bench(notifications: 2_000, connections: 50)
        bench.arrivals = .constant(Rate(perSecond: 10_000))
        bench.start = .zero + .milliseconds(20)
        bench.plan.batch = BatchPlan(notifications: 10, linger: .milliseconds(1))
        let world = try bench.run()
        let batches = world.events.count { if case .wrote = $0 { true } else { false } }
        #expect(world.count(.accepted) == 2_000)
        // Each batch is asked for once, and after each write its own connection asks once more; 50 ask at the start and the end.
        #expect(world.fillCount <= 2 * batches + 200, "\(world.fillCount) for \(batches) batches")
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `every notification is sent once, whatever happens to its connection`(seed: UInt64) throws {
        var bench = Bench(notifications: 4_000, connections: 3)
        bench.seed = seed
        bench.badRate = 0.01
        bench.plan.unproven = .resend(limit: 3)
        bench.plan.reconnect.base = .milliseconds(5)
        bench.script.capacityBytes = 1 << 14
        bench.gateway.faults.add(.throttle(Rate(perSecond: 20_000)))
        bench.arrivals = .constant(Rate(perSecond: 10_000))
        let world = try bench.world()
        world.start()
        for step in 1...8 {
            world.advance(to: .zero + .milliseconds(Int64(step) * 40))
            world.kill(slot: step % 3)
        }
        world.advance(to: .zero + .seconds(60))
        world.giveUp()
        bench.expectBalance(world)
        var sent: [UInt64] = []
        for case .sent(let run, _, _) in world.events { sent += run.start..<run.end }
        #expect(sent.sorted() == Array(0..<4_000 - world.count(.unsent)), "seed \(seed)")
    }

    @Test func `a random schedule is carried out to its end, and the same again`() throws {
        func lags() throws -> [Interval] {
            var bench = Bench(notifications: 3_000, connections: 4)
            let schedule = ArrivalSchedule(RateCurve(Rate(perSecond: 5_000)), spacing: .poisson(seed: 11))
            bench.arrivals = .open(ArrivalPlan(schedule))
            bench.start = .zero + .milliseconds(10)
            let world = try bench.run()
            #expect(world.count(.accepted) == 3_000)
            return world.events.flatMap { event -> [Interval] in
                guard case .sent(let run, let at, _) = event else { return [] }
                return (run.start..<run.end).map { at - (bench.start + schedule.time(of: $0)) }
            }
        }
        let first = try lags()
        #expect(first.allSatisfy { $0 >= .zero && $0 <= .milliseconds(2) })
        #expect(try lags() == first)
    }

    /// The row "rate share lost when rate < workers" of the known mistakes.
    @Test func `seven connections send one a second in total, and not each`() throws {
        var bench = Bench(notifications: 5, connections: 7)
        bench.arrivals = .constant(Rate(perSecond: 1))
        bench.start = .zero + .milliseconds(10)
        let world = try bench.run()
        let times = world.events.compactMap { event -> Instant? in
            guard case .wrote(let count, _, _, _, let at) = event, count == 1 else { return nil }
            return at
        }
        #expect(times.count == 5)
        #expect(
            zip(times, times.dropFirst()).allSatisfy { (($1 - $0) - .seconds(1)).nanoseconds.magnitude < 2_000_000 })
    }

    /// The machine was late, and the connections had time: those that are woken for a part of it take all.
    @Test func `what nobody but the machine kept is late for that reason`() throws {
        let supply = supply()
        _ = claim(supply, at: Array(0...100))
        _ = claim(supply, at: Array(200...500))
        #expect(try #require(supply.tally).late.keys.allSatisfy { $0 == .generatorLate })
    }

    @Test func `a schedule that ends before the notifications ends the run`() throws {
        var bench = Bench(notifications: 300)
        bench.arrivals = .open(
            ArrivalPlan(ArrivalSchedule(RateCurve([.init(Rate(perSecond: 1_000), for: .milliseconds(300))]))))
        bench.start = .zero + .milliseconds(10)
        let world = try bench.run()
        #expect(world.count(.accepted) == 300)
        #expect(world.now < .zero + .milliseconds(400))
    }

    /// The gaps between batches of the whole run in milliseconds.
    private func gaps(_ world: SimulatedWorld) -> [Double] {
        let times = world.events.compactMap { event -> Instant? in
            guard case .wrote(_, _, _, _, let at) = event else { return nil }
            return at
        }
        return zip(times.dropFirst(), times).map { ($0 - $1).seconds * 1_000 }
    }

    @Test(arguments: [1, 8, 64])
    func `a constant pace has even gaps between batches, from the first second on`(connections: Int) throws {
        var bench = Bench(notifications: 50_000, connections: connections)
        bench.arrivals = .constant(Rate(perSecond: 50_000))
        bench.start = .zero + .milliseconds(20)
        bench.plan.batch = BatchPlan(notifications: 50, linger: .milliseconds(1))
        let world = try bench.run()
        let gaps = gaps(world)
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        #expect((mean - 1).magnitude < 0.05)
        #expect(variance.squareRoot() / mean < 0.1)
        let first = gaps.prefix(100).reduce(0, +) / 100
        #expect((first - mean).magnitude < 0.05, "the start is like the rest")
    }
}
