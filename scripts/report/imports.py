# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What other programs recorded of a machine, as a recording: acpidump, iasl -d, cpuid -r, lspci (-vvnn, -xxxx), dmidecode (text, --dump-bin), dumps of
InstLatx64, files of hwloc-gather-cpuid, and archives of hw-probe or hwloc-gather-topology, which hold some of these. What a text is
is seen from itself and not from its name."""
from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import re
import tarfile
from pathlib import Path

from . import VERSION, dmi, files
from .recording import Cpu, Function, Recording, Table
from .stream import StreamError

_MEMBER_MOST = 64 << 20
_ENDS = re.compile(r"(\.(info|tar|t[gx]z|gz|bz2|xz|txt|log|bin|cpuid))+$")  # of a file's name
_HEADER_MOST = 1 << 20  # of an archive's member: its name and attributes
_CPU = re.compile(r"^CPU(?: (\d+))?:", re.M)
_CPUID_R = re.compile(r"^\s+0x([0-9a-f]{8}) 0x([0-9a-f]{2}): eax=0x([0-9a-f]+) ebx=0x([0-9a-f]+) ecx=0x([0-9a-f]+) edx=0x([0-9a-f]+)", re.M)
# "------[ Logical CPU #3 ]------", "------[ CPUID Registers / Logical CPU #3 ]------", "MSR Registers (CPU #3 Virtual):"; another one is of no processor
_LATX_SECTION = re.compile(r"^(?:------\[ |(?=(?:CPUID|MSR) Registers \())(?:(?:CPUID|MSR) Registers [/(] ?)?(?:(?:Logical )?CPU ?#?(\d+))?", re.M | re.I)
_LATX = re.compile(r"^CPUID ([0-9A-F]{8}):?\s+([0-9A-F]{8})-([0-9A-F]{8})-([0-9A-F]{8})-([0-9A-F]{8})(?: \[SL ([0-9A-F]{2})\])?", re.M)
_LATX_MSR = re.compile(r"^MSR ([0-9A-F]+): ([0-9A-F]{4})-([0-9A-F]{4})-([0-9A-F]{4})-([0-9A-F]{4})", re.M)
_HWLOC = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ => ([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)$", re.M)
_ACPI = re.compile(r"^(?:(.{4}) @ 0x([0-9A-Fa-f]+)\s*$|Raw Table Data: Length )", re.M)  # the second: of iasl -d
_ACPI_LINE = re.compile(r"^\s+([0-9A-Fa-f]+): ((?:[0-9A-Fa-f]{2} ){1,16})", re.M)
_LSPCI = re.compile(r"^(?:([0-9a-f]{4}):)?([0-9a-f]{2}):([01][0-9a-f])\.([0-7]) (.*)$", re.M)
_IDS = re.compile(r"\[([0-9a-f]{4})\]:?.*\[([0-9a-f]{4}):([0-9a-f]{4})\](?:.*\(rev ([0-9a-f]{2})\))?")
_NUMBERS = re.compile(r"^([0-9a-f]{4}): ([0-9a-f]{4}):([0-9a-f]{4})(?: \(rev ([0-9a-f]{2})\))?")
_DUMP_LINE = re.compile(r"^([0-9a-f]{2,3}): ((?:[0-9a-f]{2} ?){16})$", re.M)
# ACPI tables that a recording has.
TABLES = ("APIC", "SRAT", "SLIT", "HMAT", "MCFG", "CEDT", "WDAT", "ERDT", "MRRM", "IRDT", "FACP")


def id_of(leaves):
    """The x2APIC id that a processor's leaves say; None: leaf 1 was not recorded."""
    levels, extended, basic = leaves.get((0xB, 0)), leaves.get((0x8000001E, 0)), leaves.get((1, 0))
    if levels and levels[1]:
        return levels[3]
    if extended and extended[0]:
        return extended[0]
    return basic[1] >> 24 if basic else None


