# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Reports as rows: NDJSON and CSV for databases and spreadsheets, the text format of Prometheus for node_exporter's textfile collector;
what -count counted as `perf stat` and `pcm -csv` print it.

A row is one figure: a measurement of a check at a place, or a point of a series with its x. A check without a figure has one row,
in which figure and value are empty, so that every check of a run is present with its verdict. Each row names machine, firmware and
microcode: rows of many reports stand in one table.
"""
from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from datetime import datetime, timedelta

from . import identity, safe
from .formats import number, seconds
from .model import EXIT, STATUSES, StreamError, is_number

COLUMNS = ("serial", "machine", "board", "processor", "firmware", "microcode", "assay", "virtual", "begin", "check", "round", "verdict", "figure",
           "place", "x", "x_name", "x_unit", "value", "unit", "low", "high", "within")


def machine(r):
    """Columns that identify the machine and its software; texts, except for virtual."""
    cpus = r.hardware("CPU")
    return {"serial": r.serial, "machine": r.machine, "board": r.board, "processor": cpus[0].get("name", "") if cpus else "",
            "firmware": ", ".join(r.software("bios")), "microcode": ", ".join(r.software("microcode")),
            "assay": ", ".join(r.software("assay")), "virtual": bool(r.virtual)}


def _figures(c):
    for m in c.measurements:
        judged = (m.low is not None or m.high is not None) and not isinstance(m.value, (bool, str))
        yield {"figure": m.name, "place": m.place, "value": m.value, "unit": m.unit, "low": m.low, "high": m.high,
               "within": not m.out_of_bounds if judged else None}
    for s in c.series:
        for x, value in s.points:
            yield {"figure": s.name, "place": s.place, "x": x, "x_name": s.x_name or "index", "x_unit": s.x_unit, "value": value, "unit": s.unit}


def rows(r):
    """Dictionaries with all of COLUMNS; None if there is no such value."""
    nothing = dict.fromkeys(COLUMNS) | machine(r) | {"begin": r.begin, "figure": "", "place": "", "unit": ""}
    for c in r.checks:
        of_check = nothing | {"check": c.id, "round": c.round, "verdict": verdict(c)}
        some = False
        for figure in _figures(c):
            some = True
            yield of_check | figure
        if not some:
            yield of_check


def verdict(c):
    return "DONE" if c.done else c.status


def ndjson(reports):
    """One JSON object on each line, in ASCII."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for r in reports for row in rows(r))


def as_csv(reports):
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    w.writerow(COLUMNS)
    for r in reports:
        for row in rows(r):
            w.writerow([_cell(row[c]) for c in COLUMNS])
    return out.getvalue()


def _cell(v):
    if v is None:
        return ""
    return str(v).lower() if isinstance(v, bool) else safe.cell(v)


# name -> HELP; all are gauges of the last run
_METRICS = {
    "assay_run_info": "The machine, its software and the version of Assay in the last run.",
    "assay_run_begin_timestamp_seconds": "Begin of the last run.",
    "assay_run_duration_seconds": "Duration of the last run.",
    "assay_run_result": "1 for the result of the last run.",
    "assay_run_checks": "Checks of the last run by status.",
    "assay_check_status": "1 for the status of each check.",
    "assay_measurement": "What a check measured, in the unit of the label.",
    "assay_measurement_low_bound": "The least value that the check accepts.",
    "assay_measurement_high_bound": "The greatest value that the check accepts.",
    "assay_counted": "What -count counted, in its last window.",
}


def _label(text):
    return safe.line(str(text)).replace("\\", "\\\\").replace('"', '\\"')


def sample(name, labels, value):
    """A line of the text format."""
    return name + "{" + ",".join(f'{k}="{_label(v)}"' for k, v in labels.items()) + "} " + repr(+value)


def _numbered(labels, seen):
    """A figure that a check measures several times at one place gets a number, since labels of samples must differ."""
    key = tuple(labels.values())
    seen[key] += 1
    return labels | {"repetition": seen[key]}


def _epoch(stamp):
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return None


