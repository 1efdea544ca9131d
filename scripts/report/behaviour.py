# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How parts behave where no document says it: the figures of pqr.cost and qm.behaviour, and which rules the processors of a part break."""
from __future__ import annotations

from collections import defaultdict
from statistics import median

FACTS = ("pqr.cost", "qm.behaviour")  # core/checks/protocol: records.c, behaviour.c
BROKEN = "processors that break the rule"  # core/domain/rule.h


def facts(report):
    """{(fact, unit): value} of a report. A rule that was asked several times has its worst answer."""
    out = {}
    for c in report.checks:
        for m in c.measurements:
            if c.id in FACTS:
                out[m.name, m.unit] = m.value
            elif m.name == BROKEN:
                key = f"{c.id}: {m.name}", ""
                out[key] = max(m.value, out.get(key, 0))
    return out


def part(report):
    """A part as the table has it: processor, signature, microcode, and whether it is virtual silicon."""
    f = report.fields
    signature = "/".join("?" if n is None else f"{n:x}" for n in report.signature)
    return f"{f['processor'] or 'unknown processor'}, {signature}, microcode {' '.join(f['microcode']) or '?'}" + (", virtual silicon" if report.virtual else "")


def _cell(values):
    if not values:
        return "-"
    low, high = min(values), max(values)
    return f"{median(values):.6g}" + (f" ({low:.6g} .. {high:.6g})" if low < high else "")


def text(reports):
    """A row a fact, a column a part: the median of its reports, the least and the greatest."""
    parts, rows = defaultdict(int), {}
    for r in reports:
        name = part(r)
        parts[name] += 1
        for fact, value in facts(r).items():
            rows.setdefault(fact, defaultdict(list))[name].append(value)
    heads = [f"[{i}]" for i in range(1, len(parts) + 1)]
    table = [["", *heads], *([", ".join(filter(None, fact)), *(_cell(by[p]) for p in parts)] for fact, by in rows.items())]
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = [f"{head} {name}: {n} report{'s' * (n > 1)}" for head, (name, n) in zip(heads, parts.items())]
    lines += ["", *("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))) for row in table)]
    return "\n".join(lines) + "\n"
