# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/assay-report rebuild: a report out of a serial capture, and captures that are damaged."""
import json
import base64
import hashlib
import itertools
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "scripts" / "assay-report"
sys.path.insert(0, str(ROOT / "scripts"))

from report import rebuild as MODULE  # noqa: E402 pylint: disable=wrong-import-position

LINES = [b'{"schemaVersion":{"major":2},"sequenceNumber":0}', b'{"a":"' + b"long " * 60 + b'","sequenceNumber":1}',
         b'{"b":"~1 2 00000000","sequenceNumber":2}']
GOLDEN = ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl"
REPORT = b"".join(line + b"\n" for line in LINES)


def packed(pieces=((LINES[0],), LINES[1:])):
    """The lines of -ui jsonl.gz, with a flush after each piece."""
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [z.compress(b"".join(line + b"\n" for line in piece)) + z.flush(zlib.Z_SYNC_FLUSH) for piece in pieces] + [z.flush()]
    return [b"{" + base64.b64encode(part[at:at + 60]) for part in parts for at in range(0, len(part), 60)]


def sent(lines=LINES, end=b"\r\n", fold=0, between=b"", data=None):
    """What a console is given for these lines, folded at a column as a terminal does; data: the report that is packed in them."""
    data = data or b"".join(line + b"\n" for line in lines)
    out = [b"UEFI firmware says hello", b"-----BEGIN ASSAY REPORT-----"]
    for n, line in enumerate(lines, 1):
        out += [line[i:i + fold] for i in range(0, len(line), fold)] if fold else [line]
        out.append(b"~%d %d %08x" % (n, len(line), zlib.crc32(line)))
        if between:
            out.append(between)
    out += [b"~lines %d" % len(lines), b"~bytes %d" % len(data), b"~sha256 " + hashlib.sha256(data).hexdigest().encode(),
            b"-----END ASSAY REPORT-----", b"bye"]
    return end.join(out) + end


