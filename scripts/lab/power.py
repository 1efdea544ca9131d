# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Switches machines through their BMCs: Redfish (DSP0266 1.15, schema ComputerSystem), or IPMI through ipmitool."""
from __future__ import annotations

import base64
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request
import zlib
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from .folder import LabError, machines

SECONDS = 60  # of one request
_KEYS = ("bmc", "system", "user", "password-file", "password-env", "method", "boot", "ca", "insecure", "cipher", "mac")
MOST = 4 << 20  # bytes of an answer
HOPS = 3  # redirections of a request
_REDIRECTS = (301, 302, 303, 307, 308)
_TAG_REFUSED, _BODY_REFUSED = (412, 428), (400, 404, 405, 409, 501)


class PowerError(Exception):
    """The BMC cannot be reached or refuses; the text has the request."""


class Refused(PowerError):
    """An answer with the status `code`."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def inventory(lab):
    """{serial: controller} of machines.conf. LabError."""
    path = lab / "machines.conf"
    out = {}
    for serial, entry in machines(lab.folder):
        unknown = sorted(set(entry) - set(_KEYS))
        if unknown:
            raise LabError(f"{path}: [{serial}]: unknown option {unknown[0]}; options are: {', '.join(_KEYS)}")
        if not entry.get("bmc"):
            raise LabError(f"{path}: [{serial}]: bmc = is missing")
        method = {"redfish": Redfish, "ipmi": Ipmi}.get(entry.get("method", "redfish"))
        if method is None or entry.get("boot", "pxe") not in ("pxe", "http"):
            raise LabError(f"{path}: [{serial}]: method is redfish or ipmi, boot is pxe or http")
        out[serial] = method(entry, lab.options["boot"], lab.options["url"] + "boot/assay.efi")
    return out


def _password(entry):
    """From the first line of a file or from a variable; None: not configured. LabError if it is configured and missing."""
    if "password-file" in entry:
        try:
            return Path(entry["password-file"]).read_text(encoding="utf-8").split("\n", 1)[0]
        except OSError as e:
            raise LabError(f"password-file: {e}") from None
    if "password-env" in entry:
        try:
            return os.environ[entry["password-env"]]
        except KeyError:
            raise LabError(f"password-env: no such variable: {entry['password-env']}") from None
    return None


class Redfish:
    """A system of a Redfish service."""

    def __init__(self, entry, boot, image):
        self.root = entry["bmc"] if "://" in entry["bmc"] else f"https://{entry['bmc']}"
        self.path, self.boot, self.image, self.entry = entry.get("system", ""), entry.get("boot", boot), image, entry
        context = ssl.create_default_context(cafile=entry.get("ca"))
        if entry.get("insecure") == "yes":
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context), _NoRedirect())
        self.authorization = None
        if "user" in entry:
            secret = f"{entry['user']}:{_password(entry) or ''}"
            self.authorization = "Basic " + base64.b64encode(secret.encode()).decode()

    def _own(self, path):
        """The URL of a path on this service. PowerError: it is on another one."""
        url = urljoin(self.root, path)
        if urlsplit(url)[:2] != urlsplit(self.root)[:2]:
            raise PowerError(f"{self.root}: refers to {url}, another server")
        return url

    def _ask(self, method, path, body=None, headers=(), hops=HOPS):
        """(JSON of the answer or {}, its headers). Only from this service: credentials are sent nowhere else."""
        url = self._own(path)
        request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Accept": "application/json", "Content-Type": "application/json", **dict(headers)})
        if self.authorization:
            request.add_unredirected_header("Authorization", self.authorization)
        try:
            with self._open(request) as answer:
                text, headers = _body(answer), answer.headers
            if headers.get("Content-Encoding", "").lower() == "gzip":  # iLO's, whatever is asked for
                text = zlib.decompressobj(31).decompress(text, MOST)
            # null: a value that is not known yet (DSP0266 9.4), as of a machine that is off
            found = json.loads(text, object_hook=lambda o: {k: v for k, v in o.items() if v is not None}) if text.strip() else {}
        except urllib.error.HTTPError as e:
            to = e.headers.get("Location", "")
            if e.code in _REDIRECTS and method == "GET" and to and hops > 0:
                return self._ask("GET", self._own(urljoin(url, to)), None, (), hops - 1)
            raise Refused(e.code, f"{method} {url}: {e.code} {e.reason}{_extended(e)}") from None
        except (OSError, ValueError, zlib.error, http.client.HTTPException) as e:  # URLError is an OSError
            raise PowerError(f"{method} {url}: {getattr(e, 'reason', None) or e or type(e).__name__}") from None
        if not isinstance(found, dict):
            raise PowerError(f"{method} {url}: the answer is not a JSON object")
        return found, headers

    def _open(self, request):
        """The answer of a service that is ready: one that starts, or follows the machine's own start, says 503 until then."""
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return self.opener.open(request, timeout=SECONDS)
            except urllib.error.HTTPError as e:
                after = e.headers.get("Retry-After", "")
                wait = min(int(after) if after.isdecimal() else 5, SECONDS)
                if e.code != 503 or time.monotonic() + wait > deadline:
                    raise
                e.close()
                time.sleep(wait)

    def system(self):
        """The ComputerSystem and its tag: that of the header, else the object's own (DSP0266 6.5 has both), or None."""
        if not self.path:
            members, _ = self._ask("GET", "/redfish/v1/Systems")
            paths = [m.get("@odata.id", "") for m in members.get("Members", [])]
            if len(paths) != 1:
                raise PowerError(f"{self.root}: has {len(paths)} systems: {', '.join(paths)}: choose one (system =)")
            self.path = paths[0]
        found, headers = self._ask("GET", self.path)
        return found, _tag(found, headers)

    def on(self):
        return self.system()[0].get("PowerState") in ("On", "PoweringOn")

    def boot_from_network(self):
        """At the next start only."""
        system, tag = self.system()
        allowed = system.get("Boot", {}).get("BootSourceOverrideTarget@Redfish.AllowableValues", [])
        boot = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": "UefiHttp" if self.boot == "http" else "Pxe"}
        if allowed and boot["BootSourceOverrideTarget"] not in allowed:
            raise PowerError(f"{self.root}: boots from {', '.join(allowed)}, not from {boot['BootSourceOverrideTarget']}")
        mode = system.get("Boot", {}).get("BootSourceOverrideMode")
        if mode is not None and mode != "UEFI":  # some services have it and do not let it be written
            boot["BootSourceOverrideMode"] = "UEFI"
        if self.boot == "http" and "HttpBootUri" in system.get("Boot", {}):
            boot["HttpBootUri"] = self.image
        self._set_boot(system, boot, tag)

    def _set_boot(self, system, boot, tag):
        """Writes to the system, or to its settings object where the system refuses (DSP0266 9.10), with the tag as it is written, as a strong
        and as a weak one, and at last without the mode. PowerError: the first refusal."""
        settings = system.get("@Redfish.Settings", {}).get("SettingsObject", {}).get("@odata.id")
        bodies = [boot] + [{k: v for k, v in boot.items() if k != "BootSourceOverrideMode"}] * ("BootSourceOverrideMode" in boot)
        first = None
        for body in bodies:
            for path in [self.path] + [settings] * bool(settings):
                for written in _tags(tag if path == self.path else _tag(*self._ask("GET", path))):
                    try:
                        self._ask("PATCH", path, {"Boot": body}, {"If-Match": written}.items() if written else ())
                        return
                    except Refused as e:
                        first = first or e
                        if e.code not in (*_TAG_REFUSED, *_BODY_REFUSED):
                            raise first from None
                        if e.code in _BODY_REFUSED:
                            break
        raise first

    def _reset(self, *kinds):
        """Resets by the first of these kinds that the system allows."""
        action = self.system()[0].get("Actions", {}).get("#ComputerSystem.Reset", {})
        allowed = action.get("ResetType@Redfish.AllowableValues") or self._allowed(action) or kinds
        kind = next((k for k in kinds if k in allowed), None)
        if kind is None or "target" not in action:
            raise PowerError(f"{self.root}: does not support {' or '.join(kinds)}, only {', '.join(allowed) or 'no ComputerSystem.Reset'}")
        self._ask("POST", action["target"], {"ResetType": kind})

    def _allowed(self, action):
        """Kinds of reset by the action's ActionInfo (DSP0266 9.7), [] where it says none."""
        if "@Redfish.ActionInfo" not in action:
            return []
        info, _ = self._ask("GET", action["@Redfish.ActionInfo"])
        return next((p.get("AllowableValues", []) for p in info.get("Parameters", []) if p.get("Name") == "ResetType"), [])

    def cycle(self):
        """Power cycle; on if it was off."""
        if self.on():
            self._reset("PowerCycle", "ForceRestart")
        else:
            self._reset("On", "ForceOn")

    def off(self):
        if self.on():
            self._reset("ForceOff", "GracefulShutdown")


