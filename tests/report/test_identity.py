# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/report/identity.py: which reports are of one machine, in every command that counts machines."""
import json
import unittest

from report import identity
from report.formats import junit
from report.stream import read
from test_report import Case, Stream, figure, tool


class Box(Stream):
    """A report of a machine whose firmware has a placeholder as serial number, with a UUID and a baseboard of its own."""

    def __init__(self, uuid, board="", source="system-uuid", serial="Default string", day=1, ppin=""):
        super().__init__(serial=serial, day=day)
        o = json.loads(self.lines[1])
        dut = o["testRunArtifact"]["testRunStart"]["dutInfo"]
        dut["dutInfoId"] = {"system-uuid": uuid, "system-serial-number": serial, "none": "0"}[source]
        dut["metadata"] = {"dutInfoIdFrom": source, "system-uuid": uuid, "numaNodesPerPackage": 1,
                           "packages": {"family": [6], "model": [0x6A], "stepping": [6]}}
        dut["platformInfos"].append({"info": f"baseboard-serial-number: {board}"})
        dut["softwareInfos"].append({"softwareInfoId": "assay", "name": "Assay", "version": "0.9"})
        dut["hardwareInfos"][0] |= {"manufacturer": "GenuineIntel", "serialNumber": ppin}
        self.lines[1] = json.dumps(o)
        self.check("mbm.total", measurements=[figure("MBM total", 1.0, low=0.9, high=1.1, unit="ratio")])


class Identity(Case):
    def boxes(self, n, **of):
        return [Box(f"6f1d2a40-0b7e-4c55-9a11-{i:012}", f"BRD{i}", **of).end().save(self.folder / f"{i}.jsonl") for i in range(n)]

    def machines(self):
        return json.loads(tool("merge", "-f", "json", self.folder)[1])["groups"][0]["machines"]

    def test_a_placeholder_makes_no_machines_one(self):
        self.boxes(3)
        self.assertEqual(self.machines(), 3)
        self.assertIn("3 reports of 3 machines", tool("merge", self.folder)[1])
        status, out, err = tool("export", "-f", "prom", self.folder)
        self.assertEqual(status, 0, err)
        for i in range(3):
            self.assertIn(f'assay_run_checks{{serial="6f1d2a40-0b7e-4c55-9a11-{i:012}",status="PASS"}} 1\n', out)

    def test_a_serial_number_that_the_payload_took_for_real_makes_none_either(self):
        """Reports of a payload whose rule did not have the placeholder."""
        self.boxes(3, source="system-serial-number", serial="1234567890")
        self.assertEqual(self.machines(), 3)
        status, out, err = tool("export", "-f", "prom", self.folder)
        self.assertEqual((status, len({line for line in out.splitlines() if line.startswith("assay_run_info")})), (0, 3), err)

    def test_calibrate_names_each(self):
        self.boxes(5)
        status, out, err = tool("calibrate", self.folder)
        self.assertEqual(status, 0, err)
        self.assertEqual([line for line in out.splitlines() if line.startswith("serial: ")], [f"serial: 6f1d2a40-0b7e-4c55-9a11-{i:012}" for i in range(5)])

    def test_junit_names_it(self):
        path, = self.boxes(1)
        self.assertIn('hostname="6f1d2a40-0b7e-4c55-9a11-000000000000"', junit(read(path)))

    def test_runs_that_overlap_are_of_two_machines_and_others_of_one(self):
        for name, of in (("a", {}), ("b", {"ppin": "1"})):  # two machines without a number of their own
            Box("u", source="none", **of).check(name).end().save(self.folder / f"{name}.jsonl")
        self.assertEqual(self.machines(), 2)
        self.assertEqual(identity.machines([(("S",), "S", *when, f"{i}") for i, when in enumerate((
            ("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"), ("2026-01-01T00:05:00Z", "2026-01-01T00:15:00Z"),
            ("2026-01-02T00:00:00Z", "2026-01-02T00:10:00Z")))]), ["S (1)", "S (2)", "S (1)"])
        self.assertEqual(len(set(identity.machines([(("S",), "S", f"1970-01-01T00:00:0{i}Z", "1970-01-01T00:10:00Z", f"{i}") for i in range(3)]))), 1)

    def test_one_machine_is_one_in_all_its_runs(self):
        for day in (1, 2, 3):
            Box("6f1d2a40-0b7e-4c55-9a11-000000000000", "BRD", day=day).end().save(self.folder / f"{day}.jsonl")
        self.assertEqual(self.machines(), 1)

    def test_reports_with_the_same_words_are_no_copies(self):
        """Two machines that begin in one millisecond, with the same verdicts."""
        self.boxes(2)
        (self.folder / "copy.jsonl").write_bytes((self.folder / "0.jsonl").read_bytes())
        merged = json.loads(tool("merge", "-f", "json", self.folder)[1])
        self.assertEqual((merged["groups"][0]["machines"], merged["groups"][0]["reports"], len(merged["copies"])), (2, 2, 1))


if __name__ == "__main__":
    unittest.main()
