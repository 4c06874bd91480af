import Primitives
import Testing

@testable import Analysis

/// The closed model of bad tokens against values worked out by hand.
@Suite struct BadTokenModelTests {
    private func model(
        _ bound: BadTokenModel.Bound, share: Double = 0.001, connections: Int, perSecond: Double,
        reply: Interval = .zero, reconnect: Interval
    ) -> BadTokenModel {
        BadTokenModel(
            badShare: share, connections: connections, errorFreePerSecond: perSecond, bound: bound, reply: reply,
            reconnect: reconnect)
    }

    private func isClose(_ value: Double?, _ expected: Double, within share: Double = 1e-6) -> Bool {
        value.map { abs($0 - expected) <= share * abs(expected) } ?? false
    }

    @Test
    func `connections by themselves lose what they would have written from the bad notification to the next write`()
        throws
    {
        // Ten at 1,000/s: a bad one after 1 s, then 0.1 s + 0.2 s for nothing, so 10 / 1.3 cycles a second.
        let figures = try model(
            .connections, connections: 10, perSecond: 10_000, reply: .milliseconds(100),
            reconnect: .milliseconds(200)
        ).figures()
        #expect(isClose(figures.acceptedPerSecond, 10 / 1.3 * 999))
        #expect(isClose(figures.inFlight, 100) && isClose(figures.resent, 100))
        #expect(isClose(figures.lost, 300), "1,000/s for 0.3 s")
    }

