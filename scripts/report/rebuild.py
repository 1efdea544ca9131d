# SPDX-License-Identifier: BSD-2-Clause-Patent
"""report.jsonl from a capture of the serial console (-ui jsonl, -ui jsonl.gz), byte for byte.

Between `-----BEGIN ASSAY REPORT-----` and `-----END ASSAY REPORT-----` each line of the file begins with '{' at the start
of a line and is followed by `~N LENGTH CRC32`; before the end stand `~lines N`, `~bytes N`, `~sha256 DIGEST` (core/encoding/wire.h). A
terminal may fold and colour lines: line ends inside a line of the file and escape sequences are removed. Other output
stands between a `~` line and the next '{'. A logger may write stamps in front of lines, and marks into them: what is in front of BEGIN
is cut from lines of the same form, and length and CRC of a line say what is too much in it. UTF-16 is decoded, and lines
that a logger puts into objects of JSON are taken out of them. Packed lines are
gzip in base64 after a '{', from the first of the report on.
"""
import base64
import binascii
import hashlib
import json
import re
import sys
import zlib

from . import files

BEGIN = b"-----BEGIN ASSAY REPORT-----"
END = b"-----END ASSAY REPORT-----"
_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?=]*[A-Za-z]|[()][A-Za-z0-9]|[=>])")
MOST_ADDED = 1024  # characters that a logger writes into a line
_TRAILER = re.compile(rb"~(\d+) (\d+) ([0-9a-f]{8})$")
_BEGINS = re.compile(rb'\{["A-Za-z0-9+/]')
_PACKED = b"{H4sI"  # gzip's first bytes in base64
_TOTAL = re.compile(rb"~(lines|bytes|sha256) ([0-9a-f]+)$")


class Damaged(Exception):
    """The capture is damaged; `good`: the bytes before the damage."""

    def __init__(self, message, good=b""):
        super().__init__(message)
        self.good = good


def _form(prefix):
    """A pattern of what a logger writes in front of a line: the same words and digits may differ."""
    kinds = re.findall(rb"\d+|[A-Za-z]+|.", prefix, re.S)
    return re.compile(b"".join(rb"\d+" if k.isdigit() else rb"[A-Za-z]+" if k.isalpha() else re.escape(k) for k in kinds))


def _without(text, length, crc, forms):
    """The line of this length and CRC-32 in a text to which a logger added something, None: it is none. forms: of what was added before."""
    for form in forms:
        text = form.sub(b"", text)
    more = len(text) - length
    if not 0 <= more <= MOST_ADDED:
        return None
    so_far = 0
    for at in range(length + 1):
        if zlib.crc32(text[at + more:], so_far) == crc:
            if more:
                forms.append(_form(text[at : at + more]))
            return text[:at] + text[at + more:]
        so_far = zlib.crc32(text[at : at + 1], so_far)
    return None


def _one_line(number, text, trailer, at, forms):
    """The line, without what a logger wrote into it. Damaged: it is not as it was sent."""
    said, length, crc = int(trailer[1]), int(trailer[2]), int(trailer[3], 16)
    if said != number:
        missing = f"line {number} is missing" if said == number + 1 else f"lines {number} to {said - 1} are missing"
        raise Damaged(f"capture line {at}: this is line {said} of the report, but {missing}")
    line = _without(text, length, crc, forms)
    if line is None and len(text) != length:
        raise Damaged(f"line {number} of the report (capture line {at}): {len(text)} of {length} characters")
    if line is None:
        raise Damaged(f"line {number} of the report (capture line {at}): its checksum differs")
    return line


def _mended(tail, number, text, forms):
    """The match of the trailer of line `number` into which a logger wrote, or None. text: the line."""
    tried = set()
    for end in range(len(tail), 0, -1):
        for at in range(end if tail.startswith(b"~") else 0):
            found = _TRAILER.match(tail[:at] + tail[end:])
            if found and int(found[1]) == number and found[0] not in tried:
                tried.add(found[0])
                if _without(text, int(found[2]), int(found[3], 16), list(forms)) is not None:
                    return found
    return None


_WRAPPED = re.compile(rb'^[^\n"]{0,64}?(\{.*"(?:msg|log|message|MESSAGE)"\s*:\s*"[^\n]*\})\s*$', re.M)


def _unwrapped(found):
    """The text that a logger has put into an object of JSON, with its line end; what is no such object as it is."""
    try:
        wrapped = json.loads(found[1], strict=False)
        text = next(wrapped[k] for k in ("msg", "log", "message", "MESSAGE") if isinstance(wrapped.get(k), str))
    except (ValueError, StopIteration, RecursionError):
        return found[0]
    return text.rstrip("\r\n").encode()


