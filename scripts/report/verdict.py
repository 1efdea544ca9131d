# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The verdict of a report: docs/report.md, "The verdict of a stream", has the rules.

core/page/stream.js computes the same with the same sentences; tests/fixtures/stream tests both.
"""
from __future__ import annotations

import re

from .model import OWN_STEPS, is_number

RANK = ("PASS", "DONE", "WARN", "SKIP", "ERROR", "FAIL")  # the verdict is the last one that applies
# What testRunEnd may say, by the verdict of the checks. A stopped run says SKIP, another incomplete one ERROR.
_AGREE = {"PASS": ("PASS", "WARN"), "FAIL": ("FAIL",), "DONE": ("PASS", "WARN", "SKIP"), "SKIP": ("PASS", "WARN", "SKIP", "ERROR"),
          "ERROR": ("PASS", "WARN", "SKIP", "ERROR")}

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def goes_back(earlier, later):
    """The contradiction of a line's time with that of the line before it, or ""."""
    timed = _TIME.fullmatch(earlier) and _TIME.fullmatch(later)
    return f"time goes back: {later} after {earlier}" if timed and later < earlier else ""


def out_of_bounds(check, status, name):
    return f"{check}: {status}, and {name} is outside of its own bounds"


def of_check(c, diagnosed):
    """Contradictions in a check that has ended, a sentence each."""
    account = c.cost.get("verdict")
    if isinstance(account, str) and account != c.status and not (account == "DONE" and c.status == "PASS"):
        yield f"{c.id}: diagnoses and testStepEnd say {c.status}, assay.cost says {account}"
    if c.status == "PASS" and not diagnosed and c.id not in OWN_STEPS:
        yield f"{c.id}: PASS without a diagnosis"
    if c.errors and c.status not in ("FAIL", "ERROR"):
        yield f"{c.id}: {c.status} in spite of an error"
    if c.dropped and c.status != "SKIP":
        yield f"{c.id}: an attempt that does not count says {c.status}"
    if c.status == "SKIP" and c.found:
        yield f"{c.id}: SKIP in spite of a finding"
    out = [] if c.dropped or c.status not in ("PASS", "SKIP") else [m.name for m in c.measurements if m.out_of_bounds]
    if out:
        yield out_of_bounds(c.id, c.status, out[0])


def not_repeated(check):
    return f"{check}: an attempt that does not count, and no other after it"


def of_checks(counts):
    """As the payload concludes."""
    return next((s for s in ("FAIL", "ERROR", "WARN", "PASS") if counts[s]), "SKIP")


def _of_run(r, checks):
    """Contradictions of a report that has an end."""
    if checks not in _AGREE[r.said]:
        yield f"testRunEnd says {r.said}, the checks say {checks}"
    if r.errors and r.said in ("PASS", "DONE", "SKIP"):
        yield f"testRunEnd says {r.said} in spite of an error of the run"
    wanted, ended = r.start.get("parameters", {}).get("checks"), sum(c.id not in OWN_STEPS for c in r.checks)
    if is_number(wanted) and r.ending["status"] == "COMPLETE" and wanted != ended:
        yield f"testRunStart says {wanted:.0f} checks, and {ended} have ended"


def _unfounded(r):
    """Causes that explain a check without a finding."""
    found = {c.id for c in r.checks if c.status in ("FAIL", "WARN", "ERROR")}
    for cause in r.causes:
        explains = cause.get("explains")
        for check in explains if isinstance(explains, list) else [explains]:
            if isinstance(check, str) and check not in found:
                yield f"the diagnosis explains {check}, which has no finding"


def _texts(value):
    """The texts of a value or of lists in each other."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _unanswered(r):
    """Checks that FAILed and count against no monitor whose state is FAIL."""
    against = {check for m in r.monitors if list(_texts(m.get("state")))[-1:] == ["FAIL"] for check in _texts(m.get("bad"))}
    failed = [c.id for c in r.checks if c.status == "FAIL" and c.id not in OWN_STEPS and c.id not in against]
    for check in dict.fromkeys(failed if r.monitors else []):
        yield f"{check} is FAIL, and no monitor is FAIL by it"


def conclude(r):
    """Sets r.result, completes r.contradictions and adds them to r.errors."""
    checks = of_checks(r.counts)
    r.contradictions += [*_unfounded(r), *_unanswered(r), *([r.back] if r.back else []), *(_of_run(r, checks) if r.ended else [])]
    whole = r.start and r.ended and not r.torn and not r.faults and not r.contradictions
    words = [r.said if r.ended else "ERROR", "PASS" if whole else "ERROR"] + [checks] * (checks in ("FAIL", "ERROR", "WARN"))
    r.result = max(words, key=RANK.index)
    r.errors += [f"the report contradicts itself: {what}" for what in r.contradictions]
