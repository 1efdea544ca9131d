# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/drivers/docs finds what is wrong in a page: a block without a tag, a command that is not there, a sample that differs. And
docs/samples are of the reports' and the page's present form, and no finding has two units of bytes. Costs 1 s of processor time."""
import importlib.machinery
import importlib.util
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LOADER = importlib.machinery.SourceFileLoader("docs_driver", str(ROOT / "tests" / "drivers" / "docs"))
DOCS = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs_driver", _LOADER))
_LOADER.exec_module(DOCS)
SAMPLES = ROOT / "docs" / "samples"
sys.path.insert(0, str(ROOT / "scripts"))
from report.page import inside  # noqa: E402


def blocks(text):
    return DOCS.blocks(Path("page.md"), text)


class Pages(unittest.TestCase):
    def refused(self, text, says):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(DOCS.Wrong, says):
            for b in blocks(text):
                DOCS.judge(b, Path(folder), None)

    def test_blocks_are_found(self):
        text = "a\n\n    b\n\n    c\n\n```\nd\n```\n1. e\n\n   more\n\n        f\n\ng\n    h\n\n<!-- doc run -->\n    i\n"
        self.assertEqual([(b.lines, b.kind) for b in blocks(text)],
                         [(["b", "", "c"], None), (["d"], None), (["f"], None), (["i"], "run")])

    def test_a_block_without_a_tag(self):
        self.refused("a\n\n    make run\n", "has no tag")
        self.refused("```console\nmake run\n```\n", "has no tag")
        self.refused("<!-- doc nosuch -->\n    make run\n", "no tag nosuch")

    def test_a_command_that_fails(self):
        self.refused("<!-- doc run -->\n    true\n    false # x\n", "^false: exit status 1")

    def test_a_command_that_is_not_there(self):
        for line, says in (("make nosuch", "no target nosuch"), ("make run NOSUCH=1", "reads the variable NOSUCH"),
                           ("make run SILICON=nosuch", "no profile nosuch"), ("make run FAULT=nosuch", "no fault nosuch"),
                           ("make help && scripts/nosuch x", "scripts/nosuch is no program"), ("nosuch -x", "no external=nosuch"),
                           ("scripts/assay-report --nosuch x", "no option --nosuch"), ("tests/silicon/run-silicon --nosuch", "no option")):
            self.refused(f"<!-- doc check -->\n    {line}\n", says)

    def test_words_that_the_sources_do_not_have(self):
        self.refused("<!-- doc words core/options new=nosuch -->\n    -baseline nosuch another0such\n", "have no another0such$")

    def test_a_sample_that_differs(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
            f.write("at 12.5 MHz\n on 3 processors\nall of it\n")
            f.flush()
            DOCS.judge(blocks(f"<!-- doc sample {f.name} -->\n    at 7 MHz on 44\n    processors\n    ...\n    it\n")[0], None, None)
            self.refused(f"<!-- doc sample {f.name} -->\n    at 7 kHz\n", "has not, there: at 0 kHz")
            self.refused(f"<!-- doc sample {f.name} -->\n    it\n    ...\n    at 7 MHz\n", "has not, there: at 0 MHz")


def sentences(text):
    """The texts of a C file; those that follow each other are one."""
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", text))


def units(sentence):
    return {re.sub("bytes?", "bytes", u) for u in re.findall(r"%\w+ (bytes?|KiB|MiB|GiB|TiB)\b", sentence)}


class Findings(unittest.TestCase):
    """Of "8 MiB were read, total bandwidth is 4194304" the division is left to the reader."""

    def test_two_units_are_found(self):
        self.assertEqual(units(*sentences('say(c, "%u MiB were read, "\n    "total is %llu bytes");')), {"MiB", "bytes"})

    def test_a_sentence_has_one_unit_of_bytes(self):
        files = [p for folder in ("checks", "measure", "diagnosis") for p in (ROOT / "core" / folder).rglob("*.c")]
        found = {p: [s for s in sentences(p.read_text(encoding="utf-8")) if units(s)] for p in files}
        self.assertGreater(sum(map(len, found.values())), 50)
        self.assertEqual([f"{p.name}: {s}" for p, all_of in found.items() for s in all_of if len(units(s)) > 1], [])


class Symptoms(unittest.TestCase):
    def test_findings_that_are_quoted_are_in_the_words_that_checks_use(self):
        def plain(text):
            return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "#", text)
        source = re.sub(r'"\s*(PRI\w+\s*)?"', "", DOCS.sources("core", "arch"))
        source = plain(re.sub(r"(0x)?%[-+0#.*\d]*l*[a-zA-Z]", "#", source).replace("%%", "%"))
        text = " ".join((ROOT / "docs/symptoms.md").read_text(encoding="utf-8").split())
        quoted = [q for q in re.findall(r'"([^"]*)"', text) if len(q) >= 20]
        self.assertGreater(len(quoted), 8)
        for quote in quoted:
            for words in (piece.split() for piece in plain(quote).split("#") if re.search("[a-z]{3}", piece)):
                # up to two words before may be of a place, or stand for a %s
                self.assertTrue(any(" ".join(words[n:]) in source for n in range(3) if n == 0 or n + 2 <= len(words)), f"{quote}: {' '.join(words)}")


class Samples(unittest.TestCase):
    """They are made by `make samples`; what they have is what a run has now, not the same bytes."""

    def test_they_are_small(self):
        self.assertLess(sum(p.stat().st_size for p in SAMPLES.iterdir()), 1_500_000)

    def test_texts_have_the_present_head(self):
        source = DOCS.sources("core/report", "core/diagnosis")
        for name, result in (("pass", "PASS exit=0"), ("fail", "FAIL exit=1")):
            lines = (SAMPLES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
            self.assertIn("RAN ON VIRTUAL SILICON, NOT ON HARDWARE", lines[:4])
            self.assertEqual(lines[-1], f"RESULT: {result}")
            head = lines[:next(n for n, line in enumerate(lines) if re.match(r"(PASS|FAIL|SKIP) ", line))]
            labels = [m[1] for m in (re.match(r"([A-Z][A-Za-z0-9]+) {2,}\S", line) for line in head) if m]
            self.assertGreater(len(labels), 8)
            for label in labels:
                self.assertRegex(source, rf'"{label}\b')

    def test_pages_are_of_the_present_form(self):
        template = (ROOT / "core" / "page" / "page.html").read_text(encoding="utf-8")
        for name, result in (("pass", "PASS"), ("fail", "FAIL")):
            page = (SAMPLES / f"{name}.html").read_text(encoding="utf-8")
            self.assertLessEqual(set(re.findall(r'\bid="([^"]+)"', template)), set(re.findall(r'\bid="([^"]+)"', page)))
            stream = inside(page).decode("utf-8").splitlines()
            first, last = json.loads(stream[0]), json.loads(stream[-1])
            with open(DOCS.STREAM, encoding="utf-8") as f:
                self.assertEqual(first["schemaVersion"], json.loads(f.readline())["schemaVersion"])
            self.assertEqual(last["testRunArtifact"]["testRunEnd"]["result"], result)

    def test_pictures_are_pictures(self):
        for name in ("screen", "page"):
            self.assertEqual((SAMPLES / f"{name}.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
