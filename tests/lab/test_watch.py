# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-lab watch and status, of folders as the inbox gets them: what is filed, what goes into quarantine, what is left of machines that
died. Costs 8 s of processor time."""
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "report"), str(ROOT / "tests" / "support" / "drivers")]
from figures import digests_of, figures_of  # noqa: E402
from test_report import Stream, figure  # noqa: E402
from lab import notify, runs, watch  # noqa: E402
from report import files, page, stream  # noqa: E402
from lab.folder import Lab, LabError, machine_name  # noqa: E402

TOOL = ROOT / "scripts" / "assay-lab"


def tool(*args, timeout=120):
    p = subprocess.run([sys.executable, str(TOOL), *map(str, args)], capture_output=True, text=True, timeout=timeout, check=False)
    return p.returncode, p.stdout, p.stderr


def passing(serial="S1", value=5, checks=3):
    s = Stream(serial=serial)
    for i in range(checks):
        s.check(f"a.check{i}", measurements=[figure("moved", value + i, low=4, high=60)])
    return s.end()


def stream_of(s):
    return ("\n".join(s.lines) + "\n").encode()


def files_of(s):
    """What a run sends at its end, in this order."""
    data = stream_of(s)
    files = {"report.jsonl": data, "report.txt": b"RESULT: PASS exit=0\n"}
    if not stream.scan("report.jsonl", data).faults:
        files["report.figures"] = figures_of(data)
    files["report.html"] = b"<!doctype html>\n"
    return files | {"report.sha256": digests_of(files)}


def pieces_of(s, lines=4, first=0):
    """What it sends while it runs: runs of whole lines."""
    return {f"report.jsonl.{first + n:06}": "".join(f"{line}\n" for line in s.lines[i:i + lines]).encode()
            for n, i in enumerate(range(0, len(s.lines), lines))}


class Case(unittest.TestCase):
    """A lab of its own; `at` is the time that files are given."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "lab"
        status, self.said_of_init, err = tool("init", self.folder, "--address", "127.0.0.1/8", "--interface", "lo", "--port", "18080")
        self.assertEqual((status, err), (0, ""))
        self.at, self.said = 1_800_000_000, []

    def option(self, **options):
        with open(self.folder / "lab.conf", "a", encoding="utf-8") as f:
            f.writelines(f"{name.replace('_', '-')} = {value}\n" for name, value in options.items())

    def put(self, name, files, at=None):
        folder = self.folder / "inbox" / name
        folder.mkdir(exist_ok=True)
        for file, data in files.items():
            (folder / file).write_bytes(data)
            os.utime(folder / file, (at or self.at, at or self.at))

    def watch(self, now=None):
        """One look, at `now`; lines that were said."""
        self.said = []
        watcher = watch.Watcher(Lab(self.folder), self.said.append)
        watcher.once(self.at + 10 if now is None else now)
        watcher.close()
        return self.said

    def given(self, name, files, at=None, now=None):
        self.put(name, files, at)
        return self.watch(now)

    def verdict(self, machine, time):
        return json.loads((self.folder / "reports" / machine / time / "verdict.json").read_text(encoding="utf-8"))

    def why(self, name):
        self.assertTrue((self.folder / "quarantine" / name).exists(), self.said)
        return (self.folder / "quarantine" / f"{name}.why.txt").read_text(encoding="utf-8").strip()

    def left(self):
        return [p.name for f in ("inbox", "judging") for p in (self.folder / f).iterdir()]


class Open(Case):
    """assay-lab check."""

    def check(self):
        status, out, err = tool("check", self.folder)
        self.assertEqual(err, "")
        lines = re.findall(r"^open: (.*)", out, re.M)
        self.assertEqual(status, 1 if lines else 0)
        return [line.replace(str(self.folder), "") for line in lines]

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_without_tls_the_token_is_what_init_leaves_open_and_says(self):
        (line,) = self.check()
        self.assertRegex(line, r"^/boot/assay/default.cfg: the token goes to http://127.0.0.1:18080/inbox/ over plain HTTP")
        self.assertIn("open: " + str(self.folder) + line, self.said_of_init)

    def test_init_names_machines_that_dnsmasq_does_not_answer(self):
        init, says = ("init", self.folder, "--address", "127.0.0.1/8", "--interface", "lo"), ": dnsmasq answers known addresses alone"
        self.assertIn("/machines.conf: no machine" + says, self.said_of_init)
        (self.folder / "machines.conf").write_text("[S1]\nmac = 52:54:00:aa:00:01\n[S2]\n[S3]\n", encoding="utf-8")
        self.assertIn("/machines.conf: S2, S3" + says, tool(*init)[1])
        self.assertNotIn(says, tool(*init, "--anyone")[1])

    def test_with_tls_nothing_is_and_each_thing_that_is_opened_is_found(self):
        init = ("init", self.folder, "--address", "127.0.0.1/8", "--interface", "lo", "--name", "lab.example", "--tls", "/c.pem", "/k.pem", "--force")
        self.assertEqual(tool(*init)[0], 0)
        self.assertEqual(self.check(), [])
        password = self.folder / "password"
        password.write_text("secret", encoding="utf-8")
        password.chmod(0o644)
        hook = self.folder / "hook"
        hook.write_text("#!/bin/sh\n", encoding="utf-8")
        hook.chmod(0o777)
        self.option(hook=hook)
        for old, new in (("listen 127.0.0.1:443", "listen 443"), ("dav_methods PUT", "dav_methods PUT DELETE"),
                         ("location /reports/ {\n        allow 127.0.0.1; allow 127.0.0.1; deny all;", "location /reports/ {\n        allow all;"),
                         ("add_header Content-Security-Policy", "#"), ('if ($http_authorization != ', 'if ($http_x != ')):
            self.edit("nginx.conf", old, new)
        self.edit("dnsmasq.conf", "dhcp-ignore=", "#")
        with open(self.folder / "machines.conf", "a", encoding="utf-8") as f:
            f.write(f"[A]\nbmc = http://192.0.2.1\npassword-file = {password}\n[B]\nbmc = https://192.0.2.2\ninsecure = yes\n"
                    "[C]\nmethod = ipmi\nbmc = 192.0.2.3\ncipher = 3\n")
        for name, mode in (("token", 0o644), ("machines.conf", 0o644), ("nginx.conf", 0o644), ("inbox", 0o777), ("boot/assay/default.cfg", 0o666)):
            (self.folder / name).chmod(mode)
        found = "\n".join(self.check())
        for words in ("every machine that boots", "can change what machines run", "can read /reports/", "Content-Security-Policy", "every network",
                      "removed or moved", "without a token", r"\[A\]: the BMC's password goes over plain HTTP", r"\[B\]: .* not verified",
                      r"\[C\]: cipher = 3", "can read the password", "^/token: ", "^/nginx.conf: every user", "^/machines.conf: every user",
                      "change uploads", "program of `hook`"):
            self.assertRegex(found, re.compile(words, re.M))


