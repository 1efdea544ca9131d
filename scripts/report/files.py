# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Files that a user names: read up to a bound, since a device or a FIFO may have no end, and replaced in one step, since a full disk may
leave half of what is written in place."""
from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path

from .model import StreamError

MOST = 256 << 20  # bytes of a file
STANDARD_OUTPUT = "standard output"


def why(e):
    """The message of an exception; of an OSError: NAME: reason."""
    if isinstance(e, OSError) and e.strerror:
        return f"{e.filename}: {e.strerror}" if e.filename is not None else e.strerror
    return str(e)


@contextmanager
def named(path):
    """Reads and writes that fail name no file: this one."""
    try:
        yield
    except OSError as e:
        if e.filename is None:
            e.filename = str(path)
        raise


def content(path):
    """The bytes of a file. OSError; StreamError: it has more than MOST."""
    with named(path), open(path, "rb") as f:
        data = f.read(MOST + 1)
    if len(data) > MOST:
        raise StreamError(f"{path}: more than {MOST >> 20} MiB: no file of Assay")
    return data


def text(path, encoding):
    """The same in an encoding. StreamError: it is in another."""
    try:
        return content(path).decode(encoding)
    except UnicodeDecodeError as e:
        raise StreamError(f"{path}: byte {e.start} is not {encoding.removesuffix('-sig').upper()}") from None


def regular(path):
    """Whether it is a regular file, or one of which only an attempt to read it says why it cannot be read."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def replace(path, data, mode=None):
    """Writes bytes. A reader sees the old file or the whole new one; where it cannot be written, the old one stays. mode: None: that of
    the old one. Devices and FIFOs are written to."""
    with named(path):
        if not regular(path):
            Path(path).write_bytes(data)
            return
        if mode is None:
            mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o666
        new = f"{os.path.realpath(path)}.new"
        try:
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as f:
                f.write(data)
            os.replace(new, os.path.realpath(path))
        except OSError as e:
            if os.path.exists(new):
                os.unlink(new)
            raise OSError(e.errno, e.strerror, str(path)) from e


def put(data, out, read=()):
    """Writes text or bytes to a file, with None to standard output. StreamError: the file is one of those that were read, or in such a folder and a stream."""
    if out:
        for path in read if os.path.isfile(out) else ():
            inside = os.path.realpath(out).endswith(".jsonl") and Path(path).resolve() in Path(out).resolve().parents
            if inside or os.path.exists(path) and os.path.samefile(path, out):
                raise StreamError(f"{out}: not overwritten: it was read")
        replace(out, data.encode("utf-8") if isinstance(data, str) else data)
        return
    with named(STANDARD_OUTPUT):
        if sys.stdout is None:
            raise StreamError(f"{STANDARD_OUTPUT}: closed")
        if isinstance(data, str):
            sys.stdout.reconfigure(errors="backslashreplace")  # for characters that the locale lacks
            sys.stdout.write(data)
        else:
            sys.stdout.buffer.write(data)
        sys.stdout.flush()


def ended(program, e):
    """Exit status 2, after the reasons on standard error; none for EPIPE: the reader of the output has closed it."""
    from . import safe  # pylint: disable=import-outside-toplevel
    if not isinstance(e, BrokenPipeError):
        for reason in why(e).splitlines():
            print(safe.line(f"{program}: {reason}"), file=sys.stderr)
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        sys.stdout = None  # or Python would flush it at exit, report that, and exit with 120
    return 2
