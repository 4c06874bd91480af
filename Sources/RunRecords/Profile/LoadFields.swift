import Primitives

/// The tables of the load.
extension LoadSettings: SettingsGroup {
    static let rates = 0.001...1e9

    static var fields: [SettingsField<Self>] {
        [
            .choice("loop", \.loop), .rate("rate", \.rate, rates),
            .rate("ratePerConnection", \.ratePerConnection, rates), .choice("arrivals", \.arrivals),
            .count("burst", \.burst, 1...1_000_000), .stages, .group("staircase", \.staircase),
            .text("replayFile", \.replayFile), .group("shard", \.shard),
            .fraction("catchUp", \.catchUp, 1...1_000), .interval("skipAfter", \.skipAfter, Interval.positive),
            .interval("lateAfter", \.lateAfter, Interval.any),
        ]
    }
}

extension SettingsField<LoadSettings> {
    /// A list of stages, in their order.
    static var stages: Self {
        Self(
            name: "stages", numbers: [],
            read: { (load, setting) throws(ProfileError) in
                load.stages = []
                for item in try setting.elements(
                    expected: "a list of stages, such as [{ rate: \"1k/s\", for: \"30s\" }]")
                {
                    load.stages.append(try item.group(LoadStage.self, from: LoadStage()))
                }
            },
            write: { .array($0.stages.map(\.json)) })
    }
}

extension LoadStage: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            SettingsField.rate("rate", \.rate, LoadSettings.rates).required, .rate("to", \.to, LoadSettings.rates),
            SettingsField.interval("for", \.length, Interval.positive).required,
        ]
    }
}

extension LoadStaircase: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            SettingsField.rate("start", \.start, LoadSettings.rates).required,
            SettingsField.rate("step", \.step, LoadSettings.rates).required,
            SettingsField.count("steps", \.steps, 1...LoadStaircase.stepsMax).required,
            SettingsField.interval("hold", \.hold, Interval.positive).required,
        ]
    }
}

extension LoadShard: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            SettingsField.count("index", \.index, 0...99_999).required,
            SettingsField.count("of", \.of, 1...100_000).required,
        ]
    }
}
