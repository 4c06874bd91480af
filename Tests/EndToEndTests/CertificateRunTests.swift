import Harness
import Primitives
import RunRecords
import SecureChannel
import Testing

extension PatientEndToEndTests {
    /// Mutual TLS: each way in which a certificate is wrong ends as the real gateway's did, and both sides say why.
    @Suite struct CertificateRunTests {
        private static let sender = """
            sender: { connections: 2, batch: { notifications: 10 }, reconnect: { base: "10ms", cap: "50ms" } }
            """

        private static func simulator(_ settings: String, notifications: Int = 300) -> String {
            """
            { target: { simulator: { clientCertificates: "require", \(settings) } },
              workload: { notifications: \(notifications) }, \(sender) }
            """
        }

        @Test(arguments: ["1.2", "1.3"], ["sandbox", "production"])
        func `a good certificate is asked for, shown and taken`(version: String, environment: String) async throws {
            let record = try await Run(
                """
                { target: { simulator: { clientCertificates: "require", tlsMaxVersion: "\(version)",
                                         environment: "\(environment)" } },
                  workload: { notifications: 300, environment: "\(environment)" }, \(Self.sender) }
                """
            ).record()
            expectClean(record)
            #expect(record.simulatorLedger?.certificateRefusals == [:])
            #expect(record.connections.allSatisfy { $0.tlsVersion == "TLS \(version)" })
        }

        struct Refusal: Sendable, CustomTestStringConvertible {
            var kind: String
            var version: String
            var alert: String
            var testDescription: String { "\(kind), TLS \(version)" }
        }

        private static let refusals = [
            Refusal(kind: "missing", version: "1.2", alert: "40 (handshake failure)"),
            Refusal(kind: "missing", version: "1.3", alert: "116 (certificate required)"),
            Refusal(kind: "expired", version: "1.2", alert: "45 (certificate expired)"),
            Refusal(kind: "expired", version: "1.3", alert: "45 (certificate expired)"),
            Refusal(kind: "unknownAuthority", version: "1.2", alert: "48 (unknown CA)"),
            Refusal(kind: "unknownAuthority", version: "1.3", alert: "48 (unknown CA)"),
        ]

        @Test(arguments: refusals)
        func `a wrong certificate ends in an alert that both sides name, and nothing is accepted`(refusal: Refusal)
            async throws
        {
            let record = try await Run(
                Self.simulator("providerCertificate: \"\(refusal.kind)\", tlsMaxVersion: \"\(refusal.version)\"")
            ).record()
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            let reasons = record.verdict.reasons
            #expect(
                reasons.contains { $0.contains("TLS handshake failed") && $0.contains(refusal.alert) }, "\(reasons)")
            #expect(record.ledger.accepted == 0 && record.ledger.unknown == 0, "\(record.ledger)")
            #expect(record.ledger.unsent + record.ledger.lost == 300, "\(record.ledger)")
            let refused = try #require(record.simulatorLedger).certificateRefusals
            #expect(Array(refused.keys) == [refusal.kind], "\(refused)")
            #expect(refused[refusal.kind, default: 0] >= 3)
            #expect(record.simulatorLedger?.received == 0)
            // The outage that a run bears otherwise takes 30 s.
            #expect(record.durationNs < 25_000_000_000, "a run does not wait for what cannot come")
        }

        @Test func `a certificate for the other environment gets in and is closed upon without a word`() async throws {
            let record = try await Run(Self.simulator("providerCertificate: \"otherEnvironment\"")).record()
            #expect(record.verdict.status == .failed && record.verdict.exitCode == 3)
            #expect(record.verdict.reasons.contains { $0.contains("other environment") }, "\(record.verdict.reasons)")
            #expect(record.ledger.lost == 300, "written, and thrown away: \(record.ledger)")
            let refused = try #require(record.simulatorLedger).certificateRefusals
            #expect(Array(refused.keys) == ["otherEnvironment"])
            #expect(record.simulatorLedger?.received == 0)
        }

