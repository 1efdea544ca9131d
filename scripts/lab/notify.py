# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Output of a lab: `assay-lab status` and its page, JUnit and Prometheus files of each machine's last run, and a hook."""
from __future__ import annotations

import json
import subprocess
import time

from report import export, formats, html, safe

from .folder import age, order, read_json, utc, write_atomically

HOOK_SECONDS = 60


def as_json(value):
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def running(lab, said, now):
    write_atomically(lab / "state" / "running.json", as_json({"at": now, "running": said}))


def filed(lab, say, record, report):
    """Updates the files of the machine for a run that is filed next."""
    machine = record["machine"]
    path = lab / "reports" / machine / "last.json"
    before = read_json(path, record)
    last = record if before["time"] == record["time"] else max(before, record, key=order)
    write_atomically(path, as_json(last))
    if last["time"] == record["time"]:
        write_atomically(lab / "junit" / f"{machine}.xml", formats.junit(report))
        try:
            metrics = export.prom([report], "" if lab.yes("prometheus-figures") else "assay_run_")
        except (ValueError, OverflowError) as e:
            say(safe.line(f"{machine}: no metrics: {e}"))
        else:
            write_atomically(lab / "prometheus" / f"{machine}.prom", metrics + _own_metrics(record, report))


def told(lab, say, record, folder):
    """Logs a run that was filed, and calls the hook."""
    say(safe.line(f"{record['machine']}-{record['time']}: {sentence(record)}"))
    hook(lab, say, record["result"], record["machine"], folder)


def _own_metrics(record, report):
    """Metrics of the lab about the run."""
    who = {"serial": report.label}
    out = ""
    for name, help_, value in (("assay_lab_arrived_timestamp_seconds", "When the last file of the last run arrived.", record["arrived"]),
                               ("assay_lab_whole", "1 where the last run arrived whole.", int(record["whole"])),
                               ("assay_lab_regressions", "Regressions of the last run against the machine's baseline.", record["regressions"])):
        out += f"# HELP {name} {help_}\n# TYPE {name} gauge\n{export.sample(name, who, value)}\n"
    return out


def hook(lab, say, word, machine, folder):
    """Calls `hook` of lab.conf with a verdict or QUARANTINE, the machine and the folder. A failure is logged."""
    if not lab.options["hook"]:
        return
    command = [lab.options["hook"], word, machine, str(folder)]
    try:
        p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=HOOK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        say(safe.line(f"hook: {e}"))
        return
    if p.returncode:
        say(safe.line(f"hook: exit status {p.returncode}: {(p.stderr or p.stdout).strip()[:200]}"))


def _waived(record):
    n = len(record.get("waived", ()))
    return f"{n} finding{'s' * (n > 1)} waived" if n else ""


def sentence(record):
    """One line about a run."""
    words = [record["result"] + ("" if record["whole"] else f", stopped after {record['checks']} checks")]
    words += [w for w in (record["cause"], record["left"], _waived(record)) if w]
    if record["baseline"]:
        words.append(f"{record['regressions']} regressions, {record['changed'] - record['regressions']} other changes since {record['baseline']}")
    return "; ".join(words)


def table(lab, now=None):
    """For each machine its last run and its current one."""
    now = time.time() if now is None else now
    state = read_json(lab / "state" / "running.json", {"at": 0, "running": []})
    rows = {}
    for machine in lab.machines():
        last = read_json(lab / "reports" / machine / "last.json", None)
        if last:
            last["is-baseline"] = last["time"] == lab.baseline(machine)
            rows[machine] = {"machine": machine, "last": last, "now": None}
    for run in state["running"]:
        rows.setdefault(run["machine"], {"machine": run["machine"], "last": None, "now": None})["now"] = run
    quarantined = [p.name.removesuffix(".why.txt") for p in sorted((lab / "quarantine").glob("*.why.txt"))]
    return {"at": state["at"], "now": now, "machines": [rows[m] for m in sorted(rows, key=lambda m: (_need(rows[m]), m))],
            "quarantine": [{"name": n, "why": (lab / "quarantine" / f"{n}.why.txt").read_text(encoding="utf-8").strip()} for n in quarantined]}


NEED = ("FAIL", "ERROR", "regressions", "WARN", "SKIP", "partial", "no run", "DONE", "PASS")  # who needs a person most comes first


