# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Recordings made of what other programs recorded, and under Linux (docs/recording.md)."""
import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tracemalloc
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import files, imports, linux, recording  # noqa: E402
from report.stream import StreamError  # noqa: E402

CPUID_R = """CPU 0:
   0x00000000 0x00: eax=0x0000000b ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69
   0x00000001 0x00: eax=0x000306f2 ebx=0x00200800 ecx=0x7ffefbff edx=0xbfebfbff
   0x0000000b 0x00: eax=0x00000001 ebx=0x00000002 ecx=0x00000100 edx=0x00000000
CPU 1:
   0x00000000 0x00: eax=0x0000000b ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69
   0x00000001 0x00: eax=0x000306f2 ebx=0x20200800 ecx=0x7ffefbff edx=0xbfebfbff
   0x0000000b 0x00: eax=0x00000001 ebx=0x00000002 ecx=0x00000100 edx=0x00000020
"""
INSTLATX64 = """------[ Logical CPU #0 ]------
CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69 [GenuineIntel]
CPUID 00000001: 000306F2-00200800-7FFEFBFF-BFEBFBFF
CPUID 0000000B: 00000001-00000002-00000100-00000000 [SL 00]
------[ Logical CPU #1 ]------
CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69 [GenuineIntel]
CPUID 00000001: 000306F2-20200800-7FFEFBFF-BFEBFBFF
CPUID 0000000B: 00000001-00000002-00000100-00000020 [SL 00]
MSR 0000008B: 0000-0043-0000-0000
"""
HWLOC = """# mask e[abcd]x => e[abcd]x
1 0 0 0 0 => b 756e6547 6c65746e 49656e69
1 1 0 0 0 => 306f2 200800 7ffefbff bfebfbff
5 b 0 0 0 => 1 2 100 0
"""
ACPIDUMP = """SLIT @ 0x000000007E001000
    0000: 53 4C 49 54 30 00 00 00 01 00 00 00 00 00 00 00  SLIT0...........
    0010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
    0020: 00 00 00 00 02 00 00 00 00 00 00 00 0A 15 15 0A  ................

"""
LSPCI = """00:01.0 PCI bridge [0604]: Intel Corporation Xeon E7 v3 Root Port [8086:2f02] (rev 02) (prog-if 00 [Normal decode])
\tNUMA node: 0
\tBus: primary=00, secondary=01, subordinate=04, sec-latency=0

ff:14.1 System peripheral [0880]: Intel Corporation Memory Channel 1 [8086:2fb1] (rev 02)
\tKernel driver in use: hswep_uncore
00: 86 80 b1 2f 00 00 10 00 02 00 80 08 00 00 80 00
10: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
"""
DMIDECODE = """SMBIOS 2.8 present.

Handle 0x0001, DMI type 1, 27 bytes
System Information
\tManufacturer: Dell Inc.
\tSerial Number: ABC1234
\tUUID: 4c4c4544-0042-4310-8031-b4c04f333032

Handle 0x000B, DMI type 11, 5 bytes
OEM Strings
\tString 1: 5[0000] of ABC1234
"""


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def file(self, name, text):
        path = Path(self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def test_cpuid_of_three_programs_is_the_same(self):
        both = [imports.gather([self.file(n, t)]) for n, t in (("a", CPUID_R), ("b", INSTLATX64))]
        one = imports.gather([self.file("pu0", HWLOC)])
        self.assertEqual(both[0].cpus, both[1].cpus)
        self.assertEqual([c.id for c in both[0].cpus], [0, 0x20])
        self.assertEqual(one.cpus, both[0].cpus[:1])
        self.assertEqual(both[1].msrs, {(1, 0x8B): 0x43 << 32})
        self.assertEqual([r.source for r in (*both, one)], ["cpuid -r", "InstLatx64", "hwloc-gather-cpuid"])

    def test_every_form_of_a_dump_of_instlatx64_has_each_processor(self):
        """Sections of CPUID and of MSRs; lines without a colon and without sub-leaves, of which leaf 0DH has some only."""
        msrs = "".join(f"------[ MSR Registers / Logical CPU #{n} ]------\nMSR 0000008B: 0000-0043-0000-0000\nMSR 000000E8: 0000-0000-0000-000{n}\n" for n in (0, 1))
        sections = INSTLATX64.partition("MSR")[0].replace("[ Logical", "[ CPUID Registers / Logical") + msrs
        old = re.sub(r"-+\[ Logical CPU #(\d) \]-+", r"CPUID Registers (CPU #\1 Virtual):", INSTLATX64).replace(": ", "  \t").replace(" [SL 00]", "\n")
        old = old.partition("MSR")[0] + "CPUID 0000000B  \t00000005-00000018-00000201-00000020\n" + 2 * "CPUID 0000000D  \t00000007-00000340-00000340-00000000\n"
        new, whole, old = (imports.gather([self.file(f"{n}.txt", t)]) for n, t in enumerate((INSTLATX64, sections, old)))
        self.assertEqual(whole.cpus, new.cpus)
        self.assertEqual(whole.msrs, {(None, 0x8B): 0x43 << 32, (0, 0xE8): 0, (1, 0xE8): 1})
        self.assertEqual([c.id for c in old.cpus], [0, 0x20])
        self.assertEqual(sorted(old.cpus[1].leaves), [(0, 0), (1, 0), (0xB, 0), (0xB, 1), (0xD, 0)])
        one = INSTLATX64.partition("------[ Logical CPU #1")[0].partition("\n")[2]
        twice = imports.gather([self.file("twice.txt", one + one)])
        self.assertEqual(sorted(twice.cpus[0].leaves), [(0, 0), (1, 0), (0xB, 0)])

    def test_functions_say_what_lspci_prints(self):
        r = imports.gather([self.file("lspci", LSPCI)])
        bridge, channel = r.functions.values()
        self.assertEqual((bridge.at, bridge.did, bridge.buses, bridge.node, bridge.config), ("0000:00:01.0", 0x2F02, (1, 4), 0, []))
        self.assertEqual((channel.did, channel.revision, channel.driver, len(channel.config)), (0x2FB1, 2, "hswep_uncore", 32))
        self.assertTrue(r.is_complete("0000:7f:00.0"))

    def test_tables_are_bytes(self):
        dells = "PC__ @ 0x0000000000000000\n    0000: 50 43 5F 5F 6E 00 00 00 01 00 44 45 4C 4C 20 20  PC__n.....DELL  \n"
        slit = imports.gather([self.file("acpidump.txt", ACPIDUMP + dells)]).table("SLIT")
        self.assertEqual((slit.address, len(slit.bytes), slit.bytes[-4:]), (0x7E001000, 48, [10, 21, 21, 10]))
        decoded = ACPIDUMP.replace("SLIT @ 0x000000007E001000", 'SLIT\n----\n[000h 0000   4]   Signature : "SLIT"\n\nRaw Table Data: Length 48 (0x30)\n')
        self.assertNotEqual(decoded, ACPIDUMP)
        again = imports.gather([self.file("slit.dsl", decoded)]).table("SLIT")
        self.assertEqual((again.address, again.bytes), (0, slit.bytes))
        with self.assertRaisesRegex(StreamError, r"acpidump.txt: table SLIT has 32 bytes and says 48"):
            imports.gather([self.file("acpidump.txt", ACPIDUMP.replace(ACPIDUMP.split("\n")[3] + "\n", ""))])

    def test_an_archive_is_one_machine(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:xz") as archive:
            for name, text in (("logs/lspci_all", LSPCI), ("logs/dmidecode", DMIDECODE), ("logs/uptime", "12:00 up"), ("logs/cpuid", CPUID_R)):
                member = tarfile.TarInfo(name)
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
        self.assertEqual(imports.gather([self.file("hw-2.1.info.txz", out.getvalue())]).name, "hw-2.1")
        r = imports.gather([self.file("hw.info.txz", out.getvalue()), self.file("more/acpidump", ACPIDUMP)], "lab 7")
        self.assertEqual((r.name, r.source), ("lab 7", "lspci, dmidecode, cpuid -r, acpidump"))
        self.assertTrue(r.cpus and r.functions and r.structures and r.tables)
        self.assertEqual(recording.parse(recording.written(r)), r)
        plain = lzma.decompress(out.getvalue())
        packed = gzip.compress(plain, 0)
        for name, data, whole in (("cut.tar.gz", packed[:10], "its start"), ("cut.tar.gz", packed[:len(LSPCI) + 1600], "logs/"), ("cut.tar", plain[:600], "its start")):
            with self.assertRaisesRegex(StreamError, f"{name}: the archive is damaged after {whole}"):
                imports.gather([self.file(name, data)])

    def test_an_archive_that_is_made_to_harm(self):
        """No header takes memory or time by what it says, no damage is a traceback, and nothing is written."""
        def header(kind=b"0", size=0, link=b"", name=b"n", field=None):
            h = bytearray(512)
            for at, text in ((0, name), (100, b"0000644"), (108, b"0000000"), (116, b"0000000"), (124, field or b"%011o" % size),
                             (136, b"0" * 11), (148, b" " * 8), (156, kind), (157, link), (257, b"ustar\x0000")):
                h[at:at + len(text)] = text
            h[148:156] = b"%06o\0 " % sum(h)
            return bytes(h)

        def negative(n):
            return b"\xff" + (256**11 - n).to_bytes(11, "big")

        sparse = b"".join(b"%d %s" % (len(t) + 3, t) for t in (b"GNU.sparse.major=1\n", b"GNU.sparse.minor=0\n"))
        sparse = header(b"x", len(sparse)) + sparse.ljust(512, b"\0") + header(size=512)
        end = bytes(1024)
        bomb = io.BytesIO()
        with gzip.GzipFile(fileobj=bomb, mode="wb", compresslevel=1) as g:
            g.write(header(b"x", 400 << 20))
            for _ in range(400):
                g.write(bytes(1 << 20))
        for name, data, why in (("bomb.tgz", bomb.getvalue(), "a header or member of 419430400 bytes"),
                                ("big.tar", header(size=7 << 30) + end, "more than 256 MiB unpacked|damaged after n: unexpected end"),
                                ("back.tar", header(field=negative(512)) + end, "a member of -512 bytes"),
                                ("pax.tar", header(b"x", field=negative(1024)) + end, "a header or member of -1024 bytes"),
                                ("deep.tar", (header(b"L", 512) + b"x" * 511 + b"\0") * 3000 + header() + end, "recursion"),
                                ("sparse.tar", sparse + b"99999\n".ljust(512, b"z") + end, "damaged after its start"),
                                ("hole.tar", sparse + b"no".ljust(512) + end, "damaged after its start")):
            tracemalloc.start()
            with self.assertRaisesRegex(StreamError, f"{name}: .*({why})"):
                imports.gather([self.file(name, data)])
            used = tracemalloc.get_traced_memory()[1] - len(data)
            tracemalloc.stop()
            self.assertLess(used, files.MOST + (32 << 20), name)  # the first: room for the largest file
        text = CPUID_R.encode()
        good = b"".join((header(b"2", link=b"/dev/zero"), header(b"1", link=b"../../etc/passwd"), header(b"3"), header(b"6"),
                         header(name=b"../../escaped", size=len(text)), text.ljust(-(-len(text) // 512) * 512, b"\0"),
                         header(name=b"/absolute", size=8), b"nothing\n".ljust(512, b"\0"), end))
        before = sorted(Path(self.folder).rglob("*"))
        self.assertEqual(len(imports.gather([self.file("links.tar", good)]).cpus), 2)
        self.assertEqual(sorted(p for p in Path(self.folder).rglob("*") if p.name != "links.tar"), before)

    def test_what_names_the_machine_is_a_digest_unless_all_is_asked_for(self):
        path = self.file("dmidecode", DMIDECODE)
        hidden, full = (recording.written(imports.gather([path], full=full)) for full in (False, True))
        for word in ("ABC1234", "4445", "333032"):
            self.assertNotIn(word, hidden)
            self.assertIn(word, full)
        self.assertEqual(hidden, recording.written(imports.gather([path])))

    def test_what_is_no_recording_is_named(self):
        path = self.file("notes.txt", "nothing here\n")
        p = subprocess.run([sys.executable, ROOT / "scripts/assay-report", "import", path], capture_output=True, text=True)
        self.assertEqual(p.returncode, 2)
        self.assertTrue(p.stderr.startswith(f"assay-report: {path}: nothing that is known: acpidump, cpuid -r"), p.stderr)


class Linux(unittest.TestCase):
    """A copy of /dev, /sys and /proc, in which files stand for devices: cpuid(4) and msr(4) are read by offset."""

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.function = self.root / "sys/bus/pci/devices/0000:ff:14.1"
        self.function.mkdir(parents=True)
        (self.function / "config").write_bytes(bytes.fromhex("8680b12f00001000020080080000800000000000") + bytes(236))
        (self.function / "numa_node").write_text("-1\n")
        os.symlink("../../bus/pci/drivers/hswep_uncore", self.function / "driver")
        tables = self.root / "sys/firmware/acpi/tables"
        tables.mkdir(parents=True)
        (tables / "SLIT").write_bytes(b"SLIT" + bytes(44))
        (self.root / "proc").mkdir()
        (self.root / "proc/iomem").write_text("00001000-0009ffff : System RAM\n  000a0000-000bffff : PCI Bus\n")

    def test_what_can_be_read_is_recorded_and_the_rest_is_said(self):
        r, missing = linux.record(self.root, "lab 7")
        f = r.functions["0000:ff:14.1"]
        self.assertEqual((f.did, f.class_code, f.node, f.driver, len(f.config)), (0x2FB1, 0x0880, None, "hswep_uncore", 256))
        self.assertEqual((len(r.table("SLIT").bytes), r.memory), (48, [(0x1000, 0x9F000, 7)]))
        self.assertEqual(missing[0], "CPUID: no /dev/cpu: modprobe cpuid msr")
        self.assertIn("SMBIOS: none is there", missing)
        (self.root / "sys/firmware/dmi/tables").mkdir(parents=True)
        self.assertTrue(any(m.startswith("SMBIOS: ") and m.endswith("which needs root") for m in linux.record(self.root, "lab 7")[1]))

    def test_addresses_that_are_hidden_are_no_memory_map(self):
        (self.root / "proc/iomem").write_text("00000000-00000000 : System RAM\n")
        r, missing = linux.record(self.root, "lab 7")
        self.assertEqual(r.memory, [])
        self.assertIn("memory map: /proc/iomem shows addresses to root alone", missing)

    @unittest.skipUnless(Path("/dev/cpu/0/cpuid").exists(), "no /dev/cpu: the module cpuid is not there")
    def test_this_machine_is_read_again(self):
        r, _ = linux.record(Path("/"))
        self.assertEqual(recording.parse(recording.written(r)).cpus, r.cpus)


if __name__ == "__main__":
    unittest.main()
