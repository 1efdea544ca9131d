# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-report verify: files that are not those that the run wrote. tests/drivers/qemu verifies those of its runs."""
import hashlib
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "support" / "drivers")]
from figures import digests_of, figures_of  # noqa: E402
from test_report import Case, Stream, tool  # noqa: E402
from report import attest  # noqa: E402

NAMES = ("report.jsonl", "report.txt", "report.html", "report.figures")


class Verify(Case):
    def setUp(self):
        super().setUp()
        Stream().check("a.b").end().save(self.folder / NAMES[0])
        (self.folder / NAMES[1]).write_text("RESULT: PASS exit=0\n")
        (self.folder / NAMES[2]).write_text("<html>")
        (self.folder / NAMES[3]).write_bytes(figures_of((self.folder / NAMES[0]).read_bytes()))
        self.digests = {n: hashlib.sha256((self.folder / n).read_bytes()).hexdigest() for n in NAMES}
        self.list = self.folder / "report.sha256"
        self.list.write_text("".join(f"{d}  {n}\n" for n, d in self.digests.items()))

    def test_what_was_written_is_ok(self):
        for what in (self.folder, self.folder / NAMES[0]):
            code, out, err = tool("verify", what)
            self.assertEqual((code, out.count(": OK\n"), err), (0, 4, ""))
        code, out, _ = tool("verify", self.folder, "--digest", self.digests[NAMES[0]].upper())
        self.assertEqual((code, out.count(": OK\n")), (0, 4))

    def test_sha256sum_takes_it(self):
        p = subprocess.run(["sha256sum", "--strict", "--check", self.list], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_a_byte_that_changed_is_named(self):
        for name in NAMES:
            with self.subTest(name):
                path = self.folder / name
                was = path.read_bytes()
                path.write_bytes(was[:-1] + b" ")
                code, out, _ = tool("verify", self.folder)
                self.assertEqual((code, out.count(": OK\n")), (1, 3))
                self.assertIn(f"{path}: is not what the run wrote: SHA-256 ", out)
                path.unlink()
                code, out, _ = tool("verify", self.folder)
                self.assertIn(f"{path}: is missing\n", out)
                path.write_bytes(was)

    def test_whoever_makes_the_list_again_is_found_by_the_digest_that_was_kept(self):
        kept, path = self.digests[NAMES[0]], self.folder / NAMES[0]
        path.write_bytes(path.read_bytes().replace(b"A CPU", b"B CPU"))
        (self.folder / NAMES[3]).write_bytes(figures_of(path.read_bytes()))
        self.list.write_bytes(digests_of({name: (self.folder / name).read_bytes() for name in NAMES}))
        self.assertEqual(tool("verify", self.folder)[0], 0)
        code, out, _ = tool("verify", self.folder, "--digest", kept)
        self.assertEqual(code, 1)
        self.assertIn("report.jsonl: is not what the run wrote", out)

    def test_a_list_that_is_none_is_one_sentence(self):
        good = self.list.read_text()
        for text in ("", "\n", "x", good + "0" * 64 + "  ../report.txt\n", good + good, good.replace("  ", " "), "0" * 64 + "  report.txt\n",
                     "0" * 64 + "  /etc/passwd\n", good.replace("report.txt", "report.exe"), "\xff" * 100):
            with self.subTest(text):
                self.list.write_text(text, encoding="latin-1")
                code, _, err = tool("verify", self.folder)
                self.assertEqual((code, err.count("\n")), (2, 1), err)
        self.list.unlink()
        code, _, err = tool("verify", self.folder)
        self.assertEqual((code, err.count("\n")), (2, 1), err)

    def test_a_digest_that_is_odd_or_new_in_firmwares_log_loses_its_bank_alone(self):
        stream, path = self.digests[NAMES[0]], self.folder / "log"
        text = f"assay report.jsonl sha256:{stream}".encode()
        good = {0x000B: hashlib.sha256(text).digest()}
        first = b"Spec ID Event03\0" + bytes(8) + struct.pack("<I6H", 3, 0x0004, 20, 0x000B, 32, 0x0777, 3)
        for digests, pcr, has in ((good, 12, ["sha256"]), (good | {0x0777: b"new"}, 12, ["sha256"]), (good | {0x0004: bytes(20)}, 12, ["sha256"]),
                                  ({0x000B: bytes(32)}, None, "has an event of this report with digests of something else"),
                                  ({}, None, "has an event of this report with digests of something else")):
            path.write_bytes(attest.HEADER.pack(0, attest.NO_ACTION, bytes(20), len(first)) + first + struct.pack("<III", 12, 13, len(digests)) +
                             b"".join(struct.pack("<H", tag) + digest for tag, digest in digests.items()) + struct.pack("<I", len(text)) + text)
            at, values = attest.in_log(path, stream)
            self.assertEqual((at, values if at is None else list(values)), (pcr, has))


if __name__ == "__main__":
    unittest.main()
