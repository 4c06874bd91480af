import Harness

/// Makes a test key for provider tokens; what it prints never holds the key.
struct KeysCommand {
    private let folder: String
    private let order: SigningKeyOrder
    private let replaces: Bool

    init(_ parsed: ParsedCommand) throws {
        folder = parsed.arguments[0]
        replaces = parsed.has("force")
        order = try SigningKeyOrder(keyID: parsed.last("key-id"), teamID: parsed.last("team-id"))
    }

    func execute() throws -> Int32 {
        let files = try order.make()
        try CertificateFile.write(files, to: folder, replacing: replaces)
        Terminal.show("key id   \(order.keyID)\nteam id  \(order.teamID)")
        let width = files.map(\.name.count).max() ?? 0
        for file in files {
            Terminal.show(
                "\(path(file.name))\(String(repeating: " ", count: width - file.name.count))  \(file.purpose)")
        }
        return ExitCode.passed
    }

    private func path(_ name: String) -> String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }
}
