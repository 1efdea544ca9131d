# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The HTML page of many reports: machines, models with firmware and microcode, outliers."""
from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from . import html
from .fleet import by_machine, checks_of, mixed, not_compared, off, rank
from .formats import number
from .source import remote

MOST = 2000  # lines of a table that a browser shows without delay


def _strip(o):
    """A drawing of the value relative to the median and the allowed deviations."""
    reach = max(abs(o["value"] - o["median"]), 1e-300) * 1.2
    band = min(o["limit"] * abs(o["value"] - o["median"]) / o["deviations"] / reach if o["deviations"] else 0, 1) * 95
    x = 100 + (o["value"] - o["median"]) / reach * 95
    return html.Raw(
        f'<svg class="strip" viewBox="0 0 200 20" role="img" aria-label="{off(o)}">'
        f'<rect x="{100 - band:.1f}" y="4" width="{max(2 * band, 1):.1f}" height="12"/>'
        f'<line x1="100" x2="100" y1="1" y2="19"/><circle cx="{x:.1f}" cy="10" r="4" data-value="{o["value"]!r}"/></svg>')


def _link(m, out):
    """The machine as a link to its report.html, or to the stream if there is none."""
    name = m["machine"]
    if remote(m["path"]):
        return html.Raw(f'<a href="{html.escape(m["path"], quote=True)}">{html.escape(name)}</a>')
    beside = Path(m["path"]).with_suffix(".html")
    if not beside.exists():
        beside = Path(m["path"])
    target = os.path.relpath(beside, Path(out).parent) if out else str(beside.resolve())
    return html.Raw(f'<a href="{html.escape(quote(os.fsencode(Path(target).as_posix())), quote=True)}">{html.escape(name)}</a>')


def _bad(checks, most=6):
    """The checks that caused a verdict."""
    return ", ".join(f"{check} {status}" for check, status in checks[:most]) + (f" and {len(checks) - most} more" if len(checks) > most else "")


def _capped(what, heads, rows):
    left = len(rows) - MOST
    return html.table(what + (f": the first {MOST}, {left} more in the JSON object" if left > 0 else ""), heads, rows[:MOST])


