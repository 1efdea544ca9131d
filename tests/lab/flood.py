#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/lab/flood.py [MACHINES]: so many machines (1000) send their runs to one lab's nginx and watcher at once, from loopback, while ten
others misbehave, each in one way. Prints what was filed, what went into quarantine, the watcher's memory and processor time, and how
long after the last upload the page was right. Exit status 1: a run was lost, a wrong one filed, or more than 300 MB taken."""
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from machine import options, put  # noqa: E402
import test_server  # noqa: E402
from test_watch import TOOL, files_of, passing, pieces_of, stream_of, tool  # noqa: E402

DAY = "20261125T031400"
MOST = "2M"


def good(serial, s):
    return f"{serial}-{DAY}", pieces_of(s, 8) | files_of(s)


def bad_runs():
    """(folder, files, whether it is to be in quarantine) of ten machines, each in its own way."""
    s = passing("BAD")
    whole = files_of(s)
    yield f"BAD0-{DAY}", files_of(passing("OTHER")), True  # another machine's report
    yield f"BAD1-{DAY}", files_of(passing("BAD1")) | {"report.jsonl": stream_of(passing("BAD1", value=6))}, True  # edited after its digests
    yield f"BAD2-{DAY}", pieces_of(passing("S1")) | files_of(passing("BAD2")), True  # pieces of another run
    yield f"BAD3-{DAY}", {"report.jsonl.000000": b"x" * (3 << 20)}, True  # more than run-most
    yield f"BAD4-{DAY}", {"report.jsonl.000000": b"{" * (1 << 20) + b"\n"}, False  # one line of nesting, and then nothing
    yield f"BAD5-{DAY}", {f"report.jsonl.{n:06}": b"\n" for n in range(300)}, False  # pieces without lines
    yield f"BAD6-{DAY}", {k: v for k, v in whole.items() if k == "report.sha256"}, True  # digests alone
    yield f"BAD7-{DAY}", files_of(passing("BAD7")) | {"report.html": b"<script>alert(1)</script>"}, True  # a page of its own
    yield f"BAD8-{DAY}", {"report.jsonl": b"\xff\n" * 1000, "report.sha256": b"0" * 64 + b"  report.jsonl\n"}, True
    yield f"BAD9-{DAY}", {"report.jsonl.000000": b"".join(b'{"a":%d}\n' % n for n in range(50000))}, False  # short lines, no stream


def resident(pid):
    """Bytes that a process and its children have had at most."""
    pids = [pid, *map(int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split())]
    most = 0
    for p in pids:
        try:
            text = Path(f"/proc/{p}/status").read_text(encoding="ascii")
        except OSError:
            continue
        most += int(text.split("VmHWM:")[1].split()[0]) << 10
    return most


def processor(pid):
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def flood(machines, folder):
    """{what: number} of one flood into a lab in `folder`."""
    port, lab = test_server.free_port(), Path(folder) / "lab"
    status, out, err = tool("init", lab, "--address", "127.0.0.1/8", "--interface", "lo", "--port", port, "--user", test_server.server_user())
    assert status == 0, out + err
    with open(lab / "lab.conf", "a", encoding="utf-8") as f:
        f.write(f"run-most = {MOST}\nevery = 1\n")
    url, token = f"http://127.0.0.1:{port}/inbox/", options(lab / "boot/assay/default.cfg")["token"]
    server = subprocess.Popen([test_server.NGINX, "-p", lab, "-c", lab / "nginx-alone.conf", "-g", "daemon off;"], stderr=subprocess.DEVNULL)
    watcher = subprocess.Popen([sys.executable, TOOL, "watch", lab], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    runs = [good(f"M{n}", passing(f"M{n}", checks=20)) for n in range(machines)]
    bad = list(bad_runs())
    refused = []

    def send(run):
        for name, data in run[1].items():
            for _ in range(20):
                try:
                    got = put(url, token, f"{run[0]}/{name}", data)
                except OSError:
                    got = 0
                if got in (201, 204, 409):
                    break
                time.sleep(0.1)
            else:
                refused.append((run[0], name, got))

    try:
        while not (lab / "state/nginx.pid").exists():
            time.sleep(0.05)
        began = time.monotonic()
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(send, [*runs[:machines // 2], *bad, *runs[machines // 2:]]))
        sent = time.monotonic()
        page, filed = lab / "www/index.html", 0
        while time.monotonic() < sent + 600 and filed < machines:
            time.sleep(0.2)
            text = page.read_text(encoding="utf-8") if page.exists() else ""
            filed = sum(f"/reports/M{n}/" in text for n in range(machines))
        right = time.monotonic()
        memory, taken, ended = resident(watcher.pid), processor(watcher.pid), watcher.poll()
    finally:
        watcher.terminate()
        server.terminate()
        said = watcher.communicate()[1]
        server.wait()
    verdicts = [lab / "reports" / f"M{n}" / DAY / "verdict.json" for n in range(machines)]
    return {"machines": machines, "seconds of upload": sent - began, "not taken": len(refused),
            "filed as PASS": sum(v.exists() and json.loads(v.read_text(encoding="utf-8"))["result"] == "PASS" for v in verdicts),
            "on the page": filed, "seconds until the page was right": right - sent, "MB of the watcher": memory / 1e6,
            "its processor seconds": taken,
            "in quarantine": sum((lab / "quarantine" / name).exists() for name, _, wrong in bad if wrong), "to be there": sum(b[2] for b in bad),
            "wrongly filed": sum((lab / "reports" / name.split("-")[0] / DAY).exists() for name, _, _ in bad), "watcher ended": int(ended is not None or bool(said))}


def lost(got):
    """Whether a run was lost, a wrong one filed, or too much memory taken."""
    return (got["filed as PASS"] != got["machines"] or got["on the page"] != got["machines"] or got["in quarantine"] != got["to be there"]
            or got["not taken"] or got["wrongly filed"] or got["watcher ended"] or got["MB of the watcher"] >= 300)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        got = flood(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, folder)
    for what, n in got.items():
        print(f"{what:34} {n:10.1f}" if isinstance(n, float) else f"{what:34} {n:10}")
    return int(bool(lost(got)))


if __name__ == "__main__":
    sys.exit(main() if test_server.NGINX else 2)
