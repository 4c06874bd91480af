import Glibc
import RunRecords
public import SecureChannel

/// Where the passphrase of a key or bundle comes from: never the command line, which every process can read.
public enum IdentityPassphrase {
    /// The variable of the environment that holds it where no file is named.
    public static let variable = "PUSHBENCH_PASSPHRASE"

    /// Reads the passphrase; nil when there is neither file nor variable.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` when the file cannot be read or its first line is empty.
    public static func read(file: String?) throws(HarnessError) -> Passphrase? {
        guard let file else { return getenv(variable).map { Passphrase(String(cString: $0)) } }
        let passphrase = Passphrase(firstLineOf: try readFile(file))
        guard !passphrase.isEmpty else { throw .invalidInput("\(file): its first line, the passphrase, is empty") }
        return passphrase
    }
}

/// The files from which a certificate and its key come.
struct IdentityFiles {
    var certificate: String?
    var key: String?
    var pkcs12: String?
    var passphrase: String?
    /// Whether a certificate may be used whose time is over.
    var allowsExpired: Bool

    /// The files of a sender's TLS.
    init(_ tls: TLSSettings) {
        certificate = tls.certificateFile
        key = tls.keyFile
        pkcs12 = tls.pkcs12File
        passphrase = tls.passphraseFile
        allowsExpired = tls.allowExpired
    }

    /// The files of the simulator's certificate; an expired one is what a client may want to see.
    init(_ simulator: SimulatorSettings) {
        certificate = simulator.certificateFile
        key = simulator.keyFile
        passphrase = simulator.passphraseFile
        allowsExpired = true
    }

    /// Reads and checks the identity; nil when no files are named.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` with the file, what was found, and what would help.
    func read() throws(HarnessError) -> TLSIdentity? {
        if let pkcs12 {
            let bytes = try readFile(pkcs12)
            let passphrase = try IdentityPassphrase.read(file: passphrase)
            let identity = try naming(pkcs12) { () throws(TLSFailure) in
                try TLSIdentity(pkcs12: bytes, passphrase: passphrase)
            }
            return try checked(identity, certificate: pkcs12, key: pkcs12)
        }
        guard let certificate else { return nil }
        let keyFile = key ?? certificate
        let certificateText = try readFile(certificate)
        let keyText = keyFile == certificate ? certificateText : try readFile(keyFile)
        let passphrase = try IdentityPassphrase.read(file: passphrase)
        let identity = TLSIdentity(
            certificateChainPEM: try naming(certificate) { () throws(TLSFailure) in
                try TLSIdentity.certificateChain(fromPEM: certificateText)
            },
            privateKeyPEM: try naming(keyFile) { () throws(TLSFailure) in
                try TLSIdentity.privateKey(fromPEM: keyText, passphrase: passphrase)
            })
        return try checked(identity, certificate: certificate, key: keyFile)
    }

    private func checked(
        _ identity: TLSIdentity, certificate: String, key: String
    ) throws(HarnessError) -> TLSIdentity {
        try naming(key) { () throws(TLSFailure) in try identity.checkKey() }
        if !allowsExpired { try naming(certificate) { () throws(TLSFailure) in try identity.checkValidity() } }
        return identity
    }

    /// Puts the file's name before a failure, and behind it what helps.
    private func naming<Result>(
        _ file: String, _ body: () throws(TLSFailure) -> Result
    ) throws(HarnessError) -> Result {
        do throws(TLSFailure) {
            return try body()
        } catch {
            var text = "\(file): \(error)"
            switch error {
            case .passphraseMissing:
                text += "; accepted: a file with it (--passphrase-file), or the variable \(IdentityPassphrase.variable)"
            case .wrongPassphrase: text += "; it came from \(passphrase ?? IdentityPassphrase.variable)"
            case .keyMismatch: if let certificate { text += " in \(certificate)" }
            case .certificateExpired: text += "; with allowExpired it is shown nevertheless"
            default: break
            }
            throw .invalidInput(text)
        }
    }
}
