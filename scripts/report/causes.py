# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The verdict by monitor and the causes of a run's findings: the step `diagnosis` of the stream (docs/report.md). Texts in it may be of any type, as the file is outside data."""
from __future__ import annotations

from .model import is_number

WORDS = ("cause", "monitor", "kind", "part", "amount", "says", "sure", "next", "repeat", "check", "finding")
LISTS = ("explains", "orElse")


def data(r):
    """The causes as dictionaries of WORDS and LISTS, the likeliest first; waived: each finding that it explains is."""
    some = [{k: str(c.get(k, "")) for k in WORDS} | {k: [x for x in _list(c.get(k)) if isinstance(x, str)] for k in LISTS} for c in r.causes]
    for cause in some:
        found = {c.shown for c in r.checks if c.shown in ("FAIL", "WARN", "WAIVED") and explains(cause, c.id)}
        cause["waived"] = found == {"WAIVED"}
    return some


def monitors(r):
    """The verdict on each monitor, as the run judged it: dictionaries of texts, `bad` a list of checks, `excludes` a number in `unit`, or None."""
    numbers = (m.get("excludes") for m in r.monitors)
    return [{k: str(m.get(k, "")) for k in ("monitor", "state", "says", "unit", "repeat")}
            | {"uncore": m.get("uncore") is True, "bad": [x for x in _list(m.get("bad")) if isinstance(x, str)],
               "excludes": n if is_number(n) else None} for m, n in zip(r.monitors, numbers)]


def monitor_lines(r):
    """ "MBM total: good to 1.8 %", "CDP, L2 CAT: not there": as the run wrote it for people."""
    return [m["line"] for m in r.monitors if isinstance(m.get("line"), str)]


def _list(value):
    return value if isinstance(value, list) else []


def sentence(cause):
    """ "MBM total (package 1, factor 0.5): counts half of the bytes (certain)"; of data()."""
    where = ", ".join(w for w in (cause["part"], cause["amount"]) if w)
    return f"{cause['monitor']}{f' ({where})' if where else ''}: {cause['says']} ({cause['sure']}{', waived' if cause['waived'] else ''})"


def explains(cause, check):
    return check == cause["check"] or check in cause["explains"]


def folded(r):
    """Ids of the checks whose findings are represented by a cause: all that it explains, except the check that showed it and, if that is no
    FAIL, the first FAIL, and except what is waived."""
    some = data(r)
    failed = [c.id for c in r.checks if c.shown == "FAIL"]
    shown = [cause["check"] for cause in some]
    for cause in some:
        if cause["check"] not in failed:
            shown += [check for check in failed if explains(cause, check)][:1]
    return {c.id for c in r.checks if c.id not in shown and c.shown != "WAIVED" and any(explains(cause, c.id) for cause in some)}


def under(r, cause, hidden):
    """Lines below a cause: what to look at, the command that shows it under Linux, and the checks that it explains and that are not shown themselves (hidden: folded())."""
    if cause["next"]:
        yield f"look at {cause['next']}"
    if cause["repeat"]:
        yield f"repeat under Linux: {cause['repeat']}"
    for status in ("FAIL", "WARN"):
        names = [c.name for c in r.checks if c.shown == status and c.id in hidden and explains(cause, c.id)]
        if names:
            yield f"explains {status}: {', '.join(names)}"
