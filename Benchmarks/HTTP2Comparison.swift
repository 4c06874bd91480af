import Glibc
import Primitives
import RunRecords

/// Our sender and our simulator against nghttp2's `h2load` and `nghttpd`, one after the other, round by round.
struct HTTP2Comparison {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    /// Who sends.
    private enum Client: String {
        case ours, h2load
    }

    /// One client against one server.
    private struct Pair: Hashable {
        var client: Client
        var server: HTTP2Server.Kind

        static let oursToSink = Pair(client: .ours, server: .sink)
        static let loadToSink = Pair(client: .h2load, server: .sink)
        static let oursToNghttpd = Pair(client: .ours, server: .nghttpd)
        static let loadToNghttpd = Pair(client: .h2load, server: .nghttpd)
        static let oursToSimulator = Pair(client: .ours, server: .simulator)
        static let loadToSimulator = Pair(client: .h2load, server: .simulator)
    }

    /// What one client achieved against one server.
    private struct Round {
        var perSecond: Double
        /// Processor time of each side for one request, without what the start takes.
        var clientNs: Double
        var serverNs: Double

        var clientBusy: Double { clientNs * perSecond / 1e9 }
        var serverBusy: Double { serverNs * perSecond / 1e9 }
    }

    private struct Load: Hashable {
        var connections: Int
        var streams: Int
    }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "HTTP/2, bodies of about 120 bytes; medians of interleaved rounds",
            columns: [
                "comparison", "connections", "streams", "left k/s", "right k/s", "ratio", "ratios by round",
                "left client ns", "right client ns", "client CPU ratio", "left server ns", "right server ns",
                "left busy", "right busy", "load",
            ])
        table.notes = [
            "sink: the simulator that judges nothing; simulator: the one that judges everything, the JSON of bodies included;",
            "nghttpd answers 404 to everything. ns: processor time for one request, without what 1,000 requests take in all.",
            "busy: shares of a core that client and server took; the side near 1 is the limit.",
        ]
        let hasLoad = ChildProcess.isInstalled("h2load")
        let hasServer = ChildProcess.isInstalled("nghttpd")
        if !hasLoad { table.notes.append("h2load is not installed (nghttp2-client): left out") }
        if !hasServer { table.notes.append("nghttpd is not installed (nghttp2-server): left out") }
        let pairs = [
            Pair.oursToSink, .loadToSink, .oursToNghttpd, .loadToNghttpd, .loadToSimulator, .oursToSimulator,
        ].filter { (hasLoad || $0.client == .ours) && (hasServer || $0.server != .nghttpd) }
        let materials = try HTTP2Materials(program: options.program)
        defer { materials.remove() }
        for load in loads {
            let still = try startCosts(of: pairs, under: load, materials)
            var rounds: [Pair: [Round]] = [:]
            for _ in 0..<options.rounds(3) {
                for pair in pairs {
                    let one = try round(pair, under: load, materials, still: still[pair.client] ?? 0)
                    rounds[pair, default: []].append(one)
                }
            }
            for row in rows(rounds, load) { table.add(row) }
        }
        return table
    }

    private var loads: [Load] {
        let all = [4, 16].flatMap { connections in
            [100, 1_000].map { Load(connections: connections, streams: $0) }
        }
        return options.isQuick ? [all[0]] : all
    }

    /// What a client takes for so few requests that only its start and its end count.
    private func startCosts(
        of pairs: [Pair], under load: Load, _ materials: HTTP2Materials
    ) throws -> [Client: Double] {
        var costs: [Client: Double] = [:]
        for client in Set(pairs.map(\.client)) {
            let server = try materials.start(.sink)
            defer { server.process.stop() }
            costs[client] = Double(try run(client, to: server, 1_000, load, materials).processorNs)
        }
        return costs
    }

    private func round(_ pair: Pair, under load: Load, _ materials: HTTP2Materials, still: Double) throws -> Round {
        let count =
            switch (pair.client, pair.server) {
            case (_, .nghttpd): options.size(100_000, quick: 2_000)
            case (.ours, _): options.size(1_000_000, quick: 5_000)
            case (.h2load, _): options.size(200_000, quick: 2_000)
            }
        let server = try materials.start(pair.server)
        defer { server.process.stop() }
        // The first handshakes teach a server its certificates.
        _ = try run(.ours, to: server, 100, Load(connections: 1, streams: 10), materials)
        let before = server.process.processorNs
        let (perSecond, processorNs) = try run(pair.client, to: server, count, load, materials)
        return Round(
            perSecond: perSecond, clientNs: max(0, Double(processorNs) - still) / Double(count),
            serverNs: Double(server.process.processorNs - before) / Double(count))
    }

    private func run(
        _ client: Client, to server: HTTP2Server, _ count: Int, _ load: Load, _ materials: HTTP2Materials
    ) throws -> (perSecond: Double, processorNs: Int64) {
        switch client {
        case .ours:
            let (record, processorNs) = try PushbenchProcess(program: options.program).record(
                profile: materials.profile(
                    notifications: count, connections: load.connections, streams: load.streams, port: server.port,
                    authority: server.authority), words: ["--calibration", "off"])
            let answered = record.ledger.accepted + record.ledger.rejected
            guard answered == Int64(count) else {
                throw BenchmarkFailure("a run is wrong: \(answered) of \(count) requests were answered")
            }
            return (record.throughput.writtenPerSecond ?? .nan, processorNs)
        case .h2load:
            let words = [
                "-n", "\(count)", "-c", "\(load.connections)", "-m", "\(load.streams)",
                "https://127.0.0.1:\(server.port)\(materials.path)",
            ]
            let (output, processorNs) = try ChildProcess.run(
                "h2load", materials.loadOptions + words, log: materials.folder.path + "/h2load")
            guard output.contains("\(count) done,"), output.contains(" 0 errored, 0 timeout"),
                let rate = output.split(separator: ", ").first(where: { $0.hasSuffix(" req/s") }),
                let perSecond = Double(rate.dropLast(6))
            else { throw BenchmarkFailure("h2load: \(output)") }
            return (perSecond, processorNs)
        }
    }

    // MARK: - Rows

    private func rows(_ rounds: [Pair: [Round]], _ load: Load) -> [[ResultTable.Cell]] {
        let comparisons: [(String, Pair, Pair?)] = [
            ("ours ÷ h2load, to the sink", .oursToSink, .loadToSink),
            ("ours ÷ h2load, to nghttpd", .oursToNghttpd, .loadToNghttpd),
            ("simulator ÷ nghttpd, of h2load", .loadToSimulator, .loadToNghttpd),
            ("simulator, of ours", .oursToSimulator, nil),
        ]
        return comparisons.compactMap { name, left, right in
            guard let left = rounds[left] else { return nil }
            return row(name, load, left, right.flatMap { rounds[$0] } ?? [])
        }
    }

    private func row(_ name: String, _ load: Load, _ left: [Round], _ right: [Round]) -> [ResultTable.Cell] {
        let ratios = zip(left, right).map { $0.perSecond / $1.perSecond }
        func middle(_ rounds: [Round], _ figure: (Round) -> Double, _ decimals: Int) -> ResultTable.Cell {
            rounds.isEmpty ? .none : .number(median(rounds.map(figure)), decimals: decimals)
        }
        func busy(_ rounds: [Round]) -> ResultTable.Cell {
            guard !rounds.isEmpty else { return .none }
            let shares = [median(rounds.map(\.clientBusy)), median(rounds.map(\.serverBusy))]
            return .text("client \(decimalText(shares[0], 2)), server \(decimalText(shares[1], 2))")
        }
        let costs = zip(left, right).map { $0.clientNs / $1.clientNs }
        return [
            .text(name), .count(Int64(load.connections)), .count(Int64(load.streams)),
            middle(left, { $0.perSecond / 1_000 }, 0), middle(right, { $0.perSecond / 1_000 }, 0),
            ratios.isEmpty ? .none : .number(median(ratios), decimals: 2),
            .text(ratios.map { decimalText($0, 2) }.joined(separator: " ")), middle(left, \.clientNs, 0),
            middle(right, \.clientNs, 0), costs.isEmpty ? .none : .number(median(costs), decimals: 2),
            middle(left, \.serverNs, 0), middle(right, \.serverNs, 0), busy(left), busy(right),
            .number(Results.load(), decimals: 1),
        ]
    }
}