        @Test
        func `over HTTP 2 a certificate for the other environment is told as what it is, and ends the run at once`()
            async throws
        {
            let start = ContinuousClock.now
            let record = try await Run(
                """
                { protocol: "http2", workload: { notifications: 300 },
                  target: { simulator: { clientCertificates: "require", providerCertificate: "otherEnvironment" } },
                  sender: { connections: 2, reconnect: { base: "10ms", cap: "50ms" },
                            http2: { authentication: "certificate", topic: "com.example.pushbench" } } }
                """
            ).record()
            #expect(ContinuousClock.now - start < .seconds(15), "a run does not wait for what cannot come")
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            let reasons = record.verdict.reasons
            #expect(reasons.first?.contains("a certificate was refused") == true, "\(reasons)")
            #expect(reasons.contains { $0.contains("BadCertificateEnvironment") }, "\(reasons)")
            #expect(record.ledger.accepted == 0 && record.ledger.unknown == 0, "\(record.ledger)")
            #expect(record.errors.allSatisfy { $0.name == "goaway NO_ERROR BadCertificateEnvironment" })
            let refused = try #require(record.simulatorLedger).certificateRefusals
            #expect(Array(refused.keys) == ["otherEnvironment"])
        }

        @Test
        func `where certificates are only requested, a client without one is served, and one with a bad one is not`()
            async throws
        {
            func text(_ kind: String) -> String {
                """
                { target: { simulator: { clientCertificates: "request", providerCertificate: "\(kind)" } },
                  workload: { notifications: 300 }, \(Self.sender) }
                """
            }
            expectClean(try await Run(text("missing")).record())
            let expired = try await Run(text("expired")).record()
            #expect(expired.verdict.exitCode == 8)
            #expect(expired.ledger.accepted == 0)
        }

        @Test func `the certificate's topic decides which tokens are good`() async throws {
            let topics = "topics: [\"com.example.app\", \"com.example.other\"]"
            let own = try await Run(Self.simulator(topics)).record()
            expectClean(own)
            let foreign = try await Run(
                Self.simulator("\(topics), providerCertificate: \"otherTopic\"", notifications: 20)
            ).record()
            #expect(foreign.ledger.rejected == 20 && foreign.errorCount(8) == 20, "\(foreign.ledger)")
            let others = try await Run(
                """
                { target: { simulator: { clientCertificates: "require", \(topics), providerCertificate: "otherTopic" } },
                  workload: { notifications: 300, faults: { otherTopic: 1 } }, \(Self.sender) }
                """
            ).record()
            #expect(others.ledger.accepted == 300, "tokens of the other app, with its certificate: \(others.ledger)")
        }

        // MARK: - Resumption

        struct Tickets: Sendable, CustomTestStringConvertible {
            var tickets: Int
            var renewed: Bool
            var version: String
            var resumed: ClosedRange<Int64>
            var testDescription: String { "\(tickets) tickets, renewed \(renewed), TLS \(version)" }
        }

        /// Of the 20 connections 19 replace another. Without renewal a session serves once, so every second one is full.
        private static let tickets = [
            Tickets(tickets: 0, renewed: true, version: "1.3", resumed: 0...0),
            Tickets(tickets: 1, renewed: true, version: "1.3", resumed: 19...19),
            Tickets(tickets: 2, renewed: true, version: "1.3", resumed: 19...19),
            Tickets(tickets: 4, renewed: true, version: "1.3", resumed: 19...19),
            Tickets(tickets: 1, renewed: false, version: "1.3", resumed: 10...10),
            Tickets(tickets: 0, renewed: true, version: "1.2", resumed: 0...0),
            Tickets(tickets: 2, renewed: true, version: "1.2", resumed: 9...19),
        ]

