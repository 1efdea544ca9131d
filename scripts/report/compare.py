"""What changed between two runs, and which of it is a regression.

A figure is one measurement of one check at one place. Enumerated figures (whole numbers of what is counted by hand: RMIDs,
bits, ways, boxes) count as changed when they differ at all; measured ones when they moved by more than three times the spread of the older
run, and by more than `tolerance`. The spread of a figure is half the range of its repetitions and of the same measurement
at alike places, relative to their mean.

A regression is: a status that got worse (PASS < SKIP < WARN < FAIL, ERROR), a check that is gone, a measured figure that
left its spread, or an enumerated one that fell. Everything else that differs is a change.
"""
import json
import re
from collections import defaultdict

from .forms import number

COUNTED = ("", "bit", "bits", "ways", "boxes", "reads", "wraps")
RANK = {"PASS": 0, "SKIP": 1, "WARN": 2, "FAIL": 3, "ERROR": 3}


def figures(report):
    """{(check, measurement, place): [values]} of the numbers."""
    out = defaultdict(list)
    for c in report.checks:
        for m in c.measurements:
            if isinstance(m.value, (int, float)) and not isinstance(m.value, bool):
                out[c.id, m.name, m.place].append(m.value)
    return out


def units(report):
    return {(c.id, m.name): m.unit for c in report.checks for m in c.measurements}


_PLACE = re.compile(r"\d+")


def spreads(values):
    """{(check, measurement): relative spread} over repetitions and over places that differ by their numbers alone."""
    groups = defaultdict(list)
    for (check, name, place), v in values.items():
        groups[check, _PLACE.sub("#", name), _PLACE.sub("#", place)] += v
    out = {}
    for (check, name, place), v in values.items():
        alike = groups[check, _PLACE.sub("#", name), _PLACE.sub("#", place)]
        mean = sum(alike) / len(alike)
        out[check, name, place] = (max(alike) - min(alike)) / 2 / abs(mean) if mean else 0.0
    return out


def identity(report):
    """What the machine says it is: name -> text."""
    out = {
        "machine": report.machine,
        "serial": report.serial,
        "firmware": ", ".join(report.software("bios")),
        "microcode": ", ".join(report.software("microcode")),
        "assay": ", ".join(report.software("assay")),
    }
    for part in ("CPU", "logical processor", "L3 cache", "NUMA node"):
        out[f"{part}s"] = str(len(report.hardware(part)))
    for h in report.hardware("CPU") + report.hardware("L3 cache"):
        out[f"{h.get('location', '')} {h.get('partType')}"] = f"{h['name']} {h.get('version', '')}".strip()
    for h in report.hardware("uncore PMON"):
        out[f"{h.get('location', '')} PMON"] = h["name"]
    return out


def _statuses(old, new):
    before = {c.id: c for c in old.checks}
    after = {c.id: c for c in new.checks}
    for check in before.keys() | after.keys():
        a, b = before.get(check), after.get(check)
        was, now = a.status if a else "absent", b.status if b else "absent"
        if was == now:
            continue
        worse = b is None or (a is not None and RANK[b.status] > RANK[a.status]) or (a is None and RANK[b.status] >= 3)
        yield {"kind": "status", "check": check, "was": was, "now": now, "regression": worse,
               "why": b.reason if b else "the check is gone"}


def _one_figure(key, was, now, spread, tolerance, unit):
    a, b = sum(was) / len(was), sum(now) / len(now)
    if a == b:
        return None
    exact = unit in COUNTED and all(isinstance(v, int) for v in was + now)
    change = (b - a) / abs(a) if a else float("inf")
    if not exact and abs(change) <= max(3 * spread, tolerance):
        return None
    return {"kind": "figure", "check": key[0], "name": key[1], "place": key[2], "was": a, "now": b,
            "percent": None if a == 0 else 100 * change, "spread": 100 * spread, "exact": exact,
            "regression": b < a if exact else True}


def compare(old, new, tolerance=0.02):
    """List of changes, regressions first. tolerance is relative: 0.02 lets a measured figure move by 2 %."""
    changes = []
    a, b = identity(old), identity(new)
    for key in sorted(a.keys() | b.keys()):
        if a.get(key, "") != b.get(key, ""):
            was, now = a.get(key, "absent"), b.get(key, "absent")
            fewer = was.isdigit() and now.isdigit() and int(now) < int(was)
            changes.append({"kind": "identity", "name": key, "was": was, "now": now, "regression": fewer})
    changes += _statuses(old, new)
    was, now, spread = figures(old), figures(new), spreads(figures(old))
    unit = units(new)
    for key in was.keys() & now.keys():
        change = _one_figure(key, was[key], now[key], spread[key], tolerance, unit[key[:2]])
        if change:
            changes.append(change | {"unit": unit[key[:2]]})
    order = {"identity": 0, "status": 1, "figure": 2}
    changes.sort(key=lambda c: (not c["regression"], order[c["kind"]], c.get("check", ""), c.get("name", ""),
                                c.get("place", "")))
    return changes


def sentence(c):
    """ "mbm.total: total bytes -4.1 %, was +/-0.6 % (5 -> 4.8 bytes), L3 domain 0" """
    if c["kind"] == "identity":
        return f"{c['name']} {c['was']} -> {c['now']}"
    if c["kind"] == "status":
        return f"{c['check']} {c['was']} -> {c['now']}" + (f": {c['why']}" if c["why"] else "")
    place = f", {c['place']}" if c["place"] else ""
    unit = f" {c['unit']}" if c["unit"] else ""
    values = f"{number(c['was'])} -> {number(c['now'])}{unit}"
    if c["exact"] or c["percent"] is None:
        return f"{c['check']}: {c['name']} {values}{place}"
    return f"{c['check']}: {c['name']} {c['percent']:+.1f} %, was +/-{c['spread']:.1f} % ({values}){place}"


def text(old, new, changes):
    out = [f"old: {old.path}, {old.begin}, {old.result}", f"new: {new.path}, {new.begin}, {new.result}", ""]
    bad = [c for c in changes if c["regression"]]
    other = [c for c in changes if not c["regression"]]
    for title, some in ((f"{len(bad)} regressions", bad), (f"{len(other)} other changes", other)):
        out.append(title + (":" if some else ""))
        out += ["  " + sentence(c) for c in some]
    return "\n".join(out) + "\n"


def as_json(old, new, changes):
    return json.dumps({"old": {"path": old.path, "begin": old.begin, "result": old.result},
                       "new": {"path": new.path, "begin": new.begin, "result": new.result},
                       "regressions": sum(c["regression"] for c in changes),
                       "changes": [c | {"text": sentence(c)} for c in changes]}, indent=1, ensure_ascii=False) + "\n"
