# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/assay-report, as its users call it: files in, text and exit status out."""
import gzip
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import traceback
import unittest
import xml.etree.ElementTree as ET
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import stats  # noqa: E402

TOOL = ROOT / "scripts" / "assay-report"
_spec = spec_from_loader("assay_report", SourceFileLoader("assay_report", str(TOOL)))
_tool = module_from_spec(_spec)
_spec.loader.exec_module(_tool)


class Stream:
    """Writes a report line by line, as the payload does."""

    def __init__(self, serial="S1", bios="1.0", microcode="0x1", model="Box", day=1):
        self.lines, self.step, self.day = [], 0, day
        self.put({"schemaVersion": {"major": 2, "minor": 0}})
        dut = {
            "dutInfoId": "x",
            "name": model,
            "platformInfos": [{"info": f"system-product-name: {model}"}, {"info": f"system-serial-number: {serial}"}],
            "softwareInfos": [
                {"softwareInfoId": "bios", "name": "BIOS", "version": bios},
                {"softwareInfoId": "microcode0", "name": "microcode", "version": microcode},
            ],
            "hardwareInfos": [{"hardwareInfoId": "package0", "name": "A CPU", "partType": "CPU", "location": "package 0"}],
        }
        self.run({"testRunStart": {"name": "assay", "version": "1", "commandLine": "", "parameters": {}, "dutInfo": dut}})

    def put(self, o):
        n = len(self.lines)
        stamp = f"2026-01-{self.day:02}T00:00:{n // 1000 % 60:02}.{n % 1000:03}Z"
        self.lines.append(json.dumps(o | {"sequenceNumber": n, "timestamp": stamp}, separators=(",", ":")))

    def run(self, o):
        self.put({"testRunArtifact": o})

    def art(self, o):
        self.put({"testStepArtifact": {"testStepId": str(self.step)} | o})

    def check(self, name, verdict="PASS", text="why", measurements=(), turn=1, dropped=False, limits=None):
        self.art({"testStepStart": {"name": name}})
        self.art({"extension": {"name": "assay.check", "content": {
            "id": name, "title": f"Title of {name}", "specification": "SDM 1.2", "rows": "XX-01", "round": turn}}})
        self.art({"extension": {"name": "assay.evidence", "content": {"kind": "rdmsr", "cpu": 0}}})
        for m in measurements:
            self.art({"measurement": m})
        account = {"verdict": verdict, "evidence": 1, "evidenceNotListed": 0, "measurements": len(measurements), "outOfBounds": 0,
                   "series": 0, "findings": int(verdict != "PASS"), "notes": 0}
        self.art({"extension": {"name": "assay.cost", "content": account | ({"dropped": True} if dropped else {})}})
        if verdict in ("PASS", "FAIL", "WARN"):
            kind = {"WARN": "UNKNOWN"}.get(verdict, verdict)
            self.art({"diagnosis": {"verdict": f"assay-{name}", "type": kind, "message": text}})
            if limits:
                self.art({"extension": {"name": "assay.finding", "content": limits}})
            self.art({"testStepEnd": {"status": "COMPLETE"}})
        else:
            self.art({"log": {"severity": "INFO", "message": text}} if verdict == "SKIP"
                     else {"error": {"symptom": "broken", "message": text}})
            self.art({"testStepEnd": {"status": verdict}})
        self.step += 1
        return self

    def count(self, rows):
        """-count: {(name, unit, place): points}"""
        self.art({"testStepStart": {"name": "count"}})
        for i, ((name, unit, place), points) in enumerate(rows.items()):
            key = f"{self.step}.{i}"
            self.art({"measurementSeriesStart": {"name": name, "unit": unit, "measurementSeriesId": key, "subcomponent": {"name": place},
                                                 "metadata": {"xName": "time", "xUnit": "s"}}})
            for n, (x, value) in enumerate(points):
                self.art({"measurementSeriesElement": {"index": n, "value": value, "measurementSeriesId": key, "metadata": {"x": x}}})
            self.art({"measurementSeriesEnd": {"measurementSeriesId": key, "totalCount": len(points)}})
        self.art({"extension": {"name": "assay.cost", "content": {"verdict": "DONE"}}})
        self.art({"testStepEnd": {"status": "COMPLETE"}})
        self.step += 1
        return self

    def stopped(self):
        """On request: the step `diagnosis` says so."""
        self.art({"testStepStart": {"name": "diagnosis"}})
        self.art({"extension": {"name": "assay.run", "content": {"stopped": True}}})
        self.art({"diagnosis": {"verdict": "assay-diagnosis-none", "type": "PASS", "message": "no check found anything"}})
        self.art({"testStepEnd": {"status": "COMPLETE"}})
        self.step += 1
        self.run({"testRunEnd": {"status": "SKIP", "result": "NOT_APPLICABLE"}})
        return self

    def end(self, result="PASS"):
        self.run({"testRunEnd": {"status": "COMPLETE", "result": result}})
        return self

    def save(self, path):
        Path(path).write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return str(path)


_WORDS = ((r"L3 domain (\d+)", "domain"), (r"RMID (\d+)", "rmid"), (r"cpu (\d+)", "cpu"), (r"package (\d+)", "package"))


