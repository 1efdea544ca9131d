# SPDX-License-Identifier: BSD-2-Clause-Patent
"""One report in the formats of CI systems: text, JUnit XML, KTAP, LAVA signals, Markdown, one JSON object."""
import json
import textwrap
from datetime import datetime
from html import escape

from . import causes, safe


def quoteattr(text):
    """A value of an XML attribute; xml.sax.saxutils has the same, but imports urllib."""
    return '"' + escape(text).translate({9: "&#9;", 10: "&#10;", 13: "&#13;"}) + '"'


def number(value):
    """Whole and large numbers in full, others with six digits."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or (abs(value) < 2**53 and (value == int(value) or abs(value) >= 1e6)):
        return f"{value:.0f}"
    return f"{value:.6g}"


def bounds(m):
    if m.low is not None and m.high is not None:
        return f"{number(m.low)} to {number(m.high)}"
    if m.low is not None:
        return f"at least {number(m.low)}"
    return f"at most {number(m.high)}" if m.high is not None else ""


def measured(m):
    """ "occupancy 5 bytes (4 to 6), L3 domain 0" """
    limits = bounds(m)
    text = f"{m.name} {number(m.value)}{' ' + m.unit if m.unit else ''}"
    return text + (f" ({limits})" if limits else "") + (f", {m.place}" if m.place else "")


def seconds(begin, end):
    """Between two time stamps of the stream; 0 if one is missing."""
    try:
        from_, to = (datetime.fromisoformat(t.replace("Z", "+00:00")) for t in (begin, end))
        return max(0.0, (to - from_).total_seconds())
    except (ValueError, TypeError, OverflowError):  # also if one of them has no time zone
        return 0.0


def _headline(r):
    cpus = r.hardware("CPU")
    yield "machine", f"{r.machine}{', serial ' + r.serial if r.serial else ''}"
    if r.virtual:
        yield "VIRTUAL", r.virtual
    if cpus:
        yield "processor", f"{len(cpus)} x {cpus[0].get('name', '')}, {cpus[0].get('version', '')}"
    bios = ", ".join(f"{s.get('name', '')} {s.get('version', '')}" for s in r.dut.get("softwareInfos", [])
                     if s.get("softwareInfoId", "").startswith("bios"))
    yield "firmware", f"{bios}; microcode {', '.join(r.software('microcode'))}"
    yield "assay", ", ".join(r.software("assay")) + f", commit {r.start.get('parameters', {}).get('commit', '?')}"
    yield "started", f"{r.begin}, {seconds(r.begin, r.end):.0f} s" if r.end else r.begin


def counted(c):
    """The rows of -count: each event and metric at each place, with the rate of the last window, and of several the least and greatest."""
    rows = [[safe.line(s.name), safe.line(s.place), safe.line(s.unit), number(s.points[-1][1]), *([number(f(v for _, v in s.points)) for f in (min, max)])]
            for s in c.series if s.points]
    several = any(len(s.points) > 1 for s in c.series)
    return [["what", "where", "unit", "rate", "least", "greatest"][:6 if several else 4], *(row[:6 if several else 4] for row in rows)]


def _columns(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(w.ljust(widths[i]) if i < 3 else w.rjust(widths[i]) for i, w in enumerate(row)).rstrip() for row in rows]


def _caveats(c):
    """What qualifies a check's findings, each once."""
    some = [text for limits in c.limits for text in limits.texts] + [f"waived: {w}" for _, w in sorted(c.waived.items())]
    return list(dict.fromkeys(some)) + [f"not waived any more: {w}" for w in c.expired]


def _findings(c):
    """The findings of a check; where others are left, those that are waived come last and say so."""
    left = [text for i, text in enumerate(c.findings) if i not in c.waived]
    return left + [f"waived: {text}" if left else text for i, text in enumerate(c.findings) if i in c.waived]


def _reason(c):
    """What a check found, in a line."""
    return f"{c.reason}; waived: {c.waived[0]}" if c.shown == "WAIVED" else c.reason


