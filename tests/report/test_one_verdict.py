# SPDX-License-Identifier: BSD-2-Clause-Patent
"""One file, one verdict: mutants of streams are read by the readers in C, Python and JavaScript, and each finds the same first
fault; the latter two say the same verdict and the same number of contradictions. What the readers once read differently stands in
tests/fixtures/stream/damaged.json as a line of its own.

ASSAY_MUTANTS: how many of each stream (400); ASSAY_SEED: of the random numbers (1).
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import stream  # noqa: E402

MUTANTS, SEED = int(os.environ.get("ASSAY_MUTANTS", "400")), int(os.environ.get("ASSAY_SEED", "1"))
AT_ONCE = 200  # files on a command line
BYTES = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\0", b"\n", b"\r", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":",
         b"-", b"0", b"1e400", b"1e5", b".5", b"null", b"true", b"NaN", b"\\ud800", b"\\u0041", b"\xc3\xa9", b"9" * 200, b"\t", b" "]
VALUES = [None, True, False, 0, -1, 1.5, 2**53, 2**64, 10**30, 1e308, "", "PASS", "FAIL", "SKIP", "ERROR", "COMPLETE", "x" * 200, [], {}, [1], {"a": 1}]


def paths(o, way=()):
    inner = o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, list) else ()
    for k, v in inner:
        yield (*way, k)
        yield from paths(v, (*way, k))


class Mutator:
    def __init__(self, lines, seed):
        self.lines, self.random = lines, random.Random(seed)

    def structure(self, line):
        """A member of the line gets another value, or goes, or stands twice, or its key changes."""
        pick, o = self.random.choice, json.loads(line)
        *way, last = pick(list(paths(o)))
        at = o
        for key in way:
            at = at[key]
        what = pick(("value", "value", "delete", "twice", "rename", "borrow", "array"))
        if what == "value" or not isinstance(at, dict):
            at[last] = pick(VALUES)
        elif what == "delete":
            del at[last]
        elif what == "rename":
            at[pick(("name", "value", "type", "status", "result", "x"))] = at.pop(last)
        elif what == "borrow":
            other = json.loads(pick(self.lines))
            at[last] = other[pick(list(other))]
        elif what == "array":
            at[last] = [at[last]]
        else:
            again = json.dumps({last: pick(VALUES)})[1:-1]
            text = json.dumps(o, separators=(",", ":"))
            key = json.dumps({last: at[last]}, separators=(",", ":"))[1:-1]
            return text.replace(key, f"{key},{again}" if self.random.random() < 0.5 else f"{again},{key}", 1).encode()
        return json.dumps(o, separators=(",", ":"), ensure_ascii=self.random.random() < 0.5).encode()

    def bytes(self, line):
        at, what = self.random.randrange(len(line)), self.random.randrange(4)
        if what == 0:
            return line[:at] + bytes([line[at] ^ 1 << self.random.randrange(8)]) + line[at + 1 :]
        if what == 1:
            return line[:at] + line[at + self.random.randrange(1, 9) :]
        return line[:at] + self.random.choice(BYTES) + line[at + (what == 2) :]

    def mutant(self):
        lines = [line.encode() for line in self.lines]
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            at = self.random.randrange(len(lines))
            what = self.random.choice(("structure", "structure", "bytes", "order"))
            if what == "order":
                other = self.random.randrange(len(lines))
                self.random.choice((lambda: lines.insert(other, lines[at]), lambda: lines.pop(at),
                                    lambda: lines.__setitem__(slice(at, at + 2), lines[at : at + 2][::-1]), lambda: lines.__delitem__(slice(at, None))))()
            else:
                try:
                    lines[at] = getattr(self, what)(lines[at])
                except (ValueError, IndexError):
                    pass  # a mutant of an earlier one, of no JSON
            if not lines:
                break
        return b"\n".join(lines) + b"\n" * (self.random.random() < 0.9)


def by_python(path):
    r = stream.scan(path)
    return f"{r.result} {len(r.contradictions)} " + (f"{r.faults[0][0]} {r.faults[0][1]}" if r.faults else "-")


def by(command, files):
    out = []
    for at in range(0, len(files), AT_ONCE):
        p = subprocess.run([*command, *files[at : at + AT_ONCE]], capture_output=True, text=True, timeout=300, check=True)
        out += p.stdout.splitlines()
    return out


def streams():
    """A FAIL, and a PASS that is made of it: without its steps 1, 2, 4 and 10, and without errors."""
    golden = (ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    good = [line for line in golden if '"error"' not in line and not re.search(r'"testStepId":"([124]|10)"', line)]
    numbered = (re.sub(r'"sequenceNumber":\d+', f'"sequenceNumber":{n}', line) for n, line in enumerate(good))
    return golden, "\n".join(numbered).replace('"result":"FAIL"', '"result":"PASS"').splitlines()


class OneVerdict(unittest.TestCase):
    def test_three_readers_read_each_mutant_alike(self):
        node = shutil.which("node") or self.skipTest("node is not there")
        own = ROOT / "build" / "host" / "validate-report"
        subprocess.run([ROOT / "scripts" / "validate-report", ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)  # builds it
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for which, lines in enumerate(streams()):
                mutator = Mutator(lines, f"{SEED} {which}")
                for n in range(MUTANTS):
                    files.append(f"{folder}/{which}-{n}.jsonl")
                    Path(files[-1]).write_bytes(mutator.mutant())
            readings = (list(map(by_python, files)), by([own, "--reading"], files), by([node, ROOT / "tests" / "report" / "read_stream.mjs"], files))
            self.assertEqual([len(files)] * 3, list(map(len, readings)))
            different = [(Path(f).name, *r) for f, *r in zip(files, *readings) if r[0] != r[2] or r[0].split(" ", 2)[2] != r[1]]
            if different and os.environ.get("ASSAY_KEEP"):
                shutil.copytree(folder, os.environ["ASSAY_KEEP"], dirs_exist_ok=True)
            self.assertEqual(different, [])
            self.assertGreater(len(set(readings[0])), MUTANTS / 20)  # they are not all of one kind


if __name__ == "__main__":
    unittest.main()
