# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The sentences of a report and the words of its places are for people alone: reports in which each of them is another have the same
outcome of diff, merge, calibrate and JUnit but for these texts. tests/unit/diagnosis/sentences.c holds causes and baseline to the same,
tests/browser/page.mjs the page."""
import json
import random
import re
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from test_bands import Machine
from test_rebuild import GOLDEN
from test_report import Case, figure, tool


class Words:
    """Every text for people becomes a token; back() puts the texts in the place of the tokens."""

    def __init__(self):
        self.tokens = {}

    def token(self, text):
        return self.tokens.setdefault(text, f"@{len(self.tokens):04}@")

    def line(self, line):
        o = json.loads(line)
        artifact = next((v for k, v in o.get("testStepArtifact", {}).items() if k != "testStepId"), {})
        if "message" in artifact and "symptom" not in artifact:
            artifact["message"] = self.token(artifact["message"])
        if "subcomponent" in artifact:
            artifact["subcomponent"]["name"] = self.token(artifact["subcomponent"]["name"])
        return json.dumps(o)

    def reworded(self, path):
        to = path.with_name(f"reworded-{path.name}")
        to.write_text("\n".join(map(self.line, path.read_text(encoding="utf-8").splitlines())) + "\n", encoding="utf-8")
        return to

    def back(self, text, spell=lambda t: t):
        texts = {token: spell(t) for t, token in self.tokens.items()}
        return re.sub(r"@\d{4}@", lambda m: texts[m[0]], text)


class Sentences(Case):
    def setUp(self):
        super().setUp()
        self.words = Words()

    def fleet(self):
        draw, paths = random.Random(3), []
        for i in range(8):
            off = 1.2 if i == 5 else 1.0
            s = Machine(f"S{i}").check("mbm.total", "FAIL" if i == 5 else "PASS", f"sentence {i}", measurements=[
                figure("MBM total", off * draw.gauss(1000, 0.5), "bytes", f"L3 domain {d}, RMID {r}", low=900, high=1100) for d in range(2) for r in range(3)])
            paths.append(Path(s.end("FAIL" if i == 5 else "PASS").save(self.folder / f"r{i}.jsonl")))
        return paths

    def test_a_report_does_not_differ_from_its_rewording(self):
        for path in (GOLDEN, self.fleet()[5]):
            copy = self.folder / "report.jsonl"
            copy.write_bytes(path.read_bytes())
            status, out, _ = tool("diff", "-f", "json", copy, self.words.reworded(copy))
            self.assertEqual((status, json.loads(out)["changes"]), (0, []))

    def test_junit_and_json_are_the_same_but_for_the_texts(self):
        path = self.folder / "report.jsonl"
        path.write_bytes(GOLDEN.read_bytes())
        other = self.words.reworded(path)
        spelled = self.words.back(tool("-f", "json", other)[1], lambda t: json.dumps(t, ensure_ascii=False)[1:-1])
        self.assertEqual(spelled, tool("-f", "json", path)[1])
        trees = [[(e.tag, {k: v for k, v in e.attrib.items() if k != "message"}) for e in ET.fromstring(tool("-f", "junit", p)[1]).iter()]
                 for p in (path, other)]
        self.assertEqual(*trees)

    def test_a_merge_finds_the_same(self):
        paths = self.fleet()
        first = json.loads(tool("merge", "-f", "json", *paths)[1])
        self.assertTrue(first["outliers"] or first["together"])
        second = tool("merge", "-f", "json", *map(self.words.reworded, paths))[1].replace("reworded-", "")
        self.assertEqual(json.loads(second), first)

    def test_calibrate_makes_the_same_bands(self):
        paths = [p for i, p in enumerate(self.fleet()) if i != 5]
        first, second = tool("calibrate", *paths), tool("calibrate", *map(self.words.reworded, paths))
        self.assertIn("domain=#,rmid=#", first[1])
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
