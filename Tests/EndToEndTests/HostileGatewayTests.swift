import Harness
import Primitives
import PushWire
import Reports
import RunRecords
import SecureChannel
import Testing
import Transport

extension PatientEndToEndTests {
    /// Gateways that do not keep to the protocol: every run ends, in bounded time and memory, with a balanced book.
    @Suite struct HostileGatewayTests {
        private static func sender(_ more: String = "") -> String {
            """
            sender: { connections: 2, sentinelTimeout: "300ms", connectTimeout: "500ms", handshakeTimeout: "500ms",
                      reconnect: { base: "10ms", cap: "50ms", attemptsPerSecond: "1000/s" } \(more) }
            """
        }

        private static func reply(_ status: UInt8, _ identifier: UInt32) -> [UInt8] {
            [8, status] + withUnsafeBytes(of: identifier.bigEndian) { Array($0) }
        }

        /// Runs against a gateway, and checks that nothing is claimed that nobody proved.
        private static func run(
            _ gateway: HostileGateway, notifications: Int = 2_000, _ more: String = "", outage: Interval = .seconds(1)
        ) async throws -> RunRecord {
            var run = try Run(
                """
                { \(gateway.target), workload: { notifications: \(notifications) }, \(sender(more)),
                  phases: { drain: "2s" } }
                """)
            run.outageLimit = outage
            let record = try await run.record()
            await gateway.close()
            #expect(record.simulatorLedger == nil)
            let isProved = record.ledger.accepted + record.ledger.rejected == record.ledger.generated
            let isOfUse = isProved && record.ledger.accepted > 0
            #expect((record.verdict.status == .passed) == isOfUse, "\(record.verdict)")
            return record
        }

        @Test(arguments: [LinkClosing.graceful(drain: .milliseconds(50)), .reset])
        func `a gateway that closes each connection at once is not stormed`(closing: LinkClosing) async throws {
            let gateway = try HostileGateway { peer, _ in peer.answer = { _ in ([], closing) } }
            let start = ContinuousClock.now
            let run = try Run(
                """
                { \(gateway.target), workload: { notifications: 1_000_000 }, phases: { drain: "2s" },
                  sender: { connections: 2, connectTimeout: "500ms", handshakeTimeout: "500ms",
                            reconnect: { base: "100ms", cap: "200ms" } } }
                """, outageLimit: .seconds(1))
            let record = try await run.record()
            #expect(record.ledger.accepted == 0)
            #expect(record.verdict.status == .unreachable, "\(record.verdict.reasons)")
            await gateway.close()
            // Two connections with pauses of 50 ms at least.
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(Double(gateway.connectionCount) <= 4 + 2 * seconds / 0.05, "\(gateway.connectionCount)")
        }

        @Test(arguments: [0, 1, 7, 9, 0x48, 255] as [UInt8])
        func `a gateway that babbles is a protocol violation and proves nothing`(first: UInt8) async throws {
            let gateway = try HostileGateway { peer, _ in
                peer.answer = { $0.isEmpty ? ([], nil) : ([first, 2, 3, 4], nil) }
            }
            let record = try await Self.run(gateway)
            #expect(record.ledger.accepted == 0)
            #expect(record.ledger.unknown > 0)
            #expect(record.errors.contains { $0.name == "protocol violation" && $0.count > 0 }, "\(record.errors)")
            let bytes = LeadingBytes([first, 2, 3, 4]).description
            #expect(record.violationBytes.keys.allSatisfy { $0.hasPrefix(bytes) }, "\(record.violationBytes)")
            #expect(!record.violationBytes.isEmpty)
            #expect(RunSummary(record, style: .plain).text.contains("the bytes \(bytes)"))
        }

        @Test func `a gateway that sends megabytes is cut off at the first wrong byte`() async throws {
            let gateway = try HostileGateway { peer, _ in
                peer.keepsReceived = false
                peer.answer = { $0.isEmpty ? ([UInt8](repeating: 7, count: 8 << 20), nil) : ([], nil) }
            }
            let record = try await Self.run(gateway)
            #expect(record.ledger.accepted == 0)
            #expect(record.errors.contains { $0.name == "protocol violation" }, "\(record.errors)")
            #expect(record.violationBytes.keys.sorted() == [LeadingBytes(Array(repeating: 7, count: 16)).description])
        }

