# SPDX-License-Identifier: BSD-2-Clause-Patent
"""assay-report list has what the tables in docs have, from wherever it is installed."""
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_report import ROOT, Case, tool  # noqa: E402

FILES = ("docs/checks.md", "docs/conformance.tsv")


class Listed(Case):
    def test_each_line_of_the_tables_is_there(self):
        status, out, _ = tool("list")
        self.assertEqual(status, 0)
        o = json.loads(out)
        lines = [line.split(" | ") for line in (ROOT / FILES[0]).read_text(encoding="utf-8").splitlines() if line.startswith("| ")][2:]
        self.assertGreater(len(lines), 200)
        self.assertEqual([f"| {c['id']} | {c['rule']} | {', '.join(c['needs'])} |"
                          f"{' WARN' * (c['worst'] == 'WARN')}{' e' * c['byExperience']}{' l' * c['slow']} |" for c in o["checks"]],
                         [" | ".join(line) for line in lines])
        rows = [line for line in (ROOT / FILES[1]).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        self.assertEqual(["\t".join(r.values()) for r in o["rows"]], rows[1:])

    def test_a_package_has_what_it_needs(self):
        """In folders as packaging/release.mk makes them."""
        installed = (ROOT / "packaging" / "release.mk").read_text(encoding="utf-8")
        self.assertIn(f"install -m 644 {' '.join(FILES)} $(SHARE)/assay/docs/", installed)
        shutil.copytree(ROOT / "scripts" / "report", self.folder / "scripts" / "report")
        shutil.copy(ROOT / "scripts" / "assay-report", self.folder / "scripts")
        command = [sys.executable, self.folder / "scripts" / "assay-report", "list"]
        p = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((p.returncode, p.stdout, p.stderr.count("\n")), (2, "", 1))
        (self.folder / "docs").mkdir()
        for name in FILES:
            shutil.copy(ROOT / name, self.folder / name)
        p = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((p.returncode, json.loads(p.stdout)["checks"]), (0, json.loads(tool("list")[1])["checks"]))
        self.assertEqual(json.loads(p.stdout)["faults"], [])
        page = self.folder / "build" / "docs" / "faults.md"
        page.parent.mkdir(parents=True)
        page.write_text("| fault | stands for | rows | on | numbers |\n| --- | --- | --- | --- | --- |\n| a-b | bytes are lost | MB-01,MB-02 | bdx |  |\n")
        p = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(json.loads(p.stdout)["faults"], [{"name": "a-b", "defect": "bytes are lost", "rows": ["MB-01", "MB-02"]}])
        (self.folder / FILES[0]).write_text("# Checks\n", encoding="utf-8")
        p = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((p.returncode, p.stderr), (2, f"assay-report: {self.folder.resolve() / 'docs'}: no checks\n"))


if __name__ == "__main__":
    unittest.main()
