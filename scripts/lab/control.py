# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`assay-lab run`: boots machines once from the network, a few at a time, waits for their reports and judges them."""
from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from xml.sax.saxutils import escape, quoteattr

from report import safe
from report.model import EXIT, worst

from . import known, notify
from .folder import machine_name
from .power import PowerError
from .watch import Turns


class Outcome:
    """The record of a machine's run, or why there is none."""

    def __init__(self, serial, record=None, why=""):
        self.serial, self.record, self.why = serial, record, why

    @property
    def result(self):
        """A run that stopped is never PASS."""
        if self.record is None:
            return "ERROR"
        return self.record["result"]

    @property
    def sentence(self):
        return notify.sentence(self.record) if self.record else f"ERROR; {self.why}"


class Runner:
    """ended: an event that ends all waiting. say: is called with lines of the log."""

    def __init__(self, lab, machines, say, ended, switch_off=False, timeout=None):
        self.lab, self.machines, self.say, self.ended = lab, machines, say, ended
        self.timeout = lab.number("timeout") if timeout is None else timeout
        self.every, self.switch_off = lab.number("every"), switch_off

    def all(self, serials, at_once):
        """[Outcome] in the order of serials."""
        with Turns(self.lab, self.say) as turns, ThreadPoolExecutor(max(1, at_once)) as pool:
            jobs = [pool.submit(self._one, s) for s in serials]
            try:
                while not self.ended.is_set() and not all(j.done() for j in jobs):
                    turns.once()
                    self.ended.wait(self.every)
            finally:  # also on an exception: the jobs must not wait any longer
                self.ended.set()
                for j in jobs:
                    j.cancel()
        return [Outcome(s, why="not started") if j.cancelled() else j.result() for s, j in zip(serials, jobs)]

    def _one(self, serial):
        machine = self.machines[serial]
        try:
            began = self.lab.stamp()
            if not known.offer(self.lab.folder, machine_name(serial), True):
                self.say(safe.line(f"{serial}: no mac = in machines.conf, or init was not run after it: dnsmasq does not answer it, but with --anyone"))
            machine.boot_from_network()
            machine.cycle()
        except (PowerError, OSError) as e:
            outcome = Outcome(serial, why=str(e))
        except Exception as e:  # a BMC that answers against its schema must not affect other machines
            outcome = Outcome(serial, why=f"its BMC's answer does not conform to Redfish: {type(e).__name__}: {e}")
        else:
            self.say(safe.line(f"{serial}: started"))
            outcome = self._arrived(serial, began, machine)
            if self.switch_off:
                try:
                    machine.off()
                except Exception as e:  # the verdict stands
                    self.say(safe.line(f"{serial}: stays on: {e}"))
        return outcome

    def _arrived(self, serial, began, machine):
        """Waits for a run whose upload began after `began`: complete, or given up."""
        waited, name = threading.Event(), machine_name(serial)
        left = self.timeout
        while left > 0 and not self.ended.is_set():
            record = next((r for r in reversed(self.lab.records(name)) if r["began"] >= began), None)
            if record:
                return Outcome(serial, record)
            quarantined = self._quarantined(name, began)
            if quarantined:
                return Outcome(serial, why=f"its run is in quarantine: {quarantined}")
            waited.wait(self.every)
            left -= self.every
        return Outcome(serial, why="interrupted" if self.ended.is_set() else f"no complete report in {self.timeout} s{_power(machine)}")

    def _quarantined(self, name, began):
        for path in sorted((self.lab / "quarantine").glob(f"{name}-*.why.txt")):
            if path.stat().st_mtime >= began:
                return path.read_text(encoding="utf-8").strip()
        return ""


def _power(machine):
    """The power state of a machine that sent nothing, for the message."""
    try:
        return "" if machine.on() else "; its BMC reports that it is off"
    except Exception as e:
        return f"; {e}"


def exit_status(outcomes):
    """0: every machine is PASS or DONE; 1: one is FAIL; 3: one is ERROR, or nothing was checked; 5: one is WARN."""
    return worst({EXIT[o.result] for o in outcomes})


def summary(outcomes):
    words = [f"{sum(o.result == s for o in outcomes)} {s}" for s in ("PASS", "DONE", "WARN", "FAIL", "SKIP", "ERROR") if s in ("PASS", "FAIL", "ERROR") or
             any(o.result == s for o in outcomes)]
    return f"{len(outcomes)} machines: {', '.join(words)}"


def junit(outcomes):
    """One test case for each machine."""
    bad = {s: sum(o.result == s for o in outcomes) for s in ("FAIL", "ERROR", "SKIP")}
    out = ['<?xml version="1.0" encoding="UTF-8"?>',
           f'<testsuite name="assay-lab" tests="{len(outcomes)}" failures="{bad["FAIL"]}" errors="{bad["ERROR"]}" skipped="{bad["SKIP"]}">']
    for o in outcomes:
        out.append(f'<testcase classname="assay-lab" name={quoteattr(safe.xml(o.serial))}>')
        if o.result in bad:
            tag = {"FAIL": "failure", "ERROR": "error", "SKIP": "skipped"}[o.result]
            out.append(f"<{tag} message={quoteattr(safe.xml(o.sentence))}>{escape(safe.xml(o.sentence))}</{tag}>" if tag != "skipped" else
                       f"<skipped message={quoteattr(safe.xml(o.sentence))}/>")
        out.append("</testcase>")
    return "\n".join([*out, "</testsuite>"]) + "\n"
