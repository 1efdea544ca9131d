# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a machine calls itself goes to terminals, spreadsheets, tables, documents and logs as text, and does nothing there."""
import csv
import io
import re
import sys
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_report import Case, Stream, tool  # noqa: E402
from report import safe  # noqa: E402

HOSTILE = ["=HYPERLINK(\"http://x\",\"y\")", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", " =1", "＝1", "[x](javascript:alert(1))",
           "![x](http://x/y.png)", "<script>alert(1)</script>", "</td><img src=x onerror=alert(1)>", "a|b", "`a` **b** _c_ ~~d~~", "&lt;b&gt;",
           "\x1b[2J\x1b]0;title\x07", "\x9b2J", "a\nb", "a\r\nok 1 forged", "a\u2028b", "\u202egnp.exe", "]]>", "\x00\x0b\ufffe", "'; --",
           "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=x RESULT=pass>", "x\n<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=x RESULT=pass>", "# x", "1. x", "- x", "see www.x.y or http://x.y"]


class Functions(unittest.TestCase):
    def test_a_line_is_one_line_without_control(self):
        for text in HOSTILE:
            self.assertNotRegex(safe.line(text), "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")
            self.assertEqual(len(safe.line(text).splitlines()), 1)
        self.assertEqual(safe.line("Xeon® 6 – µ 測"), "Xeon® 6 – µ 測")

    def test_a_cell_is_no_formula(self):
        for text in HOSTILE:
            self.assertNotRegex(safe.cell(text), r"\A\s*[=+\-@＝＋－＠]", text)
        self.assertEqual([safe.cell(v) for v in ("S1", "-5", "+1.5e3", 7, -7, "a=b", "")], ["S1", "-5", "+1.5e3", "7", "-7", "a=b", ""])

    def test_markdown_is_text(self):
        for text in HOSTILE:
            self.assertNotRegex(re.sub(r"\\[\\`*_\[\]!|~<>&:.]", "", safe.markdown(text)), r"[`*_\[\]!|~<>&\n]|://|www\.", text)
        self.assertEqual(safe.markdown("mbm.every-rmid: 5 % (#2)"), "mbm.every-rmid: 5 % (#2)")

    def test_a_word_is_one(self):
        for text in (*HOSTILE, ""):
            self.assertRegex(safe.word(text), r"\A[A-Za-z0-9._-]+\Z")
        self.assertEqual(safe.word("mbm.every-rmid.round-2"), "mbm.every-rmid.round-2")


class Forms(Case):
    def report(self, text, name="r.jsonl"):
        s = Stream(serial=text, bios=text, microcode=text, model=text)
        s.check("a.fail", "FAIL", text).check(text, "WARN", text).check("c.skip", "SKIP", text).check("b.fail", "FAIL", text)
        s.art({"testStepStart": {"name": "diagnosis"}})
        s.art({"extension": {"name": "assay.diagnosis", "content": dict.fromkeys(("monitor", "part", "amount", "says", "sure", "next"), text) | {
            "check": "a.fail", "explains": ["a.fail", "b.fail"]}}})
        s.art({"testStepEnd": {"status": "COMPLETE"}})
        return s.end("FAIL").save(self.folder / name)

    def test_each_hostile_name_in_each_form(self):
        """In this process: 27 names in seven forms."""
        from report import export, fleet, fleetpage, formats, stream
        for text in HOSTILE:
            with self.subTest(text):
                path = self.report(text)
                r = stream.read(path)
                self.assertNotRegex(formats.text(r), "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
                self.assertEqual(formats.text(r).count("RESULT: "), 1)
                ET.fromstring(formats.junit(r))
                self.assertEqual(len(re.findall(r"^(?:not )?ok ", formats.ktap(r), re.M)), 4)
                self.assertEqual(formats.lava(r).count("<LAVA_SIGNAL_TESTCASE"), 4)
                self.assertNotRegex(formats.markdown(r), r"(?<!\\)(\[x\]|<script|<img|`a`)")
                digests = fleet.gather([path])
                rows = list(csv.reader(io.StringIO(fleet.as_csv(digests))))
                self.assertEqual([len(row) for row in rows], [12, 12])
                self.assertFalse([c for c in rows[1] if c.lstrip()[:1] in tuple("=+-@＝")], rows[1])
                rows = list(csv.reader(io.StringIO(export.as_csv([r]))))
                self.assertEqual([len(row) for row in rows], [len(export.COLUMNS)] * 5)
                self.assertFalse([c for row in rows for c in row if c.lstrip()[:1] in tuple("=+-@＝")], rows)
                whole = fleetpage.page(fleet.summary(digests))
                self.assertEqual(whole.count("<script"), 1)
                self.assertNotIn("<img", whole)

    def test_a_terminal_gets_no_control_from_a_damaged_file(self):
        path = self.folder / "r.jsonl"
        path.write_bytes(b'{"schemaVersion":{"major":2,"minor":0},"sequenceNumber":0}\n{"testRunArtifact":{"\\u001b[2J":{"a":1}},"sequenceNumber":1}\n')
        for args in ([path], ["merge", path]):
            _, out, err = tool(*args)
            self.assertNotIn("\x1b", out + err)


if __name__ == "__main__":
    unittest.main()
