# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The readers of streams in Python and in the page's JavaScript, held to tests/fixtures/stream: golden.jsonl, what is to be read
out of it (golden.json), and damaged variants of it with what is to be read out of those (damaged.json). tests/unit/report/
stream_reader.c holds the C reader and the validator to the same files.

A variant is a list of edits of the golden stream's lines, in this order: "end": N keeps the first N lines, the last one without
its end; "line": N is a line by its number, which "delete" takes out, "repeat" writes twice, "keep" cuts to so many characters,
"insert" puts a text in front of, and of which "new" replaces the first "old". "expected" has the parts of the golden reading that
are otherwise, by the keys and indices that lead to them.
"""
import copy
import json
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

FIXTURES = ROOT / "tests" / "fixtures" / "stream"
GOLDEN = (FIXTURES / "golden.jsonl").read_text(encoding="utf-8")
READING = json.loads((FIXTURES / "golden.json").read_text(encoding="utf-8"))
VARIANTS = json.loads((FIXTURES / "damaged.json").read_text(encoding="utf-8"))


def edited(edits):
    lines, end = GOLDEN.split("\n")[:-1], "\n"
    for e in edits:
        if "end" in e:
            lines, end = lines[: e["end"]], ""
            continue
        at = e["line"] - 1
        if "insert" in e:
            lines.insert(at, e["insert"])
        elif "repeat" in e:
            lines.insert(at, lines[at])
        elif "delete" in e:
            del lines[at]
        elif "keep" in e:
            lines[at] = lines[at][: e["keep"]]
        else:
            assert e["old"] in lines[at], e
            lines[at] = lines[at].replace(e["old"], e["new"], 1)
    return "\n".join(lines) + end


def wanted(changes):
    out = copy.deepcopy(READING)
    for path, value in changes.items():
        *way, last = (int(k) if k.isdigit() else k for k in path.split("."))
        at = out
        for key in way:
            at = at[key]
        at[last] = value
    return out


def spelled(v):
    return v if isinstance(v, str) else json.dumps(v)


def pairs(o):
    return [[k, spelled(item)] for k, v in o.items() for item in (v if isinstance(v, list) else [v])]


def number(v):
    """As the other languages have it: a double."""
    return float(v) if isinstance(v, int) and not isinstance(v, bool) else v


def reading(r):
    return {
        "started": bool(r.start), "ended": r.ended, "torn": r.torn, "result": r.result,
        "contradictions": r.contradictions,
        "faults": [[line, kind] for line, kind, _ in r.faults],
        "options": pairs(r.start.get("parameters", {})),
        "logs": [list(entry) for entry in r.logs],
        "errors": [e for e in r.errors if not e.startswith(("the report stops early", "the report contradicts itself"))],
        "limits": [[text, x.limit, " ".join(e[0] for e in x.errata)] for c in r.checks for text, x in zip(c.findings, c.limits) if x.texts],
        "checks": [{
            "id": c.id, "round": c.round, "title": c.title, "detects": c.detects, "verdict": c.status, "reason": c.reason, "findings": c.findings,
            "notes": c.notes, "errors": c.errors,
            "measurements": [[m.name, m.place, m.unit, number(m.value), number(m.low), number(m.high), m.location] for m in c.measurements],
            "series": [[s.name, s.place, s.unit, s.x_name, s.x_unit, s.location, [[number(x), number(v)] for x, v in s.points]] for s in c.series],
            "evidence": len(c.evidence), "cost": pairs(c.cost)} for c in r.checks],
    }


class Golden(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "report.jsonl"

    def saved(self, variant):
        self.path.write_text(edited(variant["edits"]), encoding="utf-8")
        return self.path

    def test_each_variant_is_read_as_it_says(self):
        for v in VARIANTS:
            with self.subTest(v["name"]):
                self.assertEqual(reading(stream.scan(self.saved(v))), wanted(v["expected"]))

    def test_a_fault_is_an_error_that_names_its_line(self):
        for v in VARIANTS:
            want = wanted(v["expected"])
            with self.subTest(v["name"]):
                if want["faults"]:
                    self.assertRaisesRegex(stream.StreamError, f":{want['faults'][0][0]}: ", stream.read, self.saved(v))
                elif want["started"]:
                    self.assertEqual(stream.read(self.saved(v)).result, want["result"])
                else:
                    self.assertRaises(stream.StreamError, stream.read, self.saved(v))

    def test_the_golden_stream_has_every_artifact_that_assay_writes(self):
        source = "".join(f.read_text(encoding="utf-8") for f in (ROOT / "core").rglob("*.c"))
        written = set(re.findall(r'report_step_artifact\(\s*[\w>-]+,\s*"(\w+)"', source))
        extensions = set(re.findall(r'report_extension\(\s*[\w>-]+,\s*"([\w.]+)"', source))
        self.assertGreater(len(written), 6)
        self.assertGreater(len(extensions), 5)
        for name in written:
            self.assertRegex(GOLDEN, f'"testStepId":"\\d+","{name}":')
        for name in extensions:
            self.assertIn(f'"extension":{{"name":"{name}"', GOLDEN)
        for name in ("testRunStart", "testRunEnd", "log", "error"):
            self.assertIn(f'"testRunArtifact":{{"{name}":', GOLDEN)

    def test_the_page_reads_the_same(self):
        node = shutil.which("node") or self.skipTest("node is not there")
        p = subprocess.run([node, str(ROOT / "tests" / "report" / "read_stream.mjs")], capture_output=True, text=True, timeout=120,
                           check=False)
        self.assertEqual((p.returncode, p.stdout), (0, f"{len(VARIANTS)} streams are read as they should be\n"), p.stdout + p.stderr)

    def test_the_map_marks_processors_at_fault_and_not_those_that_saw_it(self):
        node = shutil.which("node") or self.skipTest("node is not there")
        script = """
