# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Figures of many reports by column, in memory or in a file, since a merge judges one figure at a time.

A Table has the values of reports with the same figures, column by column. A Store keeps the tables of a merge: in memory, in a file
without a name, or in a folder that a later merge reads again (a cache). In that folder, values.f64 has the values, and index.ndjson a
line for each batch of reports: their tables, and for each report its digest with the file's size and time of modification. A batch's
values are written before its line, and a torn line and lines of another version are ignored. judged.ndjson has what
the last merge found in the reports of each model, under a digest of its input: it is reused if no report was added, removed or changed.
"""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
import tempfile
from array import array
from collections import defaultdict
from operator import itemgetter
from pathlib import Path

from . import VERSION

FORMAT = {"assay-cache": 4, "version": VERSION, "byteorder": sys.byteorder}
IN_MEMORY = 4096  # reports; the tables of more are kept in a file

_names = {}  # a tuple of figures' names -> itself: thousands of reports share one


def known(names):
    """The shared tuple that is equal to names, a tuple of (check, measurement, place)."""
    return _names.setdefault(names, names)


class Table:
    """rows reports that have the figures names. The values are an array, column by column, or lie in a file at an offset."""

    __slots__ = ("names", "rows", "values", "index", "file", "offset")

    def __init__(self, names, rows, values=None, index=None, file=None, offset=0):
        self.names, self.rows, self.values, self.index, self.file, self.offset = names, rows, values, index, file, offset

    def column(self, figure):
        """The values of one figure by its number in names, an array of rows doubles."""
        if self.values is None:
            out = array("d")
            out.frombytes(os.pread(self.file, 8 * self.rows, self.offset + 8 * self.rows * figure))
            return out
        at = self.rows * (figure if self.index is None else self.index[figure])
        return self.values[at : at + self.rows]

    def cut(self, figures):
        """A table with some figures only, in memory, to be sent to another machine."""
        values, index = array("d"), {}
        for f in figures:
            index[f] = len(index)
            values += self.column(f)
        return Table(None, self.rows, values, index)

    def __reduce__(self):
        return Table, (self.names, self.rows, self.values, self.index)  # a table in a file is cut() before it is sent


def pack(digests):
    """Moves the digests' values into tables; a digest has "at": (table, row) instead."""
    by = defaultdict(list)
    for d in digests:
        if "values" in d:
            by[d["names"]].append(d)
    for names, some in by.items():
        values = array("d")
        for column in zip(*(d["values"] for d in some)):
            values.extend(column)
        table = Table(names, len(some), values)
        for row, d in enumerate(some):
            del d["values"]
            d["at"] = table, row
    return digests


class _Take:
    """Reads columns of reports with the same figures, each table once, in the order of the reports."""

    def __init__(self, members):
        by = {}
        for i, m in enumerate(members):
            table, row = m["at"]
            places, rows = by.setdefault(id(table), (table, [], []))[1:]
            places.append(i)
            rows.append(row)
        self.tables = [t for t, _, _ in by.values()]
        self.rows = [None if rows == list(range(t.rows)) else itemgetter(*rows) if len(rows) > 1 else lambda c, r=rows[0]: (c[r],)
                     for t, _, rows in by.values()]
        order = [i for _, places, _ in by.values() for i in places]
        self.order = None if order == list(range(len(order))) else order

    def column(self, figure):
        out = array("d")
        for table, rows in zip(self.tables, self.rows):
            column = table.column(figure)
            out.extend(column if rows is None else rows(column))
        if self.order is not None:
            sorted_ = array("d", bytes(8 * len(out)))
            for i, v in zip(self.order, out):
                sorted_[i] = v
            return sorted_
        return out


def same(values):
    """Whether all values are equal. Most columns of most fleets are, so an array is compared as bytes first."""
    first = values[0]
    if isinstance(values, array) and first == first and (data := values.tobytes()) == data[: values.itemsize] * len(values):
        return True
    return not any(v != first for v in values)


def shapes(members):
    """{names: members that have these figures}, in the order of first occurrence."""
    out, known_ = {}, {}
    for m in members:
        names = m["names"]
        if id(names) not in known_:  # hashing a thousand names takes long
            known_[id(names)] = out.setdefault(names, [])
        known_[id(names)].append(m)
    return out


def figures(members):
    """{figure: [(names, its number in them)]} of all figures, in the order of first occurrence."""
    out = defaultdict(list)
    for names in shapes(members):
        for j, name in enumerate(names):
            out[name].append((names, j))
    return out


def columns(members, only=None):
    """(figure, values, members with it) of each figure that differs between members. only: these figures."""
    by = shapes(members)
    takes, together = {names: _Take(some) for names, some in by.items()}, {}
    for figure, places in figures(members).items():
        if only is not None and figure not in only:
            continue
        values = array("d")
        for names, j in places:
            values.extend(takes[names].column(j))
        key = tuple(id(names) for names, _ in places)
        if key not in together:  # most figures are of the same machines: one list for them
            together[key] = by[places[0][0]] if len(places) == 1 else [m for names, _ in places for m in by[names]]
        if not same(values):
            yield figure, values, together[key]


