import RunRecords

/// The keys that `simulate` is told on its command line: one `--signing-key` with its `--key-id` each, and their teams.
struct SigningKeyOptions {
    /// What the options change in the profile; nil without any.
    let override: ProfileOverride?

    /// Joins the options in their order; one `--team-id` is that of all keys.
    init(_ parsed: ParsedCommand) throws(UsageError) {
        let files = parsed.values["signing-key"] ?? []
        let keyIDs = parsed.values["key-id"] ?? []
        let teamIDs = parsed.values["team-id"] ?? []
        guard files.count + keyIDs.count + teamIDs.count > 0 else {
            override = nil
            return
        }
        guard files.count > 0, keyIDs.count == files.count, [1, files.count].contains(teamIDs.count) else {
            throw UsageError(
                description: "--signing-key, --key-id and --team-id are given \(files.count), \(keyIDs.count) and "
                    + "\(teamIDs.count) times; each key needs its identifier, and a team, which may be one for all")
        }
        let keys = files.indices.map { index in
            JSONValue.object([
                "file": .string(files[index]), "keyID": .string(keyIDs[index]),
                "teamID": .string(teamIDs[teamIDs.count == 1 ? 0 : index]),
            ])
        }
        override = ProfileOverride(
            keyPath: "target.simulator.http2.keys", text: JSONValue.array(keys).canonicalText, origin: "--signing-key")
    }
}
