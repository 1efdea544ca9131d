# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Reports that were edited, cut or damaged, for each reader that says a verdict: assay-report, validate-report, the page. None is
talked into PASS, a damaged file costs a sentence and not a traceback, and one of them does not end a merge."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts")]
from report import formats, stream  # noqa: E402
import stream_readings  # noqa: E402
from test_report import ROOT, Case, Stream, figure, tool  # noqa: E402

WITHOUT_SCHEMA = os.environ | {"ASSAY_OCP_SCHEMA": "/nowhere"}


def good(checks=6, serial="S1"):
    s = Stream(serial=serial)
    for i in range(checks):
        s.check(f"a.{i}", measurements=[figure("m", 1.0 + i, "ratio", low=0, high=10)])
    return s


def failing():
    return good().check("b.fail", "FAIL", "too low").end("FAIL")


def renumbered(lines):
    return [re.sub(r'"sequenceNumber":\d+', f'"sequenceNumber":{i}', line) for i, line in enumerate(lines)]


def without(lines, word):
    return [line for line in lines if word not in line]


def said(lines, result):
    return [re.sub(r'"result":"\w+"', f'"result":"{result}"', line) if "testRunEnd" in line else line for line in lines]


def step(lines, name):
    """The lines of a check."""
    start = next(i for i, line in enumerate(lines) if f'"testStepStart":{{"name":"{name}"}}' in line)
    return range(start, next(i for i in range(start, len(lines)) if '"testStepEnd"' in lines[i]) + 1)


# (what was done, lines, verdict, exit status of assay-report, of validate-report)
def forged():
    whole, bad = good().end().lines, failing().lines
    of_bad = step(bad, "b.fail")
    skips = Stream().check("a.0", "SKIP").end("PASS").lines
    yield "nothing", whole, "PASS", 0, 0
    yield "nothing, of a FAIL", bad, "FAIL", 1, 0
    yield "nothing, of a WARN", good().check("c.warn", "WARN").end().lines, "WARN", 5, 0
    yield "figures halved under a PASS", [line.replace('"value":6.0,', '"value":12.0,') for line in whole], "ERROR", 4, 4
    yield "the end of a FAIL says PASS", said(bad, "PASS"), "FAIL", 4, 4
    yield "the end of a FAIL says that nothing was judged", said(bad, "NOT_APPLICABLE"), "FAIL", 4, 4
    yield "no attempt counts", [line.replace('"verdict":"PASS",', '"verdict":"PASS","dropped":true,') for line in whole], "ERROR", 4, 4
    yield "start and end alone", renumbered(whole[:2] + whole[-1:]), "ERROR", 4, 4
    yield "PASS of nothing but SKIP", skips, "ERROR", 4, 4
    yield "nine lines cut out", whole[:9] + whole[18:], "ERROR", 2, 1
    yield "a check that failed cut out", renumbered(bad[: of_bad[0]] + bad[of_bad[-1] + 1 :]), "FAIL", 4, 4
    yield "a finding cut out", renumbered(without(bad, '"type":"FAIL"')), "FAIL", 4, 4
    yield "a finding cut out, and the end says PASS", renumbered(said(without(bad, '"type":"FAIL"'), "PASS")), "ERROR", 4, 4
    yield "a torn line after the end", [*whole, '{"testStepArtifact":{"testSt'], "ERROR", 3, 1
    yield "a line after the end", [*whole, whole[-2].replace(f'"sequenceNumber":{len(whole) - 2}', f'"sequenceNumber":{len(whole)}')], "ERROR", 2, 1
    yield "a check without its end", renumbered(whole[:-2] + whole[-1:]), "ERROR", 4, 1
    yield "a check without its end, and another", renumbered([line for i, line in enumerate(whole) if i != step(whole, "a.2")[-1]]), "ERROR", 2, 1
    yield "a FAIL, and a PASS after it", bad + whole, "FAIL", 2, 1
    yield "no start", renumbered(whole[:1] + whole[2:]), "ERROR", 2, 1
    yield "no end", whole[:-1], "ERROR", 3, 1
    yield "no end, of a FAIL", bad[:-1], "FAIL", 1, 1


