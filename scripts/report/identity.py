# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which reports are of one machine.

Everything that firmware says of a machine is compared (Report.identity), since one text may be what a maker ships on every board. Two
runs of one machine do not overlap in time: reports that do are of two machines that look alike. Names are for people.
"""
from __future__ import annotations

from collections import defaultdict


def _tracks(reports):
    """A number for each (begin, end): reports of one number do not overlap, or are copies. Without a clock every run begins in 1970, and
    nothing is known."""
    track, ends = {}, []
    for begin, end in sorted(set(reports)):
        if not "2000" <= begin < end:
            continue
        n = next((n for n, last in enumerate(ends) if last <= begin), len(ends))
        ends[n:n + 1] = [end]
        track[begin, end] = n
    return [track.get(r, 0) for r in reports]


def _named(labels):
    """{key: name} of {key: label}: labels that several have are completed by what differs, or by a number."""
    by, out = defaultdict(list), {}
    for key, label in labels.items():
        by[label].append(key)
    for label, keys in by.items():
        if len(keys) == 1:
            out[keys[0]] = label
            continue
        texts = list(zip(*(identity for identity, _ in keys)))
        differs = next((some for some in texts if len(set(some)) == len(keys) and all(some)), range(1, len(keys) + 1))
        out |= {key: f"{label} ({what})" for key, what in zip(keys, differs)}
    return out


def machines(reports):
    """The name of the machine of each report, equal for reports of one machine only. reports: (identity, label, begin, end, path)."""
    by = defaultdict(list)
    for i, (identity, _, _, _, path) in enumerate(reports):
        by[tuple(identity) or (path,)].append(i)
    keys = [None] * len(reports)
    for identity, some in by.items():
        for i, track in zip(some, _tracks([reports[i][2:4] for i in some])):
            keys[i] = identity, track
    names = _named({key: label or path for key, (_, label, _, _, path) in zip(keys, reports)})
    return [names[key] for key in keys]
