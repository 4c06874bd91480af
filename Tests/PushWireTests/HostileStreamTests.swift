import GatewaySimulator
import Primitives
import PushWire
import Testing

/// What a provider can send to a gateway session: it earns at most one reply, and little of it is kept.
@Suite struct HostileStreamTests {
    /// A session, and all that it did.
    private final class Bench {
        let ledger = GatewayLedger(trackedCount: 1_000)
        let session: GatewaySession
        var reply: [UInt8] = []
        var closings: [CloseMode] = []
        var mostKept = 0

        init(_ change: (inout GatewaySettings) -> Void = { _ in }) {
            var settings = GatewaySettings()
            settings.judgesJSON = false
            settings.payloadLimit = 256
            change(&settings)
            session = GatewaySession(
                settings: settings, judge: NotificationJudge(settings: settings), ledger: ledger,
                pace: GatewayPace(settings: settings), openedAt: .zero)
        }

        func receive(_ bytes: ArraySlice<UInt8>, now: Instant = .zero) {
            Array(bytes).withUnsafeBytes { session.receive($0, now: now) }
            mostKept = max(mostKept, session.unfinishedByteCount)
            act(now)
        }

        func act(_ now: Instant) {
            while let action = session.takeAction() {
                switch action {
                case .fill:
                    var buffer = [UInt8](repeating: 0, count: 64)
                    let count = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: now) }
                    reply += buffer[..<count]
                case .close(let mode): closings.append(mode)
                case .pause, .hold, .resume, .swallow: break
                }
            }
        }
    }

    private static func frame(_ identifier: UInt32, token: Int = 32, payload: Int = 20) -> [UInt8] {
        Parts(
            identifier: identifier, expiry: 0, token: [UInt8](repeating: 0xAB, count: token),
            payload: [UInt8](repeating: 0x20, count: payload)
        ).frame
    }

    @Test func `a token of 65,535 bytes is refused before it is kept`() {
        let bench = Bench()
        bench.receive(Self.frame(1)[...])
        bench.receive(Self.frame(2, token: 65_535).prefix(11))
        #expect(bench.reply == [8, 5, 0, 0, 0, 2])
        #expect(bench.closings == [.graceful])
        #expect(bench.ledger.counts.accepted == 1)
        #expect(bench.mostKept <= 11)
    }

    @Test func `a payload of 65,535 bytes is refused before it is kept`() {
        let bench = Bench()
        bench.receive(Self.frame(2, payload: 65_535).prefix(45))
        #expect(bench.reply == [8, 7, 0, 0, 0, 2])
        #expect(bench.closings == [.graceful])
        #expect(bench.mostKept <= 45)
    }

    @Test(arguments: [GatewaySettings.UnknownCommand.protocolError, .silentClose])
    func `an unknown command earns what the settings say`(answer: GatewaySettings.UnknownCommand) {
        let bench = Bench { $0.unknownCommand = answer }
        bench.receive([0x47, 0x45, 0x54])
        #expect(bench.reply == (answer == .protocolError ? [8, 128, 0, 0, 0, 0] : []))
        #expect(bench.closings == [.graceful])
        for _ in 0..<100 { bench.receive([UInt8](repeating: 1, count: 10_000)[...]) }
        #expect(bench.mostKept == 0)
        #expect(bench.closings == [.graceful], "it closes once")
    }

    @Test func `half a notification at the end of a connection is counted as nothing else`() {
        let frame = Self.frame(1)
        for cut in 1..<frame.count {
            let bench = Bench()
            bench.receive(frame.prefix(cut))
            bench.session.connectionEnded()
            #expect(bench.ledger.counts.partialNotifications == 1, "cut at \(cut)")
            #expect(bench.ledger.counts.receivedBytes == UInt64(cut))
            #expect(bench.ledger.counts.accepted + bench.ledger.counts.rejected == 0)
            #expect(bench.reply.isEmpty)
        }
    }

    @Test func `behind a refused one everything is counted as discarded until the reply, however long its frames`() {
        let bench = Bench { $0.faults.add(.replyDelay(.constant(.seconds(1)))) }
        bench.receive(Self.frame(1, token: 0)[...])
        let stream = (0..<40).flatMap { Self.frame(2 + $0, token: 65_535, payload: 65_535) }
        for start in stride(from: 0, to: stream.count, by: 60_000) { bench.receive(stream[start...].prefix(60_000)) }
        #expect(bench.ledger.counts.discarded == 40)
        #expect(bench.mostKept < 131_099)
        #expect(bench.reply.isEmpty)
        let due = Instant.zero + .seconds(1)
        #expect(bench.session.deadline == due)
        bench.session.timerFired(now: due)
        bench.act(due)
        #expect(bench.reply == [8, 2, 0, 0, 0, 1])
        #expect(bench.closings == [.graceful])
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `any stream earns at most one reply and one close`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bench = Bench { $0.faults.add(.replyDelay(.constant(.milliseconds(Int64(random.below(3)))))) }
        var stream: [UInt8] = []
        for number in 0..<30 as Range<UInt32> {
            switch random.below(8) {
            case 6:
                stream +=
                    Parts(command: 0, identifier: 0, expiry: 0, token: Array(repeating: 1, count: 32), payload: [1])
                    .frame
            case 7: stream += framed([(3, bigEndian(Int(number), 4)), (UInt8(random.below(7)), [1, 2, 3, 4])])
            case 0: stream += Parts.bytes(Int(random.below(60)), from: &random)
            case 1: stream += Self.frame(number + 1, token: Int(random.below(40)))
            case 2: stream += Self.frame(number + 1, payload: Int(random.below(600)))
            default: stream += Self.frame(number + 1)
            }
        }
        var now = Instant.zero
        for piece in randomPieces(of: stream, longest: 1 + random.below(3_000), random: &random) {
            now = now + .microseconds(Int64(random.below(1_000)))
            bench.receive(piece, now: now)
            if let deadline = bench.session.deadline, deadline <= now {
                bench.session.timerFired(now: now)
                bench.act(now)
            }
        }
        bench.session.connectionEnded()
        #expect([0, 6].contains(bench.reply.count), "seed \(seed)")
        #expect(bench.closings.count <= 1, "seed \(seed)")
        #expect(bench.closings.count == 1 || bench.reply.isEmpty, "seed \(seed)")
        #expect(bench.mostKept < 131_099, "seed \(seed)")
        let counts = bench.ledger.counts
        let refused = counts.rejected + counts.untrackedRejections + counts.rejectedWithoutIdentifier
        #expect(counts.accepted + refused + counts.discarded <= 120, "seed \(seed)")
        #expect(refused + counts.unknownCommands <= 1, "seed \(seed)")
    }
}
