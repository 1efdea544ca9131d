# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The queries of docs/fleet.md, run by DuckDB on what assay-report exports of a drawn fleet, whose answers are known. Skipped where npm
cannot get DuckDB. Costs 5 s of processor time."""
import importlib.machinery
import importlib.util
import json
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from test_report import ROOT, Stream, figure, tool

_LOADER = importlib.machinery.SourceFileLoader("docs_driver", str(ROOT / "tests" / "drivers" / "docs"))
DOCS = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs_driver", _LOADER))
_LOADER.exec_module(DOCS)
FOLDER = ROOT / "build" / "duckdb"


def run(serial, month, board="A", microcode="0x1", clock=100.0, occupancy=1000.0, moved=5e9, channel=50.0, rate=5.0, fails=(), day=1):
    """A report of a machine; month: from 2026-01 on."""
    s = Stream(serial=serial, microcode=microcode)
    s.lines[1] = s.lines[1].replace('"platformInfos":[', f'"platformInfos":[{{"info":"baseboard-product-name: {board}"}},')

    def check(name, *measurements):
        s.check(name, "FAIL" if name in fails else "PASS", "why", measurements)

    check("cross.tsc", figure("clock", clock, "MHz", "package 0"))
    check("cmt.fill", figure("occupancy", occupancy, "bytes"), figure("kind", "inclusive", ""))
    check("mbm.total", figure("MBM total", moved))
    check("traffic.channels", *(figure("bytes", channel if c == 3 else 50.0, place=f"package 0 channel {c}", low=40, high=60) for c in range(4)))
    check("mba.rate", figure("rate", rate, "MB/s", low=0, high=10))
    check("qm.keyhole")
    s.check("cdp.data", "SKIP", "no CDP")
    s.end("FAIL" if fails else "PASS")
    s.lines = [line.replace('"timestamp":"2026-01-01T', f'"timestamp":"{2026 + (month - 1) // 12}-{1 + (month - 1) % 12:02}-{day:02}T') for line in s.lines]
    return s


def fleet(folder):
    """24 machines: boards A and B, two microcodes of which 0x2 counts 3 % more bytes; S05 drifts by 0.5 % a month; S07 holds less; S12, S14
    to S23 but S17 lose channel 3, from S12 on; S09 fails once; S20 is silent since the first month; S03's rate is next to its bound."""
    chance = random.Random(1)
    for i in range(24):
        bad = i >= 12 and i not in (13, 17)
        for month in range(1, 13) if i == 5 else (1,) if i == 20 else (1, 12):
            more = {"clock": 100.0 * (1 + 0.005 * (month - 1))} if i == 5 else {}
            if i == 9 and month == 1:
                more["fails"] = ("qm.keyhole",)
            if bad:
                more |= {"channel": 0.0, "fails": ("traffic.channels",)}
            run(f"S{i:02}", month, "AB"[i // 12], f"0x{1 + i % 2}", moved=5e9 * (1 + 0.03 * (i % 2)) * chance.gauss(1, 0.001),
                occupancy=(800 if i == 7 else 1000) * chance.gauss(1, 0.002), rate=9.9 if i == 3 else chance.gauss(5, 0.2),
                **more).save(folder / f"{i:02}-{month:02}.jsonl")


class Queries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (shutil.which("node") and shutil.which("npm")):
            raise unittest.SkipTest("node or npm is not there (scripts/setup report)")
        FOLDER.mkdir(parents=True, exist_ok=True)
        for f in ("package.json", "run-queries.mjs"):
            shutil.copy(ROOT / "tests" / "duckdb" / f, FOLDER)
        npm = subprocess.run(["timeout", "300", "npm", "install", "--no-package-lock", "--no-audit", "--no-fund"], cwd=FOLDER,
                             capture_output=True, text=True)
        if npm.returncode:
            raise unittest.SkipTest(f"npm cannot get DuckDB ({npm.stderr.strip()[-200:]})")
        page = ROOT / "docs" / "fleet.md"
        blocks = [b for b in DOCS.blocks(page, page.read_text(encoding="utf-8")) if b.kind == "query"]
        cls.queries = {" ".join(b.words): "\n".join(b.lines) for b in blocks}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "in").mkdir()
            fleet(folder / "in")
            status, _, err = tool("export", "-f", "ndjson", "-o", folder / "rows.ndjson", folder / "in")
            if status:
                raise AssertionError(err)
            (folder / "queries.json").write_text(json.dumps(cls.queries), encoding="utf-8")
            node = subprocess.run(["timeout", "120", "node", FOLDER / "run-queries.mjs", folder / "queries.json"], cwd=folder,
                                  capture_output=True, text=True)
        if node.returncode:
            raise AssertionError(node.stderr)
        cls.answers = json.loads(node.stdout)

    def rows(self, *names):
        """The answer of the query that has the name of the test."""
        return [tuple(r[n] for n in names) for r in self.answers[self.id().rsplit(".test_", 1)[1]]]

    BAD = [f"S{i}" for i in (12, 14, 15, 16, 18, 19, 20, 21, 22, 23)]

    def test_each_query_has_a_test(self):
        self.assertEqual(len(self.queries), 11)
        for name in self.queries:
            self.assertTrue(name == "" or hasattr(self, f"test_{name}"), name)

    def test_not_passing(self):
        self.assertEqual(self.rows("serial", "checks"), [(s, ["traffic.channels"]) for s in self.BAD])

    def test_microcode_shifts(self):
        rows = self.rows("figure", "microcode", "machines", "percent")
        self.assertEqual([(*r[:2], int(r[2])) for r in rows], [("MBM total", "0x1", 12), ("MBM total", "0x2", 12)])
        self.assertEqual(float(rows[0][3]), 0)
        self.assertAlmostEqual(float(rows[1][3]), 3, delta=0.3)

    def test_board_loses_channel(self):
        self.assertEqual([(b, p, int(n), int(m)) for b, p, n, m in self.rows("board", "place", "losing", "machines")],
                         [("B", "package 0 channel 3", 10, 12)])

    def test_drift(self):
        (serial, name, runs, percent), = self.rows("serial", "figure", "runs", "percent_a_year")
        self.assertEqual((serial, name, int(runs)), ("S05", "clock", 12))
        self.assertAlmostEqual(float(percent), 5.8, delta=0.3)  # 6 % of the first value, of the mean

    def test_bad_batch(self):
        self.assertEqual([(c, s, int(n)) for c, s, n in self.rows("check", "first_serial", "machines")], [("traffic.channels", "S12", 12)])

    def test_unlike_its_twins(self):
        of = {(serial, name) for serial, name in self.rows("serial", "figure")}
        self.assertIn(("S07", "occupancy"), of)
        self.assertEqual({serial for serial, _ in of} - {"S05", "S03", "S13", "S17"}, {"S07"})

    def test_closest_to_bounds(self):
        self.assertEqual(self.rows("check", "figure", "margin", "serial")[0], ("mba.rate", "rate", 0.01, "S03"))

    def test_flaky(self):
        self.assertEqual(self.rows("serial", "check", "verdicts"), [("S09", "qm.keyhole", ["FAIL", "PASS"])])

    def test_silent(self):
        self.assertEqual([(s, int(d)) for s, d in self.rows("serial", "days")], [("S20", 334)])

    def test_never_judged(self):
        self.assertEqual([(c, int(n)) for c, n in self.rows("check", "machines")], [("cdp.data", 24)])


if __name__ == "__main__":
    unittest.main()
