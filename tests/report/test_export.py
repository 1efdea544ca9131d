# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-report export: what databases, Prometheus, Redfish services and BMCs take. promtool, and OpenIPMI's simulator with ipmitool
over RMCP+, say whether it is what they take."""
import csv
import io
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_report import ROOT, Case, Stream, figure, located, tool  # noqa: E402
from test_safe import HOSTILE  # noqa: E402
from report import event, export, stream  # noqa: E402


class Exports(Case):
    def read(self, s, name="r.jsonl"):
        return stream.read(s.save(self.folder / name))

    def failing(self, serial="S1"):
        """Measurements inside, outside and without bounds, a text, a truth value, one twice; a check without any; each status."""
        s = Stream(serial=serial, bios="1.0", microcode="0xb")
        s.check("a.pass", measurements=[figure("moved", 5, low=4, high=6), figure("moved", 5.5, low=4, high=6), figure("lock", True, "", "")])
        s.check("b.fail", "FAIL", "half is lost", [figure("moved", -2.5e-7, low=0), figure("state", "on", "", "cpu 1")])
        s.check("c.warn", "WARN", "late").check("d.skip", "SKIP", "no L2 CAT").check("e.error", "ERROR", "a dead AP")
        s.check("a.pass", turn=2)
        return s.end("FAIL")

    def counted(self):
        rows = {("imc/cas_rd", "bytes/s", "package 0"): [(1, 5e9), (2, 7e9)], ("upi-use", "%", "package 0"): []}
        return Stream().count(rows).end("NOT_APPLICABLE")


class Rows(Exports):
    def test_a_row_is_a_figure_and_a_check_without_one_has_a_row(self):
        rows = list(export.rows(self.read(self.failing())))
        self.assertEqual({tuple(row) for row in rows}, {export.COLUMNS})
        self.assertEqual([(r["check"], r["round"], r["verdict"], r["figure"], r["value"], r["within"]) for r in rows], [
            ("a.pass", 1, "PASS", "moved", 5, True), ("a.pass", 1, "PASS", "moved", 5.5, True), ("a.pass", 1, "PASS", "lock", True, None),
            ("b.fail", 1, "FAIL", "moved", -2.5e-7, False), ("b.fail", 1, "FAIL", "state", "on", None), ("c.warn", 1, "WARN", "", None, None),
            ("d.skip", 1, "SKIP", "", None, None), ("e.error", 1, "ERROR", "", None, None), ("a.pass", 2, "PASS", "", None, None)])
        self.assertEqual([rows[3][k] for k in ("serial", "machine", "processor", "firmware", "microcode", "place", "unit", "low", "high", "virtual")],
                         ["S1", "Box", "A CPU", "1.0", "0xb", "L3 domain 0", "bytes", 0, None, False])

    def test_points_of_a_series_have_their_x(self):
        rows = list(export.rows(self.read(self.counted())))
        self.assertEqual([(r["verdict"], r["figure"], r["x"], r["x_name"], r["x_unit"], r["value"]) for r in rows],
                         [("DONE", "imc/cas_rd", 1, "time", "s", 5e9), ("DONE", "imc/cas_rd", 2, "time", "s", 7e9)])

    def test_ndjson_and_csv_say_the_same(self):
        path = self.failing().save(self.folder / "a.jsonl")
        status, out, _ = tool("export", "-f", "ndjson", path)
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual((status, rows), (0, list(export.rows(stream.read(path)))))
        table = list(csv.DictReader(io.StringIO(tool("export", "-f", "csv", path)[1])))
        self.assertEqual(len(table), len(rows))
        for text, row in zip(table, rows):
            for key, value in row.items():
                if isinstance(value, bool) or value is None:
                    self.assertEqual(text[key], {True: "true", False: "false", None: ""}[value])
                else:
                    self.assertEqual(type(value)(text[key]), value)

    def test_many_reports_are_one_table(self):
        for serial in ("S1", "S2"):
            self.failing(serial).save(self.folder / f"{serial}.jsonl")
        status, out, _ = tool("export", self.folder)
        self.assertEqual((status, [json.loads(line)["serial"] for line in out.splitlines()]), (0, ["S1"] * 9 + ["S2"] * 9))

    def test_what_is_damaged_is_a_sentence_and_leaves_the_file_as_it_was(self):
        whole, out = self.failing().save(self.folder / "whole.jsonl"), self.folder / "out"
        damaged = self.folder / "damaged.jsonl"
        damaged.write_text(Path(whole).read_text(encoding="utf-8").replace('"testStepStart"', '"testStepstart"', 1), encoding="utf-8")
        empty = self.folder / "empty"
        empty.mkdir()
        out.write_text("as it was", encoding="utf-8")
        for form in ("ndjson", "csv", "prom", "redfish", "sel"):
            for wrong in (damaged, empty, self.folder / "nowhere"):
                status, said, err = tool("export", "-f", form, "-o", out, whole, wrong) if wrong != empty else tool("export", "-f", form, wrong)
                self.assertEqual((status, said, len(err.splitlines())), (2, "", 1), (form, wrong))
                self.assertIn(str(wrong), err)
        self.assertEqual((out.read_text(encoding="utf-8"), list(self.folder.glob("out*"))), ("as it was", [out]))
        self.assertEqual((tool("export", "-f", "prom", "-o", out, whole)[0], list(self.folder.glob("out*"))), (0, [out]))

    def test_what_contradicts_itself_is_exported_and_told(self):
        path = Stream().check("a.b", "FAIL").end("PASS").save(self.folder / "r.jsonl")
        status, out, err = tool("export", path)
        self.assertEqual((status, len(out.splitlines())), (4, 1))
        self.assertIn("contradicts itself", err)


def samples(text):
    """{(metric, labels): value} of Prometheus' text format"""
    out = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        m = re.fullmatch(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\]|\\["\\n])*",?)+)\} (\S+)', line)
        key = m[1], m[2]
        assert key not in out, line
        out[key] = float(m[3])
    return out


