# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Changes between two runs, and which of them are regressions.

A figure is one measurement of one check at one place. Enumerated figures (whole numbers of RMIDs, bits, ways, boxes)
count as changed when they differ at all; measured ones when they moved by more than three times the spread
of the older runs and by more than `tolerance`. The spread of a figure is half the range of its repetitions and of the same
measurement at alike places, relative to their mean.

A regression is: a status that got worse (PASS < SKIP < WARN < FAIL, ERROR), a selected check that is missing, an
enumerated figure that fell, a measurement that is made at fewer places, or a measured figure that left its spread and moved
more than MARGIN of the way to the bound of its check. Everything else that differs is a change: a figure without
bounds (a rate) is never a regression. Several older runs of one machine give a better estimate of the spread than one.
"""
from __future__ import annotations

import json
import textwrap
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from statistics import median

from . import causes, html, place, safe
from .formats import number
from .stream import figures

COUNTED = ("", "bit", "bits", "ways", "boxes", "reads", "wraps")
MARGIN = 0.25
PARTS = ("CPU", "logical processor", "L3 cache", "NUMA node")
COUNTED_PARTS = [f"{part}s" for part in PARTS]
RANK = {"PASS": 0, "WAIVED": 0, "SKIP": 1, "WARN": 2, "FAIL": 3, "ERROR": 3}


def measured(report):
    """{(check, measurement, location): the last Measurement}, for its unit and bounds."""
    return {(c.id, m.name, m.where): m for c in report.checks for m in c.measurements}


def spreads(values):
    """{(check, measurement): relative spread} over repetitions and over places that differ by their numbers alone."""
    groups = _alike(values)
    out = {}
    for key in values:
        alike = [v for k in groups[_kind(key)] for v in values[k]]
        mean = sum(alike) / len(alike)
        out[key] = (max(alike) - min(alike)) / 2 / abs(mean) if mean else 0.0
    return out


def _kind(key):
    """The key of measurements at places that differ by numbers only."""
    check, name, where = key
    return check, name, place.kind(where)


def _alike(values):
    """{kind: keys} of figures."""
    groups = defaultdict(list)
    for key in values:
        groups[_kind(key)].append(key)
    return groups


def _places(was, now, judged):
    """Measurements that a check makes at more or fewer places than before; judged: checks that both runs made."""
    before, after = _alike(was), _alike(now)
    for kind in before.keys() | after.keys():
        check, name, where = kind
        a, b = len(before.get(kind, ())), len(after.get(kind, ()))
        if check in judged and a != b:
            yield {"kind": "places", "check": check, "name": name, "place": place.words(where), "was": a, "now": b, "regression": b < a}


def identity(report):
    """Identity of the machine: name -> text."""
    out = {
        "machine": report.machine,
        "serial": report.serial,
        "firmware": ", ".join(report.software("bios")),
        "microcode": ", ".join(report.software("microcode")),
        "assay": ", ".join(report.software("assay")),
    }
    out["selected checks"] = _options(report)
    for part in PARTS:
        out[f"{part}s"] = str(len(report.hardware(part)))
    for h in report.hardware("CPU") + report.hardware("L3 cache"):
        out[f"{h.get('location', '')} {h.get('partType')}"] = f"{h.get('name', '')} {h.get('version', '')}".strip()
    return out


def _asked(report, check):
    """Whether the run's options select this check; with -quick that is not known."""
    o = report.start.get("parameters", {})
    if o.get("t") and not any(fnmatchcase(check, pattern) for pattern in o["t"]):
        return False
    return not o.get("quick") and not any(fnmatchcase(check, pattern) for pattern in o.get("skip", ()))


def _options(report):
    """The options that select checks."""
    o = report.start.get("parameters", {})
    words = [f"-{option} {pattern}" for option in ("t", "skip") for pattern in o.get(option, ())]
    return " ".join(words + ["-quick"] * bool(o.get("quick"))) or "all"


