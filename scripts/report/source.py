# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Sources of reports: files, folders, and web servers that list a folder in JSON (nginx: autoindex_format json).

A path is a file's name or the URL of a stream. The environment variable ASSAY_TOKEN is sent as "Authorization: Bearer", to the server
that a path names, and to none that it redirects to.
"""
from __future__ import annotations

import json
import os
from pathlib import Path

from . import files
from .model import StreamError

SECONDS = 60  # time-out of a server
LAST_LINE = 4096  # bytes, at most, of a testRunEnd
DEEPEST = 8  # levels of folders on a server


def remote(path):
    return str(path).startswith(("http://", "https://"))


def _within(data, path):
    """StreamError: what no report is, or one that was written again in another encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise StreamError(f"{path}: this is UTF-16, as Windows PowerShell 5 writes with >; copy the file instead, or save it as UTF-8")
    if data.startswith(b"\x1f\x8b"):
        raise StreamError(f"{path}: this is gzip: unpack it first")
    return data


def _get(url):
    from urllib.error import URLError  # pylint: disable=import-outside-toplevel  # half of a start
    from urllib.request import Request, urlopen  # pylint: disable=import-outside-toplevel
    token = os.environ.get("ASSAY_TOKEN")
    try:
        request = Request(url)
        if token:
            request.add_unredirected_header("Authorization", f"Bearer {token}")
        with urlopen(request, timeout=SECONDS) as answer:
            data = answer.read(files.MOST + 1)
    except (URLError, ValueError) as e:  # ValueError: no URL
        raise StreamError(f"{url}: {getattr(e, 'reason', e)}") from e
    if len(data) > files.MOST:
        raise StreamError(f"{url}: more than {files.MOST >> 20} MiB: no report")
    return _within(data, url)


def content(path):
    """The bytes of a stream; OSError or StreamError: it cannot be read."""
    if remote(path):
        return _get(str(path))
    if os.path.isdir(path):
        raise StreamError(f"{path}: a folder: name the report.jsonl in it")
    return _within(files.content(path), path)


def last_line(path):
    """The last line of a stream in a file, b"" of one on a server: it would be fetched for it."""
    if remote(path):
        return b""
    with open(path, "rb") as f:
        f.seek(max(0, os.stat(path).st_size - LAST_LINE))
        return f.read().rstrip(b"\n").rpartition(b"\n")[2]


DERIVED, DIGESTS = "figures", "sha256"  # the ends of names of files beside a stream


def beside(path, end):
    """The name of another file of a report: "figures" for report.figures beside report.jsonl."""
    return str(path).removesuffix("jsonl") + end


def _listed(url, depth=0):
    from urllib.parse import quote  # pylint: disable=import-outside-toplevel
    try:
        entries = {e["name"]: (e["type"], [e.get("size"), e.get("mtime")]) for e in json.loads(_get(url))}
    except (ValueError, TypeError, KeyError) as e:
        raise StreamError(f"{url}: not a list of a folder in JSON (nginx: autoindex on, autoindex_format json)") from e
    for name, (kind, stamp) in entries.items():
        if "/" in name or name in (".", ".."):
            raise StreamError(f"{url}: {name!r} is not the name of a file in it")
        there = url + quote(name, safe="")
        if kind == "directory" and depth < DEEPEST:
            yield from _listed(there + "/", depth + 1)
        elif kind == "file" and name.endswith(".jsonl"):
            yield there, [stamp, *(entries.get(beside(name, end), (None, None))[1] for end in (DERIVED, DIGESTS))]


def find(paths):
    """Report streams in files, folders and URLs, each once, sorted."""
    return sorted(stamped(paths))


def stamped(paths):
    """{path: [size and time of modification of the stream, of its report.figures and of its report.sha256], None for a missing
    one; None: nothing is known of the stream}"""
    out = {}
    for p in paths:
        if remote(p):
            out.update(_listed(p) if str(p).endswith("/") else [(str(p), None)])
            continue
        for f in filter(files.regular, Path(p).rglob("*.jsonl")) if Path(p).is_dir() else [Path(p)]:
            stamp = _stamp(f)
            out[str(f)] = stamp and [stamp, *(_stamp(beside(f, end)) for end in (DERIVED, DIGESTS))]
    return out


def _stamp(path):
    try:
        s = os.stat(path)
    except OSError:
        return None
    return [s.st_size, s.st_mtime_ns]
