"""Hundreds or thousands of reports in one table: by model, firmware and microcode, with outliers among alike machines.

A machine is an outlier in a figure when its value stands further from the median of its group than MADS times the group's
median absolute deviation (made comparable to a standard deviation), and by more than a hundredth of the median. Groups of
fewer than GROUP machines have no outliers.
"""
import csv
import io
import json
import os
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

from .compare import figures
from .forms import number
from .stream import STATUSES, StreamError, read

MADS = 6.0
GROUP = 5


def _digest(path):
    """What merging needs of one report: small, since thousands are held at once."""
    try:
        r = read(path, evidence=False)
    except (OSError, StreamError) as e:
        return {"path": str(path), "broken": str(e)}
    return {
        "path": str(path),
        "serial": r.serial,
        "model": " / ".join(x for x in r.model if x),
        "firmware": ", ".join(r.software("bios")),
        "microcode": ", ".join(r.software("microcode")),
        "virtual": bool(r.virtual),
        "result": r.result,
        "begin": r.begin,
        "counts": r.counts,
        "bad": [(c.id, c.status) for c in r.checks if c.status in ("FAIL", "ERROR", "WARN")],
        "figures": {" | ".join(x for x in k if x): sum(v) / len(v) for k, v in figures(r).items()},
    }


def find(paths):
    """Report streams in files and folders, each once, sorted."""
    out = set()
    for p in map(Path, paths):
        out.update(p.rglob("*.jsonl") if p.is_dir() else [p])
    return sorted(out)


def gather(paths, jobs=None):
    files = find(paths)
    jobs = jobs or os.cpu_count() or 1
    if len(files) < 32 or jobs == 1:
        return [_digest(p) for p in files]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(_digest, files, chunksize=32))


def outliers(members):
    """[(report, figure, value, median, how many deviations)] of one group, worst first."""
    columns = defaultdict(list)
    for m in members:
        for k, v in m["figures"].items():
            columns[k].append((v, m))
    out = []
    for k, column in columns.items():
        if len(column) < GROUP:
            continue
        middle = median(v for v, _ in column)
        deviation = 1.4826 * median(abs(v - middle) for v, _ in column)
        for v, m in column:
            off = abs(v - middle)
            if off > 0.01 * abs(middle) and off > MADS * deviation:
                out.append((m, k, v, middle, off / deviation if deviation else float("inf")))
    out.sort(key=lambda o: -o[4])
    return out


def groups(digests):
    """{(model, firmware, microcode): members} of the readable ones, largest group first."""
    by = defaultdict(list)
    for d in digests:
        if "broken" not in d:
            by[d["model"], d["firmware"], d["microcode"]].append(d)
    return dict(sorted(by.items(), key=lambda g: -len(g[1])))


def alike(digests):
    """Outliers are looked for among machines of one model, whatever their firmware."""
    by = defaultdict(list)
    for d in digests:
        if "broken" not in d:
            by[d["model"]].append(d)
    return by


def summary(digests):
    table = []
    for (model, firmware, microcode), members in groups(digests).items():
        bad = Counter(check for m in members for check, status in m["bad"] if status != "WARN")
        table.append({"model": model, "firmware": firmware, "microcode": microcode, "reports": len(members),
                      "machines": len({m["serial"] for m in members}), "virtual": any(m["virtual"] for m in members),
                      "results": dict(Counter(m["result"] for m in members)),
                      "counts": {s: sum(m["counts"][s] for m in members) for s in STATUSES},
                      "failing": bad.most_common(10)})
    odd = [{"model": model, "path": m["path"], "serial": m["serial"], "firmware": m["firmware"],
            "microcode": m["microcode"], "figure": k, "value": v, "median": middle,
            "deviations": None if far == float("inf") else far}
           for model, members in alike(digests).items() for m, k, v, middle, far in outliers(members)]
    return {"reports": len(digests), "groups": table, "outliers": odd,
            "unreadable": [{"path": d["path"], "why": d["broken"]} for d in digests if "broken" in d]}


def text(s):
    out = [f"{s['reports']} reports, {len(s['groups'])} combinations of model, firmware and microcode"]
    for g in s["groups"]:
        results = ", ".join(f"{n} {r}" for r, n in g["results"].items())
        out += ["", f"{g['model']}{' (virtual silicon)' if g['virtual'] else ''}",
                f"  firmware {g['firmware']}, microcode {g['microcode']}",
                f"  {g['reports']} reports of {g['machines']} machines: {results}"]
        out += [f"    {n:5} x {check}" for check, n in g["failing"]]
    out += ["", f"{len(s['outliers'])} outliers among alike machines" + (":" if s["outliers"] else "")]
    for o in s["outliers"][:200]:
        far = "alone" if o["deviations"] is None else f"{o['deviations']:.0f} deviations"
        out.append(f"  {o['serial'] or o['path']}: {o['figure']}: {number(o['value'])}, median {number(o['median'])} ({far})")
    if len(s["outliers"]) > 200:
        out.append(f"  and {len(s['outliers']) - 200} more: --format json has all")
    out += [f"unreadable: {u['why']}" for u in s["unreadable"]]
    return "\n".join(out) + "\n"


def as_json(s):
    return json.dumps(s, indent=1, ensure_ascii=False) + "\n"


def as_csv(digests):
    """One line a report, for a spreadsheet."""
    out = io.StringIO()
    w = csv.writer(out)
    w.writerow(["path", "serial", "model", "firmware", "microcode", "result", "begin", *STATUSES])
    for d in digests:
        if "broken" in d:
            w.writerow([d["path"], "", "", "", "", "UNREADABLE", d["broken"]])
        else:
            w.writerow([d["path"], d["serial"], d["model"], d["firmware"], d["microcode"], d["result"], d["begin"],
                        *(d["counts"][s] for s in STATUSES)])
    return out.getvalue()