def located(words):
    """ "L3 domain 0, RMID 7" as Assay has it: {"name": ..., "location": "domain=0,rmid=7"}"""
    out, parts = [], words.split(", ") if words else []
    for i, part in enumerate(parts):
        known = next(((key, m[1]) for pattern, key in _WORDS if (m := re.fullmatch(pattern, part))), None)
        box = re.fullmatch(r"(?:package (\d+) )?([A-Za-z]+) (\d+)", part)
        if known:
            out.append("=".join(known))
        elif box:
            out += [f"package={box[1]}"] * bool(box[1]) + [f"unit={box[2]}", f"box={box[3]}"]
        else:
            out.append("detail=" + ", ".join(parts[i:]))
            break
    return {"name": words} | ({"location": ",".join(out)} if out else {})


def figure(name, value, unit="bytes", place="L3 domain 0", low=None, high=None):
    validators = [{"type": t, "value": v} for t, v in
                  (("GREATER_THAN_OR_EQUAL", low), ("LESS_THAN_OR_EQUAL", high)) if v is not None]
    return {"name": name, "value": value, "unit": unit, "subcomponent": located(place)} | (
        {"validators": validators} if validators else {})


def tool(*args):
    """Exit status, output and errors of assay-report, in a forked process, which takes half of the processor time of starting Python."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                signal.alarm(120)
                sys.stdout, sys.stderr, sys.argv = out, err, [str(TOOL), *map(str, args)]
                for i, f in enumerate((out, err), 1):
                    os.dup2(f.fileno(), i)
                sys.exit(_tool.main(sys.argv[1:]))
            except SystemExit as e:
                status = e.code if isinstance(e.code, int) else 0 if e.code is None else print(e.code, file=err) or 1
            except BaseException:  # noqa: BLE001
                traceback.print_exc()
            finally:
                out.flush()
                err.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert status >= 0, f"signal {-status} ended assay-report {args}"
        for f in (out, err):
            f.seek(0)
        return status, out.read(), err.read()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def mixed(self):
        """One check of each status."""
        s = Stream()
        s.check("a.pass").check("b.fail", "FAIL", "too <low> & \x01odd", [figure("bytes moved", 5, low=10, high=20)])
        s.check("c.warn", "WARN", "left over").check("d.skip", "SKIP", "no L2 CAT").check("e.error", "ERROR", "a dead AP")
        return s.end("FAIL").save(self.folder / "report.jsonl")


class Reading(Case):
    def test_help_of_a_command_is_its_own(self):
        whole = re.findall("^  assay-report ([a-z]+(?:-[a-z]+)?) .*$", tool("--help")[1], re.M)
        self.assertIn("rebuild", whole)
        for command in set(whole) - {"preflight"}:
            status, out, _ = tool(command, "--help")
            self.assertEqual((status, re.findall("^  assay-report ([^ ]+)", out, re.M)), (0, [command]), command)
            self.assertIn("Exit status 2:", out)

    def test_exit_status_is_the_verdict(self):
        for result, status in (("PASS", 0), ("FAIL", 1), ("ERROR", 3)):
            s = Stream().check("a.b", result if result != "ERROR" else "ERROR")
            if result == "ERROR":
                s.run({"testRunEnd": {"status": "ERROR", "result": "NOT_APPLICABLE"}})
            else:
                s.end(result)
            self.assertEqual(tool(s.save(self.folder / "r.jsonl"))[0], status)

    def test_summary_has_findings_and_ends_with_the_verdict(self):
        status, out, _ = tool(self.mixed())
        self.assertEqual(status, 1)
        self.assertIn("b.fail: Title of b.fail", out)
        self.assertIn("no L2 CAT", out)
        self.assertEqual(out.splitlines()[-2:], ["1 PASS, 1 FAIL, 1 WARN, 1 SKIP, 1 ERROR", "RESULT: FAIL"])

    def test_skips_are_grouped_by_reason_and_a_caveat_is_said_once_a_check(self):
        s = Stream()
        for name, reason in (("a.one", "no L2 CAT"), ("b.two", "no ERDT"), ("c.three", "no L2 CAT")):
            s.check(name, "SKIP", reason)
        s.check("d.warn", "WARN", "first [and last]", limits={"limit": "uncalibrated", "errata": [{"number": "X1", "defect": "counts are off", "document": "7"}]})
        out = tool(s.end("PASS").save(self.folder / "r.jsonl"))[1]
        self.assertIn("SKIP   a.one, c.three: no L2 CAT\nSKIP   b.two: no ERDT\n", out)
        self.assertIn("         first [and last]\n         WARN, not FAIL: uncalibrated\n         expected by erratum X1: counts are off (7)\n", out)

    def counted(self):
        rows = {("imc/cas_rd", "bytes/s", "package 0 iMC 0"): [(1, 5e9), (2, 7e9)],
                ("imc/cas_rd", "bytes/s", "package 0, all 1"): [(1, 5e9), (2, 7e9)], ("rpq-latency", "ns", "package 0, all 1"): [(1, 80.5)],
                ("upi-use", "%", "package 0, all 1"): []}
        return Stream().count(rows).end("NOT_APPLICABLE").save(self.folder / "r.jsonl")

    def test_what_was_counted_is_a_table_and_done(self):
        status, out, _ = tool(self.counted())
        self.assertEqual(status, 0)
        self.assertEqual(out.splitlines()[-6:], [
            "what         where             unit           rate       least    greatest",
            "imc/cas_rd   package 0 iMC 0   bytes/s  7000000000  5000000000  7000000000",
            "imc/cas_rd   package 0, all 1  bytes/s  7000000000  5000000000  7000000000",
            "rpq-latency  package 0, all 1  ns             80.5        80.5        80.5",
            "0 PASS, 0 FAIL, 0 WARN, 0 SKIP, 0 ERROR", "RESULT: DONE"])

    def test_what_was_counted_passes_in_no_form(self):
        path = self.counted()
        self.assertIn("<skipped message=\"counted, not judged\"/>", tool("-f", "junit", path)[1])
        self.assertIn("ok 1 count # SKIP counted, not judged", tool("-f", "ktap", path)[1])
        self.assertIn("TEST_CASE_ID=count RESULT=skip", tool("-f", "lava", path)[1])
        self.assertIn("| rpq-latency | package 0, all 1 | ns | 80.5 | 80.5 | 80.5 |", tool("-f", "markdown", path)[1])
        whole = json.loads(tool("-f", "json", path)[1])
        self.assertEqual((whole["result"], whole["checks"][0]["status"]), ("DONE", "DONE"))
        self.assertEqual(whole["checks"][0]["series"][0]["points"], [[1, 5e9], [2, 7e9]])

    def test_a_report_that_stops_is_an_error_that_names_the_check(self):
        s = Stream().check("a.pass")
        s.art({"testStepStart": {"name": "b.hung"}})
        status, out, _ = tool(s.save(self.folder / "r.jsonl"))
        self.assertEqual(status, 3)
        self.assertIn("stops early", out)
        self.assertIn("b.hung", out)
        self.assertIn("RESULT: ERROR", out)

    def test_a_torn_last_line_is_not_read_and_not_fatal(self):
        path = Stream().check("a.pass").save(self.folder / "r.jsonl")
        with open(path, "a", encoding="utf-8") as f:
            f.write('{"testStepArtifact":{"testSt')
        status, out, _ = tool(path)
        self.assertEqual(status, 3)
        self.assertIn("1 PASS", out)

    def test_what_is_no_report_is_named_with_its_line(self):
        cases = {"empty": "", "text": "hello\n", "other": '{"a":1}\n', "step": '{"testStepArtifact":{"testStepId":"9"}}\n'}
        for name, content in cases.items():
            path = self.folder / name
            path.write_text(content, encoding="utf-8")
            status, out, err = tool(path)
            self.assertEqual((status, out), (2, ""), name)
            self.assertIn(str(path), err)
            self.assertNotIn("Traceback", err)
        self.assertEqual(tool(self.folder / "nowhere")[0], 2)


class Forms(Case):
    def test_junit_has_real_failures(self):
        out = tool("-f", "junit", self.mixed())[1]
        suite = ET.fromstring(out).find("testsuite")
        self.assertEqual([suite.get(k) for k in ("tests", "failures", "errors", "skipped")], ["5", "1", "1", "1"])
        kinds = {c.get("name"): [e.tag for e in c] for c in suite.iter("testcase")}
        self.assertEqual(kinds, {"a.pass": [], "b.fail": ["failure"], "c.warn": [], "d.skip": ["skipped"],
                                 "e.error": ["error"]})
        failure = suite.find("testcase/failure")
        self.assertIn("too <low> & \ufffdodd", failure.get("message"))
        self.assertIn("bytes moved 5 bytes (10 to 20), L3 domain 0", failure.text)
        self.assertIn("WARN c.warn: left over", suite.find("system-out").text)

    def explained(self, decides="FAIL"):
        """The report of a run in which a cause explains two of three findings, and one is damaged."""
        s = Stream().check("a.decides", decides, "counts half").check("b.follows", "FAIL", "too few").check("c.apart", "FAIL", "stuck")
        s.art({"testStepStart": {"name": "diagnosis"}})
        for part, check, explains in (("package 1", "a.decides", ["b.follows"]), ("", "d.other", 5), ("", [], ["e", {}])):
            s.art({"extension": {"name": "assay.diagnosis", "content": {
                "monitor": "MBM total", "part": part, "amount": "-50 %", "says": "counts <less>", "sure": "certain", "check": check,
                "next": "slices", "explains": explains}}})
        s.art({"testStepEnd": {"status": "COMPLETE"}})
        return s.end("FAIL").save(self.folder / "r.jsonl")

    def test_a_junit_message_begins_with_the_cause(self):
        out = tool("-f", "junit", self.explained())[1]
        got = {c.get("name"): c.find("failure").get("message") for c in ET.fromstring(out).iter("testcase")}
        cause = "MBM total (package 1, -50 %): counts <less> (certain); "
        self.assertEqual(got, {"a.decides": cause + "counts half", "b.follows": cause + "too few", "c.apart": "stuck"})

    def test_a_run_that_was_stopped_is_called_so(self):
        path = Stream().check("mbm.total").stopped().save(self.folder / "r.jsonl")
        status, out, _ = tool("-f", "markdown", path)
        self.assertEqual((status, out.splitlines()[0]), (3, "## ⏭️ Assay: STOPPED"))

    CAUSE = "MBM total (package 1, -50 %): counts <less> (certain)"

    def test_a_job_summary_begins_with_result_and_causes_and_folds_what_they_explain(self):
        out = tool("-f", "markdown", self.explained())[1]
        self.assertTrue(out.startswith("## ❌ Assay: FAIL\n\n0 PASS, 3 FAIL, 0 WARN, 0 SKIP, 0 ERROR\n\n"
                                       f"- **CAUSE** {self.CAUSE.replace('<', chr(92) + '<').replace('>', chr(92) + '>')}\n  - look at slices\n"
                                       "  - explains FAIL: b.follows\n"), out)
        shown, explained = out.split("<details><summary>1 explained by the causes</summary>")
        self.assertIn("| FAIL | a.decides | counts half |", shown)
        self.assertIn("| FAIL | c.apart | stuck |", shown)
        self.assertNotIn("too few", shown)
        self.assertIn("| FAIL | b.follows | too few |", explained)

    def test_causes_and_machine_are_data_in_json(self):
        o = json.loads(tool("-f", "json", self.explained())[1])
        self.assertEqual([c["explains"] for c in o["causes"]], [["b.follows"], [], ["e"]])
        self.assertEqual([o["causes"][0][k] for k in ("monitor", "part", "amount", "sure", "check", "kind")],
                         ["MBM total", "package 1", "-50 %", "certain", "a.decides", ""])
        self.assertEqual((o["called"], o["ending"]), ("FAIL", {"status": "COMPLETE", "result": "FAIL"}))
        m = o["machine"]
        self.assertEqual([m[k] for k in ("name", "serial", "processor", "packages", "firmware", "microcode", "family")],
                         ["Box", "S1", "A CPU", 1, ["1.0"], ["0x1"], None])

    def test_a_signature_is_that_of_every_package(self):
        def of(*signatures):
            path = self.explained()
            lines = Path(path).read_text(encoding="utf-8").splitlines()
            start = json.loads(lines[1])
            columns = {name: [s[n] for s in signatures] for n, name in enumerate(("family", "model", "stepping"))}
            start["testRunArtifact"]["testRunStart"]["dutInfo"]["metadata"] = {"packages": columns}
            Path(path).write_text("\n".join([lines[0], json.dumps(start), *lines[2:]]) + "\n", encoding="utf-8")
            m = json.loads(tool("-f", "json", path)[1])["machine"]
            return m["family"], m["model"], m["stepping"]

        known, none = (6, 0x4F, 1), (None, None, None)
        self.assertEqual(of(known, known), known)
        self.assertEqual([of(known, (6, 0x4F, 2)), of(known, none), of()], [none] * 3)

    def test_causes_are_comments_of_ktap_and_lava(self):
        path = self.explained()
        out = tool("-f", "ktap", path)[1].splitlines()
        self.assertEqual(out[:5], ["KTAP version 1", f"# CAUSE {self.CAUSE}", "#   look at slices", "#   explains FAIL: b.follows", f"# CAUSE {self.CAUSE.replace('package 1, ', '')}"])
        self.assertEqual(next(line for line in out[1:] if not line.startswith("#")), "1..3")
        out = tool("-f", "lava", path)[1].splitlines()
        self.assertEqual(out[:2], [f"# CAUSE {self.CAUSE}", "#   look at slices"])
        self.assertEqual(next(line for line in out if not line.startswith("#")), "<LAVA_SIGNAL_TESTSET START assay>")

    def test_the_verdict_by_monitor_is_in_every_form_before_the_causes(self):
        golden = ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl"
        says, cause = "MBM total: FAIL: factor 0.5, mbm.total", "counts another number"
        for form in ("text", "markdown", "ktap", "lava"):
            out = tool("-f", form, golden)[1]
            self.assertIn(says, out, form)
            self.assertLess(out.index(says), out.index(cause), form)
        suite = ET.fromstring(tool("-f", "junit", golden)[1]).find("testsuite")
        self.assertIn(("monitor: CMT", "WARN: cmt.linearity"), [(p.get("name"), p.get("value")) for p in suite.iter("property")])
        self.assertEqual(json.loads(tool("-f", "json", golden)[1])["monitors"][1], {
            "monitor": "CMT", "state": "WARN", "says": "WARN: cmt.linearity", "unit": "%", "repeat": "", "uncore": False, "bad": ["cmt.linearity"], "excludes": 2.4})

    def test_what_a_cause_explains_stands_beneath_it_alone(self):
        out = tool(self.explained())[1]
        self.assertIn("CAUSE  MBM total (package 1, -50 %): counts <less> (certain)\n         look at slices\n         explains FAIL: b.follows\n", out)
        self.assertNotIn("too few", out)
        self.assertIn("counts half", out)
        self.assertIn("stuck", out)
        self.assertIn("3 FAIL", out)

    def test_what_makes_a_cause_a_fail_is_told_where_it_is_seen_by_a_warn(self):
        out = tool(self.explained("WARN"))[1]
        self.assertNotIn("explains FAIL", out)
        self.assertRegex(out, r"(?s)FAIL   b\.follows: .*too few.*WARN   a\.decides: .*counts half")

    def schema(self, document):
        """xmllint's words about a document; "" when it is valid."""
        path = self.folder / "junit.xml"
        path.write_text(document, encoding="utf-8")
        p = subprocess.run(["xmllint", "--noout", "--schema", ROOT / "tests" / "report" / "junit.xsd", path],
                           capture_output=True, text=True, timeout=60, check=False)
        return "" if p.returncode == 0 else p.stderr

    @unittest.skipUnless(shutil.which("xmllint"), "xmllint is not there (scripts/setup report)")
    def test_junit_is_valid_by_the_schema(self):
        stopped = Stream().check("a.pass")
        stopped.art({"testStepStart": {"name": "b.hung"}})
        nothing = Stream().end("ERROR")
        for path in (self.mixed(), stopped.save(self.folder / "stopped"), nothing.save(self.folder / "nothing")):
            self.assertEqual(self.schema(tool("-f", "junit", path)[1]), "", path)

    @unittest.skipUnless(shutil.which("xmllint"), "xmllint is not there (scripts/setup report)")
    def test_the_schema_refuses_what_ci_systems_refuse(self):
        good = tool("-f", "junit", self.mixed())[1]
        for was, now in ((' errors="1"', ""), (' failures="1"', ' failures="one"'), ("<system-err></system-err>", ""),
                         ("<properties>", "<system-out/><properties>"), ('classname="assay.a"', ""),
                         ("</failure>", "</failure><failure/>"), ('timestamp="2026-01-01T', 'timestamp="2026-01-01 ')):
            self.assertIn(was, good)
            self.assertNotEqual(self.schema(good.replace(was, now, 1)), "", was)

    def test_rounds_have_names_of_their_own_and_assays_own_steps_do_not_count(self):
        s = Stream().check("a.b").check("a.b", "FAIL", turn=2).check("spread.rounds", turn=2).check("restore.registers").end("FAIL")
        path = s.save(self.folder / "r.jsonl")
        names = [c.get("name") for c in ET.fromstring(tool("-f", "junit", path)[1]).iter("testcase")]
        self.assertEqual(names, ["a.b", "a.b.round-2", "spread.rounds", "restore.registers"])
        self.assertIn("1 PASS, 1 FAIL, 0 WARN", tool(path)[1])

    def test_ktap(self):
        lines = tool("-f", "ktap", self.mixed())[1].splitlines()
        self.assertEqual(lines[:2], ["KTAP version 1", "1..5"])
        results = [x for x in lines[2:] if not x.startswith("#")]
        self.assertEqual([x.split()[0] for x in results], ["ok", "not", "ok", "ok", "not"])
        self.assertEqual(results[3], "ok 4 d.skip # SKIP no L2 CAT")

    def test_lava_signals(self):
        lines = tool("-f", "lava", self.mixed())[1].splitlines()
        self.assertEqual(len(lines), 7)
        self.assertIn("TEST_CASE_ID=b.fail RESULT=fail", lines[2])
        self.assertIn("TEST_CASE_ID=d.skip RESULT=skip", lines[4])

    def test_markdown_escapes_what_breaks_a_table(self):
        s = Stream().check("a.fail", "FAIL", "x | y\nz <b>").end("FAIL")
        out = tool("-f", "markdown", s.save(self.folder / "r.jsonl"))[1]
        self.assertIn("| FAIL | a.fail | x \\| y z \\<b\\> | SDM 1.2 |", out)

    def test_json_is_one_object(self):
        o = json.loads(tool("-f", "json", self.mixed())[1])
        self.assertEqual((o["result"], o["exit"], o["counts"]["WARN"]), ("FAIL", 1, 1))
        self.assertEqual(o["checks"][1]["measurements"][0]["low"], 10)


