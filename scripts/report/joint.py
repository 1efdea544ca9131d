# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Figures or runs of a machine that deviate together, even if each one deviates little.

A fault of a monitor moves many figures, in every run. The residuals of a report, each in deviations of its figure (at least LEAST of the
median), are summed over the figures of a check, of a check at a place ("L3 domain 0", "package 1 CBo 3") and of a family of checks at a
place (mbm.* at "L3 domain 0"); these sums, and the figures, are also summed over the last runs of a machine. Sums are judged like figures,
by their own median and deviation, so figures that correlate on healthy machines cause no false alarm. Of sums with a common figure the
one with the largest deviation is reported.

A residual is a multiple of 1 / QUANTA of a deviation, so that sums are exact in any order.
"""
from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from itertools import chain
from operator import add, itemgetter
from typing import NamedTuple

from . import place, stats
from .bands import EXCLUDES
from .columns import figures, shapes
from .related import LEAST

GROUP = 5  # machines
RARE = 10  # if more than one machine in so many stands out, the group is a mixture
QUANTA = 64
CLIP = 100.0  # a residual counts with at most so many deviations
OFTEN = (0.9, 0.5, 0.25, 0.1)  # numbers of runs are summed that these shares of the machines have
_ROUND = 1.5 * 2**52  # adding and subtracting it rounds to a whole number


class Alike:
    """Reports that are compared with each other. of: the machine of each; levels: numbers of runs that are summed; places: their positions
    among the reports with a figure, None: all of them."""

    def __init__(self, members, levels=(), places=None):
        number = {}
        self.members = members
        self.of = [number.setdefault(m["machine"], len(number)) for m in members]
        self.machines = len(number)
        if self.machines < GROUP:  # too few: each report counts as a machine
            self.of, self.machines = range(len(members)), len(members)
        self.places = places
        self._pick = None if places is None else itemgetter(*places) if len(places) > 1 else lambda values: (values[places[0]],)
        self.runs = self._runs(levels)

    def take(self, values):
        return values if self._pick is None else self._pick(values)

    def _runs(self, levels):
        """[(runs, [the last so many of a machine])]"""
        by = defaultdict(list)
        for i, machine in enumerate(self.of) if levels else ():
            by[machine].append(i)
        for places in by.values():
            places.sort(key=lambda i: (self.members[i]["begin"], self.members[i]["path"]))
        some = [(runs, [places[-runs:] for places in by.values() if len(places) >= runs]) for runs in levels]
        return [(runs, last) for runs, last in some if len(last) >= GROUP]


class Kin:
    """Reports with a figure: all, and by firmware and microcode."""

    def __init__(self, members, levels):
        self.all, by = Alike(members, levels), defaultdict(list)
        for i, m in enumerate(members):
            by[m["firmware"], m["microcode"]].append(i)
        self.builds = [(build, Alike([members[i] for i in some], levels, some) if len(by) > 1 else self.all) for build, some in by.items()]


class Sample(NamedTuple):
    """Values of a figure in alike reports. ordered: from the least on; limit: deviations from the median that are allowed."""

    alike: Alike
    values: object
    ordered: list
    median: float
    deviation: float
    limit: float


class Group(NamedTuple):
    """Figures, by their numbers, of the same reports."""

    check: str
    where: str
    figures: tuple
    shapes: tuple


class Plan:
    """The tests for the reports of one model, independent of values. tests: number of tests of a machine."""

    def __init__(self, members):
        machines = Alike(members).machines
        often = sorted(Counter(m["machine"] for m in members).values(), reverse=True)
        self.levels = sorted({often[math.ceil(share * machines) - 1] for share in OFTEN} - {1}) if len(often) == machines else []
        self.shapes, self.kins = shapes(members), {}
        number = {id(names): i for i, names in enumerate(self.shapes)}
        self.number, self.shapes_of, by = {}, {}, defaultdict(list)
        for n, (figure, places) in enumerate(figures(members).items()):
            self.number[figure], self.shapes_of[figure] = n, tuple(number[id(names)] for names, _ in places)
            for key in _sums_of(*figure):
                by[(*key, self.shapes_of[figure])].append(n)
        distinct = {}
        for (check, where, of), some in by.items():
            if len(some) > 1:
                distinct.setdefault(tuple(some), Group(check, where, tuple(some), of))
        self.groups = list(distinct.values())
        self.of, self.last = defaultdict(list), defaultdict(list)
        for g, group in enumerate(self.groups):
            self.last[group.figures[-1]].append(g)
            for n in group.figures:
                self.of[n].append(g)
        self.tests = (len(self.number) + len(self.groups)) * (len(members) / max(1, machines) + len(self.levels))

    def kin(self, shapes_):
        """The reports of these shapes, in the order of columns()."""
        if shapes_ not in self.kins:
            lists = list(self.shapes.values())
            self.kins[shapes_] = Kin(list(chain.from_iterable(lists[i] for i in shapes_)), self.levels)
        return self.kins[shapes_]

    def figures(self, what):
        """Numbers of the figures of a sum: a group's, or a figure's own."""
        return self.groups[what].figures if isinstance(what, int) else (self.number[what],)


def _sums_of(check, measurement, where):
    """(check, place) of the sums that a figure is part of."""
    if measurement == EXCLUDES:
        return ()
    group = place.group(where)
    return ((check, ""), (check, group), (check.split(".")[0] + ".*", group)) if group else ((check, ""),)


def _residuals(s):
    """(residual of each value of a Sample, what LEAST of the median is) in 1 / QUANTA; (None, 0) without a spread."""
    unit = max(s.deviation, LEAST * abs(s.median))
    if not s.deviation or not math.isfinite(s.ordered[-1] - s.ordered[0]) or not math.isfinite(QUANTA / unit):
        return None, 0.0
    reach, by, values = min(s.limit, CLIP) * unit, QUANTA / unit, s.values
    low, high = s.median - reach, s.median + reach
    if s.ordered[0] < low or s.ordered[-1] > high:
        values = [low if v < low else high if v > high else v for v in values]
    return [(v - s.median) * by + _ROUND - _ROUND for v in values], LEAST * abs(s.median) * by + _ROUND - _ROUND


class Off(NamedTuple):
    """A sum, or a figure over several runs, that stands out. report: the path of the last one, later its digest; what: the number of a
    Group or a figure, later its name; each: mean of the residuals."""

    report: object
    what: object
    figures: int
    runs: int
    deviations: float
    each: float
    limit: float
    checks: list


class Sum:
    """The sum of a group so far. By build: counts (figures) and floors (the sum if each were off by LEAST). split: the median of a figure
    depends on the build."""

    def __init__(self, values, floors, counts, checks, split):
        self.values, self.floors, self.counts, self.checks, self.split = values, floors, counts, checks, split

    def add(self, other):
        self.values = array(self.values.typecode, map(add, self.values, other.values))
        self.floors = list(map(add, self.floors, other.floors))
        self.counts = list(map(add, self.counts, other.counts))
        self.checks = list(dict.fromkeys(self.checks + other.checks))
        self.split = self.split or other.split


class Joint:
    """Takes figures one by one. only: these figures. off: list of Off; parts: [(group, Sum)] of groups with other figures."""

    def __init__(self, plan, only=None):
        self.plan, self.off, self.parts, self.sums, self.at = plan, [], [], {}, 0
        self.only = None if only is None else {plan.number[figure] for figure in only}

    def take(self, figure, kin, samples, split):
        """samples: of all reports, or one a build."""
        n = self.plan.number[figure]
        self._close(n)
        groups = self.plan.of.get(n, ())
        if not groups and not self.plan.levels:
            return
        parts = [(s.alike, *_residuals(s)) for s in samples]
        parts = [p for p in parts if p[1] is not None]
        for alike, residuals, floor in parts:
            self._judge(figure, alike, residuals, floor, 1, [figure[0]])
        if parts and groups:
            one = Sum(*_spread(kin, parts), [figure[0]], split)
            for g in groups:
                if g in self.sums:
                    self.sums[g].add(one)
                else:
                    self.sums[g] = Sum(one.values, one.floors, one.counts, one.checks, split)

    def end(self):
        """No figure follows."""
        self._close(len(self.plan.number))
        for g in sorted(self.sums):
            self._end(g)

    def _close(self, n):
        """Ends groups without a figure from this number on."""
        for last in range(self.at, n):
            for g in self.plan.last.get(last, ()):
                self._end(g)
        self.at = n

    def _end(self, g):
        s = self.sums.pop(g, None)
        if s is not None and self.only is not None and not self.only.issuperset(self.plan.groups[g].figures):
            s.values = array("i", map(int, s.values))
            self.parts.append((g, s))
        elif s is not None:
            self.judge(g, s)

    def judge(self, g, s):
        """Judges a complete sum."""
        kin = self.plan.kin(self.plan.groups[g].shapes)
        for b, alike in enumerate([alike for _, alike in kin.builds] if s.split else [kin.all]):
            if s.counts[b] > 1:
                self._judge(g, alike, alike.take(s.values), s.floors[b], s.counts[b], s.checks)

    def _judge(self, what, alike, values, floor, count, checks):
        if alike.machines < GROUP:
            return
        if count > 1:
            self._compare(what, values, alike.members, alike.of, alike.machines, floor, count, 1, checks)
        for runs, last in alike.runs:
            self._compare(what, [sum(map(values.__getitem__, some)) for some in last], [alike.members[some[-1]] for some in last],
                          range(len(last)), len(last), runs * floor, count, runs, checks)

    def _compare(self, what, values, members, of, machines, floor, count, runs, checks):
        ordered = sorted(values)
        middle = stats.middle(ordered)
        most = max(ordered[-1] - middle, middle - ordered[0])
        if most <= floor:
            return
        deviation, limit = stats.deviation(middle, ordered), stats.limit(machines, self.plan.tests)
        reach = max(floor, limit * deviation)
        if not deviation or most <= reach:
            return
        beyond = [i for i, v in enumerate(values) if abs(v - middle) > reach]
        if len({of[i] for i in beyond}) <= max(1, machines // RARE):
            self.off += [Off(members[i]["path"], what, count, runs, (values[i] - middle) / deviation,
                             (values[i] - middle) / (QUANTA * count * runs), limit, checks) for i in beyond]


def _spread(kin, parts):
    """(values, floors, counts) of a Sum of one figure."""
    if parts[0][0] is kin.all:
        return array("d", parts[0][1]), [parts[0][2]] * len(kin.builds), [1] * len(kin.builds)
    values, by = array("d", bytes(8 * len(kin.all.members))), {id(alike): (residuals, floor) for alike, residuals, floor in parts}
    for _, alike in kin.builds:
        for i, v in zip(alike.places, by[id(alike)][0]) if id(alike) in by else ():
            values[i] = v
    mine = [by.get(id(alike)) for _, alike in kin.builds]
    return values, [x[1] if x else 0.0 for x in mine], [int(x is not None) for x in mine]


def joined(plan, parts):
    """Off of the sums whose parts are in several shares of the work."""
    whole = {}
    for g, part in parts:
        if g in whole:
            whole[g].add(part)
        else:
            whole[g] = part
    out = Joint(plan)
    for g, s in whole.items():
        out.judge(g, s)
    return out.off


def apart(plan, off, members, single):
    """The largest deviation first; one of a machine's sums with a common figure, and none of a figure that is an outlier in single runs.
    single: those, (report, figure)."""
    of = {m["path"]: m for m in members}
    named = {(m["machine"], figure) for m, figure in single}
    out, had = [], defaultdict(set)
    for o in sorted(off, key=lambda o: (-abs(o.deviations), o.report, plan.figures(o.what), o.runs)):
        machine, numbers = of[o.report]["machine"], plan.figures(o.what)
        if (machine, o.what) not in named and had[machine].isdisjoint(numbers):
            had[machine].update(numbers)
            out.append(o._replace(report=of[o.report], what=plan.groups[o.what][:2] if isinstance(o.what, int) else o.what))
    return out
