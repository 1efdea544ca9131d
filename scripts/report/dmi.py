# SPDX-License-Identifier: BSD-2-Clause-Patent
"""SMBIOS structures: out of a binary table (/sys/firmware/dmi/tables, dmidecode --dump-bin), and out of what dmidecode prints. Source: DMTF
DSP0134 3.6. What dmidecode's text does not say of a structure is 0 in it, as 6.1.2 has it of unknown fields."""
from __future__ import annotations

import re

from .recording import Structure

_UNITS = {"bytes": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
# 7.18.2 Memory Device - Type, 7.18.1 Form Factor, 7.17.2 and 7.17.3 of an array, 7.5.4 processor status: as dmidecode has them.
_MEMORY_TYPES = dict(zip(("Other", "Unknown", "DRAM", "EDRAM", "VRAM", "SRAM", "RAM", "ROM", "Flash", "EEPROM", "FEPROM", "EPROM", "CDRAM", "3DRAM",
                          "SDRAM", "SGRAM", "RDRAM", "DDR", "DDR2", "DDR2 FB-DIMM"), range(1, 0x15))) | {
    "DDR3": 0x18, "FBD2": 0x19, "DDR4": 0x1A, "LPDDR": 0x1B, "LPDDR2": 0x1C, "LPDDR3": 0x1D, "LPDDR4": 0x1E, "Logical non-volatile device": 0x1F,
    "HBM": 0x20, "HBM2": 0x21, "DDR5": 0x22, "LPDDR5": 0x23, "HBM3": 0x24}
_FORMS = dict(zip(("Other", "Unknown", "SIMM", "SIP", "Chip", "DIP", "ZIP", "Proprietary Card", "DIMM", "TSOP", "Row Of Chips", "RIMM", "SODIMM", "SRIMM",
                   "FB-DIMM", "Die", "CAMM"), range(1, 18)))
_LOCATIONS = {"System Board Or Motherboard": 3}
_USES = dict(zip(("Other", "Unknown", "System Memory", "Video Memory", "Flash Memory", "Non-volatile RAM", "Cache Memory"), range(1, 8)))
_CORRECTION = dict(zip(("Other", "Unknown", "None", "Parity", "Single-bit ECC", "Multi-bit ECC", "CRC"), range(1, 8)))
_STATUS = {"Unpopulated": 0, "Populated, Unknown": 0x40, "Populated, Enabled": 0x41, "Populated, Disabled By User": 0x42,
           "Populated, Disabled By BIOS": 0x43, "Populated, Idle": 0x44, "Populated, Other": 0x47}


class _Writer:
    """A structure with its strings, whose fields are put at the offsets of the specification."""

    def __init__(self, length):
        self.at, self.strings = bytearray(length), []

    def put(self, offset, n, value):
        self.at[offset:offset + n] = (value & (1 << 8 * n) - 1).to_bytes(n, "little")

    def text(self, offset, value):
        """dmidecode's words for string number 0, and for a string that is not there, are no string."""
        if value not in (None, "", "Not Specified", "<BAD INDEX>"):
            self.strings.append(value)
            self.at[offset] = len(self.strings)

    def done(self, kind, handle):
        return Structure(kind, handle, bytes(self.at[4:]), self.strings)


def size(text):
    """"8192 MB" in bytes; None: it is no size."""
    m = re.fullmatch(r"(\d+) (bytes|kB|MB|GB|TB)", text or "")
    return int(m[1]) * _UNITS[m[2]] if m else None


def _number(text, unknown=0):
    m = re.match(r"0x[0-9A-Fa-f]+|\d+", text or "")
    return int(m[0], 0) if m else unknown


def _bios(f):
    w = _Writer(0x12)
    for offset, key in ((4, "Vendor"), (5, "Version"), (8, "Release Date")):
        w.text(offset, f.get(key))
    return w


def _system(f):
    w = _Writer(0x1B)
    for offset, key in ((4, "Manufacturer"), (5, "Product Name"), (6, "Version"), (7, "Serial Number"), (0x19, "SKU Number"), (0x1A, "Family")):
        w.text(offset, f.get(key))
    if re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", f.get("UUID", "")):
        raw = bytes.fromhex(f["UUID"].replace("-", ""))
        w.at[8:24] = raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]  # 7.2.1, since 2.6
    return w


def _baseboard(f):
    w = _Writer(8)
    for offset, key in ((4, "Manufacturer"), (5, "Product Name"), (6, "Version"), (7, "Serial Number")):
        w.text(offset, f.get(key))
    return w


def _processor(f):
    w = _Writer(0x30)
    w.put(5, 1, 3 if f.get("Type", "Central Processor") == "Central Processor" else 2)
    for offset, key in ((4, "Socket Designation"), (7, "Manufacturer"), (0x10, "Version"), (0x20, "Serial Number"), (0x22, "Part Number")):
        w.text(offset, f.get(key))
    if f.get("ID"):
        w.at[8:16] = bytes.fromhex(f["ID"].replace(" ", ""))[:8]
    w.put(0x14, 2, _number(f.get("Max Speed")))
    w.put(0x16, 2, _number(f.get("Current Speed")))
    w.put(0x18, 1, _STATUS.get(f.get("Status", ""), 0x40))
    w.put(0x1E, 2, _number(f.get("L3 Cache Handle"), 0xFFFF))
    for narrow, wide, key in ((0x23, 0x2A, "Core Count"), (0x24, 0x2C, "Core Enabled"), (0x25, 0x2E, "Thread Count")):
        n = _number(f.get(key))
        w.put(narrow, 1, min(n, 0xFF))
        w.put(wide, 2, n)
    return w