class Filed(Case):
    def test_a_whole_run_is_filed_by_machine_and_time(self):
        s = passing()
        of_stick = files_of(s) | {"report.machine": b"x"}
        self.assertEqual(self.given("S1-20261125T031400", pieces_of(s) | of_stick), ["S1-20261125T031400: PASS"])
        v = self.verdict("S1", "20261125T031400")
        self.assertEqual((v["result"], v["whole"], v["checks"], v["counts"]["PASS"]), ("PASS", True, 3, 3))
        filed = self.folder / "reports" / "S1" / "20261125T031400"
        self.assertEqual(sorted(p.name for p in filed.iterdir()), sorted([*of_stick, "page.html", "verdict.json"]))
        self.assertEqual((filed / "report.jsonl").read_bytes(), stream_of(s))
        self.assertEqual(self.left(), [])

    def test_the_cause_of_a_fail(self):
        s = Stream(serial="S2").check("a.good").check("b.bad", "FAIL", "half is lost").end("FAIL")
        self.given("S2-20261125T031400", files_of(s))
        v = self.verdict("S2", "20261125T031400")
        self.assertEqual((v["result"], v["cause"]), ("FAIL", "b.bad: half is lost"))
        self.given("S3-20261125T031400", files_of(Stream(serial="S3").check("c.late", "WARN", "a little").end("PASS")))
        self.assertEqual([self.verdict("S3", "20261125T031400")[k] for k in ("result", "cause", "causes")], ["WARN", "c.late: a little", []])

    def test_what_the_lab_has_waived_is_no_fail_and_is_said(self):
        def bad(serial, day):
            self.given(f"{serial}-202611{day}T031400", files_of(Stream(serial=serial).check("a.good").check("b.bad", "FAIL", "half is lost").end("FAIL")))
            return self.verdict(serial, f"202611{day}T031400")

        self.option(waivers="lab.waivers")
        waivers = self.folder / "lab.waivers"
        waivers.write_text("b.bad * 2026-01-01 ticket 7\n", encoding="utf-8")
        v = bad("S1", 25)
        self.assertEqual((v["result"], v["cause"], v["counts"]["WAIVED"]), ("PASS", "", 1))
        self.assertRegex(v["waived"][0], r"^b\.bad: half is lost; ticket 7 \(accepted 2026-01-01; .*lab\.waivers:1\)$")
        self.assertIn("1 finding waived", tool("status", self.folder)[1])
        self.assertIn("1 finding waived", (self.folder / "www" / "index.html").read_text(encoding="utf-8"))
        waivers.write_text("b.bad\n", encoding="utf-8")
        status, _, err = tool("watch", "--once", self.folder)
        self.assertEqual(status, 2)
        self.assertIn("lab.waivers:1: 1 fields", err)

    def test_a_serial_number_is_named_as_the_payload_names_it(self):
        self.assertEqual([machine_name(s) for s in ("SN/1 x", "-rm", "é1", "a" * 50)], ["SN-1-x", "_rm", "_1", "a" * 40])
        self.given("SN-1-x-20261125T031400", files_of(passing("SN/1 x")))
        self.assertTrue(self.verdict("SN-1-x", "20261125T031400")["whole"])

    def test_the_first_pass_is_the_baseline_and_what_changed_is_told(self):
        self.given("S1-20261125T031400", files_of(passing()))
        later = Stream(serial="S1", microcode="0x2")
        for i in range(3):
            later.check(f"a.check{i}", measurements=[figure("moved", (5, 5.4, 55)[i] + i, low=4, high=60)])
        self.given("S1-20261126T031400", files_of(later.end()), self.at + 100)
        v = self.verdict("S1", "20261126T031400")
        self.assertEqual((v["baseline"], v["regressions"]), ("20261125T031400", 1))
        self.assertIn("microcode 0x1 -> 0x2", v["changes"])
        self.assertRegex(v["why-changed"], r"^a\.check2: moved .*; changed: microcode 0x1 -> 0x2$")
        self.assertIn(v["why-changed"], tool("status", self.folder)[1])
        self.assertIn("1 regressions", (self.folder / "reports/S1/20261126T031400/changes.txt").read_text(encoding="utf-8"))
        self.assertEqual(tool("baseline", self.folder, "S1", "20261126T031400")[0], 0)
        self.given("S1-20261127T031400", files_of(later), self.at + 200)
        self.assertEqual([self.verdict("S1", "20261127T031400")[k] for k in ("baseline", "regressions", "changed")], ["20261126T031400", 0, 0])
        self.assertEqual(tool("baseline", self.folder, "S1", "20200101T000000")[0], 2)

    def test_others_are_told(self):
        hook = self.folder / "hook"
        hook.write_text(f"#!/bin/sh\necho \"$@\" >>{self.folder}/hooked\n", encoding="utf-8")
        hook.chmod(0o755)
        self.option(hook=hook)
        self.put("S1-20261125T031400", files_of(passing()))
        self.given("S9-x", files_of(passing()))
        self.assertEqual((self.folder / "hooked").read_text(encoding="utf-8").splitlines(), [
            f"PASS S1 {self.folder}/reports/S1/20261125T031400", f"QUARANTINE S9-x {self.folder}/quarantine/S9-x"])
        self.assertEqual(len(ET.parse(self.folder / "junit" / "S1.xml").findall(".//testcase")), 3)
        metrics = (self.folder / "prometheus" / "S1.prom").read_text(encoding="utf-8")
        self.assertIn('assay_run_result{serial="S1",result="PASS"} 1\n', metrics)
        self.assertIn(f'assay_lab_arrived_timestamp_seconds{{serial="S1"}} {self.at}', metrics)
        self.assertNotIn("assay_measurement", metrics)

    def test_a_hook_that_fails_is_told_and_nothing_else(self):
        self.option(hook="/bin/false")
        self.put("S1-20261125T031400", files_of(passing()))
        self.assertIn("hook: exit status 1: ", self.watch())
        self.assertTrue(self.verdict("S1", "20261125T031400")["whole"])


