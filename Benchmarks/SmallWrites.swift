import Primitives
import SecureChannel
import Transport

/// Two small writes and their answer, with and without TCP_NODELAY on both ends: what Nagle's algorithm costs (C22).
struct SmallWrites {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() async throws -> ResultTable {
        var table = ResultTable(
            "small writes: two of one byte each, answered by one byte, over TLS on loopback",
            columns: ["TCP_NODELAY", "rounds", "p50 µs", "p90 µs", "max µs"])
        for isOn in [true, false] {
            let times = try await roundTimes(sendsAtOnce: isOn).sorted()
            func microseconds(_ share: Double) -> ResultTable.Cell {
                .number(Double(times[Int(Double(times.count - 1) * share)].nanoseconds) / 1_000, decimals: 0)
            }
            table.add([
                .text(isOn ? "on" : "off"), .count(Int64(times.count)), microseconds(0.5), microseconds(0.9),
                microseconds(1),
            ])
        }
        table.notes.append(
            "off: the second write waits for the acknowledgement of the first, which Linux delays by 40 ms")
        return table
    }

    private func roundTimes(sendsAtOnce: Bool) async throws -> [Interval] {
        let authority = try CertificateAuthority()
        let server = try TLSContext(server: TLSServerOptions(identity: try authority.issue(.server)))
        let client = try TLSContext(client: TLSClientOptions(trust: .authorities(pem: authority.certificatePEM)))
        let loop = try EventLoop(label: "benchmarks.writes.client")
        let serverLoop = try EventLoop(label: "benchmarks.writes.server")
        var listening = ListenerOptions()
        listening.link.sendsAtOnce = sendsAtOnce
        let listener = try Listener(context: server, loops: [serverLoop], options: listening) { _ in Answerer() }
        let address = listener.address
        let link = listening.link
        let rounds = options.size(200, quick: 3)
        let times: [Interval] = await withCheckedContinuation { waiter in
            loop.enqueue { core in
                _ = core.connect(
                    to: address, context: client, serverName: "localhost", options: link,
                    handler: Asker(rounds: rounds, waiter: waiter))
            }
        }
        await loop.shutDownAndWait()
        await serverLoop.shutDownAndWait()
        guard times.count == rounds else { throw BenchmarkFailure("the connection ended after \(times.count) rounds") }
        return times
    }
}

/// Writes two bytes in two batches, waits for the answer, and begins again.
private final class Asker: LinkHandler {
    private let rounds: Int
    private let waiter: CheckedContinuation<[Interval], Never>
    private var times: [Interval] = []
    private var owed = 0
    private var start = Instant.zero

    init(rounds: Int, waiter: CheckedContinuation<[Interval], Never>) {
        self.rounds = rounds
        self.waiter = waiter
    }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) { ask(link) }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        guard owed > 0 else { return 0 }
        owed -= 1
        buffer[0] = 0
        return 1
    }

    func link(_ link: Link, flushedAt now: Instant) { if owed > 0 { link.requestFill() } }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        times.append(MonotonicClock.now() - start)
        if times.count < rounds { ask(link) } else { link.close(.reset) }
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) { waiter.resume(returning: times) }

    private func ask(_ link: Link) {
        owed = 2
        start = MonotonicClock.now()
        link.requestFill()
    }
}

/// Answers every second byte with one.
private final class Answerer: LinkHandler {
    private var heard = 0
    private var owed = 0

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {}

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        heard += bytes.count
        guard heard >= 2 else { return }
        heard -= 2
        owed = 1
        link.requestFill()
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        defer { owed = 0 }
        if owed > 0 { buffer[0] = 0 }
        return owed
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {}
}
