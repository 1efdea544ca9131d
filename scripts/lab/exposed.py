# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`assay-lab check`: what a lab's configuration leaves open, a sentence each with its remedy. It reads files alone and asks no server."""
from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from .folder import machines

_PRIVATE = ("inbox", "upload", "judging")
_NO = ("", "no")


def _others(path):
    """What users of this server who are neither owner nor group may do with it: "read", "change" or ""."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return ""
    return "change" if mode & stat.S_IWOTH else "read" if mode & stat.S_IROTH else ""


def _lines(path):
    try:
        return [line.split("#", 1)[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return []


def _options(path):
    return dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in _lines(path) if "=" in line)


def _boot(folder):
    for path in sorted((folder / "boot/assay").glob("*.cfg")):
        o = _options(path)
        if o.get("token") and re.match(r"http://", o.get("out", "")):
            yield (f"{path}: the token goes to {o['out']} over plain HTTP: whoever can listen in this network can send reports. "
                   "init --tls CERTIFICATE KEY --name HOST --force")
        if _others(path) == "change":
            yield f"{path}: every user of this server can change what machines run. chmod o-w"
    if _others(folder / "boot/assay.efi") == "change":
        yield f"{folder / 'boot/assay.efi'}: every user of this server can replace it. chmod o-w"


def _machines(folder):
    for serial, entry in machines(folder):
        at = f"{folder / 'machines.conf'}: [{serial}]"
        ipmi = entry.get("method") == "ipmi"
        if not ipmi and entry.get("insecure", "") not in _NO:
            yield f"{at}: the BMC's certificate is not verified (insecure): who answers in its place gets the password. ca = FILE"
        if entry.get("bmc", "").startswith("http://"):
            yield f"{at}: the BMC's password goes over plain HTTP. bmc = https://..."
        if ipmi and entry.get("cipher") in ("0", "1", "2", "3"):
            yield f"{at}: cipher = {entry['cipher']}: IPMI with SHA-1 or without authentication. Leave it out: suite 17"
        if "password-file" in entry and _others(entry["password-file"]):
            yield f"{entry['password-file']}: every user of this server can {_others(entry['password-file'])} the password of BMCs. chmod 600"


def _nginx(folder):
    path = folder / "nginx.conf"
    lines = _lines(path)
    text = "\n".join(lines)
    if not lines:
        return
    for place in ("/www/", "/reports/"):
        body = re.search(rf"location {place} \{{(.*)", text)
        block = text[body.start(1):body.start(1) + 1000].split("location", 1)[0] if body else ""
        if body and ("allow all;" in block or "deny all;" not in block):
            yield f"{path}: everyone who reaches this server can read {place}. deny all; and init --readers NETWORK"
    if re.search(r"location /reports/", text) and "Content-Security-Policy" not in text:
        yield f"{path}: pages of reports are served without a Content-Security-Policy: what a report has inside may run as a script of this server"
    if re.search(r"listen (\*:|0\.0\.0\.0|\[::\]|\d+[ ;])", text):
        yield f"{path}: it listens in every network of this server. listen ADDRESS:PORT"
    if re.search(r"dav_methods [^;]*(DELETE|MKCOL|COPY|MOVE)", text):
        yield f"{path}: uploads can be removed or moved (dav_methods). dav_methods PUT"
    if "http_authorization" not in text:
        yield f"{path}: reports are accepted without a token. init --force"


def found(lab):
    """A sentence for each thing that is open. LabError."""
    folder = lab.folder
    dnsmasq = _lines(folder / "dnsmasq.conf")
    out = []
    if dnsmasq and "dhcp-ignore=tag:!known" not in dnsmasq:
        out.append(f"{folder / 'dnsmasq.conf'}: every machine that boots from this network runs Assay and can read the token. "
                   "mac = in machines.conf, then init --force without --anyone")
    out += _boot(folder)
    out += _nginx(folder)
    out += _machines(folder)
    for name, what in (("token", "the token"), ("nginx.conf", "the token"), ("machines.conf", "which BMCs there are")):
        if _others(folder / name):
            out.append(f"{folder / name}: every user of this server can {_others(folder / name)} {what}. chmod 640")
    out += [f"{folder / name}: every user of this server can {_others(folder / name)} uploads. chmod 770"
            for name in _PRIVATE if _others(folder / name)]
    out += [f"{lab.options[name]}: every user of this server can change the program of `{name}`. chmod o-w"
            for name in ("hook", "validate") if lab.options[name] and _others(Path(lab.options[name])) == "change"]
    return out
