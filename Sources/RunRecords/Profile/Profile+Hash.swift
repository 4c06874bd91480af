import Foundation

extension Profile {
    /// All settings, defaults filled in; a valid profile itself, which reads back as the same settings.
    ///
    /// Files are named in it and never copied, so that no key or passphrase enters a record.
    public var effectiveJSON: JSONValue { json }

    /// A hash of everything that decides what a run does: all settings but name and thresholds. Equal profiles have
    /// equal hashes on every machine.
    public var hash: String {
        guard case .object(var members) = json else { preconditionFailure("a group of settings is an object") }
        members["name"] = nil
        members["thresholds"] = nil
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in JSONValue.object(members).canonicalText.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return "fnv1a64:" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension JSONValue {
    /// The value as text on one line with sorted keys: the same for equal values.
    public var canonicalText: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.canonicalText).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.canonicalText)" }
                .joined(separator: ",") + "}"
        }
    }

    /// A text in quotes, escaped where JSON demands it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\u{0}"..<" ": quoted += "\\u" + String(format: "%04x", scalar.value)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
