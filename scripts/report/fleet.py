# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Hundreds or thousands of reports in one table, by model, firmware and microcode, with outliers among machines of one kind.

A machine is an outlier in a figure if its value differs from the median of its group by more than a limit in median absolute deviations
(scaled to a standard deviation) and by more than a hundredth of the median. The limit depends on the numbers of machines and figures
(stats.limit): a healthy fleet has at most one false outlier in 1,000 machines. If more than one machine in RARE stands out, or if the
values are two narrow groups (stats.narrow), the machines are a mixture, of which the smaller part is named. Groups of fewer than GROUP
machines are not compared, and are listed as such.

Machines of one model are compared. A figure whose median depends on firmware or microcode is reported as such, and its outliers are
determined within each firmware and microcode.
"""
from __future__ import annotations

import csv
import gc
import io
import json
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

from . import cluster, figures_file, identity, related, safe, source, stats
from .columns import Store, columns, cut, figures, pack
from .files import why
from .formats import number
from .model import CONTRADICTS, EXIT, worst
from .stream import STATUSES, StreamError
from .joint import GROUP, RARE, Alike, Joint, Off, Plan, Sample, apart, joined

MADS = 6.0  # between medians of builds
FEW = 1_000_000  # values of a model that one process judges
SHARE = 2_000_000  # values of a model that are sent to another process at once, at most


class Lost(StreamError):
    """Workers cannot read what this machine reads."""


def _of_report(path, r, names, values, own, digest):
    return {
        "path": str(path),
        "serial": r.serial,
        "identity": r.identity,
        "label": r.label,
        "model": " / ".join(x for x in r.model if x),
        "firmware": ", ".join(r.software("bios")),
        "microcode": ", ".join(r.software("microcode")),
        "board": r.board,
        "DIMM vendor": r.dimm_vendors,
        "virtual": bool(r.virtual),
        "result": r.result,
        "contradictions": r.contradictions,
        "begin": r.begin,
        "end": r.end,
        "stream": digest,
        "counts": r.counts,
        "bad": [(c.id, c.status) for c in r.checks if c.status in ("FAIL", "ERROR", "WARN")],
        "names": names,
        "values": values,
        "figures file": own,
    }


def _digest(path, stamp):
    """What a merge needs of one report; small, since thousands are held at once."""
    try:
        return _of_report(path, *figures_file.summary(path, stamp))
    except OSError as e:
        return {"path": str(path), "broken": why(e), "lost": True}
    except StreamError as e:
        return {"path": str(path), "broken": str(e)}
    except Exception as e:  # an unexpected failure must not affect other reports
        return {"path": str(path), "broken": f"{path}: {type(e).__name__}: {e}"}


def _digests(_, reports):
    """Digests of a batch of (path, stamp)."""
    return pack([_digest(*r) for r in reports])


def gather(paths, who=None, store=None):
    """Digests of the reports in files, folders and URLs, by path. who: the executor (cluster.py); store keeps their figures and knows
    those that have not changed since an earlier merge (columns.py)."""
    who, store = who or cluster.Here(), store or Store()
    if who.apart:
        paths = [p if source.remote(p) else str(Path(p).resolve()) for p in paths]  # workers were started in another folder
    files = source.stamped(paths)
    store.expect(len(files))
    out = {path: store.known(path, stamp) for path, stamp in files.items()}
    unread = sorted((path, files[path]) for path, d in out.items() if d is None)
    # Names are sent once for each batch, so batches are large; several for each process, so that none waits long at the end.
    size = max(32, min(256, len(unread) // (8 * who.processes)))
    gc.disable()  # a report has thousands of objects and no cycle: collecting would take longer than reading
    try:
        for batch in who.map(_digests, [unread[i : i + size] for i in range(0, len(unread), size)]):
            lost = next((d for d in batch if who.apart and "lost" in d and files[d["path"]] is not None), None)
            if lost:
                raise Lost(f"a worker of the scheduler cannot read {lost['broken']}: workers need the reports under the same names")
            out.update((d["path"], d) for d in store.add(batch, files))
    finally:
        gc.enable()
    return [out[path] for path in sorted(out)]


def reach(middle, deviation=0.0, limit=MADS):
    """The distance from the median beyond which a value stands out; without a deviation the least one."""
    return max(0.01 * abs(middle), limit * deviation)


def centre(ordered):
    """(median, deviation); None if all values are so near that none stands out."""
    middle = stats.middle(ordered)
    if ordered[-1] - middle <= reach(middle) >= middle - ordered[0]:
        return None
    return middle, stats.deviation(middle, ordered)


def _parted(s, tests):
    """Where the values of the smaller of two groups are, [] if there is one group, or if a machine has values in both."""
    below, width, distance = stats.gap(s.ordered)
    if distance <= reach(s.median) or width > stats.narrow(s.alike.machines, tests) * distance:
        return []
    edge = s.ordered[below]
    sides = [i for i, v in enumerate(s.values) if v < edge], [i for i, v in enumerate(s.values) if v >= edge]
    machines = [{s.alike.of[i] for i in side} for side in sides]
    return [] if machines[0] & machines[1] else sides[len(machines[0]) > len(machines[1])]


def outliers(figure, s, tests=1):
    """([Outlier], [Mixture]) of a Sample."""
    low, high = s.median - reach(s.median, s.deviation, s.limit), s.median + reach(s.median, s.deviation, s.limit)
    if bisect_left(s.ordered, low) == 0 and bisect_right(s.ordered, high) == len(s.ordered):
        beyond = _parted(s, tests)
    else:
        beyond = [i for i, v in enumerate(s.values) if not low <= v <= high]
    if len({s.alike.of[i] for i in beyond}) <= max(1, s.alike.machines // RARE):
        return [Outlier(s.alike.members[i], figure, s.values[i], s.median, s.deviation, s.limit) for i in beyond], []
    these = set(beyond)
    rest = stats.middle(sorted(v for i, v in enumerate(s.values) if i not in these)) if len(these) < len(s.values) else s.median
    some = [s.values[i] for i in beyond]
    return [], [Mixture([s.alike.members[i] for i in beyond], figure, min(some), max(some), rest, len({m["machine"] for m in s.alike.members}))]


class _Build(NamedTuple):
    """Values of a figure in the reports of one firmware and microcode, None: of all. ordered: from the least on."""

    build: tuple
    alike: Alike
    values: object
    ordered: list


def split(builds):
    """[(build, median)] if a figure's median depends on the build, otherwise []."""
    known = [(b, stats.middle(b.ordered)) for b in builds if len(b.ordered) >= GROUP]
    if len(known) < 2:
        return []
    medians = [middle for _, middle in known]
    low, between = min(medians), max(medians) - min(medians)
    if between <= reach(low) or between <= reach(low, max(stats.deviation(middle, b.ordered) for b, middle in known)):
        return []
    return [(b.build, middle) for b, middle in known]