        @Test(arguments: 1...5)
        func `a part of a reply proves nothing, with the connection open or closed behind it`(bytes: Int) async throws {
            for closing in [nil, LinkClosing.graceful(drain: .milliseconds(50))] {
                let gateway = try HostileGateway { peer, _ in
                    var part = Array(Self.reply(8, 1).prefix(bytes))
                    peer.answer = { input in
                        guard !input.isEmpty else { return ([], nil) }
                        defer { part = [] }
                        return (part, closing)
                    }
                }
                let record = try await Self.run(gateway, notifications: 500)
                #expect(record.ledger.accepted + record.ledger.rejected == 0)
                #expect(record.ledger.unknown > 0)
            }
        }

        @Test(arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
        func `C11 replies that name nothing do not make a run go in circles`(identifier: UInt32) async throws {
            let gateway = try HostileGateway { peer, _ in
                peer.answer = { $0.isEmpty ? ([], nil) : (Self.reply(2, identifier), .graceful(drain: .seconds(1))) }
            }
            let record = try await Self.run(gateway, #", unproven: { policy: "resend", limit: 1 }"#)
            #expect(record.ledger.accepted == 0)
            #expect(record.written <= 2 * record.ledger.generated)
            #expect(record.ledger.unknown > 0)
        }

        /// The gateway rejects the first notification of each connection, with the connection's number as the status.
        @Test func `C15 every status from 0 to 255 is named and settles what it says`() async throws {
            let gateway = try HostileGateway { peer, number in
                peer.answer = { bytes in
                    guard bytes.count >= 5 else { return ([], nil) }
                    let identifier = bytes[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
                    let status = UInt8(min(number, 255))
                    return (Self.reply(status, identifier), .graceful(drain: .seconds(1)))
                }
            }
            let run = try Run(
                """
                { \(gateway.target), workload: { notifications: 256 },
                  sender: { connections: 1, sentinelTimeout: "300ms", reconnect: { attemptsPerSecond: "1000/s" } } }
                """)
            let record = try await run.record()
            await gateway.close()
            #expect(record.ledger.rejected == 254)
            #expect(record.ledger.accepted == 1, "status 10 names a good one")
            #expect(record.ledger.unknown == 1, "status 0 says nothing")
            #expect(record.errors.map(\.status) == (0...255).map { Int?($0) })
            #expect(record.errors.map(\.name) == (0...255).map { ErrorStatus(rawValue: UInt8($0)).description })
        }

        @Test func `a second reply on a connection is not looked at`() async throws {
            let gateway = try HostileGateway { peer, _ in
                peer.answer = { bytes in
                    guard bytes.count >= 5 else { return ([], nil) }
                    let identifier = bytes[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
                    return (Self.reply(8, identifier) + Self.reply(8, identifier + 1), .graceful(drain: .seconds(1)))
                }
            }
            let record = try await Self.run(gateway, notifications: 50)
            #expect(record.ledger.rejected == 50, "each connection rejects one")
            #expect(record.errorCount(8) == 50)
        }

        @Test func `a certificate of a stranger is refused, and the error says so`() async throws {
            let gateway = try HostileGateway { _, _ in }
            let stranger = try CertificateAuthority()
            let folder = try ScratchFolder()
            let file = try folder.file("ca.pem", stranger.certificatePEM)
            let record = try await Run(
                """
                { target: { host: "127.0.0.1", port: \(gateway.port), tls: { caFile: "\(file)" } },
                  workload: { notifications: 10 }, \(Self.sender()) }
                """
            ).record()
            await gateway.close()
            let text = record.verdict.reasons.joined(separator: "; ")
            #expect(text.contains("TLS handshake failed") && text.contains("certificate"), "\(text)")
            #expect(record.verdict.exitCode == 8 && record.ledger.unsent == 10)
        }

        @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{50}", "\u{0}"])
        func `a target that answers with something else than TLS is unreachable`(greeting: String) async throws {
            let listener = try BabblingListener(greeting: Array(greeting.utf8))
            defer { listener.close() }
            let record = try await Run(
                """
                { target: { host: "127.0.0.1", port: \(listener.port), tls: { verify: false } },
                  workload: { notifications: 10 }, \(Self.sender()) }
                """
            ).record()
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            #expect(record.verdict.reasons.contains { $0.contains("TLS") }, "\(record.verdict.reasons)")
            #expect(record.ledger.unsent == 10)
        }
    }
}