class Died(Case):
    def half(self, checks=5):
        s = passing(checks=checks)
        return s, pieces_of(s, 5)

    def test_pieces_of_a_machine_that_died_become_a_partial_report(self):
        s, pieces = self.half()
        some = dict(list(pieces.items())[:3])
        self.given("S1-20261125T031400", some)
        self.assertFalse((self.folder / "reports" / "S1").exists())
        self.assertEqual(self.watch(self.at + 3601)[0].split(";")[0], "S1-20261125T031400: ERROR, stopped after 2 checks")
        filed = self.folder / "reports" / "S1" / "20261125T031400"
        self.assertEqual((filed / "report.jsonl").read_bytes(), b"".join(some.values()))
        self.assertEqual([self.verdict("S1", "20261125T031400")[k] for k in ("result", "whole", "baseline")], ["ERROR", False, ""])
        self.assertFalse((self.folder / "reports" / "S1" / "baseline").exists())

    def test_a_later_run_of_the_machine_ends_the_earlier_one(self):
        self.put("S1-20261125T031400", dict(list(self.half()[1].items())[:3]))
        self.given("S1-20261125T041400", dict(list(self.half()[1].items())[:1]), self.at + 60, now=self.at + 70)
        self.assertFalse(self.verdict("S1", "20261125T031400")["whole"])
        self.assertEqual(self.left(), ["S1-20261125T041400"])

    def test_what_comes_after_it_was_given_up_is_put_together(self):
        s, pieces = self.half()
        some = list(pieces.items())
        self.given("S1-20261125T031400", dict(some[:2]), now=self.at + 3601)
        self.given("S1-20261125T031400", dict(some[2:4]), self.at + 4000, now=self.at + 8000)
        filed = self.folder / "reports" / "S1" / "20261125T031400"
        self.assertEqual((filed / "report.jsonl").read_bytes(), b"".join(data for _, data in some[:4]))
        self.given("S1-20261125T031400", dict(some[4:]) | files_of(s), self.at + 9000, now=self.at + 9000)
        self.assertEqual([self.verdict("S1", "20261125T031400")[k] for k in ("result", "whole")], ["PASS", True])
        self.assertEqual((filed / "report.jsonl").read_bytes(), stream_of(s))

    def test_a_piece_that_is_missing(self):
        s, pieces = self.half()
        some = list(pieces.items())
        self.given("S1-20261125T031400", dict(some[:2] + some[3:]), now=self.at + 3601)
        v = self.verdict("S1", "20261125T031400")
        self.assertEqual((v["whole"], v["left"]), (False, "a piece is missing; later pieces were not used"))
        filed = self.folder / "reports" / "S1" / "20261125T031400"
        self.assertEqual((filed / "report.jsonl").read_bytes(), some[0][1] + some[1][1])
        self.assertEqual(len(list((filed / "pieces").iterdir())), len(some) - 1)

    def test_a_fail_before_it_died_is_a_fail(self):
        s = Stream(serial="S1").check("b.bad", "FAIL", "half is lost").check("c.good")
        self.given("S1-20261125T031400", dict(list(pieces_of(s, 9).items())), now=self.at + 3601)
        self.assertEqual([self.verdict("S1", "20261125T031400")[k] for k in ("result", "whole", "cause")], ["FAIL", False, "b.bad: half is lost"])

    def test_all_but_its_digests_arrived(self):
        s = passing()
        files = files_of(s)
        del files["report.sha256"]
        self.given("S1-20261125T031400", pieces_of(s) | files, now=self.at + 3601)
        v = self.verdict("S1", "20261125T031400")
        self.assertEqual((v["result"], v["whole"], v["left"]), ("PASS", False, "report.sha256 is missing"))

    def test_a_watcher_that_was_ended_leaves_nothing_half_done(self):
        self.put("S1-20261125T031400", files_of(passing()))
        os.rename(self.folder / "inbox" / "S1-20261125T031400", self.folder / "judging" / "S1-20261125T031400")
        self.watch()
        self.assertTrue(self.verdict("S1", "20261125T031400")["whole"])


