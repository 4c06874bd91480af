import Analysis
import RunRecords
import Statistics

/// OpenMetrics 1.0 text, which Prometheus scrapes. Times are in seconds, as is the custom there.
enum OpenMetricsText: ReportText {
    static let summary = "OpenMetrics text, which Prometheus reads"

    static func text(_ series: RunSeriesRecord) -> String {
        document(
            families(
                series.runs.enumerated().map { index, run in
                    LabelledRun(run, number: series.runs.count > 1 ? index + 1 : nil)
                }))
    }

    private static func document(_ families: [MetricFamily]) -> String {
        families.map(\.text).joined() + "# EOF\n"
    }

    // MARK: - Runs

    /// A run and the labels of all its samples.
    private struct LabelledRun {
        let record: RunRecord
        let labels: [(String, String)]

        init(_ record: RunRecord, number: Int?) {
            self.record = record
            labels = [("profile", record.name)] + (number.map { [("run", "\($0)")] } ?? [])
        }
    }

    private static func families(_ runs: [LabelledRun]) -> [MetricFamily] {
        var info = MetricFamily("pushbench_run", "What ran, and where.", .info)
        var verdict = MetricFamily("pushbench_verdict", "How the run ended.", .stateset)
        var length = MetricFamily("pushbench_duration", "How long the run took.", unit: "seconds")
        var measured = MetricFamily("pushbench_measured", "The part of it that rates are about.", unit: "seconds")
        var fates = MetricFamily("pushbench_notifications", "Notifications by their fate; each has exactly one.")
        var repeated = MetricFamily("pushbench_resent_notifications", "Writes beyond the first of a notification.")
        var difference = MetricFamily(
            "pushbench_ledger_difference", "Notifications about which sender and simulator disagree.")
        var reconnects = MetricFamily("pushbench_reconnects", "Connections that were replaced.")
        var errors = MetricFamily("pushbench_errors", "Errors by their names.")
        for run in runs {
            let (record, labels) = (run.record, run.labels)
            info.add(1, labels + description(record), suffix: "_info")
            verdict.add(
                states: VerdictRecord.Status.allCases.map(\.rawValue), record.verdict.status.rawValue, labels)
            length.add(Double(record.durationNs) / 1e9, labels)
            measured.add(Double(record.measuredNs) / 1e9, labels)
            for (fate, count) in counts(record.ledger) { fates.add(Double(count), labels + [("fate", fate)]) }
            repeated.add(Double(record.ledger.resent), labels)
            difference.add(record.ledgerDifference.map(Double.init), labels)
            reconnects.add(Double(record.reconnects.count), labels)
            for (name, count) in errorCounts(record) { errors.add(count, labels + [("name", name)]) }
        }
        return [info, verdict, length, measured, fates, repeated, difference, reconnects, errors]
            + rates(runs) + latencies(runs) + processes(runs) + [thresholds(runs)]
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

    private static func rates(_ runs: [LabelledRun]) -> [MetricFamily] {
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

    private static func latencies(_ runs: [LabelledRun]) -> [MetricFamily] {
        var summary = MetricFamily("pushbench_latency", "Latencies by series.", .summary, unit: "seconds")
        var low = MetricFamily("pushbench_latency_min", "The shortest latency of each series.", unit: "seconds")
        var mean = MetricFamily("pushbench_latency_mean", "The mean latency of each series.", unit: "seconds")
        var high = MetricFamily("pushbench_latency_max", "The longest latency of each series.", unit: "seconds")
        for run in runs {
            for name in Metric.ordered(run.record.latency.keys) {
                guard let series = run.record.latency[name], series.count > 0 else { continue }
                let labels = run.labels + [("series", name)]
                let quantiles = series.quantiles
                for (quantile, value) in [
                    ("0.5", quantiles.p50), ("0.9", quantiles.p90), ("0.99", quantiles.p99), ("0.999", quantiles.p999),
                ] { summary.add(seconds(value), labels + [("quantile", quantile)]) }
                summary.add(Double(series.count), labels, suffix: "_count")
                low.add(seconds(series.minNs), labels)
                mean.add(seconds(series.meanNs), labels)
                high.add(seconds(series.maxNs), labels)
            }
        }
        return [summary, low, mean, high]
    }

    private static func processes(_ runs: [LabelledRun]) -> [MetricFamily] {
        var time = MetricFamily("pushbench_cpu", "Processor time of sender and simulator.", unit: "seconds")
        var memory = MetricFamily("pushbench_peak_memory", "The most memory that a process held.", unit: "bytes")
        for run in runs {
            let uses: [(String, ProcessResourcesRecord?)] = [
                ("sender", run.record.resources.sender), ("simulator", run.record.resources.simulator),
            ]
            for case (let name, let use?) in uses {
                time.add(seconds(use.cpuNs), run.labels + [("process", name)])
                memory.add(Double(use.peakRSSBytes), run.labels + [("process", name)])
            }
        }
        return [time, memory]
    }

    private static func thresholds(_ runs: [LabelledRun]) -> MetricFamily {
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

// MARK: - Comparisons

extension OpenMetricsText {
    static func text(_ comparison: Comparison) -> String {
        var verdict = MetricFamily("pushbench_comparison_verdict", "What the comparison says.", .stateset)
        var medians = MetricFamily(
            "pushbench_comparison_median", "Medians of both sides, in the unit that the label names.")
        var ratios = MetricFamily("pushbench_comparison_ratio", "Candidate by baseline.")
        var lows = MetricFamily("pushbench_comparison_ratio_low", "The lower end of the ratio's interval.")
        var highs = MetricFamily("pushbench_comparison_ratio_high", "The upper end of the ratio's interval.")
        var chances = MetricFamily(
            "pushbench_comparison_p", "The probability of such a difference without a cause, corrected.")
        verdict.add(states: Verdict.allCases.map(\.rawValue), comparison.verdict.status.rawValue, [])
        for figure in comparison.metrics {
            let labels = [("metric", figure.name), ("gating", "\(figure.isGating)")]
            for (side, sample) in [("baseline", figure.base), ("candidate", figure.candidate)] {
                medians.add(sample.median, labels + [("side", side), ("unit", figure.unit.rawValue)])
            }
            ratios.add(figure.ratio, labels)
            lows.add(figure.ratioLow, labels)
            highs.add(figure.ratioHigh, labels)
            chances.add(figure.adjustedP, labels)
        }
        return document([verdict, medians, ratios, lows, highs, chances])
    }
}
