import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// Streams and connections that end before their time, and what is sent again.
@Suite struct RequestEndTests {
    // MARK: - C42: over the limit

    @Test func `a refused stream is sent again once and accepted`() throws {
        let world = try RequestWorld(200) { $0.provesAuthorization = false }
        var isRefused = false
        world.prepare = { [unowned world] gateway in
            // The limit is lowered when streams are on their way already.
            gateway.announce { $0.maxConcurrentStreams = 100 }
            gateway.onOpen = { [unowned gateway] stream in
                guard gateway.open.count == 60, !isRefused else { return true }
                isRefused = true
                gateway.reset(stream, .refusedStream)
                return false
            }
            gateway.onRequest = { [unowned gateway] request in
                world.after(.milliseconds(5)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.ledger.requests.resets == [.refusedStream: 1])
        #expect(world.session.resentCount == 1)
        #expect(world.timesSeen.values.allSatisfy { $0 == 1 })
        #expect(world.gateways.count == 1)
    }

    @Test func `a limit that is enforced by goaway costs the connection and nothing else`() throws {
        let world = try RequestWorld(300)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 100 }
            var isLeft = false
            gateway.onOpen = { [unowned gateway] stream in
                guard gateway.index == 0, gateway.open.count == 50, !isLeft else { return !isLeft }
                isLeft = true
                gateway.goAway(last: stream - 2, code: .protocolError)
                world.after(.milliseconds(20)) { world.close(gateway) }
                return false
            }
            gateway.onRequest = { [unowned gateway] request in
                if isLeft && gateway.index == 0 && !gateway.open.contains(request.streamID) { return }
                world.after(.milliseconds(5)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.ledger.requests.goAways == [.init(code: .protocolError): 1])
        #expect(world.gateways.count == 2)
        #expect(world.timesSeen.values.allSatisfy { $0 == 1 })
    }

    // MARK: - C43: nothing leaks

    @Test(arguments: [1 as UInt64, 2]) func `the count of open streams never drifts`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var plan = SessionPlan()
        plan.unproven = .report
        let world = try RequestWorld(30_000, plan: plan) {
            $0.requestTimeout = .milliseconds(200)
        }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 1_000 }
            gateway.onRequest = { [unowned gateway] request in
                switch random.below(200) {
                case 0, 1: world.after(.milliseconds(3)) { gateway.reset(request.streamID, .cancel) }
                case 2, 3: world.after(.milliseconds(400)) { gateway.accept(request.streamID) }
                default: world.after(.milliseconds(3)) { gateway.accept(request.streamID) }
                }
            }
        }
        world.run()
        let resets = world.ledger.requests.resets[.cancel] ?? 0
        let timedOut = world.ledger.requests.timedOut
        world.expectOrder(accepted: 30_000 - resets - timedOut)
        #expect(resets > 150 && timedOut > 150, "seed \(seed)")
        #expect(world.ledger.count(of: .unknown) == resets + timedOut)
        #expect(world.gateway.open.isEmpty, "what we cancelled the gateway has closed, too")
        #expect(world.gateways.count == 1)
        #expect(world.mostUnsettled == 1_000)
    }

    // MARK: - C44: GOAWAY

    /// A gateway that answers the first request, holds all others until 1,199 streams are open (3 ... 2,399), and then does as it is told.
    private static func world(
        _ count: UInt64 = 5_000, streams: Int = 1_199, _ end: @escaping (RequestWorld, ScriptedGateway) -> Void
    ) throws -> RequestWorld {
        let world = try RequestWorld(count, payload: 64) {
            $0.streams = streams
        }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 10_000 }
            gateway.widen(by: 1 << 24)
            gateway.onRequest = { [unowned gateway] request in
                guard gateway.index == 0 else {
                    return world.after(.milliseconds(2)) { gateway.accept(request.streamID) }
                }
                if request.number == 0 { gateway.accept(request.streamID) }
                if request.number == streams { end(world, gateway) }
            }
        }
        return world
    }

    private static func answer(_ gateway: ScriptedGateway, through last: UInt32) {
        for stream in gateway.open.sorted() where stream <= last { gateway.accept(stream) }
    }

    private static func expectSentOnceMore(_ world: RequestWorld, _ twice: Int) {
        world.expectOrder()
        #expect(world.timesSeen.values.filter { $0 == 2 }.count == twice)
        #expect(world.timesSeen.values.allSatisfy { $0 <= 2 })
        #expect(world.gateways.count == 2)
        let first = world.gateways[0].requests.count
        #expect(first == 1_200, "no stream is opened after the goaway was read")
    }

    @Test(arguments: [true, false]) func `exactly the streams above the last one go again`(closes: Bool) throws {
        let world = try Self.world { world, gateway in
            gateway.goAway(last: 1_999)
            world.after(.milliseconds(30)) {
                Self.answer(gateway, through: 1_999)
                if closes { world.close(gateway) }
            }
        }
        world.run()
        Self.expectSentOnceMore(world, 200)
        #expect(world.session.resentCount == 200)
        let again = world.gateways[1].requests.prefix(200).map(\.sequence)
        #expect(Set(again) == Set(world.gateways[0].requests.filter { $0.streamID > 1_999 }.map(\.sequence)))
        let reconnect = try #require(
            world.events.compactMap { if case .reconnected(let reconnect) = $0 { reconnect } else { nil } }.first)
        #expect(reconnect.cause == .goAway(.noError))
        #expect(reconnect.resent == 200)
        #expect(reconnect.cost < .milliseconds(10), "the next connection does not wait for the answers of the last one")
        #expect(world.mostConnections == 2)
    }

    @Test func `the load goes on while a connection that was given up is slow to answer`() throws {
        let world = try Self.world(5_000) { world, gateway in
            gateway.goAway(last: 1_999)
            world.after(.seconds(5)) { Self.answer(gateway, through: 1_999) }
        }
        var doneAt: Instant?
        world.prepare = { [unowned world, prepare = world.prepare] gateway in
            prepare(gateway)
            guard gateway.index == 1 else { return }
            gateway.onRequest = { [unowned gateway] request in
                if request.number == 3_999 { doneAt = world.now }
                world.after(.milliseconds(2)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        Self.expectSentOnceMore(world, 200)
        #expect(try #require(doneAt) < .zero + .milliseconds(200), "everything else was sent by then")
        #expect(world.now > .zero + .seconds(5))
        #expect(world.ledger.lostConnections.isEmpty)
    }

    @Test func `a slot has few connections at once, however often the gateway gives them up`() throws {
        let world = try RequestWorld(400) { $0.requestTimeout = .seconds(2) }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 10 }
            gateway.onRequest = { [unowned gateway] request in
                // The first answer proves the connection, and the others come very late.
                guard request.number > 0 else { return gateway.accept(request.streamID) }
                if request.number == 1 { gateway.goAway(last: HTTP2FrameHeader.lastStreamID) }
                world.after(.seconds(1)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.mostConnections == 3)
        #expect(world.gateways.count > 20)
    }

    @Test func `what a connection leaves behind after it was given up goes on with the next one`() throws {
        let world = try Self.world { world, gateway in
            gateway.goAway(last: HTTP2FrameHeader.lastStreamID)
            world.after(.milliseconds(20)) {
                // Some are refused, then some given up, and the connection breaks before the others are answered.
                for stream in stride(from: 2_201 as UInt32, through: 2_399, by: 2) {
                    gateway.reset(stream, .refusedStream)
                }
                world.after(.milliseconds(20)) {
                    gateway.goAway(last: 1_999)
                    Self.answer(gateway, through: 1_899)
                    world.after(.milliseconds(20)) { world.close(gateway, .reset) }
                }
            }
        }
        world.run()
        world.expectOrder(accepted: 4_950)
        #expect(world.ledger.count(of: .unknown) == 50)
        #expect(world.session.resentCount == 200 && world.gateways.count == 2)
        #expect(world.ledger.requests.goAways == [.init(code: .noError): 2])
    }

    @Test func `a slot without work waits for the last answers, and does what they leave to be done`() throws {
        let world = try Self.world(1_200) { world, gateway in
            gateway.goAway(last: 2_397)
            world.after(.milliseconds(50)) {
                gateway.reset(3, .refusedStream)
                Self.answer(gateway, through: 2_397)
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateways.count == 2 && world.session.resentCount == 2)
        #expect(world.gateways[1].requests.map(\.sequence) == [1_199, 1])
    }

    @Test func `a run that is given up meanwhile gives every notification one fate`() throws {
        let world = try Self.world { _, gateway in gateway.goAway(last: 1_999) }
        world.run(for: .milliseconds(30))
        #expect(world.connectionCount == 2)
        world.abandon()
        world.expectOrder(accepted: world.ledger.count(of: .accepted))
        #expect(world.ledger.count(of: .unknown) >= 900)
    }

    @Test func `a second goaway names the last stream after a first one that names none`() throws {
        let world = try Self.world { world, gateway in
            gateway.goAway(last: HTTP2FrameHeader.lastStreamID)
            world.after(.milliseconds(10)) {
                gateway.goAway(last: 2_199)
                Self.answer(gateway, through: 2_199)
            }
        }
        world.run()
        Self.expectSentOnceMore(world, 100)
    }

    @Test func `a second goaway cannot take back what the first gave up`() throws {
        let world = try Self.world { _, gateway in
            gateway.goAway(last: 1_999)
            gateway.goAway(last: 2_399)
            Self.answer(gateway, through: 1_999)
        }
        world.run()
        Self.expectSentOnceMore(world, 200)
    }

    @Test func `a reason in a goaway is counted by its name`() throws {
        let world = try Self.world { world, gateway in
            gateway.goAway(last: 0, debug: #"{"reason":"Shutdown"}"#)
            world.close(gateway)
        }
        world.run()
        Self.expectSentOnceMore(world, 1_199)
        #expect(world.ledger.requests.goAways == [.init(code: .noError, reason: "Shutdown"): 1])
    }

    @Test func `streams that a leaving gateway never answers are unproven when it closes`() throws {
        let world = try Self.world { world, gateway in
            gateway.goAway(last: 1_999)
            Self.answer(gateway, through: 1_899)
            world.after(.milliseconds(5)) { world.close(gateway) }
        }
        world.run()
        world.expectOrder(accepted: 4_950)
        #expect(world.ledger.count(of: .unknown) == 50)
        #expect(world.session.resentCount == 200)
    }

    @Test func `goaway after every so many streams loses and doubles nothing`() throws {
        let world = try RequestWorld(20_000, payload: 64)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 500 }
            gateway.widen(by: 1 << 24)
            var isLeft = false
            gateway.onRequest = { [unowned gateway] request in
                if isLeft { return }
                if request.number == 2_999 {
                    isLeft = true
                    gateway.goAway(last: request.streamID)
                }
                world.after(.milliseconds(2)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateways.count == 7)
        #expect(world.ledger.connections == 7)
        #expect(world.now < .zero + .seconds(2), "an orderly end is followed by no pause")
        let accepted = world.gateways.flatMap { $0.requests.prefix(3_000).map(\.sequence) }
        #expect(Set(accepted).count == accepted.count, "nothing was accepted twice")
    }

    @Test func `a gateway that sends everybody away at once is not stormed`() throws {
        let world = try RequestWorld(100)
        world.prepare = { [unowned world] gateway in
            gateway.announce()
            gateway.goAway(last: 0, debug: #"{"reason":"BadCertificateEnvironment"}"#)
            world.after(.zero) { [unowned gateway] in world.close(gateway) }
        }
        world.run(for: .seconds(60))
        #expect(world.gateways.count < 15, "\(world.gateways.count) connections in a minute")
        world.abandon()
        world.expectOrder(accepted: 0)
        #expect(world.ledger.count(of: .unknown) == 0)
    }

    @Test func `the end of the stream numbers is a planned change of connections`() throws {
        let world = try RequestWorld(500) { $0.lastStreamID = 199 }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 30 }
            gateway.onRequest = { [unowned gateway] request in
                world.after(.milliseconds(2)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateways.count == 5)
        #expect(world.gateways.allSatisfy { $0.requests.count == 100 })
        #expect(world.session.resentCount == 0)
        #expect(world.ledger.lostConnections.isEmpty)
    }

    // MARK: - Connections that just end

    @Test(arguments: [(UnprovenPolicy.report, 30 as UInt64), (.resend(limit: 1), 0)])
    func `requests without an answer are unproven when the connection dies`(policy: UnprovenPolicy, unknown: UInt64)
        throws
    {
        var plan = SessionPlan()
        plan.unproven = policy
        let world = try RequestWorld(300, plan: plan)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 30 }
            gateway.onRequest = { [unowned gateway] request in
                if gateway.index == 0 && request.number >= 100 {
                    if request.number == 129 { world.close(gateway, .reset) }
                } else {
                    gateway.accept(request.streamID)
                }
            }
        }
        world.run()
        world.expectOrder(accepted: 300 - unknown)
        #expect(world.ledger.count(of: .unknown) == unknown)
        #expect(world.gateways.count == 2)
    }

    @Test func `a connection that fails to open is tried again after a pause`() throws {
        let world = try RequestWorld(50)
        world.failedAttempts = [0, 1]
        world.prepare = { gateway in
            gateway.announce()
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run()
        world.expectOrder()
        #expect(world.ledger.failedAttempts == [.refused: 2])
        #expect(world.now > .zero + .milliseconds(500))
    }

    @Test func `a silent connection is asked and given up when it does not answer`() throws {
        let world = try RequestWorld(20, arrivals: .constant(Rate(perSecond: 1))) {
            $0.pingAfter = .milliseconds(400)
            $0.pingTimeout = .milliseconds(100)
        }
        world.prepare = { gateway in
            gateway.announce()
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run(for: .seconds(60))
        #expect(world.ledger.lostConnections[.timedOut] ?? 0 > 3)
        #expect(world.gateways.allSatisfy { !$0.pings.isEmpty || $0 === world.gateway })
        world.expectOrder()
    }

    @Test func `a connection that answers nothing is asked when the first request is overdue, and replaced`() throws {
        let world = try RequestWorld(5_000) { $0.requestTimeout = .seconds(1) }
        world.prepare = { [unowned world] gateway in
            gateway.announce()
            guard world.gateways.count > 1 else { return }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run(for: .seconds(60))
        #expect(world.gateways.count == 2)
        #expect(world.gateways.first?.pings.count == 1)
        #expect(world.ledger.lostConnections == [.timedOut: 1])
        #expect(world.now < .zero + .seconds(20), "the request's time and the ping's, and not that of each request")
        #expect(world.ledger.count(of: .unknown) < 100)
    }

    @Test func `a ping that is answered keeps the connection`() throws {
        let world = try RequestWorld(5, arrivals: .constant(Rate(perSecond: 1))) {
            $0.pingAfter = .milliseconds(400)
            $0.pingTimeout = .milliseconds(100)
        }
        world.prepare = { [unowned world] gateway in
            gateway.announce()
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
            func answer() {
                for ping in gateway.pings.dropFirst(answered) {
                    gateway.frame(.ping, .acknowledgement, payload: withUnsafeBytes(of: ping) { Array($0) })
                    answered += 1
                }
                world.after(.milliseconds(10)) { answer() }
            }
            var answered = 0
            world.after(.milliseconds(10)) { answer() }
        }
        world.run(for: .seconds(6))
        #expect(world.gateways.count == 1)
        #expect(world.gateway.pings.count >= 8)
        world.expectOrder()
    }

    // MARK: - Retries

    private static func refusing(
        _ reason: RefusalReason, times: Int, plan change: @escaping (inout RetryPlan) -> Void = { _ in }
    ) throws -> RequestWorld {
        let world = try RequestWorld(20) { change(&$0.retries) }
        var seen: [UInt64: Int] = [:]
        world.prepare = { gateway in
            gateway.announce { $0.maxConcurrentStreams = 5 }
            gateway.onRequest = { [unowned gateway] request in
                seen[request.sequence, default: 0] += 1
                if request.sequence == 7 && seen[7, default: 0] <= times {
                    gateway.refuse(request.streamID, status: reason.status, body: #"{"reason":"\#(reason.name)"}"#)
                } else {
                    gateway.accept(request.streamID)
                }
            }
        }
        world.run(for: .seconds(10_000))
        return world
    }

    @Test(arguments: [RefusalReason.badDeviceToken, .unregistered, .payloadTooLarge, .badTopic, .expiredProviderToken])
    func `what stays refused is sent once`(reason: RefusalReason) throws {
        let world = try Self.refusing(reason, times: 1) {
            ($0.laterLimit, $0.backoffLimit, $0.otherConnectionLimit) = (9, 9, 9)
        }
        world.expectOrder(accepted: 19)
        #expect(world.timesSeen[7] == 1)
        #expect(world.ledger.requests.refusals == [.init(status: reason.status, name: "\(reason.name)"): 1])
    }

    @Test func `a throttled notification is sent again after the delay, as often as the plan allows`() throws {
        let patient = try Self.refusing(.tooManyRequests, times: 2) { $0.laterLimit = 2 }
        patient.expectOrder()
        #expect(patient.timesSeen[7] == 3)
        #expect(patient.now > .zero + .seconds(2) && patient.now < .zero + .seconds(3))
        #expect(patient.ledger.requests.retried == 2)
        let impatient = try Self.refusing(.tooManyRequests, times: 2) { $0.laterLimit = 1 }
        impatient.expectOrder(accepted: 19)
        #expect(impatient.timesSeen[7] == 2)
    }

    @Test func `a server's error is tried again after a quarter of an hour, then after twice that`() throws {
        let world = try Self.refusing(.internalServerError, times: 2) { $0.backoffLimit = 2 }
        world.expectOrder()
        #expect(world.now > .zero + .seconds(2_700) && world.now < .zero + .seconds(2_701))
    }

    @Test func `a server that stops gets its notification again on another connection`() throws {
        let world = try Self.refusing(.shutdown, times: 1)
        world.expectOrder()
        #expect(world.gateways.count == 2)
        #expect(world.gateways[1].requests.first?.sequence == 7)
    }

    @Test func `what waits for its time is rejected when the run is given up`() throws {
        let world = try RequestWorld(10) { $0.retries.laterLimit = 3 }
        world.prepare = { gateway in
            gateway.announce()
            gateway.onRequest = { [unowned gateway] in
                gateway.refuse($0.streamID, status: 429, body: #"{"reason":"TooManyRequests"}"#)
            }
        }
        world.run(for: .milliseconds(900))
        world.abandon()
        world.expectOrder(accepted: 0)
        #expect(world.ledger.count(of: .rejected) == 10)
    }
}
