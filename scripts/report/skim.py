# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Figures and statuses of a report, many times faster than stream.read(): what merging thousands needs of each.

Most lines are evidence, and dropped in one go by how they begin. Those that are left differ between alike machines in values and times
alone, so how they begin is kept (a Shape), and of the next report only values are taken. Each check's own account (assay.cost)
shows that no measurement and no finding is missing, and the last line's number that there are as many lines as were written.
Whatever is spelled otherwise, unfinished or not numbered line by line is left to stream.read().
"""
from __future__ import annotations

import re
from itertools import chain, compress
from operator import contains

from . import verdict
from .skeleton import Skeletons
from .source import content
from .stream import WRONG, Reader, figures, parsed, read

_STEP = rb'\{"testStepArtifact":\{"testStepId":"(\d+)","'
# Lines of a check that have neither figure nor status.
_IDLE = re.compile(_STEP + rb'(?:extension":\{"name":"assay\.(?!cost")|measurementSeries|log")[^\n]*\n')
_HEAD = re.compile(_STEP + rb'(?:measurement":\{"name":"([^"\\]*)","value":|testStepStart":\{"name":"([^"\\]*)"\}\},|'
                           rb'testStepEnd":\{"status":"([A-Z]+)"\}\},|diagnosis":\{"verdict":"[^"\\]*","type":"(PASS|FAIL|UNKNOWN)"|'
                           rb'(error":\{)|(extension":\{"name":"assay\.cost","content":\{"verdict":"[A-Z]+"))')
_REST = re.compile(rb'-?\d[0-9.eE+-]*(?:,"unit":"[^"\\]*")?(?:,"validators":\[[^\]]*\])?'
                   rb'(,"subcomponent":\{"name":"([^"\\]*)"\}|)\}\},"sequenceNumber":')
_TAIL = b'}},"sequenceNumber":'
# Wherever they stand in an account; with what stands behind each, so that 1 is not taken for 12.
_ACCOUNT = [re.compile(rb'"%s":\d+[,}]' % name) for name in (b"measurements", b"outOfBounds", b"series", b"findings")]
_LAST = re.compile(rb'"sequenceNumber":(\d+),')


class Shape:
    """What the needed lines of alike reports have in common."""

    def __init__(self, lines):
        """lines: those of the checks. ValueError where one is spelled otherwise."""
        self.heads, self.measured, self.places, self.accounts = [], [], [], []
        self.index, self.known, self.steps = [], {}, []  # known: (check, measurement, place) -> number
        self.reader = Reader("")
        for line in lines:
            m = _HEAD.match(line)
            if m is None or b'"dropped":true' in line:
                raise ValueError("a line that is spelled otherwise, or an attempt that does not count")
            self.heads.append(m[0])
            self.measured.append(m[2] is not None)
            self.learn(line, m)
        if self.reader.open or len(self.accounts) != len(self.steps):
            raise ValueError("a check without an end or an account")
        if self.reader.report.contradictions:
            raise ValueError("a check that contradicts itself")
        self.checks = self.reader.report.checks  # ids and statuses, no more
        self.figures = tuple(self.known)
        of = [[] for _ in self.figures]  # of each figure, which values are its own
        for at, figure in enumerate(self.index):
            of[figure].append(at)
        self.first = [some[0] for some in of]
        self.several = [(figure, some) for figure, some in enumerate(of) if len(some) > 1]
        self.placeless = self.places.count(b"")
        self.costs = [b'"assay.cost"' in h for h in self.heads]
        self.lengths = [len(h) for h in compress(self.heads, self.measured)]

    def learn(self, line, m):
        step, name, begun, ended, kind, error, cost = m.groups()
        if name is not None:
            rest = _REST.match(line, m.end())
            if not rest:
                raise ValueError("a measurement that is spelled otherwise")
            self.places.append(rest[1] + _TAIL if rest[1] else b"")
            figure = self.steps[int(step)], name.decode(), (rest[2] or b"").decode()
            self.index.append(self.known.setdefault(figure, len(self.known)))
        elif begun is not None:
            if int(step) != len(self.steps) or self.reader.open:
                raise ValueError("checks that are not numbered one after the other")
            self.steps.append(begun.decode())
            self.reader.begin(step, self.steps[-1], "")
        elif ended is not None:
            self.reader.over(step, ended.decode(), "")
        elif kind is not None:
            self.reader.diagnosis(self.reader.open[step], {"type": kind.decode(), "verdict": ""})
        elif error is not None:
            self.reader.open[step].errors.append("")
        elif cost is not None:
            self.reader.open[step].cost = {"verdict": cost.split(b'"')[-2].decode()}
            self.accounts.append([field.search(line)[0] for field in _ACCOUNT])

    def values(self, texts, costs):
        """What was measured, of the measurements' lines from the value to the place and the accounts; None: another shape."""
        whole = b"".join(texts)
        if b'"subcomponent":' in whole or not self.are_accounts(costs):
            return None
        if whole.count(_TAIL) != self.placeless:  # a line that is cut off in its value has another value
            return None
        if any(b'"dropped":true' in c for c in costs):
            return None
        return [float(t.split(b",", 1)[0].rstrip(b"}")) for t in texts]

    def are_accounts(self, costs):
        return all(map(contains, chain.from_iterable(zip(costs, costs, costs, costs)), chain.from_iterable(self.accounts)))

    def of_lines(self, lines):
        """The values of a stream's needed lines; None where it has another shape."""
        if len(lines) != len(self.heads) or not all(map(bytes.startswith, lines, self.heads)):
            return None
        return self.values([line[n : line.index(place, n)] if place else line[n:]
                            for line, n, place in zip(compress(lines, self.measured), self.lengths, self.places)],
                           list(compress(lines, self.costs)))

    def means(self, values):
        out = [0.0 + values[at] for at in self.first]  # 0.0: a sum begins so, and has no negative zero
        for figure, some in self.several:
            out[figure] = sum(values[at] for at in some) / len(some)
        return out


