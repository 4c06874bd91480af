import Glibc
import Harness
import Primitives
import RunRecords
import SecureChannel
import Transport

/// Memory: what ten times the notifications need in addition, and what an idle connection holds.
struct MemoryUse {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() async throws -> ResultTable {
        var table = ResultTable("resident memory", columns: ["figure", "sender", "simulator", "unit"])
        let small = try run(options.size(1_000_000, quick: 10_000))
        let large = try run(options.size(10_000_000, quick: 40_000))
        func row(_ name: String, _ record: RunRecord) -> [ResultTable.Cell] {
            [
                .text(name), .number(Double(record.resources.sender.peakRSSBytes) / 1_048_576, decimals: 1),
                .number(Double(record.resources.simulator?.peakRSSBytes ?? 0) / 1_048_576, decimals: 1), .text("MiB"),
            ]
        }
        table.add(row("peak, \(small.ledger.accepted) notifications", small))
        table.add(row("peak, \(large.ledger.accepted) notifications", large))
        func ratio(_ side: (RunRecord) -> Int64?) -> Double { Double(side(large) ?? 0) / Double(side(small) ?? 0) }
        let senderRatio = ratio(\.resources.sender.peakRSSBytes)
        let simulatorRatio = ratio { $0.resources.simulator?.peakRSSBytes }
        table.add([
            .text("ratio"), .number(senderRatio, decimals: 3), .number(simulatorRatio, decimals: 3), .text(""),
        ])
        let connections = options.size(1_000, quick: 50)
        let perEnd = try await IdleConnections(count: connections).bytesPerEnd() / 1_024
        table.add([
            .text("idle TLS connection, one end"), .number(perEnd, decimals: 1), .number(perEnd, decimals: 1),
            .text("KiB"),
        ])
        if !options.isQuick {
            table.require("the sender's memory, ten to one,", senderRatio, atMost: 1.1)
            table.require("the simulator's memory, ten to one,", simulatorRatio, atMost: 1.1)
            table.require("an idle connection's KiB", perEnd, atMost: 64)
        }
        table.notes = [
            "Idle: \(connections) connections that each carried 64 KiB before, both ends in one process, the mean of the two."
        ]
        return table
    }

    private func run(_ notifications: Int) throws -> RunRecord {
        try PushbenchProcess(program: options.program).run(.init(notifications: notifications, connections: 8))
    }
}

/// Connections that were used once and then fell silent.
private struct IdleConnections {
    let count: Int

    func bytesPerEnd() async throws -> Double {
        _ = Machine.raiseDescriptorLimit()
        let authority = try CertificateAuthority()
        let server = try TLSContext(server: TLSServerOptions(identity: try authority.issue(.server)))
        let client = try TLSContext(client: TLSClientOptions(trust: .authorities(pem: authority.certificatePEM)))
        let servers = try EventLoop(label: "benchmark.idle.server")
        let clients = try EventLoop(label: "benchmark.idle.client")
        let listener = try Listener(context: server, loops: [servers]) { _ in Silent(sends: false) }
        let address = listener.address
        // One connection first, so that what both loops need once is not counted.
        try await open(1, clients, servers, client, address)
        let before = Self.residentBytes()
        try await open(count, clients, servers, client, address)
        let after = Self.residentBytes()
        await clients.shutDownAndWait()
        await servers.shutDownAndWait()
        return Double(after - before) / Double(2 * count)
    }

    /// Opens connections a few at a time and waits until all have received a batch and given their buffers back.
    private func open(
        _ count: Int, _ clients: EventLoop, _ servers: EventLoop, _ context: TLSContext, _ address: SocketAddress
    ) async throws {
        for start in stride(from: 0, to: count, by: 50) {
            let some = min(50, count - start)
            try await clients.run { core in
                for _ in 0..<some {
                    _ = core.connect(
                        to: address, context: context, serverName: "localhost", handler: Silent(sends: true))
                }
            }
            try await Task.sleep(nanoseconds: 100_000_000)
        }
        // The transport gives record buffers back after a quarter to half a second without traffic.
        try await Task.sleep(nanoseconds: 1_500_000_000)
    }

    private static func residentBytes() -> Int64 {
        guard let text = try? readFile("/proc/self/statm") else { return 0 }
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return (pages ?? 0) * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Sends one batch or none, and then keeps its connection.
    private final class Silent: LinkHandler {
        private var owes: Bool
        private var link: Link?

        init(sends: Bool) { owes = sends }

        func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) { self.link = link }
        func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {}
        func linkEnded(_ link: Link, end: LinkEnd, now: Instant) { self.link = nil }

        func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
            defer { owes = false }
            return owes ? buffer.count : 0
        }
    }
}
