# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A recording of the machine that this program runs on, or of a copy of its /dev, /sys and /proc. Everything is read, nothing written."""
from __future__ import annotations

import os
import re

from . import VERSION, dmi, machine
from .imports import PPIN, TABLES, hide, id_of
from .recording import Cpu, Function, Recording, Table

# As core/record/record_registers.c: reading one of these changes nothing.
_OF_ALL = (0x1B, 0x3B, 0x8B)
_OF_INTEL = (0x17, 0x34, 0x4E, 0xCE, 0xCF, 0x1A0, 0x1A4, 0x1D9, 0x620, 0x621)
_OF_RDT = (0xC8D, 0xC8F, 0xC81, 0xC82)
_PPIN_ENABLED = 2  # of MSR_PPIN_CTL (4EH): bit 1
_SUBLEAVES = {4: 7, 0xB: 7, 0x1F: 7, 0x8000001D: 7, 0x80000026: 7, 0xD: 1, 0xF: 1, 0x10: 5, 0x23: 5, 0x80000020: 8}
_COUNTED = (7, 0x14, 0x17, 0x18, 0x20)  # sub-leaf 0 EAX says how many there are
_HEADER = 64  # bytes of configuration space that are kept of a function without monitors
_PROCESSOR_SERIAL = 3
_SYSTEM_RAM = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) : (System RAM|Persistent Memory|Reserved|ACPI Tables|ACPI Non-volatile Storage)$", re.M)
_MEMORY_TYPES = {"System RAM": 7, "Reserved": 0, "ACPI Tables": 9, "ACPI Non-volatile Storage": 10, "Persistent Memory": 14}  # UEFI 2.10, 7.2.3


def _ends(leaf, regs):
    if leaf in (4, 0x8000001D):
        return regs[0] & 0x1F == 0
    return leaf in (0xB, 0x1F, 0x80000026) and regs[2] & 0xFF00 == 0


def _leaves(fd):
    """Every line of a processor: cpuid(4) takes the leaf in the low and the sub-leaf in the high half of the offset."""
    def ask(leaf, sub=0):
        data = os.pread(fd, 16, leaf | sub << 32)
        if len(data) != 16:
            raise OSError("its file ends")
        return tuple(int.from_bytes(data[i:i + 4], "little") for i in range(0, 16, 4))

    out = {}
    for begin in (0, 0x80000000):
        for leaf in range(begin, min(ask(begin)[0], begin + 0x3F) + 1):
            if leaf == _PROCESSOR_SERIAL:
                continue
            sub, last = 0, _SUBLEAVES.get(leaf, 0)
            while sub <= last:
                regs = out[leaf, sub] = ask(leaf, sub)
                if sub == 0 and leaf in _COUNTED:
                    last = min(regs[0], 8)
                if _ends(leaf, regs):
                    break
                sub += 1
    return out


def _processors(root, r, missing):
    folder = root / "dev/cpu"
    numbers = sorted(int(p.name) for p in folder.iterdir() if p.name.isdigit()) if folder.is_dir() else []
    why = "no /dev/cpu: modprobe cpuid msr"
    for n in numbers:
        try:
            fd = os.open(folder / str(n) / "cpuid", os.O_RDONLY)
            try:
                leaves = _leaves(fd)
            finally:
                os.close(fd)
            r.cpus.append(Cpu(n, id_of(leaves), leaves))
        except OSError as e:
            why = str(e)
    if len(r.cpus) < max(len(numbers), 1):
        missing.append(f"CPUID{f' of {len(numbers) - len(r.cpus)} processors' if r.cpus else ''}: {why}")


def _wanted(r):
    leaves = r.cpus[0].leaves
    vendor, features = leaves.get((0, 0), (0,) * 4), leaves.get((7, 0), (0,) * 4)
    intel = vendor[1] == 0x756E6547
    yield from _OF_ALL
    yield from _OF_INTEL if intel else (0xC0000108,)
    if features[1] & (1 << 12 | 1 << 15):
        yield from _OF_RDT
        yield from (0xC83, 0xC84, 0xCA0) if intel else ()
    allocation = leaves.get((0x10, 0), (0,) * 4)[1] if features[1] & 1 << 15 else 0
    for bit, sub, first in ((1, 1, 0xC90), (2, 2, 0xD10), (3, 3, 0xD50 if intel else 0)):
        if allocation & 1 << bit and first:
            yield from range(first, first + min((leaves.get((0x10, sub), (0,) * 4)[3] & 0xFFFF) + 1, 64))
    extended = leaves.get((0x80000020, 0), (0,) * 4)[1]
    # APM vol. 2 19.3, AMD 69193: the classes of sub-leaf `bit`
    for bit, first in ((1, 0xC0000200), (2, 0xC0000280), (7, 0xC0000600), (8, 0xC0000680)):
        classes = leaves.get((0x80000020, bit))
        if classes and extended & 1 << bit:
            yield from range(first, first + min(classes[3] + 1, 64))
    yield from (0xC00003FF,) if (0x80000020, 0) in leaves else ()
    yield from (0xC0000400, 0xC0000401) if extended & 8 else ()


