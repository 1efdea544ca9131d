# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Whether the files of a report are as the run wrote them: by report.sha256, and by a digest that was kept elsewhere, as from the QR code on
the screen."""
from __future__ import annotations

import hashlib
import re

from .files import content
from .stream import StreamError

NAME = "report.sha256"
FILES = ("report.jsonl", "report.txt", "report.figures", "report.html")
_LINE = re.compile(r"([0-9a-f]{64})  ([\w.]+)")


def digests(folder):
    """{name: digest} of report.sha256; StreamError: not a list of digests of the files of a report."""
    path = folder / NAME
    return listed(content(path), path)


def listed(data, path):
    """The same from its bytes."""
    out = {}
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        m = _LINE.fullmatch(line)
        if not m or m[2] not in FILES or m[2] in out:
            raise StreamError(f"{path}:{number}: not a digest of a file of a report")
        out[m[2]] = m[1]
    if FILES[0] not in out:
        raise StreamError(f"{path}: the digest of {FILES[0]} is missing")
    return out


def files(folder, known=None):
    """[(name, "" or how the file differs from what was written)] of a report's folder. known: the stream's digest from elsewhere."""
    out = []
    for name, digest in digests(folder).items():
        if name == FILES[0] and known and known.lower() != digest:
            out.append((NAME, f"says {digest} of {name}, not {known.lower()}"))
            digest = known.lower()
        try:
            now = hashlib.sha256(content(folder / name)).hexdigest()
        except FileNotFoundError:
            out.append((name, "is missing"))
        else:
            out.append((name, "" if now == digest else f"is not what the run wrote: SHA-256 {now}, not {digest}"))
    return out