class Resumed(Case):
    """A machine that hung, and resumed in the folder of its run."""

    NAME = "S1-20261125T031400"

    def boots(self, lost=0):
        """(pieces of the first boot; the stream as the second boot ends it, which found `lost` lines less; that boot's pieces)"""
        first = Stream(serial="S1").check("a.check0").check("b.check1")
        second = Stream(serial="S1").check("a.check0")
        if not lost:
            second.check("b.check1")
        kept = len(second.lines)
        self.assertEqual(first.lines[:kept], second.lines)
        self.assertEqual(len(first.lines) - kept > 0, bool(lost))
        second.check("resume").check("c.check2").end()
        pieces = {f"report.jsonl.{100 + n:06}": ("\n".join(second.lines[i:i + 4]) + "\n").encode()
                  for n, i in enumerate(range(kept, len(second.lines), 4))}
        return pieces_of(first, 5), second, pieces

    def test_its_pieces_follow_on(self):
        for lost in (0, 1):
            with self.subTest(lost=lost):
                before, s, pieces = self.boots(lost)
                self.put(self.NAME, before | pieces)
                run = runs.Run(self.folder / "inbox" / self.NAME)
                self.assertEqual(runs.joined(run), (stream_of(s), False))
                self.given(self.NAME, files_of(s))
                v = self.verdict("S1", "20261125T031400")
                self.assertEqual((v["whole"], v["left"]), (True, ""))
                self.assertEqual((self.folder / "reports/S1/20261125T031400/report.jsonl").read_bytes(), stream_of(s))
                self.setUp()

    def test_all_of_it_sent_again(self):
        before, s, _ = self.boots(1)
        self.given(self.NAME, before | pieces_of(s, 5, first=100) | files_of(s))
        self.assertTrue(self.verdict("S1", "20261125T031400")["whole"])

    def test_it_dies_again_and_goes_on_a_third_time(self):
        before, s, pieces = self.boots(1)
        self.given(self.NAME, before | dict(list(pieces.items())[:1]), now=self.at + 3601)
        filed = self.folder / "reports/S1/20261125T031400"
        kept = (filed / "report.jsonl").read_bytes()
        self.assertTrue(stream_of(s).startswith(kept))
        self.assertEqual(self.verdict("S1", "20261125T031400")["left"], "")
        third = "".join(f"{line}\n" for line in s.lines[kept.count(b"\n"):]).encode()
        self.given(self.NAME, {"report.jsonl.000200": third} | files_of(s), self.at + 4000, now=self.at + 4010)
        self.assertTrue(self.verdict("S1", "20261125T031400")["whole"])
        self.assertEqual((filed / "report.jsonl").read_bytes(), stream_of(s))

    def test_a_piece_between_the_boots_is_missing(self):
        before, _, pieces = self.boots()
        del before[max(before)]
        self.put(self.NAME, before | pieces)
        self.assertEqual(runs.joined(runs.Run(self.folder / "inbox" / self.NAME)), (b"".join(before.values()), True))

    def test_another_end_without_a_boot_that_says_so(self):
        first, other = passing(), Stream(serial="S1").check("a.other").end()
        self.given(self.NAME, pieces_of(first) | pieces_of(other, first=100) | files_of(other))
        self.assertRegex(self.why(self.NAME), r"^report\.jsonl\.\d{6}, sent during the run, differs from report\.jsonl")

    def test_what_was_kept_is_held_to_the_stream(self):
        before, s, pieces = self.boots(1)
        changed = before | {"report.jsonl.000000": before["report.jsonl.000000"].replace(b"S1", b"S2")}
        self.assertNotEqual(before, changed)
        self.given(self.NAME, changed | pieces | files_of(s))
        self.assertRegex(self.why(self.NAME), r"^report\.jsonl\.000000, sent")

    def test_progress(self):
        before, s, pieces = self.boots(1)
        self.put(self.NAME, before)
        progress = runs.Progress(runs.Run(self.folder / "inbox" / self.NAME))
        run = runs.Run(self.folder / "inbox" / self.NAME)
        self.assertEqual(progress.take(run).said(run)["check"], "b.check1")
        self.put(self.NAME, pieces)
        run = runs.Run(run.folder)
        self.assertEqual((progress.take(run).said(run)["check"], progress.said(run)["k"]), ("c.check2", 2))
        self.assertEqual(progress.reader.report.faults, [])


