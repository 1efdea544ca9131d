# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/support/boots.py: one stick, the boots from it, and a payload that is made to hang through QEMU's gdbstub.

For tests/drivers/resume, crash and whole-after: stock QEMU with two processors and checks of milliseconds.
"""
import functools
import json
import mmap
import os
import re
import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENV = dict(os.environ, MTOOLS_SKIP_CHECK="1")
VARIABLES = "if=pflash,unit=1,driver=null-co,read-zeroes=on,size=528K"  # as in tests/silicon/run-silicon
CHECKS = ["enum.microcode", "enum.nodes", "acpi.tables", "cross.tsc"]


CHECKING, ENDED = 3, 8  # enum journal_phase
EXCEPTION = b"\x0f\x0b"  # ud2


def journal_phase(bytes_):
    """Of the newest record (core/journal/journal.c has their form); None: there is none."""
    slots = [bytes_[at:at + 512] for at in (0, 4096) if bytes_[at:at + 8] == b"ASSAYJNL"]
    numbers = {int.from_bytes(s[16:24], "little"): int.from_bytes(s[72:76], "little") for s in slots}
    return numbers[max(numbers)] if numbers else None


class Wrong(Exception):
    """What a case saw and should not have."""


def expect(condition, message):
    if not condition:
        raise Wrong(message)


@functools.cache
def symbols():
    """name -> address in the image"""
    out = subprocess.run(["nm", os.path.join(ROOT, "build/assay.so")], capture_output=True, text=True, check=True).stdout
    return {f[2]: int(f[0], 16) for f in (line.split() for line in out.splitlines()) if len(f) == 3}


def connected(path):
    """A socket to QEMU, which may not be there yet, or there and not yet listening."""
    limit = time.monotonic() + 60
    while True:
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(60)
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
        """rax rbx rcx rdx rsi rdi of the processor that stopped"""
        got = bytes.fromhex(self.ask(b"g").decode()[:6 * 16])
        return [int.from_bytes(got[i:i + 8], "little") for i in range(0, 48, 8)]


class Machine:
    """One stick and the boots from it."""

    ram = 0, 256 << 20  # where the payload is looked for

    def __init__(self, work, name, config="", qemu=(), disk=None):
        """work: folder of the driver; qemu: arguments more; disk: those that attach the drive "payload", else an AHCI disk."""
        self.more = list(qemu)
        self.disk = disk
        self.folder = os.path.join(work, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.image = os.path.join(self.folder, "assay.img")
        subprocess.run(["cp", "--sparse=always", os.path.join(ROOT, "build/assay.img"), self.image], check=True)
        self.configure(config)
        self.serial = os.path.join(self.folder, "console.log")
        self.qemu = self.gdb = None

    def configure(self, config):
        """assay.cfg: these options, and those that every boot needs."""
        text = "exit = qemu\n" + "".join("t = %s\n" % c for c in CHECKS) + config
        if "mp =" not in config:
            text += "mp = sipi\n"
        if "watchdog" not in config:
            text += "watchdog = 6\n"
        with open(os.path.join(self.folder, "assay.cfg"), "w") as f:
            f.write(text)
        self.mtools("mcopy", "-o", os.path.join(self.folder, "assay.cfg"), "::/assay/assay.cfg")

    def mtools(self, tool, *arguments):
        return subprocess.run([tool, "-i", self.image + "@@1M", *arguments], env=ENV, capture_output=True)

    def start(self, gdb=False):
        """gdb: the machine waits for the debugger's go."""
        for name in ("gdb", "qmp", "console.log"):
            if os.path.exists(os.path.join(self.folder, name)):
                os.unlink(os.path.join(self.folder, name))
        disk = self.disk or ["-drive", "if=none,id=payload,format=raw,file=" + self.image, "-device",
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
            self.gdb = Gdb(os.path.join(self.folder, "gdb"))
            self.gdb.ask(b"?")
            self.gdb.go()

    def wait_for(self, what, seconds, message):
        limit = time.monotonic() + seconds
        while not what():
            expect(time.monotonic() < limit and self.qemu.poll() is None, message + "; console: %r" % self.console()[-300:])
            time.sleep(0.005)

    def console(self):
        try:
            with open(self.serial, "rb") as f:
                return re.sub(r"\x1b\[[0-9;?=]*[A-Za-z]", "", f.read().decode("latin-1"))
        except FileNotFoundError:
            return ""

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

    def image_base(self):
        """Where firmware loaded the payload: the copy whose app.st is filled in; None: it has not begun."""
        ram = os.path.join(self.folder, "ram")
        start, size = self.ram
        self.qmp("pmemsave", val=start, size=size, filename=ram)
        with open(os.path.join(ROOT, "build/assay.so"), "rb") as f:
            so = f.read()
        at, app = symbols()["assay_build_id"], symbols()["app"]
        note = b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0"  # ELF note: sizes of name and digest, type, name
        digest = so[so.index(note):][:len(note) + 20]
        with open(ram, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
            where = m.find(digest)
            while where >= 0:
                base = where - at
                st = int.from_bytes(m[base + app:base + app + 8], "little") - start if base >= 0 else 0
                if 0 < st < size and m[st:st + 8] == b"IBI SYST":
                    return start + base
                where = m.find(digest, where + 1)
        return None

    def hang_at(self, phase, check, patch):
        """Boot; when that phase, and check, begins, patch(gdb, base) puts the hang in. The machine continues into it."""
        self.start(gdb=True)
        self.wait_for(lambda: "BdsDxe: starting" in self.console(), 60, "nothing is started")
        self.patch_at(phase, check, patch)

    def patch_at(self, phase, check, patch):
        """The same in a machine with a debugger, which is about to start the payload."""
        g, results = self.gdb, self.console().count("RESULT")
        g.interrupt()
        while (base := self.image_base()) is None:  # it measures the TSC for 100 ms before anything else
            expect(self.console().count("RESULT") == results, "the payload is not found in memory")
            g.go()
            time.sleep(0.05)
            g.interrupt()
        at = base + symbols()["resume_at"]
        expect(g.ask(b"Z0,%x,1" % at) == b"OK", "no breakpoint")
        for _ in range(40):
            g.go()
            g.reply()
            _, _, rcx, rdx, _, _ = g.registers()
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

    def end(self, seconds=90):
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


def run_errors(lines):
    return [e for line in lines if (e := line.get("testRunArtifact", {}).get("error"))]


def run_cases(driver, cases, names):
    """Two at a time; a PASS or FAIL line each, for scripts/run-tests."""
    def one(name):
        began = time.monotonic()
        try:
            said = cases[name]()
            return "PASS %s: %s (%.0f s)%s" % (driver, name, time.monotonic() - began, ": " + said if said else "")
        except Wrong as e:
            return "FAIL %s: %s: %s" % (driver, name, e)
        except Exception as e:  # a case that breaks is a failure that says where
            return "FAIL %s: %s: %s: %s" % (driver, name, type(e).__name__, e)

    with ThreadPoolExecutor(2) as pool:
        for line in pool.map(one, names or list(cases)):
            print(line, flush=True)
