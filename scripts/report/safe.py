# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Texts of a report come from the machine (SMBIOS strings, names in tables) or from someone who edited it. One function for each output
format makes them plain text. HTML: html.escape()."""
from __future__ import annotations

import re

# XML 1.0, 2.2: characters that a document may not contain.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# C0, DEL, C1, and what turns the direction of a line or ends it: they control a terminal or mislead a reader.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# GitHub Flavored Markdown 0.29, 6.1: a backslash takes the meaning from each of these; "&" begins an entity. Of 6.9, Autolinks:
# what stands before "//", and "www.".
_MARKDOWN = re.compile(r"([\\`*_\[\]!|~<>&]|:(?=//)|(?<=www)\.)", re.I)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_WORD = re.compile(r"[^A-Za-z0-9._-]")


def line(text):
    """For a line of text, on a terminal too."""
    return _CONTROL.sub(lambda m: " " if m[0] in "\t\n\r\u2028\u2029" else "\ufffd", text)


def xml(text):
    """For an XML document, before escape() or quoteattr()."""
    return _NOT_XML.sub("\ufffd", text)


def markdown(text):
    """For a cell of a table or a line."""
    return _MARKDOWN.sub(r"\\\1", line(text))


def cell(value):
    """For a cell of a CSV file, for a spreadsheet: text that it would take for a formula gets an apostrophe in front, which it does not show."""
    text = line(str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def word(text):
    """For a name in KTAP and LAVA."""
    return _WORD.sub("_", text) or "_"
