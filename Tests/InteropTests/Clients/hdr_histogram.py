"""Histograms through the Python implementation of HdrHistogram: ours read and compared, and its own written for us to read."""

import os
import tempfile

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

import job

QUANTILES = [0, 50, 90, 99, 99.9, 99.99, 100]


def summary(histogram):
    return {
        "count": histogram.get_total_count(),
        "minimum": histogram.get_min_value(),
        "maximum": histogram.get_max_value(),
        "quantiles": [histogram.get_value_at_percentile(each) for each in QUANTILES],
    }


def compare(case):
    """Builds the same histogram here; returns it encoded, and what of ours is not the same."""
    built = HdrHistogram(case["lowest"], case["highest"], case["digits"])
    for value, count in case["values"]:
        built.record_value(value, count)
    ours = HdrHistogram.decode(case["base64"].encode())
    different = [
        built.get_counts_array_index(value)
        for value, _ in case["values"]
        if built.get_count_at_value(value) != ours.get_count_at_value(value)
    ]
    return {"base64": built.encode().decode(), "different": different, "built": summary(built), "ours": summary(ours)}


def read_log(text):
    with tempfile.NamedTemporaryFile("w", suffix=".hlog", delete=False, encoding="utf-8") as file:
        file.write(text)
    lines = []
    total = HdrHistogram(1, 3_600_000_000_000, 3)
    reader = HistogramLogReader(file.name, total)
    while True:
        interval = reader.get_next_interval_histogram()
        if interval is None:
            break
        lines.append(
            {
                "tag": interval.get_tag(),
                "startMs": round(interval.get_start_time_stamp()),
                "endMs": round(interval.get_end_time_stamp()),
                "count": interval.get_total_count(),
            }
        )
        total.add(interval)
    os.unlink(file.name)
    return lines, summary(total)


task = job.load()
lines, total = read_log(task["log"])
job.finish({"cases": [compare(case) for case in task["cases"]], "lines": lines, "total": total})
