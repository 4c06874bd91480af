import Glibc
import Harness
import Primitives
import PushWire
import RunRecords
import Testing
import Transport

extension PatientEndToEndTests {
    /// Providers that do not keep to the protocol: the simulator answers what it must, keeps little, and serves the next one.
    @Suite struct HostileProviderTests {
        private static func server(_ simulator: String = "") async throws -> SimulatorServer {
            let profile = try Profile.read(
                text: "{ target: { simulator: { \(simulator) } } }", source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            return try await SimulatorServer(profile: profile, settings: settings)
        }

        /// A well-formed notification of a given form.
        private static func frame(_ identifier: UInt32, token: Int = 32, payload: Int = 20) -> [UInt8] {
            func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
                withUnsafeBytes(of: number.bigEndian) { Array($0) }
            }
            return [1] + bytes(identifier) + bytes(UInt32(0)) + bytes(UInt16(token))
                + [UInt8](repeating: 0xAB, count: token) + bytes(UInt16(payload))
                + [UInt8](repeating: 0x20, count: payload)
        }

        /// The simulator still serves a decent client.
        private static func expectAlive(_ server: SimulatorServer, sourceLocation: SourceLocation = #_sourceLocation)
            async throws
        {
            let run = try Run(
                """
                { target: { host: "127.0.0.1", port: \(server.port), tls: { verify: false } },
                  workload: { notifications: 500 }, sender: { connections: 2 } }
                """)
            let record = try await run.record()
            #expect(record.ledger.accepted == 500, sourceLocation: sourceLocation)
            #expect(record.ledger.proof.sentinel == 500, sourceLocation: sourceLocation)
        }

        /// A stream and the reply that it earns.
        struct Stream: CustomTestStringConvertible, Sendable {
            var testDescription: String
            var bytes: [UInt8]
            var reply: [UInt8]
        }

        private static let streams = [
            Stream(testDescription: "garbage", bytes: [0x47, 0x45, 0x54, 0x20], reply: [8, 128, 0, 0, 0, 0]),
            Stream(
                testDescription: "zeros: a command 0 without a token, which has no identifier to answer with",
                bytes: [UInt8](repeating: 0, count: 70_000), reply: []),
            Stream(
                testDescription: "C11: a command 2 with an empty token before its identifier",
                bytes: [2, 0, 0, 0, 10, 1, 0, 0, 3, 0, 4, 0, 0, 0, 9] + frame(1), reply: [8, 2, 0, 0, 0, 0]),
            Stream(
                testDescription: "a command 2 of four gigabytes with an item that nobody knows",
                bytes: [2, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 4, 0, 0, 0, 9, 7, 0, 0], reply: [8, 128, 0, 0, 0, 9]),
            Stream(testDescription: "no token", bytes: frame(5, token: 0), reply: [8, 2, 0, 0, 0, 5]),
            Stream(testDescription: "31 bytes of token", bytes: frame(6, token: 31), reply: [8, 5, 0, 0, 0, 6]),
            Stream(testDescription: "longest token", bytes: frame(7, token: 65_535), reply: [8, 5, 0, 0, 0, 7]),
            Stream(testDescription: "no payload", bytes: frame(8, payload: 0), reply: [8, 4, 0, 0, 0, 8]),
            Stream(testDescription: "longest payload", bytes: frame(9, payload: 65_535), reply: [8, 7, 0, 0, 0, 9]),
            Stream(
                testDescription: "the head of a long token", bytes: Array(frame(10, token: 65_535).prefix(11)),
                reply: [8, 5, 0, 0, 0, 10]),
            Stream(
                testDescription: "good ones before a bad one",
                bytes: frame(1) + frame(2) + frame(3, token: 0) + frame(4),
                reply: [8, 2, 0, 0, 0, 3]),
            Stream(
                testDescription: "identifier 0", bytes: frame(0, token: 0), reply: [8, 2, 0, 0, 0, 0]),
        ]

        @Test(arguments: streams)
        func `a wrong stream earns the reply of its fault, if any, and a close in order`(stream: Stream) async throws {
            let server = try await Self.server()
            let provider = try HostileProvider(port: server.port, authorityPEM: server.authorityPEM)
            let seen = await provider.send(stream.bytes)
            #expect(seen.received == stream.reply)
            #expect(seen.end == .closedByPeer)
            await provider.close()
            await server.shutDown()
        }

        @Test func `a wrong stream that goes on without end is read away and not kept`() async throws {
            let server = try await Self.server(#"faults: [{ fault: "replyDelay", delay: "1s" }]"#)
            let provider = try HostileProvider(port: server.port, authorityPEM: server.authorityPEM)
            // One refused frame, and then 48 MiB that say they belong to frames of the longest lengths.
            let bytes =
                Self.frame(1, token: 0) + (0..<384).flatMap { Self.frame(2 + $0, token: 65_535, payload: 65_535) }
            let before = Self.residentBytes()
            let seen = await provider.send(bytes)
            #expect(seen.received == [8, 2, 0, 0, 0, 1])
            #expect(Self.residentBytes() - before < 24 << 20, "the sender's own copies are there already")
            #expect(await server.result().ledger.discarded == 384)
            await provider.close()
            await server.shutDown()
        }

        @Test func `half a notification and then the end is nobody's acceptance`() async throws {
            let server = try await Self.server()
            let provider = try HostileProvider(port: server.port, authorityPEM: server.authorityPEM)
            let frame = Self.frame(1)
            for closing in [LinkClosing.graceful(drain: .milliseconds(100)), .abrupt, .reset] {
                for cut in [1, 10, 11, 12, 43, 45, frame.count - 1] {
                    _ = await provider.send(Array(frame.prefix(cut)), closing: closing)
                }
            }
            #expect(await server.result().ledger.received == 0)
            try await Self.expectAlive(server)
            await provider.close()
            await server.shutDown()
        }

        @Test func `garbage instead of TLS ends the connection and nothing else`() async throws {
            let server = try await Self.server()
            var random = SeededRandom(seed: 11)
            for round in 0..<200 {
                let descriptor = try Loopback.connect(port: server.port)
                // Half of them begin like a TLS record, so that the library looks further.
                var bytes = (0..<Int(1 + random.below(3_000))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if round % 2 == 0 { bytes = [0x16, 0x03, 0x01] + bytes }
                _ = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                close(descriptor)
            }
            try await Self.expectAlive(server)
            #expect(await server.result().ledger.connectionsAccepted == 2, "only whole handshakes count")
            await server.shutDown()
        }

        @Test func `thousands of connections meet the bound, and clients are served once they are gone`() async throws {
            let server = try await Self.server("maxConnections: 50")
            var descriptors: [Int32] = []
            for _ in 0..<2_000 { descriptors.append(try Loopback.connect(port: server.port)) }
            // The simulator closes those above the bound: reading from them ends.
            let last = Array(descriptors.suffix(500))
            let turnedAway = try await aside { last.filter(Loopback.isEndedByPeer).count }
            #expect(turnedAway == 500)
            for descriptor in descriptors { close(descriptor) }
            try await Self.expectAlive(server)
            #expect(await server.result().ledger.connectionsRefused >= 1_950)
            await server.shutDown()
        }

        @Test func `a handshake that never comes is given up`() async throws {
            let server = try await Self.server("maxConnections: 3")
            let slow = try (0..<3).map { _ in try Loopback.connect(port: server.port) }
            // All places are taken by peers that say nothing, or only half of a record's head.
            _ = [0x16, 0x03].withUnsafeBytes { send(slow[0], $0.baseAddress, 2, Int32(MSG_NOSIGNAL)) }
            let ended = try await aside { slow.map(Loopback.isEndedByPeer) }
            #expect(ended == [true, true, true], "the simulator closes them after its time-out")
            for descriptor in slow { close(descriptor) }
            try await Self.expectAlive(server)
            await server.shutDown()
        }

        /// What this process, in which the simulator runs here, has in memory.
        static func residentBytes() -> Int {
            var text = [UInt8](repeating: 0, count: 256)
            let descriptor = open("/proc/self/statm", O_RDONLY)
            defer { close(descriptor) }
            let count = read(descriptor, &text, text.count)
            let fields = String(decoding: text[..<max(0, count)], as: UTF8.self).split(separator: " ")
            return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}
