# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A recording of a machine for people, and what differs between two of them, as before and after a firmware update."""
from __future__ import annotations

from . import safe

_MICROCODE = 0x8B
_REGISTERS = ("EAX", "EBX", "ECX", "EDX")


def brand(r):
    """ "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz"; "" where it was not recorded."""
    leaves = r.cpus[0].leaves if r.cpus else {}
    data = b"".join(v.to_bytes(4, "little") for leaf in (0x80000002, 0x80000003, 0x80000004) for v in leaves.get((leaf, 0), ()))
    return data.split(b"\0")[0].decode("latin-1").strip()


def signature(r):
    return r.cpus[0].leaves.get((1, 0), (None,))[0] if r.cpus else None


def microcode(r):
    """Revisions, each once: bits 63:32 of IA32_BIOS_SIGN_ID, on AMD the low ones."""
    values = {v for (_, register), v in r.msrs.items() if register == _MICROCODE and v is not None}
    return sorted({v >> 32 or v for v in values})


def modules(r):
    """(structure, bytes) of each memory device, 0 for an empty slot. DSP0134 3.6, 7.18.5."""
    for s in r.structures:
        if s.type != 17:
            continue
        size = s.value(0xC, 2) or 0
        if size == 0x7FFF:
            yield s, ((s.value(0x1C, 4) or 0) & 0x7FFFFFFF) << 20
        else:
            yield s, 0 if size == 0xFFFF else (size & 0x7FFF) << (10 if size & 0x8000 else 20)


def _of_smbios(r):
    for s in r.structures:
        if s.type == 0:
            yield "firmware", " ".join(filter(None, (s.string(4), s.string(5), s.string(8))))
        elif s.type == 1:
            yield "system", " ".join(filter(None, (s.string(4), s.string(5))))
        elif s.type == 2:
            yield "board", " ".join(filter(None, (s.string(4), s.string(5))))
        elif s.type == 4:
            state = "" if (s.value(0x18, 1) or 0) & 0x40 else ", empty"
            yield "socket", f"{s.string(4)}: {s.string(0x10) or '?'}, {s.value(0x23, 1)} cores{state}"
    sizes = [n for _, n in modules(r)]
    if sizes:
        yield "memory", f"{sum(n > 0 for n in sizes)} modules in {len(sizes)} slots, {sum(sizes) / 2**30:g} GiB"


def _facts(r):
    """(what, text) of all that the recording has, in its order."""
    yield "machine", r.name or "?"
    yield from ((what, text) for what, text in (("source", r.source), ("made by", r.made_by), *r.notes.items()) if text)
    if r.cpus:
        ids = [c.id for c in r.cpus if c.id is not None]
        leaves = len(r.cpus[0].leaves)
        yield "processors", f"{len(r.cpus)} x {brand(r) or '?'}, signature {signature(r) or 0:x}, {leaves} CPUID lines" + (
            f", x2APIC ids {min(ids):x} to {max(ids):x}" if ids else "")
    if r.processors:
        yield "listed", f"{len(r.processors)} by firmware's processor services, {sum(flags & 2 > 0 for _, flags in r.processors)} enabled"
    if microcode(r):
        yield "microcode", ", ".join(f"{v:x}" for v in microcode(r))
    for t in r.tables:
        unknown = t.bytes.count(None)
        yield "table", f"{t.signature} {len(t.bytes)} bytes" + (f", {unknown} of them not recorded" if unknown else "")
    yield from _of_smbios(r)
    if r.functions:
        driven = sum(f.driver != "" for f in r.functions.values())
        yield "PCI", f"{len(r.functions)} functions on {len({at[:7] for at in r.functions})} buses, {driven} with a driver noted"
    if r.msrs:
        yield "registers", f"{len(r.msrs)} values, {sum(v is None for v in r.msrs.values())} of them #GP"
    if r.regions:
        yield "regions", ", ".join(f"{address:x} ({len(data)} bytes)" for address, data in r.regions.items())
    if r.memory:
        yield "memory map", f"{len(r.memory)} ranges"
    kinds = (("CPUID", r.cpus), ("ACPI", r.tables), ("SMBIOS", r.structures), ("PCI", r.functions), ("registers", r.msrs), ("memory map", r.memory),
             ("firmware's list of processors", r.processors))
    unknown = [what for what, there in kinds if not there]
    if unknown:
        yield "not recorded", ", ".join(unknown)


def text(r):
    return "".join(safe.line(f"{what:12} {said}") + "\n" for what, said in _facts(r))


# --- differences


def _by_id(r):
    return {c.number if c.id is None else c.id: c for c in r.cpus}


def _cpuid(old, new):
    a, b = _by_id(old), _by_id(new)
    for what, numbers in (("gone", a.keys() - b.keys()), ("new", b.keys() - a.keys())):
        if numbers:
            yield f"processors: {len(numbers)} {what}: {', '.join(f'{n:x}' for n in sorted(numbers)[:16])}{', ...' if len(numbers) > 16 else ''}"
    changes = {}
    both = sorted(a.keys() & b.keys())
    for n in both:
        for at in a[n].leaves.keys() & b[n].leaves.keys():
            for i, (x, y) in enumerate(zip(a[n].leaves[at], b[n].leaves[at])):
                if x != y:
                    changes.setdefault((*at, i, x, y), []).append(n)
    for (leaf, sub, i, x, y), where in sorted(changes.items()):
        who = "every processor" if len(where) == len(both) else f"{len(where)} of {len(both)} processors, the first {where[0]:x}"
        yield f"CPUID {leaf:x}H.{sub:x} {_REGISTERS[i]}: {x:08x} -> {y:08x} ({who})"