class Outlier(NamedTuple):
    """limit: deviations that are allowed."""

    report: dict
    figure: tuple
    value: float
    median: float
    deviation: float
    limit: float


class Mixture(NamedTuple):
    """A figure in which some machines are apart from the rest of all: their reports, least and greatest value; the rest's median."""

    reports: list
    figure: tuple
    low: float
    high: float
    median: float
    of: int


class Split(NamedTuple):
    """A figure whose median depends on the build: (firmware, microcode)."""

    figure: tuple
    medians: list  # (build, median)


@dataclass
class Judgement:
    """What was found in the reports of one model, or in some of their figures. parts: of joint.Joint."""

    outliers: list = field(default_factory=list)
    splits: list = field(default_factory=list)
    groups: related.Tested = field(default_factory=related.Tested)
    changes: related.Tested = field(default_factory=related.Tested)
    off: list = field(default_factory=list)
    mixtures: list = field(default_factory=list)
    parts: list = field(default_factory=list)

    def __add__(self, other):
        return Judgement(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def as_json(self, members):
        """Without parts; a report is its number among the members."""
        number_of = {m["path"]: i for i, m in enumerate(members)}

        def numbered(some):
            return [o._replace(report=number_of[o.report["path"]]) for o in some]

        return [numbered(self.outliers), self.splits, [self.groups.tests, self.groups.found],
                [self.changes.tests, numbered(self.changes.found)], numbered(self.off),
                [m._replace(reports=[number_of[r["path"]] for r in m.reports]) for m in self.mixtures]]

    @staticmethod
    def of_json(o, members):
        def of_numbers(kind, some):
            return [found._replace(report=members[found.report]) for found in (kind(*values) for values in some)]

        def named(some):
            return [found._replace(figure=tuple(found.figure)) for found in some]

        outliers, splits, (tests, groups_), (of_changes, changes), off, mixtures = o
        return Judgement(of_numbers(Outlier, outliers), [Split(*s) for s in splits],
                         related.Tested(tests, named(related.Difference(*d) for d in groups_)),
                         related.Tested(of_changes, named(of_numbers(related.Change, changes))), of_numbers(Off, off),
                         [m._replace(reports=[members[r] for r in m.reports], figure=tuple(m.figure)) for m in (Mixture(*m) for m in mixtures)])


class Outliers:
    """Finds outliers and splits in figures of the reports of one model, which are passed one by one."""

    def __init__(self, plan, only=None):
        self.plan, self.joint, self.outliers, self.splits, self.mixtures = plan, Joint(plan, only), [], [], []

    def take(self, figure, values, _):
        kin = self.plan.kin(self.plan.shapes_of[figure])
        builds = [_Build(build, alike, theirs := alike.take(values), sorted(theirs)) for build, alike in kin.builds]
        medians = split(builds) if len(builds) > 1 else []
        if medians:
            self.splits.append(Split(figure, medians))
        elif len(builds) > 1:  # sorting joins what is in order
            builds = [_Build(None, kin.all, values, sorted(v for b in builds for v in b.ordered))]
        samples = [Sample(b.alike, b.values, b.ordered, *known, stats.limit(b.alike.machines, self.plan.tests)) for b in builds
                   if b.alike.machines >= GROUP and (known := centre(b.ordered))]
        for s in samples:
            odd, mixed = outliers(figure, s, self.plan.tests)
            self.outliers += odd
            self.mixtures += mixed
        if samples:
            self.joint.take(figure, kin, samples, bool(medians))


def judge(members, only=None):
    """The Judgement of the reports of one model; only: these figures, None: all. Each column is read once for all statistics."""
    odd, of_groups, of_changes = Outliers(Plan(members), only), related.Groups(members), related.Changes(members)
    for column in columns(members, only):
        for one in (odd, of_groups, of_changes):
            one.take(*column)
    odd.joint.end()
    return Judgement(odd.outliers, odd.splits, of_groups.tested, of_changes.tested, odd.joint.off, odd.mixtures, odd.joint.parts)


def _worst(o):
    """The sort key: by deviations (infinite if all others agree), then by the share of the median."""
    away, far = abs(o.value - o.median), float("inf")
    return -(away / o.deviation if o.deviation else far), -(away / abs(o.median) if o.median else far), o.report["path"], o.figure


_NEEDED = ("path", "machine", *related.OF, "begin", "names")


def _shares(members, who):
    """(common of who.map(), the shares of the work). A share is (tables, figures), without tables if memory is shared. All figures are one
    share if there is one process or few figures."""
    names = list(figures(members))
    if who.processes == 1 or len(members) * len(names) < FEW:
        return members, [(None, None)]
    size = max(1, min(-(-len(names) // (2 * who.processes)), SHARE // len(members)))
    some = [set(names[i : i + size]) for i in range(0, len(names), size)]
    if not who.apart:
        return members, [(None, only) for only in some]
    tables = {}
    for m in members:
        tables.setdefault(id(m["at"][0]), (len(tables), m["at"][0]))
    slim = [{k: m[k] for k in _NEEDED} | {"at": (tables[id(m["at"][0])][0], m["at"][1])} for m in members]
    return slim, (([cut(table, only) for _, table in tables.values()], only) for only in some)


def _judged(members, share):
    tables, only = share
    if tables is not None:
        members = [m | {"at": (tables[m["at"][0]], m["at"][1])} for m in members]
    return judge(members, only)


def _model(members, who):
    """judge() of the reports of one model by the processes of `who` (cluster.py)."""
    common, shares = _shares(members, who)
    whole = sum(who.map(_judged, shares, common), Judgement())
    plan = Plan(members)
    off = apart(plan, whole.off + joined(plan, whole.parts), members, [(o.report, o.figure) for o in whole.outliers])
    return replace(whole, outliers=sorted(whole.outliers, key=_worst), off=off, parts=[])


def _rules():
    """What a judgement depends on in addition to the reports: this code."""
    return b"".join((Path(__file__).parent / f"{name}.py").read_bytes() for name in ("fleet", "identity", "joint", "related", "stats", "columns"))


def _kept_or_judged(members, who, store, rules):
    """_model(), or the Judgement of an earlier merge of the same reports."""
    return Judgement.of_json(store.judged(members, rules, lambda: _model(members, who).as_json(members)), members)


def groups(digests):
    """{(model, firmware, microcode): members} of the readable ones, largest group first."""
    by = defaultdict(list)
    for d in digests:
        if "broken" not in d:
            by[d["model"], d["firmware"], d["microcode"]].append(d)
    return dict(sorted(by.items(), key=lambda g: (-len(g[1]), g[0])))


def models(digests):
    by = defaultdict(list)
    for d in digests:
        if "broken" not in d:
            by[d["model"]].append(d)
    return by


def _row(model, firmware, microcode, members):
    bad = Counter(check for m in members for check, status in m["bad"] if status != "WARN")
    return {"model": model, "firmware": firmware, "microcode": microcode, "reports": len(members),
            "machines": len({m["machine"] for m in members}), "virtual": any(m["virtual"] for m in members),
            "results": dict(Counter(m["result"] for m in members)),
            "counts": {s: sum(m["counts"][s] for m in members) for s in STATUSES}, "failing": bad.most_common(10)}


def _about(model, o, figure):
    m = o.report
    return {"model": model, "path": m["path"], "machine": m["machine"], "serial": m["serial"], "firmware": m["firmware"], "microcode": m["microcode"],
            "figure": related.name(figure)}


def _row_outlier(model, o):
    return _about(model, o, o.figure) | {"value": o.value, "median": o.median,
                                         "deviations": abs(o.value - o.median) / o.deviation if o.deviation else None, "limit": o.limit}


def _row_off(model, o):
    return _about(model, o, o.what) | {
        "checks": o.checks, "figures": o.figures, "runs": o.runs, "deviations": abs(o.deviations),
        "direction": "above" if o.deviations > 0 else "below", "each": abs(o.each), "limit": o.limit}


def _share(value, median):
    return 100 * (value - median) / abs(median) if median else None


def _mixtures(model, found):
    """A row for each set of machines that are apart in figures, the one with the most figures first. Sets that have more than half of their
    machines in common are one: a value near the edge may be on either side."""
    by = []
    for machines, some in sorted(_by_machines(found).items(), key=lambda item: (-len(item[1]), sorted(item[0]))):
        main = next((row for row in by if len(machines & row[0]) > len(machines | row[0]) / 2), None)
        if main:
            main[1].extend(some)
        else:
            by.append((machines, list(some)))
    for machines, some in by:
        low, high = ([s for m in some if (s := _share(value(m), m.median)) is not None] for value in (lambda m: m.low, lambda m: m.high))
        yield {"model": model, "machines": sorted(machines), "others": max(m.of for m in some) - len(machines), "figures": len(some),
               "percent": [median(low), median(high)] if low else None,
               "named": [{"figure": related.name(m.figure), "low": m.low, "high": m.high, "median": m.median} for m in some]}


def _by_machines(found):
    by = defaultdict(list)
    for m in found:
        by[frozenset(r["machine"] for r in m.reports)].append(m)
    return by


def _uncompared(model, members, splits):
    """Machines that have too few like them: of the model, and of a firmware and microcode on which figures depend."""
    def row(some, firmware="", microcode=""):
        return {"model": model, "firmware": firmware, "microcode": microcode, "machines": sorted({m["machine"] for m in some}), "needed": GROUP}

    def few(some):
        return max(len(some), len({m["machine"] for m in some})) < GROUP  # as joint.Alike counts

    if few(members):
        return [row(members)]
    by = defaultdict(list)
    for m in members if splits else ():
        by[m["firmware"], m["microcode"]].append(m)
    return [row(some, *build) for build, some in sorted(by.items()) if few(some)]


RANK = ("FAIL", "ERROR", "WARN", "SKIP", "DONE", "PASS")  # the order of verdicts in lists


def rank(verdict):
    return RANK.index(verdict) if verdict in RANK else RANK.index("ERROR")


def distinct(digests):
    """(digests, copies): each report once, the first by path; copies: (path, path of the counted one). Copies have the same bytes."""
    kept, copies, known = [], [], {}
    for d in digests:
        key = d.get("stream")
        if key in known:
            copies.append((d["path"], known[key]))
        else:
            kept.append(d)
            if key:
                known[key] = d["path"]
    return kept, copies


_LISTED = ("path", "machine", "serial", "model", "firmware", "microcode", "result", "begin", "bad")


def verdicts(digests):
    """The part of summary() that compares nothing."""
    return {"machines": [{k: d[k] for k in _LISTED if k in d} for d in digests if "broken" not in d],
            "contradicting": [{"path": d["path"], "why": what} for d in digests for what in d.get("contradictions", ())],
            "unreadable": [{"path": d["path"], "why": d["broken"]} for d in digests if "broken" in d]}


def summary(digests, who=None, copies=(), store=None):
    """The content of table, JSON object and page. who: the executor (cluster.py); copies: of distinct(); store: of gather()."""
    who, store, rules = who or cluster.Here(), store or Store(), _rules()
    whole = [d for d in digests if "broken" not in d]
    for d, machine in zip(whole, identity.machines([(d["identity"], d["label"], d["begin"], d["end"], d["path"]) for d in whole])):
        d["machine"] = machine
    judged = {model: _kept_or_judged(members, who, store, rules) for model, members in models(digests).items()}
    odd = [_row_outlier(model, o) for model, j in judged.items() for o in j.outliers]
    splits = [{"model": model, "figure": related.name(s.figure),
               "medians": [{"firmware": f, "microcode": u, "median": middle} for (f, u), middle in sorted(s.medians)]}
              for model, j in judged.items() for s in j.splits]
    off = [_row_off(model, o) for model, j in judged.items() for o in j.off]
    mixtures = [row for model, j in judged.items() for row in _mixtures(model, j.mixtures)]
    uncompared = [row for model, members in models(digests).items() for row in _uncompared(model, members, judged[model].splits)]
    said = verdicts(digests)
    said["machines"].sort(key=lambda m: (rank(m["result"]), m["machine"], m["begin"], m["path"]))
    return said | {"reports": len(digests), "groups": [_row(*key, members) for key, members in groups(digests).items()],
            "splits": splits, "outliers": odd, "together": off, "mixtures": mixtures, "uncompared": uncompared,
            "failed": [m for m in said["machines"] if m["result"] != "PASS"],
            "copies": [{"path": path, "of": of} for path, of in copies],
            "related": related.related({model: j.groups for model, j in judged.items()}),
            "changed": related.changed({model: j.changes for model, j in judged.items()})}


def off(o):
    """The deviation of an outlier: " -50.5 %, 6 deviations" """
    share = f"{100 * (o['value'] - o['median']) / abs(o['median']):+.1f} %, " if o["median"] else ""
    return share + ("all others agree" if o["deviations"] is None else f"{o['deviations']:.0f} deviations")


def checks_of(o):
    """ "mbm.total, mbm.local, mbm.wrap and 2 more" """
    return ", ".join(o["checks"][:3]) + (f" and {len(o['checks']) - 3} more" if len(o["checks"]) > 3 else "")


def off_together(o):
    """ "20 figures of mbm.total over 5 runs: 9.1 deviations below the median, each 2.0" """
    what = f"{o['figures']} figures of {checks_of(o)}" if o["figures"] > 1 else "one figure"
    runs = f" over {o['runs']} runs" if o["runs"] > 1 else ""
    return f"{what}{runs}: {o['deviations']:.1f} deviations {o['direction']} the median, each {o['each']:.1f}"


def some_of(names, most=10):
    """ "S1, S2 and 3 more" """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def mixed(m):
    """ "S1, S2, S3 are 3.0 % below the other 21 in 92 figures" """
    low, high = m["percent"] or (0.0, 0.0)
    how = "are apart from"
    if m["percent"] and (low > 0 or high < 0) and abs(high - low) <= 0.5 * max(abs(low), abs(high)):
        how = f"are {abs(low + high) / 2:.1f} % {'above' if low > 0 else 'below'}"
    elif m["percent"]:
        how = f"are {low:+.1f} to {high:+.1f} % from"
    return f"{some_of(m['machines'])} {how} the other {m['others']} in {_of(m['figures'], 'figure')}"


def not_compared(u):
    """ "3 machines of Box, 5 are needed" """
    of = f", firmware {u['firmware']}, microcode {u['microcode']}, in figures that depend on these" if u["firmware"] or u["microcode"] else ""
    return f"{_of(len(u['machines']), 'machine')} of {u['model']}{of}: {u['needed']} are needed"


def by_machine(odd):
    """[(machine, its outliers)], the machine with the largest deviation first."""
    by = defaultdict(list)
    for o in odd:
        by[o["machine"]].append(o)
    return list(by.items())


def _of(n, word):
    """ "1 report", "2 reports" """
    return f"{n} {word}{'' if n == 1 else 's'}"


def text(s):
    out = [f"{_of(s['reports'], 'report')}, {_of(len(s['groups']), 'combination')} of model, firmware and microcode"]
    for g in s["groups"]:
        results = ", ".join(f"{n} {r}" for r, n in g["results"].items())
        out += ["", f"{g['model']}{' (virtual silicon)' if g['virtual'] else ''}",
                f"  firmware {g['firmware']}, microcode {g['microcode']}",
                f"  {_of(g['reports'], 'report')} of {_of(g['machines'], 'machine')}: {results}"]
        out += [f"    {n:5} x {check}" for check, n in g["failing"]]
    standing = by_machine(s["outliers"])
    out += [""]
    out += [f"mixture: {mixed(m)}: {some_of([f['figure'] for f in m['named']], 3)}" for m in s["mixtures"]]
    out += [f"not compared: {not_compared(u)}" for u in s["uncompared"]]
    if standing:
        out.append(f"{_of(len(s['outliers']), 'outlier')} of {_of(len(standing), 'machine')} among machines of one kind:")
    elif not s["mixtures"] and not s["uncompared"]:
        out.append("no outlier among machines of one kind")
    for machine, some in standing[:100]:
        for o in some[:5]:
            out.append(f"  {machine}: {o['figure']}: {number(o['value'])}, median {number(o['median'])} ({off(o)})")
        if len(some) > 5:
            out.append(f"  {machine}: {len(some) - 5} more")
    if len(standing) > 100:
        out.append(f"  and {len(standing) - 100} more machines: --format json lists all")
    standing = by_machine(s["together"])
    if standing:
        out += ["", f"{_of(len(standing), 'machine')} with figures or runs that are off together:"]
    for machine, some in standing[:100]:
        out += [f"  {machine}: {o['figure']}: {off_together(o)}" for o in some[:5]]
        if len(some) > 5:
            out.append(f"  {machine}: {len(some) - 5} more")
    if len(standing) > 100:
        out.append(f"  and {len(standing) - 100} more machines: --format json lists all")
    if s["splits"]:
        out += ["", f"{len(s['splits'])} figures depend on firmware or microcode:"]
    for p in s["splits"][:50]:
        values = ", ".join(f"{number(m['median'])} with {m['firmware']}, microcode {m['microcode']}" for m in p["medians"])
        out.append(f"  {p['figure']}: {values}")
    if len(s["splits"]) > 50:
        out.append(f"  and {len(s['splits']) - 50} more: --format json lists all")
    if s["related"]:
        out += ["", f"{len(s['related'])} figures go with firmware, microcode, board or vendor of DIMMs (rank test, p corrected for all figures):"]
    for r in s["related"][:50]:
        values = ", ".join(f"{number(g['median'])} with {g['value'] or 'none'} ({g['machines']})" for g in r["groups"])
        out.append(f"  {r['of']}: {r['figure']}: {values}; p = {r['p']:.1e}")
    if s["changed"]:
        out += ["", f"{len(s['changed'])} figures of a machine changed at some time:"]
    for c in s["changed"][:50]:
        out.append(f"  {c['machine']}: {c['figure']}: {number(c['before'])}, from {c['begin'][:19]} on {number(c['after'])}; p = {c['p']:.1e}")
    if s["copies"]:
        out += ["", f"{len(s['copies'])} files are copies of reports that are counted: {s['copies'][0]['path']} of {s['copies'][0]['of']}"
                + (", and others" if len(s["copies"]) > 1 else "")]
    out += [f"contradicts itself: {c['path']}: {c['why']}" for c in s["contradicting"]]
    out += [f"unreadable: {u['why']}" for u in s["unreadable"]]
    return "\n".join(map(safe.line, out)) + "\n"


def exit_status(found):
    """The worst of what was found: 4: a report contradicts itself; 2: one cannot be read; 1: FAIL, an outlier, machines or runs that are
    off together, a mixture; 3: ERROR, or nothing was checked; 5: WARN. found: summary(), or as much of it as is known."""
    results = {EXIT[m["result"]] for m in found["machines"]}
    odd = any(found.get(k) for k in ("outliers", "together", "mixtures"))
    if found["contradicting"] or found["unreadable"]:
        return CONTRADICTS if found["contradicting"] else 2
    return 1 if odd else worst(results)


def as_json(s):
    return json.dumps(s, indent=1, ensure_ascii=False) + "\n"


def as_csv(digests):
    """One line for each report, for a spreadsheet."""
    out = io.StringIO()
    w = csv.writer(out)
    w.writerow(["path", "serial", "model", "firmware", "microcode", "result", "begin", *STATUSES])
    for d in digests:
        if "broken" in d:
            row = [d["path"], "", "", "", "", "UNREADABLE", d["broken"]]
        else:
            row = [d["path"], d["serial"], d["model"], d["firmware"], d["microcode"], d["result"], d["begin"],
                   *(d["counts"][s] for s in STATUSES)]
        w.writerow(map(safe.cell, row))
    return out.getvalue()
