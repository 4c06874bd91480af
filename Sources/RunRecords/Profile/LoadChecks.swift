public import Primitives

extension Profile {
    /// Checks the load and the phases, which are parts of one schedule.
    func checkLoad(_ checks: ContradictionCheck) throws(ProfileError) {
        let sources = load.scheduleSources
        if load.loop == .closed {
            for name in sources {
                throw checks.error(
                    "load.\(name)",
                    .contradiction("a closed loop has no schedule; set load.loop to \"open\" or leave this out"))
            }
            try checkClosedLoop(checks)
        } else if sources.isEmpty {
            throw checks.error(
                "load",
                .missing("rate, which an open loop needs; or one of ratePerConnection, stages, staircase, replayFile"))
        }
        if sources.count > 1 {
            throw checks.error(
                "load.\(sources[1])",
                .contradiction(
                    "stands beside \(sources[0]); a schedule comes from one of "
                        + "\(LoadSettings.scheduleSourceNames.joined(separator: ", "))"))
        }
        try checkArrivals(checks)
        if let measure = phases.measure {
            try checks.refuse("phases.warmup", when: phases.warmup >= measure) {
                "\(phases.warmup) of warm-up is not shorter than phases.measure, \(measure)"
            }
        }
    }

    private func checkClosedLoop(_ checks: ContradictionCheck) throws(ProfileError) {
        let defaults = LoadSettings()
        for (name, isSet) in [
            ("arrivals", load.arrivals != defaults.arrivals), ("burst", load.burst != nil),
            ("shard", load.shard != nil), ("catchUp", load.catchUp != defaults.catchUp),
            ("skipAfter", load.skipAfter != nil), ("lateAfter", load.lateAfter != defaults.lateAfter),
        ] {
            try checks.refuse("load.\(name)", when: isSet) { "has no effect: a closed loop has no schedule" }
        }
    }

    private func checkArrivals(_ checks: ContradictionCheck) throws(ProfileError) {
        try checks.refuse("load.burst", when: load.burst != nil && load.arrivals != .bursts) {
            "has no effect: arrivals are \(load.arrivals.rawValue), not bursts"
        }
        if load.arrivals == .bursts, load.burst == nil {
            throw checks.error("load.arrivals", .missing("burst beside it, the number of notifications of a burst"))
        }
        try checks.refuse("load.arrivals", when: load.replayFile != nil && load.arrivals != .constant) {
            "stands beside replayFile, which has the time of each notification"
        }
        if let total = load.totalRate(connections: sender.connections) {
            try checks.refuse("load.ratePerConnection", when: total.perSecond > LoadSettings.rates.upperBound) {
                "times \(sender.connections) connections is more than \(Rate(perSecond: LoadSettings.rates.upperBound))"
            }
        }
        if let last = load.staircase?.stages.last {
            try checks.refuse("load.staircase", when: last.rate.perSecond > LoadSettings.rates.upperBound) {
                "its last step has \(last.rate), more than \(Rate(perSecond: LoadSettings.rates.upperBound))"
            }
        }
        try checks.refuse("load.stages", when: load.stages.count > LoadStaircase.stepsMax) {
            "has \(load.stages.count) stages, more than \(LoadStaircase.stepsMax)"
        }
        if let shard = load.shard {
            try checks.refuse("load.shard.index", when: shard.index >= shard.of) {
                "\(shard.index) is none of \(shard.of) shards, which count from 0"
            }
        }
    }
}

extension LoadSettings {
    /// The settings that a schedule can come from.
    static let scheduleSourceNames = ["rate", "ratePerConnection", "stages", "staircase", "replayFile"]

    /// Those of them that are set.
    var scheduleSources: [String] {
        let isSet = [rate != nil, ratePerConnection != nil, !stages.isEmpty, staircase != nil, replayFile != nil]
        return zip(Self.scheduleSourceNames, isSet).filter(\.1).map(\.0)
    }

    /// The constant rate in total over all connections; nil if the schedule has none.
    public func totalRate(connections: Int) -> Rate? {
        rate ?? ratePerConnection.map { Rate(perSecond: $0.perSecond * Double(connections)) }
    }
}
