# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Whether a TPM attests a report: firmware's log has an event with the report's digest, the events of the log give the quoted value of the
PCR, and the quote is signed with a key of the TPM (checked by Debian's tpm2-tools; the user decides whether to trust the key). The quote
is of one PCR in one bank, of any algorithm below: firmware extends each bank that is active, and one of SHA-1 or SHA-384 may be the only one.

Sources: TCG PC Client Platform Firmware Profile 1.05, 10.2 "Event Log"; TCG TPM 2.0 Library part 2, 10.12.12 "TPMS_ATTEST", 11.3.4 "TPMT_SIGNATURE".
"""
from __future__ import annotations

import hashlib
import struct
import subprocess

from . import files
from .stream import StreamError

# Algorithms (TCG Algorithm Registry 1.33, table 3) by their names in hashlib and tpm2-tools. How long a digest is, the log says.
TAGS = {0x0004: "sha1", 0x000B: "sha256", 0x000C: "sha384", 0x000D: "sha512", 0x0027: "sha3_256", 0x0028: "sha3_384", 0x0029: "sha3_512"}
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
    """[(PCR, type, {bank: digest}, event)] of a log in the crypto-agile format; a bank without a name is its number. ValueError: the
    data is not a log."""
    b, out = _Bytes(data), []
    _, kind, _, length = HEADER.unpack(b.take(HEADER.size))
    first = _Bytes(b.take(length))
    if kind != NO_ACTION or first.take(24)[:16] != b"Spec ID Event03\0":
        raise ValueError("not a log of TPM 2.0")
    sizes = {first.number("<H"): first.number("<H") for _ in range(first.number("<I"))}
    while b.at < len(data):
        pcr, kind, count = b.number("<I"), b.number("<I"), b.number("<I")
        digests = {}
        for _ in range(count):
            tag = b.number("<H")
            if tag not in sizes:
                raise ValueError(f"digest of an algorithm that its first event does not list, {tag:#x}")
            digests[TAGS.get(tag, tag)] = b.take(sizes[tag])
        out.append((pcr, kind, digests, b.take(b.number("<I"))))
    return out


def replayed(log, pcr, bank):
    """The value of the PCR in a bank after the events of the log, None if one of them has no digest of it. PCRs 8 to 15 start as zeros."""
    value = bytes(hashlib.new(bank).digest_size)
    for at, kind, digests, _ in log:
        if at == pcr and kind != NO_ACTION:
            if bank not in digests:
                return None
            value = hashlib.new(bank, value + digests[bank]).digest()
    return value


def quoted(data):
    """(bank, PCRs, digest over them, nonce) of a quote of one bank. ValueError: the data is not one."""
    b = _Bytes(data)
    if b.take(4) != b"\xffTCG" or b.number(">H") != QUOTE:
        raise ValueError("not a quote of a TPM")
    b.take(b.number(">H"))  # the signer
    nonce = b.take(b.number(">H"))
    b.take(17 + 8)  # clock, firmware's version
    if b.number(">I") != 1 or not (bank := TAGS.get(b.number(">H"))):
        raise ValueError("not a quote of one bank with an algorithm that is known here")
    bits = int.from_bytes(b.take(b.number(">B")), "little")
    return bank, [i for i in range(bits.bit_length()) if bits >> i & 1], b.take(b.number(">H")), nonce


def _read(path, what):
    try:
        return what(files.content(path))
    except ValueError as e:
        raise StreamError(f"{path}: {e}") from e


def in_log(path, stream):
    """(PCR, {bank: its replayed value}) of the event that names this stream's SHA-256, in the banks whose digest is its; (None, why
    not)."""
    log = _read(path, events)
    text = f"assay report.jsonl sha256:{stream}".encode()
    for pcr, _, digests, event in log:
        banks = [b for b in digests if b in TAGS.values() and digests[b] == hashlib.new(b, text).digest()] if event == text else []
        if banks:
            return pcr, {b: replayed(log, pcr, b) for b in banks}
    named = any(event == text for *_, event in log)
    return None, "has an event of this report with digests of something else" if named else "has no event of this report"


def signed_with(data):
    """The algorithm of a signature's digest, which is that over the quoted PCRs too. ValueError: the data is not one."""
    b = _Bytes(data)
    b.take(2)  # the scheme
    if not (algorithm := TAGS.get(b.number(">H"))):
        raise ValueError("not a signature with an algorithm that is known here")
    return algorithm


def in_quote(folder, pcr, values, nonce):
    """Why the quote in this folder (ak.pem, quote.msg, quote.sig) does not attest the PCR's value in the quoted bank, or ""."""
    key, message, signature = (folder / name for name in ("ak.pem", "quote.msg", "quote.sig"))
    (bank, pcrs, digest, has), algorithm = _read(message, quoted), _read(signature, signed_with)
    command = ["tpm2_checkquote", "-u", key, "-m", message, "-s", signature, "-g", algorithm] + (["-q", nonce] if nonce else [])
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
    if values.get(bank) is None:
        return f"is of the bank {bank}, of which firmware's log has no digests"
    return "" if digest == hashlib.new(algorithm, values[bank]).digest() else f"has a value of PCR {pcr} that differs from firmware's log"
