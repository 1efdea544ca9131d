# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-lab run: machines are switched through a Redfish service (tests/lab/redfish_service.py) and OpenIPMI's simulator of a BMC, boot
from the network and send their reports to nginx. The machines are processes that send prepared runs (tests/lab/machine.py); with
LAB=all tests/drivers/lab has QEMU in their place. Costs 5 s of processor time."""
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path
from unittest.mock import patch

from redfish_service import Service
from test_server import NGINX, Case
from test_watch import TOOL, Stream, files_of, passing, pieces_of, tool

from lab import power
from lab.folder import Lab, LabError

MACHINE = Path(__file__).resolve().parent / "machine.py"


class Answers:
    """A server that says the same to whoever connects, and hangs up; None: nothing, until it is asked no more; drips: then a byte now and then."""

    def __init__(self, said, drips=False):
        self.said, self.drips, self.over = said, drips, threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, connection):
        with connection, contextlib.suppress(OSError):
            connection.recv(65536)
            connection.sendall(self.said or b"")
            while (self.said is None or self.drips) and not self.over.wait(0.2):
                connection.sendall(b" " if self.drips else b"")

    def __exit__(self, *_):
        self.over.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Machines(Case):
    """Each boot of a machine is another run: a folder of prepared files that it sends when it is started from the network."""

    def setUp(self):
        super().setUp()
        with open(self.folder / "lab.conf", "a", encoding="utf-8") as f:
            f.write("every = 1\n")
        self.sent, self.at_once, self.most = 0, 0, 0
        self.lock = threading.Lock()

    def machine(self, serial, files, pieces=None):
        """start() of the service."""
        def start(boot):
            with self.lock:
                self.sent += 1
                folder = self.folder.parent / "runs" / f"{serial}-20261125T{self.sent:06}"
            if boot["target"] not in ("Pxe", "UefiHttp"):
                return subprocess.Popen(["true"], stdin=subprocess.DEVNULL)
            folder.mkdir(parents=True)
            for name, data in files.items():
                (folder / name).write_bytes(data)
            command = [sys.executable, MACHINE, self.folder / "boot" / "assay" / "default.cfg", folder, *([str(pieces)] if pieces else [])]
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return start

    def service(self, machines):
        service = Service(machines, "assay", "secret").__enter__()
        self.addCleanup(service.__exit__)
        (self.folder.parent / "password").write_text("secret\nnot this\n", encoding="utf-8")
        text = f"[DEFAULT]\nuser = assay\npassword-file = {self.folder.parent}/password\nbmc = {service.url}   # all in one\n"
        for name in machines:
            text += f"[{name}]\nsystem = /redfish/v1/Systems/{name}\n"
        (self.folder / "machines.conf").write_text(text, encoding="utf-8")
        return service


@unittest.skipUnless(NGINX, "nginx is not there (scripts/setup report)")
class Run(Machines):
    def setUp(self):
        super().setUp()
        self.serve()

    def test_all_machines_are_run_collected_and_judged(self):
        bad = Stream(serial="S2").check("a.good").check("b.bad", "FAIL", "half is lost").end("FAIL")
        machines = {s: self.machine(s, pieces_of(passing(s)) | files_of(passing(s))) for s in ("S1", "S3", "S4")}
        machines["S2"] = self.machine("S2", files_of(bad))
        service = self.service(machines)
        junit = self.folder.parent / "out.xml"
        status, out, err = tool("run", self.folder, "--all", "--at-once", 2, "--off", "--junit", junit, "--timeout", 120)
        self.assertEqual((status, err), (1, ""), out)
        lines = out.splitlines()
        self.assertEqual(out.count("no mac = in machines.conf, or init was not run after it"), 4)
        self.assertEqual(lines[-1], "4 machines: 3 PASS, 1 FAIL, 0 ERROR")
        self.assertEqual(sorted(lines[-5:-1]), ["S1: PASS", "S2: FAIL; b.bad: half is lost", "S3: PASS", "S4: PASS"])
        self.assertEqual(sorted(s for s in service.said if "boot" in s), [f"S{i}: boot Pxe" for i in (1, 2, 3, 4)])
        self.assertEqual([s.on for s in service.systems.values()], [False] * 4)
        suite = ET.parse(junit).getroot()
        self.assertEqual([suite.get(k) for k in ("tests", "failures", "errors")], ["4", "1", "0"])
        status, out, _ = tool("status", self.folder)
        self.assertIn("4 machines, 1 FAIL, 3 PASS, 0 running, 0 in quarantine", out)

    def test_results_that_cannot_be_written_are_known_before_a_machine_boots(self):
        service, junit = self.service({"S1": self.machine("S1", files_of(passing()))}), self.folder / "none" / "out.xml"
        self.assertEqual(tool("run", self.folder, "S1", "--junit", junit), (2, "", f"assay-lab: {junit}: No such file or directory\n"))
        self.assertEqual(service.said, [])

    def test_an_earlier_report_is_not_taken_for_this_run(self):
        self.service({"S1": self.machine("S1", files_of(passing())), "S2": self.machine("S2", {"report.jsonl.000000": b"x"}, pieces=1)})
        self.assertEqual(tool("run", self.folder, "S1", "--timeout", 120)[0], 0)
        service = self.service({"S1": self.machine("S1", pieces_of(passing()), pieces=1)})
        status, out, _ = tool("run", self.folder, "S1", "--timeout", 2)
        self.assertEqual((status, out.splitlines()[-2]), (3, "S1: ERROR; no complete report in 2 s; its BMC reports that it is off"))
        self.assertEqual(service.said, ["S1: boot Pxe", "S1: On"])

    def test_a_machine_that_cannot_be_switched_costs_no_other(self):
        """One BMC hangs up, one answers against its schema, one switches nothing on that is allowed, one machine is on and stays silent."""
        def silent(_):
            return subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)

        service = self.service({"S1": self.machine("S1", files_of(passing())), "S2": silent, "S3": silent})
        service.systems["S3"].allowed = ("GracefulShutdown",)
        with Answers(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]") as list_, Answers(b"") as gone, \
                Answers(b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"Boot":[]}') as odd, Answers(b"SSH-2.0-x\r\n") as other:
            with open(self.folder / "machines.conf", "a", encoding="utf-8") as f:
                f.writelines(f"[{name}]\nbmc = {a.url}\nsystem = /x\n" for name, a in (("B1", list_), ("B2", gone), ("B3", odd), ("B4", other)))
            status, out, err = tool("run", self.folder, "--all", "--at-once", 7, "--timeout", 10)
        self.assertEqual((status, err), (3, ""), out)
        said = dict(line.split(": ", 1) for line in out.splitlines()[-8:-1])
        self.assertEqual((said["S1"], said["S2"]), ("PASS", "ERROR; no complete report in 10 s"))
        for name, why in (("S3", r"does not support On or ForceOn, only GracefulShutdown"), ("B1", r"GET .*/x: the answer is not a JSON object"),
                          ("B2", r"GET .*/x: Remote end closed connection"), ("B3", r"its BMC's answer does not conform to Redfish: .*"),
                          ("B4", r"GET .*/x: .*SSH-2\.0-x.*")):
            self.assertRegex(said[name], rf"\AERROR; .*{why}")
        self.assertEqual(out.splitlines()[-1], "7 machines: 1 PASS, 0 FAIL, 6 ERROR")

    def test_a_machine_that_nobody_knows(self):
        self.service({"S1": self.machine("S1", files_of(passing()))})
        status, out, err = tool("run", self.folder, "S1", "S9")
        self.assertEqual((status, out), (2, ""))  # and S1 is not switched on
        self.assertRegex(err, r"\Aassay-lab: .*/machines\.conf has no machine S9\n\Z")

    def test_a_run_in_quarantine_is_an_error_and_says_why(self):
        self.service({"S1": self.machine("S1", files_of(passing("S9")))})
        status, out, _ = tool("run", self.folder, "S1", "--timeout", 120)
        self.assertEqual(status, 3)
        self.assertIn("S1: ERROR; its run is in quarantine: its name says S1, the report is of machine S9", out)

    def test_it_is_offered_the_image_for_this_run_alone(self):
        start, offered = self.machine("S1", files_of(passing())), []
        service = self.service({"S1": lambda boot: offered.append(known.read_text(encoding="ascii")) or start(boot)})
        known = self.folder / "known" / "S1"
        with open(self.folder / "machines.conf", "a", encoding="utf-8") as f:
            f.write("mac = 52:54:00:AA:00:01\n")
        self.init()
        for run in (1, 2):
            self.assertEqual(tool("run", self.folder, "S1", "--off", "--timeout", 120)[0], 0)
            self.init()
            self.assertEqual((offered, known.read_text(encoding="ascii")), (run * ["52:54:00:aa:00:01\n"], "52:54:00:aa:00:01,set:filed\n"), service.said)

    def test_beside_a_watcher(self):
        self.service({"S1": self.machine("S1", files_of(passing()))})
        watcher = subprocess.Popen([sys.executable, TOOL, "watch", self.folder],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(watcher.stdout.readline(), f"watching {self.folder}\n")
            self.assertEqual(tool("run", self.folder, "S1", "--timeout", 120)[0], 0)
        finally:
            watcher.terminate()
            out, err = watcher.communicate()
        self.assertEqual((out, err, watcher.returncode), ("S1-20261125T000001: PASS\n", "", 0))


class Bmc(Machines):
    """What a BMC may answer."""

    def test_a_bmc_that_is_silent_or_drips(self):
        self.service({"S1": self.machine("S1", {})})
        for said, why in ((None, "timed out"), (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "not complete after 1 s"),
                          (b"HTTP/1.1 400 Bad\r\nContent-Length: 8\r\n\r\nno image", "400 Bad: no image"),
                          (b"HTTP/1.1 500 Wrong\r\nContent-Length: 1000\r\n\r\n", "500 Wrong")):
            with Answers(said, drips=said is not None) as answers:
                (self.folder / "machines.conf").write_text(f"[S1]\nbmc = {answers.url}\nsystem = /x\n", encoding="utf-8")
                with patch.object(power, "SECONDS", 1):
                    begun = time.monotonic()
                    self.refused(why)
                    self.assertLess(time.monotonic() - begun, 30)  # 1,000 bytes drip for 200 s

    def controllers(self):
        return power.inventory(Lab(self.folder))

    def test_a_machine_that_is_on_is_cycled_and_booted_once(self):
        boots = []

        def start(boot):
            boots.append(boot)
            return subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        service = self.service({"S1": start})
        with open(self.folder / "machines.conf", "a", encoding="utf-8") as f:
            f.write("boot = http\n")
        machine = self.controllers()["S1"]
        self.assertFalse(machine.on())
        machine.boot_from_network()
        machine.cycle()
        machine.cycle()
        self.assertTrue(machine.on())
        image = f"http://127.0.0.1:{self.port}/boot/assay.efi"
        self.assertEqual(boots, [{"target": "UefiHttp", "uri": image}, {"target": "Hdd", "uri": image}])
        machine.off()
        machine.off()
        self.assertFalse(machine.on())
        self.assertEqual(service.said, ["S1: boot UefiHttp", "S1: On", "S1: PowerCycle", "S1: ForceOff"])

    def refused(self, says):
        with self.assertRaisesRegex(power.PowerError, says):
            self.controllers()["S1"].boot_from_network()

    def test_what_it_refuses_is_told(self):
        self.service({"S1": self.machine("S1", {})})
        (self.folder.parent / "password").write_text("wrong\n", encoding="utf-8")
        self.refused("GET http://.*/redfish/v1/Systems/S1: 401 .*: credentials are missing or wrong$")

    def test_a_service_with_several_systems(self):
        service = self.service({"S1": self.machine("S1", {}), "S2": self.machine("S2", {})})
        text = (self.folder / "machines.conf").read_text(encoding="utf-8").replace("system = /redfish/v1/Systems/S1\n", "")
        (self.folder / "machines.conf").write_text(text, encoding="utf-8")
        self.refused("has 2 systems: /redfish/v1/Systems/S1, /redfish/v1/Systems/S2: choose one")
        del service.systems["S2"]
        self.controllers()["S1"].boot_from_network()
        self.assertEqual(service.said, ["S1: boot Pxe"])

    def test_services_as_makers_write_them(self):
        """Tags in headers or bodies, quoted, weak or plain; a slash that is asked for; a mode that cannot be written; kinds of reset in an
        ActionInfo; settings that stand in an object of their own; values that are null; answers that are packed; a service that is not ready yet."""
        for quirks in (["etag-in-body"], ["etag-in-body", "etag-plain"], ["etag-weak"], ["slash"], ["mode-readonly"], ["mode-readonly", "mode-legacy"],
                       ["action-info"], ["settings"], ["nulls"], ["gzip"], ["busy"], ["slash", "etag-in-body", "etag-weak", "mode-readonly", "mode-legacy", "action-info", "settings"]):
            with self.subTest(quirks):
                service = self.service({"S1": lambda boot: subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)})
                service.server.quirks = quirks
                machine = self.controllers()["S1"]
                machine.boot_from_network()
                machine.cycle()
                self.assertEqual(service.said, ["S1: boot Pxe", "S1: On"])
                service.__exit__()

    def test_a_redirection_to_another_server_is_none(self):
        service = self.service({"S1": self.machine("S1", {})})
        service.server.quirks = ["elsewhere"]
        self.refused("refers to http://127.0.0.2/.*, another server")

    def test_credentials_go_to_the_bmc_alone(self):
        self.service({"S1": self.machine("S1", {})})
        text = (self.folder / "machines.conf").read_text(encoding="utf-8").replace("system = /", "system = http://127.0.0.2:1/")
        (self.folder / "machines.conf").write_text(text, encoding="utf-8")
        self.refused("another server")

    def test_a_bmc_that_is_not_there(self):
        service = self.service({"S1": self.machine("S1", {})})
        service.__exit__()  # which may be done twice
        self.refused("Connection refused")
        status, out, _ = tool("run", self.folder, "S1")
        self.assertEqual(status, 3)
        self.assertRegex(out, "S1: ERROR; GET http://.*Connection refused")

    def test_an_inventory_that_is_wrong(self):
        for text, says in (("[S1]\n", "bmc = is missing"), ("[S1]\nbmc = x\npassword = y\n", "unknown option password;"), ("[S1]\nbmc = x\nmethod = wol\n", "method is"),
                           ("[S1]\nbmc = x\nuser = u\npassword-env = NO_SUCH_VARIABLE\n", "NO_SUCH_VARIABLE"), ("bmc = x\n", "section"),
                           ("[S1]\nbmc = x\nuser = u\npassword-file = /nowhere\n", "/nowhere")):
            (self.folder / "machines.conf").write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(LabError, says):
                self.controllers()
            self.assertEqual(tool("run", self.folder, "S1")[0], 2)
        (self.folder / "machines.conf").write_text("", encoding="utf-8")
        self.assertEqual(tool("run", self.folder, "--all")[0], 2)


SIMULATOR = """name "lab"
set_working_mc 0x20
startlan 1
  addr 127.0.0.1 {port}
  guid a123456789abcdefa123456789abcdef
  priv_limit admin
  allowed_auths_admin none md5 straight
