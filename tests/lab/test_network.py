# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Machines boot from a lab that `assay-lab init` made, in a network of namespaces with a DHCP server of its own: by PXE from dnsmasq, by
HTTP boot from nginx, each over IPv4 and IPv6, over IPv4 with TLS too, and send their reports to nginx. Stock QEMU and Debian's OVMF; only with
LAB=all, 10 s of processor time a boot, by HTTP over IPv6 a minute."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from spaces import Spaces
from test_server import DNSMASQ, NGINX, ROOT, server_user
from test_watch import tool

sys.path.insert(0, str(ROOT / "tests" / "support" / "drivers"))
from network import authorities, certificate  # noqa: E402

OVMF = "/usr/share/OVMF/OVMF_%s_4M.fd"
NO_PXE4, NO_PXE6 = (("-fw_cfg", f"name=opt/org.tianocore/IPv{v}PXESupport,string=no") for v in (4, 6))
# Of the network's own DHCP server, which knows nothing of Assay.
OWN = ("--keep-in-foreground", "--conf-file=/dev/null", "--port=0", "--interface=own", "--dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,1h",
       "--dhcp-authoritative", "--log-facility=-", "--no-ping", "--pid-file=")


@unittest.skipUnless(os.environ.get("LAB") == "all", "machines boot (LAB=all)")
@unittest.skipUnless(NGINX and DNSMASQ and shutil.which("qemu-system-x86_64") and os.path.exists(OVMF % "CODE"), "nginx, dnsmasq, QEMU or OVMF is not there")
@unittest.skipUnless(shutil.which("ip") and os.geteuid() == 0 and os.path.exists("/dev/net/tun"), "ip or the right to make network namespaces is not there")
class Boots(unittest.TestCase):
    def setUp(self):
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.lab = self.work / "lab"
        os.chmod(self.work, 0o755)
        spaces = self.spaces = Spaces()
        self.addCleanup(spaces.__exit__)
        spaces.ip("lab", "link", "add", "bridge", "type", "bridge", "forward_delay", "0")
        spaces.ip("lab", "link", "set", "bridge", "up")
        spaces.cable("lab", "toown", "dhcp", "own")
        spaces.ip("lab", "link", "set", "toown", "master", "bridge")
        spaces.ip("lab", "tuntap", "add", "dev", "machine", "mode", "tap")
        spaces.ip("lab", "link", "set", "machine", "master", "bridge", "up")
        spaces.ip("lab", "address", "add", "192.0.2.10/24", "dev", "bridge")
        spaces.ip("dhcp", "address", "add", "192.0.2.1/24", "dev", "own")
        self.start("dhcp", DNSMASQ, *OWN, f"--dhcp-leasefile={self.work}/leases")

    def serve(self, *options, ipv6=False, lines="", **replaced):
        """The lab that init makes with these options. ipv6: with the lines for it; lines: of dnsmasq.conf, without them; replaced: of default.cfg."""
        status, out, err = tool("init", self.lab, "--address", "192.0.2.10/24", "--interface", "bridge", "--user", server_user(), "--anyone", "--image",
                                ROOT / "build" / "assay.efi", *options)
        self.assertEqual((status, err), (0, ""), out)
        config = self.lab / "boot" / "assay" / "default.cfg"
        text = config.read_text(encoding="utf-8").replace("exit = reboot\n", "exit = qemu\nui = lines\nt = enum.microcode\n")
        for option, value in replaced.items():
            text = re.sub(rf"^{option} = .*", f"{option} = {value}", text, flags=re.M)
        config.write_text(text, encoding="utf-8")
        if ipv6:
            self.spaces.ip("lab", "-6", "address", "add", "2001:db8::10/64", "dev", "bridge", "nodad")
            for name in ("dnsmasq.conf", "nginx.conf"):
                path = self.lab / name
                path.write_text(re.sub(r"^( *)#(?=enable-ra|dhcp-|listen )", r"\1", path.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")
        config = self.lab / "dnsmasq.conf"
        config.write_text(re.sub(lines, "", config.read_text(encoding="utf-8")), encoding="utf-8")
        self.start("lab", DNSMASQ, "--keep-in-foreground", "-C", self.lab / "dnsmasq.conf", "--log-facility=-", "--pid-file=")
        self.start("lab", NGINX, "-p", self.lab, "-c", self.lab / "nginx-alone.conf", "-g", "daemon off;")

    def start(self, space, *words):
        name = f"{len(list(self.work.glob('*.log')))}.log"
        with open(self.work / name, "wb") as log:
            process = subprocess.Popen(self.spaces.command(space, *words), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def boot(self, *more):
        """What the console and the servers said."""
        shutil.copy(OVMF % "VARS", self.work / "vars.fd")
        command = ["timeout", "500", "qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "Broadwell-noTSX,-x2apic", "-smp", "2",
                   "-m", "256M", "-display", "none", "-nodefaults", "-monitor", "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
                   "-drive", "if=pflash,format=raw,unit=0,readonly=on,file=" + OVMF % "CODE",
                   "-drive", f"if=pflash,format=raw,unit=1,file={self.work}/vars.fd", "-smbios", "type=1,serial=NET1,product=Rack",
                   "-serial", f"file:{self.work}/console", "-netdev", "tap,id=n,ifname=machine,script=no,downscript=no",
                   "-device", "virtio-net-pci,netdev=n,romfile=,bootindex=0", *more]
        subprocess.run(self.spaces.command("lab", *command), stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
        files = [self.work / "console", *sorted(self.work.glob("*.log")), self.lab / "state" / "nginx.access.log"]
        return "\n".join(p.read_text(encoding="utf-8", errors="replace")[-4000:] for p in files if p.exists())

    def filed(self, said):
        status, out, err = tool("watch", self.lab, "--once")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\ANET1-\d{8}T\d{6}: PASS\n\Z", said)

    def leased(self):
        """By the network's own DHCP server."""
        self.assertRegex((self.work / "leases").read_text(encoding="utf-8"), r" 192\.0\.2\.1\d\d ")

    def by_pxe(self, said):
        self.filed(said)
        self.assertIn("sent " + str(self.lab / "boot" / "assay.efi"), said)
        self.assertNotIn('"GET /boot/assay.efi', said)

    def by_http(self, said):
        self.filed(said)
        self.assertIn('"GET /boot/assay.efi', said)
        self.assertIn('"GET /boot/assay/default.cfg', said)

    def test_by_pxe(self):
        self.serve()
        self.by_pxe(self.boot())
        self.leased()

    def test_by_http(self):
        self.serve()
        self.by_http(self.boot(*NO_PXE4, *NO_PXE6))
        self.leased()

    def test_by_pxe_over_ipv6(self):
        """All of it: the address that the image is loaded by does for the report."""
        self.serve(ipv6=True, out="http://[2001:db8::10]/inbox/")
        self.by_pxe(self.boot(*NO_PXE4))

    def test_by_http_over_ipv6(self):
        """The report goes to the IPv4 address that init wrote, for which firmware gets an address of the network's DHCP server."""
        self.serve(ipv6=True, lines=r"dhcp-boot=tag:http,.*\n")
        self.by_http(self.boot(*NO_PXE4, *NO_PXE6))
        self.leased()

    def test_by_https(self):
        """Image, options and report, with a certificate of the address that firmware was given the authority of."""
        pair = certificate(str(self.work), "lab", "192.0.2.10")
        os.chmod(pair[1], 0o644)
        self.serve("--tls", *pair)
        self.by_http(self.boot(*NO_PXE4, *NO_PXE6, *authorities(str(self.work), pair[0])))
        self.leased()


if __name__ == "__main__":
    unittest.main()
