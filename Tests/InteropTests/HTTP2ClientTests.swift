import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// `curl` and `h2load`, both of nghttp2, against the provider API.
    @Suite struct HTTP2ClientTests {
        /// A key of `pushbench keys`, and a provider token that `openssl` signed with it.
        private struct Signer {
            let folder: ScratchFolder
            let token: String
            var options: [String] {
                [
                    "--signing-key", "\(folder.path)/AuthKey_ABC123DEFG.pub.pem", "--key-id", "ABC123DEFG", "--team-id",
                    "TEAM123456",
                ]
            }

            init() async throws {
                folder = try ScratchFolder()
                let options = "--key-id ABC123DEFG --team-id TEAM123456"
                let made = try await Shell.run("exec '\(Simulator.program())' keys '\(folder.path)' \(options)")
                try #require(made.status == 0)
                let printed = String(decoding: made.output, as: UTF8.self)
                #expect(printed.contains("ABC123DEFG") && !printed.contains("PRIVATE"))
                let key = "\(folder.path)/AuthKey_ABC123DEFG.p8"
                let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let now = Int(Date.now.timeIntervalSince1970)
                let signed =
                    Self.base64URL(Array(#"{"alg":"ES256","kid":"ABC123DEFG"}"#.utf8)) + "."
                    + Self.base64URL(Array(#"{"iss":"TEAM123456","iat":\#(now)}"#.utf8))
                let file = try folder.file("signed", signed)
                let signature = try await Shell.run("exec openssl dgst -sha256 -sign '\(key)' '\(file)'")
                try #require(signature.status == 0)
                token = try "\(signed).\(Self.base64URL(Self.fixed(signature.output)))"
            }

            /// R and S of 32 bytes each out of the DER sequence that `openssl` writes.
            private static func fixed(_ der: [UInt8]) throws -> [UInt8] {
                var halves: [UInt8] = []
                var place = 2
                for _ in 0..<2 {
                    try #require(der.count > place + 1 && der[place] == 2)
                    let count = Int(der[place + 1])
                    let number = der[(place + 2)..<(place + 2 + count)].drop { $0 == 0 }
                    halves += [UInt8](repeating: 0, count: 32 - number.count) + number
                    place += 2 + count
                }
                return halves
            }

            private static func base64URL(_ bytes: [UInt8]) -> String {
                Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "")
            }
        }

        private static let token = String(repeating: "a1", count: 32)

        /// Sends one request with `curl`; returns what it prints of the response's head, and the body.
        private static func curl(
            _ simulator: Simulator, token: String = token, _ options: String, body: String = #"{"aps":{"alert":"hi"}}"#
        ) async throws -> String {
            let data = body.isEmpty ? "" : "-d '\(body)'"
            let (output, status) = try await Shell.run(
                """
                exec curl -sS -i --max-time 20 --cacert '\(simulator.authority)' \(data) -H 'apns-topic: com.example.app' \
                \(options) https://localhost:\(simulator.http2Port)/3/device/\(token) 2>&1
                """)
            try #require(status == 0, "curl ended with \(status): \(String(decoding: output, as: UTF8.self))")
            return String(decoding: output, as: UTF8.self)
        }

        @Test(arguments: ["--http2", "--http2-prior-knowledge --no-alpn"])
        func `curl's requests are answered, with ALPN and without`(protocolOptions: String) async throws {
            let signer = try await Signer()
            let simulator = try await Simulator(["--seed", "7"] + signer.options)
            let identifier = "123e4567-e89b-12d3-a456-426655440000"
            let good = try await Self.curl(
                simulator,
                "\(protocolOptions) -H 'authorization: bearer \(signer.token)' -H 'apns-id: \(identifier)'")
            #expect(good.hasPrefix("HTTP/2 200") && good.contains("apns-id: \(identifier)"))
            let missing = try await Self.curl(simulator, protocolOptions)
            #expect(missing.hasPrefix("HTTP/2 403") && missing.hasSuffix(#"{"reason":"MissingProviderToken"}"#))
            let forged = signer.token.dropLast(4) + "AAAA"
            let invalid = try await Self.curl(simulator, "\(protocolOptions) -H 'authorization: bearer \(forged)'")
            #expect(invalid.hasPrefix("HTTP/2 403") && invalid.hasSuffix(#"{"reason":"InvalidProviderToken"}"#))
            let long = try await Self.curl(
                simulator, "\(protocolOptions) -H 'authorization: bearer \(signer.token)'",
                body: #"{"a":"\#(String(repeating: "x", count: 4_096))"}"#)
            #expect(long.hasPrefix("HTTP/2 413") && long.hasSuffix(#"{"reason":"PayloadTooLarge"}"#))
            let books = try await simulator.finish()
            books.expectSound()
            let http2 = try #require(books.book.ledger.http2)
            #expect(http2.requests == 4 && http2.accepted == 1 && http2.violations == 0)
            #expect(
                http2.refusals == ["MissingProviderToken": 1, "InvalidProviderToken": 1, "PayloadTooLarge": 1])
            #expect(books.acceptedTokens == [Self.token])
        }

        @Test
        func `a certificate authenticates curl, and says for which app`() async throws {
            let folder = try ScratchFolder()
            let made = try await Shell.run(
                "exec '\(Simulator.program())' certificates '\(folder.path)' --topic com.example.app")
            try #require(made.status == 0)
            let simulator = try await Simulator(
                [
                    "--client-certificates", "request", "--client-ca", "\(folder.path)/ca.pem", "--server-cert",
                    "\(folder.path)/server.pem", "--server-key", "\(folder.path)/server-key.pem",
                ], authority: "\(folder.path)/ca.pem")
            let identity =
                "--cert '\(folder.path)/provider-com.example.app.pem' --key '\(folder.path)/provider-com.example.app-key.pem'"
            #expect(try await Self.curl(simulator, "--http2 \(identity)").hasPrefix("HTTP/2 200"))
            let other = try await Self.curl(simulator, "--http2 \(identity) -H 'apns-topic: com.example.other'")
            #expect(other.hasPrefix("HTTP/2 400"))
            #expect(try await Self.curl(simulator, "--http2").hasPrefix("HTTP/2 403"))
            #expect(try await simulator.finish().book.ledger.http2?.accepted == 1)
        }

        @Test
        func `keys of the other environment and of other apps are told`() async throws {
            let signer = try await Signer()
            for (setting, reason) in [
                (#"environment: "production""#, "BadEnvironmentKeyInToken"),
                (#"topics: ["other.app"]"#, "TopicDisallowed"),
            ] {
                let key =
                    #"{ file: "\#(signer.folder.path)/AuthKey_ABC123DEFG.pub.pem", keyID: "ABC123DEFG", "#
                    + #"teamID: "TEAM123456", \#(setting) }"#
                let simulator = try await Simulator(["--set", "target.simulator.http2.keys=[\(key)]"])
                let answer = try await Self.curl(simulator, "--http2 -H 'authorization: bearer \(signer.token)'")
                #expect(answer.hasSuffix(#"{"reason":"\#(reason)"}"#), "\(setting)")
            }
        }

        @Test
        func `one device alone is throttled, as h2load sees it (C57)`() async throws {
            let simulator = try await Simulator([
                "--set", "target.simulator.http2.authentication=none", "--set",
                #"target.simulator.faults=[{ fault: "tokenLimit", rate: "10/s" }]"#,
            ])
            let body = try simulator.folder.file("body", "{}")
            let (output, status) = try await Shell.run(
                """
                exec timeout 60 h2load -n 1000 -c 2 -m 20 -d '\(body)' -H 'apns-topic: com.example.app' \
                https://127.0.0.1:\(simulator.http2Port)/3/device/\(Self.token) 2>&1
                """)
            let text = String(decoding: output, as: UTF8.self)
            try #require(status == 0, "\(text)")
            let books = try await simulator.finish()
            books.expectSound()
            let http2 = try #require(books.book.ledger.http2)
            #expect(http2.accepted >= 10 && http2.accepted < 500)
            #expect(http2.refusals == ["TooManyRequests": 1_000 - http2.accepted])
            #expect(books.book.ledger.faults?.map(\.count) == [1_000 - http2.accepted])
            #expect(text.contains("\(1_000 - http2.accepted) 4xx"), "\(text)")
        }

        @Test
        func `bodies that are larger than any window are refused, and curl and h2load come to their ends`() async throws
        {
            let simulator = try await Simulator(["--set", "target.simulator.http2.authentication=none"])
            let spaces = String(repeating: " ", count: 100_000)
            for count in [1, 30] {
                let body = try simulator.folder.file("body", String(repeating: spaces, count: count))
                let answer = try await Self.curl(simulator, "--http2 --data-binary '@\(body)'", body: "")
                #expect(answer.hasPrefix("HTTP/2 413") && answer.hasSuffix(#"{"reason":"PayloadTooLarge"}"#))
                let (output, status) = try await Shell.run(
                    """
                    exec timeout 60 h2load -n 100 -c 2 -m 10 -d '\(body)' -H 'apns-topic: com.example.app' \
                    https://127.0.0.1:\(simulator.http2Port)/3/device/\(Self.token) 2>&1
                    """)
                let text = String(decoding: output, as: UTF8.self)
                try #require(status == 0, "\(text)")
                #expect(text.contains("100 done") && text.contains("100 4xx"), "\(text)")
            }
            let http2 = try #require(try await simulator.finish().book.ledger.http2)
            #expect(http2.refusals == ["PayloadTooLarge": 202] && http2.violations == 0)
        }

        @Test
        func `curl with HTTP/1.1 is refused in the handshake, or told what is missing, and counted`() async throws {
            let simulator = try await Simulator(["--set", "target.simulator.http2.authentication=none"])
            let refused = try await Shell.run(
                """
                exec curl -sS --max-time 20 --http1.1 --cacert '\(simulator.authority)' -d '{}' \
                https://localhost:\(simulator.http2Port)/3/device/\(Self.token) 2>&1
                """)
            #expect(refused.status == 35, "a TLS error")
            #expect(String(decoding: refused.output, as: UTF8.self).contains("no application protocol"))
            let told = try await Shell.run(
                """
                exec curl -sS --max-time 20 --http1.1 --http0.9 --no-alpn --cacert '\(simulator.authority)' -d '{}' \
                https://localhost:\(simulator.http2Port)/3/device/\(Self.token) --output - 2>&1
                """)
            #expect(String(decoding: told.output, as: UTF8.self).contains("only HTTP/2 is spoken here"))
            #expect(try await Self.curl(simulator, "--http2").hasPrefix("HTTP/2 200"))
            let http2 = try #require(try await simulator.finish().book.ledger.http2)
            #expect(http2.otherProtocols == 2 && http2.violations == 1 && http2.accepted == 1)
        }

        @Test
        func `a peer that speaks nonsense is told so, and others are served`() async throws {
            let simulator = try await Simulator(["--set", "target.simulator.http2.authentication=none"])
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let streams: [[UInt8]] = [
                Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8) + [UInt8](repeating: 0, count: 64),
                preface + [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 100_000),
                preface + [0, 0, 1, 0, 0, 0, 0, 0, 0, 1],
            ]
            for bytes in streams {
                let file = "\(simulator.folder.path)/bytes"
                try Data(bytes).write(to: URL(filePath: file))
                let (output, status) = try await Shell.run(
                    """
                    exec timeout 20 openssl s_client -connect 127.0.0.1:\(simulator.http2Port) -alpn h2 \
                    -CAfile '\(simulator.authority)' -quiet <'\(file)' 2>/dev/null
                    """)
                #expect(status == 0, "the connection is closed in order")
                // SETTINGS come first, and somewhere behind them GOAWAY: its type 7, no flags, stream 0.
                let goAway: [UInt8] = [7, 0, 0, 0, 0, 0]
                #expect(output.count > 40 && output[3] == 4)
                #expect(output.indices.contains { output[$0...].starts(with: goAway) })
            }
            #expect(try await Self.curl(simulator, "--http2").hasPrefix("HTTP/2 200"))
            let http2 = try #require(try await simulator.finish().book.ledger.http2)
            #expect(http2.violations == 3 && http2.accepted == 1)
        }

        @Test(arguments: ["required", "none"])
        func `h2load finds every request answered, whatever the limit was at first`(authentication: String) async throws
        {
            let signer = try await Signer()
            let simulator = try await Simulator(
                ["--seed", "7", "--set", "target.simulator.http2.authentication=\(authentication)"] + signer.options)
            let body = try simulator.folder.file("body", #"{"aps":{"alert":"hi"}}"#)
            let (output, status) = try await Shell.run(
                """
                exec timeout 60 h2load -n 2000 -c 4 -m 50 -d '\(body)' -H 'apns-topic: com.example.app' \
                -H 'authorization: bearer \(signer.token)' \
                https://127.0.0.1:\(simulator.http2Port)/3/device/\(Self.token) 2>&1
                """)
            let text = String(decoding: output, as: UTF8.self)
            try #require(status == 0, "\(text)")
            let books = try await simulator.finish()
            books.expectSound()
            let http2 = try #require(books.book.ledger.http2)
            #expect(text.contains("status codes: \(http2.accepted) 2xx, 0 3xx, 0 4xx, 0 5xx"), "\(text)")
            #expect(http2.accepted + http2.refusedStreams == 2_000 && http2.violations == 0)
            // It may open all streams before our SETTINGS reach it, and with a limit of one loses all of those but one.
            #expect(http2.refusedStreams <= (authentication == "none" ? 0 : 4 * 49))
        }
    }
}