def _tag(found, headers):
    """A resource's tag: of the header, else of the object."""
    tag = headers.get("ETag") or found.get("@odata.etag")
    return tag if isinstance(tag, str) else None


def _tags(tag):
    """A tag as services want it back, whatever they write: quoted and weak or not; any, where there is none (RFC 9110 13.1.1)."""
    if not tag:
        return [None, "*"]
    plain = tag.removeprefix("W/").strip('"')
    return list(dict.fromkeys([tag, f'"{plain}"', f'W/"{plain}"', "*"]))


def _body(answer):
    """The body of an answer within SECONDS and MOST bytes; the socket's own time-out is for each piece."""
    text, deadline = b"", time.monotonic() + SECONDS
    while len(text) < MOST and (more := answer.read1(MOST - len(text))):
        text += more
        if time.monotonic() > deadline:
            raise OSError(f"the answer was not complete after {SECONDS} s")
    return text


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redfish._ask() follows a GET's redirection within the service alone: another target is not in machines.conf."""

    def redirect_request(self, *_):
        return None


def _extended(error):
    """The first message of a Redfish error, DSP0266 8.6, or the first line of a text in its place."""
    text = b""
    try:
        text = _body(error)
        e = json.loads(text)["error"]
        return f": {(e.get('@Message.ExtendedInfo') or [{}])[0].get('Message') or e.get('message', '')}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        line = text.strip().split(b"\n", 1)[0][:200].decode("utf-8", "replace")
        return f": {line}" if line and line[0] not in "<{[" else ""