_MOST = 64  # shapes kept at a time, since each holds a report's names
_shapes = []  # the one that was met last comes first
_skeletons = Skeletons()


def _left(data):
    """(lines that are not idle, how many there are in all)"""
    known = _skeletons.others(data)
    if known:
        return known
    left, idle = _IDLE.subn(b"", data)
    lines = left.split(b"\n")
    if lines.pop():
        raise ValueError("a line is torn")
    if _skeletons.learning():
        _skeletons.learn(data, [m.start() for m in _IDLE.finditer(data)])
    return lines, len(lines) + idle


def _needed(data):
    """(lines of checks that have a figure or a status, the run's own lines)"""
    lines, n = _left(data)
    if int(_LAST.search(lines[-1])[1]) != n - 1:
        raise ValueError("a line lacks its number")
    of_checks = [line.startswith(b'{"testStep') for line in lines]
    return list(compress(lines, of_checks)), [line for line, of_check in zip(lines, of_checks) if not of_check]


def _hurried(reader, data):
    lines, own = _needed(data)
    for shape in _shapes:
        values = shape.of_lines(lines)
        if values is not None:
            _shapes.remove(shape)
            break
    else:
        shape = Shape(lines)
        values = shape.of_lines(lines)
    _shapes.insert(0, shape)
    del _shapes[_MOST:]
    for line in own:
        reader.take(parsed(line))
    return shape, values


def skim(path):
    """(Report, its figures' names, their means, whether the fast path read it): if it did, the checks have ids and
    statuses alone. StreamError as from read(); but the fast path does not look at lines without figures and statuses."""
    reader, data = Reader(str(path)), content(path)
    try:
        shape, values = _hurried(reader, data)
        if reader.report.start and reader.report.ended:
            reader.report.checks = shape.checks
            verdict.conclude(reader.report)
            return reader.report, shape.figures, shape.means(values), True
    except (IndexError, *WRONG):
        pass
    report = read(path, data)
    measured = figures(report)
    return report, tuple(measured), [sum(v) / len(v) for v in measured.values()], False
