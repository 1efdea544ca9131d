# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/compare-runs on streams of a few lines."""
import json
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "compare-runs"


def stream(verdict="PASS", value=1000.0, judged=True):
    figure = {"name": "rate", "value": value, "unit": "bytes/s", "subcomponent": {"name": "L3 domain 0"}}
    if judged:
        figure["validators"] = [{"type": "LESS_THAN_OR_EQUAL", "value": 2000}]
    return [
        {"testStepArtifact": {"testStepId": "0", "testStepStart": {"name": "mba.rate"}}},
        {"testStepArtifact": {"testStepId": "0", "measurement": figure}},
        {"testStepArtifact": {"testStepId": "0", "diagnosis": {"verdict": verdict, "type": verdict}}},
    ]


class CompareRuns(unittest.TestCase):
    def compare(self, *streams, options=()):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, lines in enumerate(streams):
                paths.append(pathlib.Path(folder) / f"{number}.jsonl")
                paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            done = subprocess.run([SCRIPT, *options, *paths], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_equal_runs_have_no_difference(self):
        self.assertEqual(self.compare(stream(), stream(), stream()), (0, ""))

    def test_a_changed_verdict_is_a_difference(self):
        status, text = self.compare(stream(), stream(), stream(verdict="FAIL"))
        self.assertEqual(status, 1)
        self.assertIn("mba.rate: ['PASS'], then ['FAIL']", text)

    def test_a_judged_figure_may_move_by_one_percent(self):
        self.assertEqual(self.compare(stream(), stream(value=1009.0))[0], 0)
        status, text = self.compare(stream(), stream(value=1020.0))
        self.assertEqual(status, 1)
        self.assertIn("mba.rate: rate, L3 domain 0: 1000.0, then 1020.0", text)
        self.assertEqual(self.compare(stream(judged=False), stream(judged=False, value=1020.0))[0], 0)

    def test_a_figure_that_is_missing_is_a_difference(self):
        self.assertEqual(self.compare(stream(), stream(judged=False))[0], 1)

    def test_bytes_of_an_idle_window_may_move_by_a_tick_of_firmware(self):
        few, more, many = stream(value=6512.0), stream(value=18672.0), stream(value=60000.0)
        for lines in few, more, many:
            lines[1]["testStepArtifact"]["measurement"]["unit"] = "bytes"
        self.assertEqual(self.compare(few, more)[0], 0)
        self.assertEqual(self.compare(few, many)[0], 1)

    def test_equal_streams_differ_in_dates_and_clocks_alone(self):
        def dated(second, **figure):
            return [dict(line, timestamp=f"2026-11-22T23:20:{second}.000Z") for line in stream(**figure)]

        self.assertEqual(self.compare(dated("01"), dated("02"), options=["--equal"]), (0, ""))
        status, text = self.compare(dated("01"), dated("01", value=1001.5), options=["--equal"])
        self.assertEqual(status, 1)
        self.assertIn("line 2: ", text)
        self.assertEqual(self.compare(dated("01"), dated("01")[:2], options=["--equal"])[0], 1)

    def test_clocks_of_equal_streams_may_move_by_microseconds(self):
        def read(tsc, value, rmid=1):
            return [{"tsc": tsc, "value": value, "rmid": rmid}]

        def differ(first, second):
            return self.compare(first, second, options=["--equal"])[0]

        now = read("0x000000059b3604ce", "0x00000000015d2e25")
        self.assertEqual(differ(now, read("0x000000059b353486", "0x00000000015d2e24")), 0)
        self.assertEqual(differ(now, read("0x000000059b3604ce", "0x00000000015e2e25")), 1)
        self.assertEqual(differ(now, read("0x000000059b3604ce", "0x00000000015d2e25", rmid=2)), 1)
        self.assertEqual(differ(read("0x0", 2200002939.428857), read("0x0", 2200003036.044292)), 0)
        self.assertEqual(differ(read("0x0", 0), read("0x0", 0.004)), 0)
        self.assertEqual(differ(read("0x0", 0.5), read("0x0", 0.6)), 1)

    def test_a_file_that_is_not_there_is_an_error(self):
        done = subprocess.run([SCRIPT, "/nowhere/a", "/nowhere/b"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
