# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Reads a report.jsonl: Open Compute Project Test & Validation output 2.0, as docs/report.md describes it.

read(path) gives a Report. A stream may stop anywhere (power cut, hang): what was there is read, `ended` is False and the
check that had begun is ERROR. A line that is no JSON object of the format raises StreamError with file and line.
"""
from __future__ import annotations

import json
from dataclasses import dataclass, field

STATUSES = ("PASS", "FAIL", "WARN", "SKIP", "ERROR")
OWN_STEPS = ("restore.registers", "spread.rounds")
# Exit status by verdict, as the payload's own.
EXIT = {"PASS": 0, "FAIL": 1, "SKIP": 3, "ERROR": 3}


class StreamError(Exception):
    """The file is not what it should be; the text names file and line."""


@dataclass
class Measurement:
    """value is a number, a string or a truth value; low and high are None where there is no bound."""

    name: str
    value: object
    unit: str = ""
    place: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def out_of_bounds(self):
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            return False
        return (self.low is not None and self.value < self.low) or (self.high is not None and self.value > self.high)


@dataclass
class Series:
    name: str
    unit: str
    place: str
    x_name: str
    x_unit: str
    points: list = field(default_factory=list)  # (x or None, value)


@dataclass
class Check:
    id: str
    title: str = ""
    specification: str = ""
    rows: str = ""
    catches: str = ""
    status: str = "ERROR"
    findings: list = field(default_factory=list)  # texts of FAIL and WARN
    notes: list = field(default_factory=list)  # log lines
    errors: list = field(default_factory=list)
    measurements: list = field(default_factory=list)
    series: list = field(default_factory=list)
    evidence: list = field(default_factory=list)  # of dict, as in the stream
    begin: str = ""
    end: str = ""
    round: int = 1
    dropped: bool = False  # an attempt that did not count: the next one stands in its place

    @property
    def name(self):
        """The id, told apart from that of other rounds (-repeat, -soak)."""
        return self.id if self.round == 1 or self.id in OWN_STEPS else f"{self.id}.round-{self.round}"

    @property
    def reason(self):
        """Why the status is not PASS, in a line; "" for PASS."""
        if self.status == "PASS":
            return ""
        for texts in (self.errors if self.status == "ERROR" else [], self.findings, self.notes):
            if texts:
                return texts[0] if self.status != "SKIP" else texts[-1]
        return "no reason given"


@dataclass
class Report:
    path: str
    start: dict = field(default_factory=dict)  # testRunStart
    checks: list = field(default_factory=list)
    logs: list = field(default_factory=list)  # (severity, text) of the run
    errors: list = field(default_factory=list)
    ended: bool = False
    result: str = "ERROR"
    begin: str = ""
    end: str = ""

    @property
    def counts(self):
        """As the payload counts: its own steps are no checks that passed."""
        counted = [c.status for c in self.checks if c.id not in OWN_STEPS or c.status != "PASS"]
        return {s: counted.count(s) for s in STATUSES}

    @property
    def exit_status(self):
        return EXIT.get(self.result, 3)

    @property
    def dut(self):
        return self.start.get("dutInfo", {})

    def info(self, key):
        """A platform information by its key, as "system-serial-number"; "" where there is none."""
        for item in self.dut.get("platformInfos", []):
            if item["info"].startswith(key + ": "):
                return item["info"][len(key) + 2 :]
        return ""

    def software(self, kind):
        """Versions of softwareInfos whose id begins with kind, each once, in order."""
        seen = []
        for s in self.dut.get("softwareInfos", []):
            if s["softwareInfoId"].startswith(kind) and s.get("version", "") not in seen:
                seen.append(s.get("version", ""))
        return seen

    def hardware(self, part):
        return [h for h in self.dut.get("hardwareInfos", []) if h.get("partType") == part]

    @property
    def machine(self):
        return self.dut.get("name", "unknown machine")

    @property
    def serial(self):
        return self.info("system-serial-number") or self.info("baseboard-serial-number")

    @property
    def virtual(self):
        return self.info("virtual silicon")

    @property
    def model(self):
        """What alike machines have in common: product and processor."""
        cpus = self.hardware("CPU")
        return (self.info("system-product-name") or self.machine, cpus[0]["name"] if cpus else "")


def _measurement(m):
    r = Measurement(m["name"], m["value"], m.get("unit", ""), m.get("subcomponent", {}).get("name", ""))
    for v in m.get("validators", []):
        kind, limit = v["type"], v["value"]
        if kind in ("GREATER_THAN_OR_EQUAL", "GREATER_THAN", "EQUAL"):
            r.low = limit
        if kind in ("LESS_THAN_OR_EQUAL", "LESS_THAN", "EQUAL"):
            r.high = limit
    return r


class Reader:
    def __init__(self, path):
        self.report = Report(path)
        self.open = {}  # step id -> Check
        self.series = {}
        self.verdicts = {}

    def run(self, a, stamp):
        r = self.report
        if "testRunStart" in a:
            r.start, r.begin = a["testRunStart"], stamp
        elif "testRunEnd" in a:
            r.ended, r.end = True, stamp
            end = a["testRunEnd"]
            r.result = end["result"] if end["status"] == "COMPLETE" else end["status"]
            if r.result not in EXIT:
                r.result = "ERROR"
        elif "log" in a:
            r.logs.append((a["log"]["severity"], a["log"]["message"]))
        elif "error" in a:
            r.errors.append(a["error"].get("message") or a["error"]["symptom"])

    def step(self, a, stamp):
        step = a["testStepId"]
        if "measurement" in a:
            self.open[step].measurements.append(_measurement(a["measurement"]))
            return
        if "testStepStart" in a:
            self.begin(step, a["testStepStart"]["name"], stamp)
            return
        c = self.open[step]
        if "extension" in a:
            self.extension(c, a["extension"])
        elif "diagnosis" in a:
            self.diagnosis(c, a["diagnosis"])
        elif "log" in a:
            c.notes.append(a["log"]["message"])
        elif "error" in a:
            c.errors.append(a["error"].get("message") or a["error"]["symptom"])
        elif "measurementSeriesStart" in a:
            s = a["measurementSeriesStart"]
            meta = s.get("metadata", {})
            new = Series(s["name"], s.get("unit", ""), s.get("subcomponent", {}).get("name", ""),
                         meta.get("xName", ""), meta.get("xUnit", ""))
            self.series[s["measurementSeriesId"]] = new
            c.series.append(new)
        elif "measurementSeriesElement" in a:
            e = a["measurementSeriesElement"]
            self.series[e["measurementSeriesId"]].points.append((e.get("metadata", {}).get("x"), e["value"]))
        elif "testStepEnd" in a:
            self.over(step, a["testStepEnd"]["status"], stamp)

    def begin(self, step, name, stamp):
        c = self.open[step] = Check(name, begin=stamp)
        self.report.checks.append(c)

    def over(self, step, status, stamp):
        c = self.open.pop(step)
        self.end(c, status, stamp)
        if c.dropped:
            self.report.checks.remove(c)

    @staticmethod
    def extension(c, e):
        content = e.get("content", {})
        if e["name"] == "assay.check":
            c.title, c.specification = content["title"], content["specification"]
            c.rows, c.catches = content.get("rows", ""), content.get("catches", "")
            c.round = content.get("round", 1)
        elif e["name"] == "assay.evidence":
            c.evidence.append(content)
        elif e["name"] == "assay.cost":
            c.dropped = content.get("dropped", False)

    def diagnosis(self, c, d):
        kind = {"PASS": "PASS", "FAIL": "FAIL"}.get(d["type"], "WARN")
        known = self.verdicts.get(id(c))
        order = (None, "PASS", "WARN", "FAIL")
        if order.index(kind) > order.index(known):
            self.verdicts[id(c)] = kind
        if kind != "PASS":
            c.findings.append(d.get("message", d["verdict"]))

    def end(self, c, status, stamp):
        c.end = stamp
        if status == "COMPLETE":
            c.status = self.verdicts.get(id(c), "PASS")
        else:
            c.status = status if status in STATUSES else "ERROR"


def _objects(path, lines):
    """The lines' objects, each with its number."""
    for number, line in enumerate(lines, 1):
        try:
            yield number, json.loads(line)
        except ValueError as e:
            raise StreamError(f"{path}:{number}: not JSON ({e})") from e


