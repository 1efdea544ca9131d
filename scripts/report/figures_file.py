# SPDX-License-Identifier: BSD-2-Clause-Patent
"""report.figures, beside report.jsonl: the figures and verdicts of a run, a twentieth of its stream. The payload derives it
from the stream (core/report/figures.h), and report.sha256 has the digests of both; docs/report.md describes the format.

summary() is what a merge needs of a report, report() what bands need; both read the stream where there is no report.figures.
One that contradicts report.sha256, its stream or itself is not used: the stream is read, and the Report says so.
"""
from __future__ import annotations

import hashlib
import json
import math
from array import array
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest

from . import source, verdict, verify
from .model import DIAGNOSIS, STATUSES, Check, Measurement
from .stream import WRONG, Reader, decoded, figures, read

VERSION = 1
STREAM, NAME = "report.jsonl", "report.figures"
_DAMAGED = (*WRONG, IndexError, OverflowError, RecursionError)  # what a file that is none raises
_KEPT = 64  # shapes of reports, since each holds a report's names


class Contradiction(Exception):
    """report.figures is not what the run wrote, or of another stream."""


@dataclass(frozen=True)
class Shape:
    """What the lines of alike reports have in common."""

    checks: tuple  # (id, ((name, unit, place, location), ...)) of each
    lengths: list  # of each check's numbers
    figures: tuple  # (check, name, location), each once
    first: list  # which value of a report is the figure's, or the first of several
    several: list  # (figure, which values) of those that were measured several times

    @staticmethod
    def of(checks):
        known, of = {}, []
        for at, (check, (name, _, place, location)) in enumerate((check, names) for check, figures in checks for names in figures):
            figure = known.setdefault((check, name, location or place), len(known))
            if figure == len(of):
                of.append([])
            of[figure].append(at)
        return Shape(checks, [3 * len(figures) for _, figures in checks], tuple(known), [some[0] for some in of],
                     [(figure, some) for figure, some in enumerate(of) if len(some) > 1])

    def means(self, values):
        out = [values[at] for at in self.first]
        for figure, some in self.several:
            out[figure] = sum([values[at] for at in some]) / len(some)
        return array("d", out)


def _joined(lines):
    return decoded(f"[{lines.decode()}]")


def _text(v):
    if not isinstance(v, str):
        raise ValueError("a name is no text")
    return v


@lru_cache(_KEPT)
def _shape(lines):
    """lines: the checks' own, joined by commas."""
    return Shape.of(tuple((_text(c["check"]), tuple(tuple(map(_text, names)) for names in c["figures"])) for c in _joined(lines)))


@lru_cache(_KEPT)
def _outcomes(lines):
    outcomes = _joined(lines)
    if not all(o["verdict"] in STATUSES and type(o["round"]) is int for o in outcomes):
        raise ValueError("a check without verdict and round")
    return outcomes


@lru_cache(_KEPT)
def _checks(lines, outcomes):
    """Of alike reports, which share them: they have ids, verdicts and rounds alone."""
    return [Check(check, status=o["verdict"], round=o["round"], method=o.get("method", 0))
            for (check, _), o in zip(_shape(lines).checks, _outcomes(outcomes)) if check != DIAGNOSIS]


class FiguresFile:
    """The lines of a report.figures; ValueError, KeyError and the like where they are none."""

    def __init__(self, path, data):
        lines = data.split(b"\n")
        if lines.pop():
            raise ValueError("its last line has no end")
        reader, at = Reader(path), 0
        while not reader.report.start:
            reader.line(at + 1, lines[at], False)
            at += 1
        if decoded(lines[at].decode()) != {"figures": VERSION}:
            raise ValueError(f"not version {VERSION} of the format")
        body = lines[at + 1 : -1]
        checks, outcomes = b",".join(body[::3]), b",".join(body[2::3])
        self.head = data[: data.index(lines[at])]
        self.shape, self.outcomes = _shape(checks), _outcomes(outcomes)
        self.numbers = _joined(b",".join(body[1::3]))
        self.end = decoded(lines[-1].decode())["end"]
        if list(map(len, self.numbers)) != self.shape.lengths or not len(self.outcomes) == len(self.numbers) == self.end["checks"]:
            raise ValueError("a line is missing")
        values = list(chain.from_iterable(self.numbers))[::3]
        if not {int, float}.issuperset(map(type, values)) or not all(map(math.isfinite, values)):
            raise ValueError("a value is no number")
        self.values = array("d", values)
        self.report = reader.report
        self.report.checks = _checks(checks, outcomes)
        self.report.contradictions += self._beyond()
        reader.run("testRunEnd", {"status": self.end["status"], "result": self.end["result"]}, "")
        verdict.conclude(self.report)

    def _beyond(self):
        """A sentence for each check that says PASS or SKIP above a figure outside of its own bounds."""
        for (check, names), numbers, o in zip(self.shape.checks, self.numbers, self.outcomes):
            if o["verdict"] in ("PASS", "SKIP"):
                for (name, *_), value, low, high in zip(names, *(numbers[at::3] for at in range(3))):
                    if (low is not None and value < low) or (high is not None and value > high):
                        yield verdict.out_of_bounds(check, o["verdict"], name)
                        break

    def rows(self):
        """(check, round, verdict, [((name, unit, place, location), (value, low, high))], [(type, verdict, location)] of findings) of each
        check."""
        for (check, names), numbers, o in zip(self.shape.checks, self.numbers, self.outcomes):
            numbers = [tuple(map(_double, numbers[at : at + 3])) for at in range(0, len(numbers), 3)]
            yield check, o["round"], o["verdict"], list(zip(names, numbers)), [tuple(found) for found in o["found"]]


