# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/perfmon-events, as its users call it: Intel's form in, a file of events out."""
import json
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "events"
EVENT = {"Unit": "iMC", "EventCode": "0x04", "UMask": "0x03", "EventName": "UNC_M_CAS_COUNT.RD", "Counter": "0,1,2,3"}


def tool(*arguments):
    return subprocess.run([sys.executable, str(ROOT / "scripts" / "perfmon-events"), *map(str, arguments)],
                          capture_output=True, text=True, timeout=60)


class Events(unittest.TestCase):
    def setUp(self):
        self.tree = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def put(self, events, name="X/events/x_uncore.json"):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(events))
        return path

    def rows(self, *events):
        done = tool("--models", "6-4F", self.put({"Header": {}, "Events": list(events)}))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()[3:-1]]

    def test_the_files_that_the_parser_is_tested_with_are_made_by_it(self):
        for name, models in (("icx", "6-6A,6-6C"), ("bdx", "GenuineIntel-6-4F")):
            done = tool("--models", models, FIXTURES / f"own_{name}.json")
            self.assertEqual(done.stdout, (FIXTURES / f"{name}.events").read_text(), done.stderr)

    def test_a_file_that_cannot_be_written_is_as_it_was(self):
        """A limit of its size stands for a full disk."""
        source, out = FIXTURES / "own_icx.json", self.tree / "icx.events"
        out.write_text("old")
        done = subprocess.run([sys.executable, str(ROOT / "scripts" / "perfmon-events"), "--models", "6-6A", source, "-o", out], stderr=subprocess.PIPE,
                              text=True, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
        self.assertEqual((done.returncode, done.stderr), (2, f"perfmon-events: {out}: File too large\n"))
        self.assertEqual([(p.name, p.read_text()) for p in self.tree.iterdir()], [("icx.events", "old")])
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([sys.executable, str(ROOT / "scripts" / "perfmon-events"), "--models", "6-6A", source], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "perfmon-events: standard output: No space left on device\n"))

    def test_the_map_of_the_tree_says_which_processors(self):
        (self.tree / "mapfile.csv").write_text("Family-model,Version,Filename,EventType\n"
                                               "GenuineIntel-6-55-[01234],V1,/X/events/x_uncore.json,uncore\n"
                                               "GenuineIntel-6-56,V1,/Y/events/y_uncore.json,uncore\n")
        done = tool(self.put([EVENT]))
        self.assertEqual(done.stdout.splitlines()[1], "models: 6-55-01234", done.stderr)
        self.assertEqual(tool(self.put([EVENT], "Z/events/z_uncore.json")).returncode, 2)

    def test_without_a_map_the_processors_are_asked_for(self):
        done = tool(self.put([EVENT]))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--models", done.stderr)

    def test_a_filter_whose_value_the_file_has_is_set_and_another_is_asked_for(self):
        self.assertEqual(self.rows(EVENT | {"Filter": "Filter1", "FILTER_VALUE": "0x40433"})[0][2], "0x4:0x3:filter1=0x40433")
        self.assertEqual(self.rows(EVENT | {"Filter": "CHAFilter0[26:17]", "FILTER_VALUE": "0"})[0][2], "0x4:0x3:filter0=?")
        self.assertEqual(self.rows(EVENT | {"Filter": "null"})[0][2], "0x4:0x3")

    def test_events_of_amd(self):
        self.assertEqual(self.rows({"EventName": "l3_lookup_state.l3_miss", "EventCode": "0x04", "UMask": "0x01", "Unit": "L3PMC"},
                                   {"EventName": "local_socket_outf0_cpu_write", "EventCode": "0x71f", "UMask": "0x7ff",
                                    "Unit": "DFPMC"},
                                   {"EventName": "umc_cas_cmd.wr", "EventCode": "0x0a", "RdWrMask": "0x2", "Unit": "UMCPMC"},
                                   {"EventName": "ls_dispatch.ld_dispatch", "EventCode": "0x29", "UMask": "0x01"}),
                         [["L3", "l3_lookup_state.l3_miss", "0x4:0x1"], ["DF", "local_socket_outf0_cpu_write", "0x71f:0x7ff"],
                          ["UMC", "umc_cas_cmd.wr", "0xa:0x2"]])

    def test_a_fixed_counter_in_any_spelling(self):
        for counter in ("FIXED", "Fixed", "fixed"):
            self.assertEqual(self.rows(EVENT | {"Counter": counter})[0][2], "0x4:0x3:fixed")
        self.assertEqual(self.rows(EVENT | {"Counter": "2", "CounterType": "Fixed"})[0][2], "0x4:0x3:fixed")
        self.assertEqual(self.rows(EVENT | {"CounterType": "FreeRun"}), [])

    def test_counters_in_any_list_and_numbers_that_are_no_texts(self):
        for counter, words in (("0, 1, 2, 3", ""), ("0, 2", ":counters=0x5"), ("0-1", ":counters=0x3"), ("0-1,3", ":counters=0xb")):
            self.assertEqual(self.rows(EVENT | {"Counter": counter})[0][2], "0x4:0x3" + words)
        self.assertEqual(self.rows(EVENT | {"EventCode": 0, "UMask": 0})[0][2], "0x0:0x0")

    def test_units_that_are_not_those_of_a_similar_name(self):
        for unit, ours in (("CHACMS", "CHACMS"), ("iMC_DCLK", "iMC_DCLK"), ("MCHBM", "HBM"), ("M2HBM", "M2HBM"), ("UPI LL", "UPI")):
            self.assertEqual(self.rows(EVENT | {"Unit": unit})[0][0], ours)

    def test_an_event_that_stands_in_two_files_is_taken_once(self):
        done = tool("--models", "6-4F", self.put([EVENT]), self.put([EVENT | {"UMask": "0x9"}], "X/events/y.json"))
        self.assertEqual(done.stdout.splitlines()[-2:], ["iMC\tUNC_M_CAS_COUNT.RD\t0x4:0x3", "end: 1"])

    def metrics(self, *listed, events=("UNC_A", "UNC_C_CLOCKTICKS")):
        path = self.put({"Metrics": [{"MetricName": "m", "UnitOfMeasure": "MB/sec", "Constants": []} | m for m in listed]}, "X/m.json")
        done = tool("--models", "6-4F", "--metrics", path, self.put([EVENT | {"EventName": name} for name in events]))
        return [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("metric\t")], done

    def test_a_metric_is_of_one_package_and_a_second(self):
        duration = {"Name": "DURATIONTIMEINMILLISECONDS", "Alias": "ms"}
        chas, sockets = {"Name": "CHAS_PER_SOCKET", "Alias": "d"}, {"Name": "SOCKET_COUNT", "Alias": "s"}
        clock, a = {"Name": "UNC_C_CLOCKTICKS", "Alias": "c"}, {"Name": "UNC_A:opc=0x182:c1", "Alias": "a"}
        for formula, constants, ours in (
                ("(a * 64) / DURATIONTIMEINSECONDS", [], "( UNC_A:filter_opc=0x182:thresh=1 * 64 ) / 1"),
                ("c / (d*s) / (ms / 1000)", [chas, sockets, duration],
                 "UNC_C_CLOCKTICKS / ( boxes( UNC_C_CLOCKTICKS ) * 1 ) / ( 1000 / 1000 )"),
                ("a / c[0]", [], "UNC_A:filter_opc=0x182:thresh=1 / mean( UNC_C_CLOCKTICKS )")):
            rows, done = self.metrics({"Events": [a, clock], "Constants": constants, "Formula": formula})
            self.assertEqual(rows, [["m", "MB/s", ours]], done.stderr)
        rows, done = self.metrics({"Events": [a | {"Name": "UNC_A:one_unit"}], "Formula": "1e9*a"})
        self.assertEqual(rows, [["m", "MB/s", "1e9 * mean( UNC_A )"]])
        self.assertTrue(done.stdout.endswith("end: 3\n"))

    def test_a_metric_of_cores_or_of_another_form_is_left_out(self):
        core = {"Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Formula": "a"}
        odd = {"Events": [{"Name": "UNC_A", "Alias": "a"}], "Formula": "max(a, 1)"}
        rows, done = self.metrics(core, odd, {"Formula": "1"})
        self.assertEqual(rows, [])
        self.assertIn("3 left out", done.stderr)
        self.assertIn("m.json: a metric of another form: KeyError('Events')", done.stderr)
        self.assertEqual(tool("--models", "6-4F", self.put([EVENT]), "--metrics", self.put([], "X/n.json")).returncode, 2)

    def test_what_is_not_of_the_form_is_named_with_file_event_and_field(self):
        for event, says in ((EVENT | {"UMask": "x"}, "UNC_M_CAS_COUNT.RD: UMask is 'x'"),
                            (EVENT | {"Counter": "0-99"}, "UNC_M_CAS_COUNT.RD: Counter is '0-99'"),
                            (EVENT | {"EventCode": "-1"}, "EventCode is '-1'"),
                            (EVENT | {"EventName": "A\tB"}, "EventName is"), (EVENT | {"Unit": None}, "Unit is None"), (7, "no object")):
            done = tool("--models", "6-4F", self.put([event]))
            self.assertEqual(done.returncode, 2, event)
            self.assertIn("x_uncore.json", done.stderr)
            self.assertIn(says, done.stderr)
            done = tool("--models", "6-4F", self.put({"Header": None, "Events": [event, EVENT]}))  # that event is lost, and no other
            self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "end: 1"), done.stderr)
            self.assertIn(says, done.stderr)
            self.assertIn("1 left out", done.stderr)
        self.assertEqual(tool("--models", "6-4F", self.put({"Header": {}})).returncode, 2)
        self.assertEqual(tool("--models", "nonsense", self.put([EVENT])).returncode, 2)
        self.assertEqual(tool("--models", "6-4F", self.tree / "none.json").returncode, 2)
