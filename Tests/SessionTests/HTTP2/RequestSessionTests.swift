import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// Requests, their answers and limits.
@Suite struct RequestSessionTests {
    /// A gateway that accepts everything after a service time, and allows so many streams.
    private static func accepting(
        _ world: RequestWorld, limit: UInt32 = 1_000, after delay: Interval? = nil
    ) -> (ScriptedGateway) -> Void {
        { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = limit }
            gateway.onRequest = { [unowned gateway] request in
                if let delay {
                    world.after(delay) { gateway.accept(request.streamID) }
                } else {
                    gateway.accept(request.streamID)
                }
            }
        }
    }

    @Test func `every notification is sent once and accepted`() throws {
        let world = try RequestWorld(5_000)
        world.prepare = Self.accepting(world)
        world.run()
        world.expectOrder()
        #expect(world.gateways.count == 1)
        #expect(world.timesSeen.values.allSatisfy { $0 == 1 })
        #expect(world.ledger.proofs == [.response: 5_000])
        #expect(world.gateway.requests.allSatisfy { $0.body.count == 100 && $0.authorization == "bearer abc" })
        #expect(world.gateway.settingsAcknowledged == 1)
        #expect(world.samples.count == 5_000)
        #expect(world.samples.allSatisfy { $0.sample.isAccepted && $0.service >= .milliseconds(2) })
    }

    @Test(arguments: [1, 2, 7, 100]) func `answers may arrive in any pieces`(pieces: Int) throws {
        let world = try RequestWorld(300)
        world.pieceLimit = pieces
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 50 }
            gateway.onRequest = { [unowned gateway] request in
                world.after(.milliseconds(1)) {
                    if request.sequence % 7 == 3 {
                        gateway.refuse(request.streamID, status: 400, body: #"{"reason":"BadDeviceToken"}"#)
                    } else {
                        gateway.accept(request.streamID)
                    }
                }
            }
        }
        world.run()
        world.expectOrder(accepted: 257)
        #expect(world.ledger.count(of: .rejected) == 43)
        #expect(world.ledger.requests.refusals == [.init(status: 400, name: "BadDeviceToken"): 43])
    }

    @Test func `a whole batch of answers is one event`() throws {
        let world = try RequestWorld(1_000)
        world.prepare = Self.accepting(world)
        world.run()
        let settled = world.events.filter { if case .settled = $0 { true } else { false } }
        #expect(settled.count < 30, "\(settled.count) events for 1,000 notifications")
    }

    // C40
    @Test func `one stream is open until the first success and many after it`() throws {
        let world = try RequestWorld(1_000)
        var mostBefore = 0
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 1 }
            gateway.onRequest = { [unowned gateway] request in
                if request.number == 0 {
                    world.after(.milliseconds(10)) {
                        mostBefore = gateway.mostOpen
                        gateway.announce { $0.maxConcurrentStreams = 1_000 }
                        gateway.accept(request.streamID)
                    }
                } else {
                    world.after(.milliseconds(10)) { gateway.accept(request.streamID) }
                }
            }
        }
        world.run(for: .seconds(2))
        world.expectOrder()
        #expect(mostBefore == 1)
        #expect(world.gateway.mostOpen > 100)
        #expect(world.now < .zero + .seconds(1))
        let limits = world.requestEvents.compactMap { if case .streamLimit(let limit, _) = $0 { limit } else { nil } }
        #expect(limits == [1, 1_000])
    }

    @Test func `one stream is open until the first success even if the gateway allows more`() throws {
        let world = try RequestWorld(100)
        var openAtFirst = 0
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 500 }
            gateway.onRequest = { [unowned gateway] request in
                world.after(.milliseconds(50)) {
                    if request.number == 0 { openAtFirst = gateway.mostOpen }
                    gateway.accept(request.streamID)
                }
            }
        }
        world.run()
        world.expectOrder()
        #expect(openAtFirst == 1)
        #expect(world.gateway.mostOpen > 50)
    }

    @Test func `a refused credential leaves one stream, and a refused device does not`() throws {
        for (status, reason, isProof) in [(403, "InvalidProviderToken", false), (400, "BadDeviceToken", true)] {
            let world = try RequestWorld(20)
            world.prepare = { [unowned world] gateway in
                gateway.announce { $0.maxConcurrentStreams = 500 }
                gateway.onRequest = { [unowned gateway] request in
                    world.after(.milliseconds(5)) {
                        gateway.refuse(request.streamID, status: status, body: #"{"reason":"\#(reason)"}"#)
                    }
                }
            }
            world.run()
            world.expectOrder(accepted: 0)
            #expect((world.gateway.mostOpen > 1) == isProof, "\(reason)")
        }
    }

    @Test(arguments: [1, 10, 100]) func `the gateway's limit is reached and never passed`(limit: UInt32) throws {
        let world = try RequestWorld(2_000)
        world.prepare = Self.accepting(world, limit: limit, after: .milliseconds(5))
        world.run()
        world.expectOrder()
        #expect(world.gateway.mostOpen == limit)
    }

    @Test func `our own limit holds below the gateway's`() throws {
        let world = try RequestWorld(2_000) { $0.streams = 64 }
        world.prepare = Self.accepting(world, limit: 1_000, after: .milliseconds(5))
        world.run()
        world.expectOrder()
        #expect(world.gateway.mostOpen == 64)
        #expect(!world.requestEvents.contains { if case .blocked(.streams, _, _) = $0 { true } else { false } })
    }

    @Test func `a limit that is lowered in flight holds from then on`() throws {
        let world = try RequestWorld(3_000)
        var openAfter: [Int] = []
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 200 }
            gateway.onRequest = { [unowned gateway] request in
                if request.number == 600 { gateway.announce { $0.maxConcurrentStreams = 20 } }
                if request.number > 1_000 { openAfter.append(gateway.open.count) }
                world.after(.milliseconds(4)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(openAfter.max() == 20)
        let blocked = world.ledger.requests.blocked[.streams] ?? .zero
        #expect(blocked > .milliseconds(100), "time held back by the peer's limit is told: \(blocked)")
    }

    @Test func `a limit of nothing holds everything back until it is raised`() throws {
        let world = try RequestWorld(100)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 0 }
            gateway.onRequest = { [unowned gateway] request in gateway.accept(request.streamID) }
            world.after(.seconds(3)) { [unowned gateway] in gateway.announce { $0.maxConcurrentStreams = 10 } }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateway.mostOpen <= 10)
    }

    // C50
    @Test(arguments: [5_000, 65_535, 1 << 20], [100, 4_096])
    func `what is in flight never exceeds the window, and throughput follows it`(window: Int64, payload: Int) throws {
        let count: UInt64 = payload == 100 ? 4_000 : 400
        let world = try RequestWorld(count, payload: payload)
        world.latency = .milliseconds(25)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 1_024 }
            if window > 65_535 { gateway.widen(by: UInt32(window - 65_535)) }
            gateway.replenishes = false
            var kept = 0
            var read = 0
            gateway.onRequest = { [unowned gateway] request in
                gateway.accept(request.streamID)
                // A gateway with a smaller window keeps back what it has told at first.
                let used = gateway.dataBytes - read
                read = gateway.dataBytes
                let withheld = min(used, max(0, 65_535 - Int(window)) - kept)
                kept += max(0, withheld)
                if used > max(0, withheld) { gateway.widen(by: UInt32(used - max(0, withheld))) }
            }
            _ = world
        }
        world.run()
        world.expectOrder()
        #expect(world.gateway.leastWindow >= 0)
        let blocked = world.ledger.requests.blocked[.window] ?? .zero
        let bytes = Double(count) * Double(payload)
        let longest = bytes / Double(window) * 0.05
        if window < 1 << 20 && Int64(payload) < window {
            #expect(blocked > .zero)
            #expect(world.now.nanoseconds >= Int64(longest * 0.5e9), "faster than window / round trip")
        }
    }

    @Test func `bodies that are longer than a stream's window go in parts`() throws {
        let world = try RequestWorld(20, payload: 50_000)
        world.prepare = { [unowned world] gateway in
            gateway.announce {
                $0.maxConcurrentStreams = 100
                $0.initialWindowSize = 20_000
            }
            gateway.onOpen = { [unowned gateway] stream in
                world.after(.milliseconds(3)) { gateway.widen(by: 15_000, stream: stream) }
                world.after(.milliseconds(6)) { gateway.widen(by: 15_000, stream: stream) }
                return true
            }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateway.requests.allSatisfy { $0.body.count == 50_000 })
        #expect(Set(world.gateway.requests.map(\.body)).count == 20)
    }

    @Test func `lowering the initial window below what was sent holds a body until there is room again`() throws {
        let world = try RequestWorld(2, payload: 50_000) { $0.provesAuthorization = false }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.initialWindowSize = 30_000 }
            gateway.onOpen = { [unowned gateway] stream in
                if stream == 1 {
                    gateway.announce { $0.initialWindowSize = 10 }
                    world.after(.milliseconds(9)) {
                        gateway.announce { $0.initialWindowSize = 60_000 }
                    }
                }
                return true
            }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateway.requests.allSatisfy { $0.body.count == 50_000 })
    }

    // C52: Little's law
    @Test(arguments: [1, 10, 100, 1_000]) func `throughput is what is in flight by the latency`(streams: Int) throws {
        let world = try RequestWorld(UInt64(streams) * 50) { $0.streams = streams }
        world.latency = .milliseconds(20)
        world.prepare = { [unowned world] gateway in
            Self.accepting(world, limit: 10_000)(gateway)
            gateway.widen(by: 1 << 24)
        }
        world.run()
        world.expectOrder()
        let sent = world.samples.map(\.sample.writtenAt)
        let span = world.now - (sent.min() ?? .zero)
        let rate = Double(world.samples.count) / span.seconds
        let expected = Double(streams) / 0.04
        #expect(abs(rate / expected - 1) <= 0.1, "\(rate) instead of \(expected) a second")
    }

    @Test func `an open loop sends each request when it is due`() throws {
        let world = try RequestWorld(500, arrivals: .constant(Rate(perSecond: 1_000)))
        world.prepare = Self.accepting(world)
        world.run()
        world.expectOrder()
        #expect(world.now >= .zero + .milliseconds(499))
        #expect(world.now <= .zero + .milliseconds(520))
        for (sample, _) in world.samples where sample.sequence > 50 {
            let lag = sample.writtenAt - (.zero + .milliseconds(Int64(sample.sequence)))
            #expect(lag >= .zero && lag <= .milliseconds(3), "\(sample.sequence): \(lag)")
        }
    }

    @Test func `a new authorization is what later requests carry`() throws {
        let world = try RequestWorld(400) { $0.streams = 10 }
        world.prepare = Self.accepting(world, after: .milliseconds(1))
        world.after(.milliseconds(50)) { [unowned world] in world.session.setAuthorization(Array("bearer new".utf8)) }
        world.run()
        world.expectOrder()
        let values = world.gateway.requests.map { $0.authorization ?? "" }
        let first = try #require(values.firstIndex(of: "bearer new"))
        #expect(values[..<first].allSatisfy { $0 == "bearer abc" })
        #expect(values[first...].allSatisfy { $0 == "bearer new" })
        #expect(first > 10)
    }

    // C47
    @Test func `a device token that is gone is rejected with its time in milliseconds`() throws {
        let world = try RequestWorld(1)
        world.prepare = { gateway in
            gateway.announce()
            gateway.onRequest = { [unowned gateway] request in
                gateway.refuse(
                    request.streamID, status: 410, body: #"{"reason":"Unregistered","timestamp":1454948015990}"#)
            }
        }
        world.run()
        world.expectOrder(accepted: 0)
        let refusal = try #require(
            world.requestEvents.compactMap { if case .refused(let refusal, _) = $0 { refusal } else { nil } }.first)
        #expect(refusal.timestampMilliseconds == 1_454_948_015_990)
        #expect(refusal.reason == .known(.unregistered))
        #expect(refusal.status == 410)
        #expect(world.ledger.count(of: .rejected) == 1)
    }
}
