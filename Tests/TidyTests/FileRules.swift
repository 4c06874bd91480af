/// Rules about files as a whole: size, name, first line.
enum FileRules {
    static let sourceLineLimit = 500
    static let testLineLimit = 900
    private static let drawerNames = [
        "Utils", "Utilities", "Helper", "Helpers", "Manager", "Misc", "Common", "Extensions",
    ]

    /// Swift files that have grown past what one can overlook.
    static func sizeBreaches(in file: TextFile) -> [Breach] {
        guard file.isSwift else { return [] }
        let limit = file.path.hasPrefix("Tests/") ? testLineLimit : sourceLineLimit
        guard file.lineCount > limit else { return [] }
        return [Breach(path: file.path, line: nil, reason: "\(file.lineCount) lines; \(limit) are the limit")]
    }

    /// Names of drawers instead of things.
    static func nameBreaches(in file: TextFile) -> [Breach] {
        var breaches: [Breach] = []
        if let name = drawerNames.first(where: { file.path.contains($0) }) {
            breaches.append(Breach(path: file.path, line: nil, reason: "\(name) says nothing about what is in it"))
        }
        let accepted = file.path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "+"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        if !accepted { breaches.append(Breach(path: file.path, line: nil, reason: "a character that needs quoting")) }
        return breaches
    }

    /// Profiles that do not say what they are for, in a comment before the first setting.
    static func profileBreaches(in file: TextFile) -> [Breach] {
        guard file.path.hasPrefix("profiles/"), file.path.hasSuffix(".json5") else { return [] }
        let start = file.text.drop { $0.isWhitespace || $0 == "{" }
        guard !start.hasPrefix("//"), !start.hasPrefix("/*") else { return [] }
        return [Breach(path: file.path, line: 1, reason: "a profile begins with a comment on what it is for")]
    }
}
