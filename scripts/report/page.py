# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The HTML report: the page that the payload embeds, with the stream as gzip in base64."""
import base64
import gzip
import re
import zlib

from . import files
from .html import template

MARK = "@STREAM@"


def page(path):
    """The page with the stream of the file."""
    head, tail = template().split(MARK)
    return head + base64.b64encode(gzip.compress(files.content(path), 9, mtime=0)).decode("ascii") + tail


def inside(page_text):
    """The stream of a page, in bytes; None: not a page of Assay. ValueError, OSError or EOFError: it is damaged."""
    found = re.search(r'<script type="[^"]*" id="stream">\s*(.*?)\s*</script>', page_text, re.S)
    if not found:
        return None
    text = found[1]
    if text.startswith("{"):
        return text.encode("utf-8") + b"\n"
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)  # 16: with gzip's header
    try:
        stream = unpacking.decompress(base64.b64decode(text, validate=True), files.MOST)
    except zlib.error as e:
        raise ValueError(f"not gzip: {e}") from None
    if not unpacking.eof:
        raise ValueError(f"more than {files.MOST >> 20} MiB, or cut off")
    return stream
