# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The content of a report, as stream.py reads it."""
from __future__ import annotations

from dataclasses import dataclass, field

STATUSES = ("PASS", "FAIL", "WARN", "SKIP", "ERROR")
OWN_STEPS = ("restore.registers", "spread.rounds", "count", "resume")
DIAGNOSIS = "diagnosis"  # the step with the causes: not a check
# Exit status by verdict, and of a report that contradicts itself.
EXIT = {"PASS": 0, "FAIL": 1, "WARN": 5, "SKIP": 3, "ERROR": 3, "DONE": 0}
CONTRADICTS = 4


def is_number(value):
    """Of JSON, where true is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def worst(statuses):
    """Of several of EXIT: FAIL, then ERROR, then WARN; 3 of none."""
    return next((s for s in (1, 3, 5) if s in statuses), 0 if statuses else 3)


class StreamError(Exception):
    """A file is missing or not a report; the text has file and line."""


@dataclass
class Measurement:
    """value is a number, a string or a truth value; low and high are None where there is no bound."""

    name: str
    value: object
    unit: str = ""
    place: str = ""
    low: float | None = None
    high: float | None = None
    location: str = ""  # the place for programs: "domain=0,rmid=7" (core/base/place.h)
    seconds: float | None = None  # how long an event was counted

    @property
    def where(self):
        """What identifies the place."""
        return self.location or self.place

    @property
    def is_number(self):
        return is_number(self.value)

    @property
    def out_of_bounds(self):
        return self.is_number and (
            (self.low is not None and self.value < self.low) or (self.high is not None and self.value > self.high))


@dataclass
class Series:
    name: str
    unit: str
    place: str
    x_name: str
    x_unit: str
    location: str = ""
    expected: bool = False  # nothing was measured: what the other curves of the check should be
    share: float | None = None  # part of the time in which an event was counted
    points: list = field(default_factory=list)  # (x, value); x is the index where there is no other


@dataclass
class Limits:
    """What qualifies a finding. limit: what makes it a WARN and no FAIL, or ""; errata that it may be: (number or "", defect, document)."""

    limit: str = ""
    errata: list = field(default_factory=list)

    @property
    def texts(self):
        """A sentence each."""
        return [f"WARN, not FAIL: {self.limit}"] * bool(self.limit) + [
            f"expected by {'erratum ' + number if number else 'a known defect'}: {defect} ({document})" for number, defect, document in self.errata]


@dataclass
class Check:
    id: str
    title: str = ""
    specification: str = ""
    rows: str = ""
    detects: str = ""
    status: str = "ERROR"
    findings: list = field(default_factory=list)  # texts of FAIL and WARN
    found: list = field(default_factory=list)  # (type, verdict, location) of these, as in the stream
    limits: list = field(default_factory=list)  # Limits of these
    notes: list = field(default_factory=list)  # log lines
    errors: list = field(default_factory=list)
    measurements: list = field(default_factory=list)
    series: list = field(default_factory=list)
    evidence: list = field(default_factory=list)  # of dict, as in the stream
    causes: list = field(default_factory=list)  # of the step "diagnosis": dict, as in the stream
    monitors: list = field(default_factory=list)  # of the same step: dict, as in the stream
    stopped: bool = False  # of the same step: the run, on request
    cost: dict = field(default_factory=dict)
    begin: str = ""
    end: str = ""
    round: int = 1
    method: int = 0  # revision of how its figures are measured
    dropped: bool = False  # an attempt that does not count; another one follows
    waived: dict = field(default_factory=dict)  # number of a finding -> waive.Waiver
    expired: list = field(default_factory=list)  # Waivers that would apply if they had not expired
    after: str = ""  # the status by what is not waived, if something is: also WAIVED

    @property
    def shown(self):
        """The status for people: that of the stream unless findings are waived."""
        return self.after or self.status

    @property
    def name(self):
        """The id, with the number of the round (-repeat, -soak)."""
        return self.id if self.round == 1 or self.id in OWN_STEPS else f"{self.id}.round-{self.round}"

    @property
    def done(self):
        """Whether the step only counted: -count."""
        return self.cost.get("verdict") == "DONE"

    @property
    def reason(self):
        """The reason of a status other than PASS, in a line."""
        if self.status == "PASS":
            return ""
        left = [text for i, text in enumerate(self.findings) if i not in self.waived]
        for texts in (self.errors if self.shown == "ERROR" else [], left, self.findings, self.notes):
            if texts:
                return texts[0] if self.status != "SKIP" else texts[-1]
        return "no reason given"


@dataclass
class Report:
    path: str
    start: dict = field(default_factory=dict)  # testRunStart
    checks: list = field(default_factory=list)
    diagnosis: Check | None = None  # the step with the causes
    logs: list = field(default_factory=list)  # (severity, text) of the run
    errors: list = field(default_factory=list)
    faults: list = field(default_factory=list)  # (line, "json", "format" or "order", why)
    ended: bool = False
    torn: bool = False  # the last line is incomplete
    ending: dict = field(default_factory=dict)  # status and result of testRunEnd
    said: str = "ERROR"  # by testRunEnd
    contradictions: list = field(default_factory=list)  # sentences
    back: str = ""  # where the time of lines goes back within a boot: a contradiction
    result: str = "ERROR"  # verdict.py
    begin: str = ""
    end: str = ""

    @property
    def causes(self):
        """The causes of the findings: dict, as in the stream."""
        return self.diagnosis.causes if self.diagnosis else []

    @property
    def monitors(self):
        """The verdict on each monitor: dict, as in the stream."""
        return self.diagnosis.monitors if self.diagnosis else []

    @property
    def counts(self):
        """As the payload counts: its own steps count unless PASS. WAIVED, if findings are waived: checks with no other."""
        counted = [c.shown for c in self.checks if c.id not in OWN_STEPS or c.status != "PASS"]
        return {s: counted.count(s) for s in (*STATUSES, *(["WAIVED"] if self.waived else []))}

    @property
    def waived(self):
        """(check, finding, Waiver) of each waived finding."""
        return [(c, c.findings[i], w) for c in self.checks for i, w in sorted(c.waived.items())]

    @property
    def called(self):
        """The verdict as report.txt has it: NOTHING where no monitor was judged, STOPPED where the run was stopped on request."""
        return ("STOPPED" if self.diagnosis and self.diagnosis.stopped else "NOTHING") if self.result == "SKIP" else self.result

    @property
    def exit_status(self):
        return CONTRADICTS if self.contradictions else EXIT[self.result]

    @property
    def dut(self):
        return self.start.get("dutInfo", {})

    def info(self, key):
        """A platform information by its key, as "system-serial-number", or ""."""
        for item in self.dut.get("platformInfos", []):
            if item.get("info", "").startswith(key + ": "):
                return item["info"][len(key) + 2 :]
        return ""

    def software(self, kind):
        """Versions of softwareInfos whose id begins with kind, each once, in order."""
        seen = []
        for s in self.dut.get("softwareInfos", []):
            if s.get("softwareInfoId", "").startswith(kind) and s.get("version", "") not in seen:
                seen.append(s.get("version", ""))
        return seen

    def hardware(self, part):
        """Entries of hardwareInfos. Processors are columns of the metadata; older reports list each as an entry."""
        columns = self.dut.get("metadata", {}).get("processors") if part == "logical processor" else None
        listed = columns.get("apicId") if isinstance(columns, dict) else None
        if isinstance(listed, list):
            return [{"hardwareInfoId": f"cpu{n}", "partType": part} for n in range(len(listed))]
        return [h for h in self.dut.get("hardwareInfos", []) if h.get("partType") == part]

    @property
    def machine(self):
        return self.dut.get("name", "unknown machine")

    @property
    def serial(self):
        return self.info("system-serial-number") or self.info("baseboard-serial-number")

    @property
    def identity(self):
        """All that firmware says of which machine this is, () for nothing: serial numbers of system and baseboard, UUID; where these are
        placeholders, the processors' PPINs too (core/report/folder.h)."""
        metadata = self.dut.get("metadata", {})
        number, uuid = self.dut.get("dutInfoId", ""), metadata.get("system-uuid", "")
        texts = [self.info("system-serial-number"), self.info("baseboard-serial-number"), uuid if isinstance(uuid, str) and uuid else number]
        if number in ("", "0") or metadata.get("dutInfoIdFrom") == "none":
            ppins = " ".join(str(c["serialNumber"]) for c in self.hardware("CPU") if c.get("serialNumber"))
            texts = [*texts, ppins] if ppins or metadata.get("dutInfoIdFrom") != "none" else []
        return tuple(texts) if any(t not in ("", "0") for t in texts) else ()

    @property
    def label(self):
        """The machine for people and in labels: what the payload took for its own (dutInfoId), else a serial number or PPINs, else ""."""
        number = self.dut.get("dutInfoId", "")
        if self.dut.get("metadata", {}).get("dutInfoIdFrom") and number not in ("", "0"):
            return number
        return self.serial or ("" if number == "0" else number) or " ".join(self.identity[3:])

    @property
    def board(self):
        return " ".join(x for x in map(self.info, ("baseboard-product-name", "baseboard-version")) if x)

    @property
    def dimm_vendors(self):
        return ", ".join(sorted({str(h["manufacturer"]) for h in self.hardware("DIMM") if h.get("manufacturer")}))

    @property
    def virtual(self):
        return self.info("virtual silicon")

    @property
    def signature(self):
        """(family, model, stepping) of the packages as numbers; (None, None, None) where it is missing or they differ."""
        columns = self.dut.get("metadata", {}).get("packages")
        columns = [columns.get(name) for name in ("family", "model", "stepping")] if isinstance(columns, dict) else []
        found = list(zip(*columns, strict=False)) if all(isinstance(c, list) for c in columns) else []
        return found[0] if found and all(type(n) is int for n in found[0]) and found.count(found[0]) == len(found) else (None, None, None)

    @property
    def fields(self):
        """The machine for programs: name -> text, number or list."""
        cpus, assay = self.hardware("CPU"), self.software("assay")
        first, (family, model, stepping) = cpus[0] if cpus else {}, self.signature
        return {"name": self.machine, "manufacturer": self.info("system-manufacturer"), "product": self.info("system-product-name"),
                "serial": self.serial, "board": self.board, "boardSerial": self.info("baseboard-serial-number"),
                "vendor": str(first.get("manufacturer", "")), "processor": first.get("name", ""), "packages": len(cpus),
                "family": family, "model": model, "stepping": stepping, "microcode": self.software("microcode"), "firmware": self.software("bios"),
                "assay": assay[0] if assay else "", "commit": str(self.start.get("parameters", {}).get("commit", "")), "virtual": self.virtual}

    @property
    def model(self):
        """Product and processor."""
        cpus = self.hardware("CPU")
        return (self.info("system-product-name") or self.machine, cpus[0].get("name", "") if cpus else "")
