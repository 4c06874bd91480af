import Reports

extension CommandTable {
    static let capacity = CommandSpec(
        name: "capacity", arguments: "PROFILE", argumentCount: 1...1,
        summary: "the highest rate at which the target holds what is asked of it",
        options: [
            .value(
                "slo", nil, "TEXT",
                "a condition that must hold, as response.p99 < 20ms; repeatable (the profile's, but for rates)"),
            .value("start", nil, "RATE", "the first rate tried (1000/s)"),
            .value("max-rate", nil, "RATE", "no higher rate is tried"),
            .value("tolerance", nil, "PERCENT", "how far apart the rates may be of which one holds and one fails (5%)"),
            .value("probe", nil, "TIME", "how long a rate is measured (10s)"),
            .value("settle", nil, "TIME", "how long it is held before (2s)"),
            .value("confirm", nil, "TIME", "how long the rate that was found is measured in the end (60s)"),
            faults, set, outputs(of: OutputFormat.forms(of: .capacity)),
            .value("allow-host", nil, "NAME", "allow load on this host, which the profile must name too; repeatable"),
            .flag("quiet", "q", "no table, and no line for each try"),
            exitZero, explainExit, help,
        ])

    static let sweep = CommandSpec(
        name: "sweep", arguments: "PROFILE", argumentCount: 1...1,
        summary: "batch sizes against connections, or any other settings: which is enough?",
        options: [
            .value(
                "vary", nil, "KEY=V1,V2",
                "a profile key and its values, from cheap to dear; repeatable (batch 1 to 1000, connections 1 to 32)"),
            .value("repeat", nil, "COUNT", "how often each combination is run at most (5)"),
            .flag("full", nil, "run all of them as often; otherwise those clearly behind are given up"),
            .value("budget", nil, "TIME", "how long all of it may take"),
            .value("order-seed", nil, "NUMBER", "seed of the order of the runs (1)"),
            .value("resume", nil, "FILE", "go on with a sweep that was interrupted; its record"),
            faults, set, outputs(of: OutputFormat.forms(of: .sweep)),
            .value("allow-host", nil, "NAME", "allow load on this host, which the profile must name too; repeatable"),
            .flag("quiet", "q", "no table, and no line for each run"),
            exitZero, explainExit, help,
        ])
}
