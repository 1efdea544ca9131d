# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/support/drivers/boots.py: one stick, the boots from it, and a payload that is made to hang through QEMU's gdbstub.

For drivers that debug a payload: stock QEMU with two processors and checks of milliseconds, or a machine of run-silicon (Running).
"""
import functools
import json
import mmap
import os
import re
import shutil
import socket
import struct
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
ENV = dict(os.environ, MTOOLS_SKIP_CHECK="1")
VARIABLES = "if=pflash,unit=1,driver=null-co,read-zeroes=on,size=528K"  # as in tests/silicon/run-silicon
CHECKS = ["enum.microcode", "enum.nodes", "acpi.tables", "cross.tsc"]


PATIENCE = 300  # seconds for what takes a few: a host may have other work
CHECKING, ENDED = 3, 8  # enum journal_phase
EXCEPTION = b"\x0f\x0b"  # ud2
HOLD = b"\xeb\xfe"  # jmp to itself


def journal_phase(bytes_):
    """Of the newest record (core/journal/journal.c has their form); None: there is none."""
    slots = [bytes_[at:at + 512] for at in (0, 4096) if bytes_[at:at + 8] == b"ASSAYJNL"]
    numbers = {int.from_bytes(s[16:24], "little"): int.from_bytes(s[72:76], "little") for s in slots}
    return numbers[max(numbers)] if numbers else None


class Wrong(Exception):
    """What a case saw and should not have."""


class Missing(Exception):
    """What a case needs and the host does not have."""


def expect(condition, message):
    if not condition:
        raise Wrong(message)


@functools.cache
def symbols():
    """name -> address in the image"""
    out = subprocess.run(["nm", os.path.join(ROOT, "build/assay.so")], capture_output=True, text=True, check=True).stdout
    return {f[2]: int(f[0], 16) for f in (line.split() for line in out.splitlines()) if len(f) == 3}


@functools.cache
def entry():
    """(where the first instruction is in build/assay.efi, it and those after it)"""
    with open(os.path.join(ROOT, "build/assay.efi"), "rb") as f:
        pe = f.read()
    header, = struct.unpack_from("<I", pe, 0x3C)
    sections, optional, at = struct.unpack_from("<H12xH18xI", pe, header + 6)
    for i in range(sections):
        size, address, _, start = struct.unpack_from("<4I", pe, header + 24 + optional + 40 * i + 8)
        if address <= at < address + size:
            return start + at - address, pe[start + at - address:][:64]
    raise Wrong("build/assay.efi: no section has the entry point")


def hold(path):
    """build/assay.efi under another name, where it waits at its first instruction for held()."""
    at, _ = entry()
    with open(os.path.join(ROOT, "build/assay.efi"), "rb") as f:
        pe = f.read()
    with open(path, "wb") as f:
        f.write(pe[:at] + HOLD + pe[at + len(HOLD):])


def connected(path):
    """A socket to QEMU, which may not be there yet, or there and not yet listening."""
    limit = time.monotonic() + PATIENCE
    while True:
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(PATIENCE)
        try:
            s.connect(path)
            return s
        except OSError as e:
            s.close()
            expect(time.monotonic() < limit, "%s: %s" % (path, e))
            time.sleep(0.05)


class Gdb:
    """As much of GDB's remote protocol as a hang takes."""

    def __init__(self, path):
        self.s = connected(path)
        self.rest = b""

    def send(self, text):
        self.s.sendall(b"$%s#%02x" % (text, sum(text) & 0xFF))

    def reply(self):
        while True:
            m = re.search(rb"\$([^#]*)#[0-9a-f]{2}", self.rest)
            if m:
                self.rest = self.rest[m.end():]
                self.s.sendall(b"+")
                return m.group(1)
            got = self.s.recv(65536)
            expect(got, "the gdbstub went away")
            self.rest += got

    def ask(self, text):
        self.send(text)
        return self.reply()

    def go(self):
        self.send(b"c")

    def interrupt(self):
        self.s.sendall(b"\x03")
        return self.reply()

    def read(self, at, n):
        got = self.ask(b"m%x,%x" % (at, n))
        expect(not got.startswith(b"E"), "memory at %#x cannot be read" % at)
        return bytes.fromhex(got.decode())

    def number(self, at):
        return int.from_bytes(self.read(at, 8), "little")

    def write(self, at, what):
        expect(self.ask(b"M%x,%x:%s" % (at, len(what), what.hex().encode())) == b"OK", "memory cannot be written")

    def registers(self):
        """rax rbx rcx rdx rsi rdi rbp rsp r8 to r15 rip of the processor that stopped, or that Hg names"""
        return struct.unpack("<17Q", bytes.fromhex(self.ask(b"g").decode()[:17 * 16]))


