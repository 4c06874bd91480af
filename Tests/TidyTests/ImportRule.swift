/// Which modules each module may import: its own by the table in Package.swift, the system's by the table here.
struct ImportRule {
    /// The modules of the package and what each may import of them.
    let allowed: [String: Set<String>]

    /// System modules that any module may import.
    private static let pure: Set<String> = ["Synchronization"]
    /// Modules without effects, which know neither files nor sockets nor clocks: they import nothing of the system.
    private static let pureModules: Set<String> = [
        "Primitives", "PushWire", "Workload", "ProviderSessions", "GatewaySimulator", "SimulatedTransport", "Analysis",
    ]
    /// System modules that only some modules may import.
    private static let reserved: [String: Set<String>] = [
        "Foundation": ["RunRecords", "Reports", "pushbench"], "Dispatch": ["Transport"],
    ]

    /// Reads the table of modules and the targets out of the text of Package.swift.
    init(package text: String) {
        var allowed: [String: Set<String>] = [:]
        let table = text.matches(of: /\(\s*"(\w+)",\s*\[([^\]]*)\]\s*\)/).map { ($0.1, $0.2) }
        let targets = text.matches(of: /name: "(\w+)",\s*dependencies: \[([^\]]*)\]/).map { ($0.1, $0.2) }
        for (name, imports) in table + targets {
            allowed[String(name)] = Set(imports.matches(of: /"(\w+)"/).map { String($0.1) })
        }
        self.allowed = allowed
    }

    /// The imports of a file under `Sources` that its module may not have.
    func breaches(in file: TextFile) -> [Breach] {
        guard file.isSwift, let module = file.module else { return [] }
        return imports(of: file).compactMap { line, name in
            reason(for: module, importing: name).map { Breach(path: file.path, line: line, reason: $0) }
        }
    }

    private func reason(for module: String, importing name: String) -> String? {
        guard let own = allowed[module] else { return "Package.swift has no module \(module)" }
        if own.contains(name) || Self.pure.contains(name) { return nil }
        if allowed[name] != nil { return "Package.swift does not let \(module) import \(name)" }
        if Self.pureModules.contains(module) { return "\(module) is pure and may not import \(name)" }
        if let users = Self.reserved[name] {
            return users.contains(module) ? nil : "\(name) is for \(users.sorted().joined(separator: ", ")) only"
        }
        return name == "Glibc" ? nil : "\(module) may not import \(name)"
    }

    private func imports(of file: TextFile) -> [(line: Int, name: String)] {
        file.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                    words[..<place].allSatisfy({ Self.modifiers.contains(String($0)) })
                else { return nil }
                // `import struct Module.Type` names the module second.
                let kinds = ["struct", "class", "enum", "func", "protocol", "typealias", "let", "var"]
                let target = kinds.contains(String(words[place + 1])) ? words.last ?? "" : words[place + 1]
                return (index + 1, String(target.prefix { $0 != "." }))
            }
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "@testable", "@_exported", "@preconcurrency",
    ]
}
