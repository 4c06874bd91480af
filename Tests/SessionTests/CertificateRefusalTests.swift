import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import Testing
import Workload

/// What a certificate means for the two machines: which devices it reaches, and what its refusal proves.
@Suite struct CertificateRefusalTests {
    private static let apps = ["com.example.app", "com.example.other"]

    /// The verdict on the token of a device, on a connection of a scope.
    private static func verdict(_ fate: FateClass, topic: UInt16, scope: TopicScope) -> NotificationJudge.Verdict {
        var settings = GatewaySettings()
        settings.tokenSeed = 7
        settings.judgesJSON = false
        let device = SyntheticDevice(index: 3, environment: .sandbox, fate: fate, topic: topic)
        var frame = [UInt8](repeating: 0x20, count: 128)
        let count = frame.withUnsafeMutableBytes { buffer -> Int in
            guard let base = buffer.baseAddress else { return 0 }
            TokenKey(seed: 7).writeToken(for: device, into: base + EnhancedNotification.tokenOffset)
            return EnhancedNotification().frame(base, identifier: 1, tokenBytes: 32, payloadBytes: 20)
        }
        var verdict: NotificationJudge.Verdict?
        var reader = NotificationReader(parser: NotificationParser(payloadLimit: 256))
        frame[..<count].withUnsafeBytes { bytes in
            reader.read(bytes) { parsed, _ in
                guard case .notification(let notification) = parsed else { return }
                verdict = NotificationJudge(settings: settings, start: .zero)
                    .verdict(on: notification, scope: scope, now: .zero)
            }
        }
        return verdict ?? .foreign
    }

    @Test(
        arguments: [
            (.valid, 0, .appUnderLoad, .accepted), (.otherTopic, 1, .appUnderLoad, .refused(.invalidToken)),
            (.valid, 0, .apps(1), .accepted), (.otherTopic, 1, .apps(1), .refused(.invalidToken)),
            (.valid, 0, .apps(2), .refused(.invalidToken)), (.otherTopic, 1, .apps(2), .accepted),
            (.valid, 0, .apps(0), .refused(.invalidToken)), (.otherTopic, 1, .apps(3), .accepted),
            (.valid, 64, .apps(.max), .refused(.invalidToken)), (.valid, .max, .apps(.max), .refused(.invalidToken)),
            (.badToken, 0, .apps(1), .refused(.invalidToken)), (.unregistered, 0, .apps(1), .unregistered),
            (.unregistered, 0, .apps(2), .refused(.invalidToken)), (.valid, 0, .missing, .refused(.missingTopic)),
        ] as [(FateClass, UInt16, TopicScope, NotificationJudge.Verdict)])
    func `a token is good where the certificate names its app`(
        fate: FateClass, topic: UInt16, scope: TopicScope, verdict: NotificationJudge.Verdict
    ) {
        #expect(Self.verdict(fate, topic: topic, scope: scope) == verdict)
    }

    @Test(
        arguments: [
            (["com.example.app"], [], .appUnderLoad), ([], [], .appUnderLoad), ([], apps, .missing),
            (["com.example.app"], apps, .apps(1)), (["com.example.other", "x"], apps, .apps(2)),
            (["x"], apps, .apps(0)),
            (["com.example.other", "com.example.app"], apps, .apps(3)),
        ] as [([String], [String], TopicScope)])
    func `a certificate's topics become the apps that it reaches`(
        topics: [String], apps: [String], scope: TopicScope
    ) {
        #expect(TopicScope(certificate: topics, apps: apps) == scope)
    }

    @Test func `more apps than there are numbers for are no crash`() {
        let apps = (0..<200).map { "app.\($0)" }
        #expect(TopicScope(certificate: ["app.63", "app.64", "app.199"], apps: apps) == .apps(1 << 63))
    }

    @Test func `what was written to a gateway that refuses the certificate is written again, and not unknown`() throws {
        let bench = Bench(notifications: 50)
        let supply = SequenceSupply(limit: 50, arrivals: .closedLoop, connectionCount: 1, start: .zero)
        var plan = bench.plan
        plan.batch.notifications = 20
        let session = ProviderSession(slot: 0, plan: plan, supply: supply, source: try bench.source(), seed: 7)
        var ledger = FateLedger()
        func connect() {
            session.connectionOpened(
                ConnectionFacts(tcp: .zero, tls: .zero, isResumed: false), now: .zero + .milliseconds(1))
        }
        func write(now: Instant) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
                let count = session.fill(into: UnsafeMutableRawBufferPointer(buffer), now: now)
                session.flushed(now: now)
                return count
            }
        }
        session.start(now: .zero)
        #expect(session.takeAction() == .connect)
        connect()
        #expect(write(now: .zero + .milliseconds(1)) > 0)
        #expect(session.unsettledCount == 20)
        session.connectionEnded(.handshakeFailed, now: .zero + .milliseconds(2))
        session.takeEvents { ledger.record($0) }
        #expect(ledger.settledCount == 0, "nothing has its fate yet: \(ledger.fates)")
        #expect(ledger.lostConnections == [.handshakeFailed: 1])
        #expect(session.takeAction() == .drop)
        let later = try #require(session.deadline)
        session.timerFired(now: later)
        #expect(session.takeAction() == .connect)
        connect()
        #expect(write(now: later) > 0)
        session.takeEvents { ledger.record($0) }
        #expect(ledger.written == 40 && ledger.resent == 20)
        session.abandon(now: later)
        session.takeEvents { ledger.record($0) }
        #expect(ledger.count(of: .unknown) == 20, "on the connection that stood")
    }
}