endlan
chassis_control "{control}"
user 2 true "assay" "test" admin 10 md5
"""
CONTROLLER = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\nsel_enable 0x20 100 0x0a\nmc_enable 0x20\n"
# As OpenIPMI's lanserv calls it: set NAME VALUE..., get NAME...
CONTROL = """#!/bin/sh
cd {folder} || exit 1
echo "$@" >>said
case "$1 $2" in
"get power") echo "power:$(cat power 2>/dev/null || echo 0)" ;;
"set power") echo "$3" >power ;;
"get boot") echo "boot:$(cat boot 2>/dev/null || echo none)" ;;
"set boot") echo "$3" >boot ;;
esac
"""


class Ipmi(Machines):
    @unittest.skipUnless(shutil.which("ipmi_sim") and shutil.which("ipmitool"), "ipmi_sim or ipmitool is not there (scripts/setup report)")
    def test_a_bmc_switches(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        home = self.folder.parent / "bmc"
        home.mkdir()
        control = home / "control"
        control.write_text(CONTROL.format(folder=home), encoding="utf-8")
        control.chmod(0o755)
        (home / "lan.conf").write_text(SIMULATOR.format(port=port, control=control), encoding="utf-8")
        (home / "sim.emu").write_text(CONTROLLER, encoding="utf-8")
        simulator = subprocess.Popen(["ipmi_sim", "-c", home / "lan.conf", "-f", home / "sim.emu", "-s", home / "state", "-n"],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(simulator.wait)
        self.addCleanup(simulator.kill)
        (self.folder / "machines.conf").write_text(
            f"[S1]\nmethod = ipmi\nbmc = 127.0.0.1:{port}\nuser = assay\npassword-env = ASSAY_TEST_BMC\ncipher = 3\n", encoding="utf-8")
        os.environ["ASSAY_TEST_BMC"] = "test"
        machine = power.inventory(Lab(self.folder))["S1"]
        deadline = time.monotonic() + 60
        while True:
            try:
                self.assertFalse(machine.on())
                break
            except power.PowerError as e:
                self.assertIsNone(simulator.poll())
                self.assertLess(time.monotonic(), deadline, str(e))
        machine.boot_from_network()
        machine.cycle()
        self.assertTrue(machine.on())
        machine.cycle()
        while not machine.on():  # the simulator takes its time from off to on
            self.assertLess(time.monotonic(), deadline)
        machine.off()
        self.assertFalse(machine.on())
        said = [line for line in (home / "said").read_text(encoding="utf-8").splitlines() if "set" in line]
        conf = (self.folder / "machines.conf").read_text(encoding="utf-8")
        for password, user, cipher, why in (("another", "assay", 3, "the password is wrong"), ("test", "nobody", 3, "the BMC has no such user, or none with access by LAN"),
                                            ("test", "assay", 17, "the BMC refuses this cipher suite: choose another one \\(cipher =\\)")):
            os.environ["ASSAY_TEST_BMC"] = password
            (self.folder / "machines.conf").write_text(conf.replace("user = assay", f"user = {user}").replace("cipher = 3", f"cipher = {cipher}"), encoding="utf-8")
            status, out, _ = tool("run", self.folder, "S1")
            self.assertEqual(status, 3)
            self.assertRegex(out, rf"(?m)^S1: ERROR; 127\.0\.0\.1:\d+: ipmitool raw [0-9x ]+: {why} \(.*\)$")
            self.assertNotIn(f" {password} ", out)
        self.assertEqual(said, ["set boot pxe", "set power 1", "set power 0", "set power 1", "set power 0"])

    def test_the_boot_flags_are_kept_beyond_a_long_start_of_firmware(self):
        """IPMI 2.0, table 28-14, parameter 3; a BMC that refuses it is switched all the same, another fault is one."""
        (self.folder / "machines.conf").write_text("[S1]\nmethod = ipmi\nbmc = 127.0.0.1\n", encoding="utf-8")
        for says, fails in (("", False), ("Unable to send RAW command (channel=0x0 netfn=0x0 lun=0x0 cmd=0x8 rsp=0x80): Unknown", False),
                            ("Error: Unable to establish IPMI v2 / RMCP+ session", True)):
            asked = []

            def run(command, asked=asked, says=says, **_):
                asked.append(" ".join(command[command.index("-E") + 1:]))
                return subprocess.CompletedProcess(command, int(bool(says) and "raw" in command), "", says)
            with self.subTest(says), patch.object(power.shutil, "which", return_value="/ipmitool"), patch.object(power.subprocess, "run", run):
                machine = power.inventory(Lab(self.folder))["S1"]
                if fails:
                    self.assertRaises(power.PowerError, machine.boot_from_network)
                else:
                    machine.boot_from_network()
                    self.assertEqual(asked, ["raw 0x00 0x08 0x03 0x08", "chassis bootdev pxe options=efiboot"])

    def test_a_power_cycle_that_the_bmc_does_not_have_is_a_reset(self):
        """ipmitool -v has lines of its own before and after its answer."""
        (self.folder / "machines.conf").write_text("[S1]\nmethod = ipmi\nbmc = 127.0.0.1\n", encoding="utf-8")
        for says, resets in (("Set Chassis Power Control to Cycle failed: Invalid data field in request", True),
                             ("RAKP 2 message indicates an error : insufficient resources to create a session", False)):
            asked = []

            def run(command, asked=asked, says=says, **_):
                asked.append(command[-1])
                status = "Running Get PICMG Properties\nChassis Power is on\nDiscovering IPMB-0 address\n" if command[-1] == "status" else ""
                return subprocess.CompletedProcess(command, int(command[-1] == "cycle"), status, says if command[-1] == "cycle" else "")
            with self.subTest(says), patch.object(power.shutil, "which", return_value="/ipmitool"), patch.object(power.subprocess, "run", run):
                machine = power.inventory(Lab(self.folder))["S1"]
                if resets:
                    machine.cycle()
                else:
                    self.assertRaisesRegex(power.PowerError, "no session left", machine.cycle)
                self.assertEqual(asked, ["status", "cycle"] + ["reset"] * resets)

    @unittest.skipUnless(shutil.which("ipmitool"), "ipmitool is not there (scripts/setup report)")
    def test_a_bmc_that_is_silent(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:  # takes everything and says nothing
            s.bind(("127.0.0.1", 0))
            (self.folder / "machines.conf").write_text(f"[S1]\nmethod = ipmi\nbmc = 127.0.0.1:{s.getsockname()[1]}\n", encoding="utf-8")
            with patch.object(power, "SECONDS", 1), self.assertRaisesRegex(power.PowerError, "ipmitool raw .*: no answer in 1 s"):
                power.inventory(Lab(self.folder))["S1"].boot_from_network()


if __name__ == "__main__":
    unittest.main()
