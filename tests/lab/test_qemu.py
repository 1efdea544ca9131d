# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A lab of QEMU machines on virtual silicon, from `assay-lab run --all` to their verdicts; only with LAB=all, 2 minutes of processor time.

Ten machines of ten parts, two with a fault. Their BMCs are the Redfish service of tests/lab: what it switches on is QEMU, in which the shim
comes first (tests/silicon/run-silicon), then firmware's own PXE boot (tests/silicon/firmware/netboot.c) of what QEMU's user network
serves out of the lab's boot/ by TFTP; nginx is 10.0.2.2 to the guests. Guests have the host's time, since firmware polls for packets."""
import functools
import os
import shutil
import subprocess
import unittest

from test_run import Machines
from test_server import NGINX, ROOT
from test_watch import tool

SILICON = ROOT / "tests" / "silicon" / "run-silicon"
OVMF = "/usr/share/OVMF/OVMF_CODE_4M.fd"
PROFILES = ("hsx", "bdx", "skx", "clx", "icx", "spr", "emr", "zen2", "zen3", "zen5")
FAULTS = {"bdx": ("mbm-half", "FAIL; .*MBM total"), "zen3": ("qm-error-never", "FAIL; .*(Error|error)")}  # what the lab says of them
LIMIT = 900  # seconds of a machine, which takes less than a minute where nobody else is at work
CHECKS = "t = qm.error-bit\nt = mbm.total\n"


@unittest.skipUnless(os.environ.get("LAB") == "all", "ten machines take minutes (LAB=all)")
@unittest.skipUnless(NGINX and shutil.which("qemu-system-x86_64") and os.path.exists(OVMF), "nginx, QEMU or OVMF is not there")
class Fleet(Machines):
    OPTIONS = ("--name", "10.0.2.2")
    RUNNING = 2

    def setUp(self):
        super().setUp()
        for built in ("assay.efi", "silicon/silicon.so", "silicon/shim.efi", "qemu/netboot.efi"):
            self.assertTrue((ROOT / "build" / built).exists(), f"build/{built} is not there: make build/assay.efi silicon build/qemu/netboot.efi")
        self.most = 0
        self.init(*self.OPTIONS, "--force", "--image", str(ROOT / "build" / "assay.efi"))
        with open(self.folder / "lab.conf", "a", encoding="utf-8") as f:
            f.write("every = 1\n")
        config = self.folder / "boot" / "assay" / "default.cfg"
        config.write_text(config.read_text(encoding="utf-8").replace("exit = reboot\n", "exit = qemu\nload-limit = 12M\nui = lines\n") + CHECKS, encoding="utf-8")
        (self.folder / "boot" / "assay" / "bands").mkdir()
        for profile in FAULTS:  # without bands of good machines a figure out of bounds is a WARN
            shutil.copy(ROOT / "tests" / "silicon" / "bands" / f"{profile}.bands", self.folder / "boot" / "assay" / "bands" / f"QM-{profile}.bands")
        self.image = self.folder.parent / "netboot.img"
        with open(self.image, "wb") as f:
            f.truncate(34 << 20)
        for command in (["mkfs.vfat", self.image], ["mmd", "-i", self.image, "::/EFI", "::/EFI/BOOT"],
                        ["mcopy", "-i", self.image, ROOT / "build" / "qemu" / "netboot.efi", "::/EFI/BOOT/BOOTX64.EFI"]):
            subprocess.run([str(c) for c in command], env=os.environ | {"MTOOLS_SKIP_CHECK": "1"}, capture_output=True, timeout=60, check=True)
        self.serve()

    def qemu(self, profile, boot):
        """start() of the service: the machine of this part; one that is not to boot from the network has nothing to boot."""
        if boot["target"] != "Pxe":
            return subprocess.Popen(["true"], stdin=subprocess.DEVNULL)
        serial = f"QM-{profile}"
        fault = ["--fault", FAULTS[profile][0]] if profile in FAULTS else []
        command = [SILICON, "--profile", profile, "--packages", "1", "--cores", "2", "--threads", "1", "--memory", "256M", "--clock", "host", *fault,
                   "--timeout", str(LIMIT), "--serial", self.folder.parent / f"{profile}.console", "--snapshot",
                   "--smbios", f"type=1,manufacturer=Assay,product=Virtual silicon,version=1,serial={serial}", self.image, "--",
                   "-netdev", f"user,id=n,tftp={self.folder}/boot,bootfile=assay.efi", "-device", "virtio-net-pci,netdev=n,romfile="]
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with self.lock:
            self.running = [p for p in getattr(self, "running", []) if p.poll() is None] + [process]
            self.most = max(self.most, len(self.running))
        return process

    def console(self, profile):
        try:
            return (self.folder.parent / f"{profile}.console").read_text(encoding="utf-8", errors="replace")[-3000:]
        except OSError as e:
            return str(e)

    def test_ten_machines_are_run_collected_and_judged(self):
        service = self.service({f"QM-{p}": functools.partial(self.qemu, p) for p in PROFILES})
        status, out, err = tool("run", self.folder, "--all", "--at-once", self.RUNNING, "--off", "--timeout", LIMIT, timeout=5 * LIMIT)
        said = {line.split(":", 1)[0]: line.split(":", 1)[1].strip() for line in out.splitlines()[-len(PROFILES) - 1:-1]}
        for profile in PROFILES:
            self.assertRegex(said[f"QM-{profile}"], rf"\A{FAULTS.get(profile, ('', 'PASS'))[1]}", f"{out}\n{self.console(profile)}")
        self.assertEqual((status, err, out.splitlines()[-1]), (1, "", "10 machines: 8 PASS, 2 FAIL, 0 ERROR"))
        self.assertLessEqual(self.most, self.RUNNING)
        self.assertEqual(sorted(service.said), sorted(f"QM-{p}: {what}" for p in PROFILES for what in ("boot Pxe", "On")))
        for profile in PROFILES:
            filed, = (p for p in (self.folder / "reports" / f"QM-{profile}").iterdir() if p.is_dir())
            self.assertEqual(subprocess.run([ROOT / "scripts" / "assay-report", "verify", filed], capture_output=True, timeout=60, check=False).returncode, 0)
            token = (self.folder / "token").read_text(encoding="ascii").strip().encode()
            self.assertFalse(any(token in p.read_bytes() for p in filed.iterdir()))


if __name__ == "__main__":
    unittest.main()