def _samples(r, name):
    """(metric, labels, value) of one report. name: the machine's label."""
    who = {"serial": name}
    identity = machine(r)
    yield "assay_run_info", who | {k: identity[k] for k in ("machine", "processor", "firmware", "microcode", "assay")} | {
        "virtual": str(identity["virtual"]).lower()}, 1
    begin = _epoch(r.begin)
    if begin is not None:
        yield "assay_run_begin_timestamp_seconds", who, begin
    if r.end:
        yield "assay_run_duration_seconds", who, seconds(r.begin, r.end)
    for result in EXIT:
        yield "assay_run_result", who | {"result": result}, int(r.result == result)
    for status in STATUSES:
        yield "assay_run_checks", who | {"status": status}, r.counts[status]
    seen = Counter()
    for c in r.checks:
        of_check = who | {"check": c.id, "round": c.round}
        yield "assay_check_status", _numbered(of_check | {"status": verdict(c)}, seen), 1
        for m in c.measurements:
            if isinstance(m.value, str):
                continue
            labels = _numbered(of_check | {"figure": m.name, "place": m.place, "unit": m.unit}, seen)
            for name, value in (("", m.value), ("_low_bound", m.low), ("_high_bound", m.high)):
                if value is not None:
                    yield "assay_measurement" + name, labels, value
        for s in c.series if c.done else ():
            if s.points and not isinstance(s.points[-1][1], str):
                yield "assay_counted", _numbered(who | {"event": s.name, "place": s.place, "unit": s.unit}, seen), s.points[-1][1]


def prom(reports, prefix=""):
    """Prometheus' text format, version 0.0.4, of metrics whose names begin with prefix. At most one report for each machine."""
    machines, by = {}, {name: [] for name in _METRICS}
    names = identity.machines([(r.identity, r.label, r.begin, r.end, r.path) for r in reports])
    for r, machine_ in zip(reports, names):
        if machine_ in machines:
            raise StreamError(f"{r.path}: same machine as {machines[machine_]} ('{machine_}'): give one of them")
        machines[machine_] = r.path
        for name, labels, value in _samples(r, machine_):
            if name.startswith(prefix):
                by[name].append(sample(name, labels, value))
    out = []
    for name, samples in by.items():
        if samples:
            out += [f"# HELP {name} {_METRICS[name]}", f"# TYPE {name} gauge", *samples]
    return "\n".join(out) + "\n"


_INDEX = re.compile("[0-9]{1,9}")


def _totals(reports):
    """(package, boxes, series, its counts or None): each event and metric of -count by package."""
    if len(reports) != 1:
        raise StreamError("this form has no machine: give one report")
    for c in (c for c in reports[0].checks if c.done):
        counts = {(m.name, m.location): m for m in c.measurements if m.is_number}
        some = {}
        for s in c.series:
            where = dict(part.split("=", 1) for part in s.location.split(",") if "=" in part)
            package, boxes = where.get("package", ""), where.get("all", "1")
            if not s.points or not is_number(s.points[-1][1]) or not all(map(_INDEX.fullmatch, (package, boxes))) or ("all" in where and "die" in where):
                continue
            if "all" in where:  # after the boxes that it sums up
                some[s.name, package] = int(boxes), s
            else:
                some.setdefault((s.name, package), (1, s))
        for (name, package), (boxes, s) in some.items():
            yield int(package), boxes, s, counts.get((name, s.location))


def perf_csv(reports):
    """As `perf stat -a --per-socket -x,` prints it (man perf-stat, CSV FORMAT): socket, boxes, counts, unit, event, ns, percent of the time,
    rate, its unit. A metric has the last two alone."""
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    for package, boxes, s, m in _totals(reports):
        of_event = [number(m.value), "", s.name, round((m.seconds or 0) * 1e9), f"{100 * (s.share or 0):.2f}"] if m else [""] * 5
        w.writerow([f"S{package}", boxes, *map(safe.cell, of_event), number(s.points[-1][1]), safe.cell(s.unit if m else f"{s.unit} {s.name}")])
    return out.getvalue()


