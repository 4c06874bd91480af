import Foundation
import SecureChannel
import Testing

/// `openssl`, which we did not write, as the judge of what we make, and as the maker of what we read.
@Suite struct OpenSSLJudgeTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pushbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Waits on a thread of its own, so that other tests go on meanwhile.
    private func openssl(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try run(arguments) }) }
        }
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    @Test func `openssl verifies what the authority issued, and refuses what has expired`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try CertificateAuthority()
        try write("ca.pem", authority.certificatePEM)
        try write("server.pem", try authority.issue(.server, names: ["gateway.test"]).certificateChainPEM)
        try write("client.pem", try authority.issueProvider(topic: "com.example.app").certificateChainPEM)
        try write("old.pem", try authority.issueProvider(topic: "a.b", validity: .expired).certificateChainPEM)
        let server = try await openssl([
            "verify", "-x509_strict", "-CAfile", "ca.pem", "-purpose", "sslserver", "-verify_hostname", "gateway.test",
            "server.pem",
        ])
        #expect(server.status == 0, "\(server.output)")
        let client = try await openssl(["verify", "-CAfile", "ca.pem", "-purpose", "sslclient", "client.pem"])
        #expect(client.status == 0, "\(client.output)")
        let old = try await openssl(["verify", "-CAfile", "ca.pem", "old.pem"])
        #expect(old.status != 0 && old.output.contains("certificate has expired"), "\(old.output)")
        let text = try await openssl(["x509", "-in", "client.pem", "-noout", "-text"]).output
        #expect(text.contains("UID = com.example.app"), "\(text)")
        for name in ["1.2.840.113635.100.6.3.1", "1.2.840.113635.100.6.3.2", "1.2.840.113635.100.6.3.6"] {
            #expect(text.contains(name), "\(name)")
        }
    }

    @Test(arguments: [[], ["-legacy"]] as [[String]])
    func `a bundle that openssl made is read, with the old ciphers, too`(options: [String]) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try CertificateAuthority().issueProvider(topic: "com.example.app")
        try write("cert.pem", identity.certificateChainPEM)
        try write("key.pem", identity.privateKeyPEM)
        let arguments = ["pkcs12", "-export", "-inkey", "key.pem", "-in", "cert.pem", "-out", "out.p12"]
        let made = try await openssl(arguments + ["-passout", "pass:secret"] + options)
        #expect(made.status == 0, "\(made.output)")
        let read = try TLSIdentity(pkcs12: try bytes("out.p12"), passphrase: Passphrase("secret"))
        #expect(read == identity)
        #expect(throws: TLSFailure.wrongPassphrase) {
            try TLSIdentity(pkcs12: try bytes("out.p12"), passphrase: Passphrase("other"))
        }
    }

    @Test func `openssl reads the bundle and the encrypted key that we make`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try CertificateAuthority()
        let identity = try authority.issueProvider(topic: "com.example.app")
        let bundle = try identity.pkcs12(
            name: "app", authorityPEM: authority.certificatePEM, passphrase: Passphrase("secret"))
        try Data(bundle).write(to: folder.appending(path: "out.p12"))
        let content = try await openssl(["pkcs12", "-in", "out.p12", "-passin", "pass:secret", "-nodes"])
        #expect(content.status == 0, "\(content.output)")
        #expect(content.output.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        try write("key.pem", try identity.encryptedPrivateKeyPEM(Passphrase("secret")))
        let key = try await openssl(["pkey", "-in", "key.pem", "-passin", "pass:secret"])
        #expect(key.status == 0 && key.output == identity.privateKeyPEM, "\(key.output)")
    }

    @Test func `an old-style encrypted key of openssl's is read`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try await openssl([
            "genrsa", "-traditional", "-aes128", "-passout", "pass:secret", "-out", "key.pem", "2048",
        ])
        #expect(made.status == 0, "\(made.output)")
        let key = try TLSIdentity.privateKey(fromPEM: try bytes("key.pem"), passphrase: Passphrase("secret"))
        #expect(key.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(throws: TLSFailure.wrongPassphrase) {
            try TLSIdentity.privateKey(fromPEM: try bytes("key.pem"), passphrase: Passphrase("other"))
        }
    }
}
