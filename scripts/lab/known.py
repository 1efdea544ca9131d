# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which machines dnsmasq offers the image: known/MACHINE has a line for each `mac =` of machines.conf, with the tag `filed` once a complete
run of the machine is filed, so that a machine whose first boot entry is the network does not test for ever.

dnsmasq reads a file of a dhcp-hostsdir when it changes; the newest of its lines counts, and lines that are gone count until it restarts, so
that a file is rewritten and never removed."""
from __future__ import annotations

import os
import re

from .folder import LabError, machine_name, machines, write_atomically

_MAC = re.compile(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
_FILED = ",set:filed"  # dnsmasq.conf: dhcp-ignore=tag:filed; `ignore` has no effect in a proxy


def _write(folder, name, addresses, offered):
    new = folder / "state" / f"known-{name}"  # dnsmasq would read a temporary file in known/
    write_atomically(new, "".join(f"{a}{'' if offered else _FILED}\n" for a in addresses))
    os.replace(new, folder / "known" / name)


def init(folder):
    """Writes the file of each machine of machines.conf; one that is not offered the image stays so. LabError."""
    for serial, entry in machines(folder):
        addresses, path = entry.get("mac", "").lower().split(), folder / "known" / machine_name(serial)
        for a in addresses:
            if not _MAC.fullmatch(a):
                raise LabError(f"{folder / 'machines.conf'}: [{serial}]: mac = {a}: not an address as 52:54:00:12:34:56")
        if addresses or path.exists():
            _write(folder, machine_name(serial), addresses, not path.exists() or _FILED not in path.read_text(encoding="ascii"))


def offer(folder, name, offered):
    """Whether the machine is offered the image from now on; name: as of its folder in known/. False: it has no file there."""
    path = folder / "known" / name
    if not path.exists():
        return False
    _write(folder, name, path.read_text(encoding="ascii").replace(_FILED, "").split(), offered)
    return True