class Prometheus(Exports):
    def test_samples(self):
        out = samples(export.prom([self.read(self.failing())]))
        who, moved = 'serial="S1"', 'serial="S1",check="{}",round="1",figure="moved",place="L3 domain 0",unit="bytes",repetition="{}"'
        for name, labels, value in (
                ("assay_run_info", who + ',machine="Box",processor="A CPU",firmware="1.0",microcode="0xb",assay="",virtual="false"', 1),
                ("assay_run_begin_timestamp_seconds", who, 1767225600.001), ("assay_run_result", who + ',result="FAIL"', 1),
                ("assay_run_result", who + ',result="PASS"', 0), ("assay_run_checks", who + ',status="PASS"', 2),
                ("assay_check_status", who + ',check="d.skip",round="1",status="SKIP",repetition="1"', 1),
                ("assay_measurement", moved.format("a.pass", 1), 5), ("assay_measurement", moved.format("a.pass", 2), 5.5),
                ("assay_measurement_low_bound", moved.format("b.fail", 1), 0), ("assay_measurement", moved.format("b.fail", 1), -2.5e-7)):
            self.assertEqual(out.get((name, labels)), value, (name, labels))
        self.assertNotIn("state", "".join(labels for _, labels in out))  # a text is no sample
        counted = samples(export.prom([self.read(self.counted())]))
        self.assertEqual(counted["assay_counted", who + ',event="imc/cas_rd",place="package 0",unit="bytes/s",repetition="1"'], 7e9)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not there (scripts/setup report)")
    def test_promtool_accepts_it(self):
        hostile = Stream(serial='"\\', model="\n".join(HOSTILE))
        for text in HOSTILE:
            hostile.check("a." + text, "FAIL", text, [figure(text, 1, text, text)])
        reports = [self.read(self.failing("S2"), "a"), self.read(self.counted(), "b"), self.read(hostile.end("FAIL"), "c")]
        text = export.prom(reports)
        for document, status in ((text, 0), (text.replace("_seconds{", "{", 1), 3), (text + 'assay_x{serial="S1} 1\n', 1)):
            p = subprocess.run(["promtool", "check", "metrics"], input=document, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(p.returncode, status, p.stderr + p.stdout)

    def test_two_reports_of_one_machine_are_refused(self):
        paths = [self.failing().save(self.folder / name) for name in ("a.jsonl", "b.jsonl")]
        status, out, err = tool("export", "-f", "prom", *paths)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("same machine", err)


# Redfish, Event.v1_7_0: what an Event and an EventRecord may have, and must; Event.EventType; Resource.Health; the pattern of
# MessageId. Messages of the registries TaskEvent 1.0 and ResourceEvent 1.0: severity and number of arguments.
EVENT = {"@odata.context", "@odata.type", "Actions", "Context", "Description", "Events", "Events@odata.count", "Id", "Name", "Oem"}
EVENT_MUST = {"@odata.type", "Events", "Id", "Name"}
RECORD = {"Actions", "Context", "EventGroupId", "EventId", "EventTimestamp", "EventType", "LogEntry", "MemberId", "Message", "MessageArgs",
          "MessageId", "MessageSeverity", "Oem", "OriginOfCondition", "Severity", "SpecificEventExistsInGroup"}
RECORD_MUST = {"EventType", "MessageId", "MemberId"}
EVENT_TYPES = {"StatusChange", "ResourceUpdated", "ResourceAdded", "ResourceRemoved", "Alert", "MetricReport", "Other"}
HEALTH = {"OK", "Warning", "Critical"}
MESSAGE_ID = r"[A-Za-z0-9]+\.\d+\.\d+\.[A-Za-z0-9.]+"
REGISTRIES = {"TaskEvent.1.0.TaskCompletedOK": ("OK", 1), "TaskEvent.1.0.TaskCompletedWarning": ("Warning", 1),
              "TaskEvent.1.0.TaskAborted": ("Critical", 1), "ResourceEvent.1.0.ResourceErrorsDetected": (None, 2)}
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"


PERF_FIELDS = ("socket", "counted", "value", "unit", "event", "ns", "percent", "metric", "metric unit")  # man perf-stat, CSV FORMAT


def of_perf(text):
    """What a reader of `perf stat --per-socket -x,` takes of it."""
    some = [dict(zip(PERF_FIELDS, row, strict=True)) for row in csv.reader(io.StringIO(text)) if row]
    return [(r["socket"], int(r["counted"]), r["event"], float(r["value"]), int(r["ns"]), float(r["percent"])) for r in some if r["event"]]


class Perf(Exports):
    """Two channels of package 0, which are summed up, one of package 1, a metric; the same readers take perf's own output."""

    def counted(self, name="r.jsonl"):
        s = Stream()
        s.art({"testStepStart": {"name": "count"}})
        for i, (event_, place, value) in enumerate((("imc/cas_rd", "package 0 iMC 0", 40), ("imc/cas_rd", "package 0 iMC 1", 60),
                                                  ("imc/cas_rd", "package 0, all 2", 100), ("imc/cas_rd", "package 1 iMC 0", 7),
                                                  ("rpq-latency", "package 0, all 2", None))):
            where, key = {"subcomponent": located(place) if "all" not in place else {"name": place, "location": "package=0,all=2"}}, f"0.{i}"
            if value:
                s.art({"measurement": {"name": event_, "value": value, "unit": "counts", **where, "metadata": {"seconds": 0.5}}})
            s.art({"measurementSeriesStart": {"name": event_, "unit": "bytes/s" if value else "ns", "measurementSeriesId": key, **where,
                                              "metadata": {"share": 0.25} if value else {}}})
            s.art({"measurementSeriesElement": {"index": 0, "value": 80.5, "measurementSeriesId": key, "metadata": {"x": 1}}})
            s.art({"measurementSeriesEnd": {"measurementSeriesId": key, "totalCount": 1}})
        s.art({"extension": {"name": "assay.cost", "content": {"verdict": "DONE"}}})
        s.art({"testStepEnd": {"status": "COMPLETE"}})
        s.step += 1
        return str(s.end("NOT_APPLICABLE").save(self.folder / name))

    def perf(self, form):
        """perf's own output; skipped where it cannot count."""
        if not shutil.which("perf"):
            self.skipTest("no perf")
        run = subprocess.run(["perf", "stat", "-a", "--per-socket", form, "-e", "page-faults", "true"], capture_output=True, text=True, check=False)
        if run.returncode or "page-faults" not in run.stderr:
            self.skipTest("perf counts nothing here")
        return run.stderr

    def test_a_reader_of_perf_s_lines_takes_them(self):
        lines = tool("export", "-f", "perf-csv", self.counted())[1]
        self.assertEqual(of_perf(lines), [("S0", 2, "imc/cas_rd", 100, 500000000, 25), ("S1", 1, "imc/cas_rd", 7, 500000000, 25)])
        self.assertEqual(lines.splitlines()[2], "S0,2,,,,,,80.5,ns rpq-latency")

    def test_it_reads_perf_too(self):
        self.assertEqual([(s, event) for s, _, event, *_ in of_perf(self.perf("-x,"))][0], ("S0", "page-faults"))

    def test_an_object_has_the_members_that_perf_s_has(self):
        event, *_, metric = map(json.loads, tool("export", "-f", "perf-json", self.counted())[1].splitlines())
        self.assertEqual((event["counter-value"], event["event-runtime"], metric["metric-unit"]), ("100.000000", 500000000, "ns rpq-latency"))
        theirs = json.loads(self.perf("-j").splitlines()[0])
        self.assertEqual({k: type(v) for k, v in theirs.items()}, {k: type(v) for k, v in event.items()})

    def test_two_reports_are_refused(self):
        self.assertEqual(tool("export", "-f", "perf-csv", self.counted(), self.counted("s.jsonl"))[0], 2)


class Windows(Exports):
    """Two windows, of 1 s and of 2 s, of an event and of metrics of two packages."""

    def counted(self):
        s = Stream()
        s.art({"testStepStart": {"name": "count"}})
        for i, (name, package, unit, rates) in enumerate((("imc/cas_rd", 0, "bytes/s", (32e9, 64e9)), ("mem-read", 0, "bytes/s", (2e9, 4e9)),
                                                         ("mem-read", 1, "bytes/s", (1e9, 1e9)), ("mem-local", 0, "%", (90, 80)),
                                                         ("uncore-clock", 1, "GHz", (2.4, 2.5)), ("upi-out", 0, "bytes/s", (5e6, 6e6)))):
            where = {"subcomponent": {"name": f"package {package}, all 2", "location": f"package={package},all=2"}}
            if not i:
                s.art({"measurement": {"name": name, "value": 1e9, "unit": "counts", **where, "metadata": {"seconds": 1}}})
            s.art({"measurementSeriesStart": {"name": name, "unit": unit, "measurementSeriesId": f"0.{i}", **where, "metadata": {}}})
            for k, (end, rate) in enumerate(zip((1, 3), rates)):
                s.art({"measurementSeriesElement": {"index": k, "value": rate, "measurementSeriesId": f"0.{i}", "metadata": {"x": end}}})
            s.art({"measurementSeriesEnd": {"measurementSeriesId": f"0.{i}", "totalCount": 2}})
        s.art({"extension": {"name": "assay.cost", "content": {"verdict": "DONE"}}})
        s.art({"testStepEnd": {"status": "COMPLETE"}})
        s.step += 1
        return str(s.end("NOT_APPLICABLE").save(self.folder / "w.jsonl"))

    def test_a_reader_of_pcm_s_two_heads_takes_them(self):
        """As intel/pcm scripts/generate_summary.py: a column is named by both heads."""
        rows = list(csv.reader(io.StringIO(tool("export", "-f", "pcm-csv", self.counted())[1])))
        heads = [" ".join(pair).strip() for pair in zip(rows[0], rows[1])]
        first, second = (dict(zip(heads, row)) for row in rows[2:])
        self.assertRegex(first["System Time"], r"^\d\d:\d\d:\d\d\.\d{3}$")
        self.assertRegex(first["System Date"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual([float(line[f"{scope} READ"]) for line in (first, second) for scope in ("System", "Socket 0", "Socket 1")],
                         [3, 2, 1, 10, 8, 2])
        self.assertEqual((first["Socket 0 LOCAL"], second["UncFREQ (Ghz) SKT1"], float(second["System TotalUPIout"])), ("90", "2.5", 12e6))

    def test_a_window_at_no_time_is_named(self):
        path = Path(self.counted())
        whole = path.read_text(encoding="utf-8")
        begin = json.loads(whole.splitlines()[1])["timestamp"]
        for data in (whole.replace(begin, "soon"), whole.replace(begin, ""), whole.replace('"x":3', '"x":1e300')):
            self.assertNotEqual(data, whole)
            path.write_text(data, encoding="utf-8")
            code, _, err = tool("export", "-f", "pcm-csv", str(path))
            self.assertEqual((code, err.count("\n")), (2, 1), err)
            self.assertIn(str(path), err)
            self.assertIn("no time", err)

    def test_a_line_of_an_interval_begins_with_its_end(self):
        rows = list(csv.reader(io.StringIO(tool("export", "-f", "perf-csv-interval", self.counted())[1])))
        self.assertEqual([float(row[0]) for row in rows], sorted(float(row[0]) for row in rows))
        self.assertEqual([(row[0], row[1], float(row[3])) for row in rows if row[5] == "imc/cas_rd"],
                         [("1.000000000", "S0", 5e8), ("3.000000000", "S0", 1e9)])


class Redfish(Exports):
    def event(self, *reports):
        e = json.loads(event.redfish([self.read(s, str(i)) for i, s in enumerate(reports)]))
        self.assertLessEqual(EVENT_MUST, e.keys())
        self.assertLessEqual(e.keys(), EVENT)
        self.assertEqual(e["@odata.type"], "#Event.v1_7_0.Event")
        for i, record in enumerate(e["Events"]):
            self.assertLessEqual(RECORD_MUST, record.keys())
            self.assertLessEqual(record.keys(), RECORD)
            self.assertEqual(record["MemberId"], str(i))
            self.assertIn(record["EventType"], EVENT_TYPES)
            self.assertIn(record["MessageSeverity"], HEALTH)
            self.assertRegex(record["MessageId"], rf"\A{MESSAGE_ID}\Z")
            severity, arguments = REGISTRIES[record["MessageId"]]
            self.assertIn(severity, (None, record["MessageSeverity"]))
            self.assertEqual(len(record["MessageArgs"]), arguments)
            self.assertRegex(record["EventTimestamp"], rf"\A{STAMP}\Z")
            for text in (record["Message"], *record["MessageArgs"]):
                self.assertNotRegex(text, "[\x00-\x1f\x7f-\x9f]")
                self.assertTrue(text == record["Message"] or text in record["Message"])
        return e

    def test_the_run_then_each_finding(self):
        e = self.event(self.failing())
        self.assertEqual([(r["MessageId"].split(".")[-1], r["MessageSeverity"], r["MessageArgs"]) for r in e["Events"]], [
            ("TaskAborted", "Critical", ["assay-S1-2026-01-01T00:00:00.001Z"]), ("ResourceErrorsDetected", "Critical", ["b.fail", "half is lost"]),
            ("ResourceErrorsDetected", "Warning", ["e.error", "a dead AP"]), ("ResourceErrorsDetected", "Warning", ["c.warn", "late"])])
        self.assertEqual(e["Oem"]["Assay"]["Machines"][0] | {"serial": "S1", "result": "FAIL"}, e["Oem"]["Assay"]["Machines"][0])

    def test_health(self):
        for s, severity in ((Stream().check("a.b").end(), "OK"), (self.counted(), "OK"), (Stream().check("a.b").check("c.d", "WARN").end(), "Warning"),
                            (Stream().check("a.b", "SKIP").end("SKIP"), "Warning"), (Stream().check("a.b", "ERROR").end("ERROR"), "Warning")):
            self.assertEqual(self.event(s)["Events"][0]["MessageSeverity"], severity)

    def test_hostile_texts_and_several_reports(self):
        reports = []
        for text in HOSTILE:
            reports.append(Stream(serial=text, model=text).check("a." + text, "FAIL", text).end("FAIL"))
        self.assertEqual(len(self.event(*reports)["Events"]), 2 * len(HOSTILE))


SIMULATOR = """name "assay"
set_working_mc 0x20
startlan 1
  addr 127.0.0.1 {port}
  guid a123456789abcdefa123456789abcdef
  priv_limit admin
  allowed_auths_admin none md5 straight
endlan
user 2 true "assay" "test" admin 10 md5
"""
CONTROLLER = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\nsel_enable 0x20 100 0x0a\nmc_enable 0x20\n"


class EventLog(Exports):
    def test_an_entry_is_seven_bytes_and_a_comment(self):
        many = Stream(serial="a\nb # c")
        for i in range(300):
            many.check(f"a.{i}", "FAIL")
        for s, data in ((Stream().check("a.b").end(), (0xA0, 0, 0)), (Stream().check("a.b").check("c.d", "WARN").end(), (0xA1, 0, 1)),
                        (self.failing(), (0xA2, 1, 2)), (many.end("FAIL"), (0xA2, 254, 0))):
            line, = event.sel([self.read(s)]).splitlines()
            octets, comment = line.split(" # ", 1)
            self.assertEqual([int(x, 16) for x in octets.split()], [0x04, 0x07, 0x00, 0x07, *data])
            self.assertIn("Assay " + {0xA0: "PASS", 0xA1: "WARN", 0xA2: "FAIL"}[data[0]], comment)

    @unittest.skipUnless(shutil.which("ipmi_sim") and shutil.which("ipmitool"), "ipmi_sim or ipmitool is not there (scripts/setup report)")
    def test_a_bmc_takes_it(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        (self.folder / "lan.conf").write_text(SIMULATOR.format(port=port), encoding="utf-8")
        (self.folder / "sim.emu").write_text(CONTROLLER, encoding="utf-8")
        entries = self.folder / "sel"
        self.assertEqual(tool("export", "-f", "sel", self.failing().save(self.folder / "r.jsonl"), "-o", entries)[0], 0)
        simulator = subprocess.Popen(["ipmi_sim", "-c", self.folder / "lan.conf", "-f", self.folder / "sim.emu", "-s", self.folder / "state", "-n"],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(simulator.wait)
        self.addCleanup(simulator.kill)

        def ipmitool(*args):
            p = subprocess.run(["ipmitool", "-I", "lanplus", "-C", "3", "-H", "127.0.0.1", "-p", str(port), "-U", "assay", "-P", "test", *args],
                               capture_output=True, text=True, timeout=120, check=False)
            return p.returncode, p.stdout + p.stderr

        deadline = time.monotonic() + 60
        while ipmitool("sel", "info")[0] != 0:
            self.assertIsNone(simulator.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        status, said = ipmitool("sel", "add", entries)
        self.assertEqual(status, 0, said)
        record = dict(re.findall(r"^ ?(.+?) +: (.*)$", ipmitool("-v", "sel", "list")[1], re.M))
        self.assertEqual([record.get(k) for k in ("Generator ID", "EvM Revision", "Sensor Type", "Event Data", "Event Direction", "Description")],
                         ["0041", "04", "Processor", "a20102", "Assertion Event", "Transition to Critical from less severe"])


class Version(unittest.TestCase):
    def test_the_tool_has_the_payloads_version(self):
        makefile = subprocess.run(["make", "-s", "-C", ROOT, "version"], capture_output=True, text=True, timeout=120, check=True).stdout.split()
        self.assertEqual(tool("--version")[:2], (0, f"assay-report {makefile[-1]}\n"))
        self.assertRegex(makefile[-1], r"\A\d+\.\d+\.\d+\Z")


if __name__ == "__main__":
    unittest.main()
