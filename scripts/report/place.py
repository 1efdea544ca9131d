# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Places of figures and findings: what core/base/place.h writes as a location, "package=0,unit=CHA,box=5" or "domain=0,rmid=7".

Reports before locations have words alone; they are passed through.
"""
from __future__ import annotations

# key: what stands before the number in words, and whether a comma separates it from what is before
_FIELDS = {"package": ("package ", True), "die": ("die ", False), "unit": ("", False), "box": ("", False), "channel": ("channel ", False),
           "counter": ("counter ", False), "domain": ("L3 domain ", True), "node": ("node ", True), "cpu": ("cpu ", True), "rmid": ("RMID ", True),
           "clos": ("CLOS ", True), "home": ("memory of package ", True), "all": ("all ", True), "detail": ("", True)}
_DETAIL = "detail="


def _pairs(location):
    """[(key, value)]; None: it is no location. The detail is the rest of the text."""
    out = []
    while location:
        pair, _, location = (location, "", "") if location.startswith(_DETAIL) else location.partition(",")
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier() or not value:
            return None
        out.append((key, value))
    return out


def _text(pairs):
    return ",".join(f"{key}={value}" for key, value in pairs)


def words(location):
    """ "domain=0,rmid=7" -> "L3 domain 0, RMID 7"; of a kind "L3 domain #, RMID #"."""
    pairs, out = _pairs(location), ""
    if pairs is None:
        return location
    for key, value in pairs:
        before, apart = _FIELDS.get(key, (f"{key} ", True))
        word = "fixed counter" if (key, value) == ("counter", "fixed") else before + value
        out += (", " if apart else " ") + word if out else word
    return out


def kind(location):
    """ "domain=12" -> "domain=#", as place_kind(): what places that differ by numbers alone have in common."""
    pairs = _pairs(location)
    return location if pairs is None else _text((key, "#" if key != "detail" and value.isdigit() else value) for key, value in pairs)


def group(location):
    """The part of the machine that a place is in: "domain=0,rmid=7" -> "domain=0", "package=1,unit=CBo,box=3,home=0" ->
    "package=1,unit=CBo,box=3"."""
    pairs = _pairs(location)
    if not pairs:
        return location
    end = next((i for i, (key, _) in enumerate(pairs) if i and _FIELDS.get(key, ("", True))[1]), len(pairs))
    return _text(pairs[:end])
