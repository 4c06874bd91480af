import Primitives

/// One setting that an option or a variable of the environment changes.
public struct ProfileOverride: Equatable, Sendable {
    /// The key path, as `sender.batch.notifications`.
    public var keyPath: String
    /// The value: JSON5, or else a text without quotes.
    public var text: String
    /// What it came from, for messages: `--set`, `-c`, `PUSHBENCH_CONNECTIONS`.
    public var origin: String

    /// Makes a change of one setting.
    public init(keyPath: String, text: String, origin: String) {
        self.keyPath = keyPath
        self.text = text
        self.origin = origin
    }
}

/// Strict reading: every key must be known, every value in range, and all of them possible together.
extension Profile {
    private static let fileBytesMax = 1 << 20

    /// Reads a profile file and changes what options and environment say.
    ///
    /// - Parameters:
    ///   - file: path of a JSON5 file.
    ///   - faultsFile: path of a JSON5 file with a fault plan, or with a whole simulator, in place of the profile's.
    ///   - overrides: changes in rising precedence: environment first, then the command line.
    /// - Returns: the profile with all defaults filled in.
    /// - Throws: ``ProfileError`` naming file, line, key path, what was found and what is accepted.
    public static func read(
        file: String, faultsFile: String? = nil, overrides: [ProfileOverride] = []
    ) throws(ProfileError) -> Profile {
        try read(text: try text(of: file), source: file, faultsFile: faultsFile, overrides: overrides)
    }

    /// Reads a profile's text and changes what options and environment say.
    ///
    /// - Parameters:
    ///   - text: one JSON5 object.
    ///   - source: the file's name, for messages and as the profile's name.
    ///   - faultsFile: path of a JSON5 file with a fault plan, or with a whole simulator, in place of the profile's.
    ///   - overrides: changes in rising precedence.
    /// - Returns: the profile with all defaults filled in.
    /// - Throws: ``ProfileError`` naming file, line, key path, what was found and what is accepted.
    public static func read(
        text: String, source: String, faultsFile: String? = nil, overrides: [ProfileOverride] = []
    ) throws(ProfileError) -> Profile {
        var document = try document(text, source: source)
        let root = Setting(keyPath: "", value: document)
        guard document.members != nil else { throw root.wrongKind(expected: "an object") }
        if let faultsFile { try document.applyFaults(of: faultsFile) }
        for change in overrides { try document.apply(change) }
        var profile = Profile()
        profile.name = fileStem(source)
        profile = try Setting(keyPath: "", value: document).group(Profile.self, from: profile)
        profile.fillDependentDefaults(document)
        try profile.check(document)
        return profile
    }

    fileprivate static func text(of file: String) throws(ProfileError) -> String {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try FileAccess.read(file, limit: fileBytesMax)
        } catch {
            throw .unreadable(file: file, reason: error.reason)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(file: file, reason: "not UTF-8 text")
        }
        return text
    }

    fileprivate static func document(_ text: String, source: String) throws(ProfileError) -> LocatedValue {
        do throws(JSON5SyntaxError) {
            return try JSON5Reader.read(text, source: source)
        } catch {
            let origin = ValueOrigin(source: source, line: error.line, column: error.column)
            throw .syntax(at: origin, found: error.found, expected: error.expected)
        }
    }

    /// The file's name without folders and extension.
    private static func fileStem(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? "unnamed"
        return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
    }

    /// Sets defaults that depend on other settings.
    private mutating func fillDependentDefaults(_ document: LocatedValue) {
        if case .gateway = target, !document.mentions("sender.reconnect.attemptsPerSecond") {
            sender.reconnect.attemptsPerSecond = Rate(perSecond: 20)
        }
        // Time ends such a run, or a schedule that has an end of its own.
        let hasEnd = phases.measure != nil || load.replayFile != nil || load.staircase != nil || !load.stages.isEmpty
        if hasEnd, !document.mentions("workload.notifications") {
            workload.notifications = Self.notificationLimit
        }
        if sender.mode == .waitEach, !document.mentions("sender.batch.notifications") {
            sender.batch.notifications = 1
        }
        if sender.batch.notifications == 1, !document.mentions("sender.batch.linger") { sender.batch.linger = .zero }
    }
}

extension LocatedValue {
    /// Whether something other than null stands at a key path.
    func mentions(_ keyPath: String) -> Bool {
        var place = self
        for name in keyPath.split(separator: ".") {
            guard let member = place.member(String(name)) else { return false }
            place = member.value
        }
        return true
    }

    /// Puts the fault plan of a file, or the simulator of a file, in place of what the profile says.
    fileprivate mutating func applyFaults(of file: String) throws(ProfileError) {
        let value = try Profile.document(try Profile.text(of: file), source: file)
        let simulator: [Substring] = ["target", "simulator"]
        switch value.content {
        case .array: overlay(value, at: (simulator + ["faults"])[...])
        case .object(let members):
            for member in members { overlay(member.value, at: (simulator + [member.name[...]])[...]) }
        default:
            throw Setting(keyPath: "", value: value).wrongKind(expected: "a list of faults, or a simulator's settings")
        }
    }

    /// Puts an override in place of what the profile says.
    fileprivate mutating func apply(_ change: ProfileOverride) throws(ProfileError) {
        let origin = ValueOrigin(source: change.origin)
        let path = change.keyPath.split(separator: ".", omittingEmptySubsequences: false)
        guard !path.contains(where: \.isEmpty) else {
            let fault = SettingFault.wrongKind(
                found: shortened(change.keyPath), expected: "a key path such as sender.window")
            throw .setting(at: origin, keyPath: "", fault)
        }
        // What is not JSON5, like 5ms or a file's name, is a text without its quotes.
        var value =
            (try? JSON5Reader.read(change.text, source: change.origin))
            ?? LocatedValue(
                content: .string(change.text), origin: origin)
        value.relocate(to: origin)
        switch value.content {
        case .number, .bool: value.typedText = change.text
        default: break
        }
        overlay(value, at: path[...])
    }

    /// Gives a value and all within it one origin: lines within an option tell nobody anything.
    private mutating func relocate(to origin: ValueOrigin) {
        self.origin = origin
        switch content {
        case .array(var values):
            for index in values.indices { values[index].relocate(to: origin) }
            content = .array(values)
        case .object(var members):
            for index in members.indices {
                members[index].origin = origin
                members[index].value.relocate(to: origin)
            }
            content = .object(members)
        default: break
        }
    }
}
