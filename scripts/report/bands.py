# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Bands: the ranges of figures of good machines of one model, learned from reports.

A figure is a measurement of a check at a kind of place: "domain=3" and "domain=0" are of the kind "domain=#" (core/base/place.h).
Only figures that mean the same on every machine are learned: values in ratio or %, and values in bytes with two bounds above 0, divided
by the middle of the bounds. Rates, clocks, counts and latencies depend on memory, cores and clocks of the machine.

Centre is the median over all values, with the same weight for each machine; spread is the median absolute deviation times 1.4826 (for a
normal distribution the standard deviation). The band is the centre plus and minus deviations(machines) spreads, at least FLOOR of the
centre or of 1 (100 %), and of bytes at least STEPS upscaling factors.

A figure scatters if its band is not tighter than the bounds of its check or, without bounds, reaches further than LOOSE of its centre or
of 1 (100 %). If more than one machine in RARE is outside of its own band, or the machines are two narrow groups (stats.narrow), they are a
mixture: no bands are made of one unless asked for, and then none of such a figure. docs/tolerances.md, "Bands of good machines", has the reasons
of these numbers; docs/report.md has the format of the file, which core/bands reads.
"""
from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import median

from . import figures_file, identity, place, stats
from .source import stamped
from .stream import WRONG, StreamError

VERSION = 1
MACHINES = 5
FLOOR = 0.01
STEPS = 2
LOOSE = 0.25
RARE = 10
# (machines, k): of a like machine one figure in 10,000 is outside of centre +- k spreads, with at least so many machines.
DEVIATIONS = ((5, 143), (6, 42), (8, 22.5), (10, 15), (12, 12), (15, 10), (20, 7.5), (30, 6), (50, 5), (100, 4.5))
LONGEST = 127  # characters of a text in core/bands
LARGEST = 1e6
EXCLUDES = "smallest defect that this run would have found"  # core/check/check.h: of the run, not of the machine

_HEX = re.compile(r"0x[0-9a-f]{1,16}")


@dataclass
class Machine:
    """The machine of a report."""

    path: str
    kind: dict  # equal on all machines of a file: name -> text
    name: str  # of identity.machines
    factor: float  # bytes that a count of its monitors is worth
    assay: str = ""  # the version that measured


@dataclass
class Figure:
    values: dict = field(default_factory=lambda: defaultdict(list))  # machine's key -> values
    lows: list = field(default_factory=list)
    highs: list = field(default_factory=list)
    step: float = 0.0  # what one count makes of a value, at most


@dataclass
class Band:
    centre: float
    spread: float
    low: float
    high: float
    machines: int
    values: int
    lowest: float
    highest: float


def deviations(machines):
    return [k for least, k in DEVIATIONS if machines >= least][-1]


# --- reports


def _plain(text):
    """A text of one line in ASCII."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)[:LONGEST]


def _machine(report):
    """StreamError: the report does not identify its machine, or the machine is not good."""
    path = report.path
    if report.contradictions:
        raise StreamError(f"{path}: the report contradicts itself: {report.contradictions[0]}")
    if not report.ended or report.result not in ("PASS", "WARN"):
        bad = [c.id for c in report.checks if c.status in ("FAIL", "ERROR")]
        why = "is incomplete" if not report.ended else f"ended with {report.result}"
        named = f" ({', '.join(bad[:5])}{' and more' if len(bad) > 5 else ''})" if bad else ""
        raise StreamError(f"{path}: the run {why}{named}: only complete runs without FAIL and ERROR calibrate")
    bad = [c.id for c in report.checks if c.status in ("FAIL", "ERROR")]
    if bad:
        raise StreamError(f"{path}: {', '.join(bad[:5])}: only complete runs without FAIL and ERROR calibrate")
    cpus = report.hardware("CPU")
    family, model, stepping = report.signature
    microcode = report.software("microcode")
    if family is None:
        raise StreamError(f"{path}: family, model and stepping of the packages are missing or differ")
    if len(microcode) != 1:
        raise StreamError(f"{path}: the processors have {len(microcode)} microcode revisions")
    if not report.identity:
        raise StreamError(f"{path}: the machine has no serial number and cannot be identified")
    kind = {"virtual-silicon": report.virtual or "no",
            "vendor": cpus[0].get("manufacturer", ""), "family": f"{family:#x}", "model": f"{model:#x}", "stepping": str(stepping),
            "microcode": microcode[0], "nodes-per-package": str(report.dut.get("metadata", {}).get("numaNodesPerPackage", ""))}
    assay = report.software("assay")[0]
    if not assay or not all(kind.values()) or not _HEX.fullmatch(microcode[0]):
        raise StreamError(f"{path}: Assay's version, the vendor, the microcode or numaNodesPerPackage is missing")
    factor = report.dut.get("metadata", {}).get("rdt", {}).get("upscalingFactorBytes", 0)
    return Machine(path, {k: _plain(v) for k, v in kind.items()}, "", float(factor), assay)