def _worst(report):
    """{id: Check}, of several rounds the worst."""
    out = {}
    for c in report.checks:
        if c.id not in out or RANK[c.shown] > RANK[out[c.id].shown]:
            out[c.id] = c
    return out


def _statuses(old, new):
    before, after = _worst(old), _worst(new)
    for check in before.keys() | after.keys():
        a, b = before.get(check), after.get(check)
        was, now = a.shown if a else "absent", b.shown if b else "absent"
        if was == now or (b is None and not _asked(new, check)) or (a is None and not _asked(old, check)):
            continue
        worse = b is None or (a is not None and RANK[b.shown] > RANK[a.shown]) or (a is None and RANK[b.shown] >= 3)
        yield {"kind": "status", "check": check, "was": was, "now": now, "regression": worse,
               "why": b.reason if b else "the check is missing"}


def _nearer(a, b, m):
    """Whether going from a to b took more than MARGIN of the way to the bound that lies there."""
    limit = m.high if b > a else m.low
    return limit is not None and abs(b - a) > MARGIN * max(0.0, limit - a if b > a else a - limit)


def _one_figure(key, was, now, spread, tolerance, m):
    a, b = sum(was) / len(was), sum(now) / len(now)
    if a == b:
        return None
    exact = m.unit in COUNTED and all(isinstance(v, int) for v in was + now)
    change = (b - a) / abs(a) if a else float("inf")
    if not exact and abs(change) <= max(3 * spread, tolerance):
        return None
    return {"kind": "figure", "check": key[0], "name": key[1], "place": place.words(key[2]), "was": a, "now": b,
            "percent": None if a == 0 else 100 * change, "spread": 100 * spread, "exact": exact, "unit": m.unit,
            "regression": b < a if exact else _nearer(a, b, m)}


def compare(old, new, tolerance=0.02, earlier=()):
    """List of changes, regressions first. tolerance is relative: 0.02 lets a measured figure move by 2 %. earlier: further
    old runs, for the spread."""
    changes = []
    a, b = identity(old), identity(new)
    for key in sorted(a.keys() | b.keys()):
        if a.get(key, "") != b.get(key, ""):
            was, now = a.get(key, "absent"), b.get(key, "absent")
            fewer = key in COUNTED_PARTS and int(now) < int(was)
            changes.append({"kind": "identity", "name": key, "was": was, "now": now, "regression": fewer})
    changes += _statuses(old, new)
    was, now, how = figures(old), figures(new), measured(new)
    several = defaultdict(list)
    for values in (figures(r) for r in (*earlier, old)):
        for key, v in values.items():
            several[key] += v
    spread = spreads(several)
    for key in was.keys() & now.keys():
        change = _one_figure(key, several[key], now[key], spread[key], tolerance, how[key])
        if change:
            changes.append(change)
    judged = [{c.id for c in r.checks if c.status not in ("SKIP", "ERROR")} for r in (old, new)]
    changes += _places(was, now, judged[0] & judged[1])
    order = {"identity": 0, "status": 1, "places": 2, "figure": 3}
    changes.sort(key=lambda c: (not c["regression"], order[c["kind"]], c.get("check", ""), c.get("name", ""),
                                c.get("place", "")))
    return changes


def common(changes):
    """What most regressions have in common, in a few words: "92 of 134 figures of mbm.*: -3.0 %"; "" where nothing is."""
    moved = [c for c in changes if c["regression"] and c["kind"] == "figure" and c["percent"] is not None]
    by = defaultdict(list)
    for c in moved:
        by[c["check"].split(".")[0], c["percent"] > 0].append(c["percent"])
    if not by:
        return ""
    (family, _), some = max(by.items(), key=lambda item: len(item[1]))
    if len(some) < 3 or 2 * len(some) < len(moved):
        return ""
    return f"{len(some)} of {len(moved)} figures are {family}.*, {median(some):+.1f} %"


