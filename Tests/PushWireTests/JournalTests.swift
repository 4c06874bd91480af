import GatewaySimulator
import Primitives
import PushWire
import Testing

/// What a gateway notes down about single notifications.
@Suite struct JournalTests {
    private static func parts(_ identifier: UInt32, command: UInt8 = 1, isBad: Bool = false) -> Parts {
        Parts(
            command: command, identifier: identifier, hasIdentifier: command != 0, expiry: 0,
            token: [UInt8](repeating: isBad ? 0 : UInt8(truncatingIfNeeded: identifier), count: 32),
            payload: Array("{}".utf8))
    }

    /// Lets one connection receive frames and takes what was noted down.
    private static func receive(_ frames: [[UInt8]], by ledger: GatewayLedger) throws -> (
        entries: [JournalEntry], droppedCount: UInt64
    ) {
        let settings = GatewaySettings()
        let session = GatewaySession(
            settings: settings, judge: NotificationJudge(settings: settings), ledger: ledger,
            pace: GatewayPace(settings: settings), openedAt: .zero)
        frames.flatMap { $0 }.withUnsafeBytes { session.receive($0, now: .zero) }
        return try #require(ledger.journal).take()
    }

    @Test func `each notification is noted down once with what became of it`() throws {
        let ledger = GatewayLedger(journal: NotificationJournal(limit: 100))
        let good = [Self.parts(1), Self.parts(2, command: 2), Self.parts(3, command: 0), Self.parts(1)]
        let frames = (good + [Self.parts(4, isBad: true), Self.parts(5)]).map(\.frame)
        let (entries, droppedCount) = try Self.receive(frames, by: ledger)
        #expect(droppedCount == 0)
        #expect(
            entries.map(\.outcome) == [
                .accepted, .accepted, .accepted, .duplicate, .rejected(.invalidToken), .discarded,
            ])
        #expect(entries.map(\.identifier) == [1, 2, nil, 1, 4, 5])
        #expect(entries.map(\.command) == [1, 2, 0, 1, 1, 1])
        #expect(entries.map(\.token) == (good + [Self.parts(4, isBad: true), Self.parts(5)]).map(\.token))
        #expect(entries.allSatisfy { $0.payloadByteCount == 2 })
        #expect(ledger.journal?.take().entries == [], "they are taken once")
        #expect(ledger.counts.receivedBytes == UInt64(frames.reduce(0) { $0 + $1.count }), "whatever became of them")
    }

    @Test func `a byte that is no command is noted down as a refusal without a token`() throws {
        let ledger = GatewayLedger(journal: NotificationJournal(limit: 100))
        let (entries, _) = try Self.receive([Self.parts(1).frame, Array("GET /".utf8)], by: ledger)
        #expect(entries.map(\.outcome) == [.accepted, .rejected(.protocolError)])
        #expect(entries.last?.command == UInt8(ascii: "G"))
        #expect(entries.last?.token == [] && entries.last?.identifier == nil)
    }

    @Test func `a notification of a wrong form is noted down without what could not be read`() throws {
        let ledger = GatewayLedger(journal: NotificationJournal(limit: 100))
        var long = Self.parts(7)
        long.token = [UInt8](repeating: 1, count: 33)
        let (entries, _) = try Self.receive([long.frame, Self.parts(8).frame], by: ledger)
        #expect(entries.map(\.outcome) == [.rejected(.invalidTokenSize), .discarded])
        #expect(entries.map(\.identifier) == [7, 8])
        #expect(entries[0].token.isEmpty && entries[0].payloadByteCount == nil)
    }

    @Test func `what does not fit is counted and not kept`() throws {
        let ledger = GatewayLedger(journal: NotificationJournal(limit: 3))
        let first = try Self.receive((1...5).map { Self.parts($0).frame }, by: ledger)
        #expect(first.entries.map(\.identifier) == [1, 2, 3])
        #expect(first.droppedCount == 2)
        let second = try Self.receive([Self.parts(6).frame], by: ledger)
        #expect(second.entries.map(\.identifier) == [6], "there is room again")
        #expect(second.droppedCount == 0)
        #expect(ledger.counts.accepted == 6, "the sums know all of them")
    }
}
