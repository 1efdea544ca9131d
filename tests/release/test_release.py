# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Packages and files of a release: what lintian says, installed, used and removed; digests, disk images, bill of materials. Of what
`make release SNAPSHOT=yes` left in build/release, which tests/drivers/release runs before; make release-check builds it twice."""
import getpass
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEASE, STREAM = ROOT / "build" / "release", ROOT / "tests" / "fixtures" / "stream" / "golden.jsonl"
VERSION = re.search(r'^VERSION = "(.*?)"', (ROOT / "scripts" / "report" / "__init__.py").read_text(encoding="utf-8"), re.M)[1]
DEBS = sorted(RELEASE.glob("*.deb"))
BINARY = sorted(f"usr/bin/{name}" for name in ("assay-lab", "assay-record", "assay-report", "assay-stick", "run-silicon"))


def run(*args, status=0, **more):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=600, check=False, **more)
    assert p.returncode == status, f"{args}: exit status {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout + p.stderr


class Files(unittest.TestCase):
    def test_all_that_a_release_has(self):
        names = [re.sub(r"[-_][0-9][^_]*?(?=_|\.tar|\.spdx)", "-V", p.name) for p in sorted(RELEASE.iterdir())]
        self.assertEqual(sorted(names), sorted([
            "CHANGES.md", "SHA256SUMS", "assay-V.spdx.json", "assay-V.tar.xz", "assay-V_all.deb", "assay-silicon-V_amd64.deb", "assay.efi",
            "assay.img", "assay.iso", "assay.vhd", "checks.md", "faults.md", "uncore-parts.md"]))

    def test_digests_are_of_all_files(self):
        sums = dict(reversed(line.split("  ")) for line in (RELEASE / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
        found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in RELEASE.iterdir() if p.name != "SHA256SUMS"}
        self.assertEqual(sums, found)

    def test_the_sources_are_those_of_the_commit(self):
        tar, = RELEASE.glob("*.tar.xz")
        with tarfile.open(tar) as t:
            folders, names = {m.name.split("/", 1)[0] for m in t.getmembers()}, {m.name.split("/", 1)[1] for m in t.getmembers() if m.isfile()}
        bill, = RELEASE.glob("*.spdx.json")
        commit = json.loads(bill.read_text(encoding="utf-8"))["packages"][0]["sourceInfo"].rpartition("commit ")[2]
        listed = run("git", "-C", ROOT, "ls-tree", "-r", "--name-only", commit).splitlines()
        self.assertEqual((folders, names), ({tar.name.removesuffix(".tar.xz")}, set(listed)))
        with tempfile.TemporaryDirectory() as folder:  # without git they know their commit and its time
            run("tar", "-xJf", tar, "-C", folder, "--strip-components=1")
            env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
            name = tar.name.removeprefix("assay-").removesuffix(".tar.xz").removesuffix(".dirty")
            self.assertEqual(run("make", "-s", "-C", folder, "release-name", env=env).strip(), name)

    def test_without_a_tag_there_is_no_release(self):
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            run("git", "clone", "-q", "--no-tags", ROOT, clone)
            env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
            name = run("make", "-s", "-C", clone, "release-name", env=env).strip()
            self.assertRegex(name, rf"\A{re.escape(VERSION)}\+git\d{{8}}\.[0-9a-f]+\Z")
            changelog = clone / "CHANGELOG.md"
            changelog.write_text(changelog.read_text(encoding="utf-8").replace("## Unreleased\n", "## Unreleased\n\n- A change.\n"), encoding="utf-8")
            run(clone / "packaging" / "changes", VERSION, status=1)  # what is under Unreleased would be left out
            self.assertIn("not later", run(clone / "packaging" / "new-version", VERSION, status=1))
            run(clone / "packaging" / "new-version", "99.0.1", "2030-01-02")
            self.assertIn("\n## Unreleased\n\n## 99.0.1 - 2030-01-02\n\n- A change.\n", changelog.read_text(encoding="utf-8"))
            self.assertTrue(run(clone / "packaging" / "changes", "99.0.1").startswith("- A change.\n"))
            git = ("git", "-C", clone, "-c", "user.name=a", "-c", "user.email=a@b")
            run(*git, "commit", "-qam", "x")
            for tag in (("-a", "-m", "x"), ()):  # annotated, and light
                run(*git, "tag", *tag, "v99.0.1")
                self.assertEqual(run("make", "-s", "-C", clone, "release-name", env=env).strip(), "99.0.1")
                run(*git, "tag", "-d", "v99.0.1")
            run(*git, "tag", "v99.0.1")
            with open(clone / "README.md", "a", encoding="utf-8") as f:
                f.write("x")
            self.assertRegex(run("make", "-s", "-C", clone, "release-name", env=env), r"\+git.*\.dirty")


class HardDisk(unittest.TestCase):
    def test_the_footer_is_that_of_a_fixed_disk(self):
        data = (RELEASE / "assay.vhd").read_bytes()
        image, foot = data[:-512], data[-512:]
        self.assertEqual((foot[:8], struct.unpack(">I", foot[60:64])[0]), (b"conectix", 2))
        self.assertEqual(struct.unpack(">I", foot[64:68])[0], ~sum(foot[:64] + foot[68:]) & 0xFFFFFFFF)
        original, current, cylinders, heads, sectors = struct.unpack(">QQHBB", foot[40:60])
        self.assertEqual((original, current, cylinders * heads * sectors * 512), (len(image),) * 3)
        raw = (RELEASE / "assay.img").read_bytes()
        self.assertEqual((image[: len(raw)] == raw, any(image[len(raw) :])), (True, False))

    @unittest.skipUnless(shutil.which("qemu-img"), "qemu-img is not there (scripts/setup release)")
    def test_qemu_reads_the_same(self):
        said = run("qemu-img", "compare", "-f", "raw", "-F", "vpc", RELEASE / "assay.img", RELEASE / "assay.vhd")
        self.assertIn("Images are identical", said)


class Materials(unittest.TestCase):
    """SPDX 2.3: what its schema requires of a document, a package, a file and a relationship."""

    def test_the_bill_of_materials(self):
        path, = RELEASE.glob("*.spdx.json")
        d = json.loads(path.read_text(encoding="utf-8"))
        self.assertLessEqual({"SPDXID", "creationInfo", "dataLicense", "name", "spdxVersion", "documentNamespace"}, d.keys())
        self.assertEqual((d["spdxVersion"], d["dataLicense"], d["SPDXID"]), ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(d["creationInfo"]["created"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        for creator in d["creationInfo"]["creators"]:
            self.assertRegex(creator, r"\A(Person|Organization|Tool): \S")
        self.assertRegex(d["documentNamespace"], r"\Ahttps://[^#\s]+\Z")
        ids = ["SPDXRef-DOCUMENT"]
        for p in d["packages"]:
            self.assertLessEqual({"name", "SPDXID", "downloadLocation", "versionInfo", "licenseDeclared"}, p.keys())
            ids.append(p["SPDXID"])
        for f in d["files"]:
            self.assertLessEqual({"fileName", "SPDXID", "checksums"}, f.keys())
            self.assertTrue(f["fileName"].startswith("./"))
            ids.append(f["SPDXID"])
            data = (RELEASE / f["fileName"]).read_bytes()
            self.assertEqual({c["algorithm"]: c["checksumValue"] for c in f["checksums"]},
                             {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()})
        self.assertEqual(len(set(ids)), len(ids))
        for i in ids:
            self.assertRegex(i, r"\ASPDXRef-[A-Za-z0-9.-]+\Z")
        self.assertEqual({f["fileName"][2:] for f in d["files"]}, {p.name for p in RELEASE.iterdir()} - {path.name, "SHA256SUMS"})
        relations = [(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in d["relationships"]]
        self.assertLessEqual({i for a, _, b in relations for i in (a, b)}, set(ids))
        self.assertIn(("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-assay"), relations)
        self.assertIn(("SPDXRef-gnu-efi", "BUILD_DEPENDENCY_OF", "SPDXRef-assay"), relations)


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not there (scripts/setup release)")
    def test_lintian_has_no_error(self):
        said = run("lintian", "--fail-on", "error,warning", "--allow-root", *DEBS)
        self.assertNotRegex(said, "(?m)^[EW]:")

    # In a root of its own, in which the packages' own commands are started: nothing of this tree helps them.
    def test_installed_used_and_removed(self):
        root, used = self.folder / "root", self.folder / "used"
        for d in ("updates", "info"):
            (root / "var" / "lib" / "dpkg" / d).mkdir(parents=True)
        (root / "var" / "lib" / "dpkg" / "status").touch()
        used.mkdir()
        dpkg = ("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-script-chrootless", f"--log={self.folder / 'log'}")
        run(*dpkg, "-i", *DEBS)
        self.assertEqual(sorted(str(p.relative_to(root)) for p in (root / "usr" / "bin").iterdir()), BINARY)
        env = os.environ | {"PATH": f"{root}/usr/bin:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        env.pop("PYTHONPATH", None)
        for name in ("assay-lab", "assay-record", "assay-report", "assay-stick"):
            self.assertEqual(run(name, "--version", cwd=used, env=env), f"{name} {VERSION}\n")
            self.assertTrue((root / "usr" / "share" / "man" / "man1" / f"{name}.1.gz").exists())
        for args in ((), ("-f", "html"), ("export", "-f", "prom")):
            here = run(sys.executable, ROOT / "scripts" / "assay-report", *args[:1] * (args[:1] == ("export",)), *args[-2:], STREAM, status=self.status(args))
            self.assertEqual(run("assay-report", *args, STREAM, cwd=used, env=env, status=self.status(args)), here)
        run("assay-lab", "init", used / "lab", "--address", "127.0.0.1/8", "--interface", "lo", "--user", getpass.getuser(), cwd=used, env=env)
        self.assertIn("0 machines", run("assay-lab", "status", used / "lab", cwd=used, env=env))
        stick = used / "stick"
        stick.touch()
        os.truncate(stick, 130 << 20)
        self.assertIn("written and read back", run("assay-stick", "--yes", stick, cwd=used, env=env))
        self.assertEqual(stick.read_bytes()[: 128 << 20], (RELEASE / "assay.img").read_bytes())
        self.assertIn("up to date", run("assay-stick", "--upgrade", stick, cwd=used, env=env))
        self.assertEqual((root / "usr" / "lib" / "assay" / "assay.efi").read_bytes(), (RELEASE / "assay.efi").read_bytes())
        self.assertIn("--fault NAME", run("run-silicon", "--help", cwd=used, env=env))
        read = (root / "usr" / "share" / "doc" / "assay" / "README.md").read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^):]+)\)", read):
            if not link.startswith(("tests/", "CONTRIBUTING")):  # of the sources alone
                self.assertTrue((root / "usr" / "share" / "doc" / "assay" / link.partition("#")[0]).exists(), link)
        bands = root / "usr" / "lib" / "assay" / "silicon" / "bands"
        self.assertEqual(*(sorted(f.name for f in d.glob("*.bands")) for d in (bands, ROOT / "tests" / "silicon" / "bands")))
        self.silicon(used, stick, env)
        run(*dpkg, "-r", "assay", "assay-silicon")
        self.assertEqual([p for p in root.rglob("*") if p.is_file() or p.is_symlink() if "var/lib/dpkg" not in str(p)], [])

    def silicon(self, used, stick, env):
        """The plugin answers QEMU; ASSAY_RELEASE_BOOT=yes boots the stick as well, which takes 30 s of processor time."""
        if not shutil.which("qemu-system-x86_64") or not Path("/usr/share/OVMF/OVMF_CODE_4M.fd").exists():
            return
        command = ("run-silicon", "--cpus", "1", "--packages", "1", "--serial", used / "serial")
        self.assertIn("no profile nosuch", run(*command, "--profile", "nosuch", stick, cwd=used, env=env, status=2))
        if os.environ.get("ASSAY_RELEASE_BOOT") == "yes":
            run(*command, "--options", "-list -exit return", stick, cwd=used, env=env, status=1)
            self.assertTrue("qm.keyhole  " in (used / "serial").read_text(encoding="utf-8", errors="replace"))

    @staticmethod
    def status(args):
        return 0 if "export" in args else GOLDEN


GOLDEN = subprocess.run([sys.executable, ROOT / "scripts" / "assay-report", STREAM], capture_output=True, check=False).returncode


class Commands(unittest.TestCase):
    """Manual pages and completions name the options that there are."""

    def options(self, *command):
        return set(re.findall(r"(?<![\w-])--[a-z]+", run(sys.executable, *command, "--help"))) - {"--help"}

    def test_pages_and_completions_have_each_option(self):
        report = ROOT / "scripts" / "assay-report"
        wanted = {"assay-stick": self.options(ROOT / "scripts" / "assay-stick"), "assay-record": self.options(ROOT / "scripts" / "assay-record"), "assay-report": set().union(*(
            self.options(report, c) for c in ("diff", "merge", "calibrate", "verify", "export", "import", "report.jsonl"))) - {"--out", "--format", "--verbose"},
            "assay-lab": set().union(*(self.options(ROOT / "scripts" / "assay-lab", c) for c in ("init", "watch", "status", "run", "baseline"))) - {"--format"}}
        for name, options in wanted.items():
            page = (ROOT / "packaging" / "man" / f"{name}.1").read_text(encoding="utf-8").replace("\\-", "-")
            words = (ROOT / "packaging" / "completion" / name).read_text(encoding="utf-8")
            for option in options:
                self.assertIn(option, page, name)
                self.assertIn(option, words, name)

    def complete(self, name, *words):
        """What bash offers for the last word."""
        script = (f'. packaging/completion/{name}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _{name.replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"')
        env = os.environ | {"PATH": f"{ROOT}/scripts:{ROOT}/tests/silicon:{os.environ['PATH']}"}
        return run("bash", "-c", script, "bash", name, *words, cwd=ROOT, env=env).split()

    def test_completion(self):
        self.assertEqual(self.complete("assay-report", "me"), ["merge"])
        self.assertEqual(self.complete("assay-report", "export", "-f", ""), ["ndjson", "csv", "prom", "redfish", "sel"])
        self.assertEqual(self.complete("assay-report", "-f", "j"), ["junit", "json"])
        self.assertEqual(self.complete("assay-lab", "run", "DIR", "--at"), ["--at-once"])
        self.assertEqual(self.complete("assay-stick", "--u"), ["--upgrade"])
        self.assertEqual(self.complete("run-silicon", "--prof"), ["--profile"])

    @unittest.skipUnless(shutil.which("man"), "man is not there")
    def test_the_pages_are_without_warnings(self):
        for page in (ROOT / "packaging" / "man").iterdir():
            said = run("man", "--warnings", "-l", page, env=os.environ | {"MANWIDTH": "80", "MANROFFSEQ": "", "LC_ALL": "C.UTF-8"})
            self.assertNotIn("warning", said, page)


if __name__ == "__main__":
    unittest.main()
