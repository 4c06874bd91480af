import Harness
import Primitives
import PushWire
import RunRecords
import Testing
import Transport

/// Frames as a hostile peer of HTTP/2 writes them.
enum RawFrames {
    static let settings: UInt8 = 4

    static func frame(_ type: UInt8, _ flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) -> [UInt8] {
        head(type, flags, stream: stream, length: payload.count) + payload
    }

    /// A frame's head that may announce more than ever comes.
    static func head(_ type: UInt8, _ flags: UInt8 = 0, stream: UInt32 = 0, length: Int) -> [UInt8] {
        [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
            + withUnsafeBytes(of: stream.bigEndian) { Array($0) }
    }

    /// A frame of SETTINGS with one setting.
    static func setting(_ identifier: UInt8, _ value: UInt32) -> [UInt8] {
        frame(settings, payload: [0, identifier] + withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }

    static func repeated(_ frame: [UInt8], _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frame.count * count)
        for _ in 0..<count { bytes += frame }
        return bytes
    }
}

extension PatientEndToEndTests {
    /// Gateways that do not keep to HTTP/2, over real TLS: every run ends, in bounded time and memory, with a balanced book.
    @Suite struct HTTP2HostileGatewayTests {
        /// What a gateway sends at once, and the violation by which the record names it; nil where it breaks no rule.
        struct Attack: Sendable {
            var name: String
            var bytes: [UInt8]
            var violation: String?
        }

        private static let greeting = RawFrames.frame(RawFrames.settings)

        private static let attacks = [
            Attack(
                name: "no HTTP/2 at all", bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
                violation: ""),
            Attack(
                name: "SETTINGS of 16 MiB",
                bytes: RawFrames.head(4, length: 0xFF_FFFF) + [UInt8](repeating: 0, count: 1 << 20),
                violation: "FRAME_SIZE_ERROR"),
            Attack(
                name: "a frame of 16 MiB",
                bytes: greeting + RawFrames.head(0, stream: 1, length: 0xFF_FFFF)
                    + [UInt8](repeating: 0, count: 1 << 20),
                violation: "FRAME_SIZE_ERROR"),
            Attack(
                name: "a flood of SETTINGS", bytes: RawFrames.repeated(RawFrames.setting(3, 100), 200_000),
                violation: "ENHANCE_YOUR_CALM"),
            Attack(
                name: "a flood of PING",
                bytes: greeting
                    + RawFrames.repeated(RawFrames.frame(6, payload: [UInt8](repeating: 0, count: 8)), 200_000),
                violation: "ENHANCE_YOUR_CALM"),
            Attack(
                name: "a flood of CONTINUATION",
                bytes: greeting + RawFrames.frame(1, 0, stream: 1, payload: [0x88])
                    + RawFrames.repeated(RawFrames.frame(9, 0, stream: 1, payload: [0x00]), 100_000),
                violation: "ENHANCE_YOUR_CALM"),
            Attack(
                name: "a flood of header fields",
                bytes: greeting + RawFrames.frame(1, 0, stream: 1, payload: [UInt8](repeating: 0x88, count: 16_384))
                    + RawFrames.repeated(
                        RawFrames.frame(9, 0, stream: 1, payload: [UInt8](repeating: 0x88, count: 16_384)), 200),
                violation: "ENHANCE_YOUR_CALM"),
            Attack(
                name: "a header block that is none",
                bytes: greeting + RawFrames.frame(1, 5, stream: 1, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
                violation: "COMPRESSION_ERROR"),
            Attack(
                name: "a window that overflows",
                bytes: greeting + RawFrames.frame(8, payload: [0x7F, 0xFF, 0xFF, 0xFF])
                    + RawFrames.frame(8, payload: [0x7F, 0xFF, 0xFF, 0xFF]),
                violation: "FLOW_CONTROL_ERROR"),
            Attack(
                name: "a flood of RST_STREAM",
                bytes: greeting + RawFrames.repeated(RawFrames.frame(3, stream: 1, payload: [0, 0, 0, 8]), 200_000),
                violation: "ENHANCE_YOUR_CALM"),
            Attack(
                name: "malformed frames", bytes: greeting + RawFrames.frame(6, payload: [1, 2, 3]),
                violation: "FRAME_SIZE_ERROR"),
            Attack(
                name: "a stream that never was",
                bytes: greeting + RawFrames.frame(3, stream: 99, payload: [0, 0, 0, 8]),
                violation: "PROTOCOL_ERROR"),
            Attack(name: "no word", bytes: [], violation: nil),
            Attack(name: "settings and no more word", bytes: greeting, violation: nil),
            Attack(name: "no streams", bytes: RawFrames.setting(3, 0), violation: nil),
            Attack(name: "windows of zero", bytes: RawFrames.setting(4, 0), violation: nil),
        ]

        private static func run(
            _ script: @escaping @Sendable (ScriptedPeer, Int) -> Void, notifications: Int = 2
        ) async throws -> RunRecord {
            let gateway = try HostileGateway(applicationProtocols: ["h2"], script)
            var run = try Run(
                """
                { \(gateway.target), protocol: "http2", workload: { notifications: \(notifications) },
                  sender: { connections: 2, connectTimeout: "500ms", handshakeTimeout: "500ms",
                            http2: { authentication: "certificate", requestTimeout: "150ms" },
                            reconnect: { base: "10ms", cap: "50ms", attemptsPerSecond: "1000/s" } },
                  phases: { drain: "500ms" } }
                """)
            run.outageLimit = .seconds(1)
            let before = HostileProviderTests.residentBytes()
            let start = ContinuousClock.now
            let record = try await run.record()
            await gateway.close()
            #expect((ContinuousClock.now - start) < .seconds(20))
            #expect(HostileProviderTests.residentBytes() - before < 96 << 20, "the test's own copies are there, too")
            #expect(record.simulatorLedger == nil)
            return record
        }

        // By number, since the testing library looks into every byte of an argument.
        @Test(arguments: attacks.indices)
        func `whatever a gateway sends, the run ends and the book balances`(number: Int) async throws {
            let attack = Self.attacks[number]
            let (name, bytes) = (attack.name, attack.bytes)
            let record = try await Self.run { peer, _ in
                peer.keepsReceived = false
                var isFirst = true
                peer.answer = { input in
                    // Behind the sender's preface, so that nothing comes before the connection stands.
                    guard isFirst, !input.isEmpty else { return ([], nil) }
                    isFirst = false
                    return (bytes, nil)
                }
            }
            #expect(record.ledger.accepted == 0, "\(name)")
            #expect(record.verdict.status != .passed, "\(name)")
            if let violation = attack.violation {
                #expect(
                    record.errors.contains { $0.name.hasPrefix("violation \(violation)") }, "\(name): \(record.errors)")
            }
        }