def _registers(root, r, missing):
    if not r.cpus:
        return
    values = {}
    for c in r.cpus:
        try:
            fd = os.open(root / "dev/cpu" / str(c.number) / "msr", os.O_RDONLY)
        except OSError as e:
            missing.append(f"registers: {e}")
            return
        try:
            wanted = list(_wanted(r))
            for register in wanted:
                try:
                    values.setdefault(register, {})[c.number] = int.from_bytes(os.pread(fd, 8, register), "little")
                except OSError:  # EIO: #GP
                    values.setdefault(register, {})[c.number] = None
            if (values.get(0x4E, {}).get(c.number) or 0) & _PPIN_ENABLED:
                values.setdefault(PPIN, {})[c.number] = int.from_bytes(os.pread(fd, 8, PPIN), "little")
        except OSError as e:
            missing.append(f"registers of cpu {c.number}: {e}")
        finally:
            os.close(fd)
    for register, of in values.items():
        if register == PPIN:  # once a package
            seen = {}
            for cpu, v in of.items():
                seen.setdefault(v, cpu)
            r.msrs.update({(cpu, PPIN): v for v, cpu in seen.items()})
            continue
        first = next(iter(of.values()))
        r.msrs[None, register] = first
        r.msrs.update({(cpu, register): v for cpu, v in of.items() if v != first})


def _read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _tables(root, r, missing):
    folder, refused = root / "sys/firmware/acpi/tables", []
    for path in sorted(folder.glob("*")) if folder.is_dir() else []:
        name = re.fullmatch(r"([A-Z0-9]{4})\d*", path.name)
        if not name or name[1] not in TABLES:
            continue
        data = _read(path)
        if data:
            r.tables.append(Table(name[1], 0, list(data)))
        else:
            refused.append(path.name)
    if refused or not r.tables:
        missing.append(f"ACPI tables: {', '.join(refused) or 'none is there'}{', which need root' if refused else ''}")


def _smbios(root, r, missing):
    folder = root / "sys/firmware/dmi/tables"
    entry, table = _read(folder / "smbios_entry_point"), _read(folder / "DMI")
    try:
        if not entry or not table:
            raise ValueError(f"{folder} cannot be read, which needs root" if folder.is_dir() else "none is there")
        at = 7 if entry[:5] == b"_SM3_" else 6
        r.smbios, r.structures = f"{entry[at]}.{entry[at + 1]}", dmi.of_table(table)
    except (ValueError, IndexError) as e:
        missing.append(f"SMBIOS: {e}")


def _functions(root, r, missing):
    folder, short = root / "sys/bus/pci/devices", 0
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        config = _read(path / "config")
        if not re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]", path.name) or len(config) < 16:
            continue
        f = Function(path.name, config[10] | config[11] << 8, config[0] | config[1] << 8, config[2] | config[3] << 8, config[8])
        short += len(config) < 256
        if config[14] & 0x7F == 1 and len(config) > 0x1A:
            f.buses = config[0x19], config[0x1A]
        node = _read(path / "numa_node").strip()
        f.node = int(node) if node.isdigit() else None
        driver = path / "driver"
        f.driver = os.path.basename(os.readlink(driver)) if driver.is_symlink() else ""
        # Of others the header says what they are; what comes after may be of their maker's own.
        monitors = f.vendor == 0x8086 and config[11] in (0x08, 0x11)
        f.config = list(config if monitors else config[:_HEADER])
        r.functions[f.at] = f
    r.complete = sorted({at[:4] for at in r.functions})
    if not r.functions:
        missing.append("PCI functions: no /sys/bus/pci/devices")
    elif short:
        missing.append(f"configuration space beyond 40H of {short} functions, which needs root")


def _memory(root, r, missing):
    ranges = [(int(a, 16), int(b, 16) + 1 - int(a, 16), _MEMORY_TYPES[what])
              for a, b, what in _SYSTEM_RAM.findall(_read(root / "proc/iomem").decode("latin-1"))]
    if ranges and any(base or n > 1 for base, n, _ in ranges):
        r.memory = ranges
    else:
        missing.append("memory map: /proc/iomem shows addresses to root alone")


def record(root, name="", full=False):
    """(recording, what could not be recorded and why)"""
    r, missing = Recording(made_by=f"assay-record {VERSION}", source="Linux"), []
    for part in (_processors, _registers, _tables, _smbios, _functions, _memory):
        part(root, r, missing)
    system = next((s for s in r.structures if s.type == 1), None)
    r.name = name or (f"{system.string(4)} {system.string(5)}".strip() if system else "") or machine.brand(r) or "machine"
    if full:
        r.notes["serials"] = "full"
    else:
        hide(r)
    return r, missing
