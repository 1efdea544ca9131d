# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-lab init: what the real programs say of the configuration, and what nginx with it takes and refuses. Costs 3 s of processor time."""
import getpass
import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import flood
from machine import options, put
from spaces import Spaces
from test_watch import ROOT, TOOL, files_of, passing, pieces_of, tool

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
DNSMASQ = shutil.which("dnsmasq") or shutil.which("dnsmasq", path="/usr/sbin")
IPV6 = re.compile(r"^#(?=enable-ra|dhcp-|listen )", re.M)  # what init writes as comments
ANALYZE = shutil.which("systemd-analyze")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def server_user():
    """Debian's, where this user may become it."""
    try:
        return pwd.getpwnam("www-data").pw_name if os.geteuid() == 0 else getpass.getuser()
    except KeyError:
        return getpass.getuser()


class Case(unittest.TestCase):
    """A lab on a port of loopback."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(folder, 0o755)  # nginx' user has to come through
        self.folder, self.port = Path(folder) / "lab", free_port()
        self.init()

    def init(self, *more, status=0):
        got, out, err = tool("init", self.folder, "--address", "127.0.0.1/8", "--interface", "lo", "--port", self.port, "--user", server_user(), *more)
        self.assertEqual(got, status, out + err)
        return out + err

    def serve(self):
        """nginx until the test ends."""
        command = [NGINX, "-p", self.folder, "-c", self.folder / "nginx-alone.conf", "-g", "daemon off;"]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return server
            except OSError:
                self.assertIsNone(server.poll(), server.stderr.read() if server.poll() is not None else "")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)

    def ask(self, path, data=None, method="PUT", token=None, **headers):
        o = options(self.folder / "boot" / "assay" / "default.cfg")
        return put(o["out"].removesuffix("inbox/"), o["token"] if token is None else token, path, data, method, headers.items())


class Written(Case):
    def verified(self, command, status=0):
        p = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(p.returncode, status, p.stdout + p.stderr)
        return p.stdout + p.stderr

    def damaged(self, name, old, new):
        text = (self.folder / name).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (self.folder / name).write_text(text.replace(old, new), encoding="utf-8")

    @unittest.skipUnless(NGINX, "nginx is not there (scripts/setup report)")
    def test_nginx_takes_it(self):
        command = (NGINX, "-t", "-p", self.folder, "-c", self.folder / "nginx-alone.conf")
        self.verified(command)
        self.damaged("nginx.conf", "#listen [2001:db8::10]", "listen [::1]")
        self.verified(command)
        self.damaged("nginx.conf", "dav_methods PUT", "dav_methods SHOVE")
        self.verified(command, 1)

    @unittest.skipUnless(NGINX and shutil.which("openssl"), "nginx or openssl is not there")
    def test_nginx_takes_it_with_tls(self):
        key, certificate = self.folder.parent / "key.pem", self.folder.parent / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=lab.example", "-keyout", key, "-out", certificate],
                       capture_output=True, timeout=120, check=True)
        self.init("--tls", str(certificate), str(key), "--name", "lab.example", "--force")
        self.verified((NGINX, "-t", "-p", self.folder, "-c", self.folder / "nginx-alone.conf"))
        self.assertEqual(options(self.folder / "boot/assay/default.cfg")["out"], f"https://lab.example:{self.port}/inbox/")

    @unittest.skipUnless(DNSMASQ, "dnsmasq is not there (scripts/setup report)")
    def test_dnsmasq_takes_it(self):
        command = (DNSMASQ, "--test", "-C", self.folder / "dnsmasq.conf")
        self.assertIn("OK", self.verified(command))
        text = (self.folder / "dnsmasq.conf").read_text(encoding="utf-8")
        (self.folder / "dnsmasq.conf").write_text(IPV6.sub("", text), encoding="utf-8")
        self.assertIn("OK", self.verified(command))
        (self.folder / "dnsmasq.conf").write_text(text, encoding="utf-8")
        self.damaged("dnsmasq.conf", ",proxy,", ",proxie,")
        self.verified(command, 1)

    @unittest.skipUnless(ANALYZE, "systemd-analyze is not there")
    def test_systemd_takes_it(self):
        unit = self.folder / "assay-lab.service"
        self.assertEqual(self.verified((ANALYZE, "verify", unit)), "")
        self.damaged("assay-lab.service", str(TOOL), "/nowhere/assay-lab")
        self.assertIn("/nowhere/assay-lab", self.verified((ANALYZE, "verify", unit), 1))

    def test_what_is_there_stays(self):
        self.damaged("dnsmasq.conf", "log-dhcp", "#log-dhcp")
        before = {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        self.assertIn("dnsmasq.conf: exists, kept", self.init())
        self.assertEqual({p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}, before)
        with open(self.folder / "machines.conf", "a", encoding="utf-8") as f:
            f.write("[SN0001]\nmac = 52:54:00:12:34:56\n")
        self.init("--force")
        self.assertIn("[SN0001]", (self.folder / "machines.conf").read_text(encoding="utf-8"))
        self.assertIn("\nlog-dhcp", (self.folder / "dnsmasq.conf").read_text(encoding="utf-8"))
        self.assertEqual((self.folder / "token").read_bytes(), before[self.folder / "token"])
        self.assertEqual((self.folder / "token").stat().st_mode & 0o777, 0o600)

    def test_what_cannot_stand_in_the_files_is_refused(self):
        for more, says in ((("--interface", "lo\nuser=root"), "only letters"), (("--address", "127.0.0.1"), "prefix length is missing"),
                           (("--address", "127.0.0.1/33"), "--address"), (("--name", "a b"), "not a host name"), (("--readers", "all;"), "--readers"),
                           (("--port", "0"), "not a port")):
            self.assertIn(says, self.init(*more, "--force", status=2))


@unittest.skipUnless(NGINX, "nginx is not there (scripts/setup report)")
class Inbox(Case):
    RUN = "inbox/S1-20261125T031400/"

    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def test_a_run_is_taken_and_filed(self):
        s = passing()
        for name, data in {**pieces_of(s), **files_of(s)}.items():
            self.assertEqual(self.ask(self.RUN + name, data), 201)
        status, out, err = tool("watch", self.folder, "--once")
        self.assertEqual((status, out, err), (0, "S1-20261125T031400: PASS\n", ""))
        self.assertEqual(self.ask("reports/S1/20261125T031400/report.html", method="GET"), 200)
        self.assertEqual(self.ask("www/", method="GET"), 200)

    def test_nobody_else_writes(self):
        for token in ("", "x", "65fe" * 12):
            self.assertEqual(self.ask(self.RUN + "report.txt", b"x", token=token), 401)
        self.assertEqual(list((self.folder / "inbox").iterdir()), [])

    def test_what_is_there_is_not_replaced_read_listed_or_removed(self):
        self.assertEqual(self.ask(self.RUN + "report.txt", b"first"), 201)
        self.assertEqual(self.ask(self.RUN + "report.txt", b"second"), 409)
        for method in ("GET", "HEAD", "DELETE", "POST", "MKCOL", "COPY", "MOVE", "PROPFIND", "OPTIONS"):
            self.assertEqual(self.ask(self.RUN + "report.txt", method=method, Destination="/inbox/S2-20261125T031400/report.txt"), 405)
            self.assertEqual(self.ask(self.RUN, method=method), 403)
            self.assertEqual(self.ask("inbox/", method=method), 403)
        self.assertEqual((self.folder / self.RUN / "report.txt").read_bytes(), b"first")

    def test_no_other_names(self):
        for name in ("x.sh", "report.jsonl.1", "report.jsonl.0000001", "a/report.txt", "../../boot/report.txt", "%2e%2e/report.txt", ".report.txt", "report.txt/"):
            self.assertIn(self.ask(self.RUN + name, b"x"), (400, 403, 405), name)
        for name in ("inbox/report.txt", "inbox/-x/report.txt", "inbox/a.b/report.txt", "boot/assay/default.cfg", "reports/x", "www/index.html", "state/full"):
            self.assertIn(self.ask(name, b"x"), (403, 404, 405), name)
        self.assertEqual([p.name for p in (self.folder / "inbox").iterdir()], [])

    def test_not_too_much_and_not_where_there_is_no_room(self):
        self.assertEqual(self.ask(self.RUN + "report.txt", None, **{"Content-Length": str(256 << 20 | 1), "Expect": "100-continue"}), 413)
        (self.folder / "state" / "full").touch()
        self.assertEqual(self.ask(self.RUN + "report.txt", b"x"), 507)

    def test_half_a_file_is_none(self):
        token = options(self.folder / "boot/assay/default.cfg")["token"]
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.sendall(f"PUT /{self.RUN}report.txt HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 100\r\n\r\nhalf".encode())
        self.assertEqual(self.ask(self.RUN + "report.txt", b"whole"), 201)
        self.assertEqual((self.folder / self.RUN / "report.txt").read_bytes(), b"whole")

    def test_machines_read_what_they_boot(self):
        self.assertEqual(self.ask("boot/assay/default.cfg", method="GET", token=""), 200)
        self.assertEqual(self.ask("boot/", method="GET"), 403)


@unittest.skipUnless(DNSMASQ and shutil.which("ip") and os.geteuid() == 0, "dnsmasq, ip or the right to make network namespaces is not there")
@unittest.skipUnless(NGINX, "nginx is not installed")
class Flood(unittest.TestCase):
    """Many machines send at once while ten misbehave: tests/lab/flood.py, which tries 1,000."""

    def test_nothing_is_lost_and_nothing_wrong_is_filed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            got = flood.flood(40, folder)
        self.assertFalse(flood.lost(got), got)


class Proxy(unittest.TestCase):
    """A client's DISCOVER in a namespace of its own; the network's own DHCP server is not there, so that each answer is the proxy's."""

    CLIENT = """
import socket, struct, sys
kind, arch = sys.argv[1], int(sys.argv[2])
option = lambda code, data: bytes((code, len(data))) + data
packet = struct.pack(">BBBBIHH16s16s192sI", 1, 1, 6, 0, 0x17, 0, 0x8000, b"", bytes.fromhex("525400123456"), b"", 0x63825363)
packet += option(53, b"\\x01") + option(60, b"%s:Arch:%05d:UNDI:003001" % (kind.encode(), arch)) + option(93, struct.pack(">H", arch))
packet += option(97, b"\\0" + bytes(16)) + option(94, b"\\1\\3\\1") + option(55, bytes((1, 3, 43, 60, 66, 67))) + b"\\xff"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"client")
s.bind(("0.0.0.0", 68))
s.settimeout(2)
for _ in range(30):
    s.sendto(packet, ("255.255.255.255", 67))
    try:
        answer = s.recv(4096)
        break
    except socket.timeout:
        pass
at, found = 240, {}
while answer[at] != 255:
    if answer[at]:
        found[answer[at]] = answer[at + 2:at + 2 + answer[at + 1]]
        at += answer[at + 1]
        at += 1
    at += 1
print(socket.inet_ntoa(answer[16:20]), socket.inet_ntoa(answer[20:24]), found[60].decode(), answer[108:236].rstrip(b"\\0").decode() or "-")
"""
    # A SOLICIT (RFC 8415) as EDK II sends it. What firmware looks at: the address, ten bytes six into option 16, the URL of option 59.
    CLIENT6 = """
import socket, struct, sys
kind, arch = sys.argv[1].encode(), int(sys.argv[2])
option = lambda code, data: struct.pack(">HH", code, len(data)) + data
name = b"%s:Arch:%05d:UNDI:003001" % (kind, arch)
packet = b"\\1\\0\\0\\1" + option(1, bytes.fromhex("00030001525400123456")) + option(3, struct.pack(">III", 1, 0, 0)) + option(8, b"\\0\\0")
packet += option(6, struct.pack(">HHHH", 59, 60, 23, 16)) + option(61, struct.pack(">H", arch)) + option(62, b"\\1\\3\\1")
packet += option(16, struct.pack(">IH", 343, len(name)) + name)
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("fe80::50", 546, 0, socket.if_nametoindex("client")))
s.settimeout(2)
for _ in range(30):
    try:
        s.sendto(packet, ("ff02::1:2", 547, 0, socket.if_nametoindex("client")))
        answer = s.recv(4096)
        break
    except socket.timeout:
        pass
def options(data):
    found = {}
    while data:
        code, length = struct.unpack(">HH", data[:4])
        found[code], data = data[4:4 + length], data[4 + length:]
    return found
found = options(answer[4:])
print(answer[0], socket.inet_ntop(socket.AF_INET6, options(found[3][12:])[5][:16]), found.get(16, b"")[6:16].decode() or "-", found[59].decode())
"""

    def server(self, spaces, folder, ipv6=False, options=("--anyone",), machines=""):
        """dnsmasq as init configured it, at one end of a cable; until the test ends."""
        spaces.cable("s", "server", "c", "client")
        spaces.ip("s", "address", "add", "192.0.2.10/24", "dev", "server")
        spaces.ip("c", "address", "add", "192.0.2.50/24", "dev", "client")
        os.chmod(folder, 0o755)
        lab = Path(folder) / "lab"
        lab.mkdir()
        (lab / "machines.conf").write_text(machines, encoding="utf-8")
        self.assertEqual(tool("init", lab, "--address", "192.0.2.10/24", "--interface", "server", "--user", server_user(), *options)[0], 0)
        if ipv6:
            spaces.ip("s", "address", "add", "2001:db8::10/64", "dev", "server", "nodad")
            for space, link, address in (("s", "server", "fe80::10/64"), ("c", "client", "fe80::50/64")):  # these are there at once
                spaces.ip(space, "address", "add", address, "dev", link, "nodad")
            config = lab / "dnsmasq.conf"
            config.write_text(IPV6.sub("", config.read_text(encoding="utf-8")), encoding="utf-8")
        server = subprocess.Popen(spaces.command("s", DNSMASQ, "--keep-in-foreground", "-C", lab / "dnsmasq.conf", "--log-facility=-", "--pid-file="),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)

    def answers(self, spaces, client, cases):
        for kind, arch, says in cases:
            p = subprocess.run(spaces.command("c", "python3", "-c", client, kind, arch), capture_output=True, text=True, timeout=120, check=False)
            self.assertRegex(p.stdout.strip(), rf"\A{says}\Z", p.stderr)

    def test_by_ipv6_it_gives_an_address_and_the_image_of_each_way(self):
        with Spaces() as spaces, tempfile.TemporaryDirectory() as folder:
            self.server(spaces, folder, ipv6=True)
            self.answers(spaces, self.CLIENT6, (("HTTPClient", 16, r"2 2001:db8::1[0-9a-f]{2} HTTPClient http://\[2001:db8::10\]/boot/assay\.efi"),
                                                ("PXEClient", 7, r"2 2001:db8::1[0-9a-f]{2} - tftp://\[2001:db8::10\]/assay\.efi")))
            self.answers(spaces, self.CLIENT, (("HTTPClient", 16, r"0\.0\.0\.0 192\.0\.2\.10 HTTPClient http://192\.0\.2\.10/boot/assay\.efi"),))

    def test_machines_that_are_not_the_labs_get_no_answer(self):
        """The client's address is 52:54:00:12:34:56."""
        quick = self.CLIENT.replace("for _ in range(30):", "for _ in range(2):")
        for mac, says in (("52:54:00:12:34:57", ""), ("52:54:00:AA:00:01 52:54:00:12:34:56", r"0\.0\.0\.0 192\.0\.2\.10 HTTPClient http://192\.0\.2\.10/boot/assay\.efi")):
            with self.subTest(mac), Spaces() as spaces, tempfile.TemporaryDirectory() as folder:
                self.server(spaces, folder, options=(), machines=f"[S1]\nbmc = 192.0.2.101\nmac = {mac}\n")
                self.answers(spaces, quick if not says else self.CLIENT, (("HTTPClient", 16, says),))

    def test_a_machine_whose_run_is_filed_gets_no_answer_until_it_is_asked_for(self):
        quick = self.CLIENT.replace("for _ in range(30):", "for _ in range(2):")
        image = r"0\.0\.0\.0 192\.0\.2\.10 HTTPClient http://192\.0\.2\.10/boot/assay\.efi"
        with Spaces() as spaces, tempfile.TemporaryDirectory() as folder:
            self.server(spaces, folder, machines="[S1]\nmac = 52:54:00:12:34:56\n")
            self.answers(spaces, self.CLIENT, (("HTTPClient", 16, image),))
            lab = Path(folder) / "lab"
            for name, files, says in (("S1-20261125T031400", {"report.jsonl.000000": b"x\n"}, image), ("S1-20261125T031500", files_of(passing()), "")):
                (lab / "inbox" / name).mkdir()
                for file, data in files.items():
                    (lab / "inbox" / name / file).write_bytes(data)
                self.assertEqual(tool("watch", lab, "--once")[0], 0)
                self.answers(spaces, quick, (("HTTPClient", 16, says),))
            self.assertEqual(tool("offer", lab, "S2")[0], 2)
            self.answers(spaces, quick, (("HTTPClient", 16, ""),))
            self.assertEqual(tool("offer", lab, "S1")[0], 0)
            self.answers(spaces, self.CLIENT, (("HTTPClient", 16, image),))

    def test_it_gives_no_address_and_names_the_image(self):
        with Spaces() as spaces, tempfile.TemporaryDirectory() as folder:
            self.server(spaces, folder)
            self.answers(spaces, self.CLIENT, (("PXEClient", 7, r"0\.0\.0\.0 192\.0\.2\.10 PXEClient (assay\.efi|-)"),
                                               ("HTTPClient", 16, r"0\.0\.0\.0 192\.0\.2\.10 HTTPClient http://192\.0\.2\.10/boot/assay\.efi")))


if __name__ == "__main__":
    unittest.main()
