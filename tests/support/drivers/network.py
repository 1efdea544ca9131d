# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/support/drivers/network.py: machines without a stick, and the servers that they boot from and send their reports to.

Debian's OVMF, stock QEMU, two processors. Servers listen on loopback, which QEMU's user network shows the guest as 10.0.2.2; or the whole of it
is in a network namespace of its own, with a tap device (class Lab).
"""
import contextlib
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time

from boots import ROOT, VARIABLES, connected, expect

WORK = os.path.join(ROOT, "build/network-tests")
OVMF = "/usr/share/OVMF/OVMF_%s_4M.fd"
CONFIG = "exit = qemu\nui = lines\nt = enum.microcode\n"
MAC = "52:54:00:12:34:ab"
TOKEN = "k3y-of-the-lab"
LIMIT = 300  # seconds for a machine; none of these takes a tenth of it alone


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file F of the folder is also /moved/F, by a redirection, and /away/F, by one to another server."""

    def do_GET(self):
        for old, new, code in (("/moved/", "/", 308), ("/away/", "http://10.0.2.99/", 302)):
            if self.path.startswith(old):
                self.send_response(code)
                self.send_header("Location", new + self.path[len(old):])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        super().do_GET()

    def log_message(self, *arguments):
        self.server.said.append(self.requestline)