def rebuild(capture, *options):
    with tempfile.NamedTemporaryFile() as f:
        f.write(capture)
        f.flush()
        done = subprocess.run([sys.executable, TOOL, "rebuild", *options, f.name], capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


class Whole(unittest.TestCase):
    def test_is_the_file_byte_for_byte(self):
        self.assertEqual(rebuild(sent()), (0, REPORT, ""))
        with tempfile.NamedTemporaryFile() as out:
            self.assertEqual((rebuild(sent(), "-o", out.name), Path(out.name).read_bytes()), ((0, b"", ""), REPORT))

    def test_whatever_a_terminal_does_to_line_ends(self):
        for end in (b"\n", b"\r\n", b"\r\r\n"):
            for fold in (0, 10, 80):
                self.assertEqual(rebuild(sent(end=end, fold=fold)), (0, REPORT, ""), (end, fold))

    def test_with_colours_and_other_talk_between_lines(self):
        coloured = sent(between=b"\x1b[0m\x1b[37m\x1b[40massay: an exception").replace(b"{", b"\x1b[1;1H{")
        self.assertEqual(rebuild(coloured), (0, REPORT, ""))

    def test_whatever_a_logger_writes_in_front_of_lines(self):
        for stamp in (b"[Thu Nov 26 10:00:%02d 2026]", b"2026-11-26T10:00:%02dZ node1: ", b"%d> ", b"Nov 26 10:00:%02d rack-3 getty[812]: "):
            for fold in (0, 80):
                stamped = b"\r\n".join(stamp % (i % 60) + line for i, line in enumerate(sent(fold=fold).split(b"\r\n")))
                self.assertEqual(MODULE.rebuild(stamped), REPORT, (stamp, fold))

    def test_whatever_a_logger_writes_into_a_line(self):
        """At each place from the first line of the report to the last: conserver's mark, which has no line end in front of it."""
        capture, report = sent(LINES[:2]), b"".join(line + b"\n" for line in LINES[:2])
        first, last = capture.index(b"{"), capture.index(b"~lines")
        for said in (b"[-- MARK -- Thu Nov 26 10:00:00 2026]\r\n", b"\r\n[   12.345678] usb 1-1: disconnected\r\n"):
            for at in range(first, last):
                self.assertEqual(MODULE.rebuild(capture[:at] + said + capture[at:]), report, (said, capture[at - 9:at]))

    def test_in_utf_16(self):
        for name in ("utf-16", "utf-16-le", "utf-16-be"):
            self.assertEqual(MODULE.rebuild(sent().decode().encode(name)), REPORT)

    def test_in_objects_of_json(self):
        for wrapped in ('- {"dt": "2026-11-26T10:00:00.000001", "lvl": "target", "msg": %s}', '{"log": %s, "stream": "stdout"}', '{"_PID": "1", "MESSAGE": %s}'):
            lines = [wrapped % json.dumps(line.decode() + "\r\n" * (i % 2)) for i, line in enumerate(sent().split(b"\n"))]
            self.assertEqual(MODULE.rebuild("\n".join(["booting", *lines]).encode()), REPORT, wrapped)

    def test_packed(self):
        for end, fold in ((b"\n", 0), (b"\r\n", 10), (b"\r\r\n", 80)):
            self.assertEqual(rebuild(sent(packed(), end, fold, data=REPORT)), (0, REPORT, ""), (end, fold))
        for stamp in (b"[Thu Nov 26 10:00:%02d 2026]", b"%d> "):
            stamped = b"\r\n".join(stamp % (i % 60) + line for i, line in enumerate(sent(packed(), data=REPORT).split(b"\r\n")))
            self.assertEqual(MODULE.rebuild(stamped), REPORT, stamp)

    def test_of_two_runs_the_last(self):
        self.assertEqual(rebuild(sent([b'{"old":1}']) + sent()), (0, REPORT, ""))
        self.assertEqual(rebuild(sent() + sent([])), (0, b"", ""))


class Page(unittest.TestCase):
    """Out of a report.html."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            subprocess.run([sys.executable, TOOL, "-f", "html", GOLDEN, "-o", page], check=False, capture_output=True)
            self.page = page.read_bytes()

    def test_is_the_stream_byte_for_byte(self):
        self.assertEqual(rebuild(self.page), (0, GOLDEN.read_bytes(), ""))

    def test_lines_as_they_are_where_there_was_no_memory_to_compress_them(self):
        head, rest = self.page.split(b'id="stream">\n', 1)
        self.assertEqual(rebuild(head + b'id="stream">\n' + GOLDEN.read_bytes() + b"\n" + rest[rest.index(b"</script>"):]), (0, GOLDEN.read_bytes(), ""))

    def test_a_damaged_page_is_said(self):
        at = self.page.index(b'id="stream">') + 200
        for page in (self.page[:at] + b"AAAA" + self.page[at + 4:], self.page[:at] + b"%" + self.page[at + 1:],
                     self.page[:at] + self.page[self.page.index(b"</script>", at):]):
            status, out, error = rebuild(page)
            self.assertEqual((status, out), (1, b""))
            self.assertIn("the report inside the page is damaged", error)


class Damaged(unittest.TestCase):
    def wrong(self, capture, *says):
        status, out, error = rebuild(capture)
        self.assertEqual((status, out), (1, b""))
        for text in says:
            self.assertIn(text, error)

    def test_a_changed_character_is_named_by_its_line(self):
        self.wrong(sent().replace(b"long long", b"lonG long", 1), "line 2 of the report (capture line 5)", "checksum")

    def test_a_lost_character_is_named_by_its_line(self):
        self.wrong(sent().replace(b"long long", b"longlong", 1), "line 2 of the report",
                   f"{len(LINES[1]) - 1} of {len(LINES[1])} characters")

    def test_a_lost_line_is_named(self):
        whole = sent()
        at = whole.index(LINES[1])
        self.wrong(whole[:at] + whole[whole.index(LINES[2]):], "line 2 is missing")

    def test_a_capture_that_stops_says_after_which_line(self):
        whole = sent()
        self.wrong(whole[:whole.index(LINES[2])], "ends before the report does, after line 2")
        self.wrong(whole[:whole.index(b"~3 ")], "ends before the report does, after line 2")

    def test_a_digest_that_differs_is_said(self):
        self.wrong(sent().replace(b"~sha256 ", b"~sha256 0", 1), "sha256")
        self.wrong(sent().replace(b"~bytes ", b"~bytes 1", 1), "bytes")

    def test_no_report_at_all(self):
        self.wrong(b"nothing here", "no report")
        self.wrong(b"", "no report")

    def test_what_stands_before_the_damage_can_be_kept(self):
        status, out, _ = rebuild(sent().replace(b"long long", b"lonG long", 1), "-k")
        self.assertEqual((status, out), (1, LINES[0] + b"\n"))
        lines = packed()
        whole = sent(lines, data=REPORT)
        status, out, error = rebuild(whole[:whole.index(lines[-1])], "-k")
        self.assertEqual((status, out), (1, REPORT))  # the last line has gzip's trailer alone
        self.assertIn(f"after line {len(lines) - 1}", error)
        status, out, error = rebuild(whole[:whole.index(lines[2])], "-k")
        self.assertEqual((status, out), (1, LINES[0] + b"\n"))

    def test_bytes_of_any_kind_are_refused_and_not_believed(self):
        for whole in (sent(), sent(packed(), data=REPORT)):
            for at, bits in itertools.product(range(len(whole)), (0x01, 0x55, 0x80)):
                capture = whole[:at] + bytes([whole[at] ^ bits]) + whole[at + 1:]
                try:
                    self.assertEqual(MODULE.rebuild(capture), REPORT, at)
                except MODULE.Damaged as e:
                    self.assertTrue(REPORT.startswith(e.good))


if __name__ == "__main__":
    unittest.main()
