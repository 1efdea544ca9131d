# SPDX-License-Identifier: BSD-2-Clause-Patent
"""report.jsonl from a capture of the serial console (-ui jsonl), byte for byte.

Between `-----BEGIN ASSAY REPORT-----` and `-----END ASSAY REPORT-----` each line of the file begins with '{' at the start
of a line and is followed by `~N LENGTH CRC32`; before the end stand `~lines N`, `~bytes N`, `~sha256 DIGEST` (core/encoding/wire.h). A
terminal may fold and colour lines: line ends inside a line of the file and escape sequences are removed. Other output
stands between a `~` line and the next '{'.
"""
import hashlib
import re
import sys
import zlib

BEGIN = b"-----BEGIN ASSAY REPORT-----"
END = b"-----END ASSAY REPORT-----"
_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?=]*[A-Za-z]|[()][A-Za-z0-9]|[=>])")
_TRAILER = re.compile(rb"~(\d+) (\d+) ([0-9a-f]{8})$")
_TOTAL = re.compile(rb"~(lines|bytes|sha256) ([0-9a-f]+)$")


class Damaged(Exception):
    """The capture is damaged; `good`: the bytes before the damage."""

    def __init__(self, message, good=b""):
        super().__init__(message)
        self.good = good


def _one_line(number, text, trailer, at):
    """Damaged: a line is not as it was sent."""
    said, length, crc = int(trailer[1]), int(trailer[2]), int(trailer[3], 16)
    if said != number:
        missing = f"line {number} is missing" if said == number + 1 else f"lines {number} to {said - 1} are missing"
        raise Damaged(f"capture line {at}: this is line {said} of the report, but {missing}")
    if len(text) != length:
        raise Damaged(f"line {number} of the report (capture line {at}): {len(text)} of {length} characters")
    if zlib.crc32(text) != crc:
        raise Damaged(f"line {number} of the report (capture line {at}): its checksum differs")


def _check_totals(totals, lines, data):
    sent = {b"lines": str(lines).encode(), b"bytes": str(len(data)).encode(),
            b"sha256": hashlib.sha256(data).hexdigest().encode()}
    for name, value in sent.items():
        if totals.get(name) != value:
            said = totals.get(name, b"nothing").decode()
            raise Damaged(f"{name.decode()}: the trailer says {said}, the lines have {value.decode()}")


def rebuild(capture):
    """The bytes of the last report.jsonl in a capture."""
    plain = _ESCAPES.sub(b"", capture)
    if BEGIN not in plain:
        raise Damaged("no report in this capture: run with -ui jsonl")
    first = plain.rindex(BEGIN)
    at = plain.count(b"\n", 0, first) + 1
    data, totals, text, began = [], {}, None, at
    try:
        for raw in plain[first:].split(b"\n")[1:]:
            at += 1
            line = raw.replace(b"\r", b"")
            trailer = _TRAILER.match(line)
            total = _TOTAL.match(line)
            if text is None and line.startswith(b"{"):
                text, began = line, at
            elif text is not None and trailer:
                _one_line(len(data) + 1, text, trailer, began)
                data.append(text)
                text = None
            elif text is None and trailer:
                _one_line(len(data) + 1, b"", trailer, at)
            elif text is None and total:
                totals[total[1]] = total[2]
            elif line.startswith(END):
                break
            elif text is not None:
                text += line
        else:
            raise Damaged(f"the capture ends before the report does, after line {len(data)}")
        if text is not None:
            raise Damaged(f"line {len(data) + 1} of the report (capture line {began}): its end is missing")
        whole = b"".join(line + b"\n" for line in data)
        _check_totals(totals, len(data), whole)
    except Damaged as e:
        raise Damaged(str(e), b"".join(line + b"\n" for line in data)) from None
    return whole


def _of_page(text):
    """The stream in a report.html; None: not a report.html."""
    if not text.startswith(b"<!doctype html>"):
        return None
    from .page import inside  # pylint: disable=import-outside-toplevel
    try:
        return inside(text.decode("utf-8", "replace"))
    except (ValueError, OSError, EOFError, zlib.error) as e:
        raise Damaged(f"the report inside the page is damaged: {e}", b"") from None


def main(arguments):
    """assay-report rebuild [-k] CAPTURE|PAGE: the file on standard output; 0, or 1 and the damaged line by name."""
    keep = "-k" in arguments
    names = [a for a in arguments if a != "-k"]
    if len(names) != 1:
        print("usage: assay-report rebuild [-k] CAPTURE|report.html > report.jsonl", file=sys.stderr)
        return 2
    try:
        with open(names[0], "rb") as f:
            capture = f.read()
    except OSError as e:
        print(f"assay-report: {names[0]}: {e.strerror}", file=sys.stderr)
        return 2
    try:
        page = _of_page(capture)
        sys.stdout.buffer.write(rebuild(capture) if page is None else page)
    except Damaged as e:
        print(f"assay-report: {names[0]}: {e}", file=sys.stderr)
        if keep:
            sys.stdout.buffer.write(e.good)
        return 1
    return 0
