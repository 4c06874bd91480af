import Harness
import Primitives
import SecureChannel

/// Makes a test authority and the certificates that one needs to try mutual TLS with the simulator.
struct CertificatesCommand {
    private let folder: String
    private let order: CertificateOrder
    private let replaces: Bool

    init(_ parsed: ParsedCommand) throws {
        folder = parsed.arguments[0]
        replaces = parsed.has("force")
        var order = CertificateOrder()
        order.serverNames = parsed.values["name"] ?? []
        if let topics = parsed.values["topic"] { order.topics = topics.uniqued }
        if let names = parsed.values["environment"] {
            order.environments = try names.uniqued.map { try Self.environment($0) }
        }
        order.includesExpired = parsed.has("expired")
        order.includesBundles = parsed.has("pkcs12")
        order.encryptsKeys = parsed.has("encrypt-keys")
        order.passphrase = try IdentityPassphrase.read(file: parsed.last("passphrase-file"))
        if let text = parsed.last("days") {
            guard let days = Int(text), (1...36_500).contains(days) else {
                throw UsageError(description: "--days \(text): a number from 1 to 36500 is accepted")
            }
            order.days = days
        }
        switch parsed.last("key-type") {
        case nil, "p256"?: order.keyKind = .p256
        case "rsa2048"?: order.keyKind = .rsa2048
        case let other?: throw UsageError(description: "--key-type \(other): p256 or rsa2048 is accepted")
        }
        self.order = order
    }

    func execute() throws -> Int32 {
        let files = try order.make()
        try CertificateFile.write(files, to: folder, replacing: replaces)
        let width = files.map(\.name.count).max() ?? 0
        for file in files {
            Terminal.show(
                "\(path(file.name))\(String(repeating: " ", count: width - file.name.count))  \(file.purpose)")
        }
        guard let provider = files.first(where: \.isProvider)?.name.dropLast(".pem".count) else {
            return ExitCode.passed
        }
        let (certificate, key) = (path("\(provider).pem"), path("\(provider)-key.pem"))
        let needsPassphrase = order.encryptsKeys
        Terminal.show(
            """

            A gateway that asks for certificates:
              pushbench simulate --port 2195 --server-cert \(path("server.pem")) --server-key \(path("server-key.pem")) \\
                --client-certificates require --client-ca \(path("ca.pem"))
            A run against it, with a profile whose target is { host: "127.0.0.1", port: 2195 }:
              pushbench run PROFILE --cacert \(path("ca.pem")) --cert \(certificate) --key \(key)\
            \(needsPassphrase ? " \\\n    --passphrase-file FILE" : "")
            Any bytes to it:
              openssl s_client -quiet -connect 127.0.0.1:2195 -CAfile \(path("ca.pem")) -verify_return_error \\
                -cert \(certificate) -key \(key)\(needsPassphrase ? " -pass file:FILE" : "")
            """)
        return ExitCode.passed
    }

    private func path(_ name: String) -> String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }

    private static func environment(_ name: String) throws(UsageError) -> ProviderCertificate.Environments {
        switch name {
        case "sandbox": return .sandbox
        case "production": return .production
        case "both": return .both
        default:
            let names = ["sandbox", "production", "both"]
            let hint = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
            throw UsageError(
                description: "unknown environment \(name)\(hint); accepted: \(names.joined(separator: ", "))")
        }
    }
}

extension [String] {
    /// The texts without repetitions, in their order.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