class Forged(Case):
    def files(self):
        for i, (what, lines, *expected) in enumerate(forged()):
            path = self.folder / f"{i:02}.jsonl"
            path.write_text("\n".join(lines) + "\n" * ("torn" not in what), encoding="utf-8")
            yield what, path, *expected

    def test_assay_report_says_what_all_lines_say(self):
        for what, path, result, status, _ in self.files():
            with self.subTest(what):
                code, out, err = tool(path)
                self.assertEqual(code, status, out + err)
                self.assertEqual(out.endswith(f"RESULT: {result}\n"), status != 2)
                self.assertEqual("contradicts itself" in err, status == 4)
                if status == 2:
                    self.assertEqual(err.count("\n"), 1, err)

    def test_validate_report_says_what_all_lines_say(self):
        for what, path, result, _, status in self.files():
            with self.subTest(what):
                p = subprocess.run([ROOT / "scripts" / "validate-report", path], capture_output=True, text=True, timeout=120, check=False,
                                   env=WITHOUT_SCHEMA)
                self.assertEqual(p.returncode, status, p.stdout + p.stderr)
                self.assertEqual("contradicts itself" in p.stderr, status == 4)
                if status == 0:
                    self.assertIn(f", {result}\n", p.stdout)

    def test_the_page_says_what_all_lines_say(self):
        if not stream_readings.NODE:
            self.skipTest("node is not there")
        cases = list(self.files())
        for (what, _, result, status, _), r in zip(cases, stream_readings.by_page([c[1] for c in cases])):
            with self.subTest(what):
                self.assertEqual(r["result"], result)
                contradictions = len(r["contradictions"])
                if status not in (2, 4):
                    self.assertEqual(contradictions, 0)
                elif status == 4:
                    self.assertGreater(contradictions, 0)

    def test_in_a_merge_none_passes(self):
        """After a good report of each shape, so that the fast path is tried."""
        good().end().save(self.folder / "first.jsonl")
        failing().save(self.folder / "second.jsonl")
        wanted = {path.name: (result, status) for _, path, result, status, _ in self.files()}
        code, out, _ = tool("merge", "-f", "csv", "--jobs", "1", self.folder)
        self.assertEqual(code, 4)
        for line in out.splitlines()[3:]:
            name, result = Path(line.split(",")[0]).name, line.split(",")[5]
            if name in wanted:
                self.assertEqual(result, "UNREADABLE" if wanted[name][1] == 2 else wanted[name][0], line)
        _, out, _ = tool("merge", self.folder)
        self.assertIn("contradicts itself: ", out)


def start_with(**dut):
    lines = good().end().lines
    o = json.loads(lines[1])
    o["testRunArtifact"]["testRunStart"]["dutInfo"].update(dut)
    return "\n".join([lines[0], json.dumps(o), *lines[2:]]).encode() + b"\n"


def parameters(**some):
    lines = good().end().lines
    o = json.loads(lines[1])
    o["testRunArtifact"]["testRunStart"]["parameters"].update(some)
    return "\n".join([lines[0], json.dumps(o), *lines[2:]]).encode() + b"\n"


def changed(old, new):
    text = ("\n".join(good().end().lines) + "\n").encode()
    assert old in text, old
    return text.replace(old, new, 1)


