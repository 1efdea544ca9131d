# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The folder of a lab, its layout and configuration.

  lab.conf        options; machines.conf: machines and their BMCs; token: for uploads
  boot/           files that machines boot: assay.efi, assay/default.cfg
  known/          addresses of each machine of machines.conf, for dnsmasq, and whether it is offered the image
  inbox/          uploads, one folder for each run; upload/: incomplete files; judging/: runs that are being judged
  reports/M/T/    filed runs: machine M, run T, with verdict.json beside the report; reports/M/baseline names a run
  quarantine/     damaged or forged runs; NAME.why.txt has the reason
  state/          running.json, the watcher's lock, `full` while uploads are refused
  www/            index.html; junit/, prometheus/: for other programs
"""
from __future__ import annotations

import configparser
import json
import os
import re
import tempfile
import time
from pathlib import Path

from report import files, waive
from report.model import StreamError

DEFAULTS = {"url": "", "address": "",
            "every": "5", "dead-after": "3600", "free-least": "1G", "run-most": "256M",
            "hook": "", "validate": "", "waivers": "", "baseline": "first-pass", "prometheus-figures": "no",
            "at-once": "4", "timeout": "14400", "boot": "pxe"}
FOLDERS = ("boot/assay", "known", "inbox", "upload", "judging", "reports", "quarantine", "state", "www", "junit", "prometheus")
_UNIT = {"K": 10, "M": 20, "G": 30, "T": 40}


class LabError(Exception):
    """A message for the user."""


def write_atomically(path, text, mode=0o644):
    """A reader sees the old file or the whole new one."""
    files.replace(path, text.encode("utf-8"), mode)


def machines(folder):
    """(serial number, its options) of each section of machines.conf. LabError."""
    path = Path(folder) / "machines.conf"
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), inline_comment_prefixes=("#",))
    parser.optionxform = str
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path))
    except (configparser.Error, UnicodeDecodeError, OSError) as e:
        raise LabError(f"{path}: {str(e).splitlines()[0]}") from None
    return [(serial, dict(parser[serial])) for serial in parser.sections()]


def read_json(path, otherwise):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return otherwise


def machine_name(serial):
    """The machine's part of a run's folder name, as core/report/folder.c makes it from a serial number."""
    name = re.sub(r"[^0-9A-Za-z]", "-", serial[:40], flags=re.A)
    return "_" + name[1:] if name[:1] == "-" else name


def order(record):
    """Of the records of a machine: that in which the uploads began."""
    return record["began"], record["time"]


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
            raise LabError(f"{path}: unknown option {unknown[0]}; options are: {', '.join(DEFAULTS)}")
        return DEFAULTS | dict(parser["lab"])

    def __truediv__(self, name):
        return self.folder / name

    def number(self, option):
        """The value of an option, with a suffix K M G T of a size; LabError if it is not a number."""
        m = re.fullmatch(r"(\d+)([KMGT]?)", self.options[option])
        if not m:
            raise LabError(f"{self / 'lab.conf'}: {option} = {self.options[option]}: not a number")
        return int(m[1]) << _UNIT.get(m[2], 0)

    def yes(self, option):
        if self.options[option] not in ("yes", "no"):
            raise LabError(f"{self / 'lab.conf'}: {option} = {self.options[option]}: yes or no")
        return self.options[option] == "yes"

    def waivers(self):
        """Of the file `waivers`; LabError if it has a wrong line, OSError if it cannot be read."""
        try:
            return waive.read(self.folder / self.options["waivers"]) if self.options["waivers"] else []
        except StreamError as e:
            raise LabError("; ".join(str(e).splitlines())) from None

    def records(self, machine):
        """verdict.json of each filed run of a machine, in the order in which the uploads began."""
        found = [read_json(p, None) for p in (self / "reports" / machine).glob("*/verdict.json")]
        return sorted((r for r in found if r), key=order)

    def baseline(self, machine):
        """The run that later ones of the machine are compared with, or None."""
        try:
            return (self / "reports" / machine / "baseline").read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def machines(self):
        """Names of the machines with filed runs."""
        return sorted(p.name for p in (self / "reports").iterdir() if p.is_dir())

    def stamp(self):
        """The current time by the file system's clock: no file that is written later is older."""
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