def _double(v):
    return v if v is None else float(v)


def _rows(report):
    """What FiguresFile.rows() has of the same stream; the diagnosis may stand elsewhere."""
    for c in [*report.checks, *([report.diagnosis] if report.diagnosis else [])]:
        some = [((m.name, m.unit, m.place, m.location), tuple(map(_double, (m.value, m.low, m.high)))) for m in c.measurements if m.is_number]
        yield c.id, c.round, c.status, some, c.found


def derived(report, data):
    """A report.figures as it is derived from a stream, of which the Report is: (lines of its head, rows, members of its end)."""
    start = next(n for n, line in enumerate(data.split(b"\n"), 1) if b'"testRunStart"' in line)
    rows = list(_rows(report))
    return (b"\n".join(data.split(b"\n")[:start]) + b"\n", rows,
            {**report.ending, "checks": len(rows), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


def _is_diagnosis(row):
    return row[0] == DIAGNOSIS


def differs(report, data, own):
    """In which way a report.figures is not derived from a stream; "" where it is. report, data: the stream's Report and bytes; own: the
    bytes of report.figures."""
    try:
        file = FiguresFile(NAME, own)
    except _DAMAGED as e:
        return f"cannot be read ({type(e).__name__}: {e})"
    head, rows, end = derived(report, data)
    if file.head != head:
        return f"is of another run than {STREAM}"
    for own, theirs in zip_longest(sorted(file.rows(), key=_is_diagnosis), rows):
        if own != theirs:
            return f"has other figures of {(own or theirs)[0]} than {STREAM}"
    wrong = [key for key in end if file.end.get(key) != end[key]]
    return f"has another {wrong[0]} than {STREAM}: {file.end.get(wrong[0])}, not {end[wrong[0]]}" if wrong else ""


def _beside(path, stamp):
    """The FiguresFile beside a stream, None where there is none that can be held to it. Contradiction, or one of _DAMAGED."""
    if not stamp or None in stamp:
        return None
    data, digests = (source.content(source.beside(path, end)) for end in (source.DERIVED, source.DIGESTS))
    listed = verify.listed(digests, path)
    if listed.get(NAME) != hashlib.sha256(data).hexdigest():
        raise Contradiction(f"{NAME} has not the digest that {verify.NAME} says")
    file = FiguresFile(str(path), data)
    if file.end["sha256"] != listed[STREAM]:
        raise Contradiction(f"{NAME} is of another stream than {verify.NAME}")
    if stamp[0][0] not in (None, file.end["bytes"]):
        raise Contradiction(f"{NAME} is of a stream of {file.end['bytes']} bytes, and {STREAM} has {stamp[0][0]}")
    return file


def _read(path, stamp, of_file, of_report):
    """What of_file() makes of the FiguresFile beside a stream; where there is none, of_report() of the stream's Report."""
    why = ""
    try:
        file = _beside(path, stamp)
        if file:
            return of_file(file)
    except Contradiction as e:
        why = str(e)
    except _DAMAGED as e:
        why = f"{NAME} is damaged ({type(e).__name__}: {e})"
    data = source.content(path)
    report = read(path, data)
    report.contradictions += [why] if why else []
    return of_report(report, data)


def _end(path):
    """The time stamp of a stream's last line, "" where there is none."""
    try:
        stamp = json.loads(source.last_line(path)).get("timestamp")
    except (OSError, ValueError, AttributeError):
        stamp = None
    return stamp if isinstance(stamp, str) else ""


def _summary_of_file(file):
    file.report.end = _end(file.report.path)
    return file.report, file.shape.figures, file.shape.means(file.values), True, file.end["sha256"]


def _summary_of_report(report, data):
    measured = figures(report)
    return report, tuple(measured), array("d", [sum(map(float, v)) / len(v) for v in measured.values()]), False, hashlib.sha256(data).hexdigest()


def summary(path, stamp=None):
    """(Report, its figures' names, their means, whether they are from report.figures, the stream's SHA-256); the Report's checks have ids, verdicts and rounds
    alone then. stamp: source.stamped. StreamError as from read()."""
    return _read(path, stamp, _summary_of_file, _summary_of_report)


def _measured(file):
    file.report.end = _end(file.report.path)
    file.report.checks = [
        Check(check, status=status, round=n, method=o.get("method", 0), measurements=[
            Measurement(name, value, unit, place, low, high, location) for (name, unit, place, location), (value, low, high) in some])
        for (check, n, status, some, _), o in zip(file.rows(), file.outcomes) if check != DIAGNOSIS]
    return file.report


def report(path, stamp=None):
    """The Report with its measurements, and without what report.figures has not. stamp: source.stamped. StreamError as from read()."""
    return _read(path, stamp, _measured, lambda r, _: r)
