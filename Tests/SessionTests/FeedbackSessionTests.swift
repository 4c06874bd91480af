import GatewaySimulator
import Primitives
import PushWire
import Testing

/// The feedback service's side of a connection under a manual clock.
@Suite struct FeedbackSessionTests {
    /// Drives a session as a connection would, and writes down what it does.
    private final class Driver {
        let session: FeedbackSession
        var now = Instant.zero + .seconds(1)
        /// Each piece, and when it was written.
        var pieces: [(bytes: [UInt8], at: Interval)] = []
        var closed: GatewaySettings.CloseMode?
        var closedAt: Interval?
        /// The client's machine acknowledges nothing before then.
        var acknowledgesAt = Instant.zero
        /// The client takes nothing from this piece on.
        var stalledFrom = Int.max

        init(_ settings: FeedbackSettings) { session = FeedbackSession(settings: settings) }

        var bytes: [UInt8] { pieces.flatMap(\.bytes) }

        func run(_ list: FeedbackList) {
            session.begin(with: list, now: now)
            // Ends with the session; every round but the last writes, checks or waits.
            for _ in 0..<100_000 where closed == nil {
                settle()
                guard closed == nil, let deadline = session.deadline else { return }
                now = max(now, deadline)
                session.timerFired(now: now)
            }
        }

        private func settle() {
            while closed == nil, let action = session.takeAction() {
                switch action {
                case .fill: write()
                case .checkAcknowledgement: session.acknowledged(now >= acknowledgesAt, now: now)
                case .close(let mode):
                    closed = mode
                    closedAt = now - (.zero + .seconds(1))
                    session.connectionEnded()
                }
            }
        }

        private func write() {
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = session.fill(into: UnsafeMutableRawBufferPointer(buffer), now: now)
            }
            guard !piece.isEmpty else { return }
            pieces.append((piece, now - (.zero + .seconds(1))))
            if pieces.count <= stalledFrom { session.flushed(now: now) }
        }
    }

    private static func list(_ count: UInt64) -> FeedbackList {
        var list = FeedbackList()
        for token in 0..<count { list.note(token, at: UInt32(1_000 + token)) }
        return list
    }

    private static func run(
        _ count: UInt64, _ settings: FeedbackSettings = FeedbackSettings(), _ change: (Driver) -> Void = { _ in }
    ) -> Driver {
        let driver = Driver(settings)
        change(driver)
        driver.run(list(count))
        return driver
    }

    @Test func `an empty list closes at once and in order`() {
        let driver = Self.run(0)
        #expect(driver.pieces.isEmpty)
        #expect(driver.closed == .graceful)
        #expect(driver.closedAt == .zero)
        #expect(driver.session.isDelivered)
    }

    @Test func `an empty list may keep its connection for a while`() {
        var settings = FeedbackSettings()
        settings.emptyDelay = .seconds(1)
        #expect(Self.run(0, settings).closedAt == .seconds(1))
        #expect(Self.run(3, settings).closedAt == .zero, "there is something to tell")
    }

    @Test(arguments: [1, 2, 3_000, 10_000] as [UInt64])
    func `a list is written whole and then the connection closes in order`(count: UInt64) {
        let driver = Self.run(count)
        #expect(driver.bytes == Self.list(count).bytes)
        #expect(driver.closed == .graceful)
        #expect(driver.session.isDelivered)
    }

    @Test(arguments: [[1], [7], [38], [37, 1], [1, 2, 3], [1_000], [5, 100_000]])
    func `pieces have the given sizes, in turn`(split: [Int]) {
        var settings = FeedbackSettings()
        settings.split = split
        let driver = Self.run(30, settings)
        #expect(driver.bytes == Self.list(30).bytes)
        for (index, piece) in driver.pieces.dropLast().enumerated() {
            #expect(piece.bytes.count == min(split[index % split.count], 65_536))
        }
    }

    @Test func `pieces are paced, and the close follows the last one at once`() {
        var settings = FeedbackSettings()
        settings.split = [38]
        settings.pause = .milliseconds(10)
        let driver = Self.run(5, settings)
        #expect(driver.pieces.map(\.at) == (0..<5).map { .milliseconds(10 * $0) })
        #expect(driver.closedAt == .milliseconds(40))
        #expect(driver.session.isDelivered)
    }

    @Test(arguments: [0, 1, 37, 38, 39, 113, 114, 1_000])
    func `a cut list ends after exactly so many bytes and is not delivered unless all was written`(cut: Int) {
        var settings = FeedbackSettings()
        settings.truncateAfter = cut
        let driver = Self.run(3, settings)
        #expect(driver.bytes == Array(Self.list(3).bytes.prefix(cut)))
        #expect(driver.closed == .graceful)
        #expect(driver.session.isDelivered == (cut >= 114))
    }

    @Test(arguments: [GatewaySettings.CloseMode.abrupt, .reset])
    func `a close out of order delivers nothing`(mode: GatewaySettings.CloseMode) {
        var settings = FeedbackSettings()
        settings.closeMode = mode
        let driver = Self.run(3, settings)
        #expect(driver.closed == mode)
        #expect(!driver.session.isDelivered)
    }

    @Test func `nothing is delivered before the client's machine has acknowledged it`() {
        let driver = Self.run(3) { $0.acknowledgesAt = .zero + .milliseconds(1_501) }
        #expect(driver.closed == .graceful)
        #expect(driver.closedAt == .milliseconds(502), "it is looked every two milliseconds")
        #expect(driver.session.isDelivered)
    }

    @Test func `a client that acknowledges nothing is given up after its patience`() {
        let driver = Self.run(3) { $0.acknowledgesAt = .distantFuture }
        #expect(driver.closed == .abrupt)
        #expect(driver.closedAt == .seconds(30))
        #expect(!driver.session.isDelivered)
    }

    @Test func `a client that takes nothing is given up after its patience`() {
        let driver = Self.run(10_000) { $0.stalledFrom = 2 }
        #expect(driver.pieces.count == 3)
        #expect(driver.closed == .abrupt)
        #expect(driver.closedAt == .seconds(30))
        #expect(!driver.session.isDelivered)
    }

    @Test func `a connection that ends early delivers nothing`() {
        let session = FeedbackSession(settings: FeedbackSettings())
        session.begin(with: Self.list(3), now: .zero)
        #expect(session.takeAction() == .fill)
        session.connectionEnded()
        #expect(!session.isDelivered)
        #expect(session.list.count == 3, "so that it can be put back")
        #expect(session.deadline == nil)
    }

    @Test func `nothing is written before the list is there`() {
        let session = FeedbackSession(settings: FeedbackSettings())
        withUnsafeTemporaryAllocation(byteCount: 100, alignment: 1) {
            #expect(session.fill(into: $0, now: .zero) == 0)
        }
        #expect(session.takeAction() == nil)
        #expect(session.deadline == nil)
    }
}
