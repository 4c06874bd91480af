import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// Every kind of refusal in every form and place: protocol × status × way of closing × pieces of the reply × position.
///
/// In each cell both books must tell the same story: nothing lost, nothing accepted twice, and where the reply never came, nothing
/// claimed that the gateway's book does not confirm.
@Suite struct FaultMatrixTests {
    /// The protocols of the matrix, each with what it changes; one that is added here runs through every cell.
    enum WireProtocol: String, CaseIterable, Sendable {
        case enhanced, framed, simple
        /// Command 0 whose refusals are not even answered.
        case unansweredSimple

        var command: NotificationCommand {
            switch self {
            case .enhanced: .enhanced
            case .framed: .framed(priority: 10)
            case .simple, .unansweredSimple: .simple
            }
        }
    }

    /// How the reply leaves.
    enum Delivery: CaseIterable {
        case whole, halves, bytes, late, withheld

        var effect: GatewayFault.Effect? {
            switch self {
            case .whole: nil
            case .halves: .replySplit([2, 4], pause: .milliseconds(3))
            case .bytes: .replySplit([1, 1, 1, 1, 1, 1], pause: .zero)
            case .late: .replyDelay(.until(20, limit: .milliseconds(400)))
            case .withheld: .replyWithheld
            }
        }
    }

    private struct Cell: CustomStringConvertible {
        let wire: WireProtocol
        let status: UInt8
        let mode: CloseMode
        let delivery: Delivery
        let position: UInt32

        var description: String { "\(wire), status \(status), \(mode), \(delivery), at \(position), seed 7" }
        var mayLoseReply: Bool { delivery == .withheld || mode == .abrupt || mode == .reset }
    }

    private static let notifications: UInt64 = 60
    private static let statuses: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255]
    /// The first, in the middle of a batch, the last of a batch, the last of all.
    private static let positions: [UInt32] = [1, 17, 40, 60]

    @Test(arguments: WireProtocol.allCases, statuses)
    func `both books agree in every cell`(wire: WireProtocol, status: UInt8) throws {
        let source = try Bench(notifications: Self.notifications).source()
        for mode in CloseMode.allCases {
            for delivery in Delivery.allCases {
                for position in Self.positions {
                    let cell = Cell(wire: wire, status: status, mode: mode, delivery: delivery, position: position)
                    try Self.check(cell, source)
                }
            }
        }
    }

    @Test func `a cell runs the same way twice`() throws {
        let cell = Cell(wire: .enhanced, status: 7, mode: .abrupt, delivery: .halves, position: 100)
        let (first, second) = (try Self.bench(cell).run(), try Self.bench(cell).run())
        #expect(first.events == second.events)
        #expect(first.gatewayLedger.counts == second.gatewayLedger.counts)
    }

    private static func bench(_ cell: Cell) -> Bench {
        var bench = Bench(notifications: notifications)
        bench.plan.command = cell.wire.command
        bench.gateway.simpleRefusal = cell.wire == .unansweredSimple ? .silentClose : .reply
        bench.plan.batch.notifications = 20
        bench.plan.reconnect.base = .milliseconds(1)
        if cell.status == 10 {
            bench.gateway.faults.add(.shutdown, when: .after(UInt64(cell.position)))
        } else {
            bench.gateway.faults.add(
                .status(ErrorStatus(rawValue: cell.status)), when: .after(UInt64(cell.position)))
        }
        // Only the first reply is spoilt, so that the sentinel can still prove the rest.
        bench.gateway.faults.add(.replyClose(cell.mode), when: .after(1))
        if let effect = cell.delivery.effect { bench.gateway.faults.add(effect, when: .after(1)) }
        return bench
    }

    private static func check(_ cell: Cell, _ source: NotificationSource) throws {
        var bench = bench(cell)
        bench.sharedSource = source
        let world = try bench.run()
        let book = world.gatewayLedger
        #expect(world.isFinished, "\(cell)")
        guard cell.wire.command.hasIdentifier else { return checkAnonymous(world, cell) }
        #expect(book.counts.duplicates == 0, "\(cell)")
        #expect(world.count(.lost) == 0 && world.count(.unsent) == 0, "\(cell)")
        #expect(book.counts.rejected + book.counts.shutdowns == 1, "\(cell)")
        expectAgreement(world, cell)
        guard world.errorReplies.contains(where: { $0.reply.identifier == cell.position }) else {
            #expect(cell.mayLoseReply, "\(cell): the reply must arrive")
            #expect(world.count(.rejected) == 0, "\(cell)")
            #expect(world.count(.unknown) >= UInt64(cell.position), "\(cell): nothing proves what came before")
            return
        }
        #expect(cell.delivery != .withheld, "\(cell)")
        // A status that says "no error" leaves the fate of the one it names open.
        let open: UInt64 = cell.status == 0 ? 1 : 0
        #expect(world.count(.unknown) == open, "\(cell)")
        #expect(world.count(.rejected) == (cell.status == 10 || cell.status == 0 ? 0 : 1), "\(cell)")
        #expect(book.counts.accepted == notifications - (cell.status == 10 ? 0 : 1), "\(cell)")
    }

    /// Without identifiers nothing can be proved, and nothing is claimed.
    private static func checkAnonymous(_ world: SimulatedWorld, _ cell: Cell) {
        let counts = world.gatewayLedger.counts
        #expect(world.count(.accepted) == 0 && world.count(.rejected) == 0, "\(cell)")
        #expect(world.count(.unknown) == notifications, "\(cell)")
        #expect(counts.rejectedWithoutIdentifier + counts.shutdowns == 1, "\(cell)")
        #expect(counts.acceptedWithoutIdentifier <= notifications, "\(cell)")
        #expect(counts.accepted == counts.simple, "\(cell)")
    }

    /// By identifier: what the sender calls accepted was accepted, what it calls rejected was not, and the rest is told by the book.
    private static func expectAgreement(_ world: SimulatedWorld, _ cell: Cell) {
        let claimed = sequences(.accepted, world)
        let rejected = sequences(.rejected, world)
        let wrong = claimed.filter { !world.gatewayLedger.wasAccepted(UInt32($0 + 1)) }
        let contradicted = rejected.filter { world.gatewayLedger.wasAccepted(UInt32($0 + 1)) }
        #expect(wrong.isEmpty, "\(cell): claimed")
        #expect(contradicted.isEmpty, "\(cell): rejected and accepted")
    }

    private static func sequences(_ fate: Fate, _ world: SimulatedWorld) -> [UInt64] {
        (world.ledger.fates[fate]?.runs ?? []).flatMap { $0.start..<$0.end }
    }
}