def _array(f):
    w = _Writer(0x17)
    w.put(4, 1, _LOCATIONS.get(f.get("Location"), 1))
    w.put(5, 1, _USES.get(f.get("Use"), 2))
    w.put(6, 1, _CORRECTION.get(f.get("Error Correction Type"), 2))
    capacity = size(f.get("Maximum Capacity")) or 0
    w.put(7, 4, min(capacity >> 10, 0x80000000))
    w.put(0xB, 2, 0xFFFE)
    w.put(0xD, 2, _number(f.get("Number Of Devices")))
    w.put(0xF, 8, capacity if capacity >> 10 >= 0x80000000 else 0)
    return w


def _device_size(w, text):
    bytes_ = size(text)
    if bytes_ is None:
        w.put(0xC, 2, 0 if text == "No Module Installed" else 0xFFFF)
    elif bytes_ < 1 << 20 or bytes_ % (1 << 20):
        w.put(0xC, 2, 0x8000 | bytes_ >> 10)
    else:
        w.put(0xC, 2, min(bytes_ >> 20, 0x7FFF))
        w.put(0x1C, 4, bytes_ >> 20 if bytes_ >> 20 >= 0x7FFF else 0)


def _device(f):
    w = _Writer(0x22)
    w.put(4, 2, _number(f.get("Array Handle"), 0xFFFE))
    w.put(6, 2, 0xFFFE)
    w.put(8, 2, _number(f.get("Total Width"), 0xFFFF))
    w.put(0xA, 2, _number(f.get("Data Width"), 0xFFFF))
    _device_size(w, f.get("Size"))
    w.put(0xE, 1, _FORMS.get(f.get("Form Factor"), 2))
    w.put(0xF, 1, _number(f.get("Set")))
    w.text(0x10, f.get("Locator"))
    w.text(0x11, f.get("Bank Locator"))
    w.put(0x12, 1, _MEMORY_TYPES.get(f.get("Type"), 2))
    w.put(0x15, 2, min(_number(f.get("Speed")), 0xFFFE))
    for offset, key in ((0x17, "Manufacturer"), (0x18, "Serial Number"), (0x1A, "Part Number")):
        w.text(offset, f.get(key))
    w.put(0x1B, 1, _number(f.get("Rank")))
    w.put(0x20, 2, min(_number(f.get("Configured Memory Speed", f.get("Configured Clock Speed"))), 0xFFFE))
    return w


def _oem_strings(f):
    w = _Writer(5)
    w.strings = [v for k, v in f.items() if k.startswith("String ")]
    w.put(4, 1, len(w.strings))
    return w


_KINDS = {0: _bios, 1: _system, 2: _baseboard, 4: _processor, 11: _oem_strings, 16: _array, 17: _device}


def of_fields(kind, handle, fields):
    """A structure of what dmidecode prints of it, {"Size": "8192 MB"}; None: of another kind than those that Assay reads."""
    return _KINDS[kind](fields).done(kind, handle) if kind in _KINDS else None


_HANDLE = re.compile(r"Handle 0x([0-9A-Fa-f]+), DMI type (\d+), \d+ bytes")
_VERSION = re.compile(r"^SMBIOS (\d+\.\d+(?:\.\d+)?) present", re.M)


def of_text(text):
    """(version or "", structures) of dmidecode's text."""
    version, structures = _VERSION.search(text), []
    for block in re.split(r"\n\s*\n", text):
        m = _HANDLE.search(block)
        if not m:
            continue
        fields = {}
        for line in block[m.end():].split("\n"):
            if re.match(r"\t[^\t:]+:", line):
                key, _, value = line.strip().partition(":")
                fields[key] = value.strip()
        s = of_fields(int(m[2]), int(m[1], 16), fields)
        structures += [s] if s else []
    return version[1] if version else "", structures


def of_table(data):
    """Structures of a binary table. ValueError: where it is damaged."""
    structures, at = [], 0
    while at + 4 <= len(data):
        kind, length, handle = data[at], data[at + 1], int.from_bytes(data[at + 2:at + 4], "little")
        end = data.find(b"\0\0", at + length)
        if length < 4 or end < 0:
            raise ValueError(f"SMBIOS structure at {at:x}H: {'length below 4' if length < 4 else 'no end of its strings'}")
        text = data[at + length:end]
        structures.append(Structure(kind, handle, data[at + 4:at + length], [t.decode("latin-1") for t in text.split(b"\0")] if text else []))
        at = end + 2
        if kind == 127:
            break
    return structures


def of_dump(data):
    """(version, structures) of dmidecode --dump-bin, or of /sys/firmware/dmi/tables' smbios_entry_point with DMI after it."""
    if data[:5] == b"_SM3_":
        at = int.from_bytes(data[16:24], "little")
        return f"{data[7]}.{data[8]}", of_table(data[at if at < len(data) else 24:])
    if data[:4] == b"_SM_":
        at = int.from_bytes(data[24:28], "little")
        return f"{data[6]}.{data[7]}", of_table(data[at if at < len(data) else data[5]:])
    raise ValueError("neither _SM_ nor _SM3_ at its beginning")
