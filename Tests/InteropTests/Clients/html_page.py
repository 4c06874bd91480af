"""A page through Python's own HTML parser: its figures, its outline, and everything in it that could lead out of it."""

import re
from html.parser import HTMLParser

import job

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "area", "base", "embed", "source", "track", "wbr"}
OUTWARD = {"src", "href", "xlink:href", "action", "formaction", "data", "poster", "srcset", "background", "ping", "cite"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.unbalanced = []
        self.elements = {}
        self.figures = []
        self.headings = []
        self.ids = []
        self.references = []
        self.attributes = []
        self.named = []
        self.policy = None
        self.language = None
        self.text = []
        self.style = []
        self.captions = []
        self.tables = []
        self.scopeless = 0

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        self.elements[tag] = self.elements.get(tag, 0) + 1
        self.attributes += [f"{tag} {name}" for name, _ in pairs]
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.references += [value or "" for name, value in pairs if name in OUTWARD]
        if tag == "html":
            self.language = attributes.get("lang")
        if tag == "meta" and (attributes.get("http-equiv") or "").lower() == "content-security-policy":
            self.policy = attributes.get("content")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append([int(tag[1]), ""])
        if tag == "table":
            self.tables.append({"caption": "", "rows": []})
        if tag == "tr" and self.tables:
            self.tables[-1]["rows"].append([])
        if tag in ("td", "th") and self.tables:
            self.tables[-1]["rows"][-1].append("")
        if tag == "th" and "scope" not in attributes:
            self.scopeless += 1
        if tag == "data":
            self.figures.append({"name": attributes.get("data-figure"), "value": attributes.get("value"), "text": ""})
        if "aria-labelledby" in attributes:
            self.named.append({"role": attributes.get("role"), "by": attributes["aria-labelledby"].split()})
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, pairs):
        self.handle_starttag(tag, pairs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID or not self.open or self.open[-1] != tag:
            self.unbalanced.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data):
        if "style" in self.open:
            self.style.append(data)
            return
        self.text.append(data)
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            self.headings[-1][1] += data
        if "data" in self.open:
            self.figures[-1]["text"] += data
        if "caption" in self.open:
            self.tables[-1]["caption"] += data
        elif "td" in self.open or "th" in self.open:
            self.tables[-1]["rows"][-1][-1] += data


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    return {
        "size": len(text.encode()),
        "begin": text[:15],
        "unbalanced": page.unbalanced + page.open,
        "elements": page.elements,
        "figures": page.figures,
        "levels": [level for level, _ in page.headings],
        "headings": [heading for _, heading in page.headings],
        "ids": page.ids,
        "references": page.references,
        "attributes": sorted(set(page.attributes)),
        "namedBy": [name for each in page.named for name in each["by"]],
        "pictures": sum(1 for each in page.named if each["role"] == "img"),
        "policy": page.policy,
        "language": page.language,
        "text": "".join(page.text),
        "style": "".join(page.style),
        "tables": page.tables,
        "scopeless": page.scopeless,
    }


job.finish(read(job.load()["page"]))
