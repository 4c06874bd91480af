import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// Provider libraries for the HTTP/2 provider API, with a signing key and with a certificate.
    @Suite struct ProviderAPIClientTests {
        private struct Item: Encodable {
            var id: String
            var token: String
            var text: String
        }

        private struct Task: Encodable {
            var host = "localhost"
            var port: Int
            var ca: String
            var topic = "com.example.app"
            @Nullable var certificate: String?
            @Nullable var key: String?
            @Nullable var signingKey: String?
            var keyID = "ABC123DEFG"
            var teamID = "TEAM123456"
            var notifications: [Item]
        }

        private struct Answer: Decodable, Hashable {
            var id: String?
            var status: Int?
            var reason: String?
            var timestamp: Int64?
        }

        private struct Report: Decodable { var answers: [Answer] }

        enum Credential: String, Sendable, CaseIterable { case signingKey, certificate }

        struct Client: Sendable, CustomTestStringConvertible {
            var driver: String
            var credential: Credential
            var testDescription: String { "\(driver), \(credential)" }
        }

        private static let clients = [
            Client(driver: "aioapns_client.py", credential: .signingKey),
            Client(driver: "aioapns_client.py", credential: .certificate),
            Client(driver: "aapns_client.py", credential: .certificate),
            Client(driver: "node_client.mjs", credential: .signingKey),
            Client(driver: "node_client.mjs", credential: .certificate),
        ]

        /// Eighty notifications: most to good tokens, some to tokens that are none, and some to apps that are gone.
        private static let items = (0..<80).map { index in
            let number = String(format: "%02x", index + 1)
            let token = index % 10 == 3 ? "zz" : String(repeating: number, count: 32)
            return Item(
                id: "00000000-0000-4000-8000-0000000000\(number)", token: token, text: "notification \(index) ä€😀")
        }
        private static func isGone(_ index: Int) -> Bool { index % 10 == 7 }

        @Test(arguments: clients)
        func `what a library reports is what the simulator answered`(client: Client) async throws {
            let folder = try ScratchFolder()
            let gone = Self.items.indices.filter(Self.isGone).map { Self.items[$0].token }
            let unregistered = try folder.file("gone.txt", gone.joined(separator: "\n") + "\n")
            let credential = try await Self.credential(client.credential, in: folder)
            let simulator = try await Simulator(
                ["--unregistered", unregistered] + credential.options, authority: credential.authority)
            var task = Task(
                port: simulator.http2Port, ca: simulator.authority, notifications: Self.items)
            task.certificate = credential.certificate
            task.key = credential.key
            task.signingKey = credential.signingKey
            let before = Int64(Date.now.timeIntervalSince1970 * 1_000)
            let answers = try await Clients.run(client.driver, task, as: Report.self).answers
            #expect(answers.map(\.id) == Self.items.map(\.id), "in the order in which they were sent")
            for (index, answer) in answers.enumerated() {
                let isBad = index % 10 == 3
                let expected = isBad ? (400, "BadDeviceToken") : Self.isGone(index) ? (410, "Unregistered") : (200, nil)
                #expect(answer.status.map { $0 == expected.0 } ?? true && answer.reason == expected.1, "\(answer)")
                guard let timestamp = answer.timestamp else { continue }
                #expect(Self.isGone(index) && timestamp > before - 86_400_000_000 && timestamp < before + 60_000)
            }
            let books = try await simulator.finish()
            books.expectSound()
            let http2 = try #require(books.book.ledger.http2)
            #expect(http2.accepted == 64 && http2.violations == 0)
            #expect(http2.refusals == ["BadDeviceToken": 8, "Unregistered": 8])
            let good = Self.items.indices.filter { $0 % 10 != 3 && !Self.isGone($0) }.map { Self.items[$0].token }
            #expect(books.acceptedTokens.sorted() == good.sorted(), "each once")
        }

        // MARK: - Credentials

        private struct Files {
            var options: [String]
            var authority: String?
            var certificate: String?
            var key: String?
            var signingKey: String?
        }

        private static func credential(_ kind: Credential, in folder: ScratchFolder) async throws -> Files {
            let path = folder.path
            switch kind {
            case .signingKey:
                let options = ["--key-id", "ABC123DEFG", "--team-id", "TEAM123456"]
                let made = try await Shell.run(
                    "exec '\(Simulator.program())' keys '\(path)' \(options.joined(separator: " "))")
                try #require(made.status == 0)
                return Files(
                    options: ["--signing-key", "\(path)/AuthKey_ABC123DEFG.pub.pem"] + options,
                    signingKey: "\(path)/AuthKey_ABC123DEFG.p8")
            case .certificate:
                let made = try await Shell.run(
                    "exec '\(Simulator.program())' certificates '\(path)' --topic com.example.app")
                try #require(made.status == 0)
                // Some libraries want certificate and key in one file.
                let both = try ["", "-key"].map { part in
                    try String(contentsOfFile: "\(path)/provider-com.example.app\(part).pem", encoding: .utf8)
                }
                return Files(
                    options: [
                        "--client-certificates", "request", "--client-ca", "\(path)/ca.pem", "--server-cert",
                        "\(path)/server.pem", "--server-key", "\(path)/server-key.pem",
                    ], authority: "\(path)/ca.pem",
                    certificate: try folder.file("provider.pem", both.joined()),
                    key: "\(path)/provider-com.example.app-key.pem")
            }
        }
    }
}