def sentence(c):
    """ "mbm.total: total bytes -4.1 %, was +/-0.6 % (5 -> 4.8 bytes), L3 domain 0" """
    if c["kind"] == "identity":
        return f"{c['name']} {c['was']} -> {c['now']}"
    if c["kind"] == "status":
        return f"{c['check']} {c['was']} -> {c['now']}" + (f": {c['why']}" if c["why"] else "")
    where = f", {c['place']}" if c["place"] else ""
    if c["kind"] == "places":
        return f"{c['check']}: {c['name']}{where} is measured at {c['was']} -> {c['now']} places"
    unit = f" {c['unit']}" if c["unit"] else ""
    values = f"{number(c['was'])} -> {number(c['now'])}{unit}"
    if c["exact"] or c["percent"] is None:
        return f"{c['check']}: {c['name']} {values}{where}"
    return f"{c['check']}: {c['name']} {c['percent']:+.1f} %, was +/-{c['spread']:.1f} % ({values}){where}"


def why(changes):
    """What regressions come of, in a line: what most have in common, or the first, and what changed of the machine; "" without regressions."""
    bad = [c for c in changes if c["regression"]]
    if not bad:
        return ""
    of = [sentence(c) for c in changes if c["kind"] == "identity" and not c["regression"] and c["name"] != "selected checks"]
    return (common(changes) or sentence(bad[0])) + (f"; changed: {', '.join(of)}" if of else "")


def _key(c, explained):
    """What changes of one line have in common. explained: {check: the cause that represents its findings}."""
    if c["kind"] == "status":
        return "status", c["was"], c["now"], explained.get(c["check"]) or c["why"]
    if c["kind"] == "places":
        return "places", c["name"], c["place"], c["was"], c["now"]
    if c["kind"] == "figure" and not c["exact"] and c["percent"] is not None:
        return "moved", c["name"], f"{c['percent']:.0f}"
    return tuple(c.get(k) for k in ("kind", "name", "was", "now", "unit"))


def _checks(some):
    """ "mbm.every-rmid (224), mbm.total" """
    n = Counter(c["check"] for c in some)
    return ", ".join(check + (f" ({times})" if times > 1 else "") for check, times in n.items())


def _line(some, explained):
    """A line for changes of one key."""
    c = some[0]
    if c["kind"] == "status" and c["check"] in explained:
        return f"{c['was']} -> {c['now']}, explained by {explained[c['check']]}: {_checks(some)}"
    if len(some) == 1:
        return sentence(c)
    if c["kind"] == "status":
        return f"{_checks(some)} {c['was']} -> {c['now']}" + (f": {c['why']}" if c["why"] else "")
    if c["kind"] == "places":
        return f"{c['name']}{', ' + c['place'] if c['place'] else ''} is measured at {c['was']} -> {c['now']} places: {_checks(some)}"
    if c["exact"] or c["percent"] is None:
        return f"{c['name']} {number(c['was'])} -> {number(c['now'])}{' ' + c['unit'] if c['unit'] else ''}: {_checks(some)}"
    ends = list(dict.fromkeys(f"{f(x['percent'] for x in some):+.1f}" for f in (min, max)))
    return f"{c['name']} {' to '.join(ends)} %, was +/-{max(x['spread'] for x in some):.1f} %: {_checks(some)}"


def lines(new, changes):
    """The changes, one line for those that are equal: of a status for one reason, of a figure by the same percentage at several places."""
    some, groups = causes.data(new), {}
    explained = {check: next(f"the cause {c['monitor']}" for c in some if causes.explains(c, check)) for check in causes.folded(new)}
    for c in changes:
        groups.setdefault(_key(c, explained), []).append(c)
    return [_line(group, explained) for group in groups.values()]


def _wrapped(line, indent):
    return textwrap.wrap(safe.line(line), 118, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False)