def perf_csv_interval(reports):
    """The same as `perf stat -I` prints it: each window of -repeat or -top, its end in seconds first. A window's counts are those of the last
    one by the rates of both."""
    out = []
    for package, boxes, s, m in _totals(reports):
        for end, rate in s.points:
            if not is_number(rate):
                continue
            last = s.points[-1][1]
            counts = m.value * rate / last if m and last else 0
            of_event = [number(counts), "", s.name, round((m.seconds or 0) * 1e9), f"{100 * (s.share or 0):.2f}"] if m else [""] * 5
            out.append((end, [f"{end:.9f}", f"S{package}", boxes, *map(safe.cell, of_event), number(rate),
                              safe.cell(s.unit if m else f"{s.unit} {s.name}")]))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(row for _, row in sorted(out, key=lambda line: line[0]))
    return text.getvalue()


# Names that `pcm -csv` has for our metrics: of the bytes of an interval in GB and of a share, by the system and by socket; then one column a
# socket. intel/pcm src/pcm.cpp, print_csv_header().
_PCM_GB = {"mem-read": "READ", "mem-write": "WRITE", "hbm-read": "HBM_READ", "hbm-write": "HBM_WRITE"}
_PCM_LINKS = {"upi-in": "TotalUPIin", "upi-out": "TotalUPIout"}
_PCM_EACH = {"llc-miss-latency": "LLCRDMISSLAT (ns)", "uncore-clock": "UncFREQ (Ghz)"}


def pcm_csv(reports):
    """As `pcm -csv` prints it: two lines of heads, and a line for each window of -repeat or -top."""
    windows, heads, first = {}, {}, reports[0].begin

    def put(end, head, value, order):
        heads.setdefault(head, order)
        line = windows.setdefault(end, {})
        line[head] = line.get(head, 0) + value

    for package, _, s, m in _totals(reports):
        before = 0
        for end, value in s.points:
            if m or not is_number(value):
                continue
            if s.name in _PCM_GB:
                for scope, order in (("System", 0), (f"Socket {package}", 1 + package)):
                    put(end, (scope, _PCM_GB[s.name]), value * (end - before) / 1e9, order)
            elif s.name in _PCM_LINKS:
                put(end, ("System", _PCM_LINKS[s.name]), value * (end - before), 0)
            elif s.name == "mem-local":
                put(end, (f"Socket {package}", "LOCAL"), value, 1 + package)
            elif s.name in _PCM_EACH:
                put(end, (_PCM_EACH[s.name], f"SKT{package}"), value, 1e6)
            before = end
    columns = sorted(heads, key=lambda head: (heads[head], head[0]))
    out = io.StringIO()
    w = csv.writer(out, lineterminator=",\n")
    w.writerow(["System", "System", *(head for head, _ in columns)])
    w.writerow(["Date", "Time", *(name for _, name in columns)])
    for end, line in sorted(windows.items()):
        try:
            at = datetime.fromisoformat(first.replace("Z", "+00:00")) + timedelta(seconds=end)
        except (ValueError, OverflowError) as e:
            raise StreamError(f"{reports[0].path}: {end:g} s after testRunStart's timestamp, {first!r}, is no time") from e
        w.writerow([f"{at:%Y-%m-%d}", f"{at:%H:%M:%S}.{at.microsecond // 1000:03}", *(f"{line[c]:.4g}" if c in line else "" for c in columns)])
    return out.getvalue()


def perf_json(reports):
    """The same as `perf stat -j` prints it: an object a line."""
    out = []
    for package, boxes, s, m in _totals(reports):
        of_event = {"counter-value": f"{m.value:.6f}", "unit": "", "event": s.name, "event-runtime": round((m.seconds or 0) * 1e9),
                    "pcnt-running": round(100 * (s.share or 0), 2)} if m else {}
        out.append(json.dumps({"socket": f"S{package}", "aggregate-number": boxes, **of_event, "metric-value": s.points[-1][1],
                               "metric-unit": s.unit if m else f"{s.unit} {s.name}"}))
    return "".join(line + "\n" for line in out)
