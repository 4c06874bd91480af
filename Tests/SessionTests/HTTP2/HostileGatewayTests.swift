import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// What a gateway can do to a session of the provider API: neither crash it nor hang it nor make it grow, and never unbalance the book.
@Suite struct HostileGatewayTests {
    /// A gateway of which only the first connection is hostile, once 20 requests are open.
    private static func world(
        _ change: (inout RequestPlan) -> Void = { _ in }, _ attack: @escaping (RequestWorld, ScriptedGateway) -> Void
    ) throws -> RequestWorld {
        let world = try RequestWorld(100) {
            $0.provesAuthorization = false
            change(&$0)
        }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 20 }
            gateway.onRequest = { [unowned gateway] request in
                guard gateway.index == 0 else { return gateway.accept(request.streamID) }
                if request.number == 19 { attack(world, gateway) }
            }
        }
        world.run(for: .seconds(120))
        return world
    }

    private static func violations(_ world: RequestWorld) -> [HTTP2Violation] {
        world.requestEvents.compactMap { if case .violation(let violation, _) = $0 { violation } else { nil } }
    }

    /// The attack costs the first connection, the gateway is told why, and the second one carries on.
    private static func expectRefusal(
        _ world: RequestWorld, _ rule: HTTP2Rule, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(violations(world) == [HTTP2Violation(rule)], sourceLocation: sourceLocation)
        #expect(world.gateways.count == 2, sourceLocation: sourceLocation)
        #expect(world.gateways[0].goAways == [rule.code], sourceLocation: sourceLocation)
        #expect(world.ledger.requests.violations == [rule: 1], sourceLocation: sourceLocation)
        #expect(world.ledger.lostConnections == [.closedHere: 1], sourceLocation: sourceLocation)
        let unknown = world.ledger.count(of: .unknown)
        #expect(unknown <= 20, sourceLocation: sourceLocation)
        world.expectOrder(accepted: 100 - unknown, sourceLocation: sourceLocation)
    }

    @Test func `a frame that is too long`() throws {
        let world = try Self.world { _, gateway in gateway.output += [1, 0, 0, 0, 0, 0, 0, 0, 1] }
        Self.expectRefusal(world, .frameSizeLimit)
    }

    @Test func `a header block that cannot be decoded`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.headers, [.endHeaders, .endStream], stream: 1, payload: [0xBE])
        }
        Self.expectRefusal(world, .fieldIndex)
    }

    @Test func `a table that we did not allow`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.headers, [.endHeaders, .endStream], stream: 1, payload: [0x3F, 0xE1, 0x1F, 0x88])
        }
        Self.expectRefusal(world, .tableSize)
    }

    @Test func `a flood of continuations`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.headers, stream: 1, payload: [0x88])
            for _ in 0..<100_000 { gateway.frame(.continuation, stream: 1) }
        }
        Self.expectRefusal(world, .continuationCount)
    }

    @Test func `a header list without end`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.headers, stream: 1, payload: [UInt8](repeating: 0x88, count: 16_384))
            gateway.frame(.continuation, stream: 1, payload: [UInt8](repeating: 0x88, count: 16_384))
            gateway.frame(.continuation, stream: 1, payload: [0x88])
        }
        Self.expectRefusal(world, .headerBlockSize)
    }

    @Test func `a flood of settings`() throws {
        let world = try Self.world { _, gateway in for _ in 0..<10_000 { gateway.frame(.settings) } }
        Self.expectRefusal(world, .flood(.settings))
    }

    @Test func `a flood of pings`() throws {
        let world = try Self.world { _, gateway in
            for _ in 0..<10_000 { gateway.frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8]) }
        }
        Self.expectRefusal(world, .flood(.ping))
        #expect(world.gateways[0].pongs.count <= 100 + 20)
    }

    @Test(arguments: [0, 1, 39] as [UInt32])
    func `a flood of window updates`(stream: UInt32) throws {
        let world = try Self.world { _, gateway in
            for _ in 0..<11_000 { gateway.widen(by: 1, stream: stream) }
        }
        Self.expectRefusal(world, .flood(.windowUpdate))
    }

    @Test(arguments: [HTTP2FrameType.settings, .ping, .priority])
    func `a flood of frames that are no news`(type: HTTP2FrameType) throws {
        let payload: [UInt8] = type == .settings ? [] : type == .ping ? [0, 0, 0, 0, 0, 0, 0, 1] : [0, 0, 0, 0, 1]
        let world = try Self.world { _, gateway in
            for _ in 0..<2_000 {
                gateway.frame(
                    type, type == .priority ? [] : .acknowledgement, stream: type == .priority ? 1 : 0, payload: payload
                )
            }
        }
        Self.expectRefusal(world, .flood(.idleFrame))
    }

    @Test func `a flood of goodbyes`() throws {
        let world = try Self.world { _, gateway in
            for _ in 0..<100_000 { gateway.goAway(last: HTTP2FrameHeader.lastStreamID) }
        }
        #expect(Self.violations(world) == [HTTP2Violation(.flood(.idleFrame))])
        #expect(world.ledger.requests.goAways.values.reduce(0, +) < 2_000)
        world.expectOrder(accepted: 100 - world.ledger.count(of: .unknown))
    }

    @Test func `a gateway that widens its windows with every request is no flood`() throws {
        let world = try RequestWorld(20_000) { $0.streams = 20 }
        world.prepare = { gateway in
            gateway.announce { $0.maxConcurrentStreams = 20 }
            gateway.replenishes = false
            gateway.onRequest = { [unowned gateway] request in
                for stream in [0, request.streamID] {
                    for _ in 0..<2 { gateway.widen(by: 50, stream: stream) }
                }
                gateway.frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 1])
                gateway.accept(request.streamID)
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateways.count == 1 && Self.violations(world).isEmpty)
    }

    @Test(arguments: [1, 3, 40] as [UInt32])
    func `a gateway with the narrowest window may widen it after each frame`(window: UInt32) throws {
        let world = try RequestWorld(400, payload: 300) { $0.streams = 20 }
        world.prepare = { gateway in
            gateway.announce {
                $0.maxConcurrentStreams = 20
                $0.initialWindowSize = window
            }
            gateway.onData = { [unowned gateway] stream, count in
                for id in [0, stream] { gateway.widen(by: UInt32(count), stream: id) }
            }
            gateway.replenishes = false
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateways.count == 1 && Self.violations(world).isEmpty)
    }

    @Test func `answers to pings that were asked for are no flood`() throws {
        let world = try RequestWorld(1, payload: 100) {
            $0.pingAfter = .milliseconds(1)
            $0.requestTimeout = .seconds(100)
        }
        world.latency = .microseconds(10)
        world.prepare = { [unowned world] gateway in
            gateway.answersPings = true
            gateway.onRequest = { [unowned gateway] request in
                world.after(.seconds(5)) { gateway.accept(request.streamID) }
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateway.pings.count > 2_000 && Self.violations(world).isEmpty)
    }

    @Test func `a request whose body did not leave whole is none of the unproven, and goes again`() throws {
        let world = try Self.world { _, gateway in gateway.frame(.settings, payload: [0]) }
        #expect(world.ledger.count(of: .unknown) > 0, "those that left whole are")
        let divided = try RequestWorld(40, payload: 300) { $0.provesAuthorization = false }
        divided.prepare = { [unowned divided] gateway in
            gateway.announce {
                $0.maxConcurrentStreams = 20
                if gateway.index == 0 { $0.initialWindowSize = 100 }
            }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
            guard gateway.index == 0 else { return }
            divided.after(.milliseconds(50)) { gateway.frame(.settings, payload: [0]) }
        }
        divided.run()
        divided.expectOrder()
        #expect(divided.gateways.count == 2 && divided.ledger.lostConnections == [.closedHere: 1])
    }

    @Test func `a flood of empty data`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.headers, .endHeaders, stream: 1, payload: [0x88])
            for _ in 0..<10_000 { gateway.frame(.data, stream: 1) }
        }
        Self.expectRefusal(world, .flood(.idleFrame))
    }

    @Test func `a flood of interim responses`() throws {
        let world = try Self.world { _, gateway in
            for _ in 0..<10_000 {
                gateway.frame(.headers, .endHeaders, stream: 1, payload: [0x08, 3, 0x31, 0x30, 0x33])
            }
        }
        Self.expectRefusal(world, .flood(.idleFrame))
    }

    @Test func `a flood of malformed responses`() throws {
        var plan = HTTP2FloodLimits()
        plan.reset = HTTP2FloodLimit(burst: 10, perSecond: 1)
        let world = try Self.world({ $0.floods = plan }) { _, gateway in
            for stream in stride(from: 1 as UInt32, to: 40, by: 2) {
                gateway.frame(.headers, [.endHeaders, .endStream], stream: stream, payload: [0x84])
            }
        }
        #expect(Self.violations(world).filter { $0.rule == .malformedMessage }.count == 11)
        #expect(Self.violations(world).last == HTTP2Violation(.flood(.reset)))
        #expect(world.gateways.count == 2)
        world.expectOrder(accepted: 100 - world.ledger.count(of: .unknown))
    }

    @Test(arguments: [
        (HTTP2FrameType.headers, 41 as UInt32), (.headers, 2), (.data, 1_001), (.resetStream, 43), (.windowUpdate, 45),
    ])
    func `a frame about a stream that never was`(type: HTTP2FrameType, stream: UInt32) throws {
        let world = try Self.world { _, gateway in
            gateway.frame(type, type == .headers ? .endHeaders : [], stream: stream, payload: [0, 0, 0, 1])
        }
        Self.expectRefusal(world, .idleStream)
    }

    @Test func `a window that overflows`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.windowUpdate, payload: [0x7F, 0xFF, 0xFF, 0xFF])
        }
        Self.expectRefusal(world, .windowOverflow)
    }

    @Test func `an initial window that is no window`() throws {
        let world = try Self.world { _, gateway in gateway.frame(.settings, payload: [0, 4, 0xFF, 0xFF, 0xFF, 0xFF]) }
        Self.expectRefusal(world, .initialWindowSize)
    }

    @Test func `the body of a refusal that goes on and on is cut, and room for others is given back`() throws {
        let world = try Self.world { _, gateway in
            gateway.frame(.headers, .endHeaders, stream: 1, payload: [0x8C])
            for _ in 0..<3 { gateway.frame(.data, stream: 1, payload: [UInt8](repeating: 0x20, count: 16_384)) }
            gateway.frame(.data, .endStream, stream: 1, payload: Array(#"{"reason":"BadTopic"}"#.utf8))
            for stream in gateway.open.sorted() where stream > 1 { gateway.accept(stream) }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.expectOrder(accepted: 99)
        #expect(world.gateways.count == 1)
        #expect(world.ledger.requests.refusals == [.init(status: 400, name: "400"): 1], "a body that long is no reason")
    }

    @Test func `settings of the largest values change nothing`() throws {
        let world = try Self.world { _, gateway in
            gateway.announce {
                $0.headerTableSize = .max
                $0.maxConcurrentStreams = .max
                $0.initialWindowSize = 0x7FFF_FFFF
                $0.maxFrameSize = 0xFF_FFFF
                $0.maxHeaderListSize = 1 << 24
            }
            for stream in gateway.open.sorted() { gateway.accept(stream) }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.expectOrder()
        #expect(world.gateways.count == 1)
    }

    @Test func `settings that change all the time leave the requests readable`() throws {
        let world = try RequestWorld(2_000) { $0.floods.settings = HTTP2FloodLimit(burst: 10_000, perSecond: 1_000) }
        var random = SeededRandom(seed: 3)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 20 }
            gateway.onRequest = { [unowned gateway] request in
                if random.below(10) == 0 {
                    gateway.announce {
                        $0.maxConcurrentStreams = 1 + UInt32(random.below(40))
                        $0.initialWindowSize = 50 + UInt32(random.below(1_000))
                    }
                }
                world.after(.milliseconds(1)) { gateway.accept(request.streamID) }
            }
            gateway.onOpen = { [unowned gateway] stream in
                gateway.widen(by: 1_000, stream: stream)
                return true
            }
        }
        world.run()
        world.expectOrder()
        #expect(world.gateway.requests.allSatisfy { $0.body.count == 100 })
    }

    @Test func `a gateway that never announces its settings gets one request after the other`() throws {
        let world = try RequestWorld(30)
        world.prepare = { gateway in
            gateway.frame(.settings)
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run()
        world.expectOrder()
    }

    @Test func `a gateway that answers nothing costs each request its time and no more`() throws {
        let world = try RequestWorld(30) {
            $0.requestTimeout = .seconds(1)
            $0.provesAuthorization = false
        }
        world.prepare = { gateway in gateway.announce { $0.maxConcurrentStreams = 10 } }
        world.run(for: .seconds(60))
        world.expectOrder(accepted: 0)
        #expect(world.ledger.requests.timedOut == 30)
        #expect(world.ledger.count(of: .unknown) == 30)
        #expect(world.now < .zero + .seconds(5))
        #expect(world.gateways.flatMap(\.resets).map(\.code) == [HTTP2ErrorCode](repeating: .cancel, count: 30))
    }

    @Test func `answers of every wrong kind leave the book balanced`() throws {
        let payloads: [[UInt8]] = [[0x84], [0x8C], [0x08, 3, 0x31, 0x30, 0x30], [], [0x20], [0x88, 0x88]]
        let world = try RequestWorld(300) { $0.requestTimeout = .seconds(1) }
        var random = SeededRandom(seed: 11)
        world.prepare = { gateway in
            gateway.announce { $0.maxConcurrentStreams = 10 }
            gateway.onRequest = { [unowned gateway] request in
                let payload = payloads[Int(random.below(6))]
                gateway.frame(
                    .headers, random.below(2) == 0 ? [.endHeaders, .endStream] : .endHeaders, stream: request.streamID,
                    payload: payload)
                if random.below(2) == 0 { gateway.frame(.data, .endStream, stream: request.streamID, payload: [0x7B]) }
            }
        }
        world.run()
        world.expectOrder(accepted: world.ledger.count(of: .accepted))
        #expect(world.ledger.count(of: .accepted) > 0)
        #expect(world.ledger.count(of: .rejected) > 0)
        #expect(world.ledger.count(of: .unknown) > 0)
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4, 5, 6, 7, 8])
    func `whatever bytes come, the session comes to its end and the book balances`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for round in 0..<25 {
            let world = try RequestWorld(60) {
                $0.requestTimeout = .milliseconds(300)
                $0.streams = 8
            }
            world.pieceLimit = 1 + Int(random.below(40))
            world.prepare = { [unowned world] gateway in
                if random.below(8) > 0 { gateway.announce { $0.maxConcurrentStreams = UInt32(random.below(12)) } }
                gateway.onRequest = { [unowned gateway] request in
                    switch random.below(8) {
                    case 0, 1, 2: gateway.accept(request.streamID)
                    case 3:
                        gateway.frame(
                            HTTP2FrameType(code: UInt8(random.below(11))),
                            HTTP2Flags(rawValue: UInt8(truncatingIfNeeded: random.next())),
                            stream: UInt32(random.below(30)),
                            payload: (0..<Int(random.below(20))).map { _ in UInt8(truncatingIfNeeded: random.next()) })
                    case 4:
                        gateway.output += (0..<Int(random.below(30))).map { _ in
                            UInt8(truncatingIfNeeded: random.next())
                        }
                    case 5:
                        gateway.goAway(
                            last: UInt32(random.below(40)), code: HTTP2ErrorCode(rawValue: UInt32(random.below(12))))
                    case 6: world.close(gateway, random.below(2) == 0 ? .reset : .closedByPeer)
                    default: gateway.reset(request.streamID, HTTP2ErrorCode(rawValue: UInt32(random.below(14))))
                    }
                }
            }
            world.run(for: .seconds(30))
            world.abandon()
            #expect(world.session.isFinished)
            world.ledger.recordUnsent(
                SequenceRun(start: world.supply.claimedCount, count: 60 - world.supply.claimedCount))
            #expect(world.ledger.isBalanced(generated: 60), "seed \(seed), round \(round)")
            #expect(world.gateways.flatMap(\.breaches) == [], "seed \(seed), round \(round)")
        }
    }
}