const page = ["stream", "machine"].map(name => require("fs").readFileSync(`core/page/${name}.js`, "utf8")).join("");
const atFault = new Function(page + "; return atFault;")();
const cpus = [0, 1, 2, 3].map(n => ({ cpu: String(n), package: n >> 1, core: 0, thread: n & 1 }));
const of = (causes, checks) => [...atFault({ causes, checks: checks.map(([id, at]) => ({ id, found: [{ at }] })) }, cpus).keys()].sort().join();
console.log(JSON.stringify([
  of([], [["enum.width", {}]]),
  of([], [["enum.every-processor", { cpu: 3 }]]),
  of([], [["mbm.every-thread", { domain: 0, rmid: 7, cpu: 2 }]]),
  of([{ cause: "mbm-total-scaled", explains: ["mbm.every-thread"] }], [["mbm.every-thread", { cpu: 2 }]]),
  of([{ cause: "clos-ignored", locations: ["cpu=0", "cpu=2", "cpu=3"] }], []),
  of([{ cause: "left", locations: ["package=1"], explains: [] }], []),
  of([{ cause: "channel", locations: ["package=1,unit=iMC,box=1"], explains: [] }], []),
]));"""
        p = subprocess.run([node, "-e", script], capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
        self.assertEqual((p.returncode, p.stdout), (0, '["","3","2","","0,2,3","2,3",""]\n'), p.stdout + p.stderr)

    def test_the_map_names_an_rmid_once(self):
        node = shutil.which("node") or self.skipTest("node is not there")
        script = """
const page = ["stream", "machine"].map(name => require("fs").readFileSync(`core/page/${name}.js`, "utf8")).join("");
const tags = new Function("number", page + "; return tags;")(String);
const figure = (name, rmid, out) => ({ name, value: rmid, unit: "bytes", at: { cpu: 2, rmid }, out });
const all = tags({ checks: [{ id: "mbm.every-thread", measurements: [figure("total", 7, false), figure("local", 7, true), figure("total", 4, false)] }] });
console.log(JSON.stringify([...all.get("2")].map(t => [t.rmid, t.out, t.text])));"""
        p = subprocess.run([node, "-e", script], capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
        self.assertEqual((p.returncode, p.stdout), (
            0, '[[7,true,"total, RMID 7: 7 bytes; local, RMID 7: 7 bytes"],[4,false,"total, RMID 4: 4 bytes"]]\n'), p.stdout + p.stderr)


if __name__ == "__main__":
    unittest.main()