def _skipped(r):
    """The checks that were skipped, by their reasons."""
    groups = {}
    for c in r.checks:
        if c.status == "SKIP":
            groups.setdefault(c.reason, []).append(c.name)
    return groups


def text(r, colour=False):
    """The verdict by monitor; causes with the checks that they explain; findings of the checks that show a cause or are not explained, each check's caveat once; skipped
    checks by reasons; counts; the verdict as the last line."""
    paint = {"FAIL": "\x1b[31m", "ERROR": "\x1b[31m", "WARN": "\x1b[33m", "PASS": "\x1b[32m"} if colour else {}
    out = [f"{k:<10} {safe.line(v)}" for k, v in _headline(r)]
    out += [f"{'ERROR':<10} {safe.line(e)}" for e in r.errors]
    for line in causes.monitor_lines(r):
        out += textwrap.wrap(safe.line(line), 100, initial_indent="MONITOR ", subsequent_indent="        ")
    folded = causes.folded(r)
    for cause in causes.data(r):
        out += textwrap.wrap(safe.line(causes.sentence(cause)), 100, initial_indent="CAUSE  ", subsequent_indent="       ")
        for line in causes.under(r, cause, folded):
            out += textwrap.wrap(safe.line(line), 100, initial_indent="         ", subsequent_indent="         ", break_on_hyphens=False)
    for status in ("FAIL", "ERROR", "WARN", "WAIVED"):
        for c in (c for c in r.checks if c.shown == status and not (status != "ERROR" and c.id in folded)):
            out.append(f"{paint.get(status, '')}{status:<6}{chr(27) + '[0m' if paint.get(status) else ''} {safe.line(f'{c.name}: {c.title}')}")
            for finding in (_findings(c) or [c.reason])[:8] + _caveats(c):
                out += textwrap.wrap(safe.line(finding), 100, initial_indent="         ", subsequent_indent="         ")
    for reason, names in _skipped(r).items():
        out += textwrap.wrap(safe.line(f"{', '.join(names)}: {reason}"), 100, initial_indent="SKIP   ", subsequent_indent="       ",
                             break_on_hyphens=False)
    for c in (c for c in r.checks if c.done):
        out += _columns(counted(c))
    out.append(", ".join(f"{n} {s}" for s, n in r.counts.items()))
    hue = paint.get(r.result, "")
    out.append(f"{hue}RESULT: {r.called}{chr(27) + '[0m' if hue else ''}")
    return "\n".join(out) + "\n"


def _detail(c):
    lines = list(c.errors) + _findings(c) + _caveats(c)
    lines += ["out of bounds: " + measured(m) for m in c.measurements if m.out_of_bounds]
    lines.append(f"specification: {c.specification}")
    return safe.xml("\n".join(lines))