def damaged():
    deep = b"[" * 20000 + b"]" * 20000
    yield "nested deep", changed(b'"cpu":0', b'"cpu":' + deep)
    yield "nested deep in the start", changed(b'"parameters":{}', b'"parameters":{"x":' + deep + b"}")
    yield "nested 40 deep", changed(b'"cpu":0', b'"cpu":' + b"[" * 40 + b"]" * 40)
    yield "nested and not closed", changed(b'"cpu":0', b'"cpu":' + b"[" * 100000)
    yield "an integer of 400 digits", changed(b'"value":1.0', b'"value":' + b"9" * 400)
    yield "an integer of 9000 digits", changed(b'"value":1.0', b'"value":' + b"9" * 9000)
    yield "an integer of 300 digits", changed(b'"value":1.0', b'"value":' + b"9" * 300)
    yield "a negative integer of 300 digits", changed(b'"value":1.0', b'"value":-' + b"9" * 300)
    yield "a bound of 400 digits", changed(b'"value":10}', b'"value":' + b"9" * 400 + b"}")
    yield "a text as bound", changed(b'"value":10}', b'"value":"ten"}')
    yield "an object as bound", changed(b'"value":10}', b'"value":{}}')
    yield "a text as value", changed(b'"value":1.0', b'"value":"high"')
    yield "half of a pair", changed(b'"message":"why"', b'"message":"\\ud800"')
    yield "half of a pair in bytes", changed(b'"message":"why"', b'"message":"\xed\xa0\x80"')
    yield "no UTF-8", changed(b'"message":"why"', b'"message":"\xff\xfe"')
    yield "half of a pair in bytes, in the name", start_with(name="NAME").replace(b"NAME", b"\xed\xa0\x80")
    yield "UTF-16", ("\n".join(good().end().lines) + "\n").encode("utf-16")
    yield "zeros", b"\0" * 4096
    yield "zeros between", changed(b"\n", b"\n\0\0\0\0\n")
    yield "nothing", b""
    yield "a time that is a number", changed(b'"timestamp":"2026-01-01T00:00:00.001Z"', b'"timestamp":7')
    yield "a time of another kind", changed(b'"2026-01-01T00:00:00.001Z"', b'"2026-01-01T00:00:00"')
    yield "a time far off", changed(b'"2026-01-01T00:00:00.001Z"', b'"9999-99-99T99:99:99Z"')
    yield "a round of 400 digits", changed(b'"round":1', b'"round":' + b"9" * 400)
    yield "a round that is an object", changed(b'"round":1', b'"round":{}')
    yield "an account that is a list", changed(b'"verdict":"PASS"', b'"verdict":["PASS"]')
    for key in ("platformInfos", "softwareInfos", "hardwareInfos"):
        for value in (5, "x", None, {}, {"a": 1}, [1], [None], [[]], ["x"], [{}], [{"info": 5, "softwareInfoId": 5, "name": 5}],
                      [{"partType": "CPU"}], [{"partType": "CPU", "name": None}], [{"partType": "NUMA node", "name": []}],
                      [{"partType": "DIMM", "manufacturer": 5}], [{"partType": "DIMM", "manufacturer": []}],
                      [{"softwareInfoId": "bios", "version": 5}], [{"softwareInfoId": "bios", "version": []}], [{"softwareInfoId": "bios"}]):
            yield f"{key} {value}", start_with(**{key: value})
    for key, value in (("name", 5), ("name", None), ("dutInfoId", []), ("metadata", []), ("metadata", {"rdt": 5}), ("metadata", {"rdt": {}})):
        yield f"{key} {value}", start_with(**{key: value})
    for key, value in (("t", 5), ("t", "x"), ("t", [5]), ("t", {"a": 1}), ("skip", [None]), ("quick", []), ("commit", [])):
        yield f"-{key} {value}", parameters(**{key: value})
    yield "an artifact that is a list", changed(b'{"testRunStart":', b'[7],"x":{"testRunStart":')
    yield "parameters that are a list", changed(b'"parameters":{}', b'"parameters":[]')
    yield "digits that are none", start_with(softwareInfos=[{"softwareInfoId": "bios", "name": "B", "version": "²"}])


