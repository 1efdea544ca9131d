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
import tempfile
import unittest
from pathlib import Path

import stream_readings
from stream_readings import ROOT

MUTANTS, SEED = int(os.environ.get("ASSAY_MUTANTS", "400")), int(os.environ.get("ASSAY_SEED", "1"))
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


def streams():
    """A FAIL, and a PASS that is made of it: without its steps 1, 2, 4 and 10, and without errors."""
    golden = (ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    good = [line for line in golden if '"error"' not in line and not re.search(r'"testStepId":"([124]|10)"', line)]
    numbered = (re.sub(r'"sequenceNumber":\d+', f'"sequenceNumber":{n}', line) for n, line in enumerate(good))
    return golden, "\n".join(numbered).replace('"result":"FAIL"', '"result":"PASS"').splitlines()


class OneVerdict(unittest.TestCase):
    def test_three_readers_read_each_mutant_alike(self):
        if not stream_readings.NODE:
            self.skipTest("node is not there")
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for which, lines in enumerate(streams()):
                mutator = Mutator(lines, f"{SEED} {which}")
                for n in range(MUTANTS):
                    files.append(f"{folder}/{which}-{n}.jsonl")
                    Path(files[-1]).write_bytes(mutator.mutant())
            readings = [by(files) for by in (stream_readings.by_python, stream_readings.by_page, stream_readings.by_c)]
            self.assertEqual([len(files)] * 3, list(map(len, readings)))
            said = [(r["result"], len(r["contradictions"]), r["faults"][:1]) for r in readings[0]]
            different = [(Path(f).name, s, page, c) for f, s, page, c in zip(files, said, *readings[1:])
                         if s != (page["result"], len(page["contradictions"]), page["faults"][:1]) or s[2] != c["faults"][:1]]
            if different and os.environ.get("ASSAY_KEEP"):
                shutil.copytree(folder, os.environ["ASSAY_KEEP"], dirs_exist_ok=True)
            self.assertEqual(different, [])
            self.assertGreater(len(set(map(str, said))), MUTANTS / 20)  # they are not all of one kind


if __name__ == "__main__":
    unittest.main()
