# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Reads a report.jsonl: Open Compute Project Test & Validation output 2.0, as docs/report.md describes it.

core/stream/stream_reader.c and core/page/stream.js read streams by the same rules: docs/report.md, "How a stream is read"; the streams in
tests/fixtures/stream test all three. figures_file.py reads figures and verdicts from report.figures instead.

scan(path) gives a Report. A stream may stop anywhere (power cut, hang): it is read up to there, `ended` is False and the open
check is ERROR. A line that is not of the format is a fault and is skipped; reading continues after it. read(path)
raises StreamError with file and line for the first fault instead.
"""
from __future__ import annotations

import json
import math
import re

from . import verdict
from .model import DIAGNOSIS, EXIT, OWN_STEPS, STATUSES, Check, Limits, Measurement, Report, Series, StreamError, is_number  # noqa: F401: who reads needs them
from .source import content

FAULTS = {"json": "not JSON", "format": "not a line of an Assay report", "order": "out of order"}
WRONG = (ValueError, KeyError, TypeError, AttributeError)  # raised by a line that is not of the format
DEEPEST = 32  # nesting of arrays and objects: core/encoding/json_stream.h
WIDEST = 512  # members, so far, of an object and of those that contain it: the same
LONGEST = 158  # characters of a number: the same
_HALF = re.compile(rb"\\u[dD]")
_LONG = re.compile(rb"[-+.0-9eE]{%d}" % (LONGEST + 1))
_TEXTS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')


class _OutOfOrder(ValueError):
    """The line is skipped."""


def _scalar(v):
    """The value, as a double from 2^64 on. ValueError: not a scalar, or a number beyond a double."""
    if not isinstance(v, (str, bool, int, float)):
        raise ValueError("no value")
    if is_number(v):
        try:
            double = float(v)
        except OverflowError:
            double = math.inf
        if not math.isfinite(double):
            raise ValueError("beyond a double")
        return v if abs(double) < 2.0**64 else double
    return v


def _text(o, key, *otherwise):
    v = o.get(key, *otherwise) if otherwise else o[key]
    if not isinstance(v, str):
        raise ValueError(f"{key} is not a text")
    return v


def _object(o, key):
    v = o.get(key, {})
    if not isinstance(v, dict):
        raise ValueError(f"{key} is not an object")
    return v


def _texts(o, *keys):
    for key in keys:
        _text(o, key, "")


def _infos(dut, name, *keys):
    """ValueError: a list of dutInfo has an item that is not an object of texts."""
    for item in _list(dut, name):
        if not isinstance(item, dict):
            raise ValueError(f"an item of {name} is not an object")
        _texts(item, *keys)


def _list(o, key):
    v = o.get(key, [])
    if not isinstance(v, list):
        raise ValueError(f"{key} is not a list")
    return v


def _machine(a):
    """ValueError: a member of testRunStart that is read later has a wrong type."""
    parameters, dut = _object(a, "parameters"), _object(a, "dutInfo")
    _texts(a, "commandLine")
    for key in ("t", "skip"):
        if not all(isinstance(v, str) for v in _list(parameters, key)):
            raise ValueError(f"{key} has what is not a text")
    _texts(dut, "dutInfoId", "name")
    _object(dut, "metadata")
    _infos(dut, "platformInfos", "info")
    _infos(dut, "softwareInfos", "softwareInfoId", "name", "version", "revision")
    _infos(dut, "hardwareInfos", "name", "version", "location", "partType")


def _no_constant(word):
    raise ValueError(f"{word} is not JSON")


def _depth(v):
    inner = v.values() if isinstance(v, dict) else v if isinstance(v, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


def _width(v, above=0):
    inner = v.values() if isinstance(v, dict) else v if isinstance(v, list) else ()
    here = isinstance(v, dict)
    return max((_width(one, above + n * here) for n, one in enumerate(inner, 1)), default=above)


def _unique(pairs):
    o = dict(pairs)
    if len(o) != len(pairs):
        raise ValueError("a key stands twice")
    return o


decoded = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant).decode


def parsed(line):
    """The JSON value of a line. ValueError: not JSON in UTF-8, half of a surrogate pair, or beyond the limits of a line."""
    try:
        if _LONG.search(line) and _LONG.search(_TEXTS.sub(b"", line)):
            raise ValueError("a number is too long")
        o = decoded(line.decode())
        if line.count(b"{") + line.count(b"[") > DEEPEST and _depth(o) > DEEPEST:
            raise ValueError("nested too deep")
        if line.count(b":") > WIDEST and _width(o) > WIDEST:
            raise ValueError("too many members")
        if _HALF.search(line):
            json.dumps(o, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    return o


def _extra(artifact, name):
    """A number of the artifact's metadata, which may be anything."""
    meta = artifact.get("metadata")
    value = meta.get(name) if isinstance(meta, dict) else None
    return _scalar(value) if is_number(value) else None