class Validating(unittest.TestCase):
    def test_help_is_help_and_another_option_is_named(self):
        for option, status, out in (("--help", 0, "Exit status 0: valid"), ("-h", 0, "Exit status 0: valid"), ("--hlp", 2, "--hlp: no option")):
            p = subprocess.run([ROOT / "scripts" / "validate-report", option], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(p.returncode, status)
            self.assertIn(out, p.stdout if status == 0 else p.stderr)


class Damaged(Case):
    def one_sentence(self, path, *command):
        code, out, err = tool(*command)
        self.assertNotIn("Traceback", err)
        self.assertIn(code, (0, 1, 2, 3, 4), out + err)
        if code == 2:
            self.assertIn(str(path), err)
            self.assertLessEqual(max(map(len, err.splitlines())), 300, err)
        return code

    def test_each_costs_a_sentence(self):
        """In this process, since a hundred files in nine forms would take minutes; two of them as its users call it."""
        loader = importlib.machinery.SourceFileLoader("assay_report", str(ROOT / "scripts" / "assay-report"))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("assay_report", loader))
        loader.exec_module(module)
        whole = good().end().save(self.folder / "whole.jsonl")
        path, out = self.folder / "r.jsonl", str(self.folder / "out")
        for what, data in damaged():
            path.write_bytes(data)
            for command in (*(["-f", form, str(path)] for form in ("text", "html", "junit", "ktap", "lava", "markdown", "json")),
                            ["diff", whole, str(path)], ["diff", str(path), whole], ["merge", whole, str(path)],
                            ["merge", "-f", "html", str(path)]):
                with self.subTest(f"{what}: {command}"), contextlib.redirect_stderr(io.StringIO()) as said_:
                    status = module.main([*command, "-o", out])
                    self.assertIn(status, (0, 1, 2, 3, 4, 5))
                    one = status == 2 or (status == 4 and command[0] != "merge")  # which lists it
                    self.assertEqual(said_.getvalue().count("\n"), int(one), said_.getvalue())
        for data in (changed(b'"cpu":0', b'"cpu":' + b"[" * 100000), start_with(platformInfos=5)):
            path.write_bytes(data)
            self.assertEqual(self.one_sentence(path, path), 2)

    def test_one_does_not_end_a_merge(self):
        for i, (_, data) in enumerate(damaged()):
            (self.folder / f"{i:03}.jsonl").write_bytes(data)
        for i in range(6):
            good(serial=f"G{i}").end().save(self.folder / f"good-{i}.jsonl")
        for jobs in ("1", "2"):
            code, out, err = tool("merge", "--jobs", jobs, "-f", "csv", self.folder)
            self.assertEqual((code, err.count("\n")), (2, 1))
            self.assertEqual(len([line for line in out.splitlines() if "good-" in line and ",PASS," in line]), 6)
            self.assertNotRegex(out, r"\.jsonl: \w+Error: ")  # a reader's own defect, which merging survives

    def test_bytes_that_change(self):
        """Of a whole report, 400 times: what is read is one of the exit statuses, and PASS only where it was read."""
        rng = random.Random(15)
        text = ("\n".join(failing().lines) + "\n").encode()
        path = self.folder / "r.jsonl"
        for _ in range(400):
            data = bytearray(text)
            for _ in range(rng.choice((1, 1, 1, 2, 5, 50))):
                at = rng.randrange(len(data))
                how = rng.randrange(3)
                if how == 0:
                    data[at] = rng.randrange(256)
                elif how == 1:
                    del data[at : at + rng.choice((1, 3, 40, 400))]
                else:
                    data[at:at] = data[at : at + rng.choice((1, 30, 300))]
            path.write_bytes(data)
            r = stream.scan(path)
            self.assertNotIn(r.result, ("PASS", "DONE"), bytes(data))
            for form in (formats.text, formats.junit, formats.ktap, formats.lava, formats.markdown, formats.as_json):
                form(r)


if __name__ == "__main__":
    unittest.main()
