import Glibc
import Primitives
import Testing

@testable import Transport

/// What an event loop knows about its own use of the machine.
@Suite(.timeLimit(.minutes(3))) struct LoopUseTests {
    private func waitTime(_ text: String) -> Interval? {
        Array(text.utf8).withUnsafeBytes { RunQueueClock.waitTime(in: $0) }
    }

    @Test func `the time in the run queue is the second of the kernel's three numbers`() {
        #expect(waitTime("520100 62404 2\n") == Interval(nanoseconds: 62_404))
        #expect(waitTime("1 9223372036854775807 2") == Interval(nanoseconds: .max))
    }

    @Test(arguments: ["", "5", "5 ", "5 x 2", "1 9223372036854775808 2", "1 99999999999999999999999 2"])
    func `what is no such text has no time`(_ text: String) { #expect(waitTime(text) == nil) }

    @Test func `a loop counts its waits and its processor time, and its use never falls`() async throws {
        let loop = try EventLoop()
        let first = try await loop.run { $0.use }
        let second = try await loop.run { core in
            // Work, so that the processor time moves.
            var random = SeededRandom(seed: 1)
            for _ in 0..<100_000 { _ = random.unit() }
            return core.use
        }
        #expect(second.processorTime > first.processorTime)
        #expect(second.waits >= first.waits)
        let between = second.since(first)
        #expect(between.processorTime + first.processorTime == second.processorTime)
        #expect(between.reads == 0 && between.writes == 0 && between.bytesIn == 0)
        if access("/proc/thread-self/schedstat", R_OK) == 0 {
            let (one, two) = (try #require(first.runQueueTime), try #require(second.runQueueTime))
            #expect(two >= one && one >= .zero)
        } else {
            #expect(second.runQueueTime == nil)
        }
        await loop.shutDownAndWait()
    }
}
