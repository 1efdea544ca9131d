# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the three readers of streams read, each in the shape of tests/fixtures/stream/golden.json: a list of files in, a list of
readings out. The C reader, which keeps nothing, is asked for its calls (validate-report --reading), and says no result."""
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import stream  # noqa: E402

GOLDEN = ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl"
AT_ONCE = 200  # files on a command line
NODE = shutil.which("node")


def lines_of(command, files):
    for at in range(0, len(files), AT_ONCE):
        p = subprocess.run([*command, *files[at : at + AT_ONCE]], capture_output=True, text=True, timeout=300, check=True)
        yield from map(json.loads, p.stdout.splitlines())


def spelled(v):
    return v if isinstance(v, str) else json.dumps(v)


def pairs(o):
    return [[k, spelled(item)] for k, v in o.items() for item in (v if isinstance(v, list) else [v])]


def number(v):
    """As the other languages have it: a double."""
    return float(v) if isinstance(v, int) and not isinstance(v, bool) else v


def by_python(files):
    return [python_reading(stream.scan(f)) for f in files]


def python_reading(r):
    return {
        "started": bool(r.start), "ended": r.ended, "torn": r.torn, "result": r.result,
        "contradictions": r.contradictions,
        "faults": [[line, kind] for line, kind, _ in r.faults],
        "options": pairs(r.start.get("parameters", {})),
        "logs": [list(entry) for entry in r.logs],
        "errors": [e for e in r.errors if not e.startswith(("the report stops early", "the report contradicts itself"))],
        "limits": [[text, x.limit, " ".join(e[0] for e in x.errata)] for c in r.checks for text, x in zip(c.findings, c.limits) if x.texts],
        "checks": [{
            "id": c.id, "round": c.round, "title": c.title, "detects": c.detects, "verdict": c.status, "reason": c.reason, "findings": c.findings,
            "notes": c.notes, "errors": c.errors,
            "measurements": [[m.name, m.place, m.unit, number(m.value), number(m.low), number(m.high), m.location] for m in c.measurements],
            "series": [[s.name, s.place, s.unit, s.x_name, s.x_unit, s.location, [[number(x), number(v)] for x, v in s.points]] for s in c.series],
            "evidence": len(c.evidence), "cost": pairs(c.cost)} for c in r.checks],
    }


def by_page(files):
    return list(lines_of([NODE, ROOT / "tests" / "report" / "read_stream.mjs"], files))


def by_c(files):
    subprocess.run([ROOT / "scripts" / "validate-report", GOLDEN], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300,
                   check=False)  # builds it
    readings, calls = [], Calls()
    for call in lines_of([ROOT / "build" / "host" / "validate-report", "--reading"], files):
        getattr(calls, call["call"])(call)
        if call["call"] == "end":
            readings.append(calls.read)
            calls = Calls()
    return readings


class Calls:
    """The C reader's calls. A line's fields come before it; where it is a fault they are to be forgotten, but of one out of order,
    which may be read all the same and is a fault before it is a line."""

    def __init__(self):
        self.read = {"faults": [], "options": [], "logs": [], "errors": [], "limits": [], "checks": []}
        self.fields = []

    def field(self, call):
        self.fields.append([call["path"], call["text"]])

    def fault(self, call):
        self.read["faults"].append([call["line"], call["fault"]])
        if call["fault"] != "order":
            self.fields = []

    def end(self, call):
        self.read |= {key: bool(call[key]) for key in ("started", "ended", "torn", "valid")}

    def broken(self, call):
        c = self.read["checks"][-1]
        assert c["id"] == call["check"], call
        c["errors"].append("the report stops in this check")
        self.end_check(c, "ERROR")

    def line(self, call):
        checks, kind = self.read["checks"], call["kind"]
        if kind == "stepStart":
            checks.append({"id": call["name"], "round": 1, "title": "", "detects": "", "verdict": "ERROR", "reason": "", "findings": [],
                           "notes": [], "errors": [], "measurements": [], "series": [], "evidence": 0, "cost": []})
        elif kind == "runStart":
            self.read["options"] += [[path.removeprefix("parameters."), text] for path, text in self.fields if path.startswith("parameters.")]
        elif kind == "runLog":
            self.read["logs"].append([call["severity"], call["message"]])
        elif kind == "runError":
            self.read["errors"].append(call["message"] or call["symptom"])
        elif kind == "stepEnd" and (call["dropped"] or checks[-1]["id"] == "diagnosis"):
            checks.pop()  # what does not count, and the causes of findings, are no checks
        elif call["check"]:
            assert checks[-1]["id"] == call["check"], call
            self.in_check(checks[-1], kind, call)
        self.fields = []

    def in_check(self, c, kind, call):
        value = number(call["value"])
        if kind == "measurement":
            c["measurements"].append([call["name"], call["place"], call["unit"], value, number(call["low"]), number(call["high"]), call["location"]])
        elif kind == "seriesStart":
            c["series"].append([call["name"], call["place"], call["unit"], call["xName"], call["xUnit"], call["location"], []])
        elif kind == "seriesPoint":
            next(s for s in c["series"] if s[0] == call["name"])[-1].append([number(call["x"]), value])
        elif kind == "diagnosis" and call["result"] != "PASS":
            c["findings"].append(call["message"] or call["name"])
        elif kind == "log":
            c["notes"].append(call["message"])
        elif kind == "error":
            c["errors"].append(call["message"] or call["symptom"])
        elif kind == "extension":
            self.extension(c, call["name"])
        elif kind == "stepEnd":
            self.end_check(c, call["verdict"])

    def extension(self, c, name):
        fields = dict(self.fields)
        c["evidence"] += name == "assay.evidence"
        if name == "assay.finding":
            errata = " ".join(text for path, text in self.fields if path == "errata.number")
            self.read["limits"].append([(c["findings"] or [""])[-1], fields.get("limit", ""), errata])
        elif name == "assay.cost":
            c["cost"] += self.fields
        elif name == "assay.check":
            c["title"] = fields.get("title", c["title"])
            c["detects"] = fields.get("detects", fields.get("catches", c["detects"]))  # "catches" is the key of earlier reports
            c["round"] = int(fields["round"]) if fields.get("round", "").isdecimal() else c["round"]

    @staticmethod
    def end_check(c, verdict):
        texts = verdict == "ERROR" and c["errors"] or c["findings"] or c["notes"] or ["no reason given"]
        c["verdict"] = verdict
        if verdict != "PASS":
            c["reason"] = texts[-1 if verdict == "SKIP" else 0]
