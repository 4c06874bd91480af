import Analysis
import RunRecords

/// OpenMetrics 1.0 text, which Prometheus scrapes.
enum OpenMetricsText: ReportText {
    static let summary = "OpenMetrics text, which Prometheus scrapes"

    static func text(_ series: RunSeriesRecord) -> String {
        MetricDialect.openMetrics.document(RunMetrics(series).families)
    }

    static func text(_ comparison: Comparison) -> String {
        MetricDialect.openMetrics.document(ComparisonMetrics(comparison).families)
    }
}

/// Prometheus' older text format, which node_exporter's textfile collector reads from a file.
enum PrometheusText: ReportText {
    static let summary = "Prometheus' text format, for node_exporter's textfile collector"

    static func text(_ series: RunSeriesRecord) -> String {
        MetricDialect.prometheus.document(RunMetrics(series).families)
    }

    static func text(_ comparison: Comparison) -> String {
        MetricDialect.prometheus.document(ComparisonMetrics(comparison).families)
    }
}
