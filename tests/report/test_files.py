# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Inputs without an end, outputs that cannot be written: a message that names the file, exit status 2, and no report lost."""
import errno
import gzip
import io
import os
import signal
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_report import TOOL, Case, Stream, tool  # noqa: E402
from report import files, imports  # noqa: E402
from report.model import StreamError  # noqa: E402


class Inputs(Case):
    def test_what_has_no_end_is_refused(self):
        with patch.object(files, "MOST", 1 << 20):
            for command in ((), ("-f", "html"), ("diff", "/dev/zero"), ("rebuild",), ("machine",), ("machine-diff", "/dev/zero"), ("import",), ("export",),
                            ("calibrate",), ("calibrate", "x", "--holds"), ("behaviour",)):
                self.assertEqual(tool(*command, "/dev/zero"), (2, "", "assay-report: /dev/zero: more than 1 MiB: no file of Assay\n"), command)

    def test_an_archive_is_unpacked_up_to_a_bound(self):
        path = self.folder / "a.tar.gz"
        with gzip.open(path, "wb") as packed, tarfile.open(fileobj=packed, mode="w|") as archive:
            member = tarfile.TarInfo("bomb")
            member.size = 8 << 20
            archive.addfile(member, io.BytesIO(bytes(member.size)))
        with patch.object(files, "MOST", 1 << 20):
            self.assertRaisesRegex(StreamError, r"a\.tar\.gz: more than 1 MiB unpacked", imports.gather, [path])

    def test_only_files_in_a_folder_are_streams(self):
        """A FIFO would be waited for; a link to nothing is not left out in silence."""
        Stream().check("a").end().save(self.folder / "r.jsonl")
        os.mkfifo(self.folder / "fifo.jsonl")
        (self.folder / "folder.jsonl").mkdir()
        self.assertEqual(tool("export", self.folder)[0], 0)
        (self.folder / "nothing.jsonl").symlink_to("nowhere")
        self.assertEqual(tool("export", self.folder)[::2], (2, f"assay-report: {self.folder}/nothing.jsonl: No such file or directory\n"))

    def test_a_folder_for_a_file(self):
        self.assertEqual(tool(self.folder), (2, "", f"assay-report: {self.folder}: a folder: name the report.jsonl in it\n"))

    def test_a_command_that_is_none(self):
        self.assertRegex(tool("mrege", self.folder)[2], r"\Aassay-report: mrege: neither a file nor a command; commands are .*, merge, .*\n\Z")

    def test_options_stand_anywhere(self):
        path = Stream().check("a").end().save(self.folder / "r.jsonl")
        for args in (("merge", path, "-f", "json", path), ("diff", path, "-f", "json", path), ("export", path, "-f", "csv", path)):
            self.assertEqual(tool(*args)[::2], (0, ""), args)

    def test_bands_that_are_none(self):
        (self.folder / "b").write_bytes(b"assay\xff")
        self.assertIn("b: byte 5 is not ASCII", tool("calibrate", "--holds", self.folder / "b", self.folder)[2])


class Outputs(Case):
    def setUp(self):
        super().setUp()
        self.path = Stream().check("a").end().save(self.folder / "r.jsonl")

    def test_a_report_is_not_overwritten_by_what_is_made_of_it(self):
        before = Path(self.path).read_bytes()
        link = self.folder / "link"
        link.symlink_to(self.path)
        for args in ((self.path,), ("-f", "junit", self.path), ("diff", self.path, self.path), ("merge", self.folder), ("export", self.path),
                     ("rebuild", self.path)):
            for out in (self.path, link):
                status, _, err = tool(*args, "-o", out)
                if args[0] == "rebuild":
                    self.assertEqual(status, 1)  # nothing to write
                else:
                    self.assertEqual((status, err), (2, f"assay-report: {out}: not overwritten: it was read\n"), args)
                    self.assertEqual(Path(self.path).read_bytes(), before)

    def test_the_old_file_stays_where_the_new_one_cannot_be_written(self):
        out = self.folder / "out.xml"
        out.write_text("old")
        class Full(io.BytesIO):
            def write(self, _):
                raise OSError(errno.ENOSPC, "No space left on device")
        with patch("builtins.open", return_value=Full()), self.assertRaisesRegex(OSError, "out.xml") as e:
            files.replace(out, b"new")
        self.assertEqual(files.why(e.exception), f"{out}: No space left on device")
        self.assertEqual([p.name for p in self.folder.iterdir()].count("out.xml.new"), 0)
        self.assertEqual(out.read_text(), "old")

    def test_a_file_that_is_replaced_keeps_its_mode(self):
        out = self.folder / "out.xml"
        out.write_text("old")
        out.chmod(0o600)
        files.replace(out, b"new")
        self.assertEqual((out.read_text(), out.stat().st_mode & 0o777), ("new", 0o600))

    def test_a_device_is_written_to_and_stays_one(self):
        null = self.folder / "null"
        null.symlink_to("/dev/null")
        self.assertEqual(tool("export", self.path, "-o", null), (0, "", ""))
        self.assertTrue(Path("/dev/null").is_char_device())
        self.assertTrue(null.is_symlink())

    def test_standard_output(self):
        def run(*args, **kw):
            return subprocess.run([sys.executable, TOOL, *args], stderr=subprocess.PIPE, text=True, check=False, **kw)
        with open("/dev/full", "w", encoding="utf-8") as full:
            for args in ((self.path,), ("export", self.path), ("list",)):
                done = run(*args, stdout=full)
                self.assertEqual((done.returncode, done.stderr), (2, "assay-report: standard output: No space left on device\n"), args)
        done = run(self.path, preexec_fn=lambda: os.close(1))
        self.assertEqual((done.returncode, done.stderr), (2, "assay-report: standard output: closed\n"))
        read, write = os.pipe()
        os.close(read)
        done = run("-f", "html", self.path, stdout=write)
        os.close(write)
        self.assertEqual((done.returncode, done.stderr), (2, ""))

    def test_an_interrupt_has_no_traceback(self):
        os.mkfifo(self.folder / "fifo")
        for args in ((), ("merge", self.path, self.path, "--jobs", "2")):
            with subprocess.Popen([sys.executable, TOOL, *args, self.folder / "fifo"], stderr=subprocess.PIPE, start_new_session=True) as p, \
                    open(self.folder / "fifo", "wb"):  # from when it is read
                os.killpg(p.pid, signal.SIGINT)
                self.assertEqual((p.wait(), p.stderr.read()), (-signal.SIGINT, b""))

    def test_folders_that_are_not_there(self):
        for out in (self.folder / "none" / "x", self.folder):
            status, _, err = tool(self.path, "-o", out)
            self.assertEqual(status, 2)
            self.assertRegex(err, rf"\Aassay-report: {out}: [A-Z][a-z ]+\n\Z")


if __name__ == "__main__":
    unittest.main()