        @Test(arguments: tickets, ["none", "require"])
        func `C30 as many connections are resumed as the tickets allow`(row: Tickets, certificates: String)
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { tickets: \(row.tickets), renewTickets: \(row.renewed),
                    tlsMaxVersion: "\(row.version)", clientCertificates: "\(certificates)",
                    faults: [{ fault: "shutdown", after: 50, scope: "connection" }] } },
                  workload: { notifications: 1_000 }, sender: { connections: 1, batch: { notifications: 10 } } }
                """
            ).record()
            #expect(record.ledger.accepted == 1_000, "\(record.ledger)")
            #expect(record.reconnects.count >= 19)
            #expect(row.resumed.contains(record.reconnects.resumed), "\(record.reconnects)")
        }

        // MARK: - Files

        private struct Gateway {
            let server: SimulatorServer
            let folder: ScratchFolder
            let authority: CertificateAuthority
            let identity: TLSIdentity

            init() async throws {
                folder = try ScratchFolder()
                authority = try CertificateAuthority()
                identity = try authority.issueProvider(topic: "com.example.app")
                let server = try authority.issue(.server)
                let profile = try Profile.read(
                    text: """
                        { target: { simulator: { clientCertificates: "require",
                            clientCAFile: "\(folder.file("ca.pem", authority.certificatePEM))",
                            certificateFile: "\(folder.file("server.pem", server.certificateChainPEM))",
                            keyFile: "\(folder.file("server-key.pem", server.privateKeyPEM))" } } }
                        """, source: "test.json5")
                guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
                self.server = try await SimulatorServer(profile: profile, settings: settings)
            }

            func run(_ tls: String, port: Int? = nil) throws -> Run {
                try Run(
                    """
                    { target: { host: "127.0.0.1", port: \(port ?? server.port),
                                tls: { caFile: "\(folder.path)/ca.pem", \(tls) } },
                      workload: { notifications: 300 }, \(sender) }
                    """)
            }
        }

        @Test func `certificates and keys of every form are read from their files`() async throws {
            let gateway = try await Gateway()
            let (folder, identity) = (gateway.folder, gateway.identity)
            let secret = Passphrase("correct horse")
            let pass = try folder.file("pass.txt", "correct horse\n")
            let both = try folder.file("both.pem", identity.privateKeyPEM + identity.certificateChainPEM)
            let certificate = try folder.file("cert.pem", identity.certificateChainPEM)
            let key = try folder.file("key.pem", try identity.encryptedPrivateKeyPEM(secret))
            let bundle = try identity.pkcs12(
                name: "app", authorityPEM: gateway.authority.certificatePEM, passphrase: secret)
            let pkcs12 = try folder.file("app.p12", bundle)
            for tls in [
                "certificateFile: '\(both)'",
                "certificateFile: '\(certificate)', keyFile: '\(key)', passphraseFile: '\(pass)'",
                "pkcs12File: '\(pkcs12)', passphraseFile: '\(pass)'",
                "certificateFile: '\(both)', minVersion: 1.3", "certificateFile: '\(both)', maxVersion: 1.2",
            ] {
                let record = try await gateway.run(tls).record()
                #expect(record.ledger.accepted == 300, "\(tls): \(record.verdict.reasons)")
                let versions = Set(record.connections.compactMap(\.tlsVersion))
                #expect(versions == [tls.contains("maxVersion") ? "TLS 1.2" : "TLS 1.3"], "\(tls)")
                let text = String(decoding: try record.encoded(), as: UTF8.self)
                #expect(!text.contains("correct horse") && !text.contains("PRIVATE KEY"))
            }
            await gateway.server.shutDown()
        }

        @Test func `a feedback service that wants a certificate takes a bundle, and tells who shows none`() async throws
        {
            let gateway = try await Gateway()
            let bundle = try gateway.identity.pkcs12(
                name: "app", authorityPEM: gateway.authority.certificatePEM, passphrase: Passphrase("correct horse"))
            let pkcs12 = try gateway.folder.file("app.p12", bundle)
            let pass = try gateway.folder.file("pass.txt", "correct horse\n")
            let call = [
                "feedback", "127.0.0.1:\(gateway.server.feedbackPort)", "--cacert", "\(gateway.folder.path)/ca.pem",
            ]
            let good = try await Program.shell("", call + ["--pkcs12", pkcs12, "--passphrase-file", pass])
            #expect(good.status == 0, "\(good.output)")
            let bad = try await Program.shell("", call)
            #expect(bad.status == 8, "\(bad.output)")
            #expect(bad.output.contains("certificate required"), "\(bad.output)")
            #expect(!bad.output.contains("not complete"), "\(bad.output)")
            await gateway.server.shutDown()
        }

        @Test func `a server that is not believed is told with what would help`() async throws {
            let gateway = try await Gateway()
            let ca = "\(gateway.folder.path)/ca.pem"
            let rows = [
                ("", [], "--cacert"), ("caFile: '\(ca)', serverName: 'a.test'", ["--cacert", ca], "\"a.test\""),
            ]
            for (tls, options, text) in rows {
                let record = try await Run(
                    """
                    { target: { host: "127.0.0.1", port: \(gateway.server.port), tls: { \(tls) } },
                      workload: { notifications: 300 }, \(Self.sender) }
                    """
                ).record()
                #expect(record.verdict.reasons.contains { $0.contains(text) }, "\(record.verdict.reasons)")
                let place = "127.0.0.1:\(gateway.server.feedbackPort)"
                let name = tls.isEmpty ? [] : ["--server-name", "a.test"]
                let reading = try await Program.shell("", ["feedback", place] + options + name)
                #expect(reading.status == 8 && reading.output.contains(text), "\(reading.output)")
            }
            await gateway.server.shutDown()
        }

        @Test func `files that cannot be used are named with what is wrong`() async throws {
            let gateway = try await Gateway()
            let (folder, identity) = (gateway.folder, gateway.identity)
            let other = try gateway.authority.issueProvider(topic: "com.example.app")
            let old = try gateway.authority.issueProvider(topic: "a.b", validity: .expired)
            let certificate = try folder.file("cert.pem", identity.certificateChainPEM)
            let key = try folder.file("key.pem", try identity.encryptedPrivateKeyPEM(Passphrase("correct horse")))
            let wrong = try folder.file("wrong.txt", "battery staple")
            let empty = try folder.file("empty.txt", "\nsecond line")
            let otherKey = try folder.file("other.pem", other.privateKeyPEM)
            let expired = try folder.file("old.pem", old.privateKeyPEM + old.certificateChainPEM)
            let rows: [(tls: String, file: String, text: String)] = [
                ("certificateFile: '\(otherKey)'", otherKey, "expected a certificate"),
                ("certificateFile: '\(certificate)'", certificate, "expected a private key"),
                ("certificateFile: '\(certificate)', keyFile: '\(otherKey)'", otherKey, "does not belong"),
                ("certificateFile: '\(certificate)', keyFile: '\(key)'", key, "PUSHBENCH_PASSPHRASE"),
                (
                    "certificateFile: '\(certificate)', keyFile: '\(key)', passphraseFile: '\(wrong)'", key,
                    "came from \(wrong)"
                ),
                (
                    "certificateFile: '\(certificate)', keyFile: '\(key)', passphraseFile: '\(empty)'", empty,
                    "first line"
                ),
                ("certificateFile: '\(expired)'", expired, "expired on"),
                ("pkcs12File: '\(certificate)'", certificate, "expected a PKCS#12 bundle"),
                ("certificateFile: '/nonexistent.pem'", "/nonexistent.pem", "No such file"),
            ]
            for row in rows {
                let error = await #expect(throws: HarnessError.self, "\(row.tls)") {
                    _ = try await gateway.run(row.tls).record()
                }
                guard case .invalidInput(let text)? = error else {
                    Issue.record("\(row.tls): \(String(describing: error))")
                    continue
                }
                #expect(text.hasPrefix(row.file) && text.contains(row.text), "\(text)")
                #expect(!text.contains("battery staple"), "\(text)")
            }
            let shown = try await gateway.run("certificateFile: '\(expired)', allowExpired: true").record()
            #expect(shown.verdict.reasons.contains { $0.contains("certificate expired") }, "\(shown.verdict.reasons)")
            #expect(shown.ledger.unsent + shown.ledger.lost == 300)
            await gateway.server.shutDown()
        }
    }
}
