# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/assay-stick: which disks it refuses, that it writes and reads back, and what an upgrade leaves as it was."""
import importlib.machinery
import importlib.util
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
TOOL, IMAGE = ROOT / "scripts" / "assay-stick", ROOT / "build" / "assay.img"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("assay_stick", str(TOOL))
stick = importlib.util.module_from_spec(importlib.util.spec_from_loader("assay_stick", loader))
loader.exec_module(stick)


def tool(*args, typed=""):
    p = subprocess.run([sys.executable, TOOL, *map(str, args)], input=typed, capture_output=True, text=True, timeout=300, check=False)
    return p.returncode, p.stdout, p.stderr


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))


class Refusing(Case):
    """A stick as the kernel describes it in /sys and /proc, and one thing about it that is otherwise."""

    def setUp(self):
        super().setUp()
        self.sys, self.proc = self.folder / "sys", self.folder / "proc"
        self.disk = self.sys / "devices" / "usb1" / "block" / "sdx"
        for file, text in {"sdx/dev": "8:240", "sdx/removable": "1", "sdx/ro": "0", "sdx/size": "60062500", "sdx/device/vendor": "Maker   ",
                           "sdx/device/model": "Stick", "sdx/sdx1/dev": "8:241", "sdx/sdx1/partition": "1"}.items():
            self.put(self.disk.parent / file, text)
        for folder in (self.disk / "holders", self.disk / "sdx1" / "holders", self.sys / "block"):
            folder.mkdir(parents=True)
        (self.sys / "dev" / "block").mkdir(parents=True)
        for number, disk in (("8:240", self.disk), ("8:241", self.disk / "sdx1")):
            (self.sys / "dev" / "block" / number).symlink_to(disk)
        (self.sys / "block" / "sdx").symlink_to(self.disk)
        self.put(self.proc / "self" / "mountinfo", "22 1 0:21 / / rw - btrfs /dev/root rw\n")
        self.put(self.proc / "swaps", "Filename Type Size Used Priority\n")

    def put(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def why(self, number="8:240"):
        return stick.why_not(number, self.sys, self.proc)

    def test_a_free_stick_may_be_written(self):
        self.assertEqual((self.why(), stick.said("8:240", self.sys)), ("", "28.6 GiB Maker Stick"))
        self.assertEqual(list(stick.listed(self.sys, self.proc)), ["/dev/sdx  28.6 GiB Maker Stick"])

    def test_a_disk_that_is_not_removable(self):
        self.put(self.disk / "removable", "0")
        self.assertIn("not removable", self.why())
        self.assertEqual(list(stick.listed(self.sys, self.proc)), [])
        self.put(self.disk / "device" / "type", "SD")  # a card, in a slot that says 0
        self.assertEqual(self.why(), "")

    def test_one_of_which_the_kernel_says_nothing(self):
        (self.disk / "removable").unlink()
        self.assertIn("not removable", self.why())
        self.assertIn("does not know", self.why("9:9"))

    def test_a_partition(self):
        self.assertIn("whole disk, sdx", self.why("8:241"))

    def test_a_mounted_one(self):
        for number, name in (("8:240", "sdx"), ("8:241", "sdx1")):
            self.put(self.proc / "self" / "mountinfo", f"22 1 {number} / /media/a rw shared:1 - vfat /dev/{name} rw")
            self.assertEqual(self.why(), f"{name} is mounted on /media/a")
            self.assertIn(f"({name} is mounted on /media/a)", next(iter(stick.listed(self.sys, self.proc))))

    def test_one_that_is_mounted_under_another_number_or_swapped_to(self):
        with mock.patch.object(stick, "_number", lambda path: {"/dev/sdx1": "8:241"}.get(path, "")):
            self.put(self.proc / "self" / "mountinfo", "22 1 0:40 / /data rw - btrfs /dev/sdx1 rw")
            self.assertEqual(self.why(), "sdx1 is mounted on /data")
            self.put(self.proc / "self" / "mountinfo", "")
            self.put(self.proc / "swaps", "Filename Type\n/dev/sdx1 partition 1 0 -2")
            self.assertEqual(self.why(), "sdx1 is used for swap")

    def test_one_that_a_volume_group_or_an_array_has(self):
        for holders, name in ((self.disk / "holders", "sdx"), (self.disk / "sdx1" / "holders", "sdx1")):
            (holders / "dm-0").mkdir()
            self.assertEqual(self.why(), f"{name} is part of dm-0")
            (holders / "dm-0").rmdir()

    def test_one_without_a_medium_or_write_protected(self):
        self.put(self.disk / "ro", "1")
        self.assertIn("write-protected", self.why())
        self.put(self.disk / "ro", "0")
        self.put(self.disk / "size", "0")
        self.assertIn("no medium", self.why())

    def test_what_is_no_disk(self):
        for path, status in ((self.folder, 1), ("/dev/null", 1), (self.folder / "nowhere", 2)):
            got, out, err = tool("--image", __file__, path)  # no image either: nothing could be written
            self.assertIn(got, (1, 2))
            self.assertEqual((out, len(err.splitlines())), ("", 1), err)
        image = self.folder / "image"
        shutil.copy(IMAGE, image)
        self.assertEqual([tool("--image", image, path)[0] for path in (self.folder, "/dev/null", self.folder / "nowhere")], [1, 1, 2])

    @unittest.skipUnless(Path("/sys/block").exists(), "no /sys/block")
    def test_the_disks_of_this_machine_that_are_not_removable(self):
        disks = [d for d in Path("/sys/block").iterdir() if (d / "removable").read_text().strip() == "0" and not (d / "device" / "type").exists()]
        if not disks:
            self.skipTest("no such disk")
        for d in disks:
            self.assertNotEqual(stick.why_not((d / "dev").read_text().strip()), "", d.name)


class Writing(Case):
    def setUp(self):
        super().setUp()
        self.stick = self.folder / "stick"

    def old(self):
        """A stick with another version, a report and a configuration: (path, {name: bytes} that an upgrade has to leave)."""
        shutil.copy(IMAGE, self.stick)
        kept = {"assay/assay.cfg": b"t = mbm.*\r\n", "assay/reports/S1/report.jsonl": b"{}\n" * 5000, "assay/bands/a.bands": b"assay-bands 1\n"}
        file = self.folder / "file"
        for folder in ("assay/reports/S1", "assay/bands"):
            self.assertTrue(stick.mtools("mmd", self.stick, f"::/{folder}"))
        for name, data in (kept | {stick.BOOT: b"MZ old", "README.TXT": b"old"}).items():
            file.write_bytes(data)
            self.assertTrue(stick.mtools("mcopy", self.stick, "-o", file, f"::/{name}"), name)
        return kept

    def test_written_and_read_back(self):
        raw, packed = os.urandom(100000) + bytes(9 << 20) + b"end", self.folder / "image.xz"
        packed.write_bytes(lzma.compress(raw, preset=0))
        self.stick.write_bytes(b"x" * (len(raw) + 7))
        before = self.stick.read_bytes()
        status, _, err = tool("--image", packed, self.stick, typed="n\n")
        self.assertEqual((status, self.stick.read_bytes()), (1, before))
        self.assertIn(f"{self.stick}: a file of {len(before)} bytes. Everything on it will be lost.", err)
        self.assertEqual(tool("--image", packed, self.stick, typed=f"{self.stick}\n")[0], 0)
        self.stick.write_bytes(before)
        self.assertEqual(tool("--yes", "--image", packed, self.stick)[0], 0)
        self.assertEqual(self.stick.read_bytes(), raw + b"x" * 7)

    def test_one_that_is_too_small_is_left_alone(self):
        self.stick.write_bytes(b"x" * 1000)
        status, _, err = tool("--yes", "--image", IMAGE, self.stick)
        self.assertEqual((status, self.stick.read_bytes()), (1, b"x" * 1000))
        self.assertIn("has 1000 bytes", err)

    def test_a_medium_that_forgets_is_found(self):
        image = self.folder / "image"
        image.write_bytes(os.urandom(3 * stick.CHUNK))
        self.stick.write_bytes(bytes(3 * stick.CHUNK))
        target = stick.Target(self.stick)
        self.addCleanup(target.close)
        pwrite = os.pwrite
        with mock.patch.object(os, "pwrite", lambda fd, data, at: pwrite(fd, data, at) if at < stick.CHUNK else len(data)):
            with self.assertRaisesRegex(stick.Refused, f"byte {stick.CHUNK} on"):
                stick.write(target, image)

    def test_an_upgrade_replaces_the_program_and_nothing_else(self):
        kept = self.old()
        status, out, err = tool("--upgrade", "--image", IMAGE, self.stick)
        self.assertEqual(status, 0, err)
        self.assertIn(f"replaced {stick.BOOT}, README.TXT;", out)
        for name, data in kept.items():
            self.assertEqual(stick.content(self.stick, name, self.folder), data, name)
        for name in stick.PROGRAM:
            self.assertEqual(stick.content(self.stick, name, self.folder), stick.content(IMAGE, name, self.folder), name)
        self.assertIsNone(stick.content(self.stick, "EFI/BOOT/BOOTX64.NEW", self.folder))
        self.assertIn("up to date", tool("--upgrade", "--image", IMAGE, self.stick)[1])
        self.assertTrue(stick.mtools("mren", self.stick, f"::/{stick.BOOT}", f"::/{stick.BESIDE}"))  # where a power cut leaves it
        self.assertIn(f"replaced {stick.BOOT};", tool("--upgrade", "--image", IMAGE, self.stick)[1])

    def test_an_upgrade_that_has_no_room_leaves_the_old_program(self):
        kept = self.old()
        filling, size, n = self.folder / "filling", 100 << 20, 0
        while size >= 256 << 10:
            filling.write_bytes(bytes(size))
            if stick.mtools("mcopy", self.stick, filling, f"::/filling{n}"):
                n += 1
            else:
                stick.mtools("mdel", self.stick, f"::/filling{n}")
                size //= 2
        status, _, err = tool("--upgrade", "--image", IMAGE, self.stick)
        self.assertEqual(status, 1)
        self.assertIn("full", err)
        self.assertEqual(stick.content(self.stick, stick.BOOT, self.folder), b"MZ old")
        self.assertIsNone(stick.content(self.stick, "EFI/BOOT/BOOTX64.NEW", self.folder))
        self.assertEqual(stick.content(self.stick, "assay/assay.cfg", self.folder), kept["assay/assay.cfg"])

    def test_an_upgrade_of_what_has_no_assay_is_refused(self):
        self.stick.write_bytes(bytes(1 << 20))
        self.assertEqual(tool("--upgrade", "--image", IMAGE, self.stick)[0], 1)
        self.assertEqual(self.stick.read_bytes(), bytes(1 << 20))
        shutil.copy(IMAGE, self.stick)
        self.assertTrue(stick.mtools("mdel", self.stick, f"::/{stick.BOOT}"))
        before = self.stick.read_bytes()
        self.assertEqual(tool("--upgrade", "--image", IMAGE, self.stick)[0], 1)
        self.assertEqual(self.stick.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