class Full(Case):
    """The disk is full at the n-th write of the watcher, for each n, until there is room. A run is filed as on a disk that never was."""
    NAME, TIME = "S1-20261125T031400", "20261125T031400"

    def on_a_full_disk(self, n):
        """The nth write of the watcher writes half and fails, and so do all that follow. A dictionary; "writes": so far."""
        state, real = {"writes": 0}, files.replace

        def replace(path, data, mode=None):
            state["writes"] += 1
            if state["writes"] < n:
                return real(path, data, mode)
            Path(f"{path}.new").write_bytes(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        self.patched = patch.object(files, "replace", replace)
        self.patched.start()
        self.addCleanup(patch.stopall)
        return state

    def tree(self, top):
        """Names and bytes of what is filed, but for times of the pass."""
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in (self.folder / top).rglob("*") if p.is_file()}

    def each(self, steps):
        """steps: [(files, now)] that arrive one after another; the last of them on a full disk."""
        self.option(hook="/bin/true")
        folder, expected, n = self.folder, None, 1
        while True:
            self.folder = folder.with_name(f"lab{n}")
            shutil.copytree(folder, self.folder)
            for some, now in steps[:-1]:
                self.given(self.NAME, some, now=now)
            before = self.tree("reports")
            some, now = steps[-1]
            self.put(self.NAME, some)
            if expected is None:
                self.watch(now)
                expected = [self.tree(top) for top in ("reports", "junit", "prometheus", "quarantine", "judging")]
                shutil.rmtree(self.folder)
                continue
            state, said = self.on_a_full_disk(n), []
            with watch.Turns(Lab(self.folder), said.append) as turns:
                with patch.object(watch.time, "time", lambda now=now: now):
                    for _ in range(3):
                        turns.once()
                    wrote = state["writes"]
                    if wrote >= n:
                        self.assertEqual(len([s for s in said if "No space left on device" in s]), 1, (n, said))
                        self.assertEqual(self.tree("quarantine"), {}, (n, said))
                        for path, data in before.items():  # what is filed stays until the new one is
                            if path.endswith("report.jsonl"):
                                self.assertIn(self.tree("reports").get(path), (data, expected[0].get(path)), n)
                    self.patched.stop()
                    turns.once()
            self.assertEqual([self.tree(top) for top in ("reports", "junit", "prometheus", "quarantine", "judging")], expected, (n, said))
            self.assertEqual((self.left(), len([s for s in said if s.startswith(self.NAME)])), ([], 1), (n, said))
            shutil.rmtree(self.folder)
            if wrote < n:
                self.assertGreater(n, 5)
                return
            n += 1

    def test_a_whole_run(self):
        s = passing()
        self.each([(pieces_of(s) | files_of(s), self.at)])

    def test_the_pieces_of_one_that_died(self):
        some = dict(list(pieces_of(passing(checks=5), 5).items())[:3])
        self.each([(some, self.at + 3601)])

    def test_the_rest_of_one_that_was_given_up(self):
        s = passing(checks=5)
        some = list(pieces_of(s, 5).items())
        self.each([(dict(some[:2]), self.at + 3601), (dict(some[2:]) | files_of(s), self.at + 9000)])

    def test_one_piece_more_of_it(self):
        some = list(pieces_of(passing(checks=9), 5).items())
        self.each([(dict(some[:2]), self.at + 3601), (dict(some[2:4]), self.at + 9000)])

    def test_what_is_refused(self):
        files_ = files_of(passing())
        files_["report.txt"] += b"x"
        self.put(self.NAME, files_)
        state, said = self.on_a_full_disk(1), []
        with watch.Turns(Lab(self.folder), said.append) as turns:
            for _ in range(2):
                turns.once()
            self.assertGreater(state["writes"], 0)
            self.assertEqual([p for p in (self.folder / "quarantine").iterdir() if p.is_dir()], [])  # without its reason
            self.patched.stop()
            turns.once()
        self.assertIn("report.txt", self.why(self.NAME))
        self.assertEqual([p.name for p in (self.folder / "quarantine").iterdir()].count(f"{self.NAME}.2"), 0)

    def killed(self, steps):
        """The watcher is killed at each of its renames and removals in the last of the steps, and the next one ends its work."""
        folder, expected, n = self.folder, None, 0
        while True:
            self.folder = folder.with_name(f"lab{n}")
            shutil.copytree(folder, self.folder)
            for some, at, now in steps[:-1]:
                self.given(self.NAME, some, at=at, now=now)
            some, at, now = steps[-1]
            self.put(self.NAME, some, at)
            calls = [0]

            def killed(real, calls=calls, n=n):
                def call(*args, **kw):
                    calls[0] += 1
                    if calls[0] == n:
                        raise KeyboardInterrupt
                    return real(*args, **kw)
                return call
            with ExitStack() as stack:
                for name in ("rename", "unlink", "rmdir", "replace", "mkdir"):
                    stack.enter_context(patch.object(os, name, killed(getattr(os, name))))
                watcher = watch.Watcher(Lab(self.folder))
                try:
                    watcher.once(now)
                except KeyboardInterrupt:
                    pass
                watcher.close()
            self.watch(now + 1)
            self.assertEqual((self.left(), list((self.folder / "quarantine").iterdir())), ([], []), (n, self.said))
            filed = (self.verdict("S1", self.TIME), (self.folder / "reports" / "S1" / self.TIME / "report.jsonl").read_bytes())
            expected = expected or filed
            self.assertEqual(filed, expected, n)
            shutil.rmtree(self.folder)
            if calls[0] < n:
                self.assertGreater(n, 5)
                return filed
            n += 1

    def test_a_watcher_that_was_killed_while_it_filed(self):
        s = passing(checks=5)
        some = list(pieces_of(s, 5).items())
        verdict, stream = self.killed([(dict(some[:2]), self.at - 1000, self.at + 3601), (dict(some[2:]) | files_of(s), self.at, self.at + 9000)])
        self.assertEqual((verdict["whole"], verdict["result"], stream), (True, "PASS", stream_of(s)))

    def test_one_that_filed_what_lacks_a_piece(self):
        some = list(pieces_of(passing(checks=9), 5).items())
        verdict, _ = self.killed([(dict(some[:2] + some[3:4]), self.at, self.at + 3601)])
        self.assertEqual((verdict["whole"], verdict["left"]), (False, "a piece is missing; later pieces were not used"))


