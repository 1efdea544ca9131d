#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What merge says of drawn fleets, whose truth is known: how often a healthy machine is an outlier, which fault is found, in one
figure, in several and over several runs; groups that go with a microcode, changes over time.

ASSAY_FLEETS=N draws N times as many fleets (docs/fleet.md has the figures of 50). Costs 2 s of processor time."""
import json
import os
import random
import sys
import unittest
from array import array
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import cluster, fleet, fleetpage, joint, related, stats  # noqa: E402
from report.columns import pack  # noqa: E402

TIMES = int(os.environ.get("ASSAY_FLEETS", "1"))


def named(*checks):
    """Names of so many figures of each check, at three places."""
    return tuple((f"a.{c}", f"figure {i}", f"package {i % 3}") for c, figures in enumerate(checks) for i in range(figures))


def drawn(machines, figures, chance, spread=10.0, names=None, runs=1, draw=None, **more):
    """Digests of a healthy fleet: figures around 100, normally distributed. draw: instead, the values of a machine's run."""
    names = names or tuple(("a.b", f"figure {i}", "") for i in range(figures))
    draw = draw or (lambda machine: (chance.gauss(100.0, spread) for _ in names))
    return [{"path": f"r{i:05}", "serial": f"S{i // runs}", "identity": (f"S{i // runs}",), "label": f"S{i // runs}", "end": "", "model": "Box", "firmware": "1", "microcode": "0x1", "board": "B", "DIMM vendor": "V", "virtual": False,
             "result": "PASS", "contradictions": [], "begin": f"2026-01-01T00:{i // 60 % 60:02}:{i % 60:02}", "bad": [],
             "counts": dict.fromkeys(fleet.STATUSES, 0), "names": names,
             "values": array("d", draw(i // runs))} | more for i in range(machines * runs)]


class Tails(unittest.TestCase):
    """Against tables: Student's t, chi-squared."""

    def test_quantiles_of_tables(self):
        for p, what in ((0.05, stats.student(2.2281, 10)), (0.001, stats.student(3.6460, 30)), (0.05, stats.chi_square(3.8415, 1)),
                        (0.05, stats.chi_square(18.307, 10)), (0.001, stats.chi_square(10.828, 1))):
            self.assertAlmostEqual(what, p, delta=p / 1000)

    def test_ranks_share_ties(self):
        self.assertEqual(stats.ranks([5, 1, 5, 9])[0], [2.5, 1, 2.5, 4])
        self.assertEqual(stats.ranks([3, 3, 3])[1], 0)


def standing(members, who=None):
    """(serial numbers of outliers, of what is off together, of parts of a mixture) in the reports of one model."""
    for m in members:
        m["machine"] = m["serial"]
    j = fleet._model(pack(members), who or cluster.Here())
    return [o.report["serial"] for o in j.outliers], [o.report["serial"] for o in j.off], [m.reports[0]["serial"] for m in j.mixtures]


def related_(chance, checks, figures):
    """draw() of a machine whose figures of a check go together: half of their variance is the check's."""
    def draw(_):
        for _ in range(checks):
            of_check = chance.gauss(0.0, 50**0.5)
            yield from (chance.gauss(100.0 + of_check, 50**0.5) for _ in range(figures))
    return draw


def own(chance, figures, machines):
    """draw() of machines that differ: half of a figure's variance is the machine's, the other half the run's."""
    centres = [[chance.gauss(100.0, 50**0.5) for _ in range(figures)] for _ in range(machines)]
    return lambda machine: (chance.gauss(centre, 50**0.5) for centre in centres[machine])


def heavy(chance, figures):
    """draw() of Student's t with five degrees of freedom."""
    return lambda _: (100.0 + 10.0 * chance.gauss(0.0, 1.0) / (chance.gammavariate(2.5, 2.0) / 5) ** 0.5 for _ in range(figures))


class Outliers(unittest.TestCase):
    def false(self, what, machines, fleets, names, draw=lambda chance: None, runs=1, held=True):
        chance, single, off = random.Random(f"{what} {machines}"), 0, 0
        for _ in range(fleets * TIMES):
            some = standing(drawn(machines, 0, chance, names=names, runs=runs, draw=draw(chance)))
            single, off = single + len(some[0] + some[2]), off + len(some[1])
        n = machines * fleets * TIMES
        print(f"\n{what}, {machines} machines, {len(names)} figures, {runs} runs: {single} false outliers and {off} sums of {n} machines: "
              f"{1000 * (single + off) / n:.2f} in 1,000", file=sys.stderr)
        if held:
            self.assertLessEqual(single + off, stats.FALSE * n + 4 * (stats.FALSE * n) ** 0.5)  # four deviations of a count

    def test_a_healthy_fleet_has_one_in_a_thousand_machines(self):
        for machines, fleets, names in ((5, 200, named(20)), (12, 100, named(20)), (50, 40, named(20, 20)), (1000, 2, named(*[20] * 5))):
            self.false("independent", machines, fleets, names)
        self.false("related", 50, 20, named(20, 20), lambda chance: related_(chance, 2, 20))
        self.false("own", 50, 2, named(20, 20), lambda chance: own(chance, 40, 50), 10)

    @unittest.skipIf(TIMES == 1, "more healthy fleets: ASSAY_FLEETS=50")
    def test_more_healthy_fleets(self):
        self.false("related", 1000, 1, named(*[20] * 5), lambda chance: related_(chance, 5, 20))
        self.false("independent", 50, 20, named(20, 20), runs=10)
        self.false("own", 50, 20, named(20, 20), lambda chance: own(chance, 40, 50), 10)
        self.false("own", 1000, 1, named(10, 10), lambda chance: own(chance, 20, 1000), 10)
        self.false("heavy tails", 50, 20, named(20, 20), lambda chance: heavy(chance, 40), held=False)
        self.false("heavy tails", 1000, 1, named(*[20] * 5), lambda chance: heavy(chance, 100), held=False)

    def odd(self, values, limit):
        """Serial numbers of machines whose one figure has these values."""
        ordered = sorted(values)
        alike = joint.Alike([{"serial": f"S{i}", "machine": f"S{i}"} for i in range(len(values))])
        sample = joint.Sample(alike, values, ordered, *fleet.centre(ordered), limit)
        return [o.report["serial"] for o in fleet.outliers(("a.b", "x", ""), sample)[0]]

    def test_a_fault_of_twice_the_healthy_reach_is_found(self):
        chance, found, tries = random.Random(7), 0, 100 * TIMES
        limit = stats.limit(1000, 100)
        for _ in range(tries):
            values = [chance.gauss(100.0, 10.0) for _ in range(999)]
            half = (max(values) - min(values)) / 2
            values.append(chance.gauss(100.0, 10.0) - 2 * half)
            found += "S999" in self.odd(values, limit)
        print(f"\nlimit {limit:.2f}: {found} of {tries} faults found", file=sys.stderr)
        self.assertGreaterEqual(found, 0.95 * tries - 2 * (0.95 * 0.05 * tries) ** 0.5)

    def test_a_fault_of_two_deviations_is_not(self):
        chance = random.Random(8)
        values = [chance.gauss(100.0, 10.0) for _ in range(999)] + [80.0]
        self.assertNotIn("S999", self.odd(values, stats.limit(1000, 100)))

    def test_where_all_others_agree_the_largest_share_is_the_worst(self):
        some = drawn(40, 3, random.Random(9), spread=0.0)
        for i, value in ((4, 97.0), (8, 50.0), (11, 120.0)):
            some[i]["values"][i % 3] = value
        s = fleet.summary(pack(some))
        self.assertEqual([(o["serial"], o["value"], o["deviations"]) for o in s["outliers"]], [("S8", 50.0, None), ("S11", 120.0, None), ("S4", 97.0, None)])


class Mixtures(unittest.TestCase):
    """Machines of one delivery that are apart: more than a tenth."""

    def rows(self, machines, moved, spread=0.05):
        """mixtures of a merge of machines of which those of `moved`, {number: factor}, have other values in 30 of 40 figures."""
        some = drawn(machines, 40, random.Random(machines), spread=spread)
        for i, factor in moved.items():
            some[i]["values"][:30] = array("d", [v * factor for v in some[i]["values"][:30]])
        self.s = fleet.summary(pack(some))
        return [(row["machines"], row["others"], row["figures"]) for row in self.s["mixtures"]]

    def test_machines_of_a_bad_delivery_are_named(self):
        self.assertEqual(self.rows(24, {7: 0.97, 15: 0.97, 20: 0.97}), [(["S15", "S20", "S7"], 21, 30)])
        self.assertIn("mixture: S15, S20, S7 are 3.0 % below the other 21 in 30 figures: a.b | figure 0, ", fleet.text(self.s))
        self.assertNotIn("no outlier", fleet.text(self.s))
        self.assertEqual(fleet.exit_status(self.s), 1)
        self.assertIn("a mixture: 3 machines are apart", fleetpage.page(self.s))
        self.assertIn('<h2 id="mixtures">', fleetpage.page(self.s))

    def test_however_many_they_are_and_wherever_they_lie(self):
        self.assertEqual(self.rows(40, dict.fromkeys(range(8), 0.97)), [(sorted(f"S{i}" for i in range(8)), 32, 30)])
        self.assertEqual(self.rows(24, dict.fromkeys(range(11), 1.03)), [(sorted(f"S{i}" for i in range(11)), 13, 30)])
        self.assertEqual(self.rows(6, dict.fromkeys(range(2), 0.5)), [(["S0", "S1"], 4, 30)])
        self.assertEqual(self.rows(24, {7: 0.97, 15: 1.02, 20: 0.985}), [(["S15", "S20", "S7"], 21, 30)])
        self.assertIn("S15, S20, S7 are -3.0 to +2.0 % from the other 21", fleet.text(self.s))

    def test_one_of_few_is_an_outlier(self):
        self.assertEqual(self.rows(6, {2: 0.5}), [])
        self.assertEqual({o["machine"] for o in self.s["outliers"]}, {"S2"})

    def test_few_machines_are_not_compared_and_that_is_reported(self):
        self.assertEqual(self.rows(3, {1: 0.5}), [])
        self.assertIn("not compared: 3 machines of Box: 5 are needed", fleet.text(self.s))
        self.assertNotIn("no outlier", fleet.text(self.s))
        self.assertEqual(fleetpage.headline(self.s, {"PASS": 3}), ("3 PASS, 3 not compared", "WARN"))

    def test_few_machines_of_a_firmware_on_which_figures_depend_are_not_compared_either(self):
        some = drawn(24, 3, random.Random(1), spread=0.05)
        for m in some[:10]:
            m |= {"firmware": "2"}
            m["values"][0] *= 2
        for m in some[10:13]:
            m |= {"firmware": "3"}
        self.assertEqual([(u["firmware"], len(u["machines"])) for u in fleet.summary(pack(some))["uncompared"]], [("3", 3)])

    def test_a_cache_keeps_them(self):
        some = drawn(24, 5, random.Random(1), spread=0.05)
        for m in some[:3]:
            m["values"][1] *= 0.97
            m["machine"] = "x"
        j = fleet._model(pack([m | {"machine": m["serial"]} for m in some]), cluster.Here())
        self.assertEqual(fleet.Judgement.of_json(json.loads(json.dumps(j.as_json(some))), some).mixtures[0].low, j.mixtures[0].low)


class Ends(unittest.TestCase):
    """The exit status of a merge is that of the worst it found."""

    def test_by_the_worst(self):
        def status(result="PASS", **found):
            return fleet.exit_status({"machines": [{"result": "PASS"}, {"result": result}], "contradicting": [], "unreadable": []} | found)
        self.assertEqual([status(r) for r in ("PASS", "DONE", "FAIL", "ERROR", "SKIP")], [0, 0, 1, 3, 3])
        self.assertEqual([status(**{key: [1]}) for key in ("outliers", "together", "mixtures", "unreadable", "contradicting")], [1, 1, 1, 2, 4])
        self.assertEqual(status("FAIL", unreadable=[1], contradicting=[1]), 4)
        self.assertEqual(status("FAIL", unreadable=[1]), 2)


class Together(unittest.TestCase):
    """Faults of two deviations, in one of 1,000 machines."""

    def test_more_figures_find_it(self):
        chance, found = random.Random(11), {}
        checks = [20] * 2 + [10] * 3 + [5] * 4 + [1] * 10
        for _ in range(1 if TIMES == 1 else 2 * TIMES):
            some, at = drawn(1000, 0, chance, names=named(*checks)), 0
            for n, figures in enumerate(checks):  # each check has a faulty machine of its own
                for i in range(at, at + figures):
                    some[n]["values"][i] -= 20.0
                at += figures
            serials = set().union(*standing(some))
            for n, figures in enumerate(checks):
                found.setdefault(figures, []).append(f"S{n}" in serials)
        for figures, of in found.items():
            print(f"\n{figures} figures of one check: {sum(of)} of {len(of)} faults found", file=sys.stderr)
        self.assertTrue(all(found[20]))  # 99.99 % each
        self.assertLess(sum(found[1]), 0.2 * len(found[1]))

    @unittest.skipIf(TIMES == 1, "fleets of many runs: ASSAY_FLEETS=50")
    def test_more_runs_find_it(self):
        for runs in (1, 5, 10, 20):
            chance, found, tries = random.Random(runs), 0, 0
            for _ in range(max(1, 2 * TIMES // 5)):
                some = drawn(1000, 0, chance, names=named(10, 10), runs=runs)
                for m in some[: 10 * runs]:
                    m["values"][2 * int(m["serial"][1:])] -= 20.0  # of each of ten machines another figure
                serials = set().union(*standing(some))
                found, tries = found + sum(f"S{n}" in serials for n in range(10)), tries + 10
            print(f"\n{runs} runs: {found} of {tries} faults found", file=sys.stderr)

    def small(self, runs=1):
        """200 machines; all figures of S3 at package 1 are two deviations low."""
        some = drawn(200, 0, random.Random(16), names=named(12, 12, 12), runs=runs)
        for m in some[3 * runs : 4 * runs]:
            for i in range(1, 36, 3):
                m["values"][i] -= 20.0
        return pack(some)

    def test_figures_of_a_place_are_named_together(self):
        s = fleet.summary(self.small())
        self.assertEqual(s["outliers"], [])
        o, = s["together"]
        self.assertEqual((o["serial"], o["figure"], o["figures"], o["runs"], o["direction"], o["checks"]),
                         ("S3", "a.* | package 1", 12, 1, "below", ["a.0", "a.1", "a.2"]))
        self.assertAlmostEqual(o["each"], 2.0, delta=0.6)
        self.assertAlmostEqual(o["deviations"], 2 * 12**0.5, delta=2)
        self.assertIn(f"S3: a.* | package 1: 12 figures of a.0, a.1, a.2: {o['deviations']:.1f} deviations below the median, each {o['each']:.1f}",
                      fleet.text(s))
        self.assertEqual(fleetpage.headline(s, {"PASS": 200}), ("200 PASS, outliers on 1 machine", "WARN"))
        self.assertIn(">a.* | package 1</td>", fleetpage.page(s))

    def test_runs_of_a_figure_are_named_together(self):
        some = drawn(40, 0, random.Random(13), names=named(3, 3), runs=12)
        for m in some[60:72]:
            m["values"][4] += 25.0
        s = fleet.summary(pack(some))
        self.assertEqual(s["outliers"], [])
        self.assertEqual([(o["serial"], o["figure"], o["figures"], o["runs"], o["direction"], o["path"]) for o in s["together"]],
                         [("S5", "a.1 | figure 1 | package 1", 1, 12, "above", "r00071")])
        self.assertIn("S5: a.1 | figure 1 | package 1: one figure over 12 runs: ", fleet.text(s))

    def test_processes_say_what_one_does(self):
        some = self.small(3)
        alone = fleet.summary(some)
        with patch.object(fleet, "FEW", 0), cluster.Local(2) as who:  # a share has less than a check
            self.assertEqual(fleet.summary(some, who), alone)
        self.assertIn(("S3", "a.* | package 1", 3), [(o["serial"], o["figure"], o["runs"]) for o in alone["together"]])

    def test_what_moves_less_than_a_hundredth_is_not_named(self):
        names = named(20)
        for by, named_ in ((0.5, []), (2.0, ["S7"])):
            some = drawn(200, 0, random.Random(14), 0.4, names)
            some[7]["values"] = array("d", (v - by for v in some[7]["values"]))
            self.assertEqual([o["serial"] for o in fleet.summary(pack(some))["together"]], named_)

    def test_figures_that_go_together_on_healthy_machines_are_not_named(self):
        chance = random.Random(15)
        some = drawn(200, 0, chance, names=named(20), draw=lambda _: [100.0 + 10.0 * chance.gauss(0.0, 1.0)] * 20)
        some[7]["values"] = array("d", [80.0] * 20)
        self.assertEqual(standing(some), ([], [], []))


class Related(unittest.TestCase):
    def test_healthy_fleets_have_none(self):
        chance, fleets, found = random.Random(3), 5 * TIMES, 0
        for _ in range(fleets):
            some = drawn(60, 40, chance)
            for i, m in enumerate(some):
                m |= {"microcode": f"0x{i % 3}", "firmware": str(i % 2), "board": "AB"[i // 30]}
            s = fleet.summary(pack(some))
            self.assertEqual(s["changed"], [])
            found += bool(s["related"])
        most = related.SURE * fleets
        print(f"\n{found} of {fleets} healthy fleets with a group that is named", file=sys.stderr)
        self.assertLessEqual(found, most + 4 * most**0.5)

    def test_what_goes_with_a_board_is_named(self):
        some = drawn(60, 40, random.Random(4))
        for i, m in enumerate(some):
            m |= {"microcode": f"0x{i % 3}", "board": "AB"[i // 30]}
            m["values"][11] += 15.0 * (i // 30)  # of a spread of 10: none stands out by itself
        s = fleet.summary(pack(some))
        found = s["related"]
        self.assertEqual([(r["of"], r["figure"], [g["value"] for g in r["groups"]]) for r in found],
                         [("board", "a.b | figure 11", ["A", "B"])])
        self.assertLess(found[0]["p"], 0.01)
        self.assertIn("board: a.b | figure 11: ", fleet.text(s))

    def test_what_goes_with_a_vendor_of_modules_is_named(self):
        some = drawn(60, 40, random.Random(6))
        for i, m in enumerate(some):
            m["DIMM vendor"] = ("V", "V, W", "W")[i % 3]
            m["values"][11] += 15.0 * (i % 3 == 2)
        found = fleet.summary(pack(some))["related"]
        self.assertEqual([(r["of"], r["figure"], [g["value"] for g in r["groups"]]) for r in found],
                         [("DIMM vendor", "a.b | figure 11", ["V", "V, W", "W"])])

    def test_a_machine_that_changes_is_named_with_the_first_run(self):
        some = drawn(60, 10, random.Random(5), identity=("S1",), label="S1")
        for m in some[35:]:
            m["values"][3] -= 30.0
        chance = random.Random(1)
        chance.shuffle(some)  # by begin, not by file
        found = fleet.summary(pack(some))["changed"]
        self.assertEqual([(c["machine"], c["figure"]) for c in found], [("S1", "a.b | figure 3")])
        self.assertIn(found[0]["path"], [f"r{i:05}" for i in range(33, 38)])

    def test_a_step_is_placed_at_its_first_value(self):
        at, p = stats.pettitt([1.0] * 20 + [2.0] * 20)
        self.assertEqual(at, 20)
        self.assertLess(p, 1e-5)


if __name__ == "__main__":
    unittest.main()
