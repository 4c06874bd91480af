import Primitives
import SecureChannel
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct ResumptionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let tickets: TLSTickets
        let resumed: Int
        var testDescription: String { "\(tickets)" }
    }

    /// Case C30: 500 connections, and each session is used once.
    @Test(arguments: [
        Row(tickets: .everyHandshake(count: 2), resumed: 499), Row(tickets: .fullHandshakes(count: 1), resumed: 250),
        Row(tickets: .none, resumed: 0),
    ])
    func `sessions are resumed as often as tickets allow`(row: Row) async throws {
        #expect(
            try await resumedCount(tickets: row.tickets, connections: 500, version: .tls13, closing: .abrupt)
                == row.resumed)
    }

    @Test func `TLS 1.2 resumes from tickets, too`() async throws {
        #expect(
            try await resumedCount(
                tickets: .everyHandshake(count: 1), connections: 5, version: .tls12, closing: .abrupt)
                >= 2)
    }

    @Test(arguments: [LinkClosing.reset, .graceful(drain: .seconds(1))])
    func `however a connection ended, its session can be resumed`(closing: LinkClosing) async throws {
        let count = try await resumedCount(
            tickets: .everyHandshake(count: 1), connections: 5, version: .tls13, closing: closing)
        #expect(count == 4)
    }

    /// Makes connections one after the other; each reads a byte, and offers the session taken from the last one's end.
    private func resumedCount(
        tickets: TLSTickets, connections: Int, version: TLSVersion, closing: LinkClosing
    ) async throws -> Int {
        let bench = try Bench(tickets: tickets, clientVersions: version...version)
        let listener = try bench.listen { $0.sends([1]) }
        var session: TLSSession?
        var resumed = 0
        for _ in 0..<connections {
            let next = Signal<TLSSession?>()
            let link = bench.connect(to: listener.address, resuming: session) { handler in
                handler.onReceive = { link, _ in link.close(closing) }
                handler.onEnd = { link, _ in next.give(link.takeSession()) }
            }
            if try await link.opened.wait().tls.isResumed { resumed += 1 }
            session = try await next.wait()
        }
        await bench.shutDown()
        return resumed
    }
}
