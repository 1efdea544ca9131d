# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The checks and the rows of the conformance list, as data, of docs/checks.md and docs/conformance.tsv. `make docs` writes the one from the
checks' rows; a package has both in this program's share/assay/docs."""
from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from .model import StreamError

DOCS = Path(__file__).resolve().parents[2] / "docs"
_CHECK = re.compile(r"\| (\S+\.\S+) \| (.+) \| (.*?) \|( WARN)?((?: [el])*) \|")
_FAULT = re.compile(r"\| ([a-z][a-z0-9-]*) \| (.+) \| ([A-Z][A-Z0-9]*[-a-z0-9]*(?:,[A-Z][-A-Za-z0-9]*)*) \| (?:.*) \| .*\|")


def checks(text):
    """Every check in running order."""
    for line in text.splitlines():
        m = _CHECK.fullmatch(line)
        if m:
            yield {"id": m[1], "rule": m[2], "needs": m[3].split(", ") if m[3].strip() else [], "worst": "WARN" if m[4] else "FAIL",
                   "byExperience": " e" in m[5], "slow": " l" in m[5]}


def rows(text):
    """Every row of the conformance list; covered: why no check covers it, or "". """
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def faults(docs=DOCS):
    """Defects of the virtual silicon (FAULT=NAME), of the page that `make docs` writes or the package assay-silicon has; none without it."""
    for page in (docs.parent / "build" / "docs" / "faults.md", docs.parents[1] / "doc" / "assay-silicon" / "faults.md"):
        if page.is_file():
            found = map(_FAULT.fullmatch, page.read_text(encoding="utf-8").splitlines())
            return [{"name": m[1], "defect": m[2], "rows": m[3].split(",")} for m in found if m]
    return []


def as_json(docs=DOCS):
    """StreamError where a file has none, OSError where it is not there."""
    found = {"checks": list(checks((docs / "checks.md").read_text(encoding="utf-8"))),
             "rows": rows((docs / "conformance.tsv").read_text(encoding="utf-8"))}
    for what, some in found.items():
        if not some:
            raise StreamError(f"{docs}: no {what}")
    found["faults"] = faults(docs)
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