def cut(table, only):
    """A table with these figures only, to be sent to another machine."""
    return table.cut([j for j, name in enumerate(table.names) if name in only])


class Store:
    """Tables of a merge. folder: a cache, created if needed; None: in memory, beyond IN_MEMORY reports in a file without a name."""

    def __init__(self, folder=None):
        self.cached = {}  # path -> digest
        self.file = self.index = self.folder = None
        self.before, self.now = {}, {}  # what was judged: digest of what it rests on -> answer, a JSON value
        if folder is not None:
            self._open(Path(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.file is not None:
            os.close(self.file)
        if self.index is not None:
            self._keep_judged()
            self.index.close()

    def judged(self, members, rests_on, judge):
        """judge(), a JSON value, or its kept result from an earlier merge with the same reports and the same rests_on (bytes)."""
        if self.index is None or any(m.get("stamp") is None for m in members):
            return judge()
        about = hashlib.sha256(json.dumps([(m["path"], m["stamp"]) for m in members]).encode() + rests_on).hexdigest()
        self.now[about] = self.before[about] if about in self.before else judge()
        return self.now[about]

    def _read_judged(self):
        try:
            with open(self.folder / "judged.ndjson", "rb") as f:
                for line in f:
                    about, answer = json.loads(line)
                    self.before[about] = answer
        except (OSError, ValueError, TypeError):  # no such file, or it is truncated
            pass

    def _keep_judged(self):
        """Keeps results of this merge only; nothing if it judged nothing, as for a list of reports."""
        if not self.now or self.now.keys() == self.before.keys():
            return
        new = self.folder / "judged.new"
        with open(new, "w", encoding="utf-8") as f:
            for item in self.now.items():
                f.write(json.dumps(item, separators=(",", ":")) + "\n")
        os.replace(new, self.folder / "judged.ndjson")

    def expect(self, reports):
        """Announces the number of reports."""
        if self.file is None and reports > IN_MEMORY:
            with tempfile.TemporaryFile() as f:
                self.file = os.dup(f.fileno())

    def _open(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.index = open(folder / "index.ndjson", "a+b")
        fcntl.flock(self.index, fcntl.LOCK_EX)  # one merge at a time
        self.file = os.open(folder / "values.f64", os.O_RDWR | os.O_CREAT, 0o666)
        self.index.seek(0)
        good = 0
        for line in self.index:
            if good == 0 and _parsed(line) != FORMAT:
                break
            if good and not self._take(_parsed(line)):
                break
            good += len(line)
        self.index.truncate(good)
        if not good:
            os.ftruncate(self.file, 0)
            self._line(FORMAT)
        self._read_judged()

    def _take(self, batch):
        """Takes a line of the index. False: it is not a batch, or its values are missing."""
        try:
            size = os.fstat(self.file).st_size
            tables = []
            for t in batch["tables"]:
                names = known(tuple(map(tuple, t["names"])))
                if t["offset"] + 8 * t["rows"] * len(names) > size:
                    return False
                tables.append(Table(names, t["rows"], file=self.file, offset=t["offset"]))
            for d in batch["reports"]:
                d["bad"] = [tuple(b) for b in d["bad"]]
                d["at"] = tables[d["at"][0]], d["at"][1]
                d["names"] = d["at"][0].names
                self.cached[d["path"]] = d
        except (KeyError, TypeError, IndexError, AttributeError):
            return False
        return True

    def _line(self, object_):
        self.index.write(json.dumps(object_, separators=(",", ":")).encode() + b"\n")
        self.index.flush()

    def known(self, path, stamp):
        """The digest of an unchanged report from the cache, or None. stamp: source.stamped."""
        d = self.cached.get(path)
        return d if d is not None and stamp is not None and d["stamp"] == stamp else None

    def add(self, digests, stamps):
        """Keeps the values of packed digests; returns the digests. stamps: {path: stamp}."""
        if self.file is None:
            for d in digests:
                if "at" in d:
                    d["names"] = d["at"][0].names = known(d["at"][0].names)
            return digests
        tables, kept, lines = {}, [], []
        for d in digests:
            if "at" not in d:
                continue
            table, row = d["at"]
            if id(table) not in tables:
                tables[id(table)] = len(kept), Table(known(table.names), table.rows, file=self.file, offset=self._write(table.values))
                lying = tables[id(table)][1]
                kept.append({"names": lying.names, "rows": lying.rows, "offset": lying.offset})
            number, lying = tables[id(table)]
            if self.index is not None and stamps[d["path"]] is not None:
                d["stamp"] = stamps[d["path"]]
                lines.append(d | {"at": (number, row), "names": None})
            d["at"], d["names"] = (lying, row), lying.names
        if lines:
            self._line({"tables": kept, "reports": lines})
        return digests

    def _write(self, values):
        """Appends values to the file; returns their offset."""
        offset, data = os.lseek(self.file, 0, os.SEEK_END), memoryview(values).cast("B")
        while data:
            data = data[os.write(self.file, data) :]
        return offset


def _parsed(line):
    try:
        return json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