class Server:
    """Files of a folder, by HTTP on a port of loopback; `said`: the requests."""

    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        self.server.said = self.said = []
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Put(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        inbox, body = self.server.inbox, self.rfile.read(int(self.headers["Content-Length"]))
        with inbox.lock:
            inbox.requests.append((self.path, len(body), self.headers.get("Authorization")))
            code = inbox.answer(self.path, len(inbox.requests)) if inbox.answer else 201
            if code == 201:
                inbox.files[self.path.rsplit("/", 1)[1]] = body
            inbox.lock.notify_all()
        if code is None:  # silence, until the other side gives up
            self.close_connection = True
            with contextlib.suppress(OSError):
                while self.connection.recv(4096):
                    pass
            return
        if inbox.interim:
            self._headers_buffer = [b"HTTP/1.1 100 Continue\r\n\r\n"]  # in one segment with what follows
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_HEAD(self):
        file = self.server.inbox.files.get(self.path.rsplit("/", 1)[1])
        self.send_response(404 if file is None else 200)
        self.send_header("Content-Length", len(file or b""))
        self.end_headers()

    def log_message(self, *arguments):
        pass


class PutServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A machine that is killed, or whose interface is shut down, leaves connections behind."""


class Inbox:
    """A server that takes reports, or does what answer(path, number of the request) says: a status, or None for silence. interim: it says 100
    Continue before it, unasked."""

    def __init__(self, answer=None, interim=False):
        self.interim, self.answer, self.files, self.requests, self.lock = interim, answer, {}, [], threading.Condition()
        self.server = PutServer(("127.0.0.1", 0), Put)
        self.server.inbox = self
        self.url = "http://10.0.2.2:%d/inbox/" % self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def wait_for(self, n):
        with self.lock:
            expect(self.lock.wait_for(lambda: len(self.requests) >= n, LIMIT), "only %d requests came" % len(self.requests))


NGINX = """daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
{user}
events {{ worker_connections 64; }}
http {{
    access_log {folder}/access.log; client_body_temp_path {folder}/body; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; default_type application/octet-stream;
    {more}
    server {{
        {listen}
        location /boot/ {{ alias {boot}/; }}
        location /inbox/ {{
            if ($http_authorization != "Bearer {token}") {{ return 401; }}
            root {folder}; dav_methods PUT; create_full_put_path on; client_max_body_size {most};
        }}
    }}
}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def certificate(folder, name, host):
    """Key and certificate that says `host`, by themselves an authority."""
    key, cert = os.path.join(folder, name + ".key"), os.path.join(folder, name + ".pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "3650", "-subj", "/CN=" + host,
                    "-addext", "subjectAltName=" + ("IP:" if host[0].isdigit() or ":" in host else "DNS:") + host], check=True, capture_output=True)
    return cert, key


def authorities(folder, cert):
    """OVMF's etc/edk2/https/cacerts: an EFI_SIGNATURE_LIST of X.509 certificates (UEFI 2.10, 32.4.1)."""
    der, path = os.path.join(folder, "ca.der"), os.path.join(folder, "cacerts.bin")
    subprocess.run(["openssl", "x509", "-in", cert, "-outform", "DER", "-out", der], check=True)
    with open(der, "rb") as f:
        data = f.read()
    x509 = bytes.fromhex("a159c0a5e494a74a87b5ab155c2bf072")
    with open(path, "wb") as f:
        f.write(x509 + (28 + 16 + len(data)).to_bytes(4, "little") + bytes(4) + (16 + len(data)).to_bytes(4, "little") + bytes(16) + data)
    return ("-fw_cfg", "name=etc/edk2/https/cacerts,file=" + path)


class Nginx:
    """Debian's nginx as docs/lab.md has it: /inbox/ takes PUT with the token, /boot/ are the boot files."""

    def __init__(self, folder, boot, listen=None, most="64m", tls=None):
        self.folder, self.port = os.path.join(folder, "nginx"), free_port()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        listen = listen or "listen 127.0.0.1:%d;" % self.port
        if tls:
            listen = "listen 127.0.0.1:%d ssl; ssl_certificate %s; ssl_certificate_key %s;" % (self.port, *tls)
        self.conf = os.path.join(self.folder, "nginx.conf")
        with open(self.conf, "w") as f:
            f.write(NGINX.format(folder=self.folder, boot=boot, token=TOKEN, most=most, listen=listen, more="",
                                 user="user root root;" if os.getuid() == 0 else ""))
        self.url = "%s://10.0.2.2:%d/inbox/" % ("https" if tls else "http", self.port)

    def __enter__(self):
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", self.conf], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while not os.path.exists(os.path.join(self.folder, "nginx.pid")):
            expect(self.process.poll() is None and time.monotonic() < limit, "nginx does not start: " + self.error())
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def error(self):
        with contextlib.suppress(OSError), open(os.path.join(self.folder, "error.log")) as f:
            return f.read()[-1000:]
        return ""

    def access(self):
        with open(os.path.join(self.folder, "access.log")) as f:
            return f.read()

    def runs(self):
        """{name of a run: {file: bytes}}"""
        inbox, out = os.path.join(self.folder, "inbox"), {}
        for run in sorted(os.listdir(inbox)) if os.path.isdir(inbox) else []:
            out[run] = {}
            for name in os.listdir(os.path.join(inbox, run)):
                with open(os.path.join(inbox, run, name), "rb") as f:
                    out[run][name] = f.read()
        return out


def prepare(name, files):
    folder = os.path.join(WORK, name)
    shutil.rmtree(folder, ignore_errors=True)
    tftp = os.path.join(folder, "tftp")
    os.makedirs(os.path.join(tftp, "assay"))
    shutil.copy(os.path.join(ROOT, "build/assay.efi"), tftp)
    for path, text in files.items():
        with open(os.path.join(tftp, path), "w") as f:
            f.write(text)
    return folder


def qemu(folder, netdev=None, more=(), boot=True):
    nic = "virtio-net-pci,netdev=n,romfile=,mac=%s%s" % (MAC, ",bootindex=0" if boot else "")
    return ["timeout", "-s", "KILL", str(LIMIT), "qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu",
            "Broadwell-noTSX,-x2apic", "-smp", "2", "-m", "256M", "-display", "none", "-nodefaults", "-monitor", "none",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-drive", "if=pflash,format=raw,unit=0,readonly=on,file=" + OVMF % "CODE",
            "-drive", VARIABLES, "-smbios", "type=1,serial=NET/1,product=Rack 2",
            "-serial", "file:" + os.path.join(folder, "console.log"),
            "-netdev", netdev or "user,id=n,bootfile=assay.efi,tftp=" + os.path.join(folder, "tftp"), "-device", nic, *more]


def console(folder):
    with open(os.path.join(folder, "console.log"), "rb") as f:
        return re.sub(r"\x1b\[[0-9;?=]*[A-Za-z]|\r", "", f.read().decode(errors="replace"))


def boot(folder, **how):
    """(what the console said, QEMU's exit status: 2 * Assay's + 1) when Assay ends QEMU, or LIMIT ends it."""
    rc = subprocess.run(qemu(folder, **how), stdin=subprocess.DEVNULL, capture_output=True).returncode
    return console(folder), rc


@contextlib.contextmanager
def running(folder, **how):
    """QEMU, which the body may kill, and what it says over QMP (a function)."""
    path = os.path.join(folder, "qmp")
    how["more"] = (*how.get("more", ()), "-qmp", "unix:%s,server=on,wait=off" % path)
    machine = subprocess.Popen(qemu(folder, **how)[4:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        s = connected(path)
        f = s.makefile("rw")
        f.readline()

        def say(execute, **arguments):
            f.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
            f.flush()
            while True:
                line = json.loads(f.readline())
                if "return" in line or "error" in line:
                    expect("return" in line, "QMP: %s" % line)
                    return line.get("return")

        say("qmp_capabilities")
        yield machine, say
    finally:
        if machine.poll() is None:
            machine.kill()
        machine.wait(LIMIT)


def joined(files):
    """The pieces of a run, together."""
    names = sorted(n for n in files if re.fullmatch(r"report\.jsonl\.\d{6}", n))
    expect(names == ["report.jsonl.%06d" % i for i in range(len(names))], "pieces: %s" % names)
    return b"".join(files[n] for n in names)


def ended_checks(stream):
    """Ids of the steps that have an end, of whole lines."""
    expect(stream.endswith(b"\n"), "the stream ends in half a line: %r" % stream[-200:])
    names, ended = {}, []
    for line in stream.splitlines():
        step = json.loads(line).get("testStepArtifact", {})
        if "testStepStart" in step:
            names[step["testStepId"]] = step["testStepStart"]["name"]
        if "testStepEnd" in step:
            ended.append(names[step["testStepId"]])
    return ended


def expect_whole(files):
    """Every file of the end, with the digests that report.sha256 says; pieces are the stream."""
    digests = dict(reversed(line.split("  ")) for line in files["report.sha256"].decode().splitlines())
    expect(sorted(digests) == ["report.figures", "report.html", "report.jsonl", "report.txt"], "report.sha256 is of %s" % sorted(digests))
    for name, digest in digests.items():
        expect(hashlib.sha256(files[name]).hexdigest() == digest, "%s has another digest" % name)
    expect(joined(files) == files["report.jsonl"], "the pieces are not report.jsonl")
    expect(not any(TOKEN.encode() in b for b in files.values()), "the token is in the report")