def junit(r):
    """Valid by the schemas of Jenkins' xUnit plugin (junit-10.xsd) and of Ant's JUnit tasks (JUnit.xsd), as in
    tests/report/junit.xsd: FAIL is <failure>, ERROR is <error>, SKIP is <skipped>, as is what is waived; a WARN passes,
    and the suite's <system-out> has its findings and what is waived. A failure's message begins with the cause of the run that explains it."""
    n = r.counts
    out = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    out.append(f'<testsuite name={quoteattr(safe.xml("assay on " + r.machine))} package="assay" id="0" '
               f'tests="{len(r.checks)}" failures="{n["FAIL"]}" errors="{n["ERROR"]}" skipped="{n["SKIP"] + n.get("WAIVED", 0)}" '
               f'time="{seconds(r.begin, r.end):.3f}" timestamp={quoteattr(r.begin[:19] or "1970-01-01T00:00:00")} '
               f'hostname={quoteattr(safe.xml(r.label or "localhost"))}>')
    out.append("<properties>")
    out += [f"<property name={quoteattr(k)} value={quoteattr(safe.xml(v))}/>"
            for k, v in [*_headline(r), *((f"monitor: {m['monitor']}", m["says"]) for m in causes.monitors(r))]]
    out.append("</properties>")
    some = causes.data(r)
    for c in r.checks:
        family = c.id.split(".")[0]
        out.append(f'<testcase name={quoteattr(safe.xml(c.name))} classname={quoteattr("assay." + safe.xml(family))} '
                   f'time="{seconds(c.begin, c.end):.3f}">')
        message = quoteattr(safe.xml(_reason(c)))
        if c.shown in ("FAIL", "ERROR"):
            tag = {"FAIL": "failure", "ERROR": "error"}[c.shown]
            explained = [cause for cause in some if causes.explains(cause, c.id)][:1] if c.shown == "FAIL" else []
            message = quoteattr(safe.xml("; ".join([*map(causes.sentence, explained), c.reason])))
            out.append(f'<{tag} message={message} type="{c.shown}">{escape(_detail(c), quote=False)}</{tag}>')
        elif c.shown in ("SKIP", "WAIVED") or c.done:
            out.append(f"<skipped message={quoteattr('counted, not judged') if c.done else message}/>")
        out.append("</testcase>")
    warnings = "\n\n".join(f"{c.shown} {c.name}: {_detail(c)}" for c in r.checks if c.shown in ("WARN", "WAIVED"))
    out.append(f"<system-out>{escape(safe.xml(warnings), quote=False)}</system-out>")
    out.append(f"<system-err>{escape(safe.xml(chr(10).join(r.errors)), quote=False)}</system-err>")
    out.append("</testsuite></testsuites>")
    return "\n".join(out) + "\n"


def _cause_lines(r):
    """The verdict by monitor and the causes as lines that begin with "#": diagnostic lines of KTAP, text in the log of a LAVA job."""
    yield from (f"# MONITOR {safe.line(line)}" for line in causes.monitor_lines(r))
    folded = causes.folded(r)
    for cause in causes.data(r):
        yield f"# CAUSE {safe.line(causes.sentence(cause))}"
        for line in causes.under(r, cause, folded):
            yield f"#   {safe.line(line)}"


def ktap(r):
    """Kernel Test Anything Protocol, version 1: Linux Documentation/dev-tools/ktap.rst. Causes are diagnostic lines before the plan."""
    out = ["KTAP version 1", *_cause_lines(r), f"1..{len(r.checks)}"]
    for i, c in enumerate(r.checks, 1):
        for line in (_findings(c) or ([c.reason] if c.status == "ERROR" else []))[:8] + [f"not waived any more: {w}" for w in c.expired]:
            out.append(f"# {safe.word(c.name)}: {safe.line(line)}")
        good = "not ok" if c.shown in ("FAIL", "ERROR") else "ok"
        directive = " # SKIP counted, not judged" if c.done else {
            "SKIP": f" # SKIP {safe.line(c.reason)}", "ERROR": f" # ERROR {safe.line(c.reason)}",
            "WAIVED": f" # XFAIL {safe.line(_reason(c))}"}.get(c.shown, "")
        out.append(f"{good} {i} {safe.word(c.name)}{directive}")
    return "\n".join(out) + "\n"


def lava(r):
    """LAVA's signals on the console: one test set, a test case for each check with its time as measurement. Causes are lines before it, in which
    nothing is a signal."""
    result = {"PASS": "pass", "WARN": "pass", "FAIL": "fail", "SKIP": "skip", "ERROR": "fail", "WAIVED": "skip"}
    out = [line.replace("<LAVA", "< LAVA") for line in _cause_lines(r)]
    out.append("<LAVA_SIGNAL_TESTSET START assay>")
    for c in r.checks:
        got = "skip" if c.done else result[c.shown]
        out.append(f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={safe.word(c.name)} RESULT={got} UNITS=seconds "
                   f"MEASUREMENT={seconds(c.begin, c.end):.3f}>")
    out.append("<LAVA_SIGNAL_TESTSET STOP>")
    return "\n".join(out) + "\n"


