# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run in the inbox: a folder SERIAL-TIME, in which pieces report.jsonl.000000, report.jsonl.000001... arrive while it runs, and at its
end report.jsonl, report.txt, report.html, and last of all report.sha256."""
from __future__ import annotations

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
    def over(self):
        """Whether the last of its files is there."""
        return DIGESTS in self.names

    def pieces(self):
        """[(number, path)] in order."""
        return sorted((int(PIECE.fullmatch(n)[1]), self.folder / n) for n in self.names if PIECE.fullmatch(n))

    def bytes(self):
        return sum((self.folder / n).stat().st_size for n in self.names)


def joined(run):
    """(bytes of the pieces up to the first that is missing, whether one is)."""
    out, expected = [], None
    for number, path in run.pieces():
        if expected is not None and number != expected:
            return b"".join(out), True
        if expected is None and number > 1:
            return b"", True
        out.append(path.read_bytes())
        expected = number + 1
    return b"".join(out), False


def differs(run, whole):
    """The name of the first piece that is not part of the stream at its place; "" where each is."""
    at, expected = 0, None
    for number, path in run.pieces():
        data = path.read_bytes()
        if expected is None and number > 1 or expected not in (None, number):  # one was lost: the next stands somewhere behind
            at = whole.find(data, at)
        if at < 0 or whole[at : at + len(data)] != data:
            return path.name
        at, expected = at + len(data), number + 1
    return ""


class Progress:
    """How far a run is, of pieces as they come: each is read once."""

    def __init__(self, run):
        self.name, self.reader, self.seen, self.line = run.name, Reader(run.name), -1, 0

    def take(self, run):
        for number, path in run.pieces():
            if number <= self.seen:
                continue
            for line in path.read_bytes().split(b"\n"):
                if line.strip():
                    self.line += 1
                    self.reader.line(self.line, line, False)
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
