# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run in the inbox: a folder SERIAL-TIME, in which pieces report.jsonl.000000, report.jsonl.000001... arrive while it runs, and at its
end report.jsonl, report.txt, report.figures, report.html, and last of all report.sha256.

A run of several boots, of a machine that hung, goes on in its folder. Pieces of a later boot have higher numbers, and begin at the line at which
that boot went on: with a sequence number that an earlier piece has too where the machine's medium had lost the last of its lines. The
later piece holds from there on."""
from __future__ import annotations

import json
import re
from pathlib import Path

from report import verify
from report.model import DIAGNOSIS, OWN_STEPS
from report.stream import Reader

# What core/report/folder.c makes, and what stands behind it where the same machine began twice in a second.
NAME = re.compile(r"([A-Za-z0-9_][A-Za-z0-9-]{0,39})-(\d{8}T\d{6}|no-clock)(?:-(\d{1,4}))?", re.A)
PIECE = re.compile(r"report\.jsonl\.(\d{6})", re.A)
STREAM, DIGESTS = verify.FILES[0], verify.NAME
FINAL = (*verify.FILES, DIGESTS)


class Run:
    """What is in a folder now. `names`: of its files; `odd`: of what is no file of a run; `began`, `last`: when it was first and last
    written to, by the server's clock."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.name = self.folder.name
        self.names, self.odd, stamps = set(), [], []
        for path in sorted(self.folder.iterdir()):
            if path.is_symlink() or not path.is_file() or not (path.name in FINAL or PIECE.fullmatch(path.name)):
                self.odd.append(path.name)
                continue
            self.names.add(path.name)
            stamps.append(path.stat().st_mtime)
        own = self.folder.stat().st_mtime
        self.began, self.last = min(stamps, default=own), max(stamps, default=own)

    @property
    def identity(self):
        """(machine, time) of its name; None: it has none that the payload gives."""
        m = NAME.fullmatch(self.name)
        return (m[1], m[2] + (f"-{m[3]}" if m[3] else "")) if m else None

    @property
    def clocked(self):
        """Whether the machine knows the time: without a clock, or behind a dead battery, runs of many days have one name."""
        return bool(self.identity) and not self.identity[1].startswith("no-clock") and self.identity[1] >= "2020"

    def numbered(self, n):
        """The folder's name with another number behind the time."""
        m = NAME.fullmatch(self.name)
        return f"{m[1]}-{m[2]}-{n}"

    @property
    def over(self):
        """Whether the last of its files is there."""
        return DIGESTS in self.names

    def pieces(self):
        """[(number, path)] in order."""
        return sorted((int(PIECE.fullmatch(n)[1]), self.folder / n) for n in self.names if PIECE.fullmatch(n))

    def bytes(self):
        return sum((self.folder / n).stat().st_size for n in self.names)


def _sequence(line):
    """The line's sequence number; -1: it has none."""
    try:
        number = json.loads(line)["sequenceNumber"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return -1
    return number if type(number) is int else -1


def _ends(data):
    """(sequence number of a piece's first line, of its last)"""
    lines = data.strip(b"\n").split(b"\n")
    return _sequence(lines[0]), _sequence(lines[-1])


def _cut(stream, sequence):
    """Takes the lines from this sequence number on off a stream's beginning, a bytearray."""
    while stream:
        at = stream.rfind(b"\n", 0, len(stream) - 1) + 1
        if _sequence(stream[at:]) < sequence:
            break
        del stream[at:]


def joined(run):
    """(bytes of the pieces up to the first that is missing, whether one is)."""
    out, behind = bytearray(), 0
    for _, path in run.pieces():
        data = path.read_bytes()
        first, last = _ends(data)
        if first > behind:
            return bytes(out), True
        if 0 <= first < behind:  # a later boot of the machine went on there
            _cut(out, first)
        out += data
        behind = last + 1
    return bytes(out), False


def _resumes(line):
    """Whether the line starts the step "resume", with which a boot continues the run of the boot before it."""
    try:
        return b'"resume"' in line and json.loads(line)["testStepArtifact"]["testStepStart"]["name"] == "resume"
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def differs(run, whole):
    """The name of the first piece that is not part of the stream at its place; "" where each is. What a later boot did not find on its medium
    is not in the stream; then that boot has a step in it, behind the place where it went on."""
    lines = whole.splitlines(True)
    until, wrong = len(lines), ""
    resumed = max((at for at, line in enumerate(lines) if _resumes(line)), default=-1)  # the last boot that went on
    for _, path in reversed(run.pieces()):
        data = path.read_bytes()
        first, own = _ends(data)[0], data.splitlines(True)
        here = max(0, min(len(own), until - first))  # lines that no later piece holds
        if first < 0 or own[:here] != lines[first : first + here] or run.over and here < len(own) and resumed < until:
            wrong = path.name
        until = min(until, max(0, first))
    return wrong


class Progress:
    """How far a run is, of pieces as they come: each is read once, but for those before a boot that went on with less than had come."""

    def __init__(self, run):
        self.name, self.seen = run.name, -1
        self._begin()

    def _begin(self):
        self.reader, self.line, self.behind = Reader(self.name), 0, 0

    def _read(self, data):
        for line in data.split(b"\n"):
            if line.strip():
                self.line += 1
                self.reader.line(self.line, line, False)
        self.behind = _ends(data)[1] + 1

    def take(self, run):
        for number, path in run.pieces():
            if number <= self.seen:
                continue
            data = path.read_bytes()
            if 0 <= _ends(data)[0] < self.behind:
                self._begin()
                data = joined(run)[0]
                number = run.pieces()[-1][0]
            self._read(data)
            self.seen = number
        return self

    def said(self, run):
        """What status shows: k checks have begun, of n (0: the stream does not say)."""
        checks = [c for c in self.reader.report.checks if c.id not in (*OWN_STEPS, DIAGNOSIS)]
        n = self.reader.report.start.get("parameters", {}).get("checks", 0)
        identity = run.identity
        return {"name": run.name, "machine": identity[0] if identity else run.name, "k": len(checks),
                "n": n if isinstance(n, int) and not isinstance(n, bool) else 0,
                "check": checks[-1].id if checks else "", "bad": [c.id for c in checks if c.status in ("FAIL", "ERROR") and c.end],
                "began": run.began, "last": run.last}
