import Foundation
import Glibc
import Harness
import RunRecords
import Testing

extension PatientEndToEndTests {
    /// `pushbench certificates`, and what it makes in use: with our programs, and with `openssl`, which we did not write.
    @Suite struct CertificatesCommandTests {
        private let scratch: ScratchFolder
        private let folder: String
        private let passphrase: String

        init() throws {
            scratch = try ScratchFolder()
            folder = "\(scratch.path)/made"
            passphrase = try scratch.file("pass.txt", "correct horse\n")
        }

        private func make(_ options: [String] = []) async throws -> Program.Result {
            try await Program.shell("", ["certificates", folder] + options)
        }

        private func mode(_ name: String) throws -> mode_t {
            var status = stat()
            try #require(stat("\(folder)/\(name)", &status) == 0, "\(name)")
            return status.st_mode & 0o777
        }

        /// Runs a command line of the shell.
        private func shell(_ line: String) async throws -> Program.Result {
            try await Program.shell("exec 2>&1; \(line);", ["--version"])
        }

        @Test func `each app and environment gets its files, keys are secret, and the commands to use them are told`()
            async throws
        {
            let result = try await make([
                "--topic", "com.example.a", "--topic", "com.example.b", "--environment", "sandbox", "--environment",
                "both", "--expired", "--pkcs12", "--passphrase-file", passphrase,
            ])
            #expect(result.status == 0, "\(result.output)")
            let endings = ["", "-sandbox", "-expired"]
            let stems = ["a", "b"].flatMap { app in endings.map { "provider-com.example.\(app)\($0)" } }
            for name in ["ca", "server"] + stems {
                #expect(try mode("\(name).pem") == 0o644)
                #expect(try mode("\(name)-key.pem") == 0o600)
                #expect(result.output.contains("\(folder)/\(name).pem"))
            }
            for stem in stems { #expect(try mode("\(stem).p12") == 0o600) }
            for text in ["pushbench simulate", "pushbench run", "openssl s_client"] {
                #expect(result.output.contains(text), "\(text)")
            }
            #expect(!result.output.contains("correct horse"))
        }

        @Test func `nothing is replaced without force`() async throws {
            #expect(try await make().status == 0)
            let before = try String(contentsOfFile: "\(folder)/ca.pem", encoding: .utf8)
            let again = try await make()
            #expect(again.status == 2 && again.output.contains("ca.pem exists"), "\(again.output)")
            #expect(try String(contentsOfFile: "\(folder)/ca.pem", encoding: .utf8) == before)
            chmod("\(folder)/ca-key.pem", 0o644)
            #expect(try await make(["--force"]).status == 0)
            #expect(try String(contentsOfFile: "\(folder)/ca.pem", encoding: .utf8) != before)
            #expect(try mode("ca-key.pem") == 0o600)
        }

        @Test(
            arguments: [
                (["--topic", "a,b"], "a,b"), (["--environment", "sandbix"], "did you mean sandbox?"),
                (["--pkcs12"], "PUSHBENCH_PASSPHRASE"), (["--days", "0"], "1 to 36500"),
                (["--key-type", "x"], "rsa2048"),
                (["--name", "a b"], "a b"), (["--passphrase-file", "/nonexistent"], "/nonexistent"),
            ] as [([String], String)])
        func `what cannot be made is refused, and no file is left`(options: [String], text: String) async throws {
            let result = try await make(options)
            #expect(result.status == 2 && result.output.contains(text), "\(result.output)")
            #expect(access("\(folder)/ca.pem", F_OK) != 0)
        }

        @Test func `doctor tells whether a certificate fits the gateway`() async throws {
            #expect(try await make(["--environment", "sandbox", "--expired"]).status == 0)
            let stem = "\(folder)/provider-com.example.pushbench"
            func examine(_ ending: String, _ environment: String) async throws -> Program.Result {
                let files = "certificateFile: '\(stem)\(ending).pem', keyFile: '\(stem)\(ending)-key.pem'"
                let target = "{ host: '127.0.0.1', environment: '\(environment)', tls: { \(files) } }"
                return try await Program.shell("", ["doctor", try scratch.file("p.json5", "{ target: \(target) }")])
            }
            let good = try await examine("-sandbox", "sandbox")
            #expect(good.output.contains("for com.example.pushbench"), "\(good.output)")
            let other = try await examine("-sandbox", "production")
            #expect(other.status == 2 && other.output.contains("not for production"), "\(other.output)")
            let expired = try await examine("-expired", "sandbox")
            #expect(expired.status == 2 && expired.output.contains("expired on"), "\(expired.output)")
        }

        @Test func `the authority is not written where it vouches for nothing`() async throws {
            #expect(try await make().status == 0)
            let result = try await Program.shell(
                "",
                [
                    "simulate", "--server-cert", "\(folder)/server.pem", "--server-key", "\(folder)/server-key.pem",
                    "--write-ca", "\(scratch.path)/ca.pem",
                ])
            #expect(result.status == 2 && result.output.contains("does not vouch"), "\(result.output)")
        }

        /// With tickets some legacy clients find the socket readable, get nothing to read, and close a healthy connection.
        @Test(arguments: [([], 0), (["--tickets", "2"], 2)] as [([String], Int)])
        func `simulate gives clients no tickets unless it is told to`(options: [String], tickets: Int) async throws {
            let log = "\(scratch.path)/log"
            let result = try await shell(
                """
                \(try Program.path()) simulate --port 0 \(options.joined(separator: " ")) > \(log) & simulator=$!
                for try in $(seq 200); do grep -q listening \(log) && break; sleep 0.05; done
                port=$(sed -n 's/^listening on 127.0.0.1:\\([0-9]*\\),.*/\\1/p' \(log))
                (sleep 0.5; echo Q) | timeout 10 openssl s_client -tls1_3 -connect 127.0.0.1:$port
                kill -INT $simulator; wait $simulator
                """)
            #expect(result.output.contains("TLSv1.3"), "\(result.output)")
            let seen = result.output.components(separatedBy: "New Session Ticket arrived").count - 1
            #expect(seen == tickets, "\(result.output)")
        }

        @Test(arguments: ["p256", "rsa2048"])
        func `openssl verifies what was made`(kind: String) async throws {
            let made = try await make([
                "--name", "gateway.test", "--name", "10.1.2.3", "--key-type", kind, "--pkcs12", "--encrypt-keys",
                "--passphrase-file", passphrase, "--expired",
            ])
            #expect(made.status == 0, "\(made.output)")
            let provider = "\(folder)/provider-com.example.pushbench"
            for line in [
                "openssl verify -x509_strict -CAfile \(folder)/ca.pem -purpose sslserver -verify_hostname gateway.test "
                    + "\(folder)/server.pem",
                "openssl verify -CAfile \(folder)/ca.pem -purpose sslserver -verify_ip 10.1.2.3 \(folder)/server.pem",
                "openssl verify -x509_strict -CAfile \(folder)/ca.pem -purpose sslclient \(provider).pem",
                "openssl pkcs12 -in \(provider).p12 -passin file:\(passphrase) -nodes -out /dev/null",
                "openssl pkey -in \(provider)-key.pem -passin file:\(passphrase) -noout",
            ] {
                let result = try await shell("\(line) || exit 1")
                #expect(result.status == 0, "\(line): \(result.output)")
            }
            let expired = try await shell("openssl verify -CAfile \(folder)/ca.pem \(provider)-expired.pem && exit 1")
            #expect(expired.status == 0 && expired.output.contains("certificate has expired"), "\(expired.output)")
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func `openssl's client gets in with the certificate, and is told by an alert what is wrong`(version: String)
            async throws
        {
            #expect(try await make(["--expired"]).status == 0)
            let profile = try Profile.read(
                text: """
                    { target: { simulator: { tickets: 0, clientCertificates: "require",
                        certificateFile: "\(folder)/server.pem", keyFile: "\(folder)/server-key.pem",
                        clientCAFile: "\(folder)/ca.pem" } } }
                    """, source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            let server = try await SimulatorServer(profile: profile, settings: settings)
            // An unknown command, whose answer is status 128.
            let client = """
                printf G | timeout 10 openssl s_client -quiet \(version) -connect 127.0.0.1:\(server.port) \
                -CAfile \(folder)/ca.pem -verify_return_error
                """
            let provider = "\(folder)/provider-com.example.pushbench"
            let good = try await shell(
                "\(client) -cert \(provider).pem -key \(provider)-key.pem 2>/dev/null | od -An -tx1")
            #expect(good.output.contains("08 80 00 00 00 00"), "\(good.output)")
            let expired = try await shell("\(client) -cert \(provider)-expired.pem -key \(provider)-expired-key.pem")
            #expect(expired.output.contains("alert certificate expired"), "\(expired.output)")
            let missing = try await shell(client)
            let alert = version == "-tls1_2" ? "alert handshake failure" : "alert certificate required"
            #expect(missing.output.contains(alert), "\(missing.output)")
            let refused = await server.result().ledger.certificateRefusals
            #expect(refused == ["expired": 1, "missing": 1], "\(refused)")
            await server.shutDown()
        }

        @Test func `a run opens the bundle with the passphrase of the environment, and never shows it`() async throws {
            #expect(try await make(["--pkcs12", "--passphrase-file", passphrase]).status == 0)
            let profile = try Profile.read(
                text: """
                    { target: { simulator: { clientCertificates: "require", clientCAFile: "\(folder)/ca.pem",
                        certificateFile: "\(folder)/server.pem", keyFile: "\(folder)/server-key.pem" } } }
                    """, source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            let server = try await SimulatorServer(profile: profile, settings: settings)
            let file = try scratch.file(
                "run.json5",
                "{ target: { host: '127.0.0.1', port: \(server.port) }, workload: { notifications: 1_000 } }")
            let options = [
                "run", file, "--cacert", "\(folder)/ca.pem", "--pkcs12", "\(folder)/provider-com.example.pushbench.p12",
                "--progress", "none",
            ]
            let record = "\(scratch.path)/record.json"
            let good = try await Program.shell(
                "PUSHBENCH_PASSPHRASE='correct horse'", options + ["-o", "json=\(record)", "-o", "terminal=-"])
            #expect(good.status == 0, "\(good.output)")
            let text = try String(contentsOfFile: record, encoding: .utf8)
            #expect(!(good.output + text).contains("correct horse") && !text.contains("PRIVATE KEY"))
            let wrong = try await Program.shell("PUSHBENCH_PASSPHRASE='battery staple'", options)
            #expect(wrong.status == 2 && wrong.output.contains("PUSHBENCH_PASSPHRASE"), "\(wrong.output)")
            #expect(!wrong.output.contains("battery staple"))
            let without = try await Program.shell("", ["run", file, "--cacert", "\(folder)/ca.pem", "-q"])
            #expect(without.status == 8 && without.output.contains("certificate required"), "\(without.output)")
            await server.shutDown()
        }
    }
}