class Quarantine(Case):
    """Each of these is a run that is whole but for one thing."""

    NAME = "S1-20261125T031400"

    def refused(self, files, says, name=NAME, now=None):
        self.given(name, files, now=now)
        self.assertRegex(self.why(name), says)
        self.assertEqual(self.left(), [])
        self.assertFalse((self.folder / "reports" / "S1" / "20261125T031400").exists())

    def test_a_name_like_that_of_a_reason(self):
        self.put("A.why.txt", {"report.txt": b""})
        self.given("A", {"report.txt": b""})
        self.assertEqual([self.why(n) for n in ("A", "A.why.txt_")], ["its name is not SERIAL-TIME"] * 2)

    def test_a_file_that_was_changed(self):
        for changed in ("report.txt", "report.figures", "report.html"):
            with self.subTest(changed):
                self.refused(files_of(passing()) | {changed: b"PASS"}, f"^{re.escape(changed)} is not what the run wrote")
                self.setUp()

    def test_figures_of_another_run(self):
        files = {name: data for name, data in files_of(passing()).items() if name != "report.sha256"}
        files["report.figures"] = figures_of(stream_of(passing(value=7)))
        self.refused(files | {"report.sha256": digests_of(files)}, "^report.figures has other figures of a.check0 than report.jsonl")

    def test_a_verdict_that_was_edited(self):
        s = Stream(serial="S1").check("b.bad", "FAIL", "half is lost").end("PASS")
        self.refused(files_of(s), "^the report contradicts itself: ")

    def test_a_line_that_is_none(self):
        s = passing()
        s.lines[3] = s.lines[3][:-1]
        self.refused(files_of(s), r"^report\.jsonl:4: ")

    def test_another_machines_report(self):
        self.refused(files_of(passing("S2")), "its name says S1, the report is of machine S2")

    def test_pieces_that_are_not_the_reports(self):
        s, other = passing(), passing(value=7)
        self.refused(pieces_of(other) | files_of(s), r"^report\.jsonl\.\d{6}, sent during the run, differs from report\.jsonl")

    def test_a_lost_piece_is_no_forgery(self):
        s = passing()
        pieces = pieces_of(s)
        del pieces["report.jsonl.000002"]
        self.given(self.NAME, pieces | files_of(s))
        self.assertTrue(self.verdict("S1", "20261125T031400")["whole"])

    def test_a_piece_of_another_run_after_a_lost_one(self):
        s, other = passing(), passing(value=7)
        pieces = pieces_of(s) | {"report.jsonl.000003": pieces_of(other)["report.jsonl.000003"]}
        del pieces["report.jsonl.000002"]
        self.refused(pieces | files_of(s), r"^report\.jsonl\.000003, sent")

    def test_an_end_without_an_end(self):
        s = passing()
        s.lines.pop()
        self.refused(files_of(s), "no testRunEnd although report.sha256 exists")

    def test_a_file_that_no_digest_is_of(self):
        files = files_of(passing())
        files["report.sha256"] = files["report.sha256"].splitlines(True)[0]
        self.refused(files, "^report.figures is not in report.sha256")

    def test_what_is_no_run(self):
        self.refused(files_of(passing()), "its name is not SERIAL-TIME", name="S1")
        self.refused(files_of(passing()) | {"x.sh": b""}, "^x.sh is not a file of a run", name="S1-20261125T031401")
        (self.folder / "inbox" / "stray").write_bytes(b"x")
        self.watch()
        self.assertEqual(self.why("stray"), "it is not a folder")

    def test_a_link(self):
        self.put(self.NAME, files_of(passing()))
        os.remove(self.folder / "inbox" / self.NAME / "report.txt")
        os.symlink("/etc/passwd", self.folder / "inbox" / self.NAME / "report.txt")
        self.watch()
        self.assertEqual(self.why(self.NAME), "report.txt is not a file of a run")

    def test_too_much(self):
        self.option(run_most="4K")
        self.refused(files_of(passing(checks=9)), "more than 4096 \\(run-most\\)")

    def test_a_run_that_is_filed_already_is_not_replaced(self):
        self.given(self.NAME, files_of(passing()))
        self.given(self.NAME, files_of(passing(value=7)))
        self.assertEqual(self.why(self.NAME), "a run of this name is filed already")
        self.given(self.NAME, files_of(passing(value=8)))
        self.assertEqual(self.why(self.NAME + ".2"), "a run of this name is filed already")
        self.assertEqual((self.folder / "reports/S1/20261125T031400/report.jsonl").read_bytes(), stream_of(passing()))

    def test_what_is_sent_again_as_it_is_filed_is_dropped(self):
        files = files_of(passing())
        self.given(self.NAME, files)
        for again in (files, {"report.sha256": files["report.sha256"]}):
            self.assertEqual(self.given(self.NAME, again), [f"{self.NAME}: sent again as it is filed: dropped"])
        self.assertEqual((self.left(), list((self.folder / "quarantine").iterdir())), ([], []))

    def test_names_that_end_no_pass(self):
        inbox = os.fsencode(self.folder / "inbox")
        os.symlink("nowhere", self.folder / "inbox" / "link")
        os.mkdir(os.path.join(inbox, b"no-utf-8-\xff"))
        os.mkdir(os.path.join(inbox, b"n" * 250))
        self.given(self.NAME, files_of(passing()))
        self.assertEqual(self.left(), [])
        self.assertEqual(sorted(p.name for p in (self.folder / "quarantine").iterdir() if not p.name.endswith(".why.txt")),
                         ["link", "n" * watch.NAME_LENGTH, "no-utf-8-_"])
        self.assertEqual(self.verdict("S1", self.NAME[3:])["result"], "PASS")
        self.watch()

    def test_a_run_in_progress_has_a_bound(self):
        self.option(run_most="4K")
        self.given(self.NAME, pieces_of(passing(checks=40)))
        self.assertIn("more than 4096 (run-most)", self.why(self.NAME))

    def test_the_page_of_a_filed_run_is_made_of_its_stream(self):
        files = files_of(passing())
        files["report.html"] = b"<!doctype html><p>RESULT: FAIL</p>"
        self.given(self.NAME, files | {"report.sha256": digests_of({k: v for k, v in files.items() if k != "report.sha256"})})
        made = (self.folder / "reports" / "S1" / self.NAME[3:] / "page.html").read_text(encoding="utf-8")
        self.assertEqual(page.inside(made), files["report.jsonl"])
        self.assertIn("page.html", (self.folder / "www" / "index.html").read_text(encoding="utf-8"))

    def test_runs_of_a_machine_without_a_clock_have_one_name(self):
        for name in ("S1-no-clock", "S1-20000101T000107"):
            time = name[3:]
            first = passing(value=5)
            for value in (5, 6, 7):
                self.at += 100
                self.given(name, pieces_of(passing(value=value)) | files_of(passing(value=value)))
            for number, value in (("", 5), ("-2", 6), ("-3", 7)):
                self.assertEqual((self.folder / "reports/S1" / (time + number) / "report.jsonl").read_bytes(), stream_of(passing(value=value)))
                self.assertEqual(self.verdict("S1", time + number)["time"], time + number)
            self.assertEqual(self.given(name, files_of(first)), [f"{name}: sent again as it is filed: dropped"])

    def test_what_a_machine_without_a_clock_left_is_put_together_with_its_own_alone(self):
        first, second = passing(value=5), passing(value=6)
        pieces = pieces_of(first)
        self.given("S1-no-clock", dict(list(pieces.items())[:2]), now=self.at + 100_000)
        self.assertFalse(self.verdict("S1", "no-clock")["whole"])
        self.at += 200_000
        self.given("S1-no-clock", pieces_of(second) | files_of(second))
        self.assertTrue(self.verdict("S1", "no-clock-2")["whole"])
        self.given("S1-no-clock", dict(list(pieces.items())[2:]) | files_of(first))
        self.assertEqual((self.verdict("S1", "no-clock")["whole"], self.left()), (True, []))

    def test_another_program_is_asked(self):
        self.option(validate="/bin/false")
        self.refused(files_of(passing()), "^/bin/false: exit status 1")

    def test_names_of_a_machine_are_text(self):
        s = Stream(serial="S1", model="\x1b[31m<b>").check("b.bad", "FAIL", "\x1b[2J<script>").end("FAIL")
        self.given(self.NAME, files_of(s))
        text = notify.text(Lab(self.folder), self.at)
        page = (self.folder / "www" / "index.html").read_text(encoding="utf-8")
        self.assertNotIn("\x1b", text + page)
        self.assertNotIn("<script>\n", page.split("<main>")[1].split("</main>")[0])
        self.assertIn("&lt;script&gt;", page)


