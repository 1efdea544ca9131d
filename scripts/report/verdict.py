# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The verdict of a report: docs/report.md, "The verdict of a stream", has the rules.

core/page/stream.js and tests/support/stream_verdict.c compute the same with the same sentences; tests/fixtures/stream tests them.
"""
from __future__ import annotations

from .model import OWN_STEPS

RANK = ("PASS", "DONE", "SKIP", "ERROR", "FAIL")  # the verdict is the last one that applies
# What testRunEnd may say, by the verdict of the checks. A stopped run says SKIP, another incomplete one ERROR.
_AGREE = {"PASS": ("PASS",), "FAIL": ("FAIL",), "DONE": ("PASS", "SKIP"), "SKIP": ("PASS", "SKIP", "ERROR"), "ERROR": ("PASS", "SKIP", "ERROR")}


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


def not_repeated(check):
    return f"{check}: an attempt that does not count, and no other after it"


def of_checks(counts):
    """As the payload concludes."""
    return next((s for s in ("FAIL", "ERROR") if counts[s]), "PASS" if counts["PASS"] or counts["WARN"] else "SKIP")


def conclude(r):
    """Sets r.result, completes r.contradictions and adds them to r.errors."""
    checks = of_checks(r.counts)
    if r.ended and checks not in _AGREE[r.said]:
        r.contradictions.append(f"testRunEnd says {r.said}, the checks say {checks}")
    whole = r.start and r.ended and not r.torn and not r.faults and not r.contradictions
    words = [r.said if r.ended else "ERROR", "PASS" if whole else "ERROR"] + [checks] * (checks in ("FAIL", "ERROR"))
    r.result = max(words, key=RANK.index)
    r.errors += [f"the report contradicts itself: {what}" for what in r.contradictions]