def _rows(some):
    """A Markdown table of the findings of checks."""
    yield from ("| status | check | finding | specification |", "| --- | --- | --- | --- |")
    for c in sorted(some, key=lambda c: ("FAIL", "ERROR", "WARN", "WAIVED").index(c.shown)):
        yield f"| {c.shown} | {safe.markdown(c.name)} | {safe.markdown(_reason(c))} | {safe.markdown(c.specification)} |"


def markdown(r):
    """Result and counts, causes, the machine, then findings; those of checks that a cause represents are folded."""
    mark = {"PASS": "✅", "WARN": "⚠️", "FAIL": "❌", "ERROR": "💥", "SKIP": "⏭️"}
    out = [f"## {mark.get(r.result, '')} Assay: {r.called}", "", ", ".join(f"{n} {s}" for s, n in r.counts.items()), ""]
    out += [f"- {safe.markdown(line)}" for line in causes.monitor_lines(r)] + [""] * bool(r.monitors)
    folded = causes.folded(r)
    for cause in causes.data(r):
        out.append(f"- **CAUSE** {safe.markdown(causes.sentence(cause))}")
        out += [f"  - {safe.markdown(line)}" for line in causes.under(r, cause, folded)]
    out += [f"- **{safe.markdown(e)}**" for e in r.errors]
    out += ["", "| | |", "| --- | --- |", *(f"| {k} | {safe.markdown(v)} |" for k, v in _headline(r)), ""]
    for c in (c for c in r.checks if c.done):
        heads, *rows = counted(c)
        out += ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        out += ["| " + " | ".join(map(safe.markdown, row)) + " |" for row in rows] + [""]
    bad = [c for c in r.checks if c.shown in ("FAIL", "ERROR", "WARN", "WAIVED")]
    explained = [c for c in bad if c.shown != "ERROR" and c.id in folded]
    shown = [c for c in bad if c not in explained]
    if shown:
        out += [*_rows(shown), ""]
    if explained:
        out += [f"<details><summary>{len(explained)} explained by the causes</summary>", "", *_rows(explained), "", "</details>", ""]
    skipped = [c for c in r.checks if c.status == "SKIP"]
    if skipped:
        out += [f"<details><summary>{len(skipped)} skipped</summary>", ""]
        out += [f"- {safe.markdown(c.id)}: {safe.markdown(c.reason)}" for c in skipped]
        out += ["", "</details>"]
    return "\n".join(out) + "\n"


def as_object(r):
    """The report as plain dictionaries, without evidence. exit: the status of assay-report without options; called: the result as report.txt has
    it; ending: testRunEnd, what the run itself said."""
    return {
        "result": r.result,
        "called": r.called,
        "exit": r.exit_status,
        "ended": r.ended,
        "ending": r.ending,
        "contradictions": r.contradictions,
        "counts": r.counts,
        "errors": r.errors,
        "monitors": causes.monitors(r),
        "causes": causes.data(r),
        "machine": r.fields,
        "serial": r.serial,
        "virtual": bool(r.virtual),
        "begin": r.begin,
        "end": r.end,
        "checks": [
            {
                "id": c.id,
                "round": c.round,
                "status": "DONE" if c.done else c.shown,
                "title": c.title,
                "specification": c.specification,
                "rows": c.rows.split(),
                "reason": c.reason,
                "findings": c.findings,
                "waived": [{"finding": c.findings[i]} | w.data for i, w in sorted(c.waived.items())],
                "expired": [w.data for w in c.expired],
                "limits": [{"limit": x.limit, "errata": [list(e) for e in x.errata]} for x in c.limits],
                "seconds": seconds(c.begin, c.end),
                "measurements": [
                    {"name": m.name, "value": m.value, "unit": m.unit, "place": m.place, "low": m.low, "high": m.high}
                    for m in c.measurements
                ],
            } | ({"series": [{"name": s.name, "unit": s.unit, "place": s.place, "points": s.points} for s in c.series]} if c.done else {})
            for c in r.checks
        ],
    }


def as_json(r):
    return json.dumps(as_object(r), indent=1, ensure_ascii=False) + "\n"