def _load(path, stamp):
    report = figures_file.report(path, stamp)
    try:
        return _machine(report), report
    except (*WRONG, IndexError) as e:
        raise StreamError(f"{path}: testRunStart does not identify the machine ({type(e).__name__}: {e})") from e


def _add(figures, machine, report):
    for c in report.checks:
        if c.status not in ("PASS", "WARN"):
            continue
        for m in c.measurements:
            value, low, high = _comparable(m)
            if value is None:
                continue
            f = figures.setdefault((f"{c.id}@{c.method}" if c.method else c.id, m.name, place.kind(m.where), m.unit), Figure())
            f.values[machine.name].append(value)
            if low is not None:
                f.lows.append(low)
            if high is not None:
                f.highs.append(high)
            if m.unit == "bytes":
                f.step = max(f.step, machine.factor / ((m.low + m.high) / 2))


def _comparable(m):
    """(value, lower bound, upper bound) that mean the same on every machine; value None: not comparable."""
    nothing = None, None, None
    if m.name == EXCLUDES or isinstance(m.value, bool) or not isinstance(m.value, (int, float)):
        return nothing
    if m.unit in ("ratio", "%"):
        return (m.value, m.low, m.high) if abs(m.value) < LARGEST else nothing
    if m.unit != "bytes" or m.low is None or m.high is None or not 0 < m.low < m.high:
        return nothing
    middle = (m.low + m.high) / 2
    if not math.isfinite(middle) or not abs(m.value / middle) < LARGEST:
        return nothing
    return m.value / middle, m.low / middle, m.high / middle


# --- figures


def _weighted_median(pairs):
    """The value with half of the weight on either side; pairs: (value, weight)."""
    pairs = sorted(pairs)
    half, so_far = sum(w for _, w in pairs) / 2, 0.0
    for i, (value, weight) in enumerate(pairs):
        so_far += weight
        if math.isclose(so_far, half) and i + 1 < len(pairs):
            return (value + pairs[i + 1][0]) / 2
        if so_far > half:
            return value
    return pairs[-1][0]


def _whole(unit):
    return 100 if unit == "%" else 1


def band(figure, unit, machines=0, sound=False):
    """The Band of a Figure; machines: as if from so many. sound: no value is wrong, so all are inside, by twice the least width, and a side
    without a bound is LOOSE."""
    pairs = [(v, 1 / len(values)) for values in figure.values.values() for v in values]
    centre = _weighted_median(pairs)
    spread = 1.4826 * _weighted_median([(abs(v - centre), w) for v, w in pairs])
    least = max(FLOOR * max(_whole(unit), abs(centre)), STEPS * figure.step)
    reach = max(deviations(machines or len(figure.values)) * spread, least)
    values = [v for v, _ in pairs]
    low, high = centre - reach, centre + reach
    if sound:
        loose = LOOSE * max(_whole(unit), abs(centre))
        low = min(low, min(values) - 2 * least, centre if figure.lows else centre - loose)
        high = max(high, max(values) + 2 * least, centre if figure.highs else centre + loose)
    return Band(centre, spread, low, high, len(figure.values), len(values), min(values), max(values))


def _tight(figure, unit, b):
    """Whether the band says more than the check's own bounds do."""
    if not figure.lows and not figure.highs:
        return max(b.high - b.centre, b.centre - b.low) <= LOOSE * max(_whole(unit), abs(b.centre))
    return bool(figure.lows and b.low > median(figure.lows)) or bool(figure.highs and b.high < median(figure.highs))