        @Test func `a body without end behind a refusal is cut, and the refusal counts`() async throws {
            let record = try await Self.run(
                { peer, _ in
                    var isFirst = true
                    peer.keepsReceived = false
                    peer.answer = { input in
                        guard isFirst, !input.isEmpty else { return ([], nil) }
                        isFirst = false
                        // :status 400, and a body as long as the stream's window allows, without an end.
                        let body = RawFrames.frame(0, stream: 1, payload: [UInt8](repeating: 0x20, count: 16_383))
                        return (
                            Self.greeting + RawFrames.frame(1, 4, stream: 1, payload: [0x8C])
                                + RawFrames.repeated(body, 4), nil
                        )
                    }
                }, notifications: 2)
            #expect(record.errorCount(400) >= 1, "\(record.errors)")
            #expect(record.ledger.rejected >= 1)
        }

        @Test(arguments: [[], ["http/1.1"]])
        func `a target that did not choose HTTP/2 is told apart, and the run ends at once`(protocols: [String])
            async throws
        {
            let gateway = try HostileGateway(applicationProtocols: protocols) { _, _ in }
            let run = try Run(
                """
                { \(gateway.target), protocol: "http2", workload: { notifications: 10 },
                  sender: { connections: 1, http2: { authentication: "certificate" }, reconnect: { base: "10ms" } } }
                """)
            let record = try await run.record()
            await gateway.close()
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            let text = record.verdict.reasons.joined(separator: "; ")
            #expect(text.contains("does not speak HTTP/2"), "\(text)")
            // One server ignores what it does not know, the other refuses it (RFC 7301 section 3.2).
            let why = protocols.isEmpty ? "chose no protocol by ALPN" : "the alert 120 (no application protocol)"
            #expect(text.contains(why), "\(text)")
            #expect(record.ledger.unsent == 10)
        }
    }

