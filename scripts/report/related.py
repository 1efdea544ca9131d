# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Figures that depend on firmware, microcode, board or vendor of DIMMs, and figures of a machine that changed over time, with p-values.

Both are rank tests (stats.py), which assume no distribution. p-values are multiplied by the number of tests of the merge (Bonferroni).
docs/fleet.md says what they find.
"""
from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from . import stats
from .columns import same, shapes
from .place import words

SURE = 0.01  # the probability of one false finding in a merge
LEAST = 0.01  # of the median: smaller differences are not reported
GROUP = 5  # machines of a group
RUNS = 12  # of one machine
SAMPLE = 1000  # machines in a rank test; more would find differences below LEAST
OF = ("firmware", "microcode", "board", "DIMM vendor")


class Part(NamedTuple):
    """The machines with one value of the property."""

    value: str
    machines: int
    median: float


class Difference(NamedTuple):
    """Between machines with one firmware, microcode, board or vendor of DIMMs (of) and with another."""

    p: float
    of: str
    figure: tuple
    parts: list  # of Part


class Change(NamedTuple):
    """Of a machine; report: the first one after it."""

    p: float
    figure: tuple
    report: dict
    before: float
    after: float


@dataclass
class Tested:
    """How many tests were made, and what was found."""

    tests: int = 0
    found: list = field(default_factory=list)

    def __add__(self, other):
        return Tested(self.tests + other.tests, self.found + other.found)


def name(figure):
    """figure: (check, measurement, location) or (check, location)."""
    return " | ".join(x for x in (*figure[:-1], words(figure[-1])) if x)


def latest(members):
    """The last report of each machine, since reports of one are not independent."""
    last = {}
    for m in members:
        key = m["machine"]
        if key not in last or last[key]["begin"] <= m["begin"]:
            last[key] = m
    return list(last.values())


def _parts(some, of):
    """[(value, indices)] of groups that are large enough."""
    by = defaultdict(list)
    for i, m in enumerate(some):
        by[m[of]].append(i)
    by = [(value, places) for value, places in sorted(by.items()) if len(places) >= GROUP]
    return by if len(by) > 1 else []


def _differ(values):
    low, high = min(values), max(values)
    return high - low > LEAST * abs(low)


class _Some:
    """Some of the reports: the positions of their values among those of all reports with a figure, in the order of columns()."""

    def __init__(self, some):
        self.place = {id(m): i for i, m in enumerate(m for alike in shapes(some).values() for m in alike)}
        self.known = {}

    def of(self, who, make):
        """(positions in who, make() of the reports there), computed once for each list of reports."""
        if id(who) not in self.known:
            at = sorted((i for i, m in enumerate(who) if id(m) in self.place), key=lambda i: self.place[id(who[i])])
            self.known[id(who)] = who, at, make([who[i] for i in at])
        return self.known[id(who)][1:]


class Groups:
    """Takes figures of machines of one model, one by one; tested.found: list of Difference."""

    def __init__(self, members):
        members = latest(members)
        self.some = _Some(members[:: max(1, len(members) // SAMPLE)])
        self.tested = Tested()

    def take(self, figure, values, who):
        at, groups_ = self.some.of(who, lambda some: [(of, parts) for of in OF if (parts := _parts(some, of))])
        if not groups_:
            return
        values = [values[i] for i in at]
        if same(values):
            return
        ranked = None
        for of, parts in groups_:
            self.tested.tests += 1
            medians = [median(values[i] for i in places) for _, places in parts]
            if not _differ(medians):
                continue
            inside = sorted(i for _, places in parts for i in places)
            if ranked is None or ranked[0] != inside:
                ranked = inside, *stats.ranks([values[i] for i in inside])
            at = {i: n for n, i in enumerate(inside)}
            p = stats.kruskal_wallis(ranked[1], ranked[2], [[at[i] for i in places] for _, places in parts])
            self.tested.found.append(Difference(p, of, figure, [Part(v, len(places), m) for (v, places), m in zip(parts, medians)]))


def _in_time(who):
    """[indices of its reports by time] of machines with at least RUNS reports."""
    by = defaultdict(list)
    for i, m in enumerate(who):
        by[m["machine"]].append(i)
    return [sorted(places, key=lambda i: (who[i]["begin"], who[i]["path"]))
            for places in by.values() if len(places) >= RUNS]


class Changes:
    """Takes figures like Groups; tested.found: list of Change."""

    def __init__(self, members):
        often = Counter(m["machine"] for m in members)
        self.some = _Some([m for m in members if often[m["machine"]] >= RUNS])
        self.tested = Tested()

    def take(self, figure, values, who):
        if not self.some.place:
            return
        at, machines = self.some.of(who, _in_time)
        for places in machines:
            of_one = [values[at[i]] for i in places]
            if same(of_one):
                continue
            self.tested.tests += 1
            step, p = stats.pettitt(of_one)
            before, after = median(of_one[:step] or of_one), median(of_one[step:])
            if _differ((before, after)):
                self.tested.found.append(Change(p, figure, who[at[places[step]]], before, after))


def sure(of_models):
    """[(model, corrected p, finding)] with p up to SURE, the least first. of_models: {model: Tested}."""
    tests = sum(t.tests for t in of_models.values())
    out = [(model, min(1.0, f.p * tests), f) for model, t in of_models.items() for f in t.found if f.p * tests <= SURE]
    return sorted(out, key=lambda o: (o[1], o[0], o[2].figure))


def related(of_models):
    """Rows of a merge about groups of machines. of_models: {model: Groups.tested}."""
    return [{"model": model, "of": d.of, "figure": name(d.figure), "p": p, "groups": [Part(*part)._asdict() for part in d.parts]}
            for model, p, d in sure(of_models)]


def changed(of_models):
    """Rows of a merge about one machine over time. of_models: {model: Changes.tested}."""
    return [{"model": model, "machine": c.report["machine"], "serial": c.report["serial"], "figure": name(c.figure), "p": p, "path": c.report["path"], "begin": c.report["begin"],
             "before": c.before, "after": c.after} for model, p, c in sure(of_models)]
