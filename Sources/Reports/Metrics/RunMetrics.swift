import Histograms
import RunRecords

/// Runs as metrics; times are in seconds, as is the custom there. A run that goes on has the same names as its record will have.
struct RunMetrics {
    /// A run, the labels of all its samples, and its latencies.
    private struct LabelledRun {
        let record: RunRecord
        let labels: MetricFamily.Labels
        let latencies: [(name: String, figures: LatencyFigures)]
    }

    private let runs: [LabelledRun]

    /// Takes runs that have ended.
    init(_ series: RunSeriesRecord) {
        runs = series.runs.enumerated().map { index, record in
            LabelledRun(
                record: record,
                labels: Self.labels(record) + (series.runs.count > 1 ? [("run", "\(index + 1)")] : []),
                latencies: Metric.ordered(record.latency.keys).compactMap { name in
                    record.latency[name].map { (name, LatencyFigures($0)) }
                })
        }
    }

    /// Takes a run that goes on: a draft of its record, and the latencies so far.
    init(draft: RunRecord, latencies: [String: HistogramSnapshot]) {
        let figures = Metric.ordered(latencies.keys).compactMap { name in
            latencies[name].map { (name, LatencyFigures(Histogram($0))) }
        }
        runs = [LabelledRun(record: draft, labels: Self.labels(draft), latencies: figures)]
    }

    static func labels(_ record: RunRecord) -> MetricFamily.Labels { [("profile", record.name)] }

    var families: [MetricFamily] {
        var info = MetricFamily("pushbench_run", "What ran, and where.", .info)
        var verdict = MetricFamily("pushbench_verdict", "How the run ended.", .stateset)
        var length = MetricFamily("pushbench_duration", "How long the run took.", unit: "seconds")
        var measured = MetricFamily("pushbench_measured", "The part of it that rates are about.", unit: "seconds")
        var fates = MetricFamily("pushbench_notifications", "Notifications by their fate; each has exactly one.")
        var written = MetricFamily(
            "pushbench_written_notifications", "Writes of notifications, the repeated ones among them.", .counter)
        var repeated = MetricFamily(
            "pushbench_resent_notifications", "Writes beyond the first of a notification.", .counter)
        var bytes = MetricFamily("pushbench_written", "Plain bytes written.", .counter, unit: "bytes")
        var difference = MetricFamily(
            "pushbench_ledger_difference", "Notifications about which sender and simulator disagree.")
        var reconnects = MetricFamily("pushbench_reconnects", "Connections that were replaced.", .counter)
        var errors = MetricFamily("pushbench_errors", "Errors by their names.", .counter)
        for run in runs {
            let (record, labels) = (run.record, run.labels)
            info.add(1, labels + Self.description(record))
            verdict.add(
                states: VerdictRecord.Status.allCases.map(\.rawValue), record.verdict.status.rawValue, labels)
            let intervals = record.intervals
            length.add(Double(record.durationNs) / 1e9, labels)
            measured.add(Double(record.measuredNs) / 1e9, labels)
            for (fate, count) in Self.counts(record.ledger) { fates.add(Double(count), labels + [("fate", fate)]) }
            written.add(Double(intervals.reduce(0) { $0 + $1.written }), labels)
            repeated.add(Double(record.ledger.resent), labels)
            bytes.add(Double(intervals.reduce(0) { $0 + $1.bytes }), labels)
            difference.add(record.ledgerDifference.map(Double.init), labels)
            reconnects.add(Double(record.reconnects.count), labels)
            for (name, count) in Self.errorCounts(record) { errors.add(count, labels + [("name", name)]) }
        }
        return [info, verdict, length, measured, fates, written, repeated, bytes, difference, reconnects, errors]
            + rates + latencies + processes + [thresholds]
    }

    private static func description(_ record: RunRecord) -> [(String, String)] {
        [
            ("version", record.tool.version), ("build", record.tool.build), ("profile_hash", record.profileHash),
            ("cpu", record.machine.cpuModel), ("started_at", record.startedAt),
        ]
    }

    private static func counts(_ ledger: LedgerRecord) -> [(String, Int64)] {
        [
            ("accepted", ledger.accepted), ("rejected", ledger.rejected), ("lost", ledger.lost),
            ("unknown", ledger.unknown), ("unsent", ledger.unsent),
        ]
    }

    /// Errors by their names, of which no two samples may have the same.
    private static func errorCounts(_ record: RunRecord) -> [(String, Double)] {
        let sums = Dictionary(record.errors.map { ($0.name, Double($0.count)) }, uniquingKeysWith: +)
        return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private var rates: [MetricFamily] {
        var accepted = MetricFamily("pushbench_accepted_per_second", "Notifications proved to be taken, per second.")
        var written = MetricFamily("pushbench_written_per_second", "Notifications written, which proves nothing.")
        var bytes = MetricFamily("pushbench_bytes_per_second", "Plain bytes written per second.")
        for run in runs {
            accepted.add(run.record.throughput.acceptedPerSecond, run.labels)
            written.add(run.record.throughput.writtenPerSecond, run.labels)
            bytes.add(run.record.throughput.bytesPerSecond, run.labels)
        }
        return [accepted, written, bytes]
    }

    private var latencies: [MetricFamily] {
        var histogram = MetricFamily("pushbench_latency", "Latencies by series.", .histogram, unit: "seconds")
        var low = MetricFamily("pushbench_latency_min", "The shortest latency of each series.", unit: "seconds")
        var high = MetricFamily("pushbench_latency_max", "The longest latency of each series.", unit: "seconds")
        var percentiles = MetricFamily(
            "pushbench_latency_percentile", "What so many of 100 latencies of a series did not exceed.", unit: "seconds"
        )
        for run in runs {
            for (name, series) in run.latencies where series.count > 0 {
                let labels = run.labels + [("series", name)]
                histogram.add(series, labels)
                low.add(Self.seconds(series.minNs), labels)
                high.add(Self.seconds(series.maxNs), labels)
                let quantiles = series.quantiles
                for (percentile, value) in [
                    ("50", quantiles.p50), ("90", quantiles.p90), ("99", quantiles.p99), ("99.9", quantiles.p999),
                ] { percentiles.add(Self.seconds(value), labels + [("percentile", percentile)]) }
            }
        }
        return [histogram, low, high, percentiles]
    }

    private var processes: [MetricFamily] {
        var time = MetricFamily(
            "pushbench_cpu", "Processor time of sender and simulator.", .counter, unit: "seconds")
        var memory = MetricFamily("pushbench_peak_memory", "The most memory that a process held.", unit: "bytes")
        for run in runs {
            let uses: [(String, ProcessResourcesRecord?)] = [
                ("sender", run.record.resources.sender), ("simulator", run.record.resources.simulator),
            ]
            for case (let name, let use?) in uses {
                time.add(Self.seconds(use.cpuNs), run.labels + [("process", name)])
                memory.add(Double(use.peakRSSBytes), run.labels + [("process", name)])
            }
        }
        return [time, memory]
    }

    private var thresholds: MetricFamily {
        var family = MetricFamily("pushbench_threshold_passed", "1 for a threshold that held, 0 for one that did not.")
        for run in runs {
            var seen: Set<String> = []
            for outcome in run.record.thresholds where seen.insert(outcome.text).inserted {
                family.add(outcome.passed ? 1 : 0, run.labels + [("threshold", outcome.text)])
            }
        }
        return family
    }

    private static func seconds(_ nanoseconds: Int64?) -> Double? { nanoseconds.map { Double($0) / 1e9 } }
}
