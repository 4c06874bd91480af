import Primitives
import Transport

/// Full and resumed TLS 1.3 handshakes, both ends on this machine with one loop each.
struct HandshakeRates {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() async throws -> ResultTable {
        var table = ResultTable(
            "TLS 1.3 handshakes: connect, shake hands, a byte each way, close; 8 in flight, medians",
            columns: ["kind", "per second", "client µs", "server µs", "client busy", "server busy"])
        var rates: [Bool: [HandshakeRate]] = [:]
        for _ in 0..<options.rounds(5) {
            for isResumed in [false, true] {
                let rate = try await HandshakeProbe.measure(
                    connectionCount: options.size(2_000, quick: 30), resuming: isResumed)
                guard rate.failedCount == 0 else { throw BenchmarkFailure("\(rate.failedCount) handshakes failed") }
                rates[isResumed, default: []].append(rate)
            }
        }
        for isResumed in [false, true] {
            let some = rates[isResumed] ?? []
            func middle(_ figure: (HandshakeRate) -> Double) -> Double { median(some.map(figure)) }
            table.add([
                .text(isResumed ? "resumed" : "full"), .number(middle(\.perSecond), decimals: 0),
                .number(middle { $0.microseconds($0.clientProcessorTime) }, decimals: 0),
                .number(middle { $0.microseconds($0.serverProcessorTime) }, decimals: 0),
                .number(middle { $0.clientProcessorTime.seconds / $0.duration.seconds }, decimals: 2),
                .number(middle { $0.serverProcessorTime.seconds / $0.duration.seconds }, decimals: 2),
            ])
        }
        return table
    }
}

extension HandshakeRate {
    fileprivate func microseconds(_ time: Interval) -> Double {
        Double(time.nanoseconds) / 1_000 / Double(max(1, fullCount + resumedCount))
    }
}
