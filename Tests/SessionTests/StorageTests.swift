import GatewaySimulator
import Primitives
import PushWire
import Testing
import Workload

/// Store and forward for offline devices, as counters, and what reaches the feedback list.
@Suite struct StorageTests {
    private static let seed: UInt64 = 5
    private static let key = TokenKey(seed: seed)
    private static let now = Instant.zero + .seconds(100)

    private static func token(_ index: UInt64, _ fate: FateClass = .valid) -> [UInt8] {
        let device = SyntheticDevice(index: index, environment: .sandbox, fate: fate)
        return [UInt8](unsafeUninitializedCapacity: TokenKey.tokenBytes) { buffer, count in
            if let base = buffer.baseAddress { key.writeToken(for: device, into: base) }
            count = TokenKey.tokenBytes
        }
    }

    private static func frame(_ identifier: UInt32, expiry: UInt32, token: [UInt8]) -> [UInt8] {
        let payload = Array(#"{"aps":{}}"#.utf8)
        var frame = [UInt8](repeating: 0, count: EnhancedNotification.overheadBytes + token.count + payload.count)
        frame.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            token.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[EnhancedNotification.tokenOffset...]).copyMemory(
                    from: $0)
            }
            payload.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(
                    rebasing: buffer[EnhancedNotification.payloadOffset(tokenBytes: token.count)...]
                ).copyMemory(from: $0)
            }
            _ = EnhancedNotification(expiry: expiry).frame(
                base, identifier: identifier, tokenBytes: token.count, payloadBytes: payload.count)
        }
        return frame
    }

    /// A gateway whose clock says 1,000,100 seconds.
    private struct Gateway {
        var settings = GatewaySettings()
        var ledger: GatewayLedger
        private let session: GatewaySession

        init(offline: Double? = nil, signed: Bool = true, listed: [UInt64] = [], scope: TopicScope = .appUnderLoad) {
            settings.tokenSeed = StorageTests.seed
            settings.unixOffset = .seconds(1_000_000)
            for token in listed { settings.unregisteredTokens.note(token, at: 0) }
            let store = offline.map {
                NotificationStore(
                    settings: StorageSettings(offlineShare: $0, seed: 9, readsExpirySigned: signed),
                    tokenSeed: StorageTests.seed)
            }
            ledger = GatewayLedger(store: store)
            session = GatewaySession(
                settings: settings, judge: NotificationJudge(settings: settings, start: .zero), ledger: ledger,
                pace: GatewayPace(settings: settings), scope: scope)
        }

        func send(_ frames: [[UInt8]], now: Instant = StorageTests.now) {
            frames.flatMap { $0 }.withUnsafeBytes { session.receive($0, now: now) }
        }

        var stored: StorageCounts { ledger.store?.snapshot.result ?? StorageCounts() }
    }

    private static let future: UInt32 = 1_000_101

    @Test func `the last one wins for each device that is offline`() {
        let gateway = Gateway(offline: 1)
        gateway.send((1...10).map { Self.frame($0, expiry: Self.future, token: Self.token(UInt64($0) % 3)) })
        #expect(gateway.ledger.counts.accepted == 10)
        #expect(gateway.stored.stored == 3)
        #expect(gateway.stored.replaced == 7)
    }

    @Test(
        arguments: [
            (0, StorageCounts.one(\.notStored)), (0xFFFF_FFFF, .one(\.notStored)), (0x8000_0000, .one(\.notStored)),
            (1, .one(\.expired)), (1_000_100, .one(\.expired)), (1_000_101, .one(\.stored)),
            (0x7FFF_FFFF, .one(\.stored)),
        ] as [(UInt32, StorageCounts)])
    func `an expiry decides whether a notification is stored`(expiry: UInt32, counts: StorageCounts) {
        let gateway = Gateway(offline: 1)
        gateway.send([Self.frame(1, expiry: expiry, token: Self.token(1))])
        #expect(gateway.stored == counts)
        #expect(gateway.ledger.counts.accepted == 1, "it was accepted all the same")
        #expect(gateway.ledger.feedback.lists.isEmpty, "an undelivered notification is no failed one")
    }

    @Test func `an unsigned reading stores what a signed one does not`() {
        let gateway = Gateway(offline: 1, signed: false)
        gateway.send([Self.frame(1, expiry: 0xFFFF_FFFF, token: Self.token(1))])
        gateway.send([Self.frame(2, expiry: 0, token: Self.token(1))])
        #expect(gateway.stored.stored == 1)
        #expect(gateway.stored.notStored == 1)
    }

    @Test func `the offline share follows from the seed, and online devices count for nothing`() {
        let gateway = Gateway(offline: 0.3)
        gateway.send((1...10_000).map { Self.frame($0, expiry: Self.future, token: Self.token(UInt64($0))) })
        let expected = (1...10_000).filter { number in
            Self.token(UInt64(number)).withUnsafeBytes { gateway.ledger.store?.isOffline($0) == true }
        }
        #expect(gateway.stored.stored == UInt64(expected.count))
        #expect((2_800...3_200).contains(expected.count), "seed 9")
        #expect(gateway.stored.replaced == 0)
    }

    @Test func `parts of two loops join: a device that both have heard of keeps one`() {
        let first = Gateway(offline: 1)
        let second = Gateway(offline: 1)
        first.send((1...4).map { Self.frame($0, expiry: Self.future, token: Self.token(UInt64($0))) })
        second.send((3...6).map { Self.frame($0, expiry: Self.future, token: Self.token(UInt64($0))) })
        var joined = NotificationStore.Snapshot()
        for gateway in [first, second] {
            if let store = gateway.ledger.store { joined = joined.joined(with: store.snapshot) }
        }
        #expect(joined.result.stored == 6)
        #expect(joined.result.replaced == 2)
    }

    @Test func `tokens that no key opens are stored by their bytes`() {
        let gateway = Gateway(offline: 1)
        let tokens: [UInt64] = [1, 2, 1]
        gateway.send(
            tokens.enumerated().map {
                Self.frame(UInt32($0.offset + 1), expiry: Self.future, token: FeedbackEntry.token($0.element))
            })
        #expect(gateway.stored.stored == 2)
        #expect(gateway.stored.replaced == 1)
    }

    @Test func `a push to an unregistered device is accepted and noted with its time`() {
        let gateway = Gateway(scope: .apps(1))
        let token = Self.token(1, .unregistered)
        gateway.send([Self.frame(1, expiry: 0, token: token), Self.frame(2, expiry: 0, token: Self.token(2))])
        gateway.send([Self.frame(3, expiry: 0, token: token)], now: Self.now + .milliseconds(2_900))
        #expect(gateway.ledger.counts.accepted == 3)
        #expect(gateway.ledger.counts.unregistered == 2)
        let entries = gateway.ledger.feedback.take(scope: .apps(1)).entries
        #expect(entries.map(\.token) == [token])
        #expect(entries.map(\.timestamp) == [1_000_102])
    }

    @Test func `listed tokens are unregistered, and bad ones never reach the feedback service`() {
        let gateway = Gateway(listed: [7])
        gateway.send([
            Self.frame(1, expiry: 0, token: FeedbackEntry.token(7)),
            Self.frame(2, expiry: 0, token: FeedbackEntry.token(8)),
            Self.frame(3, expiry: 0, token: Self.token(3, .badToken)),
        ])
        #expect(gateway.ledger.counts.accepted == 2)
        #expect(gateway.ledger.counts.rejected == 1)
        #expect(gateway.ledger.feedback.take(scope: .appUnderLoad).entries.map(\.token) == [FeedbackEntry.token(7)])
    }
}

extension StorageCounts {
    static func one(_ path: WritableKeyPath<StorageCounts, UInt64>) -> StorageCounts {
        var counts = StorageCounts()
        counts[keyPath: path] = 1
        return counts
    }
}
