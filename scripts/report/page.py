# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The HTML report: the page that the payload embeds, with the stream inside."""
from pathlib import Path

from .html import template

MARK = "@STREAM@"


def page(path):
    """The page with the stream of the file. "<" stands in JSON only within strings, where \\u003c means the same and cannot
    end the script element that holds the stream."""
    head, tail = template().split(MARK)
    stream = Path(path).read_text(encoding="utf-8", errors="replace").replace("<", "\\u003c")
    return head + stream.rstrip("\n") + tail
