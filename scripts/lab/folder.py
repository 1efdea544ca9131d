# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The folder of a lab: what is where in it, and its configuration.

  lab.conf        options of this file; machines.conf: machines and their BMCs; token: what machines upload with
  boot/           what machines boot: assay.efi, assay/default.cfg
  inbox/          what machines upload: a folder a run; upload/: what is not complete yet; judging/: what is looked at
  reports/M/T/    what was filed: machine M, run T, with verdict.json beside the report; reports/M/baseline names a run
  quarantine/     what is damaged or forged; NAME.why.txt says why
  state/          running.json, the lock of the one who watches, `full` where uploads are refused
  www/            index.html; junit/, prometheus/: what others read
"""
from __future__ import annotations

import configparser
import json
import os
import re
import tempfile
import time
from pathlib import Path

DEFAULTS = {"url": "", "address": "",
            "every": "5", "dead-after": "3600", "free-least": "1G", "run-most": "256M",
            "hook": "", "validate": "", "baseline": "first-pass", "prometheus-figures": "no",
            "at-once": "4", "timeout": "14400", "boot": "pxe"}
FOLDERS = ("boot/assay", "inbox", "upload", "judging", "reports", "quarantine", "state", "www", "junit", "prometheus")
# What the payload calls a machine: core/report/folder.h.
_UNIT = {"K": 10, "M": 20, "G": 30, "T": 40}


class LabError(Exception):
    """What cannot be done, and why, for whoever typed the command."""


def whole_or_not(path, text, mode=0o644):
    """A file that others read at any time is there as a whole or as it was."""
    path = Path(path)
    new = path.with_name(path.name + ".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(new, path)


def read_json(path, otherwise):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return otherwise


def machine_name(serial):
    """What the payload makes of a serial number for the name of a folder: core/report/folder.c."""
    name = re.sub(r"[^0-9A-Za-z]", "-", serial[:40], flags=re.A)
    return "_" + name[1:] if name[:1] == "-" else name


class Lab:
    """A folder that `assay-lab init` made."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        if not (self.folder / "lab.conf").is_file():
            raise LabError(f"{folder}: no lab.conf in it: `assay-lab init {folder}` makes one")
        self.options = self._options()

    def _options(self):
        parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
        path = self.folder / "lab.conf"
        try:
            parser.read_string("[lab]\n" + path.read_text(encoding="utf-8"), source=str(path))
        except (configparser.Error, UnicodeDecodeError) as e:
            raise LabError(f"{path}: {str(e).splitlines()[0]}") from None
        unknown = sorted(set(parser["lab"]) - set(DEFAULTS))
        if unknown:
            raise LabError(f"{path}: there is no option {unknown[0]}; there are: {', '.join(DEFAULTS)}")
        return DEFAULTS | dict(parser["lab"])

    def __truediv__(self, name):
        return self.folder / name

    def number(self, option):
        """An option that is a number, with a suffix K M G T of a size; LabError otherwise."""
        m = re.fullmatch(r"(\d+)([KMGT]?)", self.options[option])
        if not m:
            raise LabError(f"{self / 'lab.conf'}: {option} = {self.options[option]}: not a number")
        return int(m[1]) << _UNIT.get(m[2], 0)

    def yes(self, option):
        if self.options[option] not in ("yes", "no"):
            raise LabError(f"{self / 'lab.conf'}: {option} = {self.options[option]}: yes or no")
        return self.options[option] == "yes"

    def records(self, machine):
        """What was said of each filed run of a machine, in the order in which the runs began to arrive."""
        found = [read_json(p, None) for p in (self / "reports" / machine).glob("*/verdict.json")]
        return sorted((r for r in found if r), key=lambda r: (r["began"], r["time"]))

    def baseline(self, machine):
        """The run that later ones of the machine are compared with; None: there is none."""
        try:
            return (self / "reports" / machine / "baseline").read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def machines(self):
        """Names of the machines that something is filed of."""
        return sorted(p.name for p in (self / "reports").iterdir() if p.is_dir())

    def stamp(self):
        """Now, by the clock that stamps the files of this folder: a file that is written after this is not older."""
        with tempfile.NamedTemporaryFile(dir=self / "state", prefix="stamp-") as f:
            return os.fstat(f.fileno()).st_mtime


def age(seconds):
    """ "3 min", "5 h", "2 d" """
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


def utc(at):
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(at))