    @Test func `a window that opens at once lets a connection begin with a burst`() throws {
        var windowed = model(
            .connections, connections: 1, perSecond: 10_000, reply: .milliseconds(100), reconnect: .milliseconds(200))
        windowed.onWayMax = 1_000
        windowed.writesInBursts = true
        let figures = try windowed.figures()
        // 0.999^1000 = 0.367695: of all cycles so many outlast a window, 0.581517 windows of 0.1 s on average.
        #expect(isClose(figures.acceptedPerSecond, 999 / (0.0581517 + 0.3), within: 1e-5))
        #expect(isClose(figures.inFlight, 999))
        windowed.badShare = 0.5
        #expect(
            isClose(try windowed.figures().acceptedPerSecond, 1 / 0.3, within: 1e-5), "one error in each first burst")
    }

    @Test func `a sender that waits for each has nothing in flight`() throws {
        // Nine good ones at 0.1 s each, then 0.05 s + 0.05 s: ten in a second, as without errors.
        var waiting = model(
            .connections, share: 0.1, connections: 1, perSecond: 10, reply: .milliseconds(50),
            reconnect: .milliseconds(50))
        waiting.onWayMax = 1
        waiting.writesInBursts = true
        let figures = try waiting.figures()
        #expect(isClose(figures.acceptedPerSecond, 9) && figures.inFlight == 0)
        #expect(try #require(figures.lost) < 1e-9)
    }

    /// 1,000 notifications take the machine 10 ms, and a reconnect 10 ms.
    @Test(arguments: [
        // Alone: 1 / 20 ms.
        (1, 50.0),
        // The second one finds the first at the machine half of the time: 2 / (10 ms + 10 ms × 1.5).
        (2, 80.0),
        // Q(2) = 80 × 15 ms = 1.2: 3 / (10 ms + 10 ms × 2.2).
        (3, 93.75),
    ])
    func `connections that share the machine make up for one that is away`(connections: Int, cycles: Double) throws {
        let figures = try model(
            .machine, connections: connections, perSecond: 100_000, reconnect: .milliseconds(10)
        ).figures()
        #expect(isClose(figures.acceptedPerSecond, cycles * 999))
        #expect(isClose(figures.lost, (100 / cycles - 1) * 1_000))
    }

    @Test
    func `with many connections an error costs what is written for nothing and the machine's time for a handshake`()
        throws
    {
        var many = model(
            .machine, connections: 1_000, perSecond: 100_000, reply: .milliseconds(1_000),
            reconnect: .milliseconds(10))
        many.handshake = .milliseconds(1)
        let figures = try many.figures()
        // Nearly all share the machine: 100/s each for a second.
        #expect(isClose(figures.inFlight, 100, within: 0.01))
        #expect(isClose(figures.lost, 100 + 100, within: 0.01))
    }

    @Test func `a full window leaves the machine to others until the reply is there`() throws {
        var full = model(
            .machine, connections: 1, perSecond: 100_000, reply: .milliseconds(100), reconnect: .milliseconds(10))
        full.onWayMax = 1_000
        // 10 ms to the bad one, 9.99 ms for 999 behind it, 90 ms with a full window, 10 ms for the reconnect.
        let figures = try full.figures()
        #expect(isClose(figures.acceptedPerSecond, 999 / 0.11999) && isClose(figures.inFlight, 999))
    }

    @Test func `parts of the machine that cannot help each other have their own connections`() throws {
        var model = model(.machine, connections: 4, perSecond: 200_000, reconnect: .milliseconds(10))
        model.parts = 2
        #expect(isClose(try model.figures().acceptedPerSecond, 2 * 80 * 999))
    }

    @Test func `half a customer is half way between two whole numbers`() {
        let queue = ClosedQueue(work: 0.01, away: 0.01)
        #expect(isClose(queue.service(of: 1.5).perSecond, 65) && isClose(queue.service(of: 0.5).perSecond, 25))
        #expect(queue.service(of: 1).sharing == 1 && isClose(queue.service(of: 2).sharing, 1.5))
    }

    @Test(arguments: BadTokenModel.Bound.allCases, [1, 3, 64])
    func `without errors there is the rate without errors, and more errors never give more`(
        bound: BadTokenModel.Bound, connections: Int
    ) throws {
        var model = model(
            bound, connections: connections, perSecond: 1e6, reply: .milliseconds(5), reconnect: .milliseconds(7))
        if bound == .machine { model.handshake = .microseconds(400) }
        model.onWayMax = 5_000
        var last = Double.infinity
        for share in [1e-9, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1] {
            let rate = try #require(try model.with(badShare: share).figures().acceptedPerSecond)
            if share == 1e-9 { #expect(isClose(rate, 1e6, within: 1e-3)) }
            #expect(rate >= 0 && rate < last, "\(share): \(rate) after \(last)")
            last = rate
        }
        #expect(last == 0, "nothing is accepted if all are bad")
    }

    @Test func `attempts that are paced bound the errors, and so the rate`() throws {
        var model = model(.machine, connections: 100, perSecond: 1e6, reconnect: .milliseconds(1))
        model.attemptsPerSecond = 20
        #expect(isClose(try model.figures().acceptedPerSecond, 20 * 999))
    }

    @Test func `where it does not apply it gives no figure`() {
        var small = model(
            .connections, connections: 1, perSecond: 10_000, reply: .milliseconds(100), reconnect: .zero)
        small.keptMax = 999
        #expect(throws: BadTokenObstacle.windowTooSmall(needed: 1_000)) { try small.figures() }
        // 9,091 reconnects a second at 100 µs and 40 % for the notifications.
        var busy = model(
            .connections, share: 0.01, connections: 1_000, perSecond: 1e6, reply: .milliseconds(5),
            reconnect: .milliseconds(5))
        busy.load = 0.4
        busy.handshake = .microseconds(100)
        #expect(throws: BadTokenObstacle.self) { try busy.figures() }
        busy.handshake = .microseconds(10)
        #expect(throws: Never.self) { try busy.figures() }
        busy.errorFreePerSecond = 0
        #expect(throws: BadTokenObstacle.errorFreeRateUnknown) { try busy.figures() }
    }

    // MARK: - Another round trip

    @Test func `a longer way makes replies later by one round trip, reconnects by two, and a window's rate lower`()
        throws
    {
        var windowed = model(
            .connections, connections: 5, perSecond: 50_000, reply: .milliseconds(21), reconnect: .milliseconds(42))
        windowed.onWayMax = 200
        let moved = windowed.moved(by: .milliseconds(60), round: .milliseconds(20))
        #expect(moved.reply == .milliseconds(81) && moved.reconnect == .milliseconds(162))
        #expect(isClose(moved.errorFreePerSecond, 12_500))
        let back = moved.moved(by: .milliseconds(-60), round: .milliseconds(80))
        #expect(back.reply == windowed.reply && isClose(back.errorFreePerSecond, 50_000))
    }

    @Test func `on a longer way the window may become what bounds the rate, and not before`() {
        var pipelined = model(.machine, connections: 5, perSecond: 100_000, reconnect: .milliseconds(1))
        pipelined.onWayMax = 1_000
        let near = pipelined.moved(by: .milliseconds(39), round: .milliseconds(1))
        #expect(near.bound == .machine && near.errorFreePerSecond == 100_000)
        let far = pipelined.moved(by: .milliseconds(99), round: .milliseconds(1))
        #expect(far.bound == .connections && isClose(far.errorFreePerSecond, 50_000) && isClose(far.load, 0.5))
        pipelined.onWayMax = nil
        #expect(pipelined.moved(by: .seconds(1), round: .zero).bound == .machine)
    }
}
