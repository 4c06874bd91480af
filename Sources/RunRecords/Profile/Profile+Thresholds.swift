import Primitives

extension Profile {
    /// Refuses thresholds about figures that a run of this profile can never have.
    ///
    /// Reading a profile does not ask for this: a search for a capacity gives it a schedule that it does not have itself.
    ///
    /// - Throws: ``ProfileError/setting(at:keyPath:_:)`` for the first one.
    public func checkThresholds() throws(ProfileError) {
        for (index, threshold) in thresholds.enumerated() {
            guard let reason = whyNever(threshold.metric) else { continue }
            throw .setting(
                at: ValueOrigin(source: name), keyPath: "thresholds[\(index)]",
                .contradiction("\(threshold.text) can have no data: \(reason)"))
        }
    }

    private func whyNever(_ metric: Metric) -> String? {
        if case .latency(let series, _) = metric, !latencies, Self.timedByNotification.contains(series) {
            return "latencies is false"
        }
        guard load.loop == .closed, metric.needsSchedule else { return nil }
        return "a closed loop has no times at which notifications are meant to begin; set load.loop to \"open\""
    }

    /// The series that ``latencies`` turns off.
    private static let timedByNotification: Set<String> = [
        "response", "responseRefused", "responseBound", "service", "serviceRefused", "serviceBound", "scheduleLag",
        "residence", "sendGap", "errorReply", "timerLag",
    ]
}

extension Metric {
    /// Whether only an open loop has the figure.
    fileprivate var needsSchedule: Bool {
        switch self {
        case .latency(let series, _):
            ["response", "responseRefused", "responseBound", "scheduleLag", "sendGap"].contains(series)
        case .plain(.planned), .plain(.skipped), .plain(.late), .plain(.stalls), .plain(.gapVariation): true
        case .plain: false
        }
    }
}
