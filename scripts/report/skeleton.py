# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which lines of a stream are idle (they have neither figure nor status), known from an alike machine's by numpy (Debian:
python3-numpy): streams of one model and one version of Assay have the same lines in the same order as a rule, and differ in values.

A line is taken for idle where the line of the same number was idle and begins with the same bytes, which name its check and say
what it is. Where one line is otherwise, or one is more or less, nothing is said of the stream."""
from __future__ import annotations

from functools import cache
from importlib import import_module

numpy = None  # of has_numpy()
_WORD = 8
_BEGIN = 72  # bytes that are compared: {"testStepArtifact":{"testStepId":"123","extension":{"name":"assay.evid
_MOST = 8  # kept at a time: some hundred KiB each


@cache
def has_numpy():
    """It is loaded where a merge has a use for it: single reports need Python alone, and are read sooner without."""
    global numpy
    try:
        numpy = import_module("numpy")
    except ImportError:
        return False
    return True


def _words(data):
    """The eight bytes from each byte on."""
    return numpy.ndarray((max(len(data) - _WORD + 1, 0),), "<u8", data, strides=(1,))


def _lines(data):
    """Where lines begin, and where their newlines are."""
    ends = numpy.flatnonzero(numpy.frombuffer(data, numpy.uint8) == ord("\n"))
    return numpy.concatenate(([0], ends[:-1] + 1)), ends


def _begins(data, starts):
    """Of each line that begins there; None: one of them is at the end, and shorter."""
    if len(starts) and starts[-1] + _BEGIN > len(data):
        return None
    return _words(data)[starts[:, None] + numpy.arange(0, _BEGIN, _WORD)]


class Skeleton:
    def __init__(self, data, idle):
        """idle: where idle lines begin. ValueError: one is not at the begin of a line, or too short."""
        starts, _ = _lines(data)
        self.idle = numpy.searchsorted(starts, idle)
        self.begins = _begins(data, starts[self.idle])
        if self.begins is None or not numpy.array_equal(starts[self.idle], idle):
            raise ValueError("an idle line within another")
        self.n = len(starts)
        self.kept = numpy.delete(numpy.arange(self.n), self.idle)

    def others(self, data, starts, ends):
        """The lines that are not idle; None: the stream is another one."""
        if len(starts) != self.n:
            return None
        begins = _begins(data, starts[self.idle])
        if begins is None or not numpy.array_equal(begins, self.begins):
            return None
        return [data[begin:end] for begin, end in zip(starts[self.kept].tolist(), ends[self.kept].tolist())]


class Skeletons:
    """Of the streams that were met last."""

    def __init__(self):
        self.known, self.luck = [], _MOST  # luck: streams that are all different cost a few tries, and no more

    def learning(self):
        return self.luck > 0 and has_numpy()

    def others(self, data):
        """(the stream's lines that are not idle, how many it has in all); None: not known."""
        if not self.learning() or data[-1:] != b"\n":
            return None
        starts, ends = _lines(data)
        for skeleton in self.known:
            lines = skeleton.others(data, starts, ends)
            if lines is not None:
                self.known.remove(skeleton)
                self.known.insert(0, skeleton)
                self.luck = min(self.luck + 1, 1000)
                return lines, skeleton.n
        return None

    def learn(self, data, idle):
        """A stream that was not known, and where its idle lines begin; while learning()."""
        self.luck -= 1
        try:
            self.known.insert(0, Skeleton(data, idle))
        except (ValueError, IndexError):
            return
        del self.known[_MOST:]
