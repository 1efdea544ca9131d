#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/support/drivers/uefi_shell.py FIRMWARE OUT: EDK II's shell out of a firmware image, as an EFI application of its own.

Source: UEFI Platform Initialization Specification 1.7 vol. 3, 3.2.1 "Firmware Volume Header", 3.2.3 "Firmware File Header",
3.2.4 "Firmware File Section". Sections of OVMF are compressed by LZMA.
"""
import lzma
import sys
import uuid

SHELL = uuid.UUID("7c04a583-9e3e-4f1c-ad65-e05268d0b4d1").bytes_le
LZMA = uuid.UUID("ee4e5898-3914-4259-9d6e-dc7bd79403cf").bytes_le
GUID_DEFINED, PE32, VOLUME = 0x02, 0x10, 0x17
SIGNATURE = 40  # "_FVH" within a volume's header


def number(data, at, n):
    return int.from_bytes(data[at:at + n], "little")


def sections(data):
    """(type, body) of each, with what is within compressed ones"""
    at = 0
    while at + 4 <= len(data) and (size := number(data, at, 3)) >= 4:
        header = 8 if size == 0xFFFFFF else 4
        size = number(data, at + 4, 4) if header == 8 else size
        kind, body = data[at + 3], data[at + header:at + size]
        if kind == GUID_DEFINED and body[:16] == LZMA:
            yield from sections(lzma.decompress(body[number(body, 16, 2) - header:], lzma.FORMAT_ALONE))
        else:
            yield kind, body
        at = at + size + 3 & ~3


def files(volume):
    """(name, sections) of each file in a volume and in those within"""
    at = number(volume, 48, 2)
    while at + 24 <= len(volume) and (size := number(volume, at + 20, 3)) not in (0, 0xFFFFFF):
        inside = list(sections(volume[at + 24:at + size])) if volume[at + 18] not in (0x01, 0xF0) else []  # raw, padding
        yield volume[at:at + 16], inside
        for kind, body in inside:
            if kind == VOLUME:
                yield from files(body)
        at = at + size + 7 & ~7


def shell_of(firmware):
    at = firmware.find(b"_FVH") - SIGNATURE
    while at >= 0:
        for name, inside in files(firmware[at:at + number(firmware, at + 32, 8)]):
            for kind, body in inside:
                if name == SHELL and kind == PE32:
                    return body
        at = firmware.find(b"_FVH", at + SIGNATURE + 4) - SIGNATURE
    return None


def main():
    with open(sys.argv[1], "rb") as f:
        shell = shell_of(f.read())
    if not shell:
        sys.exit("uefi_shell: no shell in " + sys.argv[1])
    with open(sys.argv[2], "wb") as f:
        f.write(shell)


if __name__ == "__main__":
    main()
