/// A key with which providers sign their tokens, as the simulator knows it.
public struct ProviderKeySettings: Equatable, Sendable {
    /// PEM file of the key: its public half, or the `.p8` itself; nil (the default) for a key that the simulator makes for the run's
    /// own sender.
    public var file: String?
    /// The key's identifier, `kid` of its tokens; must be given with a file, and is drawn otherwise.
    public var keyID: String?
    /// The identifier of the team whose key it is, `iss` of its tokens; must be given with a file, and is drawn otherwise.
    public var teamID: String?
    /// The environment that the key is good for. Default: both.
    public var environment = Environment.both
    /// The apps that the key is good for; none (the default) for all.
    public var topics: [String] = []

    /// Makes a key of the simulator's own that is good for everything.
    public init() {}

    /// The environment that a key is good for.
    public enum Environment: String, Sendable, CaseIterable {
        /// Either one.
        case both
        /// The development environment.
        case sandbox
        /// The environment of released apps.
        case production
    }

    /// The most keys that a simulator knows.
    public static let countMax = 1_000
}

extension ProviderKeySettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .text("file", \.file), .text("keyID", \.keyID), .text("teamID", \.teamID),
            .choice("environment", \.environment), .texts("topics", \.topics),
        ]
    }
}

extension SettingsField<HTTP2SimulatorSettings> {
    /// A list of keys, each of its own identifiers.
    static var keys: Self {
        Self(
            name: "keys", numbers: [],
            read: { (http2, setting) throws(ProfileError) in
                http2.keys = []
                let items = try setting.elements(
                    expected: "a list of keys, such as [{ file: \"AuthKey_K.pub.pem\", keyID: \"K\", teamID: \"T\" }]")
                guard items.count <= ProviderKeySettings.countMax else {
                    throw setting.error(
                        .outOfRange(found: "\(items.count) keys", accepted: "up to \(ProviderKeySettings.countMax)"))
                }
                for item in items { http2.keys.append(try item.key(beside: http2.keys)) }
            },
            write: { .array($0.keys.map(\.json)) })
    }
}

extension Setting {
    /// Reads a key that can be told from those before it.
    fileprivate func key(beside others: [ProviderKeySettings]) throws(ProfileError) -> ProviderKeySettings {
        let key = try group(ProviderKeySettings.self, from: ProviderKeySettings())
        if key.file == nil {
            guard !others.contains(where: { $0.file == nil }) else {
                throw error(.contradiction("has no file, and neither has one before; the simulator makes only one key"))
            }
            return key
        }
        guard let keyID = key.keyID else { throw error(.missing("keyID, by which tokens of the key in file name it")) }
        guard let teamID = key.teamID else { throw error(.missing("teamID, the team whose key it is")) }
        guard !others.contains(where: { $0.keyID == keyID && $0.teamID == teamID }) else {
            throw error(.contradiction("is the second key \(keyID) of the team \(teamID); tokens could not name it"))
        }
        return key
    }
}