class Diff(Case):
    def pair(self, old, new):
        return tool("diff", "-f", "json", old.save(self.folder / "old"), new.save(self.folder / "new"))

    def test_equal_runs_are_equal(self):
        s = Stream().check("a.b", measurements=[figure("x", 100.0)]).end()
        status, out, _ = self.pair(s, s)
        self.assertEqual((status, json.loads(out)["changes"]), (0, []))

    def test_status_and_firmware(self):
        status, out, _ = self.pair(Stream(bios="1.0").check("a.b").end(), Stream(bios="1.1").check("a.b", "FAIL").end("FAIL"))
        texts = [c["text"] for c in json.loads(out)["changes"]]
        self.assertEqual(status, 1)
        self.assertEqual(texts, ["a.b PASS -> FAIL: why", "firmware 1.0 -> 1.1"])

    def test_of_several_rounds_the_worst_counts(self):
        good = Stream().check("a.b").check("a.b", turn=2).end()
        bad = Stream().check("a.b", "FAIL").check("a.b", turn=2).end("FAIL")
        self.assertEqual((self.pair(good, bad)[0], self.pair(bad, good)[0]), (1, 0))

    def test_better_is_no_regression(self):
        self.assertEqual(self.pair(Stream().check("a.b", "FAIL").end("FAIL"), Stream().check("a.b").end())[0], 0)

    def test_fewer_rmids_are_a_regression_and_more_are_not(self):
        few = Stream().check("a.b", measurements=[figure("RMIDs", 224, "")]).end()
        many = Stream().check("a.b", measurements=[figure("RMIDs", 256, "")]).end()
        self.assertEqual((self.pair(many, few)[0], self.pair(few, many)[0]), (1, 0))
        self.assertIn("RMIDs 256 -> 224", self.pair(many, few)[1])

    def test_a_figure_may_move_within_its_spread(self):
        def run(*values):
            return Stream().check("a.b", measurements=[figure("MBM local", v, "MB/s", f"L3 domain {i}", 900.0, 1100.0)
                                                       for i, v in enumerate(values)]).end()

        self.assertEqual(self.pair(run(1000.0, 1040.0), run(960.0, 1080.0))[0], 0)  # spread 2 %, moved 4 %
        status, out, _ = self.pair(run(1000.0, 1012.0), run(959.0, 1012.0))
        self.assertEqual(status, 1)
        self.assertIn("MBM local -4.1 %, was +/-0.6 %", out)

    def test_what_no_bound_judges_changes_and_is_no_regression(self):
        def run(value, **bounds):
            return Stream().check("a.b", measurements=[figure("rate", value, "MB/s", **bounds)]).end()

        for bounds, expected in (({}, 0), ({"high": 2000.0}, 0), ({"low": 100.0}, 1), ({"low": -9000.0, "high": 2000.0}, 0)):
            status, out, _ = self.pair(run(1000.0, **bounds), run(700.0, **bounds))
            self.assertEqual((status, len(json.loads(out)["changes"])), (expected, 1), bounds)

    def test_several_old_runs_give_the_spread(self):
        def run(name, value):
            s = Stream().check("a.b", measurements=[figure("MBM", value, "MB/s", low=900.0, high=1100.0)]).end()
            return s.save(self.folder / name)

        old, older, new = run("old", 1000.0), run("older", 960.0), run("new", 950.0)
        self.assertEqual(tool("diff", old, new)[0], 1)
        self.assertEqual(tool("diff", older, old, new)[0], 0)

    def test_fewer_places_are_a_regression(self):
        def run(n):
            return Stream().check("a.b", measurements=[figure("clock", 5.0, "Hz", f"CBo {i}") for i in range(n)]).end()

        self.assertEqual(self.pair(run(8), run(8))[0], 0)
        status, out, _ = self.pair(run(8), run(7))
        self.assertEqual((status, [c["text"] for c in json.loads(out)["changes"]]),
                         (1, ["a.b: clock, CBo # is measured at 8 -> 7 places"]))

    def test_the_page_says_what_the_text_says(self):
        old = Stream(bios="<1>").check("a.b", measurements=[figure("RMIDs", 256, "")]).end()
        new = Stream(bios="2").check("a.b", "FAIL", measurements=[figure("RMIDs", 224, "")]).end("FAIL")
        path = self.folder / "diff.html"
        status, _, _ = tool("diff", "-f", "html", "-o", path, old.save(self.folder / "old"), new.save(self.folder / "new"))
        out = path.read_text(encoding="utf-8")
        self.assertEqual(status, 1)
        self.assertIn("2 regressions", out)
        for cells in ("<td class=\"wide\">&lt;1&gt;</td>", "a.b: RMIDs", ">256<", ">224<", "-12.5 %"):
            self.assertIn(cells, out)

    def halved(self):
        """(old, new): MBM total of three checks is halved, which a cause explains in two of them, and the microcode is another."""
        def run(factor, verdict, **machine):
            s = Stream(**machine)
            for check in ("mbm.decides", "mbm.follows", "mbm.apart"):
                figures = [figure("MBM total", 1000.0 * factor * (1 + i / 1e4), place=f"L3 domain {i}", low=900, high=1100) for i in range(2)]
                s.check(check, verdict, "too few", figures if verdict == "PASS" or check != "mbm.apart" else figures[:1])
            if verdict != "PASS":
                s.art({"testStepStart": {"name": "diagnosis"}})
                s.art({"diagnosis": {"verdict": "assay-diagnosis-x", "type": "FAIL", "message": "undercounts"}})
                s.art({"extension": {"name": "assay.diagnosis", "content": {
                    "monitor": "MBM total", "part": "", "amount": "factor 0.5", "says": "undercounts", "sure": "certain", "check": "mbm.decides",
                    "next": "slices", "explains": ["mbm.follows"]}}})
                s.art({"testStepEnd": {"status": "COMPLETE"}})
            return s.end(verdict)

        return run(1, "PASS"), run(0.5, "FAIL", microcode="0x2")

    def test_the_head_has_cause_and_machine_and_equal_changes_are_a_line(self):
        old, new = self.halved()
        status, out, _ = tool("diff", old.save(self.folder / "old"), new.save(self.folder / "new"))
        self.assertEqual(status, 1)
        self.assertEqual(out.splitlines()[2:], [
            "changed: microcode 0x1 -> 0x2", "CAUSE: MBM total (factor 0.5): undercounts (certain); look at slices",
            "in common: 5 of 5 figures are mbm.*, -50.0 %", "", "9 regressions:", "  mbm.apart, mbm.decides PASS -> FAIL: too few",
            "  PASS -> FAIL, explained by the cause MBM total: mbm.follows", "  mbm.apart: MBM total, L3 domain # is measured at 2 -> 1 places",
            "  MBM total -50.0 %, was +/-0.0 %: mbm.apart, mbm.decides (2), mbm.follows (2)", "0 other changes"])
        out = json.loads(self.pair(old, new)[1])
        self.assertEqual((out["new"]["causes"][0]["amount"], out["common"], len(out["changes"])),
                         ("factor 0.5", "5 of 5 figures are mbm.*, -50.0 %", 10))
        tool("diff", "-f", "html", "-o", self.folder / "diff.html", self.folder / "old", self.folder / "new")
        self.assertIn("MBM total (factor 0.5): undercounts (certain)", (self.folder / "diff.html").read_text(encoding="utf-8"))

    def test_a_check_that_is_gone_is_a_regression(self):
        self.assertEqual(self.pair(Stream().check("a.b").check("c.d").end(), Stream().check("a.b").end())[0], 1)


    def test_a_check_that_was_not_asked_for_is_not_gone(self):
        def parameters(s, o):
            s.lines[1] = s.lines[1].replace('"parameters":{}', '"parameters":' + json.dumps(o))
            return s

        for asked in ({"t": ["a.*"], "skip": []}, {"t": [], "skip": ["c.d"]}, {"quick": True}):
            new = parameters(Stream().check("a.b").end(), asked)
            status, out, _ = self.pair(Stream().check("a.b").check("c.d").end(), new)
            self.assertEqual((status, [c["kind"] for c in json.loads(out)["changes"]]), (0, ["identity"]), asked)
        new = parameters(Stream().check("a.b").end(), {"t": ["a.*", "c.*"], "skip": ["x.y"]})
        self.assertEqual(self.pair(Stream().check("a.b").check("c.d").end(), new)[0], 1)

    def test_a_dropped_attempt_is_not_there(self):
        def run(*extra):
            s = Stream()
            for value in extra:
                s.check("a.b", "SKIP", "SMIs fell into it", [figure("x", value)], dropped=True)
            return s.check("a.b", measurements=[figure("x", 100.0)]).end()

        status, out, _ = self.pair(run(), run(5.0, 7.0))
        self.assertEqual((status, json.loads(out)["changes"]), (0, []))
        names = [c.get("name") for c in ET.fromstring(tool("-f", "junit", self.folder / "new")[1]).iter("testcase")]
        self.assertEqual(names, ["a.b"])
        for i in range(5):
            run().save(self.folder / f"g{i}.jsonl")
        run(5.0).save(self.folder / "g5.jsonl")
        self.assertEqual(json.loads(tool("merge", "-f", "json", self.folder)[1])["outliers"], [])