    /// Providers that do not keep to HTTP/2, over real TLS: the simulator ends their connections and serves the next one.
    @Suite struct HTTP2HostileProviderTests {
        private static func server(_ simulator: String = "") async throws -> SimulatorServer {
            let profile = try Profile.read(
                text: """
                    { target: { simulator: { http2: { authentication: "none", prefaceTimeout: "500ms" } \(simulator) } } }
                    """, source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            return try await SimulatorServer(profile: profile, settings: settings)
        }

        private static func expectAlive(_ server: SimulatorServer, sourceLocation: SourceLocation = #_sourceLocation)
            async throws
        {
            let run = try Run(
                """
                { target: { host: "127.0.0.1", port: \(server.http2Port), tls: { verify: false } }, protocol: "http2",
                  workload: { notifications: 300 }, sender: { connections: 1, http2: { authentication: "certificate" } } }
                """)
            let record = try await run.record()
            #expect(record.ledger.accepted == 300, sourceLocation: sourceLocation)
        }

        private static let preface =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + RawFrames.frame(RawFrames.settings)

        /// A request's header block without body: POST, https and a path that is none.
        private static let headers: [UInt8] = [0x83, 0x87, 0x84]

        private static func rapidReset(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { index -> [UInt8] in
                let stream = UInt32(2 * index + 1)
                return RawFrames.frame(1, 5, stream: stream, payload: headers)
                    + RawFrames.frame(3, stream: stream, payload: [0, 0, 0, 8])
            }
        }

        private static let attacks: [(name: String, bytes: [UInt8])] = [
            ("no preface", Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)),
            ("half a preface", Array(preface.prefix(11))),
            (
                "SETTINGS of 16 MiB",
                preface + RawFrames.head(4, length: 0xFF_FFFF) + [UInt8](repeating: 0, count: 1 << 20)
            ),
            ("a flood of SETTINGS", preface + RawFrames.repeated(RawFrames.setting(3, 100), 200_000)),
            (
                "a flood of PING",
                preface + RawFrames.repeated(RawFrames.frame(6, payload: [UInt8](repeating: 0, count: 8)), 200_000)
            ),
            (
                "a flood of CONTINUATION",
                preface + RawFrames.frame(1, 0, stream: 1, payload: headers)
                    + RawFrames.repeated(RawFrames.frame(9, 0, stream: 1, payload: [0x83]), 100_000)
            ),
            (
                "a flood of header fields",
                preface + RawFrames.frame(1, 0, stream: 1, payload: headers)
                    + RawFrames.repeated(
                        RawFrames.frame(9, 0, stream: 1, payload: [UInt8](repeating: 0x84, count: 16_384)), 200)
            ),
            ("rapid reset", preface + rapidReset(100_000)),
            (
                "a header block that is none",
                preface + RawFrames.frame(1, 5, stream: 1, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
            ),
            ("malformed frames", preface + RawFrames.frame(6, payload: [1, 2, 3])),
            ("a stream of even number", preface + RawFrames.frame(1, 5, stream: 2, payload: headers)),
            (
                "a window that overflows",
                preface + RawFrames.repeated(RawFrames.frame(8, payload: [0x7F, 0xFF, 0xFF, 0xFF]), 2)
            ),
        ]

        @Test(arguments: attacks.indices)
        func `whatever a provider sends, its connection ends soon and the next one is served`(number: Int) async throws
        {
            let attack = Self.attacks[number]
            let server = try await Self.server()
            let provider = try HostileProvider(port: server.http2Port, authorityPEM: server.authorityPEM)
            let before = HostileProviderTests.residentBytes()
            let start = ContinuousClock.now
            let seen = await provider.send(attack.bytes)
            #expect(ContinuousClock.now - start < .seconds(10), "\(attack.name)")
            #expect([LinkEnd.closedByPeer, .reset].contains(seen.end), "\(attack.name): \(seen.end)")
            #expect(HostileProviderTests.residentBytes() - before < 48 << 20, "\(attack.name)")
            try await Self.expectAlive(server)
            await provider.close()
            await server.shutDown()
        }

        @Test func `answers for which a provider gives no window are kept within bounds`() async throws {
            let server = try await Self.server()
            let provider = try HostileProvider(port: server.http2Port, authorityPEM: server.authorityPEM)
            let before = HostileProviderTests.residentBytes()
            // A window of zero, and 20,000 requests whose refusals have a body: only as many wait as streams may be open.
            let requests = (0..<20_000).flatMap {
                RawFrames.frame(1, 5, stream: UInt32(2 * $0 + 1), payload: Self.headers)
            }
            let bytes =
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + RawFrames.setting(4, 0) + requests
                + RawFrames.head(4, length: 0xFF_FFFF)
            let seen = await provider.send(bytes)
            #expect([LinkEnd.closedByPeer, .reset].contains(seen.end), "the last frame ends it: \(seen.end)")
            #expect(HostileProviderTests.residentBytes() - before < 48 << 20)
            let http2 = try #require(await server.result().ledger.http2)
            #expect(http2.maxOpenStreams <= 1_000 && http2.refusedStreams >= 18_000, "\(http2)")
            try await Self.expectAlive(server)
            await provider.close()
            await server.shutDown()
        }
    }
}
