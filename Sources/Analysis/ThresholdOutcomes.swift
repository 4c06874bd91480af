public import RunRecords

extension Threshold {
    /// Holds the threshold against a record; without data it fails, since nothing shows that it holds.
    public func outcome(in record: RunRecord) -> ThresholdRecord {
        let value = metric.value(in: record)
        return ThresholdRecord(
            text: text, value: value, passed: value.map { comparison.holds($0, bound) } ?? false)
    }
}

extension Profile {
    /// Holds all thresholds against a record, in the profile's order.
    public func thresholdOutcomes(in record: RunRecord) -> [ThresholdRecord] {
        thresholds.map { $0.outcome(in: record) }
    }
}
