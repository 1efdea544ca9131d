# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-report --waive: accepted findings are shown, and do not decide; wrong lines are named."""
import json
import re
import sys
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_report import ROOT, Case, Stream, tool  # noqa: E402
from report import stream, waive  # noqa: E402


class Waived(Case):
    def report(self, result="FAIL", ending=None, **checks):
        """checks: name (with _ for .) = findings, (type, code, location) each; none: PASS"""
        s = Stream()
        for name, findings in checks.items():
            name = name.replace("_", ".")
            s.art({"testStepStart": {"name": name}})
            for kind, code, location in findings or (("PASS", "", ""),):
                s.art({"diagnosis": {"verdict": f"assay-{name}-fail/{code}" if code else f"assay-{name}", "type": kind, "message": f"{code} at {location}",
                                     **({"subcomponent": {"name": location, "location": location}} if location else {})}})
            s.art({"testStepEnd": {"status": "COMPLETE"}})
            s.step += 1
        s.run({"testRunEnd": ending or {"status": "COMPLETE", "result": result}})
        return s.save(self.folder / "r.jsonl")

    def waivers(self, *lines):
        path = self.folder / "lab.waivers"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def status(self, path, *lines):
        return tool("--waive", self.waivers(*lines), path)[0]

    TWO = (("FAIL", "counts-zero", "domain=0,rmid=7"), ("FAIL", "counts-less", "domain=1,rmid=7"))

    def test_what_matches_is_waived_and_the_rest_decides(self):
        path = self.report(a_b=self.TWO, c_d=())
        for finding, status in (("*", 0), ("counts-*", 0), ("counts-zero", 1), ("domain=*,rmid=7", 0), ("domain=0,*", 1), ("counts-zero@domain=0,*", 1),
                                ("counts-less@domain=0,*", 1), ("other", 1)):
            self.assertEqual(self.status(path, f"a.* {finding} 2026-01-01 known"), status, finding)
        self.assertEqual(self.status(path, "# both", "", "a.b counts-zero 2026-01-01 one", "a.b domain=1,* 2026-01-01 other"), 0)
        self.assertEqual(self.status(path, "c.* * 2026-01-01 of another check"), 1)
        self.assertEqual(tool("--waive", self.waivers("a.b counts-zero 2026-01-01 one"), "--waive", "/dev/null", path)[0], 1)

    def test_a_waived_fail_leaves_the_warn_of_its_check(self):
        path = self.report(a_b=(self.TWO[0], ("UNKNOWN", "late", "")))
        self.assertEqual((self.status(path, "a.b counts-zero 2026-01-01 known"), self.status(path, "a.b late 2026-01-01 known")), (5, 1))

    def test_over_is_over(self):
        path = self.report(a_b=self.TWO)
        r = stream.read(path)
        some = waive.read(self.waivers("a.b * 2026-01-01..2026-03-01 known"))
        waive.apply(r, some, "2026-03-01")
        self.assertEqual(r.result, "PASS")
        r = stream.read(path)
        waive.apply(r, some, "2026-03-02")
        self.assertEqual((r.result, r.waived), ("FAIL", []))
        out = tool("--waive", self.waivers("a.b * 2026-01-01..2026-03-01 known"), path)[1]
        self.assertIn("not waived any more: known (accepted 2026-01-01, until 2026-03-01; ", " ".join(out.split()) + " ")

    def test_what_cannot_be_waived(self):
        line = "* * 2026-01-01 all of it"
        broken = Stream().check("a.b", "FAIL", "x").check("c.d", "ERROR", "a dead AP").end("FAIL").save(self.folder / "e.jsonl")
        self.assertEqual(self.status(broken, line), 3)
        self.assertEqual(self.status(Stream().check("a.b", "FAIL", "x").end("PASS").save(self.folder / "c.jsonl"), line), 4)
        torn = Path(self.report(a_b=self.TWO))
        torn.write_text("\n".join(torn.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8")
        self.assertEqual((tool(torn)[0], self.status(torn, line)), (1, 3))
        s = Stream()
        s.run({"error": {"symptom": "machine-check", "message": "bank 3"}})
        self.assertEqual(self.status(s.check("a.b", "FAIL", "x").end("FAIL").save(self.folder / "m.jsonl"), line), 3)

    def test_each_form_shows_it_with_its_reason(self):
        path = self.report(a_b=self.TWO, c_d=())
        waivers = self.waivers("a.b * 2026-01-01 ticket 7")
        out = {form: tool("-f", form, "--waive", waivers, path)[1] for form in ("text", "junit", "ktap", "lava", "markdown", "json")}
        why = f"ticket 7 (accepted 2026-01-01; {waivers}:1)"
        self.assertIn("1 PASS, 0 FAIL, 0 WARN, 0 SKIP, 0 ERROR, 1 WAIVED\nRESULT: PASS", out["text"])
        self.assertIn(f"waived: {why}", " ".join(out["text"].split()))
        self.assertIn("counts-less at domain=1,rmid=7", out["text"])
        suite = ET.fromstring(out["junit"]).find("testsuite")
        self.assertEqual([suite.get(k) for k in ("tests", "failures", "skipped")], ["2", "0", "1"])
        self.assertIn(why, suite.find("testcase/skipped").get("message"))
        self.assertIn("counts-less at domain=1,rmid=7", suite.find("system-out").text)
        self.assertIn(f"ok 1 a.b # XFAIL counts-zero at domain=0,rmid=7; waived: {why}", out["ktap"].splitlines())
        self.assertIn("TEST_CASE_ID=a.b RESULT=skip", out["lava"])
        self.assertIn("## ✅ Assay: PASS", out["markdown"])
        self.assertRegex(out["markdown"], r"\| WAIVED \| a.b \| counts-zero at .*waived: ticket 7")
        o = json.loads(out["json"])
        self.assertEqual((o["result"], o["exit"], o["ending"]["result"], o["counts"]["WAIVED"], o["checks"][0]["status"]), ("PASS", 0, "FAIL", 1, "WAIVED"))
        self.assertEqual(o["checks"][0]["waived"][1], {"finding": "counts-less at domain=1,rmid=7", "reason": "ticket 7", "accepted": "2026-01-01",
                                                       "until": "", "where": f"{waivers}:1"})
        status, page, err = tool("-f", "html", "--waive", waivers, path)
        self.assertEqual((status, page), (2, ""))
        self.assertIn("--waive", err)

    def test_the_second_finding_of_two_is_said_to_be_waived(self):
        path = self.report(a_b=self.TWO)
        out = tool("--waive", self.waivers("a.b counts-zero 2026-01-01 ticket 7"), path)[1]
        self.assertRegex(out, r"(?s)FAIL   a\.b.*\n +counts-less at domain=1,rmid=7\n +waived: counts-zero at domain=0,rmid=7\n +waived: ticket 7 ")

    def test_a_wrong_line_is_named(self):
        path = self.report(a_b=self.TWO)
        for line, why in (("a.b", "1 fields"), ("a.b * 2026-01-01", "3 fields"), ("a/b * 2026-01-01 x", "a/b: not a check's id"),
                          ("a.b Zero 2026-01-01 x", "Zero: not the code"), ("a.b zero@ 2026-13-01 x", "2026-13-01: not a date"),
                          ("a.b zero@seven 2026-01-01 x", "zero@seven: not the code"), ("a.b * 2026-1-1 x", "2026-1-1: not a date"),
                          ("a.b * 2026-01-01.. x", "2026-01-01..: not a date"), ("a.b * 2026-02-01..2026-01-01 x", "ends before it begins")):
            waivers = self.waivers("# head", "a.b * 2026-01-01 good", line)
            status, out, err = tool("--waive", waivers, path)
            self.assertEqual((status, out), (2, ""), line)
            self.assertTrue(err.startswith(f"assay-report: {waivers}:3: "), err)
            self.assertIn(why, err)
        _, _, err = tool("--waive", self.waivers("x", "y"), path)
        self.assertEqual([":".join(e.split(":")[2:3]) for e in err.splitlines()], ["1", "2"])
        (self.folder / "w").write_bytes(b"\xff\xfe")
        self.assertEqual(tool("--waive", self.folder / "w", path)[0], 2)
        self.assertEqual(tool("--waive", self.folder / "nowhere", path)[0], 2)

    def test_the_sample_of_the_documents_is_a_file_of_waivers(self):
        text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
        some = waive.read(self.waivers(*re.search(r"(?s)\n    (# CHECK.*?)\n\n", text)[1].splitlines()))
        self.assertEqual([(w.code, w.location, w.until) for w in some],
                         [("*", "*", ""), ("undercounts", "domain=1*", "2027-06-30"), ("*", "package=1,unit=CHA,box=5", "")])

    def test_a_cause_is_waived_with_all_that_it_explains(self):
        s = Stream().check("a.b", "FAIL", "x").check("c.d", "FAIL", "y")
        s.art({"testStepStart": {"name": "diagnosis"}})
        s.art({"diagnosis": {"verdict": "assay-diagnosis-x", "type": "FAIL", "message": "undercounts"}})
        s.art({"extension": {"name": "assay.diagnosis", "content": {"monitor": "MBM", "says": "undercounts", "sure": "certain", "check": "a.b",
                                                                    "explains": ["c.d"]}}})
        s.art({"testStepEnd": {"status": "COMPLETE"}})
        path = s.end("FAIL").save(self.folder / "r.jsonl")
        for lines, waived in ((("a.b * 2026-01-01 x",), False), (("* * 2026-01-01 x",), True)):
            out = json.loads(tool("-f", "json", "--waive", self.waivers(*lines), path)[1])
            self.assertEqual((out["causes"][0]["waived"], out["exit"]), (waived, 0 if waived else 1))


if __name__ == "__main__":
    unittest.main()
