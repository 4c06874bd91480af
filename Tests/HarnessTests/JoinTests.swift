import Primitives
import PushWire
import RunRecords
import Testing

@testable import Harness
@testable import ProviderSessions

/// What the two sides' books say together.
@Suite struct LedgerJoinTests {
    private let join = LedgerJoin(accepted: [0, 10, 20, 30], refused: [10, 11, 40, 43])

    @Test func `a notification is what the simulator's book calls it, and lost if it is not there`() {
        #expect([0, 9, 20, 29].map(join.fate) == [.accepted, .accepted, .accepted, .accepted])
        #expect([10, 40, 42].map(join.fate) == [.rejected, .rejected, .rejected])
        #expect([11, 19, 30, 43, 1_000].map(join.fate) == [.lost, .lost, .lost, .lost, .lost])
    }

    @Test func `a rejection that the simulator knows nothing of is found`() {
        #expect(join.unfoundRejections(in: [SequenceRun(start: 40, count: 3), SequenceRun(start: 10, count: 1)]) == 0)
        #expect(join.unfoundRejections(in: [SequenceRun(start: 41, count: 4)]) == 2)
        #expect(join.unfoundRejections(in: []) == 0)
    }
}

@Suite struct EndlessFileTests {
    @Test func `a file without an end is refused`() {
        #expect(throws: HarnessError.invalidInput("/dev/zero: more than 1 MiB are not read")) {
            try readFile("/dev/zero", limit: 1 << 20)
        }
    }

    @Test func `a file of just the most bytes is read`() throws {
        let file = try readFile("/proc/self/exe", limit: 1 << 30)
        #expect(try readFile("/proc/self/exe", limit: file.count) == file)
    }
}

@Suite struct AttemptReasonTests {
    @Test func `a connection that ends with a misplaced reply was not closed without a word`() {
        var outcome = RunOutcome()
        for _ in 0..<3 {
            outcome.sender.ledger.record(.unplacedReply(ErrorReply(status: .invalidToken, identifier: 9), at: .zero))
            outcome.sender.ledger.record(.connectionLost(.closedByPeer, unproven: 1, at: .zero))
        }
        let verdict = VerdictRecord(of: outcome, profile: Profile())
        #expect(verdict.reasons == ["3 × a reply that names nothing written on its connection"])
    }
}

@Suite struct ReconnectJoinTests {
    private static func trace(_ port: UInt16, _ opened: Int64, accepted: Int64?, ended: Int64?) -> ConnectionTrace {
        var trace = ConnectionTrace(port: port, openedNs: opened)
        trace.firstAcceptedNs = accepted
        trace.endSentNs = ended
        return trace
    }

    private static func reconnect(_ from: (UInt16, Int64), _ to: (UInt16, Int64), endSeen: Int64) -> Reconnect {
        Reconnect(
            slot: 0, cause: .end(.reset), endSeenAt: Instant(nanoseconds: endSeen),
            predecessor: ConnectionKey(port: from.0, since: Instant(nanoseconds: from.1)),
            successor: ConnectionKey(port: to.0, since: Instant(nanoseconds: to.1)),
            openedAt: Instant(nanoseconds: to.1 + 20),
            facts: ConnectionFacts(tcp: Interval(nanoseconds: 10), tls: Interval(nanoseconds: 10), isResumed: true),
            writtenAt: Instant(nanoseconds: to.1 + 25), inFlight: 0, resent: 0)
    }

    private let join = ReconnectJoin([
        trace(500, 1_000, accepted: 1_010, ended: 2_000), trace(501, 2_100, accepted: nil, ended: 3_000),
        trace(500, 3_100, accepted: 3_150, ended: nil),
    ])

    @Test func `an end and a first acceptance are found by port and time`() {
        let first = Self.reconnect((500, 950), (501, 2_050), endSeen: 2_030)
        #expect(join.detection(of: first) == Interval(nanoseconds: 30))
        #expect(join.firstAcceptance(after: first) == nil, "nothing was accepted on it")
        let second = Self.reconnect((501, 2_050), (500, 3_050), endSeen: 3_007)
        #expect(join.detection(of: second) == Interval(nanoseconds: 7))
        #expect(
            join.firstAcceptance(after: second) == Interval(nanoseconds: 143), "a port that is used again is told apart"
        )
    }

    @Test func `what is not known is not made up`() {
        let foreign = Self.reconnect((7, 0), (8, 10), endSeen: 5)
        #expect(join.detection(of: foreign) == nil)
        #expect(join.firstAcceptance(after: foreign) == nil)
        let ownEnd = Self.reconnect((500, 3_050), (501, 9_000), endSeen: 8_000)
        #expect(join.detection(of: ownEnd) == nil, "the gateway did not end it")
        let unknown = Self.reconnect((0, 0), (0, 0), endSeen: 5)
        #expect(join.detection(of: unknown) == nil)
        let early = Self.reconnect((500, 950), (501, 2_050), endSeen: 1_990)
        #expect(join.detection(of: early) == nil, "an end cannot be seen before it was sent")
    }

    @Test func `C28 where the gateway fell silent, detection counts from the write that was given up`() {
        var silent = Self.reconnect((500, 3_050), (501, 9_000), endSeen: 8_000)
        silent.silentSince = Instant(nanoseconds: 6_500)
        #expect(join.detection(of: silent) == Interval(nanoseconds: 1_500))
    }
}