class Deviation(unittest.TestCase):
    def test_it_is_that_of_all_distances(self):
        chance = random.Random(1)
        for _ in range(3000):
            values = sorted(chance.choice((chance.gauss(0, 1), chance.randint(-2, 2))) for _ in range(chance.randint(1, 12)))
            middle = statistics.median(values)
            self.assertEqual(stats.deviation(middle, values), 1.4826 * statistics.median(abs(v - middle) for v in values))


class Behaviour(Case):
    def test_a_part_is_a_column_and_a_fact_a_row(self):
        for i, (microcode, us) in enumerate((("0x1", 90.0), ("0x1", 110.0), ("0x2", 7.5))):
            s = Stream(serial=f"S{i}", microcode=microcode).check("qm.behaviour", measurements=[figure("WBINVD", us, "us")])
            s.check("mbm.total", measurements=[figure("MBM total", 1.0, "ratio")])
            for broken in (0.0, 3.0, 0.0) if i == 2 else (0.0,):
                s.check("pqr.reserved-bits", measurements=[figure("processors that break the rule", broken, "processors")])
            s.end().save(self.folder / f"{i}.jsonl")
        status, out, _ = tool("behaviour", self.folder)
        self.assertEqual((status, [line.split() for line in out.splitlines()[2:]]),
                         (0, [[], ["[1]", "[2]"], ["WBINVD,", "us", "100", "(90", "..", "110)", "7.5"],
                              ["pqr.reserved-bits:", "processors", "that", "break", "the", "rule", "0", "3"]]))
        self.assertIn("[1] A CPU, ?/?/?, microcode 0x1: 2 reports\n", out)
        self.assertEqual(tool("behaviour", self.folder / "none")[0], 2)