def _decoded(capture):
    """The capture in ASCII; Windows PowerShell 5 redirects as UTF-16, LAVA, Docker and journalctl put each line into JSON."""
    at = capture.find(BEGIN)
    if at > 0 and (begin := _WRAPPED.search(capture, capture.rfind(b"\n", 0, at) + 1)) and begin.start() <= at < begin.end():
        return _WRAPPED.sub(_unwrapped, capture)
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if capture.startswith(mark) or capture.find(BEGIN.decode().encode(name)) % 2 == 0:
            return capture.removeprefix(mark).decode(name, "replace").encode()
    return capture


def _check_totals(totals, lines, data):
    sent = {b"lines": str(lines).encode(), b"bytes": str(len(data)).encode(),
            b"sha256": hashlib.sha256(data).hexdigest().encode()}
    for name, value in sent.items():
        if totals.get(name) != value:
            said = totals.get(name, b"nothing").decode()
            raise Damaged(f"{name.decode()}: the trailer says {said}, the lines have {value.decode()}")


def _unpacked(lines, whole=True):
    """The report in lines that came as they were sent; of a part of them the lines of the report that are whole."""
    if not lines or not lines[0].startswith(_PACKED):
        return b"".join(line + b"\n" for line in lines)
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)  # 16: with gzip's header
    report = b""
    try:
        for line in lines:
            report += packed.decompress(base64.b64decode(line[1:], validate=True), files.MOST - len(report))
    except (binascii.Error, zlib.error, ValueError) as e:
        if whole:
            raise Damaged(f"the report in the lines: {e}") from None
    if whole and not packed.eof:
        raise Damaged(f"the report in the lines ends early, or has more than {files.MOST >> 20} MiB")
    return report if whole else report[: report.rfind(b"\n") + 1]


def rebuild(capture):
    """The bytes of the last report.jsonl in a capture."""
    plain = _ESCAPES.sub(b"", _decoded(capture))
    if BEGIN not in plain:
        raise Damaged("no report in this capture: run with -ui jsonl")
    first = plain.rindex(BEGIN)
    stamp = _form(plain[plain.rfind(b"\n", 0, first) + 1 : first].lstrip(b"\r"))
    at = plain.count(b"\n", 0, first) + 1
    data, totals, text, began, forms, tail = [], {}, None, at, [], b""
    try:
        for raw in plain[first:].split(b"\n")[1:]:
            at += 1
            line = raw.replace(b"\r", b"")
            if stamp.pattern and (found := stamp.match(line)):
                line = line[found.end():]
            trailer, total = _TRAILER.search(line), _TOTAL.match(line)
            if trailer and text is not None and trailer.start() > 0 and int(trailer[1]) == len(data) + 1:
                text += line[: trailer.start()]  # its end of line was lost
            elif trailer and trailer.start() > 0:
                trailer = None
            if text is not None and not trailer and (tail or line.startswith(b"~")):
                tail += line
                trailer = _mended(tail, len(data) + 1, text, forms) if len(tail) <= MOST_ADDED else None
                if not trailer and len(tail) <= MOST_ADDED:
                    continue
            if text is not None and trailer:
                data.append(_one_line(len(data) + 1, text, trailer, began, forms))
                text, tail = None, b""
            elif line.startswith(b"{") and (text is None or not text.startswith(b"{")):
                text, began = line, at
            elif text is None and trailer:
                _one_line(len(data) + 1, b"", trailer, at, forms)
            elif text is None and total:
                totals[total[1]] = total[2]
            elif END in line:
                break
            elif text is not None:
                text += line
            elif _BEGINS.search(line):
                text, began = line, at
        else:
            raise Damaged(f"the capture ends before the report does, after line {len(data)}")
        if text is not None:
            raise Damaged(f"line {len(data) + 1} of the report (capture line {began}): its end is missing")
        whole = _unpacked(data)
        _check_totals(totals, len(data), whole)
    except Damaged as e:
        raise Damaged(str(e), _unpacked(data, False)) from None
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


def main(name, keep, write):
    """assay-report rebuild: the file's bytes are written; 0, or 1 and the damaged line by name. keep: also those before it."""
    capture = files.content(name)
    try:
        page = _of_page(capture)
        write(rebuild(capture) if page is None else page)
    except Damaged as e:
        print(f"assay-report: {name}: {e}", file=sys.stderr)
        if keep:
            write(e.good)
        return 1
    return 0
