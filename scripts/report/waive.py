# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Findings that a lab has accepted. A file of waivers has a line each, four fields; blank lines and lines that begin with # are ignored:

  CHECK  FINDING  DATE[..UNTIL]  REASON

CHECK is a check's id. FINDING is the code of a finding (counts-zero), its location (domain=0,rmid=7), both (CODE@LOCATION), or * for each
of the check; both fields are patterns, as of a shell. DATE is when it was accepted; from the day after UNTIL on it is no waiver. docs/report.md
has where codes and locations are found.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase

from . import files
from .model import StreamError
from .verdict import RANK, of_checks

_CHECK = re.compile(r"[A-Za-z0-9.*?\[\]!-]+")
_CODE = re.compile(r"[a-z0-9*?\[\]!-]+")
_LOCATION = re.compile(r"[A-Za-z0-9*?\[\]!-]+=\S+|\*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True)
class Waiver:
    where: str  # FILE:LINE
    check: str
    code: str
    location: str
    accepted: str
    until: str  # "" for no end
    reason: str

    def matches(self, check, verdict, location):
        return fnmatchcase(check, self.check) and fnmatchcase(verdict.partition("/")[2], self.code) and fnmatchcase(location, self.location)

    def __str__(self):
        return f"{self.reason} (accepted {self.accepted}{', until ' + self.until if self.until else ''}; {self.where})"

    @property
    def data(self):
        return {"reason": self.reason, "accepted": self.accepted, "until": self.until, "where": self.where}


def _is_date(text):
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def _waiver(where, line):
    """The Waiver of a line; ValueError: what is wrong with it."""
    fields = line.split(None, 3)
    if len(fields) < 4:
        raise ValueError(f"{len(fields)} fields; wanted are CHECK FINDING DATE[..UNTIL] REASON")
    check, finding, dates, reason = fields
    if not _CHECK.fullmatch(check):
        raise ValueError(f"{check}: not a check's id or a pattern of it")
    code, both, location = finding.partition("@")
    if not both and "=" in finding:
        code, location = "*", finding
    location = location or "*"
    if not _CODE.fullmatch(code) or not _LOCATION.fullmatch(location):
        raise ValueError(f"{finding}: not the code of a finding, a location, CODE@LOCATION or *")
    accepted, dots, until = dates.partition("..")
    for day in (accepted, until) if dots else (accepted,):
        if not _is_date(day):
            raise ValueError(f"{dates}: not a date YYYY-MM-DD, or two with .. between them")
    if dots and until < accepted:
        raise ValueError(f"{dates}: ends before it begins")
    return Waiver(where, check, code, location, accepted, until, reason.strip())


def read(path):
    """The waivers of a file. StreamError: each line that is wrong, with its number."""
    text = files.text(path, "utf-8-sig")
    some, wrong = [], []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                some.append(_waiver(where, line))
            except ValueError as e:
                wrong.append(f"{where}: {e}")
    if wrong:
        raise StreamError("\n".join(wrong))
    return some


def _after(c):
    """The status of a check by the findings and errors that are left."""
    left = {kind for i, (kind, _, _) in enumerate(c.found) if i not in c.waived}
    return "FAIL" if "FAIL" in left else "ERROR" if c.errors else "WARN" if left else "WAIVED"


def apply(r, waivers, today=None):
    """Waives findings of a Report; its result becomes that of what is left, unless it contradicts itself. today: YYYY-MM-DD."""
    today = today or date.today().isoformat()
    for c in r.checks:
        for i, (_, verdict, location) in enumerate(c.found if c.status in ("FAIL", "WARN") else ()):
            some = [w for w in waivers if w.matches(c.id, verdict, location)]
            live = [w for w in some if not w.until or today <= w.until]
            if live:
                c.waived[i] = live[0]
            else:
                c.expired += [w for w in some if w not in c.expired]
        if c.waived:
            c.after = _after(c)
    if r.waived and not r.contradictions:
        r.result = _left(r)


def _left(r):
    """The result of a report that has waived findings and does not contradict itself."""
    left = r.counts
    words = [of_checks(left | {"PASS": left["PASS"] + left["WAIVED"]}), "PASS"]
    whole = r.start and r.ended and not r.torn and not r.faults and not r.errors
    if r.said not in ("PASS", "FAIL"):
        words.append(r.said)
    elif not whole or r.ending.get("status") != "COMPLETE":
        words.append("ERROR")
    return max(words, key=RANK.index)
