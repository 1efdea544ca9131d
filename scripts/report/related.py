# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What goes with a machine's firmware, microcode, board or vendor of DIMMs, and what changed on one machine over time, with p-values.

Both are rank tests (stats.py), so that they assume no distribution, and their p-values are corrected by Bonferroni: times the number
of tests made in the merge. docs/fleet.md says what they find and what they cannot.
"""
from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median

from . import stats
from .columns import same, shapes

SURE = 0.01  # the probability, in a whole merge, that one of these is said of what is chance
LEAST = 0.01  # of the median: a smaller difference is not worth a sentence
GROUP = 5  # machines of a group
RUNS = 12  # of one machine
SAMPLE = 1000  # machines that a rank test looks at: more cost more, and find differences within LEAST
OF = ("firmware", "microcode", "board", "DIMM vendor")


def name(figure):
    return " | ".join(x for x in figure if x)


def latest(members):
    """The last report of each machine, since reports of one are not independent; those without a serial number count each."""
    last = {}
    for m in members:
        key = m["serial"] or m["path"]
        if key not in last or last[key]["begin"] <= m["begin"]:
            last[key] = m
    return list(last.values())


def _parts(some, of):
    """[(value, places)] of groups that are large enough."""
    by = defaultdict(list)
    for i, m in enumerate(some):
        by[m[of]].append(i)
    by = [(value, places) for value, places in sorted(by.items()) if len(places) >= GROUP]
    return by if len(by) > 1 else []


def _differ(values):
    low, high = min(values), max(values)
    return high - low > LEAST * abs(low)


class _Some:
    """Of some of the reports: where their values are among those of all that have a figure, in the order of columns()."""

    def __init__(self, some):
        self.place = {id(m): i for i, m in enumerate(m for alike in shapes(some).values() for m in alike)}
        self.known = {}

    def of(self, who, make):
        """(places in who, what make says of the reports there), once for each list of reports."""
        if id(who) not in self.known:
            at = sorted((i for i, m in enumerate(who) if id(m) in self.place), key=lambda i: self.place[id(who[i])])
            self.known[id(who)] = who, at, make([who[i] for i in at])
        return self.known[id(who)][1:]


class Groups:
    """Takes figures of alike machines, one after the other. tests: made so far; found: [(p, of, figure, [(value, machines, median)])]."""

    def __init__(self, members):
        members = latest(members)
        self.some = _Some(members[:: max(1, len(members) // SAMPLE)])
        self.tests, self.found = 0, []

    def take(self, figure, values, who):
        at, groups_ = self.some.of(who, lambda some: [(of, parts) for of in OF if (parts := _parts(some, of))])
        if not groups_:
            return
        values = [values[i] for i in at]
        if same(values):
            return
        ranked = None
        for of, parts in groups_:
            self.tests += 1
            medians = [median(values[i] for i in places) for _, places in parts]
            if not _differ(medians):
                continue
            inside = sorted(i for _, places in parts for i in places)
            if ranked is None or ranked[0] != inside:
                ranked = inside, *stats.ranks([values[i] for i in inside])
            at = {i: n for n, i in enumerate(inside)}
            p = stats.kruskal_wallis(ranked[1], ranked[2], [[at[i] for i in places] for _, places in parts])
            self.found.append((p, of, figure, [(v, len(places), m) for (v, places), m in zip(parts, medians)]))


def _in_time(who):
    """[(serial, places of its reports in their order)] of machines with enough of them."""
    by = defaultdict(list)
    for i, m in enumerate(who):
        by[m["serial"]].append(i)
    return [(serial, sorted(places, key=lambda i: (who[i]["begin"], who[i]["path"])))
            for serial, places in by.items() if len(places) >= RUNS]


class Changes:
    """Takes figures as Groups does. found: [(p, serial, figure, report that is the first after it, median before, median after)]."""

    def __init__(self, members):
        often = Counter(m["serial"] for m in members)
        self.some = _Some([m for m in members if m["serial"] and often[m["serial"]] >= RUNS])
        self.tests, self.found = 0, []

    def take(self, figure, values, who):
        if not self.some.place:
            return
        at, machines = self.some.of(who, _in_time)
        for serial, places in machines:
            of_one = [values[at[i]] for i in places]
            if same(of_one):
                continue
            self.tests += 1
            step, p = stats.pettitt(of_one)
            before, after = median(of_one[:step] or of_one), median(of_one[step:])
            if _differ((before, after)):
                self.found.append((p, serial, figure, who[at[places[step]]], before, after))


def sure(of_models):
    """[(model, corrected p, ...)], the surest first, of {model: (tests, found)}."""
    tests = sum(n for n, _ in of_models.values())
    out = [(model, min(1.0, f[0] * tests), *f[1:]) for model, (_, found) in of_models.items() for f in found if f[0] * tests <= SURE]
    return sorted(out, key=lambda f: (f[1], f[0], f[3]))


def related(of_models):
    """What a merge says of groups: of_models has (tests, found) of Groups of each model."""
    return [{"model": model, "of": of, "figure": name(figure), "p": p,
             "groups": [{"value": v, "machines": n, "median": m} for v, n, m in parts]}
            for model, p, of, figure, parts in sure(of_models)]


def changed(of_models):
    """What a merge says of one machine over time: of_models has (tests, found) of Changes of each model."""
    return [{"model": model, "serial": serial, "figure": name(figure), "p": p, "path": first["path"], "begin": first["begin"],
             "before": before, "after": after}
            for model, p, serial, figure, first, before, after in sure(of_models)]