def _apart(figure, unit, b, figures):
    """Names of the machines that make this figure of `figures` a mixture."""
    outside = {name for name, values in figure.values.items() if _beyond(values, b)}
    if not outside:
        by = sorted((median(values), name) for name, values in figure.values.items())
        below, width, distance = stats.gap([v for v, _ in by])
        if distance > FLOOR * max(_whole(unit), abs(b.centre)) and width <= stats.narrow(len(by), figures) * distance:
            outside = {name for _, name in (by[:below] if 2 * below <= len(by) else by[below:])}
    return outside if len(outside) > max(1, b.machines // RARE) else set()


def _scatters(figure, unit, b):
    """Why a band is useless, or ""."""
    if not _tight(figure, unit, b):
        enough = [n for n, _ in DEVIATIONS if n > b.machines and _tight(figure, unit, band(figure, unit, n))]
        return f"scatters, a band needs {enough[0]} machines" if enough else "scatters"
    return ""


# --- the whole


def _problems(paths):
    """((machine, report) of each good one, a sentence for each that cannot calibrate)"""
    good, bad = [], []
    for path, stamp in sorted(stamped(paths).items()):
        try:
            good.append(_load(path, stamp))
        except (OSError, StreamError) as e:
            bad.append(str(e))
    names = identity.machines([(r.identity, r.label, r.begin, r.end, r.path) for _, r in good])
    for (m, _), name in zip(good, names):
        m.name = _plain(name)
    return good, bad


def _differences(machines):
    """A sentence for each thing that is not the same on all machines."""
    for name in machines[0].kind if machines else ():
        by = defaultdict(list)
        for m in machines:
            if m.name not in by[m.kind[name]]:
                by[m.kind[name]].append(m.name)
        if len(by) > 1:
            listed = "; ".join(f"{value}: {', '.join(who[:10])}{' and more' if len(who) > 10 else ''}" for value, who in sorted(by.items()))
            yield f"the machines differ in {name} ({listed}): each kind is calibrated by itself"


def _mixtures(apart):
    """A sentence for each set of machines that are apart in figures. apart: {figure: names}."""
    by = defaultdict(list)
    for key, names in apart.items():
        by[frozenset(names)].append(key)
    for names, keys in sorted(by.items(), key=lambda item: (-len(item[1]), sorted(item[0]))):
        listed = "; ".join(map(named, keys[:3])) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
        yield f"mixture: {', '.join(sorted(names))} are apart from the other machines in {listed}"


def calibrate(paths, sound=False, mixed=False):
    """(text of the bands file, [(figure, why)] without a band, [sentence] about machines that stand out). sound: as of band(); mixed: also of
    a mixture. StreamError: a line for each reason why there are no bands."""
    good, bad = _problems(paths)
    machines = [m for m, _ in good]
    bad += _differences(machines)
    known = {m.name for m in machines}
    if len(known) < MACHINES and not bad:
        bad.append(f"{len(good)} reports of {len(known)} machines: at least {MACHINES} machines are needed")
    if bad:
        raise StreamError("\n".join(bad))
    figures = {}
    for m, report in good:
        _add(figures, m, report)
    kept, left, odd, apart = {}, [], [], {}
    named_so = Counter(key[:3] for key in figures)
    for key, figure in sorted(figures.items()):
        b, why = _judge(key, figure, sound) if named_so[key[:3]] == 1 else (None, "measured in several units")
        if b and not sound and (names := _apart(figure, key[3], b, len(figures))):
            apart[key], why = names, f"a mixture: {', '.join(sorted(names))} are apart"
        if why:
            left.append((key, why))
        else:
            kept[key] = b
            odd += [_stands_out(key, b, k, v) for k, some in figure.values.items() for v in _beyond(some, b)]
    if apart and not mixed:
        raise StreamError("\n".join([*_mixtures(apart), "no bands are made of a mixture: leave these machines out, or use --mixed"]))
    if not kept:
        raise StreamError(f"none of {len(figures)} figures is alike on these machines: no band is written")
    return _text({"assay": _plain(", ".join(sorted({m.assay for m in machines})))} | machines[0].kind, known, kept, left), left, odd


def holds(text, paths):
    """Bands (the text of a file) that machines of another microcode were shown to be in: the same text with that microcode too. StreamError: a line
    for each figure of which more than one machine in RARE is outside, or another reason."""
    good, bad = _problems(paths)
    machines, known = [m for m, _ in good], {m.name for m, _ in good}
    bad += _differences(machines)
    header = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and "\t" not in line and not line.startswith(("#", "serial")))
    bad += [f"{name}: the bands are for {header.get(name)}, these machines have {value}" for name, value in (machines[0].kind if machines else {}).items()
            if name != "microcode" and header.get(name) != value]
    if len(known) < MACHINES and not bad:
        bad.append(f"{len(known)} machines: at least {MACHINES} are needed")
    figures = {}
    for m, report in good:
        _add(figures, m, report)
    for key, low, high in _ranges(text):
        values = figures[key].values if key in figures else {}
        outside = sorted(name for name, some in values.items() if any(not low <= v <= high for v in some))
        if len(outside) > max(1, len(values) // RARE):
            bad.append(f"{named(key)}: outside of {_number(low)} to {_number(high)} on {', '.join(outside)}")
        elif len(values) < MACHINES:
            bad.append(f"{named(key)}: measured on {len(values)} machines")
    if bad:
        raise StreamError("\n".join(bad))
    old, new = header["microcode"], machines[0].kind["microcode"]
    return text if new in old.split() else text.replace(f"\nmicrocode: {old}\n", f"\nmicrocode: {old} {new}\n", 1)


def _ranges(text):
    """(key, from, to) of each figure of a file; StreamError where it is none."""
    try:
        if not text.startswith(f"assay-bands {VERSION}\n"):
            raise ValueError("its first line is another")
        for line in text.splitlines():
            if "\t" in line:
                check, name, where, unit, _, _, low, high, *_ = line.split("\t")
                yield (check, name, where, unit), float(low), float(high)
    except ValueError as e:
        raise StreamError(f"no file of bands of this version: {e}") from e


def _judge(key, figure, sound):
    """(Band or None, why there is none)"""
    if not key[0] or not key[1]:
        return None, "no name"
    if any(c < " " or c > "~" for text in key for c in text) or max(map(len, key)) > LONGEST:
        return None, "the name is too long or not ASCII"
    if len(figure.values) < MACHINES:
        return None, f"measured on {len(figure.values)} machines"
    if sound and not figure.lows and not figure.highs:
        return None, "not judged"
    b = band(figure, key[3], sound=sound)
    why = _scatters(figure, key[3], b)
    return b, why and f"{why}: {_number(b.centre)}, spread {_number(b.spread)}, {_number(b.lowest)} to {_number(b.highest)}"


def _beyond(values, b):
    """[the value that is furthest outside], or []."""
    out = [v for v in values if not b.low <= v <= b.high]
    return [max(out, key=lambda v: abs(v - b.centre))] if out else []


def _stands_out(key, b, machine, value):
    return f"{machine}: {named(key)}: {_number(value)}, outside of {_number(b.low)} to {_number(b.high)}"


def named(key):
    return ", ".join(x for x in (f"{key[0]}: {key[1]}", place.words(key[2])) if x)


def _number(v):
    return f"{v:.6f}"


def _text(kind, names, kept, left):
    lines = [f"assay-bands {VERSION}"]
    lines += [f"{name}: {value}" for name, value in kind.items()]
    lines += [f"machines: {len(names)}"] + [f"serial: {n}" for n in sorted(names)]
    lines.append("# check, measurement, place, unit, centre, spread, from, to, machines, values, lowest, highest")
    lines += ["\t".join((*key, _number(b.centre), _number(b.spread), _number(b.low), _number(b.high), str(b.machines),
                         str(b.values), _number(b.lowest), _number(b.highest))) for key, b in kept.items()]
    lines += [f"# left out: {_plain(named(key))}: {why}" for key, why in left]
    lines.append(f"end: {len(kept)}")
    return "\n".join(lines) + "\n"


def said(text, left, odd):
    """Messages for the user."""
    count = text.rsplit("end: ", 1)[1].strip()
    out = [f"{count} figures have a band, {len(left)} have none; {len(odd)} values of these machines are outside of their bands"]
    out += [f"left out: {named(key)}: {why}" for key, why in left]
    out += [f"stands out: {o}" for o in odd]
    return "\n".join(out) + "\n"
