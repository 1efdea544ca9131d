# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a run is worth that has arrived: its verdict, or why it is damaged or forged."""
from __future__ import annotations

import subprocess

from report import compare, figures_file, formats, safe, verify
from report.model import DIAGNOSIS, OWN_STEPS
from report.stream import FAULTS, StreamError, read, scan

from . import runs
from .folder import machine_name

MOST_CHANGES = 20  # of those that are kept in words


class Refused(Exception):
    """The run goes into quarantine, for this reason."""


def _names(r):
    """What the payload may have called the folder of this machine."""
    return {machine_name(r.info("system-serial-number")), machine_name(r.info("baseboard-serial-number")), "no-serial"} - {""}


def _files(run, most):
    """Of any run: that it has files of a run alone, and not too much."""
    if run.identity is None:
        raise Refused("its name is not that of a run: SERIAL-TIME")
    if run.odd:
        raise Refused(f"{run.odd[0]} is no file of a run")
    if not run.names:
        raise Refused("it is empty")
    if run.bytes() > most:
        raise Refused(f"{run.bytes()} bytes, and {most} are the most that a run may have (run-most)")


def _vouched(run):
    """Of a run with report.sha256: that its files are those that were written, and no other."""
    try:
        listed = verify.digests(run.folder)
        wrong = [(name, why) for name, why in verify.files(run.folder) if why]
    except (StreamError, OSError) as e:
        raise Refused(str(e).replace(f"{run.folder}/", "")) from None
    if wrong:
        raise Refused(" ".join(wrong[0]))
    extra = sorted(run.names.intersection(verify.FILES) - listed.keys())
    if extra:
        raise Refused(f"{extra[0]} is not in {verify.NAME}")


def _stream(run, whole):
    """The Report; Refused where a line is a fault, or the report contradicts itself or is another machine's."""
    r = scan(run.folder / runs.STREAM)
    r.path = runs.STREAM
    if r.faults:
        number, kind, why = r.faults[0]
        raise Refused(f"{r.path}:{number}: {FAULTS[kind]} ({why})")
    if not r.start:
        raise Refused("its stream has no testRunStart")
    if r.contradictions:
        raise Refused(f"the report contradicts itself: {r.contradictions[0]}")
    if whole and (r.torn or not r.ended):
        raise Refused("the stream has no end, and its digest was taken all the same")
    if run.identity[0] not in _names(r):
        raise Refused(f"it is named {run.identity[0]}, and the report is of the machine {r.serial or 'without a serial number'}")
    return r


def _assembled(run):
    """Of a run without an end: report.jsonl of what there is. A sentence on what is missing."""
    pieces, gap = runs.joined(run)
    path = run.folder / runs.STREAM
    if runs.STREAM in run.names and len(path.read_bytes()) >= len(pieces):
        return "its digests did not arrive"
    if not pieces:
        raise Refused("not one whole line of its stream arrived")
    path.write_bytes(pieces)
    return "a piece is missing, and what is behind it was not used" if gap else ""


def _consulted(lab, run, whole):
    """Another program that says whether the stream is valid, as scripts/validate-report."""
    program = lab.options["validate"]
    if not program:
        return
    command = [program, *([] if whole else ["--partial"]), str(run.folder / runs.STREAM)]
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=600, check=False)
    if p.returncode:
        said = (p.stderr + p.stdout).strip().splitlines() or ["said nothing"]
        raise Refused(f"{program}: exit status {p.returncode}: {said[0]}")


def cause(r):
    """Why a run is no PASS, in a sentence."""
    if r.result in ("PASS", "DONE"):
        return ""
    found = formats.causes(r)
    if found:
        return safe.line(found[0])
    for status in ("FAIL", "ERROR"):
        for c in r.checks:
            if c.status == status:
                return safe.line(f"{c.name}: {c.reason}")
    return safe.line(r.errors[0]) if r.errors else "no check ran"


def judge(lab, run, baseline=None):
    """(what is said of the run, its Report, its comparison with the baseline or None). A run that is not over is what is left of a
    machine that died: its pieces become its report.jsonl. Refused: it is damaged or forged."""
    _files(run, lab.number("run-most"))
    whole, left = run.over, ""
    if whole:
        _vouched(run)
    else:
        left = _assembled(run)
    data = (run.folder / runs.STREAM).read_bytes()
    piece = "" if left.startswith("a piece") else runs.differs(run, data)
    if piece:
        raise Refused(f"{piece}, which was sent while it ran, is not what {runs.STREAM} has at this place")
    r = _stream(run, whole)
    if whole and figures_file.NAME in run.names:
        why = figures_file.differs(r, data, (run.folder / figures_file.NAME).read_bytes())
        if why:
            raise Refused(f"{figures_file.NAME} {why}")
    _consulted(lab, run, whole)
    machine, time = run.identity
    record = {"machine": machine, "time": time, "result": r.result, "whole": whole, "cause": cause(r), "left": left, "counts": r.counts,
              "checks": sum(c.id not in (*OWN_STEPS, DIAGNOSIS) for c in r.checks), "began": run.began, "arrived": run.last,
              "virtual": bool(r.virtual), "baseline": "", "regressions": 0, "changes": []}
    if baseline is None or not whole:
        return record, r, None
    try:
        old = read(lab / "reports" / machine / baseline / runs.STREAM)
    except (OSError, StreamError) as e:
        record["changes"] = [safe.line(f"the baseline cannot be read: {e}")]
        return record, r, None
    changes = compare.compare(old, r)
    record |= {"baseline": baseline, "regressions": sum(c["regression"] for c in changes),
               "changes": [safe.line(compare.sentence(c)) for c in changes[:MOST_CHANGES]], "changed": len(changes)}
    return record, r, compare.text(old, r, changes)
