import Primitives
import Synchronization
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(3))) struct LoopTests {
    @Test func `bodies run in the order in which they were handed in`() async throws {
        let loop = try EventLoop()
        let order = Mutex<[Int]>([])
        for index in 0..<1_000 { loop.enqueue { _ in order.withLock { $0.append(index) } } }
        _ = try await loop.run { _ in 0 }
        #expect(order.withLock { $0 } == Array(0..<1_000))
        await loop.shutDownAndWait()
    }

    @Test func `a loop that is shut down says that it runs nothing more`() async throws {
        let loop = try EventLoop()
        await loop.shutDownAndWait()
        #expect(!loop.enqueue { _ in })
        await #expect(throws: TransportError.loopShutDown) { try await loop.run { _ in 0 } }
        await loop.shutDownAndWait()
    }

    @Test func `timers fire in the order of their deadlines, each once, and never early`() async throws {
        let loop = try EventLoop()
        let fired = Mutex<[Int]>([])
        let isDone = Signal<Bool>()
        // Seed 9.
        var random = SeededRandom(seed: 9)
        let delays = (0..<200).map { _ in Int64(random.below(20_000_000)) }
        loop.enqueue { core in
            let start = core.refreshNow()
            for (index, delay) in delays.enumerated() {
                let deadline = start + Interval(nanoseconds: delay)
                core.makeTimer { core in
                    precondition(core.now >= deadline, "a timer was early")
                    let count = fired.withLock {
                        $0.append(index)
                        return $0.count
                    }
                    if count == delays.count { isDone.give(true) }
                }.set(to: deadline)
            }
        }
        _ = try await isDone.wait()
        #expect(fired.withLock { $0 } == delays.indices.sorted { delays[$0] < delays[$1] })
        await loop.shutDownAndWait()
    }

    @Test func `a timer can be moved, cleared and cancelled`() async throws {
        let loop = try EventLoop()
        let fired = Mutex<[String]>([])
        let isDone = Signal<Bool>()
        loop.enqueue { core in
            let now = core.refreshNow()
            let note = { (name: String) in fired.withLock { $0.append(name) } }
            let moved = core.makeTimer { _ in note("moved") }
            let cleared = core.makeTimer { _ in note("cleared") }
            let cancelled = core.makeTimer { _ in note("cancelled") }
            for timer in [moved, cleared, cancelled] { timer.set(to: now + .milliseconds(1)) }
            moved.set(to: now + .milliseconds(3))
            cleared.set(to: nil)
            cancelled.cancel()
            cancelled.set(to: now)
            core.makeTimer { _ in note("between") }.set(to: now + .milliseconds(2))
            core.makeTimer { _ in isDone.give(true) }.set(to: now + .milliseconds(4))
        }
        _ = try await isDone.wait()
        #expect(fired.withLock { $0 } == ["between", "moved"])
        await loop.shutDownAndWait()
    }

    @Test func `a timer set to the past from its own body does not hold up the loop`() async throws {
        let loop = try EventLoop()
        loop.enqueue { core in
            var timer: LoopTimer?
            timer = core.makeTimer { core in timer?.set(to: core.now) }
            timer?.set(to: core.now)
        }
        for _ in 0..<10 { #expect(try await loop.run { _ in 1 } == 1) }
        await loop.shutDownAndWait()
    }

    @Test func `a shut down loop ends every link once, even when handlers connect anew`() async throws {
        let bench = try Bench()
        let listener = try bench.listen()
        let reconnected = Signal<LinkEnd>()
        let context = bench.client
        let links = (0..<5).map { _ in
            bench.connect(to: listener.address) { handler in
                handler.onEnd = { link, _ in
                    let successor = ScriptedHandler()
                    successor.onEnd = { _, end in reconnected.give(end) }
                    _ = link.core.connect(
                        to: listener.address, context: context, serverName: "localhost", handler: successor)
                }
            }
        }
        for link in links { _ = try await link.opened.wait() }
        await bench.clientLoop.shutDownAndWait()
        for link in links { #expect(try await link.ended.wait().end == .closedLocally) }
        #expect(try await reconnected.wait() == .closedLocally)
        await bench.shutDown()
    }
}

@Suite struct DeadlineHeapTests {
    @Test func `deadlines come out as a sorted list would give them`() {
        for seed in 0..<50 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var heap = DeadlineHeap()
            var model: [(slot: Int, deadline: Int64, order: Int)] = []
            for order in 0..<300 {
                let slot = Int(random.below(40))
                let deadline = Int64(random.below(50))
                switch random.below(4) {
                case 0:
                    heap.set(slot: slot, to: nil)
                    model.removeAll { $0.slot == slot }
                case 1:
                    let due = model.filter { $0.deadline <= deadline }.min {
                        ($0.deadline, $0.order) < ($1.deadline, $1.order)
                    }
                    #expect(heap.popDue(at: Instant(nanoseconds: deadline)) == due?.slot, "seed \(seed)")
                    model.removeAll { $0.slot == due?.slot }
                default:
                    heap.set(slot: slot, to: Instant(nanoseconds: deadline))
                    model.removeAll { $0.slot == slot }
                    model.append((slot, deadline, order))
                }
                #expect(heap.earliest?.nanoseconds == model.map(\.deadline).min(), "seed \(seed)")
            }
        }
    }
}