def take(reader, o):
    """One line's object."""
    stamp = o.get("timestamp", "")
    if "testStepArtifact" in o:
        reader.step(o["testStepArtifact"], stamp)
    elif "testRunArtifact" in o:
        reader.run(o["testRunArtifact"], stamp)
    elif "schemaVersion" not in o:
        raise KeyError("no artifact that the format knows")


WRONG = (ValueError, KeyError, TypeError, AttributeError)  # what a line that is none of the format raises


def read(path):
    """The Report in a file."""
    reader = Reader(str(path))
    with open(path, "rb") as f:
        lines = f.read().split(b"\n")
    torn = lines.pop()  # "" where the last line is whole
    for number, o in _objects(path, lines):
        try:
            take(reader, o)
        except WRONG as e:
            raise StreamError(f"{path}:{number}: not a line of an Assay report ({type(e).__name__}: {e})") from e
    r = reader.report
    if not r.start:
        raise StreamError(f"{path}: no testRunStart: not a report, or one that stopped before its first line")
    if torn or not r.ended:
        r.errors.append("the report stops early: power cut, hang or full medium")
    for c in reader.open.values():
        c.errors.append("the report stops in this check")
    return r


def figures(report):
    """{(check, measurement, place): [values]} of the numbers."""
    out = {}
    for c in report.checks:
        for m in c.measurements:
            if isinstance(m.value, (int, float)) and not isinstance(m.value, bool):
                out.setdefault((c.id, m.name, m.place), []).append(m.value)
    return out
