import Glibc
import Harness
import RunRecords

/// Allocations per notification in steady state: what ten million more notifications cost in addition.
struct AllocationCounts {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "allocations per notification in steady state, by jemalloc's count of requests",
            columns: ["protocol", "connections", "sender", "simulator", "notifications between"])
        let (asked, counted) = checkCounter()
        table.notes = ["The counter was checked: of \(asked) requests made in a row it counted \(counted)."]
        guard counted >= asked, counted <= asked + asked / 100 else {
            throw BenchmarkFailure("the allocator counted \(counted) of \(asked) requests")
        }
        // In a short run the engine's own looks at it weigh more; one request for each notification still shows.
        let limit = options.isQuick ? 0.5 : 0.01
        let all = [false, true].flatMap { isHTTP2 in
            (options.isQuick || isHTTP2 ? [4] : [1, 4, 64]).map { (isHTTP2: isHTTP2, connections: $0) }
        }
        for (isHTTP2, connections) in all {
            // Of both sizes as many notifications are sampled for their latencies, so that this falls out.
            let small = options.size(2_000_000, quick: 140_000)
            let large = options.size(12_000_000, quick: 280_000)
            let first = try run(small, connections, isHTTP2: isHTTP2)
            let second = try run(large, connections, isHTTP2: isHTTP2)
            let count = Double(large - small)
            func difference(_ side: (RunRecord) -> Int64?) -> Double {
                guard let less = side(first), let more = side(second) else { return .nan }
                return Double(more - less) / count
            }
            let sender = difference(\.resources.sender.allocations)
            let simulator = difference { $0.resources.simulator?.allocations }
            table.add([
                .text(isHTTP2 ? "http2" : "enhanced"), .count(Int64(connections)), .number(sender, decimals: 5),
                .number(simulator, decimals: 5),
                .count(Int64(large - small)),
            ])
            table.require("the sender's allocations per notification", sender, atMost: limit)
            table.require("the simulator's allocations per notification", simulator, atMost: limit)
        }
        return table
    }

    private func run(_ notifications: Int, _ connections: Int, isHTTP2: Bool) throws -> RunRecord {
        // Quick runs are those of tests, whose program is not optimised and allocates for the sample of latencies.
        try PushbenchProcess(program: options.program).run(
            .init(
                notifications: notifications, connections: connections, measuresLatencies: !options.isQuick,
                isHTTP2: isHTTP2, countsExactly: true))
    }

    /// Makes a known number of requests, small and large, to see that the counter tells the truth.
    private func checkCounter() -> (asked: Int64, counted: Int64) {
        let rounds = 1_000
        // Kept in a list meanwhile, so that the compiler cannot leave pairs of requests and releases out; a plain loop,
        // so that it makes no requests of its own in a debug build.
        let blocks = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(capacity: 100)
        defer { blocks.deallocate() }
        let before = ProcessUsage.now().allocations ?? 0
        var request = 0
        while request < rounds * blocks.count {
            let place = request % blocks.count
            if request >= blocks.count { free(blocks[place]) }
            blocks[place] = malloc(place == 0 ? 40_000 : 48)
            request += 1
        }
        let counted = (ProcessUsage.now().allocations ?? 0) - before
        for block in blocks { free(block) }
        return (Int64(request), counted)
    }
}