def _add_cpu(r, number, leaves):
    if leaves:
        r.cpus.append(Cpu(number, id_of(leaves), leaves))


def _blocks(text, head):
    """(match, text up to the next one)"""
    found = list(head.finditer(text))
    return [(m, text[m.end():n.start() if n else len(text)]) for m, n in zip(found, [*found[1:], None])]


def cpuid(r, text):
    for i, (m, block) in enumerate(_blocks(text, _CPU)):
        _add_cpu(r, int(m[1] or i), {(int(a, 16), int(b, 16)): tuple(int(v, 16) for v in regs) for a, b, *regs in _CPUID_R.findall(block)})


def _latx_leaves(section):
    """Old dumps repeat a leaf without its sub-leaf. Of 0DH and 18H they leave out some, so that the first line alone is certain."""
    leaves = {}
    for a, *regs, sub in _LATX.findall(section):
        leaf, n = int(a, 16), int(sub or "0", 16)
        while not sub and (leaf, n) in leaves and leaf in (4, 0xB, 0x1F, 0x8000001D):
            n += 1
        leaves.setdefault((leaf, n), tuple(int(v, 16) for v in regs))
    return leaves


def instlatx64(r, text):
    """A section is of one processor or of none, whose registers are those of all."""
    sections = [(m[1], part) for m, part in _blocks(text, _LATX_SECTION)] or [(None, text)]
    known, msrs = set(), {}
    for number, part in sections:
        leaves = _latx_leaves(part)
        number = int(number or 0) if number or leaves else None
        if leaves and number not in known:
            _add_cpu(r, number, leaves)
            known.add(number)
        for register, *words in _LATX_MSR.findall(part):
            msrs.setdefault(int(register, 16), {})[number] = int("".join(words), 16)
    for register, of in msrs.items():
        alike = None in of or (known == set(of) and len(set(of.values())) == 1)
        r.msrs.update({(None if alike else n, register): v for n, v in of.items() if alike or n in known})


def hwloc_cpuid(r, text, name):
    number = re.search(r"pu(\d+)$", name)
    if not number:
        raise ValueError("a file of hwloc-gather-cpuid is called pu and the processor's number")
    leaves = {}
    for mask, leaf, sub, *regs in _HWLOC.findall(text):
        leaves[int(leaf, 16), int(sub, 16) if int(mask, 16) & 4 else 0] = tuple(int(v, 16) for v in regs)
    _add_cpu(r, int(number[1]), leaves)


def acpidump(r, text):
    for m, block in _blocks(text, _ACPI):
        data = {}
        for at, line in _ACPI_LINE.findall(block):
            data[int(at, 16)] = bytes.fromhex(line)
        whole = b"".join(data[at] for at in sorted(data))
        signature = m[1] or whole[:4].decode("latin-1")
        if signature in TABLES:
            if int.from_bytes(whole[4:8], "little") != len(whole):
                raise ValueError(f"table {signature} has {len(whole)} bytes and says {int.from_bytes(whole[4:8], 'little')}")
            r.tables.append(Table(signature, int(m[2] or "0", 16), list(whole)))


def _function(m, block):
    at = f"{m[1] or '0000'}:{m[2]}:{m[3]}.{m[4]}"
    config = []
    for offset, line in _DUMP_LINE.findall(block):
        config[int(offset, 16):] = bytes.fromhex(line)
    ids = _IDS.search(m[5]) or _NUMBERS.match(m[5])
    if ids:
        f = Function(at, int(ids[1], 16), int(ids[2], 16), int(ids[3], 16), int(ids[4], 16) if ids[4] else None)
    elif len(config) >= 16:
        f = Function(at, config[10] | config[11] << 8, config[0] | config[1] << 8, config[2] | config[3] << 8, config[8])
    else:
        raise ValueError(f"function {at} has no ids: lspci with -nn, -n or -xxxx has them")
    f.config = config
    buses = re.search(r"secondary=([0-9a-f]{2}), subordinate=([0-9a-f]{2})", block)
    f.buses = (int(buses[1], 16), int(buses[2], 16)) if buses else None
    node, driver = re.search(r"NUMA node: (\d+)", block), re.search(r"Kernel driver in use: (\S+)", block)
    f.node, f.driver = int(node[1]) if node else None, driver[1] if driver else ""
    return f


