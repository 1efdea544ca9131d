#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What merge says of drawn fleets, whose truth is known: how often a healthy machine is an outlier, which fault is found, groups
that go with a microcode, changes over time.

ASSAY_FLEETS=N draws N times as many fleets (docs/fleet.md has the figures of 50). Costs 1 s of processor time."""
import os
import random
import sys
import unittest
from array import array
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import fleet, related, stats  # noqa: E402
from report.columns import pack  # noqa: E402

TIMES = int(os.environ.get("ASSAY_FLEETS", "1"))


def drawn(machines, figures, chance, spread=10.0, **more):
    """Digests of a healthy fleet: figures around 100, normally distributed."""
    names = tuple(("a.b", f"figure {i}", "") for i in range(figures))
    return [{"path": f"r{i:05}", "serial": f"S{i}", "model": "Box", "firmware": "1", "microcode": "0x1", "board": "B", "DIMM vendor": "V", "virtual": False,
             "result": "PASS", "contradictions": [], "begin": f"2026-01-01T00:{i // 60 % 60:02}:{i % 60:02}", "bad": [],
             "counts": dict.fromkeys(fleet.STATUSES, 0), "names": names,
             "values": array("d", (chance.gauss(100.0, spread) for _ in names))} | more for i in range(machines)]


class Tails(unittest.TestCase):
    """Against tables: Student's t, chi-squared."""

    def test_quantiles_of_tables(self):
        for p, what in ((0.05, stats.student(2.2281, 10)), (0.001, stats.student(3.6460, 30)), (0.05, stats.chi_square(3.8415, 1)),
                        (0.05, stats.chi_square(18.307, 10)), (0.001, stats.chi_square(10.828, 1))):
            self.assertAlmostEqual(what, p, delta=p / 1000)

    def test_ranks_share_ties(self):
        self.assertEqual(stats.ranks([5, 1, 5, 9])[0], [2.5, 1, 2.5, 4])
        self.assertEqual(stats.ranks([3, 3, 3])[1], 0)


class Outliers(unittest.TestCase):
    def false(self, machines, figures, fleets, seed):
        chance = random.Random(seed)
        found = sum(len(fleet.judge(pack(drawn(machines, figures, chance)))[0]) for _ in range(fleets))
        return found, machines * fleets

    def test_a_healthy_fleet_has_one_in_a_thousand_machines(self):
        for machines, figures, fleets in ((12, 20, 100), (50, 40, 40), (1000, 100, 3)):
            found, drawn_ = self.false(machines, figures, fleets * TIMES, machines)
            most = stats.FALSE * drawn_
            print(f"\n{machines} machines, {figures} figures: {found} false outliers of {drawn_} machines", file=sys.stderr)
            self.assertLessEqual(found, most + 4 * most**0.5)  # four deviations of a count

    def test_a_fault_of_twice_the_healthy_reach_is_found(self):
        chance, found, tries = random.Random(7), 0, 100 * TIMES
        limit = stats.limit(1000, 100)
        for _ in range(tries):
            values = [chance.gauss(100.0, 10.0) for _ in range(999)]
            half = (max(values) - min(values)) / 2
            values.append(chance.gauss(100.0, 10.0) - 2 * half)
            found += any(m == 999 for m, *_ in fleet.outliers(values, range(1000), 100))
        print(f"\nlimit {limit:.2f}: {found} of {tries} faults found", file=sys.stderr)
        self.assertGreaterEqual(found, 0.95 * tries - 2 * (0.95 * 0.05 * tries) ** 0.5)

    def test_a_fault_of_two_deviations_is_not(self):
        chance = random.Random(8)
        values = [chance.gauss(100.0, 10.0) for _ in range(999)] + [80.0]
        self.assertEqual([m for m, *_ in fleet.outliers(values, range(1000), 100) if m == 999], [])


    def test_where_all_others_agree_the_largest_share_is_the_worst(self):
        some = drawn(40, 3, random.Random(9), spread=0.0)
        for i, value in ((4, 97.0), (8, 50.0), (11, 120.0)):
            some[i]["values"][i % 3] = value
        s = fleet.summary(pack(some))
        self.assertEqual([(o["serial"], o["value"], o["deviations"]) for o in s["outliers"]], [("S8", 50.0, None), ("S11", 120.0, None), ("S4", 97.0, None)])


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
        some = drawn(60, 10, random.Random(5), serial="S1")
        for m in some[35:]:
            m["values"][3] -= 30.0
        chance = random.Random(1)
        chance.shuffle(some)  # by begin, not by file
        found = fleet.summary(pack(some))["changed"]
        self.assertEqual([(c["serial"], c["figure"]) for c in found], [("S1", "a.b | figure 3")])
        self.assertIn(found[0]["path"], [f"r{i:05}" for i in range(33, 38)])

    def test_a_step_is_placed_at_its_first_value(self):
        at, p = stats.pettitt([1.0] * 20 + [2.0] * 20)
        self.assertEqual(at, 20)
        self.assertLess(p, 1e-5)


if __name__ == "__main__":
    unittest.main()
