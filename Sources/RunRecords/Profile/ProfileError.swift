public import Primitives

/// A profile, or an option that changes one, which cannot be used.
public enum ProfileError: Error, Equatable, Sendable {
    /// The file cannot be read; the reason is the system's.
    case unreadable(file: String, reason: String)
    /// The text is not JSON5.
    case syntax(at: ValueOrigin, found: String, expected: String)
    /// A setting cannot be what it is.
    case setting(at: ValueOrigin, keyPath: String, SettingFault)
}

/// What is wrong with a setting.
public enum SettingFault: Equatable, Sendable {
    /// There is no such key.
    case unknownKey(nearest: String?, accepted: [String])
    /// A key that must be given is not.
    case missing(String)
    /// The value is of another kind.
    case wrongKind(found: String, expected: String)
    /// The text is not the quantity it should be.
    case quantity(QuantityError)
    /// The number is too small or too large.
    case outOfRange(found: String, accepted: String)
    /// The word is none of the accepted ones.
    case unknownChoice(found: String, nearest: String?, accepted: [String])
    /// The word is known, but this version cannot do it.
    case notSupported(found: String, supported: [String])
    /// The threshold cannot be understood.
    case threshold(ThresholdError)
    /// The setting contradicts another one.
    case contradiction(String)
}

extension ProfileError: CustomStringConvertible {
    /// `file:line:column: key.path: what was found and what is accepted`.
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file): \(reason)"
        case .syntax(let origin, let found, let expected): "\(origin): found \(found), expected \(expected)"
        case .setting(let origin, let keyPath, let fault):
            keyPath.isEmpty ? "\(origin): \(fault)" : "\(origin): \(keyPath): \(fault)"
        }
    }
}

extension SettingFault: CustomStringConvertible {
    /// What was found and what is accepted.
    public var description: String {
        switch self {
        case .unknownKey(let nearest, let accepted):
            "unknown key\(Self.hint(nearest)); accepted: \(Self.list(accepted))"
        case .missing(let what): "missing \(what)"
        case .wrongKind(let found, let expected): "found \(found), expected \(expected)"
        case .quantity(let error): "\(error)"
        case .outOfRange(let found, let accepted): "\(found) is out of range; accepted: \(accepted)"
        case .unknownChoice(let found, let nearest, let accepted):
            "unknown value \(found)\(Self.hint(nearest)); accepted: \(Self.list(accepted))"
        case .notSupported(let found, let supported):
            "\(found) is not yet supported; supported: \(Self.list(supported))"
        case .threshold(let error): "\(error)"
        case .contradiction(let text): text
        }
    }

    private static func hint(_ nearest: String?) -> String { nearest.map { ", did you mean \"\($0)\"?" } ?? "" }
    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
