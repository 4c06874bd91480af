"""Reads our reports with libraries that others wrote, and tells what they find in them.

The job has the texts to be read, by form: openmetrics, prometheus, markdown, junit, gobench. What a reader refuses ends the driver.
"""

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

from junitparser import JUnitXml
from markdown_it import MarkdownIt
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_prometheus

import job


def metrics(families):
    return [
        {
            "family": family.name,
            "type": family.type,
            "unit": family.unit,
            "samples": [{"name": each.name, "labels": each.labels, "value": each.value} for each in family.samples],
        }
        for family in families
    ]


class Page(HTMLParser):
    """The tables, headings and list items of a page, and whether its elements close in order."""

    EMPTY = {"br", "hr", "img", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.tables, self.headings, self.items, self.elements = [], [], [], [], {}

    def handle_starttag(self, tag, attrs):
        self.elements[tag] = self.elements.get(tag, 0) + 1
        if tag in self.EMPTY:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
        elif tag in ("h1", "h2", "h3"):
            self.headings.append("")
        elif tag == "li":
            self.items.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise SystemExit(f"</{tag}> closes another element")

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data
        elif self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] += data
        elif "li" in self.open:
            self.items[-1] += data


def markdown(text):
    # GitHub's own rules: CommonMark with tables, and HTML that is let through.
    page = Page()
    page.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))
    page.close()
    if page.open:
        raise SystemExit(f"not closed: {page.open}")
    return {"headings": page.headings, "tables": page.tables, "items": page.items, "elements": page.elements}


# What Jenkins, GitHub and GitLab read of JUnit's files, by the schema that Jenkins publishes: element, attributes that it must have,
# attributes that it may have, elements in it.
COUNTS = {"tests", "failures", "errors", "skipped", "time", "timestamp"}
SHAPE = {
    "testsuites": (set(), {"name", "disabled"} | COUNTS, {"testsuite"}),
    "testsuite": (
        {"name", "tests"},
        {"hostname", "id", "package", "disabled", "file"} | COUNTS,
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name"}, {"value"}, set()),
    "testcase": (
        {"name", "classname"},
        {"time", "assertions", "status", "file", "line"},
        {"skipped", "error", "failure", "system-out", "system-err", "properties"},
    ),
    "failure": (set(), {"message", "type"}, set()),
    "error": (set(), {"message", "type"}, set()),
    "skipped": (set(), {"message", "type"}, set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}


def check_shape(element):
    needed, allowed, children = SHAPE[element.tag]
    names = set(element.attrib)
    if not needed <= names or not names <= needed | allowed:
        raise SystemExit(f"<{element.tag}> has the attributes {sorted(names)}")
    for child in element:
        if child.tag not in children:
            raise SystemExit(f"<{element.tag}> holds <{child.tag}>")
        check_shape(child)


def junit(text):
    root = ElementTree.fromstring(text)
    check_shape(root)
    report = JUnitXml.fromstring(text.encode())
    suites = []
    for suite in report:
        cases = []
        for case in suite:
            cases.append(
                {
                    "name": case.name,
                    "classname": case.classname,
                    "results": [{"kind": type(each).__name__, "message": each.message or ""} for each in case.result],
                }
            )
        told = {"tests": suite.tests, "failures": suite.failures, "errors": suite.errors, "skipped": suite.skipped}
        suite.update_statistics()
        counted = {"tests": suite.tests, "failures": suite.failures, "errors": suite.errors, "skipped": suite.skipped}
        if told != counted:
            raise SystemExit(f"the suite {suite.name} tells {told}, and has {counted}")
        suites.append({"name": suite.name, "cases": cases, **told})
    return suites


# golang.org/design/14313-benchmark-format: configuration lines are "key: value", where a key begins with a lower-case letter and has
# neither upper-case letters nor blanks; a result begins with Benchmark, then fields: a name, iterations, and pairs of value and unit.
# Other lines are ignored there; here only blank ones and those that begin with # may be.
CONFIGURATION = re.compile(r"^([a-z][^\sA-Z:]*):(?:[ \t]+(.*))?$")
RESULT = re.compile(r"^Benchmark(?![a-z])\S*$")
# golang.org/x/perf/benchfmt: "Unit", a unit, and pairs of key and value.
UNIT = re.compile(r"^Unit[ \t]+\S+([ \t]+(better=(higher|lower)|assume=(nothing|exact)))+$")


def gobench(text):
    configuration, results = {}, []
    for line in text.splitlines():
        if match := CONFIGURATION.match(line):
            configuration[match[1]] = match[2] or ""
            continue
        fields = line.split()
        if not fields or line.startswith("#") or UNIT.match(line):
            continue
        if not RESULT.match(fields[0]):
            raise SystemExit(f"neither configuration nor result: {line}")
        if len(fields) < 4 or len(fields) % 2 or not fields[1].isascii() or not fields[1].isdigit():
            raise SystemExit(f"not a result: {line}")
        units = fields[3::2]
        if len(set(units)) != len(units):
            raise SystemExit(f"a unit twice: {line}")
        values = {unit: float(value) for value, unit in zip(fields[2::2], units)}
        results.append({"name": fields[0], "iterations": int(fields[1]), "values": values})
    return {"configuration": configuration, "results": results}


task = job.load()
READERS = {
    "openmetrics": lambda text: metrics(read_openmetrics(text)),
    "prometheus": lambda text: metrics(read_prometheus(text)),
    "markdown": markdown,
    "junit": junit,
    "gobench": gobench,
}
job.finish({form: READERS[form](text) for form, text in task.items()})