def _measurement(m):
    where = _object(m, "subcomponent")
    r = Measurement(_text(m, "name"), _scalar(m["value"]), _text(m, "unit", ""), _text(where, "name", ""), location=_text(where, "location", ""),
                    seconds=_extra(m, "seconds"))
    for v in _list(m, "validators"):
        kind, limit = _text(v, "type"), v["value"]
        if not is_number(limit):
            continue
        limit = _scalar(limit)
        if kind in ("GREATER_THAN_OR_EQUAL", "GREATER_THAN", "EQUAL"):
            r.low = limit
        if kind in ("LESS_THAN_OR_EQUAL", "LESS_THAN", "EQUAL"):
            r.high = limit
    return r


def _message(e):
    symptom = _text(e, "symptom")
    return _text(e, "message", "") or symptom


class Reader:
    """Takes lines one by one. A line is checked before it changes anything."""

    def __init__(self, path):
        self.report = Report(path)
        self.open = {}  # step id -> Check: at most one
        self.series = None  # (id, Series): the one that is open
        self.verdicts = {}
        self.next, self.lost = 0, False
        self.again = None  # the check whose last attempt did not count
        self.time = ""  # of the last line

    # --- lines of the run

    def run(self, kind, a, stamp):
        r = self.report
        if kind == "testRunStart":
            _machine(a)
            if r.start:
                raise _OutOfOrder("a second testRunStart")
            r.start, r.begin = a, stamp
        elif kind == "testRunEnd":
            status, result = _text(a, "status"), _text(a, "result")
            r.ending = {"status": status, "result": result}
            result = result if status == "COMPLETE" else status
            self.repeated(None)
            r.ended, r.end = True, stamp
            result = "DONE" if result == "NOT_APPLICABLE" else result  # and COMPLETE: nothing was judged
            r.said = result if result in EXIT else "ERROR"
        elif kind == "log":
            r.logs.append((_text(a, "severity"), _text(a, "message")))
        elif kind == "error":
            r.errors.append(_message(a))
        else:
            raise KeyError(kind)

    # --- lines of a step

    def begin(self, step, name, stamp):
        if name == "resume":  # the clock may have been set before this boot
            self.report.back = ""
        c = self.open[step] = Check(name, begin=stamp)
        self.series = None
        self.repeated(name)
        self.report.checks.append(c)

    def repeated(self, name):
        """The check that begins now, None for none. After an attempt that does not count, the same one."""
        if self.again not in (None, name):
            self.report.contradictions.append(verdict.not_repeated(self.again))
        self.again = None

    def over(self, step, status, stamp):
        c = self.open.pop(step)
        c.end = stamp
        diagnosed = self.verdicts.pop(id(c), None)  # the id() of a dropped check may be reused
        if status == "COMPLETE":
            c.status = diagnosed or "PASS"
        else:
            c.status = "SKIP" if status == "SKIP" else "ERROR"
        self.report.contradictions += verdict.of_check(c, diagnosed)
        if c.dropped:
            self.report.checks.remove(c)
            self.again = c.id
        elif c.id == DIAGNOSIS:
            self.report.checks.remove(c)
            self.report.diagnosis = c

    def broken(self):
        """The open check has no end."""
        for c in self.open.values():
            c.errors.append("the report stops in this check")
        self.open.clear()

    def step(self, kind, a, check, step, stamp):
        """check() returns the Check of the line."""
        if kind == "measurement":
            m = _measurement(a)
            check().measurements.append(m)
        elif kind == "extension":
            name, content = _text(a, "name"), _object(a, "content")
            self.extension(check(), name, content)
        elif kind == "diagnosis":
            _text(a, "verdict"), _text(a, "message", "")
            _texts(_object(a, "subcomponent"), "name", "location")
            if _text(a, "type") not in ("PASS", "FAIL", "UNKNOWN"):
                raise ValueError("not a type of a diagnosis")
            self.diagnosis(check(), a)
        elif kind == "log":
            _text(a, "severity")
            message = _text(a, "message")
            check().notes.append(message)
        elif kind == "error":
            message = _message(a)
            check().errors.append(message)
        elif kind.startswith("measurementSeries"):
            self.in_series(kind, a, check)
        elif kind == "testStepEnd":
            status = _text(a, "status")
            check()
            self.over(step, status, stamp)
        elif kind == "file":
            check()
        else:
            raise KeyError(kind)

    def in_series(self, kind, a, check):
        key = _text(a, "measurementSeriesId")
        if kind == "measurementSeriesStart":
            meta = _object(a, "metadata")
            where = _object(a, "subcomponent")
            new = Series(_text(a, "name"), _text(a, "unit", ""), _text(where, "name", ""), _text(meta, "xName", ""), _text(meta, "xUnit", ""),
                         _text(where, "location", ""), meta.get("expected") is True, _extra(a, "share"))
            check().series.append(new)
            self.series = key, new
            return
        point = None
        if kind == "measurementSeriesElement":
            x = _object(a, "metadata").get("x")
            if not is_number(a["index"]):
                raise ValueError("index is not a number")
            point = _scalar(x) if is_number(x) else _scalar(a["index"]), _scalar(a["value"])
        elif kind != "measurementSeriesEnd":
            raise KeyError(kind)
        check()
        if self.series is None or self.series[0] != key:
            raise _OutOfOrder("its series is not open")
        if point:
            self.series[1].points.append(point)
        else:
            self.series = None

    @staticmethod
    def extension(c, name, content):
        if name == "assay.check":
            for key in ("title", "specification", "rows"):
                setattr(c, key, content[key] if isinstance(content.get(key), str) else "")
            detects = content.get("detects", content.get("catches"))  # the key of earlier reports
            c.detects = detects if isinstance(detects, str) else ""
            c.round = content["round"] if is_number(content.get("round")) else 1
            c.method = content["method"] if is_number(content.get("method")) else 0
        elif name == "assay.evidence":
            c.evidence.append(content)
        elif name == "assay.diagnosis":
            c.causes.append(content)
        elif name == "assay.monitor":
            c.monitors.append(content)
        elif name == "assay.run":
            c.stopped = content.get("stopped") is True
        elif name == "assay.finding" and c.limits:
            limit = content.get("limit")
            errata = [e for e in content.get("errata", []) if isinstance(e, dict)] if isinstance(content.get("errata"), list) else []
            c.limits[-1] = Limits(limit if isinstance(limit, str) else "", [tuple(str(e.get(k, "")) for k in ("number", "defect", "document")) for e in errata])
        elif name == "assay.cost":
            c.cost = content
            c.dropped = c.dropped or content.get("dropped") is True

    def diagnosis(self, c, d):
        kind = {"PASS": "PASS", "FAIL": "FAIL"}.get(d["type"], "WARN")
        known = self.verdicts.get(id(c))
        order = (None, "PASS", "WARN", "FAIL")
        if order.index(kind) > order.index(known):
            self.verdicts[id(c)] = kind
        if kind != "PASS":
            c.findings.append(d.get("message") or d["verdict"])
            c.limits.append(Limits())
            c.found.append((d["type"], d["verdict"], d.get("subcomponent", {}).get("location", "")))

    # --- the order of lines

    def numbered(self, o):
        """Whether lines are missing before this one."""
        number = o.get("sequenceNumber") if isinstance(o, dict) else None
        if not is_number(number) or not 0 <= number < 2**53 or number != int(number):
            self.lost = True
            raise ValueError("no sequence number")
        if number < self.next:
            raise _OutOfOrder("its sequenceNumber is not above the last")
        missing = number > self.next and not self.lost
        self.next, self.lost = number + 1, False
        return missing

    def take(self, o):
        """Takes the object of a line. True: out of order, but read."""
        before = self.artifact(o)
        stamp = o.get("timestamp")
        if isinstance(stamp, str):
            self.report.back = self.report.back or verdict.goes_back(self.time, stamp)
            self.time = stamp
        return before

    def artifact(self, o):
        own = [k for k in ("testStepArtifact", "testRunArtifact", "schemaVersion") if k in o]
        if len(own) != 1:
            raise KeyError("not one artifact")
        stamp, a = o.get("timestamp"), o[own[0]]
        stamp = stamp if isinstance(stamp, str) else ""
        if own[0] == "schemaVersion":
            if a["major"] != 2:
                raise ValueError("not version 2 of the format")
            self.not_ended()
            return False
        kinds = [k for k in a if k != "testStepId"] if isinstance(a, dict) else []
        if len(kinds) != 1 or not isinstance(a[kinds[0]], dict) or not a[kinds[0]]:
            raise KeyError("not one artifact")
        kind, content = kinds[0], a[kinds[0]]
        if own[0] == "testRunArtifact":
            self.not_ended()
            self.run(kind, content, stamp)
            return False
        step = _text(a, "testStepId")
        if not step:
            raise ValueError("no step")
        if kind == "testStepStart":
            name = _text(content, "name")
            if not name:
                raise ValueError("a step without a name")
            self.not_ended()
            before = bool(self.open)
            self.broken()
            self.begin(step, name, stamp)
            return before
        self.step(kind, content, lambda: self.check(step), step, stamp)
        return False

    def check(self, step):
        self.not_ended()
        if step not in self.open:
            raise _OutOfOrder("its step is not open")
        return self.open[step]

    def not_ended(self):
        if self.report.ended:
            raise _OutOfOrder("it is after testRunEnd")

    def line(self, number, line, last):
        """Takes a line of the file; last: it has no LF."""
        faults = self.report.faults
        try:
            o = parsed(line)
        except ValueError as e:
            self.lost = True
            if last:
                self.report.torn = True
            else:
                faults.append((number, "json", str(e)))
            return
        fault = None
        try:
            missing = self.numbered(o)
            fault = ("order", "lines are missing") if missing else None
            if self.take(o):
                fault = fault or ("order", "a check begins in another one")
        except _OutOfOrder as e:
            fault = fault or ("order", str(e))
        except WRONG as e:
            fault = fault or ("format", f"{type(e).__name__}: {e}")
        if fault:
            faults.append((number, *fault))


def scan(path, data=None):
    """The Report in a file or at a URL, as far as it can be read; faults are in Report.faults. data: its bytes, if known."""
    reader = Reader(str(path))
    lines = (content(path) if data is None else data).split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip(b" \t\r"):
            reader.line(number, line, number == len(lines))
    reader.broken()
    r = reader.report
    verdict.conclude(r)
    if r.torn or not r.ended:
        r.errors.append("the report stops early: power cut, hang or full medium")
    return r


def read(path, data=None):
    """The Report in a file or at a URL; StreamError: it has a fault. data: its bytes, if known."""
    r = scan(path, data)
    if r.faults:
        number, kind, why = r.faults[0]
        raise StreamError(f"{path}:{number}: {FAULTS[kind]} ({why})")
    if not r.start:
        raise StreamError(f"{path}: no testRunStart: not a report, or one that stops before it")
    return r


def figures(report):
    """{(check, measurement, location): [values]} of the numbers."""
    out = {}
    for c in report.checks:
        for m in c.measurements:
            if m.is_number:
                out.setdefault((c.id, m.name, m.where), []).append(m.value)
    return out
