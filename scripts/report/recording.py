# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What was recorded of a machine (docs/recording.md): read, written, printed and compared. What a recording does not have is unknown, and
never zero: None, or a key that is not there."""
from __future__ import annotations

import re
from dataclasses import dataclass, field

from . import files, safe
from .stream import StreamError

FORM = 1
_NOTES = ("time", "firmware", "serials", "tsc")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|.)", re.S)
_FIELD = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]\S*))')
_FUNCTION = re.compile(r"([0-9a-f]{4}):([0-9a-f]{2}):([01][0-9a-f])\.([0-7])", re.I)
_DID = re.compile(r"([0-9a-f]{4}):([0-9a-f]{4}|\?{4})", re.I)
BYTES_MOST = 1 << 20  # of one table, function or region


class Word(str):
    """A field without quotes."""


@dataclass
class Cpu:
    number: int
    id: int | None = None
    leaves: dict = field(default_factory=dict)  # (leaf, sub-leaf): (EAX, EBX, ECX, EDX)


@dataclass
class Table:
    signature: str
    address: int = 0
    bytes: list = field(default_factory=list)  # None: unknown

    def image(self):
        """The bytes as firmware would have them: unknown ones are 0, and an unknown checksum is one that fits."""
        image = bytearray(b or 0 for b in self.bytes)
        if len(image) > 9 and self.bytes[9] is None:
            image[9] = -sum(image) & 0xFF
        return bytes(image)


@dataclass
class Structure:
    type: int
    handle: int
    bytes: bytes  # what follows the header
    strings: list = field(default_factory=list)  # latin-1

    def string(self, offset):
        """That whose number is at `offset` of the structure; "" where there is none."""
        number = self.value(offset, 1) or 0
        return self.strings[number - 1] if 0 < number <= len(self.strings) else ""

    def value(self, offset, n):
        at = offset - 4
        return int.from_bytes(self.bytes[at:at + n], "little") if 0 <= at and at + n <= len(self.bytes) else None


@dataclass
class Function:
    at: str  # "0000:7f:14.0"
    class_code: int
    vendor: int
    did: int | None
    revision: int | None = None
    buses: tuple | None = None  # of a bridge: secondary and subordinate
    node: int | None = None
    driver: str = ""
    config: list = field(default_factory=list)


@dataclass
class Recording:
    name: str = ""
    source: str = ""
    made_by: str = ""
    notes: dict = field(default_factory=dict)
    cpus: list = field(default_factory=list)
    processors: list = field(default_factory=list)  # (APIC id, flags) as firmware's processor services list them
    msrs: dict = field(default_factory=dict)  # (cpu's number or None for every one, register): value, or None: #GP
    tables: list = field(default_factory=list)
    smbios: str = ""  # version; "": it was not recorded
    structures: list = field(default_factory=list)
    functions: dict = field(default_factory=dict)  # at: Function
    complete: list = field(default_factory=list)  # "0000" or "0000:7f": where no other function answered than those here
    regions: dict = field(default_factory=dict)  # address: bytes
    memory: list = field(default_factory=list)  # (base, bytes, type)

    def is_complete(self, at):
        return at[:4] in self.complete or at[:7] in self.complete

    def table(self, signature):
        return next((t for t in self.tables if t.signature == signature), None)

    def smbios_image(self):
        out = bytearray()
        for s in self.structures:
            out += bytes((s.type, len(s.bytes) + 4, s.handle & 0xFF, s.handle >> 8)) + s.bytes
            out += b"".join(t.encode("latin-1") + b"\0" for t in s.strings) + (b"\0" if s.strings else b"\0\0")
        return bytes(out)


# --- reading


def _split(line):
    fields, at = [], 0
    line = line.rstrip()
    while at < len(line):
        m = _FIELD.match(line, at)
        if not m:
            raise ValueError("a quote is not closed")
        at = m.end()
        fields.append(Word(m[2]) if m[1] is None else _ESCAPE.sub(lambda e: chr(int(e[1][1:], 16)) if len(e[1]) > 1 else e[1], m[1]))
    return fields


def _hex(fields, i, most=0xFFFFFFFF):
    if i >= len(fields):
        raise ValueError(f"field {i + 1} is missing")
    if not _HEX.fullmatch(fields[i]) or int(fields[i], 16) > most:
        raise ValueError(f'"{fields[i][:40]}" is no number up to {most:x}')
    return int(fields[i], 16)


def _decimal(text, what):
    if not text.isascii() or not text.isdigit() or int(text) > 0xFFFFFFFF:
        raise ValueError(f'{what}: "{text[:40]}" is no number')
    return int(text)


def put_id(leaf, regs, number):
    """Where an x2APIC id stands in CPUID: SDM vol. 2A, leaves 01H, 0BH, 1FH; APM vol. 3 E.4.16, E.4.24."""
    a, b, c, d = regs
    if leaf == 1:
        return a, b & 0xFFFFFF | (number & 0xFF) << 24, c, d
    if leaf in (0xB, 0x1F, 0x80000026):
        return a, b, c, number
    return (number, b, c, d) if leaf == 0x8000001E else regs


class _Reader:
    def __init__(self):
        self.r = Recording()
        self.bytes = None  # of the last table, function or region
        self.limit = BYTES_MOST
        self.before = {}  # type: the last structure
        self.numbers = set()

    def recording(self, f):
        if f[1:] != [str(FORM)]:
            raise ValueError(f"form {' '.join(f[1:]) or 'missing'} is not {FORM}, the only one that is known")

    def text(self, f):
        setattr(self.r, f[0].replace("-", "_"), " ".join(f[1:]))

    def note(self, f):
        if len(f) < 2:
            raise ValueError(f"{f[0]} says nothing")
        self.r.notes[f[0]] = " ".join(f[1:])

    def cpu(self, f):
        if len(f) not in (2, 4) or (len(f) == 4 and f[2] != "id"):
            raise ValueError("cpu: a number is wanted, and id with a hexadecimal number may follow")
        c = Cpu(_decimal(f[1], "cpu"), _hex(f, 3) if len(f) == 4 else None)
        if c.number in self.numbers:
            raise ValueError(f"cpu {c.number} is there twice")
        self.numbers.add(c.number)
        if self.r.cpus:
            c.leaves = {at: put_id(at[0], regs, c.id) if c.id is not None else regs for at, regs in self.r.cpus[0].leaves.items()}
        self.r.cpus.append(c)

    def absent(self, f):
        if not self.r.cpus:
            raise ValueError("absent before the first cpu")
        self.r.cpus[-1].leaves.pop((_hex(f, 1), _hex(f, 2)), None)

    def leaf(self, f):
        if not self.r.cpus or len(f) != 6:
            raise ValueError(f'"{f[0][:40]}" begins no line of a recording')
        at = _hex(f, 0), _hex(f, 1)
        of_first = self.r.cpus[-1].leaves.get(at)
        if not of_first and "." in f[2:]:
            raise ValueError(f"leaf {f[0]} {f[1]}: cpu 0 has no such line")
        self.r.cpus[-1].leaves[at] = tuple(of_first[i] if f[2 + i] == "." else _hex(f, 2 + i) for i in range(4))

    def mp(self, f):
        self.r.processors.append((_hex(f, 1), _hex(f, 2)))

    def msr(self, f):
        if len(f) != 4:
            raise ValueError(f"msr has {len(f)} fields and not 4")
        cpu = None if f[1] == "all" else _decimal(f[1], "msr")
        if cpu is not None and cpu not in self.numbers:
            raise ValueError(f"msr of cpu {cpu}, which has no line of its own")
        self.r.msrs[cpu, _hex(f, 2)] = None if f[3] == "#GP" else _hex(f, 3, 2**64 - 1)

    def table(self, f):
        if len(f) < 2 or len(f[1]) != 4 or len(f) % 2:
            raise ValueError("table has no signature of four letters")
        words = {f[i]: _hex(f, i + 1, 2**64 - 1 if f[i] == "at" else BYTES_MOST) for i in range(2, len(f), 2)}
        if words.keys() - {"at", "length"}:
            raise ValueError(f"table {f[1]}: \"{min(words.keys() - {'at', 'length'})}\" is neither at nor length")
        t = Table(str(f[1]), words.get("at", 0), [None] * words.get("length", 0))
        self.r.tables.append(t)
        self.bytes, self.limit = t.bytes, len(t.bytes) or BYTES_MOST

    def region(self, f):
        self.bytes = self.r.regions.setdefault(_hex(f, 1, 2**64 - 1), [])

    def memory(self, f):
        self.r.memory.append((_hex(f, 1, 2**64 - 1), _hex(f, 2, 2**64 - 1), _hex(f, 3)))

    def version(self, f):
        if len(f) != 2 or not re.fullmatch(r"\d[\d.]{0,6}", f[1]):
            raise ValueError("smbios has no version")
        self.r.smbios = str(f[1])

    def structure(self, f):
        if len(f) < 4:
            raise ValueError("structure needs a type, a handle and bytes")
        kind = _decimal(f[1], "structure")
        handle, before = _hex(f, 2, 0xFFFF), self.before.get(kind)
        if not before and any(isinstance(w, Word) and w == "." for w in f[3:]):
            raise ValueError(f"structure {f[1]} {f[2]} is as one before it, and there is none")
        if kind > 255 or len(f[3]) > 502:
            raise ValueError(f"structure of type {kind} and {len(f[3])} digits")
        data = before.bytes if f[3] == "." else bytes.fromhex(f[3].replace("-", ""))
        strings = []
        for i, w in enumerate(f[4:]):
            again = isinstance(w, Word) and w == "."
            if again and i >= len(before.strings):
                raise ValueError(f"string {i + 1} is as one before it, and there is none")
            strings.append(before.strings[i] if again else str(w))
        self.before[kind] = Structure(kind, handle, data, strings)
        self.r.structures.append(self.before[kind])

    def pci(self, f):
        place, did = (_FUNCTION.fullmatch(f[1]), _DID.fullmatch(f[3])) if len(f) >= 4 and len(f) % 2 == 0 else (None, None)
        if not place or not did:
            raise ValueError("pci needs SSSS:BB:DD.F, a class and VVVV:DDDD, then pairs of a word and a value")
        at = f[1].lower()
        if at in self.r.functions:
            raise ValueError(f"function {at} is there twice")
        fn = Function(at, _hex(f, 2, 0xFFFF), int(did[1], 16), None if did[2] == "????" else int(did[2], 16))
        for word, value in zip(f[4::2], f[5::2]):
            if word == "rev":
                fn.revision = _hex([value], 0, 0xFF)
            elif word == "node":
                fn.node = _decimal(value, "node")
            elif word == "buses" and (m := re.fullmatch(r"([0-9a-f]{2})-([0-9a-f]{2})", value, re.I)):
                fn.buses = int(m[1], 16), int(m[2], 16)
            elif word == "driver":
                fn.driver = str(value)
            else:
                raise ValueError(f'"{word} {value[:40]}" is no detail of a PCI function')
        self.r.functions[at] = fn
        self.bytes = fn.config

    def completed(self, f):
        for bus in f[1:] or [""]:
            if not re.fullmatch(r"[0-9a-f]{4}(:[0-9a-f]{2})?", bus):
                raise ValueError(f'complete: "{bus[:40]}" is neither SSSS nor SSSS:BB')
            self.r.complete.append(str(bus))

    def some_bytes(self, f):
        if self.bytes is None:
            raise ValueError("bytes that belong to no table, function or region")
        if len(f) != 2 or len(f[1]) % 2 or not _HEX.fullmatch(f[1]):
            raise ValueError("an offset and bytes are wanted")
        at, data = _hex(f, 0, BYTES_MOST), bytes.fromhex(f[1])
        if at + len(data) > self.limit:
            raise ValueError("bytes beyond the table's length")
        self.bytes.extend([None] * (at + len(data) - len(self.bytes)))
        self.bytes[at:at + len(data)] = data

    KEYWORDS = {"recording": recording, "name": text, "source": text, "made-by": text, "cpu": cpu, "absent": absent, "mp": mp, "msr": msr,
                "table": table, "region": region, "memory": memory, "smbios": version, "structure": structure, "pci": pci, "complete": completed,
                **dict.fromkeys(_NOTES, note)}

    def line(self, line):
        f = _split(line)
        if not f:
            return
        if line[0] == " ":
            return self.some_bytes(f)
        self.bytes, self.limit = None, BYTES_MOST
        self.KEYWORDS.get(f[0], _Reader.leaf)(self, f)


def parse(text, path="recording"):
    reader = _Reader()
    for n, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            continue
        try:
            reader.line(line.rstrip("\r"))
        except ValueError as e:
            raise StreamError(f"{path}:{n}: {e}") from e
    return reader.r


def read(path):
    text = files.content(path)
    if b"\0" in text:
        raise StreamError(f"{path}: not a recording of a machine: it has bytes of 0 (assay-report import reads what other programs made)")
    r = parse(text.decode("latin-1"), path)
    if not (r.cpus or r.tables or r.structures or r.functions or r.memory or r.processors):
        raise StreamError(f"{path}: nothing of a machine is recorded there")
    return r


# --- writing


def _quoted(text):
    return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\x{ord(c):02x}" for c in text) + '"'


def _bytes(data):
    """Lines of 32 bytes at most, none for what is unknown."""
    at = 0
    while at < len(data):
        end = at
        while end < len(data) and end - at < 32 and data[end] is not None:
            end += 1
        if end > at:
            yield f" {at:x} {bytes(data[at:end]).hex()}"
        at = max(end, at + 1)


def _cpu_lines(c, first):
    if c is first:
        yield f"cpu {c.number}" + (f" id {c.id:x}" if c.id is not None else "")
        for (leaf, sub), regs in sorted(c.leaves.items()):
            yield f"{leaf:x} {sub:x} " + " ".join(f"{v:x}" for v in regs)
        return
    yield f"cpu {c.number}" + (f" id {c.id:x}" if c.id is not None else "")
    for (leaf, sub), regs in sorted(c.leaves.items()):
        like = first.leaves.get((leaf, sub))
        if like and c.id is not None:
            like = put_id(leaf, like, c.id)
        if regs != like:
            yield f"{leaf:x} {sub:x} " + " ".join("." if like and v == w else f"{v:x}" for v, w in zip(regs, like or (None,) * 4))
    for leaf, sub in sorted(first.leaves.keys() - c.leaves.keys()):
        yield f"absent {leaf:x} {sub:x}"


def _structure_lines(structures):
    before = {}
    for s in structures:
        like = before.get(s.type)
        strings = ["." if like and i < len(like.strings) and like.strings[i] == t else _quoted(t) for i, t in enumerate(s.strings)]
        yield " ".join([f"structure {s.type} {s.handle:x}", "." if like and like.bytes == s.bytes else s.bytes.hex() or "-", *strings])
        before[s.type] = s


def _function_lines(f):
    words = [f"pci {f.at} {f.class_code:04x} {f.vendor:04x}:" + ("????" if f.did is None else f"{f.did:04x}")]
    words += [f"rev {f.revision:x}"] if f.revision is not None else []
    words += [f"buses {f.buses[0]:02x}-{f.buses[1]:02x}"] if f.buses else []
    words += [f"node {f.node}"] if f.node is not None else []
    words += [f"driver {f.driver}"] if f.driver else []
    yield " ".join(words)
    yield from _bytes(f.config)


def lines(r):
    yield f"recording {FORM}"
    for word in ("name", "source", "made_by"):
        if getattr(r, word):
            yield f"{word.replace('_', '-')} {getattr(r, word)}"
    yield from (f"{word} {r.notes[word]}" for word in _NOTES if word in r.notes)
    for c in r.cpus:
        yield from _cpu_lines(c, r.cpus[0])
    yield from (f"mp {number:x} {flags:x}" for number, flags in r.processors)
    for (cpu, register), value in r.msrs.items():
        yield f"msr {'all' if cpu is None else cpu} {register:x} {'#GP' if value is None else f'{value:x}'}"
    for t in r.tables:
        whole = None not in t.bytes
        yield f"table {t.signature}" + (f" at {t.address:x}" if t.address else "") + ("" if whole else f" length {len(t.bytes):x}")
        yield from _bytes(t.bytes)
    if r.smbios:
        yield f"smbios {r.smbios}"
    yield from _structure_lines(r.structures)
    if r.complete:
        yield "complete " + " ".join(r.complete)
    for f in r.functions.values():
        yield from _function_lines(f)
    for address, data in r.regions.items():
        yield f"region {address:x}"
        yield from _bytes(data)
    yield from (f"memory {base:x} {n:x} {kind:x}" for base, n, kind in r.memory)


def written(r):
    return "".join(f"{line}\n" for line in lines(r))
