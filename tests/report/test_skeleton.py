#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/report/skeleton.py: idle lines of a stream are known by an alike one's, and by nothing else."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import skeleton, skim  # noqa: E402

GOLDEN = (ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl").read_bytes()


def idle(data):
    return [m.start() for m in skim._IDLE.finditer(data)]


def rest(data):
    return skim._IDLE.sub(b"", data).split(b"\n")[:-1]


@unittest.skipUnless(skeleton.has_numpy(), "this Python has no numpy (Debian: python3-numpy)")
class Skeleton(unittest.TestCase):
    def setUp(self):
        self.known = skeleton.Skeletons()
        self.known.learn(GOLDEN, idle(GOLDEN))
        self.lines = GOLDEN.split(b"\n")
        self.idle = next(n for n, line in enumerate(self.lines) if b'"assay.evidence"' in line)

    def expect_unknown(self, data):
        self.assertNotEqual(data, GOLDEN)
        self.assertIsNone(self.known.others(data))

    def test_an_alike_stream_has_the_same_idle_lines(self):
        other = re.sub(rb'"timestamp":"2', b'"timestamp":"1', re.sub(rb'"value":(\d)', rb'"value":4\1', GOLDEN))
        self.assertNotEqual(other, GOLDEN)
        for data in (GOLDEN, other):
            self.assertEqual(self.known.others(data), (rest(data), data.count(b"\n")))

    def test_a_line_that_is_otherwise_is_not_idle(self):
        line = self.lines[self.idle]
        step = line[: line.index(b'"extension"')]
        for forged in (b'"error":{"symptom":"internal-error"}}', b'"diagnosis":{"verdict":"v","type":"FAIL"}}', b'"testStepEnd":{"status":"ERROR"}}'):
            for data in (step + forged + b" " * (len(line) - len(step) - len(forged)), step + forged + line[len(step) + len(forged) :]):
                self.lines[self.idle] = data
                self.expect_unknown(b"\n".join(self.lines))

    def test_an_idle_line_of_another_check_is_not_known(self):
        self.lines[self.idle] = re.sub(rb'"testStepId":"\d', b'"testStepId":"9', self.lines[self.idle], count=1)
        self.expect_unknown(b"\n".join(self.lines))

    def test_a_line_more_or_less_or_torn_is_another_stream(self):
        self.expect_unknown(b"\n".join(self.lines[: self.idle] + self.lines[self.idle + 1 :]))
        self.expect_unknown(b"\n".join(self.lines[: self.idle] + [self.lines[self.idle]] + self.lines[self.idle :]))
        self.expect_unknown(GOLDEN[:-1])
        self.expect_unknown(b"")

    def test_streams_that_are_all_different_cost_few_tries(self):
        for n in range(20):
            data = GOLDEN + self.lines[self.idle] * n + b"\n"
            if self.known.learning():
                self.known.learn(data, idle(data))
        self.assertFalse(self.known.learning())
        self.assertIsNone(self.known.others(GOLDEN))


if __name__ == "__main__":
    unittest.main()