class Stick:
    """A copy of build/assay.img in a folder of its own, and what boots from it say on the serial line."""

    def __init__(self, work, name):
        self.folder = os.path.join(work, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.image = os.path.join(self.folder, "assay.img")
        self.serial = os.path.join(self.folder, "console.log")
        subprocess.run(["cp", "--sparse=always", os.path.join(ROOT, "build/assay.img"), self.image], check=True)

    def mtools(self, tool, *arguments):
        return subprocess.run([tool, "-i", self.image + "@@1M", *arguments], env=ENV, capture_output=True)

    def put(self, path, content):
        """A file of that text, or of those bytes."""
        source = os.path.join(self.folder, "put")
        with open(source, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        done = self.mtools("mcopy", "-o", source, "::" + path)
        expect(done.returncode == 0, "mcopy: " + done.stderr.decode())

    def console(self):
        """Without colours and cursor movement."""
        try:
            with open(self.serial, "rb") as f:
                return re.sub(r"\x1b\[[0-9;?=]*[A-Za-z]", "", f.read().decode("latin-1"))
        except FileNotFoundError:
            return ""


class Machine(Stick):
    """A stick and the boots from it."""

    def __init__(self, work, name, config="", qemu=(), disk=None):
        """work: folder of the driver; qemu: arguments more; disk: those that attach the drive "payload", else an AHCI disk."""
        super().__init__(work, name)
        self.more = list(qemu)
        self.disk = disk
        self.configure(config)
        self.qemu = self.gdb = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def configure(self, config):
        """assay.cfg: these options, and those that every boot needs."""
        text = "exit = qemu\n" + "".join("t = %s\n" % c for c in CHECKS) + config
        if "mp =" not in config:
            text += "mp = sipi\n"
        if "watchdog" not in config:
            text += "watchdog = 6\n"
        self.put("/assay/assay.cfg", text)

    def start(self, gdb=False):
        """gdb: the machine waits for the debugger's go."""
        for name in ("gdb", "qmp", "console.log"):
            if os.path.exists(os.path.join(self.folder, name)):
                os.unlink(os.path.join(self.folder, name))
        disk = self.disk or ["-drive", "if=none,id=payload,format=raw,cache=unsafe,file=" + self.image, "-device",
                             "ide-hd,bus=ide.0,drive=payload,bootindex=0"]
        ovmf = "/usr/share/OVMF/OVMF_CODE_4M.fd"
        args = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "Broadwell-noTSX,-x2apic", "-smp",
                "2", "-m", "256M", "-display", "none", "-nodefaults", "-monitor", "none", "-device",
                "isa-debug-exit,iobase=0xf4,iosize=4", "-drive", "if=pflash,format=raw,unit=0,readonly=on,file=" + ovmf,
                "-drive", VARIABLES, *disk,
                "-smbios", "type=1,serial=RESUME1", "-serial", "file:" + self.serial, "-qmp",
                "unix:%s,server=on,wait=off" % os.path.join(self.folder, "qmp"), *self.more]
        if gdb:
            args += ["-S", "-chardev", "socket,id=gdb,server=on,wait=off,path=" + os.path.join(self.folder, "gdb"), "-gdb",
                     "chardev:gdb"]
        with open(os.path.join(self.folder, "qemu.log"), "a") as log:
            self.qemu = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if gdb:
            self.debug()

    def debug(self):
        """The machine waits for the debugger, and goes."""
        self.gdb = Gdb(os.path.join(self.folder, "gdb"))
        self.gdb.ask(b"?")
        self.gdb.go()

    def wait_for(self, what, message, seconds=PATIENCE):
        limit = time.monotonic() + seconds
        while not what():
            expect(time.monotonic() < limit and self.qemu.poll() is None, message + "; console: %r" % self.console()[-300:])
            time.sleep(0.005)

    def qmp(self, command, **arguments):
        with connected(os.path.join(self.folder, "qmp")) as s:
            f = s.makefile("rw")
            f.readline()
            for line in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                f.write(json.dumps(line) + "\n")
                f.flush()
                while "return" not in (answer := json.loads(f.readline())):
                    expect("error" not in answer, "QMP: %s" % answer)
        return answer["return"]

    def held(self):
        """The payload, of a held image, waits at its first instruction, which is put back: where it is loaded."""
        g, limit = self.gdb, time.monotonic() + PATIENCE
        waits = (HOLD + entry()[1][len(HOLD):]).hex().encode()
        g.interrupt()
        while g.ask(b"Hg1") != b"OK" or g.ask(b"m%x,%x" % (rip := g.registers()[16], len(waits) // 2)) != waits:
            expect(time.monotonic() < limit, "the payload does not begin")
            g.go()
            time.sleep(0.05)
            g.interrupt()
        g.write(rip, entry()[1][:len(HOLD)])
        return rip - symbols()["image_entry"]

    def hold(self, name):
        """The file of the stick is an image for held()."""
        path = os.path.join(self.folder, "held.efi")
        hold(path)
        expect(self.mtools("mcopy", "-o", path, "::" + name).returncode == 0, "mcopy")

    def as_built(self):
        """The next boot's image does not wait."""
        with open(self.image, "r+b") as disk, mmap.mmap(disk.fileno(), 0) as stick:
            at = stick.find(HOLD + entry()[1][len(HOLD):])
            stick[at:at + len(HOLD)] = entry()[1][:len(HOLD)]

    def hang_at(self, phase, check, patch):
        """Boot; when that phase, and check, begins, patch(gdb, base) puts the hang in. The machine continues into it."""
        self.hold("/EFI/BOOT/BOOTX64.EFI")
        self.start(gdb=True)
        self.wait_for(lambda: "BdsDxe: starting" in self.console(), "nothing is started")
        self.patch_at(phase, check, patch)

    def patch_at(self, phase, check, patch):
        """The same in a machine with a debugger, which is about to start a held image."""
        g, base = self.gdb, self.held()
        self.as_built()
        at = base + symbols()["resume_at"]
        expect(g.ask(b"Z0,%x,1" % at) == b"OK", "no breakpoint")
        for _ in range(40):
            g.go()
            g.reply()
            _, _, rcx, rdx, *_ = g.registers()
            name = g.read(rcx, 40).split(b"\0")[0].decode() if rcx else ""
            if rdx & 0xFFFFFFFF == phase and (check is None or name == check):
                break
            g.ask(b"z0,%x,1" % at)
            g.ask(b"s")
            g.ask(b"Z0,%x,1" % at)
        else:
            raise Wrong("phase %d does not begin" % phase)
        g.ask(b"z0,%x,1" % at)
        patch(g, base)
        g.send(b"D")
        g.reply()
        g.s.close()

    def end(self, seconds=PATIENCE):
        """Until QEMU ends by itself."""
        try:
            status = self.qemu.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Wrong("no end; console: %r" % self.console()[-400:]) from None
        return status

    def kill(self):
        if self.qemu and self.qemu.poll() is None:
            self.qemu.kill()
            self.qemu.wait()

    def reports(self, under="::/assay/reports"):
        out = os.path.join(self.folder, "reports")
        shutil.rmtree(out, ignore_errors=True)
        self.mtools("mcopy", "-s", "-Q", under, self.folder)
        self.journals = []  # of runs without an end
        for name in sorted(n for n in os.listdir(out) if n.endswith(".journal")):
            with open(os.path.join(out, name), "rb") as f:
                self.journals += [name] if journal_phase(f.read()) != ENDED else []
        return sorted(os.path.join(out, n) for n in os.listdir(out) if os.path.exists(os.path.join(out, n, "report.jsonl")))

    def report(self, folder=None):
        """The one report of the run, or that in the folder, valid: its lines."""
        if folder is None:
            folders = self.reports()
            expect(len(folders) == 1, "%d reports: %s" % (len(folders), folders))
            folder = folders[0]
        path = os.path.join(folder, "report.jsonl")
        done = subprocess.run([os.path.join(ROOT, "scripts/validate-report"), path], capture_output=True, text=True)
        expect(done.returncode == 0, "not valid: " + (done.stdout + done.stderr)[:300])
        with open(path, "rb") as f:
            return [json.loads(line) for line in f]


def steps(lines):
    """[name, status, errors, extensions] in the order of the stream"""
    out = []
    for line in lines:
        s = line.get("testStepArtifact", {})
        if "testStepStart" in s:
            out.append([s["testStepStart"]["name"], None, [], {}])
        elif "testStepEnd" in s:
            out[-1][1] = s["testStepEnd"]["status"]
        elif "error" in s:
            out[-1][2].append(s["error"])
        elif "extension" in s:
            out[-1][3][s["extension"]["name"]] = s["extension"]["content"]
    return out


class Running(Machine):
    """A machine that tests/silicon/run-silicon started: it ends by itself, and its run's end is judged elsewhere."""

    def __init__(self, folder, console):
        self.folder, self.serial, self.qemu = folder, console, self

    def poll(self):
        return None

    def as_built(self):
        """It runs the image once."""

    def until(self, text, times=1):
        self.wait_for(lambda: self.console().count(text) >= times, "no %r" % text, 60 * 15)


def run_errors(lines):
    return [e for line in lines if (e := line.get("testRunArtifact", {}).get("error"))]


def run_cases(driver, cases, names, at_a_time=2):
    """A PASS, FAIL or SKIP line each, for scripts/run-tests."""
    def one(name):
        began = time.monotonic()
        try:
            said = cases[name]()
            return "PASS %s: %s (%.0f s)%s" % (driver, name, time.monotonic() - began, ": " + said if isinstance(said, str) else "")
        except Missing as e:
            return "SKIP %s: %s: %s" % (driver, name, e)
        except Wrong as e:
            return "FAIL %s: %s: %s" % (driver, name, e)
        except Exception as e:  # a case that breaks is a failure that says where
            return "FAIL %s: %s: %s: %s" % (driver, name, type(e).__name__, e)

    with ThreadPoolExecutor(at_a_time) as pool:
        for line in pool.map(one, names or list(cases)):
            print(line, flush=True)