class Merge(Case):
    def fleet(self, n=12):
        for i in range(n):
            value = 50.0 if i == 7 else 100.0 + i % 3
            Stream(serial=f"S{i}", bios="1.0" if i % 2 else "2.0").check(
                "mbm.total", "FAIL" if i == 7 else "PASS", measurements=[figure("total", value, "%")]
            ).end("FAIL" if i == 7 else "PASS").save(self.folder / f"r{i}.jsonl")

    def test_groups_and_the_one_that_stands_out(self):
        self.fleet()
        o = json.loads(tool("merge", "-f", "json", self.folder)[1])
        self.assertEqual(o["reports"], 12)
        self.assertEqual(sorted((g["firmware"], g["reports"]) for g in o["groups"]), [("1.0", 6), ("2.0", 6)])
        self.assertEqual([(x["serial"], x["value"]) for x in o["outliers"]], [("S7", 50.0)])
        self.assertIn("S7: mbm.total | total | L3 domain 0: 50, median 101", tool("merge", self.folder)[1])

    def test_a_figure_that_goes_with_the_firmware_is_named_and_its_machines_are_no_outliers(self):
        for i in range(24):
            value = {23: 50}.get(i, 224 if i % 2 else 256)
            Stream(serial=f"S{i}", bios="2.0" if i % 2 else "1.0").check(
                "enum.rmid-range", measurements=[figure("RMIDs", value, "")]).end().save(self.folder / f"r{i}.jsonl")
        o = json.loads(tool("merge", "-f", "json", self.folder)[1])
        self.assertEqual([[(m["firmware"], m["median"]) for m in s["medians"]] for s in o["splits"]], [[("1.0", 256), ("2.0", 224)]])
        self.assertEqual([(x["serial"], x["value"], x["median"]) for x in o["outliers"]], [("S23", 50, 224)])
        self.assertIn("RMIDs | L3 domain 0: 256 with 1.0, microcode 0x1, 224 with 2.0", tool("merge", self.folder)[1])

    def test_a_mixture_has_no_outliers(self):
        for i in range(20):
            Stream(serial=f"S{i}").check("a.b", measurements=[figure("DIMMs", 4 if i < 12 else 8, "")]).end().save(
                self.folder / f"r{i}.jsonl")
        status, out, _ = tool("merge", "-f", "json", self.folder)
        o = json.loads(out)
        self.assertEqual((status, o["outliers"], [(m["machines"], m["others"]) for m in o["mixtures"]]),
                         (1, [], [(sorted(f"S{i}" for i in range(12, 20)), 12)]))

    def test_the_page_names_outliers_and_links_their_reports(self):
        self.fleet()
        (self.folder / "r7.html").write_text("a report", encoding="utf-8")
        page = self.folder / "fleet.html"
        self.assertEqual(tool("merge", "-f", "html", "-o", page, self.folder)[0], 1)
        out = page.read_text(encoding="utf-8")
        self.assertIn("1 of 12 FAIL or ERROR, outliers on 1 machine", out)
        self.assertIn('<a href="r7.html">S7</a></td><td class="wide">mbm.total | total | L3 domain 0</td>', out)
        self.assertIn("-50.5 %", out)
        self.assertIn("mbm.total FAIL", out)

    def test_every_machine_is_listed_and_linked_those_that_failed_first(self):
        self.fleet()
        (self.folder / "r3.html").write_text("a report", encoding="utf-8")
        tool("merge", "-f", "html", "-o", self.folder / "fleet.html", self.folder)
        out = (self.folder / "fleet.html").read_text(encoding="utf-8")
        body = out[out.index('id="machines"'):]
        rows = re.findall(r'<tr><td[^>]*><span class="pill \w+">(\w+)</span></td><td[^>]*><a href="([^"]+)">(\w+)</a>', body[:body.index("</table>")])
        self.assertEqual(rows[0], ("FAIL", "r7.jsonl", "S7"))
        self.assertEqual({r[0] for r in rows[1:]}, {"PASS"})
        self.assertIn(("PASS", "r3.html", "S3"), rows)
        self.assertEqual(len(rows), 12)
        (self.folder / "r1.jsonl").rename(self.folder / os.fsdecode(b"\xff.jsonl"))
        tool("merge", "-f", "html", "-o", self.folder / "fleet.html", self.folder)
        self.assertIn('<a href="%FF.jsonl">S1</a>', (self.folder / "fleet.html").read_text(encoding="utf-8"))

    def test_a_report_that_is_there_twice_is_counted_once(self):
        self.fleet()
        (self.folder / "again").mkdir()
        (self.folder / "again" / "copy.jsonl").write_bytes((self.folder / "r7.jsonl").read_bytes())
        o = json.loads(tool("merge", "-f", "json", self.folder)[1])
        self.assertEqual((o["reports"], sum(g["reports"] for g in o["groups"])), (12, 12))
        self.assertEqual(o["copies"], [{"path": str(self.folder / "r7.jsonl"), "of": str(self.folder / "again" / "copy.jsonl")}])
        self.assertIn("1 files are copies", tool("merge", self.folder)[1])
        self.assertEqual(len(tool("merge", "-f", "csv", self.folder)[1].splitlines()), 13)

    def test_the_headline_hides_nothing(self):
        def said():
            tool("merge", "-f", "html", "-o", self.folder / "fleet.html", self.folder)
            return re.search(r'<strong class="(\w+)">([^<]*)<', (self.folder / "fleet.html").read_text(encoding="utf-8")).groups()
        Stream(serial="S0").check("a.b", "SKIP").end("SKIP").save(self.folder / "none.jsonl")
        self.assertEqual(said(), ("WARN", "1 without a verdict, 1 not compared"))
        Stream(serial="S1").check("a.b").end().save(self.folder / "good.jsonl")
        (self.folder / "bad.jsonl").write_text("nonsense\n", encoding="utf-8")
        self.assertEqual(said(), ("WARN", "1 PASS, 1 without a verdict, 1 unreadable, 2 not compared"))
        for name in ("none", "bad"):
            (self.folder / f"{name}.jsonl").unlink()
        self.assertEqual(said(), ("WARN", "1 PASS, 1 not compared"))
        for i in range(2, 6):
            Stream(serial=f"S{i}").check("a.b").end().save(self.folder / f"good{i}.jsonl")
        self.assertEqual(said(), ("PASS", "5 PASS, no outlier"))

    def test_a_file_in_utf_16_or_packed_is_named_as_one(self):
        path = self.folder / "r.jsonl"
        for name in ("utf-16-le", "utf-16-be"):
            path.write_bytes(("\ufeff" + "\n".join(Stream().check("a.b").end().lines) + "\n").encode(name))
            status, _, err = tool(path)
            self.assertEqual(status, 2)
            self.assertIn("this is UTF-16", err)
        path.write_bytes(gzip.compress(b"{}")[:8])
        self.assertIn(f"{path}: this is gzip", tool(path)[2])

    def test_a_broken_file_does_not_stop_it(self):
        self.fleet(6)
        (self.folder / "bad.jsonl").write_text("nonsense\n", encoding="utf-8")
        status, out, _ = tool("merge", self.folder)
        self.assertEqual(status, 2)
        self.assertIn("bad.jsonl:1", out)

    def test_csv_has_a_line_a_report(self):
        self.fleet(6)
        self.assertEqual(len(tool("merge", "-f", "csv", self.folder)[1].splitlines()), 7)

    def test_nothing_there(self):
        status, _, err = tool("merge", self.folder)
        self.assertEqual(status, 2)
        self.assertIn(str(self.folder), err)

    def test_many_files_in_several_processes_give_the_same(self):
        self.fleet(40)
        one = tool("merge", "--jobs", 1, self.folder)[1]
        self.assertEqual(one, tool("merge", "--jobs", 3, self.folder)[1])


if __name__ == "__main__":
    unittest.main()
