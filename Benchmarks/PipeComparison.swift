import Primitives
import RunRecords
import Transport

/// The whole program against the raw TLS pipe that carries the same bytes, one after the other, round by round.
struct PipeComparison {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    private struct Round {
        var pipe: Double
        var run: Double
        var pipeNs: Double
        var senderNs: Double
        var simulatorNs: Double
        var limit: String

        var ratio: Double { run / pipe }
    }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "binary run ÷ raw TLS pipe, same bytes, batches of 448 or 64 KiB; medians of interleaved rounds",
            columns: [
                "connections", "JSON judged", "pipe M/s", "run M/s", "ratio", "ratios by round", "sender ns",
                "simulator ns",
                "pipe ns both", "CPU run ÷ pipe", "limit", "load",
            ])
        table.notes = [
            "M/s: notifications, or as many bytes. ns: processor time of a process for one notification, without what a run of",
            "1,000 notifications with as many connections takes: start of the program, certificates, handshakes, end.",
            "The pipe's processor time is that of both ends together; CPU run ÷ pipe compares it with both processes.",
        ]
        for connections in [1, 4, 16, 64] {
            let still = try PushbenchProcess(program: options.program).run(
                .init(notifications: 1_000, connections: connections))
            var rounds: [Bool: [Round]] = [:]
            for _ in 0..<options.rounds(5) {
                for judgesJSON in [false, true] {
                    rounds[judgesJSON, default: []].append(try round(connections, judgesJSON: judgesJSON, still: still))
                }
            }
            for judgesJSON in [false, true] {
                table.add(row(connections, judgesJSON, rounds[judgesJSON] ?? []))
            }
        }
        return table
    }

    private func round(_ connections: Int, judgesJSON: Bool, still: RunRecord) throws -> Round {
        let notifications = options.size(10_000_000, quick: 20_000)
        let record = try PushbenchProcess(program: options.program).run(
            .init(notifications: notifications, connections: connections, judgesJSON: judgesJSON))
        let frameBytes = record.bytesPerNotification
        let bytes = Int(frameBytes * Double(notifications)) / connections
        let pipe = try RawTLSPipe.measure(
            connectionCount: connections, bound: PipeBound(bytesPerConnection: bytes, duration: .seconds(120)))
        let pipeTime = pipe.senderProcessorTime + pipe.receiverProcessorTime
        return Round(
            pipe: pipe.bytesPerSecond / frameBytes, run: record.throughput.acceptedPerSecond ?? .nan,
            pipeNs: Double(pipeTime.nanoseconds) / Double(pipe.byteCount) * frameBytes,
            senderNs: record.processorNs(record.resources.sender, without: still.resources.sender),
            simulatorNs: record.processorNs(record.resources.simulator, without: still.resources.simulator),
            limit: record.limit?.kind.rawValue ?? "unknown")
    }

    private func row(_ connections: Int, _ judgesJSON: Bool, _ rounds: [Round]) -> [ResultTable.Cell] {
        func middle(_ figure: (Round) -> Double) -> Double { median(rounds.map(figure)) }
        let limits = Set(rounds.map(\.limit)).sorted().joined(separator: "/")
        return [
            .count(Int64(connections)), .text(judgesJSON ? "yes" : "no"), .number(middle(\.pipe) / 1e6, decimals: 2),
            .number(middle(\.run) / 1e6, decimals: 2), .number(middle(\.ratio), decimals: 2),
            .text(rounds.map { decimalText($0.ratio, 2) }.joined(separator: " ")),
            .number(middle(\.senderNs), decimals: 0), .number(middle(\.simulatorNs), decimals: 0),
            .number(middle(\.pipeNs), decimals: 0),
            .number(middle { ($0.senderNs + $0.simulatorNs) / $0.pipeNs }, decimals: 2), .text(limits),
            .number(Results.load(), decimals: 1),
        ]
    }
}
