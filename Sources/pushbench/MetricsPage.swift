import Foundation
import Glibc
import Harness
import Primitives
import Reports
import RunRecords
import Synchronization
import Transport

/// What `--metrics` and its companions ask for.
struct MetricsOptions {
    /// Where the page is served.
    let address: SocketAddress
    /// For how long the result is served when the run is over.
    let linger: Interval

    /// Reads the options; nil without `--metrics`.
    ///
    /// - Throws: ``UsageError`` saying what is accepted.
    init?(_ parsed: ParsedCommand) throws {
        guard let text = parsed.last("metrics") else {
            for name in ["metrics-linger", "expose-metrics"] where parsed.has(name) {
                throw UsageError(description: "--\(name) goes with --metrics only")
            }
            return nil
        }
        linger = try parsed.last("metrics-linger").map { try Interval(text: $0) } ?? .zero
        address = try Self.address(text, isExposed: parsed.has("expose-metrics"))
    }

    /// The same options as words of a command line.
    static func words(_ parsed: ParsedCommand) -> [String] {
        let values = ["metrics", "metrics-linger"].flatMap { name in parsed.last(name).map { ["--\(name)", $0] } ?? [] }
        return values + (parsed.has("expose-metrics") ? ["--expose-metrics"] : [])
    }

    /// Reads `[HOST:]PORT`; without a host it is this machine's loopback.
    private static func address(_ text: String, isExposed: Bool) throws -> SocketAddress {
        let colon = text.lastIndex(of: ":")
        let host = colon.map { String(text[..<$0]).trimmingCharacters(in: ["[", "]"]) } ?? "127.0.0.1"
        guard let port = UInt16(colon.map { text[text.index(after: $0)...] } ?? text[...]), !host.isEmpty else {
            throw UsageError(description: "--metrics \(text): [HOST:]PORT is accepted, with a port from 0 to 65535")
        }
        let found: SocketAddress?
        do throws(TransportError) { found = try SocketAddress.resolve(host: host, port: port).first } catch {
            throw UsageError(description: "--metrics \(text): \(error)")
        }
        guard let found, found.isLoopback || isExposed else {
            throw UsageError(
                description: "--metrics \(text): other machines would reach it; add --expose-metrics to allow that")
        }
        return found
    }
}

/// The state of a run as a page that Prometheus scrapes. It knows what live progress knows, and asks no event loop for anything.
final class MetricsPage: Sendable {
    private let board: Board
    private let server: PageServer
    private let linger: Interval

    /// What the page shows, and what it was last written as.
    private final class Board: Sendable {
        private struct State {
            var live: LiveMetrics
            var ended: RunRecord?
            var version = 0
            var texts: [MetricDialect: (version: Int, bytes: [UInt8])] = [:]
        }

        private let state: Mutex<State>

        init(_ live: LiveMetrics) { state = Mutex(State(live: live)) }

        func take(_ progress: RunProgress) {
            state.withLock { state in
                state.live.take(progress)
                state.version += 1
            }
        }

        func conclude(_ record: RunRecord) {
            state.withLock { state in
                state.ended = record
                state.version += 1
            }
        }

        func bytes(_ dialect: MetricDialect) -> [UInt8] {
            let (live, ended, version, known) = state.withLock { state in
                (state.live, state.ended, state.version, state.texts[dialect])
            }
            if let known, known.version == version { return known.bytes }
            // Written outside the lock, for which the run would have to wait.
            let bytes = Array((ended.map { LiveMetrics.text(of: $0, dialect) } ?? live.text(dialect)).utf8)
            state.withLock { $0.texts[dialect] = (version, bytes) }
            return bytes
        }
    }

    /// Starts to serve, and tells where.
    ///
    /// - Throws: ``UsageError`` when the address cannot be listened on.
    init(_ options: MetricsOptions, draft: RunRecord, warmup: Interval) throws {
        let board = Board(LiveMetrics(draft: draft, warmup: warmup))
        self.board = board
        linger = options.linger
        do throws(TransportError) {
            server = try PageServer(on: options.address) { request in
                guard request.path == "/metrics" else {
                    return PageResponse(status: 404, line: "the metrics are at /metrics")
                }
                // Whoever does not ask for the newer text gets the one that every reader knows.
                let dialect =
                    request.names("application/openmetrics-text") ? MetricDialect.openMetrics : .prometheus
                return PageResponse(contentType: dialect.mediaType, body: board.bytes(dialect))
            }
        } catch {
            throw UsageError(description: "--metrics: cannot listen on \(options.address): \(error)")
        }
        Terminal.complain("metrics at http://\(server.address)/metrics")
    }

    /// Takes the newest state of the run.
    func take(_ progress: RunProgress) { board.take(progress) }

    /// Shows the result until the time for that is over or the user ends it.
    func linger(over record: RunRecord, interrupts: Interrupts) async {
        board.conclude(record)
        // Who has stopped the run does not wait for its page.
        let end = MonotonicClock.now() + (record.verdict.status == .interrupted ? .zero : linger)
        let before = interrupts.value
        while MonotonicClock.now() < end, interrupts.value == before {  // bounded by the time that was asked for
            try? await Task.sleep(nanoseconds: 20_000_000)
        }
        server.close()
    }
}
