#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""report.figures of a stream, as the payload derives it but for the spelling of numbers, and report.sha256 of files.

tests/support/drivers/figures.py STREAM prints what tests/fixtures/stream/golden.figures is, where that is golden.jsonl."""
import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from report import figures_file, stream  # noqa: E402


def _number(v):
    return v if v is None or v != int(v) else int(v)


def figures_of(data):
    """data: a stream's bytes."""
    head, rows, end = figures_file.derived(stream.read("report.jsonl", data), data)
    lines = [{"figures": figures_file.VERSION}]
    for check, n, verdict, some, found in rows:
        lines += [{"check": check, "figures": [names for names, _ in some]}, [_number(v) for _, numbers in some for v in numbers],
                  {"found": found, "verdict": verdict, "round": n}]
    lines.append({"end": end})
    return head + "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()


def digests_of(files):
    """files: {name: bytes}"""
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()).encode()


def put_beside(path):
    """report.figures and report.sha256 of a stream, beside it."""
    data = Path(path).read_bytes()
    files = {"report.jsonl": data, "report.figures": figures_of(data)}
    Path(path).with_suffix(".figures").write_bytes(files["report.figures"])
    Path(path).with_suffix(".sha256").write_bytes(digests_of(files))


if __name__ == "__main__":
    sys.stdout.buffer.write(figures_of(Path(sys.argv[1]).read_bytes()))
