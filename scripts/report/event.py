# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A report as an event for management software: a Redfish Event, and an entry of a BMC's System Event Log (SEL) for ipmitool."""
from __future__ import annotations

import json

from . import safe
from .export import machine

# Redfish DSP0268, Resource.Health: what MessageSeverity may be.
_SEVERITY = {"FAIL": "Critical", "ERROR": "Warning", "WARN": "Warning"}
# DMTF's registry TaskEvent 1.0: (key, severity, the sentence). TaskAborted is "completed with errors".
_RUN = {
    "OK": ("TaskCompletedOK", "OK", "The task with Id '{}' has completed."),
    "Warning": ("TaskCompletedWarning", "Warning", "The task with Id '{}' has completed with warnings."),
    "Critical": ("TaskAborted", "Critical", "The task with Id '{}' has completed with errors."),
}


def health(r):
    """OK, Warning or Critical: Critical is a FAIL; Warning a WARN, an ERROR, or a run that checked nothing."""
    if r.result == "FAIL":
        return "Critical"
    return "OK" if r.result in ("PASS", "DONE") else "Warning"


def _record(number, stamp, severity, message_id, message, args):
    record = {"MemberId": str(number), "EventType": "Other" if severity == "OK" else "Alert", "EventId": str(number),
              "MessageSeverity": severity, "MessageId": message_id, "Message": message, "MessageArgs": args}
    return record | ({"EventTimestamp": stamp} if stamp else {})


def _records(r, number):
    """Of a report: how the run ended (TaskEvent), then each FAIL, ERROR and WARN (ResourceEvent)."""
    run = safe.line(f"assay-{r.label}-{r.begin}")
    key, severity, sentence = _RUN[health(r)]
    yield _record(number, r.end or r.begin, severity, f"TaskEvent.1.0.{key}", sentence.format(run), [run])
    for status in _SEVERITY:
        for c in (c for c in r.checks if c.status == status):
            number += 1
            args = [safe.line(c.name), safe.line(c.reason)]
            yield _record(number, c.end or c.begin, _SEVERITY[status], "ResourceEvent.1.0.ResourceErrorsDetected",
                          "The resource property {} has detected errors of type '{}'.".format(*args), args)


def redfish(reports):
    """Redfish DSP0268, Event 1.7; messages of DMTF's registries TaskEvent and ResourceEvent. MemberId is the index in
    Events. Oem.Assay has the machines."""
    records = []
    for r in reports:
        records += _records(r, len(records))
    event = {"@odata.type": "#Event.v1_7_0.Event", "Id": "assay", "Name": "Assay: hardware validation of RDT and uncore monitors",
             "Events": records, "Oem": {"Assay": {"Machines": [
                 {k: safe.line(v) if isinstance(v, str) else v for k, v in machine(r).items()} | {"result": r.result} for r in reports]}}}
    return json.dumps(event, indent=1) + "\n"


# IPMI 2.0, table 42-2: generic event/reading type 07H (severity); 42-3: sensor type 07H (processor). Its offsets.
_OFFSET = {"OK": 0x0, "Warning": 0x1, "Critical": 0x2}
_WORDS = {"OK": "transition to OK", "Warning": "transition to Non-Critical from OK", "Critical": "transition to Critical from less severe"}


def sel(reports):
    """One entry for each report, in the format of `ipmitool sel add FILE`: event message revision, sensor type, sensor number, event type, and the
    three bytes of event data (IPMI 2.0, 32.1). ipmitool gives it the generator id 41H, system software, whose sensor numbers are its own.

    Event data 1 is A0H (OEM codes in bytes 2 and 3) with the severity; 2 is the number of checks that FAIL, 3 that of WARN and ERROR, at
    most 254 each, FFH being "unspecified"."""
    out = []
    for r in reports:
        h = health(r)
        data = 0xA0 | _OFFSET[h], min(r.counts["FAIL"], 254), min(r.counts["WARN"] + r.counts["ERROR"], 254)
        out.append("0x04 0x07 0x00 0x07 " + " ".join(f"0x{d:02x}" for d in data)
                   + f" # {_WORDS[h]}: Assay {r.result}, serial {safe.line(r.label)}, {safe.line(r.begin)}")
    return "".join(line + "\n" for line in out)