def lspci(r, text):
    """Every function that answered is there: lspci leaves none out."""
    for m, block in _blocks(text, _LSPCI):
        f = _function(m, block)
        old = r.functions.get(f.at)
        if old and len(old.config) > len(f.config):
            f.config = old.config
        r.functions[f.at] = f
        if f.at[:4] not in r.complete:
            r.complete.append(f.at[:4])


def dmidecode(r, text):
    version, structures = dmi.of_text(text)
    if not r.structures:
        r.smbios, r.structures = version or "2.8", structures


def dmi_table(r, data):
    r.smbios, r.structures = dmi.of_dump(data)


_KINDS = ((_CPUID_R, cpuid, "cpuid -r"), (_LATX, instlatx64, "InstLatx64"), (_ACPI, acpidump, "acpidump"),
          (re.compile(r"^Handle 0x[0-9A-F]+, DMI type", re.M), dmidecode, "dmidecode"), (_LSPCI, lspci, "lspci"))


def _take(r, data, name):
    """Adds what a file has; the program that made it, or "" where it is none of those that are read."""
    if data[:4] == b"_SM_" or data[:5] == b"_SM3_":
        dmi_table(r, data)
        return "dmidecode --dump-bin"
    if b"\0" in data[:4096]:
        return ""
    text = data.decode("latin-1").replace("\r\n", "\n")
    if "=>" in text and _HWLOC.search(text):
        hwloc_cpuid(r, text, name)
        return "hwloc-gather-cpuid"
    for pattern, take, what in _KINDS:
        if pattern.search(text):
            take(r, text)
            return what
    return ""


class _Archive:
    """The bytes of a tar file, unpacked as far as they are read. StreamError: `most` are exceeded by one read, or files.MOST by all."""

    def __init__(self, path, data):
        packed = io.BytesIO(data)
        self.path, self.most, self.file = path, _HEADER_MOST, packed
        for magic, unpacking in ((b"\x1f\x8b", gzip.GzipFile), (b"BZh", bz2.BZ2File), (b"\xfd7zXZ", lzma.LZMAFile), (b"\x5d\0\0", lzma.LZMAFile)):
            if data.startswith(magic):
                self.file = unpacking(fileobj=packed) if unpacking is gzip.GzipFile else unpacking(packed)

    def tell(self):
        return self.file.tell()

    def seek(self, at, whence=0):
        if at > files.MOST:
            raise StreamError(f"{self.path}: more than {files.MOST >> 20} MiB unpacked")
        return self.file.seek(at, whence)

    def read(self, n=-1):
        if not 0 <= n <= self.most:
            raise StreamError(f"{self.path}: the archive is damaged: a header or member of {n} bytes")
        data = self.file.read(n)
        if self.file.tell() > files.MOST:
            raise StreamError(f"{self.path}: more than {files.MOST >> 20} MiB unpacked")
        return data


