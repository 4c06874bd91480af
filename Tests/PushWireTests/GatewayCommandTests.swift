import GatewaySimulator
import Primitives
import PushWire
import Testing

/// What a gateway session answers to notifications of each command, and how its book counts those without identifiers.
@Suite struct GatewayCommandTests {
    /// What a stream earned.
    private struct Answer {
        var reply: [UInt8] = []
        var closings = 0
        var counts = GatewayCounts()
    }

    private func answer(to stream: [UInt8], _ change: (inout GatewaySettings) -> Void = { _ in }) -> Answer {
        var settings = GatewaySettings()
        settings.judgesJSON = false
        change(&settings)
        let ledger = GatewayLedger(trackedCount: 1_000)
        let session = GatewaySession(
            settings: settings, judge: NotificationJudge(settings: settings, start: .zero), ledger: ledger,
            pace: GatewayPace(settings: settings))
        var answer = Answer()
        stream.withUnsafeBytes { session.receive($0, now: .zero) }
        while let action = session.takeAction() {
            switch action {
            case .fill:
                var buffer = [UInt8](repeating: 0, count: 64)
                let count = buffer.withUnsafeMutableBytes { session.fill(into: $0, now: .zero) }
                answer.reply += buffer[..<count]
            case .close: answer.closings += 1
            default: break
            }
        }
        answer.counts = ledger.counts
        return answer
    }

    private static let token = [UInt8](repeating: 0xAB, count: 32)
    private static let zeros = [UInt8](repeating: 0, count: 32)

    private func frame(_ command: UInt8, _ identifier: UInt32, token: [UInt8] = token, priority: UInt8 = 10) -> [UInt8]
    {
        Parts(
            command: command, identifier: identifier, expiry: 0, priority: priority, token: token,
            payload: [0x7B, 0x7D]
        ).frame
    }

    @Test func `all commands on one stream are accepted and counted apart`() {
        let stream =
            frame(1, 1) + frame(0, 0) + frame(2, 2) + frame(2, 3, priority: 5)
            + framed([(2, [0x7B, 0x7D]), (1, Self.token)])
        let answer = answer(to: stream)
        #expect(answer.reply.isEmpty && answer.closings == 0)
        #expect(answer.counts.accepted == 5)
        #expect(answer.counts.acceptedWithoutIdentifier == 2, "a command 2 may leave it out, too")
        #expect([answer.counts.simple, answer.counts.enhanced, answer.counts.framed] == [1, 1, 3])
        #expect(answer.counts.powerSaving == 1)
        #expect(answer.counts.untracked == 0)
        #expect(answer.counts.duplicates == 0, "what carries no identifier repeats none")
    }

    @Test func `a bad command 0 among others closes without a reply`() {
        let answer = answer(to: frame(1, 1) + frame(0, 0, token: Self.zeros) + frame(1, 2))
        #expect(answer.reply.isEmpty)
        #expect(answer.closings == 1)
        #expect(answer.counts.accepted == 1)
        #expect(answer.counts.rejectionsWithoutIdentifier[8] == 1)
        #expect(answer.counts.rejected == 0 && answer.counts.untrackedRejections == 0)
        #expect(answer.counts.discarded == 1)
    }

    @Test func `a command 0 of a wrong form closes without a reply, too, and is not counted as discarded`() {
        let answer = answer(to: frame(0, 0, token: []) + frame(1, 2))
        #expect(answer.reply.isEmpty && answer.closings == 1)
        #expect(answer.counts.rejectionsWithoutIdentifier[2] == 1)
        #expect(answer.counts.discarded == 1)
    }

    @Test func `by setting a bad command 0 is answered with identifier 0`() {
        let answer = answer(to: frame(0, 0, token: Self.zeros)) { $0.simpleRefusal = .reply }
        #expect(answer.reply == [8, 8, 0, 0, 0, 0])
        #expect(answer.closings == 1)
    }

    @Test func `a bad command 2 is answered with its identifier, wherever that stands`() {
        let items: [(id: UInt8, data: [UInt8])] = [(1, Self.zeros), (2, [0x7B, 0x7D]), (3, [0, 0, 0, 9])]
        #expect(answer(to: framed(items)).reply == [8, 8, 0, 0, 0, 9])
        #expect(answer(to: framed(items.reversed())).reply == [8, 8, 0, 0, 0, 9])
        #expect(answer(to: framed([items[0], items[1]])).reply == [8, 8, 0, 0, 0, 0], "without one it is 0")
    }

    @Test func `C11 an empty token before the identifier is answered with status 2 and identifier 0`() {
        let items: [(id: UInt8, data: [UInt8])] = [(1, []), (2, [0x7B, 0x7D]), (3, [0, 0, 0, 9])]
        let answer = answer(to: framed(items) + frame(2, 10))
        #expect(answer.reply == [8, 2, 0, 0, 0, 0])
        #expect(answer.counts.rejectedWithoutIdentifier == 1)
        #expect(answer.counts.discarded == 1)
    }

    @Test(arguments: [GatewaySettings.UnknownCommand.protocolError, .silentClose])
    func `an unknown command is no notification`(switch setting: GatewaySettings.UnknownCommand) {
        let answer = answer(to: frame(2, 1) + [3, 0, 0]) { $0.unknownCommand = setting }
        #expect(answer.reply == (setting == .protocolError ? [8, 128, 0, 0, 0, 0] : []))
        #expect(answer.closings == 1)
        #expect(answer.counts.accepted == 1)
        #expect(answer.counts.unknownCommands == 1)
        #expect(answer.counts.rejectedWithoutIdentifier + answer.counts.untrackedRejections == 0)
    }

    @Test(arguments: [UInt8(0), 1, 2], [1, 31, 33, 100])
    func `C37 variable tokens are judged without being opened`(command: UInt8, tokenBytes: Int) {
        let stream = frame(command, 1, token: [UInt8](repeating: 7, count: tokenBytes))
        let variable = answer(to: stream) {
            $0.tokenBytes = GatewaySettings.variableTokenBytes
            $0.tokenSeed = 1
        }
        #expect(variable.counts.foreign == 1 && variable.reply.isEmpty)
        let strict = answer(to: stream) { $0.tokenSeed = 1 }
        #expect(strict.counts.accepted == 0)
        #expect(strict.reply == (command == 0 ? [] : [8, 5, 0, 0, 0, 1]))
    }
}
