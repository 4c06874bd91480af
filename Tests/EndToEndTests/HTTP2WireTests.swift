import Glibc
import Harness
import Primitives
import PushWire
import RunRecords
import SecureChannel
import Testing
import Transport
import Workload

extension EndToEndTests {
    /// The simulator's port of the provider API as a client's bytes meet it, over real TLS.
    @Suite struct HTTP2WireTests {
        private static func server(_ http2: String, _ simulator: String = "") async throws -> SimulatorServer {
            let text = "{ target: { simulator: { http2: { authentication: \"none\", \(http2) }, \(simulator) } } }"
            let profile = try Profile.read(text: text, source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            return try await SimulatorServer(profile: profile, settings: settings)
        }

        /// So many requests behind one preface, and at the end a frame for which the gateway closes the connection.
        private static func requests(_ count: Int, token: [UInt8]) -> [UInt8] {
            var fields = RequestFields(authority: "localhost")
            fields.topic = "com.example.app"
            var template = RequestTemplate(fields: fields, ids: NotificationIDSpace(seed: 7))
            var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + RawFrames.frame(RawFrames.settings)
            let payload = Array(#"{"aps":{"alert":"hi"}}"#.utf8)
            for index in 0..<count {
                bytes += [UInt8](unsafeUninitializedCapacity: 1_024) { buffer, length in
                    let start = UnsafeMutableRawPointer(buffer.baseAddress!)
                    let offset = template.payloadOffset(tokenBytes: token.count)
                    payload.withUnsafeBytes { (start + offset).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
                    length = token.withUnsafeBytes {
                        template.write(
                            to: start, streamID: UInt32(2 * index + 1), token: $0, sequence: UInt64(index),
                            payloadBytes: payload.count)
                    }
                }
            }
            return bytes + RawFrames.head(0, length: 0xFF_FFFF)
        }

        private static func answer(_ bytes: [UInt8], of server: SimulatorServer) async throws -> [UInt8] {
            let provider = try HostileProvider(port: server.http2Port, authorityPEM: server.authorityPEM)
            let seen = await provider.send(bytes)
            await provider.close()
            return seen.received
        }

        /// The streams that were reset with a code.
        private static func resets(_ bytes: [UInt8], _ code: HTTP2ErrorCode) throws -> [UInt32] {
            var reader = HTTP2FrameReader(role: .client)
            var streams: [UInt32] = []
            try bytes.withUnsafeBytes { view in
                var rest = view
                while let frame = try reader.next(in: &rest) {
                    if frame.type == .resetStream, frame.resetCode == code { streams.append(frame.streamID) }
                }
            }
            return streams
        }

        @Test func `C42 of 51 streams the simulator refuses exactly the one beyond its limit of 50`() async throws {
            let server = try await Self.server("maxStreams: 50", #"faults: [{ fault: "unanswered", every: 1 }]"#)
            let token = [UInt8](repeating: 0xA1, count: 32)
            let refused = try Self.resets(
                try await Self.answer(Self.requests(51, token: token), of: server), .refusedStream)
            #expect(refused == [101])
            let http2 = try #require(await server.result().ledger.http2)
            #expect(http2.refusedStreams == 1 && http2.maxOpenStreams == 50)
            await server.shutDown()
        }

        // 8 February 2016; read as seconds it would be the year 48075.
        private static let goneSince: Int64 = 1_454_948_015_990

        @Test func `C47 a device that is gone is told with 13 digits of milliseconds`() async throws {
            let folder = try ScratchFolder()
            let token = [UInt8](repeating: 0xA1, count: 32)
            let file = try folder.file("gone.txt", String(repeating: "a1", count: 32) + "\n")
            let server = try await Self.server(
                "unregisteredAt: \(Self.goneSince)", "feedback: { unregisteredFile: \"\(file)\" }")
            let received = try await Self.answer(Self.requests(1, token: token), of: server)
            let body = Array(#"{"reason":"Unregistered","timestamp":1454948015990}"#.utf8)
            #expect(received.indices.contains { received[$0...].starts(with: body) })
            await server.shutDown()
        }

        @Test func `C47 the sender reads the time of a 410 as milliseconds, and the record has it`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", workload: { notifications: 200, faults: { unregistered: 0.5 } },
                  sender: { connections: 1 }, target: { simulator: { http2: { unregisteredAt: \(Self.goneSince) } } } }
                """
            ).record()
            let gone = try #require(record.errors.first { $0.name == "Unregistered" })
            #expect(gone.status == 410 && gone.count == record.ledger.rejected && gone.count > 50)
            #expect(gone.goneSinceFirstMs == Self.goneSince && gone.goneSinceLastMs == Self.goneSince)
            #expect(record.latency["serviceRefused/Unregistered"]?.count == gone.count)
        }

        @Test func `tokens of several keys are told apart by their identifiers, each with its own rights`() async throws
        {
            let folder = try ScratchFolder()
            var entries: [String] = []
            for (id, rights) in [("A", ""), ("B", "topics: [\"other.app\"]"), ("C", "environment: \"production\"")] {
                let key = try SigningKey()
                let half = try folder.file("\(id).pub.pem", try key.publicKeyPEM())
                _ = try folder.file("\(id).p8", try key.privateKeyPEM())
                entries.append("{ file: \"\(half)\", keyID: \"\(id)\", teamID: \"T\", \(rights) }")
            }
            let expected: [(key: String, id: String, reason: String?)] = [
                ("A", "A", nil), ("B", "B", "TopicDisallowed"), ("C", "C", "BadEnvironmentKeyInToken"),
                ("B", "A", "InvalidProviderToken"), ("A", "D", "InvalidProviderToken"),
            ]
            for (key, id, reason) in expected {
                let record = try await Run(
                    """
                    { protocol: "http2", workload: { notifications: 20 },
                      sender: { connections: 1, http2: { keyFile: "\(folder.path)/\(key).p8", keyID: "\(id)", teamID: "T" } },
                      target: { simulator: { http2: { keys: [\(entries.joined(separator: ", "))] } } } }
                    """
                ).record()
                #expect(record.errors.map(\.name) == [reason].compactMap { $0 }, "\(key) as \(id)")
                #expect((record.ledger.accepted == 20) == (reason == nil), "\(key) as \(id)")
            }
        }

        @Test func `each signing key on the command line needs its identifier, and its file must be one`() async throws
        {
            let folder = try ScratchFolder()
            let half = try folder.file("A.pub.pem", try SigningKey().publicKeyPEM())
            let keys = ["--signing-key", half, "--signing-key", "\(folder.path)/none.pem", "--team-id", "T"]
            let unnamed = try await Program.shell("", ["simulate"] + keys + ["--key-id", "A"])
            #expect(unnamed.status == 2 && unnamed.output.contains("are given 2, 1 and 1 times"), "\(unnamed.output)")
            let named = try await Program.shell("", ["simulate"] + keys + ["--key-id", "A", "--key-id", "B"])
            #expect(named.status == 2 && named.output.contains("none.pem"), "\(named.output)")
            let twice = try await Program.shell(
                "",
                [
                    "simulate", "--signing-key", half, "--signing-key", half, "--team-id", "T", "--key-id", "A",
                    "--key-id", "A",
                ])
            #expect(twice.status == 2 && twice.output.contains("second key A of the team T"), "\(twice.output)")
        }

        // MARK: - Slow handshakes

        @Test func `a client that stalls in its handshake is left, and others are served meanwhile`() async throws {
            let server = try await Self.server("", #"handshakeTimeout: "400ms""#)
            // Nothing at all, half of a record's head, and a record that never ends.
            let beginnings: [[UInt8]] = [[], [0x16, 3], [0x16, 3, 1, 0x40, 0] + [UInt8](repeating: 1, count: 500)]
            let descriptors = try beginnings.map { bytes in
                let descriptor = try Loopback.connect(port: server.http2Port)
                _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                return descriptor
            }
            let record = try await Run(
                """
                { target: { host: "127.0.0.1", port: \(server.http2Port), tls: { verify: false } }, protocol: "http2",
                  workload: { notifications: 100 }, sender: { connections: 1, http2: { authentication: "certificate" } } }
                """
            ).record()
            #expect(record.ledger.accepted == 100)
            let start = ContinuousClock.now
            for descriptor in descriptors {
                #expect(Self.isEnded(descriptor))
                close(descriptor)
            }
            #expect(ContinuousClock.now - start < .seconds(5))
            await server.shutDown()
        }

        /// Reads to the end of the connection; an alert may come before.
        private static func isEnded(_ descriptor: Int32) -> Bool {
            var byte: UInt8 = 0
            for _ in 0..<1_000 {
                let count = recv(descriptor, &byte, 1, 0)
                if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
                if count < 0 { return false }
            }
            return false
        }

        @Test(arguments: [[], [0x16, 3, 3, 0x40, 0] + [UInt8](repeating: 2, count: 500)] as [[UInt8]])
        func `a target that stalls in its handshake is unreachable, in bounded time`(greeting: [UInt8]) async throws {
            let listener = try BabblingListener(greeting: greeting)
            let start = ContinuousClock.now
            let record = try await Run(
                """
                { target: { host: "127.0.0.1", port: \(listener.port), tls: { verify: false } }, protocol: "http2",
                  workload: { notifications: 100 },
                  sender: { connections: 2, connectTimeout: "300ms", handshakeTimeout: "300ms",
                            http2: { authentication: "certificate" }, reconnect: { base: "20ms", cap: "50ms" } } }
                """, outageLimit: .seconds(1)
            ).record()
            listener.close()
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            #expect(record.verdict.reasons.contains { $0.contains("TLS handshake not done in time") })
            #expect(record.ledger.unsent == 100)
        }
    }
}