def text(old, new, changes):
    """The two runs, what changed of the machine, the causes of NEW, then regressions and other changes."""
    out = [safe.line(f"{which}: {r.path}, {r.begin}, {r.called}") for which, r in (("old", old), ("new", new))]
    bad = [c for c in changes if c["regression"]]
    machine = [c for c in changes if c["kind"] == "identity" and not c["regression"]]
    other = [c for c in changes if not c["regression"] and c["kind"] != "identity"]
    if machine:
        out += _wrapped("changed: " + "; ".join(map(sentence, machine)), "")
    for cause in causes.data(new):
        out += _wrapped(f"CAUSE: {causes.sentence(cause)}" + (f"; look at {cause['next']}" if cause["next"] else ""), "")
    if common(bad):
        out += _wrapped(f"in common: {common(bad)}", "")
    out.append("")
    for title, some in ((f"{len(bad)} regressions", bad), (f"{len(other)} other changes", other)):
        out.append(title + (":" if some else ""))
        for line in lines(new, some):
            out += _wrapped(line, "  ")
    return "\n".join(out) + "\n"


def as_json(old, new, changes):
    return json.dumps({"old": {"path": old.path, "begin": old.begin, "result": old.result},
                       "new": {"path": new.path, "begin": new.begin, "result": new.result, "causes": causes.data(new)},
                       "common": common(changes),
                       "regressions": sum(c["regression"] for c in changes),
                       "changes": [c | {"text": sentence(c)} for c in changes]}, indent=1, ensure_ascii=False) + "\n"


def _row(c):
    """Cells of the page's table: what, before, after, by how much, where."""
    if c["kind"] == "identity":
        return c["name"], c["was"], c["now"], "", ""
    if c["kind"] == "status":
        return c["check"], html.Raw(html.pill(c["was"])), html.Raw(html.pill(c["now"])), c["why"], ""
    what = f"{c['check']}: {c['name']}"
    if c["kind"] == "places":
        return what, f"{c['was']} places", f"{c['now']} places", "", c["place"]
    unit = f" {c['unit']}" if c["unit"] else ""
    moved = "" if c["percent"] is None else f"{c['percent']:+.1f} %" + ("" if c["exact"] else f", was ±{c['spread']:.1f} %")
    return what, number(c["was"]) + unit, number(c["now"]) + unit, moved, c["place"]


def page(old, new, changes):
    """The comparison as one HTML file."""
    bad = [c for c in changes if c["regression"]]
    heads = ("what", "before", "after", "change", "where")
    runs = html.table("The two runs", ("run", "file", "begin", "machine", "serial", "firmware", "microcode", "result"), [
        (which, r.path, r.begin[:19].replace("T", " "), r.machine, r.serial, ", ".join(r.software("bios")),
         ", ".join(r.software("microcode")), html.Raw(html.pill(r.called))) for which, r in (("old", old), ("new", new))])
    sections = [html.section("Runs", runs)]
    some = causes.data(new)
    if some:
        sections.append(html.section("Causes in the new run", html.table(f"{len(some)} causes", ("cause", "look at", "explains"), [
            (causes.sentence(c), c["next"], ", ".join(c["explains"])) for c in some])))
    for title, some in (("Regressions", bad), ("Other changes", [c for c in changes if not c["regression"]])):
        said = html.table(f"{len(some)} of {len(changes)} changes", heads, [_row(c) for c in some]) if some else "<p>None.</p>"
        sections.append(html.section(title, said))
    verdict = f"{len(bad)} regression{'' if len(bad) == 1 else 's'}" if bad else "no regression"
    words = [f"{len(changes) - len(bad)} other changes", f"{old.begin[:10]} to {new.begin[:10]}"]
    if old.virtual or new.virtual:
        words.append("on virtual silicon, not on hardware")
    return html.document(f"{new.machine}{', serial ' + new.serial if new.serial else ''}: two runs", verdict,
                         "FAIL" if bad else "PASS", words, sections)
