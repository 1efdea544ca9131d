# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The readers of streams in Python, C and the page's JavaScript, and the validator, held to tests/fixtures/stream: golden.jsonl,
what is to be read out of it (golden.json), and damaged variants of it with what is to be read out of those (damaged.json).

A variant is a list of edits of the golden stream's lines, in this order: "end": N keeps the first N lines, the last one without
its end; "line": N is a line by its number, which "delete" takes out, "repeat" writes twice, "keep" cuts to so many characters,
"insert" puts a text in front of, and of which "new" replaces the first "old". "expected" has the parts of the golden reading that
are otherwise, by the keys and indices that lead to them. What a check does not say is as "every check" of golden.json has it.
"""
import copy
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import stream_readings
from stream_readings import NODE, ROOT, stream

FIXTURES = ROOT / "tests" / "fixtures" / "stream"
GOLDEN = stream_readings.GOLDEN.read_text(encoding="utf-8")
READING = json.loads((FIXTURES / "golden.json").read_text(encoding="utf-8"))
EVERY_CHECK = READING.pop("every check")
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


def whole(check):
    cost = check.get("cost", {})
    return EVERY_CHECK | check | {"cost": [] if cost is None else [[key, cost.get(key, usual)] for key, usual in EVERY_CHECK["cost"]]}


def wanted(changes):
    out = copy.deepcopy(READING | {"checks": list(map(whole, changes.get("checks", READING["checks"])))})
    for path, value in changes.items():
        if path == "checks":
            continue  # above
        *way, last = (int(k) if k.isdigit() else k for k in path.split("."))
        at = out
        for key in way:
            at = at[key]
        at[last] = value
    return out


def rounded(v):
    """The C reader's conversion of a number may be off in the last bits."""
    if isinstance(v, dict):
        return {key: rounded(item) for key, item in v.items()}
    if isinstance(v, list):
        return list(map(rounded, v))
    return float(f"{v:.12g}") if isinstance(v, (int, float)) and not isinstance(v, bool) else v


class Golden(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.files = [folder / f"{i:02}.jsonl" for i in range(len(VARIANTS))]
        for path, v in zip(self.files, VARIANTS):
            path.write_text(edited(v["edits"]), encoding="utf-8")

    def expect(self, readings, as_read=lambda reading: reading):
        self.assertEqual(len(readings), len(VARIANTS))
        for v, r in zip(VARIANTS, readings):
            self.assertEqual(as_read(r), as_read(wanted(v["expected"])), v["name"])

    def test_each_variant_is_read_as_it_says(self):
        self.expect(stream_readings.by_python(self.files))

    def test_the_page_reads_the_same(self):
        if not NODE:
            self.skipTest("node is not there")
        self.expect(stream_readings.by_page(self.files))

    def test_the_c_reader_reads_the_same_and_the_validator_takes_what_is_valid(self):
        """What all lines say is not theirs: the result, and whether lines contradict each other."""
        readings = stream_readings.by_c(self.files)
        for v, r in zip(VARIANTS, readings):
            of_all = {key: wanted(v["expected"])[key] for key in ("result", "contradictions")}
            self.assertTrue(r.pop("valid") == v["valid"] or of_all["contradictions"], v["name"])
            r |= of_all
        self.expect(readings, rounded)

    def test_a_fault_is_an_error_that_names_its_line(self):
        for path, v in zip(self.files, VARIANTS):
            want = wanted(v["expected"])
            with self.subTest(v["name"]):
                if want["faults"]:
                    self.assertRaisesRegex(stream.StreamError, f":{want['faults'][0][0]}: ", stream.read, path)
                elif want["started"]:
                    self.assertEqual(stream.read(path).result, want["result"])
                else:
                    self.assertRaises(stream.StreamError, stream.read, path)

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

    def test_the_map_marks_processors_at_fault_and_not_those_that_saw_it(self):
        node = NODE or self.skipTest("node is not there")
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
        node = NODE or self.skipTest("node is not there")
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
