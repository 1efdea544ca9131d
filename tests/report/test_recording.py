# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Recordings of machines: read, written, printed, compared (docs/recording.md)."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from report import dmi, linux, machine, recording  # noqa: E402
from report.stream import StreamError  # noqa: E402

MACHINES = ROOT / "tests/fixtures/machines"


class Form(unittest.TestCase):
    def test_a_recording_that_is_written_again_is_the_same(self):
        files = sorted(MACHINES.rglob("*.machine"))
        self.assertGreaterEqual(len(files), 112)
        for path in files:
            self.assertEqual(recording.written(recording.read(path)), path.read_text("latin-1"), path)

    def test_what_is_wrong_is_named_with_file_and_line(self):
        for text, error in (
            ("recording 2\n", "x:1: form 2 is not 1, the only one that is known"),
            ("cpu 0\ncpu 1\nb 0 . 2 3 4\n", "x:3: leaf b 0: cpu 0 has no such line"),
            ("cpu 0\nmsr 1 8b 0\n", "x:2: msr of cpu 1, which has no line of its own"),
            ("\n 0 00\n", "x:2: bytes that belong to no table, function or region"),
            ("table APIC length 24\n 20 0000000000\n", "x:2: bytes beyond the table's length"),
            ("structure 17 1 .\n", "x:1: structure 17 1 is as one before it, and there is none"),
            ('structure 17 1 00 "A\n', "x:1: a quote is not closed"),
            ("complete 7f\n", 'x:1: complete: "7f" is neither SSSS nor SSSS:BB'),
        ):
            with self.assertRaises(StreamError) as e:
                recording.parse(text, "x")
            self.assertEqual(str(e.exception), error)

    def test_what_was_not_recorded_is_unknown(self):
        r = recording.read(MACHINES / "example.machine")
        self.assertIsNone(r.table("MCFG").bytes[9])
        self.assertEqual(sum(r.table("MCFG").image()) & 0xFF, 0)
        self.assertTrue(r.is_complete("0000:7f:00.0") and not r.is_complete("0000:00:00.0"))
        self.assertIn("not recorded CPUID, ACPI", machine.text(recording.read(MACHINES / "smbios/supermicro-x8dt6-d4db.machine")))


class Differences(unittest.TestCase):
    def changes(self, edit):
        text = (MACHINES / "example.machine").read_text()
        return list(machine.differences(recording.parse(text), recording.parse(edit(text))))

    def test_a_recording_has_no_difference_from_itself_nor_from_what_is_unknown(self):
        self.assertEqual(self.changes(lambda t: t), [])
        self.assertEqual(self.changes(lambda t: t.replace(" f4 00ff0000", " f4 00ff0000aa")), [])  # one read more of a function
        self.assertEqual(self.changes(lambda t: "\n".join(line for line in t.split("\n") if not line.startswith(("msr", "memory", "structure")))), [])

    def test_each_kind_of_change_is_a_line(self):
        for old, new, change in (
            ("4300000000", "4700000000", "microcode: 43 -> 47"),
            ("b 0 1 2", "b 0 1 3", "CPUID bH.0 EBX: 00000002 -> 00000003 (1 of 2 processors, the first 0)"),
            ("#GP", "1", "register c8dH: #GP -> 1 (cpu 1)"),
            ("000000ff\n", "0000007f\n", "table MCFG: bytes 36 differ"),
            ('"DIMM A2"', '"DIMM B2"', 'SMBIOS type 17, handle 1101: "DIMM A2" -> "DIMM B2"'),
            ("pci 0000:7f:14.1", "pci 0000:7f:14.2", "PCI 0000:7f:14.1 8086:2fb1: gone"),
            (" f4 00ff", " f4 01ff", "PCI 0000:7f:14.1 8086:2fb1: bytes f4 differ"),
            ("40000000 7", "40000000 4", "memory map: 1 ranges gone, 1 new"),
            ("mp 20 7", "mp 20 3", "firmware's list of processors: 1 -> 1, or in another order or state"),
        ):
            self.assertIn(change, self.changes(lambda t: t.replace(old, new, 1)))


class Linux(unittest.TestCase):
    def test_amds_limits_are_read_where_cpuid_announces_them(self):
        last = linux._SUBLEAVES[0x80000020]
        leaves = {(0x80000020, 0): (0, 1 << 7 | 1 << 8, 0, 0)} | {(0x80000020, n): (12, 0, 0, 3) for n in range(1, last + 1)}
        wanted = list(linux._wanted(recording.Recording(cpus=[recording.Cpu(0, 0, leaves)])))
        self.assertEqual([w for w in wanted if 0xC0000200 <= w < 0xC0000300 or 0xC0000600 <= w < 0xC0000700],
                         [*range(0xC0000600, 0xC0000604), *range(0xC0000680, 0xC0000684)])


class Dmidecode(unittest.TestCase):
    def test_structures_of_its_text_and_of_its_dump_are_alike(self):
        version, structures = dmi.of_text(
            "# dmidecode 3.3\nSMBIOS 3.2.0 present.\n\nHandle 0x1100, DMI type 17, 84 bytes\nMemory Device\n\tArray Handle: 0x1000\n"
            "\tSize: 16384 MB\n\tLocator: A1\n\tBank Locator: Not Specified\n\tType: DDR4\n\tType Detail: Synchronous\n\tSpeed: 2933 MT/s\n"
            "\tConfigured Memory Speed: 2666 MT/s\n\nHandle 0x1101, DMI type 17, 84 bytes\nMemory Device\n\tSize: No Module Installed\n")
        r = recording.Recording(smbios=version, structures=structures)
        self.assertEqual(version, "3.2.0")
        self.assertEqual([(s.string(0x10), n >> 30) for s, n in machine.modules(r)], [("A1", 16), ("", 0)])
        self.assertEqual(structures[0].value(0x15, 2), 2933)
        entry = b"_SM3_\0\x18\3\2\0\1\0" + len(r.smbios_image()).to_bytes(4, "little") + (32).to_bytes(8, "little") + bytes(8)
        self.assertEqual(dmi.of_dump(entry + r.smbios_image()), ("3.2", structures))

    def test_a_damaged_table_says_where(self):
        with self.assertRaisesRegex(ValueError, "structure at 6H: length below 4"):
            dmi.of_table(b"\x11\x04\0\x11\0\0\x11\x03\0\0\0\0")


if __name__ == "__main__":
    unittest.main()
