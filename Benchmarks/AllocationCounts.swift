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
            columns: ["connections", "sender", "simulator", "notifications between"])
        let (asked, counted) = checkCounter()
        table.notes = ["The counter was checked: of \(asked) requests made in a row it counted \(counted)."]
        guard counted >= asked, counted <= asked + asked / 100 else {
            throw BenchmarkFailure("the allocator counted \(counted) of \(asked) requests")
        }
        for connections in options.isQuick ? [4] : [1, 4, 64] {
            let small = options.size(2_000_000, quick: 10_000)
            let large = options.size(12_000_000, quick: 40_000)
            let first = try run(small, connections)
            let second = try run(large, connections)
            let count = Double(large - small)
            func difference(_ side: (RunRecord) -> Int64?) -> ResultTable.Cell {
                guard let less = side(first), let more = side(second) else { return .none }
                return .number(Double(more - less) / count, decimals: 5)
            }
            table.add([
                .count(Int64(connections)), difference(\.resources.sender.allocations),
                difference { $0.resources.simulator?.allocations }, .count(Int64(large - small)),
            ])
        }
        return table
    }

    private func run(_ notifications: Int, _ connections: Int) throws -> RunRecord {
        try PushbenchProcess(program: options.program).run(
            .init(notifications: notifications, connections: connections, countsExactly: true))
    }

    /// Makes a known number of requests, small and large, to see that the counter tells the truth.
    private func checkCounter() -> (asked: Int64, counted: Int64) {
        let rounds = 1_000
        // Kept in a list meanwhile, so that the compiler cannot leave pairs of requests and releases out.
        var blocks: [UnsafeMutableRawPointer?] = Array(repeating: nil, count: 100)
        let before = ProcessUsage.now().allocations ?? 0
        for _ in 0..<rounds {
            for index in blocks.indices { blocks[index] = malloc(index == 0 ? 40_000 : 48) }
            for block in blocks { free(block) }
        }
        return (Int64(rounds * blocks.count), (ProcessUsage.now().allocations ?? 0) - before)
    }
}
