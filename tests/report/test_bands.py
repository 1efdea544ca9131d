# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-report calibrate: bands of good machines, and what it refuses."""
import json
import re
import random
import unittest
from pathlib import Path

import test_report
from test_report import Case, Stream, figure, tool

from report import bands, place, stream  # on the path since test_report is imported

CPU = {"hardwareInfoId": "package0", "name": "A CPU", "partType": "CPU", "location": "package 0", "manufacturer": "GenuineIntel"}


class Machine(Stream):
    """The report of one machine; what is given replaces what the others have."""

    def __init__(self, serial, model="0x6a", stepping=6, nodes=1, factor=0, **other):
        super().__init__(serial=serial, **other)
        o = json.loads(self.lines[1])
        dut = o["testRunArtifact"]["testRunStart"]["dutInfo"]
        dut["softwareInfos"].append({"softwareInfoId": "assay", "name": "Assay", "version": "0.9"})
        dut["hardwareInfos"] = [CPU]
        dut["metadata"] = {"packages": {"family": [6], "model": [int(model, 0)], "stepping": [stepping]}, "numaNodesPerPackage": nodes, "rdt": {"upscalingFactorBytes": factor}}
        self.lines[1] = json.dumps(o)


def rows(text):
    """{(check, name, place, unit): [the numbers]}"""
    return {tuple(line.split("\t")[:4]): [float(x) for x in line.split("\t")[4:]] for line in text.splitlines() if "\t" in line}