class Status(Case):
    def test_each_machine_in_a_line(self):
        self.put("S1-20261125T031400", files_of(passing()))
        self.put("S2-20261125T031400", files_of(Stream(serial="S2").check("b.bad", "FAIL", "half is lost").end("FAIL")))
        s = passing("S3")
        s.lines[1] = s.lines[1].replace('"parameters":{', '"parameters":{"checks":3')
        self.put("S3-20261125T031400", dict(list(pieces_of(s, 5).items())[:2]))
        self.given("S4", {})
        lines = notify.text(Lab(self.folder), self.at + 600).splitlines()
        self.assertRegex(lines[3], r"^S1 +PASS +10 min +baseline$")  # who needs a person first
        self.assertRegex(lines[1], r"^S2 +FAIL +10 min +.*b\.bad: half is lost$")
        self.assertRegex(lines[2], r"^S3 +none +check 2 of 3: a\.check1, last data 10 min ago$")
        self.assertEqual(lines[4], "quarantine: S4: its name is not SERIAL-TIME")
        self.assertRegex(lines[5], r"^3 machines, 1 FAIL, 1 PASS, 1 running, 1 in quarantine; updated \d{4}-")
        status, out, _ = tool("status", self.folder, "-f", "json")
        self.assertEqual((status, [m["machine"] for m in json.loads(out)["machines"]]), (0, ["S2", "S3", "S1"]))
        page = (self.folder / "www" / "index.html").read_text(encoding="utf-8")
        self.assertIn('href="../reports/S2/20261125T031400/page.html"', page)
        self.assertNotIn("S1/20261125T031400/changes.txt", page)
        self.given("S1-20261125T041400", files_of(passing()), self.at + 100, now=self.at + 110)
        self.assertRegex(notify.text(Lab(self.folder), self.at + 600).splitlines()[3], r"^S1 +PASS +8 min +nothing$")
        self.assertIn("S1/20261125T041400/changes.txt", (self.folder / "www" / "index.html").read_text(encoding="utf-8"))

    def test_the_page_is_not_green_over_regressions_or_quarantine(self):
        def run(value):
            return files_of(Stream(serial="S1").check("mbm.total", measurements=[
                figure(f"MBM total {i}", value, low=50, high=110, unit="ratio") for i in range(4)]).end())

        def head():
            return re.search(r'<strong class="(\w+)">([^<]*)<', (self.folder / "www" / "index.html").read_text(encoding="utf-8")).groups()
        self.given("S1-20261125T031400", run(100.0))
        self.assertEqual(head(), ("PASS", "1 machines"))
        self.given("S1-20261125T041400", run(70.0), self.at + 100, now=self.at + 110)
        self.assertEqual(head(), ("WARN", "1 of 1 machines need a look"))
        self.assertIn("4 regressions, 0 other: 4 of 4 figures are mbm.*, -30.0 %", notify.text(Lab(self.folder), self.at + 600))
        self.put("S1-20261125T051400", run(100.0), self.at + 200)
        self.given("S4", {}, self.at + 200, now=self.at + 210)
        self.assertEqual(head(), ("WARN", "1 machines, 1 in quarantine"))

    def test_the_last_run_is_the_one_that_began_last(self):
        self.put("S1-20261125T031400", files_of(passing()), self.at + 50)
        self.given("S1-20261125T031500", files_of(Stream(serial="S1").check("b.bad", "FAIL", "x").end("FAIL")), self.at + 60)
        self.given("S1-20261125T031300", files_of(passing()), self.at)
        self.assertEqual(json.loads((self.folder / "reports" / "S1" / "last.json").read_text(encoding="utf-8"))["time"], "20261125T031500")
        self.assertIn('failures="1"', (self.folder / "junit" / "S1.xml").read_text(encoding="utf-8"))

    def test_progress_reads_each_piece_once(self):
        s = passing(checks=4)
        pieces = list(pieces_of(s, 5).items())
        self.put("S1-20261125T031400", dict(pieces[:2]))
        run = runs.Run(self.folder / "inbox" / "S1-20261125T031400")
        progress = runs.Progress(run).take(run)
        self.assertEqual(progress.said(run)["k"], 2)
        (run.folder / pieces[0][0]).write_bytes(b"not read again\n")
        self.put("S1-20261125T031400", dict(pieces[2:]))
        run = runs.Run(run.folder)
        self.assertEqual((progress.take(run).said(run)["k"], progress.reader.report.faults), (4, []))

    def test_two_do_not_watch_one_lab(self):
        first = watch.Watcher(Lab(self.folder))
        self.addCleanup(first.close)
        self.assertEqual(tool("watch", self.folder, "--once")[0], 2)
        with watch.Turns(Lab(self.folder), print) as second:
            self.assertFalse(second.once())
            first.close()
            self.assertTrue(second.once())

    def test_uploads_are_refused_where_there_is_no_room(self):
        self.option(free_least="900T")
        self.assertRegex(self.watch()[0], "^uploads are refused: ")
        self.assertTrue((self.folder / "state" / "full").exists())
        self.option(free_least="0")
        self.assertEqual(self.watch(), ["uploads are accepted again"])
        self.assertFalse((self.folder / "state" / "full").exists())

    def test_an_option_that_there_is_none_of(self):
        self.option(evry=3)
        with self.assertRaisesRegex(LabError, "unknown option evry"):
            Lab(self.folder)


if __name__ == "__main__":
    unittest.main()