# Messages of ipmitool -v when it gets no session (its src/plugins/lanplus), and their meaning.
_NO_SESSION = (("RAKP 2 HMAC is invalid", "the password is wrong"), ("unauthorized name", "the BMC has no such user, or none with access by LAN"),
               ("nsufficient privilege", "the user is not an administrator"), ("nauthorized requested privilege", "the user is not an administrator"),
               ("nauthorized role", "the user is not an administrator"),
               ("invalid authentication algorithm", "the BMC refuses this cipher suite: choose another one (cipher =)"),
               ("invalid integrity algorithm", "the BMC refuses this cipher suite: choose another one (cipher =)"),
               ("invalid confidentiality algorithm", "the BMC refuses this cipher suite: choose another one (cipher =)"),
               ("insufficient resources", "the BMC has no session left: others have them all"),
               ("Get Auth Capabilities error", "no BMC with IPMI answers at this address"))


def _why(text):
    """The last line of ipmitool's output, after its meaning if that is known."""
    lines = [line for line in text.splitlines() if line.strip()]
    meaning = next((means for said, means in _NO_SESSION if said in text), None)
    return f"{meaning} ({lines[-1]})" if meaning else " / ".join(lines[-2:])


class Ipmi:
    """A BMC with IPMI v2.0, through ipmitool (lanplus)."""

    def __init__(self, entry, boot, _image):
        if entry.get("boot", boot) != "pxe":
            raise LabError("IPMI has no HTTP boot: use boot = pxe")
        if not shutil.which("ipmitool"):
            raise LabError("ipmitool is not installed")
        host, _, port = entry["bmc"].partition(":")
        self.command = ["ipmitool", "-v", "-I", "lanplus", "-H", host, *(["-p", port] if port else []), "-U", entry.get("user", ""), "-E",
                        *(["-C", entry["cipher"]] if "cipher" in entry else [])]
        self.environment = os.environ | {"IPMI_PASSWORD": _password(entry) or ""}
        self.where = entry["bmc"]

    def _ask(self, *words):
        try:
            p = subprocess.run([*self.command, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                               env=self.environment, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise PowerError(f"{self.where}: ipmitool {' '.join(words)}: no answer in {SECONDS} s") from None
        if p.returncode:
            raise PowerError(f"{self.where}: ipmitool {' '.join(words)}: {_why(p.stdout + p.stderr) or p.returncode}")
        return p.stdout

    def on(self):
        return re.search(r"^Chassis Power is on\s*$", self._ask("chassis", "power", "status"), re.M) is not None

    def boot_from_network(self):
        """The BMC clears the boot flags 60 s after they were set, and a machine with much memory is at its start longer: bit 3 of parameter
        3 keeps them (IPMI 2.0, table 28-14). A BMC may refuse that."""
        try:
            self._ask("raw", "0x00", "0x08", "0x03", "0x08")
        except PowerError as e:
            if "rsp=" not in str(e):  # a completion code
                raise
        self._ask("chassis", "bootdev", "pxe", "options=efiboot")

    def cycle(self):
        """A power cycle is optional (IPMI 2.0, 28.3): where the BMC has none, a reset."""
        if not self.on():
            self._ask("chassis", "power", "on")
            return
        try:
            self._ask("chassis", "power", "cycle")
        except PowerError as e:
            if "Control to Cycle failed" not in str(e):
                raise
            self._ask("chassis", "power", "reset")

    def off(self):
        if self.on():
            self._ask("chassis", "power", "off")