def state_of(row):
    """One of NEED."""
    last = row["last"]
    if not last:
        return "no run"
    if last["result"] in ("FAIL", "ERROR"):
        return last["result"]
    return "regressions" if last["regressions"] else "partial" if not last["whole"] else last["result"]


def _need(row):
    return NEED.index(state_of(row))


def _now(run, now):
    """ "check 12 of 207: mbm.total, last data 3 s ago" """
    if not run:
        return ""
    of = f" of {run['n']}" if run["n"] else ""
    bad = f", {len(run['bad'])} bad" if run["bad"] else ""
    return f"check {run['k']}{of}: {run['check'] or 'none yet'}{bad}, last data {age(now - run['last'])} ago"


def _changed(last):
    if last and last["is-baseline"]:
        return "baseline"
    if not last or not last["baseline"]:
        return ""
    if not last["changed"]:
        return "nothing"
    why = f": {last['why-changed']}" if last["regressions"] and last.get("why-changed") else ""
    return f"{last['regressions']} regressions, {last['changed'] - last['regressions']} other{why}"


def _cells(row, now):
    """machine, verdict, age, changed, now, cause"""
    last = row["last"]
    verdict = (last["result"] + ("" if last["whole"] else " (partial)")) if last else "none"
    return [safe.line(row["machine"]), verdict, age(now - last["arrived"]) if last else "", _changed(last), safe.line(_now(row["now"], now)),
            safe.line("; ".join(filter(None, (last["cause"] or last["left"], _waived(last))))) if last else ""]


HEADS = ("machine", "verdict", "age", "changed", "running", "cause")


def text(lab, now=None):
    t = table(lab, now)
    cells = [list(HEADS)] + [_cells(row, t["now"]) for row in t["machines"]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADS) - 1)]
    out = ["  ".join(c.ljust(w) for c, w in zip(row, [*widths, 0])).rstrip() for row in cells]
    out += [safe.line(f"quarantine: {q['name']}: {q['why']}") for q in t["quarantine"]]
    out.append(f"{len(t['machines'])} machines, {_count(t)}; " + (f"updated {utc(t['at'])}" if t["at"] else "no watcher is running"))
    return "\n".join(out) + "\n"


def _count(t):
    results = [row["last"]["result"] for row in t["machines"] if row["last"]]
    words = [f"{results.count(s)} {s}" for s in ("FAIL", "ERROR", "WARN", "PASS", "SKIP", "DONE") if s in results]
    worse = sum(bool(row["last"] and row["last"]["regressions"]) for row in t["machines"])
    words += [f"{worse} with regressions"] if worse else []
    return ", ".join([*words, f"{sum(bool(row['now']) for row in t['machines'])} running", f"{len(t['quarantine'])} in quarantine"])


def _row(row, now):
    last = row["last"]
    cells = _cells(row, now)
    if last:
        where = html.escape(f"../reports/{last['machine']}/{last['time']}/")
        page_ = "page.html" if last["whole"] else "report.jsonl"
        cells[1] = html.Raw(f'<a href="{where}{page_}">{html.pill(last["result"])}</a>' + ("" if last["whole"] else " partial"))
        if last["baseline"] and not last["is-baseline"]:
            cells[3] = html.Raw(f'<a href="{where}changes.txt">{html.escape(cells[3])}</a>')
    return cells


def page(lab, now):
    """www/index.html"""
    t = table(lab, now)
    states = {state_of(row) for row in t["machines"]}
    worst = next((s for s in ("FAIL", "ERROR") if s in states), "WARN" if t["quarantine"] or states & {"regressions", "WARN", "partial"} else
                 "PASS" if "PASS" in states else "SKIP")
    machines = html.table("Each machine's last run", HEADS, [_row(row, now) for row in t["machines"]])
    sections = [html.section("Machines", machines)]
    if t["quarantine"]:
        sections.append(html.section("Quarantine", html.table("Damaged or forged runs", ("run", "reason"), [(q["name"], q["why"]) for q in t["quarantine"]])))
    bad = [row for row in t["machines"] if state_of(row) in ("FAIL", "ERROR", "regressions", "WARN", "partial")]
    words = [f"{len(bad)} of {len(t['machines'])} machines need a look"] if bad else [f"{len(t['machines'])} machines"]
    words += [f"{len(t['quarantine'])} in quarantine"] if t["quarantine"] else []
    document = html.document("Lab", ", ".join(words), worst, [_count(t), f"updated {utc(now)}"], sections)
    write_atomically(lab / "www" / "index.html", document)


