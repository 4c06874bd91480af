import Primitives
import Testing
import Workload

/// When the operations of an open loop begin.
@Suite struct ArrivalScheduleTests {
    @Test(arguments: [0.001, 1.0, 1_000.0 / 9, 333.3, 49_999.7, 1e6 / 7, 3_000_017, 999_999_999])
    func `a constant pace is exact at odd rates, also beyond a billion operations`(perSecond: Double) {
        let schedule = ArrivalSchedule.constant(Rate(perSecond: perSecond))
        for index in [UInt64(0), 1, 2, 999, 1_000_003, 4_000_000_007, 12_345_678_901] {
            let time = schedule.time(of: index)
            guard time < .never else { continue }
            let exact = Double(index) * 1e9 / perSecond
            #expect((Double(time.nanoseconds) - exact).magnitude <= max(1, exact * 1e-15))
            #expect(schedule.time(of: index + 1) > time)
            #expect(schedule.count(until: time) == index + 1, "the two directions agree at \(index)")
            #expect(schedule.count(until: time - Interval(nanoseconds: 1)) == index)
        }
    }

    @Test func `whole rates meet whole seconds`() {
        for rate in [1, 3, 7, 300, 1_000, 30_000_000] as [UInt64] {
            let schedule = ArrivalSchedule.constant(Rate(perSecond: Double(rate)))
            for second in [1, 60, 3_600] as [UInt64] {
                #expect(schedule.time(of: rate * second) == .seconds(Int64(second)))
            }
        }
    }

