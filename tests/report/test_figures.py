# SPDX-License-Identifier: BSD-2-Clause-Patent
"""report.figures: what is read from it is what its stream says, and one that is not its stream's is reported and not used.
tests/unit/report/figures.c holds what the payload derives to the same fixture."""
import hashlib
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support" / "drivers")]
from test_report import Case, Stream, figure, tool  # noqa: E402
from figures import digests_of, figures_of, put_beside  # noqa: E402
from report import figures_file, source, stream  # noqa: E402

FIXTURES = HERE.parent / "fixtures" / "stream"
GOLDEN = (FIXTURES / "golden.jsonl").read_bytes()


def rounds(serial="S1", value=7, verdict="WARN"):
    s = Stream(serial=serial)
    for turn in 1, 2:
        s.check("a.b", verdict, measurements=[figure("x", value, low=1, high=9), figure("x", 2.5e3), figure("y", -1, place="z"),
                                              {"name": "word", "value": "w"}, {"name": "truth", "value": True}], turn=turn)
    return s.check("c.d", "FAIL").check("e.f", "SKIP").check("g.h", "ERROR").check("d.d", "SKIP", measurements=[figure("x", 3)], dropped=True).check(
        "d.d", measurements=[figure("x", 4)]).end("FAIL")


class Figures(Case):
    def saved(self, name, s):
        path = self.folder / name / "report.jsonl"
        path.parent.mkdir()
        s.save(path)
        put_beside(path)
        return path

    def stamp(self, path):
        return source.stamped([path])[str(path)]

    def alike(self, path):
        """What is read from the file and from the stream is the same."""
        (r, names, means, own, digest), (whole, *of_stream, not_own, whole_digest) = figures_file.summary(path, self.stamp(path)), figures_file.summary(path)
        self.assertEqual((own, not_own, digest), (True, False, whole_digest))
        self.assertEqual([names, means], of_stream)
        self.assertEqual([(c.id, c.status) for c in r.checks], [(c.id, c.status) for c in whole.checks])
        self.assertEqual((r.counts, r.result, r.identity, r.begin, r.end, r.contradictions), (whole.counts, whole.result, whole.identity, whole.begin, whole.end, []))
        r = figures_file.report(path, self.stamp(path))
        self.assertEqual([(c.id, c.status, c.round, c.measurements) for c in r.checks],
                         [(c.id, c.status, c.round, [m for m in c.measurements if m.is_number]) for c in whole.checks])

    def test_what_the_payload_derives_is_what_this_reader_derives(self):
        own = (FIXTURES / "golden.figures").read_bytes()
        self.assertEqual(figures_file.differs(stream.read("report.jsonl", GOLDEN), GOLDEN, own), "")
        self.assertEqual([json.loads(line) for line in own.splitlines()], [json.loads(line) for line in figures_of(GOLDEN).splitlines()])

    def test_figures_and_verdicts_are_those_of_the_stream(self):
        self.alike(self.saved("a", rounds()))
        self.alike(self.saved("b", rounds("S2", 8)))
        self.alike(self.saved("c", rounds("S3", 8, "PASS")))
        self.alike(self.saved("d", Stream().check("a.b").end()))
        path = self.saved("e", Stream().check("a.b").end())
        path.write_bytes(GOLDEN)
        put_beside(path)
        self.alike(path)

    def test_without_its_digest_the_stream_is_read(self):
        for name, gone in (("a", ".figures"), ("b", ".sha256")):
            path = self.saved(name, rounds())
            path.with_suffix(gone).unlink()
            r, *_, own, _ = figures_file.summary(path, self.stamp(path))
            self.assertEqual((own, r.contradictions), (False, []))

    def changed(self, files, path):
        """The files of a report with others in their place, and report.sha256 of these."""
        files = {"report.jsonl": path.read_bytes(), "report.figures": path.with_suffix(".figures").read_bytes()} | files
        for name, data in files.items():
            (path.parent / name).write_bytes(data)
        path.with_suffix(".sha256").write_bytes(digests_of(files))

    def test_one_that_is_not_its_streams_is_reported_and_the_stream_is_read(self):
        other = figures_of("\n".join([*rounds("S2", 8).lines, ""]).encode())
        stream_ = ("\n".join(rounds().lines) + "\n").encode()
        own = figures_of(stream_)
        length, digest = str(len(stream_)).encode(), hashlib.sha256(stream_).hexdigest().encode()
        cases = (("another run's", other, "is of another stream than report.sha256"),
                 ("another length", own.replace(b'"bytes":' + length, b'"bytes":7'), f"is of a stream of 7 bytes, and report.jsonl has {len(stream_)}"),
                 ("none", b"", "is damaged"), ("cut", own[:-1], "is damaged"), ("words", own.replace(b"[7,1,9", b'["7",1,9'), "is damaged"),
                 ("truth", own.replace(b"[7,1,9", b"[true,1,9"), "is damaged"), ("infinite", own.replace(b"[7,1,9", b"[1e999,1,9"), "is damaged"),
                 ("fewer", own.replace(b"[7,1,9,", b"["), "is damaged"), ("checks", own.replace(b'"checks":6', b'"checks":7'), "is damaged"),
                 ("verdict", own.replace(b'"verdict":"WARN"', b'"verdict":"MAYBE"'), "is damaged"),
                 ("name", own.replace(b'[["x"', b"[[7"), "is damaged"), ("version", own.replace(b'{"figures":1}', b'{"figures":2}'), "is damaged"),
                 ("nan", own.replace(b"[7,1,9", b"[NaN,1,9"), "is damaged"))
        self.assertEqual(own.count(digest), 1)
        for name, data, says in cases:
            with self.subTest(name):
                self.assertNotEqual(data, own)
                path = self.saved(name, rounds())
                self.changed({"report.figures": data}, path)
                r, names, means, used, _ = figures_file.summary(path, self.stamp(path))
                self.assertFalse(used)
                self.assertRegex(r.contradictions[0], f"^report.figures {says}")
                self.assertEqual((names, means), figures_file.summary(path)[1:3])
                code, out, _ = tool("verify", path.parent)
                self.assertEqual(code, 1)
                self.assertRegex(out, f"{path.with_suffix('.figures')}: (is of|has|cannot)")
                self.assertIn(f"contradicts itself: {path}: report.figures {says}", tool("merge", path.parent)[1])

    def test_one_whose_digest_is_another_is_reported(self):
        path = self.saved("a", rounds())
        own = path.with_suffix(".figures")
        own.write_bytes(own.read_bytes().replace(b"[7,1,9", b"[8,1,9"))
        r, _, means, used, _ = figures_file.summary(path, self.stamp(path))
        self.assertEqual((used, r.contradictions), (False, ["report.figures has not the digest that report.sha256 says"]))
        self.assertNotIn(8, means)
        code, out, _ = tool("verify", path.parent)
        self.assertIn(f"{own}: is not what the run wrote", out)

    def test_figures_that_were_edited_with_their_digest_are_found_by_verify(self):
        path = self.saved("a", rounds())
        own = path.with_suffix(".figures").read_bytes()
        for was, now, says in ((b"[7,1,9", b"[8,1,9", "has other figures of a.b"), (b"[7,1,9", b"[7,1,8", "has other figures of a.b"),
                               (b'"WARN","round":2', b'"PASS","round":2', "has other figures of a.b"),
                               (b'["x","bytes","L3 domain 0","domain=0"]', b'["x","ms","L3 domain 0","domain=0"]', "has other figures of a.b"),
                               (b'"result":"FAIL"', b'"result":"PASS"', "has another result"),
                               (b"serial-number: S1", b"serial-number: S2", "is of another run")):
            with self.subTest(now):
                self.assertIn(was, own)
                self.changed({"report.figures": own.replace(was, now)}, path)
                code, out, _ = tool("verify", path.parent)
                self.assertEqual(code, 1)
                self.assertIn(f"{path.with_suffix('.figures')}: {says}", out)
        self.changed({"report.figures": own}, path)
        self.assertEqual(tool("verify", path.parent)[0], 0)

    def test_a_merge_says_the_same_with_and_without(self):
        for i in range(12):
            self.saved(f"r{i}", rounds(f"S{i}", 700 if i == 7 else 7 + i / 100))
        where = self.folder / "r0" / "report.jsonl"
        where.with_suffix(".figures").unlink()
        status, own, err = tool("merge", "-v", "-f", "json", self.folder)
        self.assertIn("12 reports: 11 from report.figures, 1 from their streams", err)
        for path in self.folder.rglob("*.figures"):
            path.unlink()
        self.assertEqual(tool("merge", "-f", "json", self.folder)[1], own)
        self.assertEqual([o["serial"] for o in json.loads(own)["outliers"]], ["S7"])

    def test_a_file_that_changes_is_read_again_by_a_merge_with_a_cache(self):
        path = self.saved("a", rounds())
        cache = self.folder.parent / f"{self.folder.name}-cache"
        self.addCleanup(shutil.rmtree, cache)
        tool("merge", "--cache", cache, self.folder)
        self.changed({"report.figures": b""}, path)
        self.assertIn("report.figures is damaged", tool("merge", "--cache", cache, self.folder)[1])