class Calibrate(Case):
    def write(self, n=5, figures=lambda i: [figure("MBM total", 1000.0, low=920.0, high=1080.0)], **other):
        for i in range(n):
            Machine(f"S{i}", **other).check("mbm.total", measurements=figures(i)).end().save(self.folder / f"r{i}.jsonl")

    def refused(self, *words, paths=None):
        status, out, err = tool("calibrate", *(paths or [self.folder]), "-o", self.folder / "out.bands")
        self.assertEqual((status, out), (2, ""), err)
        self.assertFalse((self.folder / "out.bands").exists())
        self.assertNotIn("Traceback", err)
        for word in words:
            self.assertIn(str(word), err)
        return err.splitlines()

    def made(self):
        status, out, err = tool("calibrate", self.folder)
        self.assertEqual(status, 0, err)
        return out, err

    def test_a_report_that_does_not_say_its_nodes_per_package_is_refused(self):
        self.write(nodes="")
        self.refused("numaNodesPerPackage is missing")

    def test_the_header_says_what_the_bands_are_for(self):
        self.write(microcode="0x1f", nodes=2)
        self.assertEqual(self.made()[0].splitlines()[:15], [
            "assay-bands 1", "assay: 0.9", "virtual-silicon: no", "vendor: GenuineIntel", "family: 0x6", "model: 0x6a", "stepping: 6",
            "microcode: 0x1f", "nodes-per-package: 2", "machines: 5", *(f"serial: S{i}" for i in range(5))])

    def test_places_are_one_figure_and_settings_are_several(self):
        self.write(figures=lambda i: [figure("MBM total", 1000.0, place=f"L3 domain {d}, RMID {3 * d + i}", low=900.0, high=1100.0)
                                      for d in range(3)] +
                   [figure("share", 0.5, "ratio", f"working set {p} %", low=0.0) for p in (25, 50)])
        self.assertEqual({k: v[4:6] for k, v in rows(self.made()[0]).items()}, {
            ("mbm.total", "MBM total", "domain=#,rmid=#", "bytes"): [5, 15],
            ("mbm.total", "share", "detail=working set 25 %", "ratio"): [5, 5], ("mbm.total", "share", "detail=working set 50 %", "ratio"): [5, 5]})

    def test_bytes_are_compared_with_the_middle_of_their_bounds(self):
        self.write(figures=lambda i: [figure("MBM total", 990.0 * 2**i, low=920.0 * 2**i, high=1080.0 * 2**i)])
        centre, spread, low, high, *_ = rows(self.made()[0])["mbm.total", "MBM total", "domain=#", "bytes"]
        self.assertEqual((centre, spread), (0.99, 0))
        self.assertEqual((low, high), (0.98, 1.0))

    def test_what_means_nothing_on_another_machine_is_no_figure(self):
        self.write(figures=lambda i: [figure("rate", 5.0, "Hz", low=1.0, high=9.0), figure("bytes", 5.0), figure("least", 5.0, low=1.0),
                                      figure("from nothing", 5.0, low=0.0, high=9.0), figure("exact", 5.0, low=5.0, high=5.0),
                                      figure("share", 1.0, "ratio"),
                                      figure("smallest defect that this run would have found", 2.0, "%"), {"name": "text", "value": "1", "unit": "ratio"}])
        self.assertEqual([k[1] for k in rows(self.made()[0])], ["share"])

    def test_a_place_is_of_a_kind_without_its_numbers(self):
        for location, kind, words in (  # as place_kind() of core/base/place.h
                ("domain=12,rmid=3", "domain=#,rmid=#", "L3 domain #, RMID #"),
                ("package=3,die=3,unit=CHA,box=3,counter=3", "package=#,die=#,unit=CHA,box=#,counter=#", "package # die # CHA # counter #"),
                ("package=0,unit=UBox,counter=fixed", "package=#,unit=UBox,counter=fixed", "package # UBox fixed counter"),
                ("domain=1,detail=working set 25 %, a=3", "domain=#,detail=working set 25 %, a=3", "L3 domain #, working set 25 %, a=3"),
                ("CPUID leaf 4", "CPUID leaf 4", "CPUID leaf 4"), ("", "", "")):
            self.assertEqual((place.kind(location), place.words(place.kind(location))), (kind, words))

    def test_each_machine_weighs_the_same(self):
        self.write(figures=lambda i: [figure("share", 1.02 if i == 0 else 1.0, "ratio", f"cpu {k}") for k in range(99 if i == 0 else 1)])
        centre, spread, *_ = rows(self.made()[0])["mbm.total", "share", "cpu=#", "ratio"]
        self.assertEqual((centre, spread), (1.0, 0.0))

    def test_two_counts_of_a_coarse_counter_are_inside(self):
        self.write(figures=lambda i: [figure("MBM total", 1000, low=900.0, high=1100.0)], factor=16)
        self.assertEqual(rows(self.made()[0])["mbm.total", "MBM total", "domain=#", "bytes"][2:4], [0.968, 1.032])

    def test_a_figure_that_scatters_is_left_out_and_named(self):
        self.write(figures=lambda i: [figure("MBM total", 1000.0 + 20 * i, low=920.0, high=1080.0), figure("share", 1.0, "ratio")])
        out, err = self.made()
        self.assertEqual([k[1] for k in rows(out)], ["share"])
        self.assertIn("left out: mbm.total: MBM total, L3 domain #: scatters", err)
        self.assertIn("# left out: mbm.total: MBM total, L3 domain #: scatters", out)

    def test_a_mixture_has_no_bands_unless_they_are_asked_for(self):
        moved = {7: 0.97, 15: 0.97, 20: 0.97}
        self.write(n=24, figures=lambda i: [figure("MBM total", 1000.0 * moved.get(i, 1) * (1 + i % 5 / 5000), low=920.0, high=1080.0),
                                            figure("share", 0.5 + i % 5 / 5000, low=0.4, high=0.6, unit="ratio")])
        self.assertEqual(self.refused(), [
            "assay-report: mixture: S15, S20, S7 are apart from the other machines in mbm.total: MBM total, L3 domain #",
            "assay-report: no bands are made of a mixture: leave these machines out, or use --mixed"])
        status, out, err = tool("calibrate", "--mixed", self.folder)
        self.assertEqual((status, [k[1] for k in rows(out)]), (0, ["share"]))
        self.assertIn("left out: mbm.total: MBM total, L3 domain #: a mixture: S15, S20, S7 are apart", err)

    def test_half_of_the_machines_are_a_mixture_too(self):
        self.write(n=12, figures=lambda i: [figure("MBM total", (1000.0 if i < 6 else 970.0) + i % 5 / 5, low=920.0, high=1080.0)])
        self.refused("mixture: ", "are apart")

    def test_more_machines_give_a_band_to_what_scatters_little(self):
        rng = random.Random(1)
        values = [round(rng.gauss(1000, 3), 3) for _ in range(30)]
        self.write(n=5, figures=lambda i: [figure("MBM total", values[i], low=920.0, high=1080.0), figure("share", 1.0, "ratio")])
        self.assertIn("scatters, a band needs 10 machines", self.made()[1])
        self.write(n=30, figures=lambda i: [figure("MBM total", values[i], low=920.0, high=1080.0)])
        low, high = rows(self.made()[0])["mbm.total", "MBM total", "domain=#", "bytes"][2:4]
        self.assertTrue(0.97 < low < 0.99 and 1.01 < high < 1.03, (low, high))

    def test_figures_of_few_machines_are_left_out(self):
        self.write(figures=lambda i: [figure("share", 1.0, "ratio")] + [figure("remote", 0.1, "ratio")] * (i < 4))
        out, err = self.made()
        self.assertEqual([k[1] for k in rows(out)], ["share"])
        self.assertIn("remote, L3 domain #: measured on 4 machines", err)

    def test_a_machine_that_stands_out_is_named_and_does_not_widen(self):
        self.write(n=12, figures=lambda i: [figure("MBM total", 1000.0 if i != 7 else 950.0, low=920.0, high=1080.0)])
        out, err = self.made()
        self.assertIn("stands out: S7: mbm.total: MBM total, L3 domain #: 0.950000, outside of 0.990000 to 1.010000", err)
        self.assertEqual(rows(out)["mbm.total", "MBM total", "domain=#", "bytes"][2:4], [0.99, 1.01])

    def test_of_machines_that_are_known_to_be_sound_each_value_is_inside(self):
        self.write(n=12, figures=lambda i: [figure("MBM total", 1000.0 if i != 7 else 950.0, low=920.0, high=1080.0)])
        status, out, err = tool("calibrate", "--sound", self.folder)
        self.assertEqual(status, 0, err)
        self.assertNotIn("stands out", err)
        self.assertEqual(rows(out)["mbm.total", "MBM total", "domain=#", "bytes"][2:4], [0.93, 1.02])

    def test_good_machines_are_rarely_outside(self):
        """The rate that DEVIATIONS is for: 1 in 10 000."""
        rng = random.Random(7)
        for n in (8, 12, 20):
            outside = 0
            for _ in range(20000):
                f = bands.Figure()
                for m in range(n):
                    f.values[m].append(rng.gauss(100, 1e4))  # beside this spread, FLOOR is nothing
                b = bands.band(f, "ratio")
                outside += not b.low <= rng.gauss(100, 1e4) <= b.high
            self.assertLessEqual(outside, 8, n)

    def test_another_version_is_the_same_kind_and_another_method_is_not(self):
        for i in range(6):
            m = Machine(f"S{i}")
            for _ in range(2 if i < 5 else 1):
                m.check("mbm.total", measurements=[figure("share", 1.0, "ratio")])
            m.end().save(self.folder / f"r{i}.jsonl")
            text = (self.folder / f"r{i}.jsonl").read_text()
            text = text.replace('"version": "0.9"', f'"version": "0.{i}"').replace('"version":"0.9"', f'"version":"0.{i}"')
            if i == 5:
                text = re.sub(r'("name": ?"assay.check", ?"content": ?\{)', r'\1"method": 1, ', text)
            (self.folder / f"r{i}.jsonl").write_text(text)
        out, err = self.made()
        self.assertIn("\nassay: 0.0, 0.1, 0.2, 0.3, 0.4, 0.5\n", out)
        self.assertEqual([k[0] for k in rows(out)], ["mbm.total"])
        self.assertEqual(rows(out)["mbm.total", "share", "domain=#", "ratio"][4], 5)
        self.assertIn("mbm.total@1: share, L3 domain #: measured on 1 machines", err)

    def test_bands_are_shown_to_hold_for_another_microcode(self):
        self.write(microcode="0x1")
        self.assertEqual(tool("calibrate", self.folder, "-o", self.folder / "m.bands")[0], 0)
        made = (self.folder / "m.bands").read_text()
        for share, status in ((1.0, 0), (0.95, 2)):
            self.write(microcode="0x2", figures=lambda i: [figure("MBM total", 1000.0 * share, low=920.0, high=1080.0)])  # noqa: B023
            got, _, err = tool("calibrate", "--holds", self.folder / "m.bands", self.folder, "-o", self.folder / "n.bands")
            self.assertEqual(got, status, err)
        self.assertIn("mbm.total: MBM total, L3 domain #: outside of", err)
        self.assertEqual((self.folder / "n.bands").read_text(), made.replace("microcode: 0x1\n", "microcode: 0x1 0x2\n"))

    def test_fewer_than_five_machines_are_refused(self):
        self.write(n=4)
        Machine("S3", day=2).check("a.b").end().save(self.folder / "again.jsonl")
        self.assertEqual(self.refused(), ["assay-report: 5 reports of 4 machines: at least 5 machines are needed"])
        self.refused("No such file", paths=[self.folder / "nothing-here"])

    def test_machines_of_several_kinds_are_refused_and_named(self):
        for name, other in (("model", {"model": "0x8f"}), ("stepping", {"stepping": 7}), ("microcode", {"microcode": "0x2"}),
                            ("nodes-per-package", {"nodes": 2})):
            self.write(n=6)
            Machine("ODD", **other).check("mbm.total", measurements=[figure("share", 1.0, "ratio")]).end().save(self.folder / "r5.jsonl")
            lines = self.refused(f"the machines differ in {name} (", "ODD")
            self.assertEqual(len(lines), 1, lines)

    def test_bad_machines_are_refused_and_named(self):
        self.write(n=6)
        Machine("BAD").check("cmt.fill", "FAIL").end("FAIL").save(self.folder / "r5.jsonl")
        self.assertEqual(len(self.refused("r5.jsonl", "cmt.fill", "without FAIL and ERROR")), 1)
        for verdict in ("FAIL", "ERROR"):
            Machine("BAD").check("cmt.fill", verdict).end("PASS").save(self.folder / "r5.jsonl")
            self.assertEqual(len(self.refused("r5.jsonl", f"contradicts itself: testRunEnd says PASS, the checks say {verdict}")), 1)

    def test_a_run_that_stopped_is_refused(self):
        self.write(n=6)
        Machine("S5").check("cmt.fill").save(self.folder / "r5.jsonl")
        self.refused("r5.jsonl: the run is incomplete")

    def test_machines_that_cannot_be_told_apart_are_refused(self):
        self.write(n=5)
        for path in self.folder.glob("*.jsonl"):
            path.write_text(path.read_text().replace('"dutInfoId": "x"', '"dutInfoId": "0"').replace("system-serial-number: S", "x: "))
        self.refused("r0.jsonl: the machine has no serial number", "r4.jsonl")

    def test_damaged_reports_are_refused_in_a_sentence(self):
        good = Machine("S5").check("mbm.total", measurements=[figure("share", 1.0, "ratio")]).end().lines
        start = json.loads(good[1])
        rng = random.Random(3)

        def without(*path):
            o = json.loads(good[1])
            at = o["testRunArtifact"]["testRunStart"]["dutInfo"]
            for p in path[:-1]:
                at = at[p]
            del at[path[-1]]
            return [good[0], json.dumps(o), *good[2:]]

        def dut(**keys):
            o = json.loads(json.dumps(start))
            o["testRunArtifact"]["testRunStart"]["dutInfo"].update(keys)
            return [good[0], json.dumps(o), *good[2:]]

        damaged = [without("softwareInfos"), without("hardwareInfos"), without("metadata", "packages"), without("metadata", "packages", "model"),
                   dut(softwareInfos=[1]), dut(softwareInfos="x"), dut(hardwareInfos=[None]), dut(hardwareInfos={"a": 1}),
                   dut(platformInfos=5), dut(metadata=[]), dut(metadata={"rdt": {"upscalingFactorBytes": "x"}}),
                   dut(metadata={"packages": 5}), dut(metadata={"packages": {"family": [6], "model": [6.5], "stepping": [{}]}}), dut(dutInfoId=[], hardwareInfos=[]), good[:1], good[2:]]
        text = "\n".join(good).encode()
        damaged += [text[: rng.randrange(len(text))] for _ in range(20)]
        for _ in range(40):
            at = rng.randrange(len(text))
            damaged.append(text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :])
        self.write(n=5)
        for d in damaged:
            Path(self.folder / "r5.jsonl").write_bytes(d if isinstance(d, bytes) else "\n".join(d).encode() + b"\n")
            try:
                bands.calibrate([self.folder])
            except stream.StreamError as e:
                self.assertIn("r5.jsonl", str(e))
            else:
                self.assertIsInstance(d, bytes)  # one changed byte may mean nothing
        self.refused("r5.jsonl")

    def test_odd_names_make_no_odd_file(self):
        self.write(figures=lambda i: [figure("a\tb", 1.0, "ratio"), figure("c\nd", 1.0, "ratio"), figure("é", 1.0, "ratio"),
                                      figure("x" * 500, 1.0, "ratio"), figure("ok", 1.0, "ratio"), figure("huge", 1e300, "ratio"), figure("", 1.0, "ratio"),
                                      figure("two", 1.0, "ratio"), figure("two", 1.0, "%")])
        out, err = self.made()
        self.assertEqual([k[1] for k in rows(out)], ["ok"])
        self.assertEqual(err.count("the name is too long or not ASCII"), 4)
        self.assertEqual((err.count("no name"), err.count("measured in several units")), (1, 2))
        self.assertTrue(out.endswith("end: 1\n"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