def _value(v):
    return "#GP" if v is None else f"{v:x}"


def _msrs(old, new):
    if microcode(old) and microcode(new) and microcode(old) != microcode(new):
        yield f"microcode: {', '.join(f'{v:x}' for v in microcode(old))} -> {', '.join(f'{v:x}' for v in microcode(new))}"
    for key in sorted(old.msrs.keys() & new.msrs.keys(), key=lambda k: (k[1], -1 if k[0] is None else k[0])):
        cpu, register = key
        if old.msrs[key] != new.msrs[key] and register != _MICROCODE:
            where = "every processor" if cpu is None else f"cpu {cpu}"
            yield f"register {register:x}H: {_value(old.msrs[key])} -> {_value(new.msrs[key])} ({where})"


def _ranges(offsets):
    """[1, 2, 3, 7] as "1-3, 7" in hexadecimal."""
    out = []
    for n in offsets:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in out)


def _bytes(what, old, new):
    """Bytes that both recordings know and that differ; the checksum of a table says nothing more."""
    if len(old) != len(new):
        yield f"{what}: {len(old)} -> {len(new)} bytes"
    apart = [i for i, (x, y) in enumerate(zip(old, new)) if x is not None and y is not None and x != y]
    if apart:
        yield f"{what}: bytes {_ranges(apart)} differ"


def _tables(old, new):
    a, b = ({(t.signature, sum(u.signature == t.signature for u in r.tables[:i])): t for i, t in enumerate(r.tables)} for r in (old, new))
    if not a or not b:
        return
    yield from (f"table {s}: gone" for s, _ in sorted(a.keys() - b.keys()))
    yield from (f"table {s}: new, {len(b[s, n].bytes)} bytes" for s, n in sorted(b.keys() - a.keys()))
    for key in sorted(a.keys() & b.keys()):
        yield from _bytes(f"table {key[0]}", a[key].bytes[:9] + a[key].bytes[10:], b[key].bytes[:9] + b[key].bytes[10:])


def _structures(old, new):
    a, b = ({(s.type, s.handle): s for s in r.structures} for r in (old, new))
    if not a or not b:
        return
    yield from (f"SMBIOS type {t}, handle {h:x}: gone" for t, h in sorted(a.keys() - b.keys()))
    yield from (f"SMBIOS type {t}, handle {h:x}: new" for t, h in sorted(b.keys() - a.keys()))
    for t, h in sorted(a.keys() & b.keys()):
        x, y = a[t, h], b[t, h]
        strings = [f'"{p}" -> "{q}"' for p, q in zip(x.strings, y.strings) if p != q]
        if strings:
            yield f"SMBIOS type {t}, handle {h:x}: {', '.join(strings)}"
        elif len(x.strings) != len(y.strings):
            yield f"SMBIOS type {t}, handle {h:x}: {len(x.strings)} -> {len(y.strings)} strings"
        yield from _bytes(f"SMBIOS type {t}, handle {h:x}", [None] * 4 + list(x.bytes), [None] * 4 + list(y.bytes))


def _function(f):
    return f"{f.vendor:04x}:" + ("????" if f.did is None else f"{f.did:04x}")


def _functions(old, new):
    a, b = old.functions, new.functions
    yield from (f"PCI {at} {_function(a[at])}: gone" for at in sorted(a.keys() - b.keys()) if new.is_complete(at))
    yield from (f"PCI {at} {_function(b[at])}: new" for at in sorted(b.keys() - a.keys()) if old.is_complete(at))
    for at in sorted(a.keys() & b.keys()):
        x, y = a[at], b[at]
        if x.did is not None and y.did is not None and _function(x) != _function(y):
            yield f"PCI {at}: {_function(x)} -> {_function(y)}"
        elif x.class_code != y.class_code:
            yield f"PCI {at} {_function(x)}: class {x.class_code:04x} -> {y.class_code:04x}"
        known = min(len(x.config), len(y.config))
        yield from _bytes(f"PCI {at} {_function(x)}", x.config[:known], y.config[:known])


def _memory(old, new):
    if old.memory and new.memory and old.memory != new.memory:
        gone, come = (len([m for m in p if m not in q]) for p, q in ((old.memory, new.memory), (new.memory, old.memory)))
        yield f"memory map: {gone} ranges gone, {come} new"


def _lists(old, new):
    if old.processors and new.processors and old.processors != new.processors:
        yield f"firmware's list of processors: {len(old.processors)} -> {len(new.processors)}, or in another order or state"


def differences(old, new):
    """A line each. What one of the two does not have is not compared."""
    for what in (_cpuid, _msrs, _lists, _tables, _structures, _functions, _memory):
        yield from what(old, new)
