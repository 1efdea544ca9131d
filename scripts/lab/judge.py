# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Judges an uploaded run: its verdict, or why it is damaged or forged."""
from __future__ import annotations

import subprocess

from report import causes, compare, figures_file, files, safe, verify, waive
from report.model import DIAGNOSIS, OWN_STEPS
from report.stream import FAULTS, StreamError, read, scan

from . import runs
from .folder import LabError, machine_name

MOST_CHANGES = 20  # at most in verdict.json
JOINED = "joined.jsonl"  # the stream of an incomplete run until it is filed
NO_DIGESTS = "report.sha256 is missing"  # of a run whose report.jsonl was sent


class Refused(Exception):
    """The run goes into quarantine; the text is the reason."""


def _uuid(r):
    uuid = r.dut.get("metadata", {}).get("system-uuid", "")
    return uuid if isinstance(uuid, str) else ""


def _names(r):
    """Possible names of this machine in the name of a run's folder."""
    return {machine_name(r.info("system-serial-number")), machine_name(r.info("baseboard-serial-number")), machine_name(_uuid(r)),
            "no-serial"} - {""}


def _files(run, most):
    """Refused unless the folder has nothing but files of a run, within the size limit."""
    if run.identity is None:
        raise Refused("its name is not SERIAL-TIME")
    if run.odd:
        raise Refused(f"{run.odd[0]} is not a file of a run")
    if not run.names:
        raise Refused("it is empty")
    if run.bytes() > most:
        raise Refused(f"{run.bytes()} bytes, more than {most} (run-most)")


def _check_digests(run):
    """Refused unless every file of a complete run has the digest in report.sha256."""
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


def _stream(run, path, whole):
    """The Report. Refused if a line is a fault, or the report contradicts itself or belongs to another machine."""
    r = scan(path)
    r.path = runs.STREAM
    if r.faults:
        number, kind, why = r.faults[0]
        raise Refused(f"{r.path}:{number}: {FAULTS[kind]} ({why})")
    if not r.start:
        raise Refused("the stream has no testRunStart")
    if r.contradictions:
        raise Refused(f"the report contradicts itself: {r.contradictions[0]}")
    if whole and (r.torn or not r.ended):
        raise Refused("the stream has no testRunEnd although report.sha256 exists")
    if run.identity[0] not in _names(r):
        raise Refused(f"its name says {run.identity[0]}, the report is of machine {r.serial or 'without a serial number'}")
    return r


def _assembled(run):
    """(path of the stream of an incomplete run, which its pieces make where report.jsonl has less; what is missing)"""
    pieces, gap = runs.joined(run)
    path = run.folder / runs.STREAM
    if runs.STREAM in run.names and len(path.read_bytes()) >= len(pieces):
        return path, NO_DIGESTS
    if not pieces:
        raise Refused("no complete line of its stream arrived")
    files.replace(run.folder / JOINED, pieces)
    return run.folder / JOINED, "a piece is missing; later pieces were not used" if gap else ""


def _validate(lab, path, whole):
    """Refused if the program of `validate` (lab.conf), as scripts/validate-report, refuses the stream."""
    program = lab.options["validate"]
    if not program:
        return
    command = [program, *([] if whole else ["--partial"]), str(path)]
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=600, check=False)
    if p.returncode:
        said = (p.stderr + p.stdout).strip().splitlines() or ["no output"]
        raise Refused(f"{program}: exit status {p.returncode}: {said[0]}")


def _waive(lab, r):
    """Applies the waivers of lab.conf; why they were not, or ""."""
    try:
        waive.apply(r, lab.waivers())
    except (LabError, OSError) as e:
        return safe.line(f"waivers are not applied: {e}")
    return ""


def cause(r):
    """Why a run is not PASS, in a sentence."""
    if r.result in ("PASS", "DONE"):
        return ""
    found = [causes.sentence(c) for c in causes.data(r) if not c["waived"]]
    if found:
        return safe.line(found[0] + (f"; {len(found) - 1} more" if found[1:] else ""))
    for status in ("FAIL", "ERROR", "WARN"):
        for c in r.checks:
            if c.shown == status:
                return safe.line(f"{c.name}: {c.reason}")
    return safe.line(r.errors[0]) if r.errors else "no check ran"


def judge(lab, run, baseline=None):
    """(the record for verdict.json, the Report, its comparison with the baseline or None). An incomplete run is what a machine sent before it
    died: its pieces become JOINED. Refused: the run is damaged or forged."""
    _files(run, lab.number("run-most"))
    whole, left, path = run.over, "", run.folder / runs.STREAM
    if whole:
        _check_digests(run)
    else:
        path, left = _assembled(run)
    data = path.read_bytes()
    piece = "" if left.startswith("a piece") else runs.differs(run, data)
    if piece:
        raise Refused(f"{piece}, sent during the run, differs from {runs.STREAM} at its position")
    r = _stream(run, path, whole)
    if whole and figures_file.NAME in run.names:
        why = figures_file.differs(r, data, (run.folder / figures_file.NAME).read_bytes())
        if why:
            raise Refused(f"{figures_file.NAME} {why}")
    _validate(lab, path, whole)
    why = _waive(lab, r)
    left = "; ".join(filter(None, (left, why)))
    machine, time = run.identity
    record = {"machine": machine, "time": time, "result": r.result, "whole": whole, "cause": cause(r), "causes": causes.data(r), "waived": [safe.line(f"{c.name}: {text}; {w}") for c, text, w in r.waived], "left": left, "counts": r.counts,
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
    record |= {"why-changed": safe.line(compare.why(changes)), "baseline": baseline, "regressions": sum(c["regression"] for c in changes),
               "changes": [safe.line(line) for line in compare.lines(r, changes)[:MOST_CHANGES]], "changed": len(changes)}
    return record, r, compare.text(old, r, changes)
