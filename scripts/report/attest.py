# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Whether a TPM attests a report: firmware's log has an event with the report's digest, the events of the log give the quoted value of the
PCR, and the quote is signed with a key of the TPM (checked by Debian's tpm2-tools; the user decides whether to trust the key). The quote
is of one PCR in the SHA-256 bank.

Sources: TCG PC Client Platform Firmware Profile 1.05, 10.2 "Event Log"; TCG TPM 2.0 Library part 2, 10.12.12 "TPMS_ATTEST".
"""
from __future__ import annotations

import hashlib
import struct
import subprocess

from .stream import StreamError

SHA256 = 0x000B
TAGS = {0x0004: 20, SHA256: 32, 0x000C: 48, 0x000D: 64, 0x0012: 32, 0x0027: 32, 0x0028: 48, 0x0029: 64}
NO_ACTION = 3  # EV_NO_ACTION: logged and not extended
HEADER = struct.Struct("<II20sI")  # of TCG_PCR_EVENT: PCR, type, SHA-1, length
QUOTE = 0x8018  # TPM_ST_ATTEST_QUOTE


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if n > len(self.data) - self.at:
            raise ValueError("the data is truncated")
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]


def events(data):
    """[(PCR, type, SHA-256, event)] of a log in the crypto-agile format. ValueError: the data is not a log."""
    b, out = _Bytes(data), []
    _, kind, _, length = HEADER.unpack(b.take(HEADER.size))
    if kind != NO_ACTION or b.take(length)[:16] != b"Spec ID Event03\0":
        raise ValueError("not a log of TPM 2.0")
    while b.at < len(data):
        pcr, kind, count = b.number("<I"), b.number("<I"), b.number("<I")
        digests = {}
        for _ in range(count):
            tag = b.number("<H")
            if tag not in TAGS:
                raise ValueError(f"digest of an unknown algorithm, {tag:#x}")
            digests[tag] = b.take(TAGS[tag])
        event = b.take(b.number("<I"))
        if SHA256 not in digests:
            raise ValueError("the log has no SHA-256 digests")
        out.append((pcr, kind, digests[SHA256], event))
    return out


def replayed(log, pcr):
    """The value of the PCR after the events of the log. PCRs 8 to 15 start as zeros."""
    value = bytes(32)
    for at, kind, digest, _ in log:
        if at == pcr and kind != NO_ACTION:
            value = hashlib.sha256(value + digest).digest()
    return value


def quoted(data):
    """(PCRs, digest over them, nonce) of a quote of one SHA-256 bank. ValueError: the data is not one."""
    b = _Bytes(data)
    if b.take(4) != b"\xffTCG" or b.number(">H") != QUOTE:
        raise ValueError("not a quote of a TPM")
    b.take(b.number(">H"))  # the signer
    nonce = b.take(b.number(">H"))
    b.take(17 + 8)  # clock, firmware's version
    if b.number(">I") != 1 or b.number(">H") != SHA256:
        raise ValueError("not a quote of one SHA-256 bank")
    bits = int.from_bytes(b.take(b.number(">B")), "little")
    return [i for i in range(bits.bit_length()) if bits >> i & 1], b.take(b.number(">H")), nonce


def _read(path, what):
    try:
        return what(path.read_bytes())
    except ValueError as e:
        raise StreamError(f"{path}: {e}") from e


def in_log(path, stream):
    """(PCR, its replayed value) of the event that names this stream's SHA-256; (None, why not)."""
    log = _read(path, events)
    text = f"assay report.jsonl sha256:{stream}".encode()
    for pcr, _, digest, event in log:
        if event == text and digest == hashlib.sha256(text).digest():
            return pcr, replayed(log, pcr)
    return None, "has no event of this report"


def in_quote(folder, pcr, value, nonce):
    """Why the quote in this folder (ak.pem, quote.msg, quote.sig) does not attest the value, or ""."""
    key, message, signature = (folder / name for name in ("ak.pem", "quote.msg", "quote.sig"))
    pcrs, digest, has = _read(message, quoted)
    command = ["tpm2_checkquote", "-u", key, "-m", message, "-s", signature, "-g", "sha256"] + (["-q", nonce] if nonce else [])
    try:
        p = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError as e:
        raise StreamError("tpm2_checkquote is not installed (Debian: tpm2-tools)") from e
    if nonce and has.hex() != nonce.lower():
        return f"has another nonce: {has.hex()}"
    if p.returncode:
        return "has no good signature: " + (p.stderr.strip().splitlines() or ["tpm2_checkquote refuses it"])[0]
    if pcrs != [pcr]:
        return f"is of PCR {', '.join(map(str, pcrs))}, not of PCR {pcr}"
    return "" if digest == hashlib.sha256(value).digest() else f"has a value of PCR {pcr} that differs from firmware's log"