def _members(path):
    """(name, bytes) of each file of a folder, an archive, or the file itself. Of an archive nothing is written, and links are not followed."""
    if path.is_dir():
        yield from ((p.name, p.read_bytes()) for p in sorted(path.rglob("*")) if p.is_file() and p.stat().st_size <= _MEMBER_MOST)
        return
    data = files.content(path)
    unpacked = _Archive(path, data)
    name, archive = "its start", None  # name: of the last member that was whole
    try:
        archive = tarfile.open(fileobj=unpacked, mode="r:")
        with archive:
            for m in archive:
                if m.size < 0:
                    raise tarfile.ReadError(f"a member of {m.size} bytes")
                if m.isfile() and not m.issparse() and m.size <= _MEMBER_MOST:
                    unpacked.most = _MEMBER_MOST
                    yield m.name, archive.extractfile(m).read()
                    unpacked.most = _HEADER_MOST
                name = m.name
                archive.members.clear()  # which would be kept until the end
    except StreamError:
        raise
    except Exception as e:  # tarfile has no exception of its own for all that may be wrong
        if archive or not isinstance(e, tarfile.ReadError):
            raise StreamError(f"{path}: the archive is damaged after {name}: {e}") from e
        yield path.name, data


# Offsets of string numbers that name one machine: DSP0134 3.6, 7.2, 7.3, 7.4, 7.5, 7.18. Other types have texts of the maker's own.
_NAMING = {0: (), 1: (7,), 2: (7, 8), 3: (7, 8), 4: (0x20, 0x21), 7: (), 9: (), 16: (), 17: (0x18, 0x19), 19: (), 20: ()}
PPIN = 0x4F


def hide(r):
    """Serial numbers, UUID, asset tags and PPIN become digests, keyed by all of them, as core/record/record.h has it."""
    key = hashlib.sha256()
    system, board = (next((s for s in r.structures if s.type == kind), None) for kind in (1, 2))
    raw = system.bytes[4:20] if system and len(system.bytes) >= 20 else b""
    little = [int(n) for n in re.findall(r"\d+", r.smbios)[:2]] >= [2, 6]  # DSP0134 3.6, 7.2.1
    uuid = raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:] if little else raw
    text = "-".join(uuid[a:b].hex() for a, b in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 16))) if raw else ""
    text = {"\0": "Not Settable", "\xff": "Not Present"}.get("".join({chr(b) for b in raw}), text)
    for word in (text, system.string(7) if system else "", board.string(7) if board else ""):
        key.update(word.encode("latin-1") + b"\0")
    ppins = [(at, v) for at, v in r.msrs.items() if at[1] == PPIN and v is not None]
    for _, v in ppins:
        key.update(v.to_bytes(8, "little"))

    def digest(data):
        h = key.copy()
        h.update(data)
        return h.hexdigest()[:16]

    for at, v in ppins:
        r.msrs[at] = int(digest(v.to_bytes(8, "little")), 16)
    r.structures = [s for s in r.structures if s.type in _NAMING]
    for s in r.structures:
        for offset in _NAMING[s.type]:
            number = s.value(offset, 1) or 0
            if 0 < number <= len(s.strings):
                s.strings[number - 1] = digest(s.strings[number - 1].encode("latin-1"))
        if s.type == 1 and len(s.bytes) >= 20:
            h = bytes.fromhex(digest(s.bytes[4:20]))
            s.bytes = s.bytes[:4] + h + h + s.bytes[20:]
    r.notes["serials"] = "digest"


def gather(paths, name="", full=False):
    """One recording of all that the files have. StreamError: none of them is read, or one is damaged."""
    r = Recording(made_by=f"assay-report {VERSION} import")
    made = []
    for path in map(Path, paths):
        found = []
        for member, data in _members(path):
            try:
                found.append(_take(r, data, member))
            except ValueError as e:
                raise StreamError(f"{path}{'' if member == path.name else f' ({member})'}: {e}") from e
        if not any(found):
            raise StreamError(f"{path}: nothing that is known: acpidump, cpuid -r, lspci, dmidecode, InstLatx64, hwloc-gather-cpuid, or an archive "
                              "that has some of these")
        made += found
    r.cpus.sort(key=lambda c: c.number)
    r.name = name or _ENDS.sub("", Path(paths[0]).name)
    r.source = ", ".join(dict.fromkeys(filter(None, made)))
    if full:
        r.notes["serials"] = "full"
    else:
        hide(r)
    return r