    @Test(arguments: [0.1, 0.3, 1.0 / 3, 2.5, 3, 7, 33.3, 300, 999, 6_543.21, 50_000, 333_333, 1e6 / 3])
    func `a time has rate × time operations, and not the one that begins at its end`(perSecond: Double) {
        let schedule = ArrivalSchedule.constant(Rate(perSecond: perSecond))
        for seconds in [1, 2, 3, 10, 30, 60, 100, 3_600, 86_400] as [Int64] {
            let product = perSecond * Double(seconds)
            let expected = UInt64((product - 1e-6).rounded(.up))
            #expect(
                schedule.count(until: .seconds(seconds) - Interval(nanoseconds: 1)) == expected,
                "\(perSecond)/s for \(seconds) s")
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 7])
    func `shards interleave exactly to the whole`(shards: UInt64) {
        let stages = RateCurve([.init(Rate(perSecond: 500), to: Rate(perSecond: 2_000), for: .seconds(1))])
        let wholes: [(ArrivalShard) -> ArrivalSchedule] = [
            { ArrivalSchedule(RateCurve(Rate(perSecond: 333)), shard: $0) },
            { ArrivalSchedule(RateCurve(Rate(perSecond: 333)), spacing: .poisson(seed: 5), shard: $0) },
            { ArrivalSchedule(stages, spacing: .bursts(10), shard: $0) },
            { ArrivalSchedule(ArrivalTimes((0..<100).map { .milliseconds($0 * $0) }), shard: $0) },
        ]
        for make in wholes {
            let whole = make(.whole)
            let parts = (0..<shards).map { make(ArrivalShard(index: $0, count: shards)) }
            for index in 0..<UInt64(90) {
                #expect(parts[Int(index % shards)].time(of: index / shards) == whole.time(of: index))
            }
            #expect(parts.compactMap(\.limit).reduce(0, +) == whole.limit ?? 0)
        }
    }

    @Test func `seven generators share one operation a second without losing any`() {
        let parts = (0..<7).map {
            ArrivalSchedule(RateCurve(Rate(perSecond: 1)), shard: ArrivalShard(index: $0, count: 7))
        }
        for second in 0..<100 {
            #expect(parts.map { $0.count(until: .seconds(Int64(second))) }.reduce(0, +) == UInt64(second) + 1)
        }
    }

    @Test func `a ramp covers the area below it`() {
        let curve = RateCurve([
            .init(Rate(perSecond: 100), to: Rate(perSecond: 1_100), for: .seconds(10)),
            .init(Rate(perSecond: 1_100), for: .seconds(5)),
            .init(Rate(perSecond: 1_100), to: Rate(perSecond: 100), for: .seconds(10)),
        ])
        let schedule = ArrivalSchedule(curve)
        #expect(schedule.limit == 6_000 + 5_500 + 6_000)
        // After t seconds of the first ramp: 100 t + 50 t² operations.
        for second in 1...9 {
            let expected = UInt64(100 * second + 50 * second * second)
            let error = schedule.time(of: expected) - .seconds(Int64(second))
            #expect(error.nanoseconds.magnitude <= 2)
        }
        #expect(schedule.time(of: 6_000 + 5_500) == .seconds(15))
        var before = Interval.zero
        for index in 0..<UInt64(17_500) {
            let time = schedule.time(of: index)
            #expect(time >= before && time < .seconds(25))
            before = time
        }
        #expect(schedule.time(of: 17_500) == .never)
    }

    @Test func `a staircase has its steps' rates`() {
        let steps = (1...5).map { RateCurve.Stage(Rate(perSecond: Double($0) * 1_000), for: .seconds(2)) }
        let schedule = ArrivalSchedule(RateCurve(steps))
        for step in 1...5 {
            let start = Interval.seconds(Int64(step - 1) * 2)
            let inStep = schedule.count(until: start + .milliseconds(1_999)) - schedule.count(until: start)
            #expect(inStep.distance(to: UInt64(step) * 1_999).magnitude <= 1)
        }
        #expect(schedule.limit == 30_000)
    }

    @Test func `bursts come together, at the rate on average`() {
        let schedule = ArrivalSchedule(RateCurve(Rate(perSecond: 1_000)), spacing: .bursts(50))
        for index in 0..<UInt64(1_000) {
            #expect(schedule.time(of: index) == .milliseconds(Int64(index / 50 * 50)))
        }
        #expect(schedule.count(until: .milliseconds(49)) == 50)
        #expect(schedule.count(until: .milliseconds(50)) == 100)
    }

    @Test func `a timing file is replayed, and says where it is wrong`() throws {
        func read(_ text: String) throws -> ArrivalTimes {
            try Array(text.utf8).withUnsafeBytes { bytes throws(WorkloadError) in
                try ArrivalTimes(parsing: bytes, fileName: "times.txt")
            }
        }
        let times = try read("# start\n0\n\n12ms # late\n 0.5\r\n2s\n2s")
        let schedule = ArrivalSchedule(times)
        #expect(
            (0..<6).map { schedule.time(of: $0) }
                == [.zero, .milliseconds(12), .milliseconds(500), .seconds(2), .seconds(2), .never])
        #expect(schedule.limit == 5)
        #expect(schedule.count(until: .seconds(2)) == 5)
        #expect(throws: WorkloadError.badArrivalTime(file: "times.txt", line: 2, found: "soon")) {
            try read("1\nsoon\n")
        }
        #expect(throws: WorkloadError.fallingArrivalTime(file: "times.txt", line: 3)) { try read("1\n\n0.5\n") }
        #expect(throws: WorkloadError.noArrivalTimes(file: "times.txt")) { try read("# nothing\n") }
    }

    @Test func `counting from anywhere agrees with the times`() {
        let schedule = ArrivalSchedule(RateCurve(Rate(perSecond: 10_000)), spacing: .poisson(seed: 3))
        var (cursor, other) = (ArrivalCursor(), ArrivalCursor())
        for first in [UInt64(0), 1_000, 1_023, 1_024, 77_777] {
            for milliseconds in [0, 1, 20, 100, 7_780] as [Int64] {
                let until = Interval.milliseconds(milliseconds)
                let expected = (first..<first + 300).prefix { schedule.time(of: $0, &other) <= until }.count
                #expect(schedule.count(from: first, most: 300, until: until, &cursor) == UInt64(expected))
            }
        }
    }
}