def page(s, out=None):
    """The page of fleet.summary(); links are relative to `out`, the file that it is written to."""
    total = {}
    for g in s["groups"]:
        for r, n in g["results"].items():
            total[r] = total.get(r, 0) + n
    groups = html.table(
        "Reports by model, firmware and microcode",
        ("model", "firmware", "microcode", "#reports", "#machines", "#PASS", "#WARN", "#FAIL", "#ERROR, SKIP", "checks that failed most"),
        [(g["model"] + (" (virtual silicon)" if g["virtual"] else ""), g["firmware"], g["microcode"], g["reports"], g["machines"],
          *(g["results"].get(r, 0) for r in ("PASS", "WARN", "FAIL")),
          g["reports"] - sum(g["results"].get(r, 0) for r in ("PASS", "WARN", "FAIL")),
          ", ".join(f"{check} ({n})" for check, n in g["failing"])) for g in s["groups"]])
    sections = [html.section("Machines", _capped(
        f"{len(s['machines'])} reports, those that did not pass first", ("result", "machine", "begin", "checks", "firmware", "microcode", "model"),
        [(html.Raw(html.pill(m["result"])), _link(m, out), m["begin"][:19].replace("T", " "), _bad(m["bad"]), m["firmware"], m["microcode"],
          m["model"]) for m in s["machines"]]))] if s["machines"] else []
    sections.append(html.section("Models", groups))
    if s["mixtures"]:
        sections.append(html.section("Mixtures", _capped(
            "Machines that are apart from the others of their model", ("machines", "figure", "#from", "#to", "#median of the others", "model"),
            [(mixed(m), f["figure"], number(f["low"]), number(f["high"]), number(f["median"]), m["model"])
             for m in s["mixtures"] for f in m["named"]])))
    if s["uncompared"]:
        sections.append(html.section("Not compared", html.table("Machines that have too few like them", ("what",), [
            (not_compared(u),) for u in s["uncompared"]])))
    if s["outliers"]:
        standing = by_machine(s["outliers"])
        sections.append(html.section("Outliers by machine", _capped(
            "The figure with the largest deviation of each machine", ("machine", "#figures", "worst", "deviation", "model"),
            [(_link(some[0], out), len(some), some[0]["figure"], off(some[0]), some[0]["model"]) for _, some in standing])))
        sections.append(html.section("Outliers", _capped(
            "Band: where healthy machines lie around the median. Dot: this machine",
            ("machine", "figure", "#value", "#median", "deviation", "relative to the median", "firmware", "microcode"),
            [(_link(o, out), o["figure"], number(o["value"]), number(o["median"]), off(o), _strip(o), o["firmware"], o["microcode"])
             for o in s["outliers"]])))
    if s["together"]:
        sections.append(html.section("Off together", _capped(
            "Figures of a check or place, or runs of a machine: deviations of their sum from the median, and of each on average",
            ("machine", "what", "#figures", "#runs", "#deviations", "from the median", "#each", "checks", "firmware", "microcode", "model"),
            [(_link(o, out), o["figure"], o["figures"], o["runs"], f"{o['deviations']:.1f}", o["direction"], f"{o['each']:.1f}", checks_of(o),
              o["firmware"], o["microcode"], o["model"]) for o in s["together"]])))
    if s["splits"]:
        sections.append(html.section("Figures that depend on firmware or microcode", _capped(
            "The median of each", ("figure", "firmware", "microcode", "#median", "model"),
            [(p["figure"], m["firmware"], m["microcode"], number(m["median"]), p["model"])
             for p in s["splits"] for m in p["medians"]])))
    if s["contradicting"]:
        sections.append(html.section("Reports that contradict themselves", html.table("", ("report", "what"), [
            (c["path"], c["why"]) for c in s["contradicting"]])))
    if s["unreadable"]:
        sections.append(html.section("Files that cannot be read", html.table("", ("why",), [(u["why"],) for u in s["unreadable"]])))
    if s["copies"]:
        sections.append(html.section("Copies", _capped("Files with a report that is counted already", ("file", "of"), [
            (c["path"], c["of"]) for c in s["copies"]])))
    verdict, status = headline(s, total)
    n = len(s["machines"])
    words = [f"{n} report{'' if n == 1 else 's'} of {len({m['machine'] for m in s['machines']})} machines",
             ", ".join(f"{total[r]} {r}" for r in sorted(total, key=rank))]
    return html.document("Many machines", verdict, status, words, sections)


def headline(s, total):
    """(headline, status for its colour). The headline mentions everything that is not PASS."""
    n = len(by_machine(s["outliers"] + s["together"]))
    mixtures, alone = (len({name for row in s[k] for name in row["machines"]}) for k in ("mixtures", "uncompared"))
    bad, warned = total.get("FAIL", 0) + total.get("ERROR", 0), total.get("WARN", 0)
    unjudged, unread = sum(total.values()) - bad - warned - total.get("PASS", 0), len(s["unreadable"])
    parts = [f"{bad} of {sum(total.values())} FAIL or ERROR"] if bad else []
    parts += [f"{warned} WARN"] if warned else []
    parts += [f"{unjudged} without a verdict"] if unjudged else []
    parts += [f"{unread} unreadable"] if unread else []
    parts += [f"a mixture: {mixtures} machines are apart"] if mixtures else []
    parts += [f"outliers on {n} machine{'' if n == 1 else 's'}"] if n else [] if unjudged or unread or warned or mixtures or alone else ["no outlier"]
    parts += [f"{alone} not compared"] if alone else []
    text = ", ".join(parts if bad or not total.get("PASS") or not parts else [f"{total['PASS']} PASS", *parts])
    return text, "FAIL" if bad else "WARN" if n or warned or mixtures or alone or unjudged or unread or not total.get("PASS") else "PASS"
