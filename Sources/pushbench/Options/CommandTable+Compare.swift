import Reports

extension CommandTable {
    static let compare = CommandSpec(
        name: "compare",
        arguments:
            "BASE CANDIDATE | BASE... --against CANDIDATE... | --run PROFILE [PROFILE] | --calibrate-noise PROFILE",
        argumentCount: 0...1_000, summary: "whether one set of runs is worse than another, with evidence",
        options: [
            OptionSpec(
                long: "against", effect: .divider, help: "between the records of the baseline and the candidate's"),
            .flag("run", nil, "run the sides in turns: one profile, or the baseline's and the candidate's"),
            .flag("calibrate-noise", nil, "run one profile against itself, and keep what scatters on this machine"),
            .flag("self-test", nil, "plant a slowdown of 20 %, which must be found, and nothing, which must not"),
            .value("pairs", nil, "COUNT", "how many runs of each side (10; 20 with --calibrate-noise)"),
            .value("order-seed", nil, "NUMBER", "seed of the order of the runs (1)"),
            .value("binary-a", nil, "FILE", "the baseline's pushbench; this one otherwise"),
            .value("binary-b", nil, "FILE", "the candidate's pushbench; this one otherwise"),
            .value("set-a", nil, "KEY=VALUE", "set a profile key of the baseline; repeatable"),
            .value("set-b", nil, "KEY=VALUE", "set a profile key of the candidate; repeatable"),
            .flag("confirm", nil, "run the pairs again after a regression, which must show again"),
            .value("keep", nil, "FOLDER", "keep the runs as a.json and b.json"),
            .value(
                "gate", nil, "METRIC", "a figure that decides; repeatable (accepted/s; open loops response.p99, too)"),
            .value("threshold", nil, "TEXT", "a condition on a change, as compare(accepted/s) > -5%; repeatable"),
            .value("noise", nil, "PERCENT", "the smallest change that counts where none was measured (5%)"),
            .value("alpha", nil, "NUMBER", "error rate of all deciding figures together (0.05)"),
            .value("resampling-seed", nil, "NUMBER", "seed of the intervals (1)"),
            .flag("different-profiles", nil, "the records' profiles differ on purpose"),
            .flag("advisory", nil, "an inconclusive comparison passes"),
            faults, set, outputs(of: OutputFormat.forms(of: .comparison)),
            .value("allow-host", nil, "NAME", "allow load on this host, which the profile must name too; repeatable"),
            .flag("quiet", "q", "no table, and no progress"),
            exitZero, explainExit, help,
        ])
}
