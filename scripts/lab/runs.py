# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run in the inbox: a folder SERIAL-TIME, in which pieces report.jsonl.000000, report.jsonl.000001... arrive while it runs, and at its
end report.jsonl, report.txt, report.figures, report.html, and last of all report.sha256.

A resumed run continues in its folder. Pieces of a later boot have higher numbers. If the medium lost lines that the server has, the first of
them begins with a sequence number that an earlier piece has too; then the later piece is valid from that line."""
from __future__ import annotations

import json
import os
import re
from pathlib import Path

from report import verify
from report.model import DIAGNOSIS, OWN_STEPS
from report.stream import Reader

# As core/report/folder.c makes it, with a number if the same machine began twice in a second.
NAME = re.compile(r"([A-Za-z0-9_][A-Za-z0-9-]{0,39})-(\d{8}T\d{6}|no-clock)(?:-(\d{1,4}))?", re.A)
PIECE = re.compile(r"report\.jsonl\.(\d{6})", re.A)
STREAM, DIGESTS = verify.FILES[0], verify.NAME
FINAL = (*verify.FILES, DIGESTS, "report.machine")  # the last is on a stick alone: docs/recording.md


class Run:
    """The contents of a folder. `names`: of its files; `odd`: names of anything that is not a file of a run; `began`, `last`: the first and
    last write by the server's clock."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.name = self.folder.name
        self.names, self.odd, stamps = set(), [], []
        with os.scandir(self.folder) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if not entry.is_file(follow_symlinks=False) or not (entry.name in FINAL or PIECE.fullmatch(entry.name)):
                    self.odd.append(entry.name)
                    continue
                self.names.add(entry.name)
                stamps.append(entry.stat().st_mtime)
        own = self.folder.stat().st_mtime
        self.began, self.last = min(stamps, default=own), max(stamps, default=own)

    @property
    def identity(self):
        """(machine, time) from its name; None: not a name that the payload gives."""
        m = NAME.fullmatch(self.name)
        return (m[1], m[2] + (f"-{m[3]}" if m[3] else "")) if m else None

    @property
    def clocked(self):
        """Whether the machine has the time: without a clock or with a dead battery many runs have the same name."""
        return bool(self.identity) and not self.identity[1].startswith("no-clock") and self.identity[1] >= "2020"

    def numbered(self, n):
        """The folder's name with another number after the time."""
        m = NAME.fullmatch(self.name)
        return f"{m[1]}-{m[2]}-{n}"

    @property
    def over(self):
        """Whether the last of its files has arrived."""
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
    """Removes the lines from this sequence number on from the end of a bytearray."""
    while stream:
        at = stream.rfind(b"\n", 0, len(stream) - 1) + 1
        if _sequence(stream[at:]) < sequence:
            break
        del stream[at:]


def joined(run):
    """(bytes of the pieces up to the first gap, whether there is one)."""
    out, expected = bytearray(), 0
    for _, path in run.pieces():
        data = path.read_bytes()
        first, last = _ends(data)
        if first > expected:
            return bytes(out), True
        if 0 <= first < expected:  # where a later boot resumed
            _cut(out, first)
        out += data
        expected = last + 1
    return bytes(out), False


def _resumes(line):
    """Whether the line starts the step "resume", with which a boot continues the run of the boot before it."""
    try:
        return b'"resume"' in line and json.loads(line)["testStepArtifact"]["testStepStart"]["name"] == "resume"
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def differs(run, whole):
    """The name of the first piece that differs from the stream at its position, or "". Lines that a later boot did not find on its medium are
    not in the stream; then the step of that boot follows their position."""
    at = 0
    for _, path in run.pieces():
        data = path.read_bytes()
        if not whole.startswith(data, at):  # a resumed run, or one that is wrong
            break
        at += len(data)
    else:
        return ""
    lines = whole.splitlines(True)
    until, wrong = len(lines), ""
    resumed = max((at for at, line in enumerate(lines) if _resumes(line)), default=-1)  # the last resumed boot
    for _, path in reversed(run.pieces()):
        data = path.read_bytes()
        first, own = _ends(data)[0], data.splitlines(True)
        here = max(0, min(len(own), until - first))  # lines that no later piece repeats
        if first < 0 or own[:here] != lines[first : first + here] or run.over and here < len(own) and resumed < until:
            wrong = path.name
        until = min(until, max(0, first))
    return wrong


class Progress:
    """Progress of a run, from its pieces. Each is read once, unless a boot resumed before the end of what had arrived."""

    def __init__(self, run):
        self.name, self.seen = run.name, -1
        self._begin()

    def _begin(self):
        self.reader, self.line, self.expected = Reader(self.name), 0, 0

    def _read(self, data):
        for line in data.split(b"\n"):
            if line.strip():
                self.line += 1
                self.reader.line(self.line, line, False)
        self.expected = _ends(data)[1] + 1
        for c in self.reader.report.checks:  # said() needs none of it
            for kept in (c.measurements, c.series, c.evidence, c.notes):
                kept.clear()

    def take(self, run):
        for number, path in run.pieces():
            if number <= self.seen:
                continue
            data = path.read_bytes()
            if 0 <= _ends(data)[0] < self.expected:
                self._begin()
                data = joined(run)[0]
                number = run.pieces()[-1][0]
            self._read(data)
            self.seen = number
        return self

    def said(self, run):
        """For `status`: k checks of n have begun (n 0: unknown)."""
        checks = [c for c in self.reader.report.checks if c.id not in (*OWN_STEPS, DIAGNOSIS)]
        n = self.reader.report.start.get("parameters", {}).get("checks", 0)
        identity = run.identity
        return {"name": run.name, "machine": identity[0] if identity else run.name, "k": len(checks),
                "n": n if isinstance(n, int) and not isinstance(n, bool) else 0,
                "check": checks[-1].id if checks else "", "bad": [c.id for c in checks if c.status in ("FAIL", "ERROR") and c.end],
                "began": run.began, "last": run.last}
