# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Executors of a merge: this process, processes of this machine, or the workers of a Dask scheduler.

Each has map(function, items, common): the results of function(common, item) in the order of the items. common is sent once to each
process; apart: processes share neither memory nor open files with this one. If a Dask worker is lost, another repeats its tasks. Workers
need Python and python3-distributed; this package is sent to them. They must find the reports under the same names, on shared storage
or on a web server.
"""
from __future__ import annotations

import gc
import os
import pickle
import tempfile
import warnings
import zipfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path

from .model import StreamError

RETRIES = 10  # of a task whose worker was lost
AHEAD = 4  # tasks for each process that are submitted at once: results are taken in order and must not pile up


class Here:
    processes, apart = 1, False

    def map(self, function, items, common=None):
        return map(partial(function, common), items)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


_common = None  # of a process of Local


def _keep(common):
    global _common
    _common = common
    gc.disable()


def _call(function, item):
    return function(_common, item)


class Local:
    apart = False

    def __init__(self, processes):
        self.processes = processes

    def map(self, function, items, common=None):
        items = iter(items)
        first = list(islice(items, 2))
        if len(first) < 2:  # not worth starting a process
            yield from map(partial(function, common), first)
            return
        # Forked processes inherit memory and open files: common is not sent.
        with ProcessPoolExecutor(self.processes, get_context("fork"), _keep, (common,)) as pool:
            yield from _in_order(partial(pool.submit, _call, function), chain(first, items), AHEAD * self.processes)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def _pickled(function, common, item):
    """Pickled here, since Dask serializes the items of lists one by one, with what they share once for each."""
    return pickle.dumps(function(pickle.loads(common), item))


class Dask:
    apart = True

    def __init__(self, address):
        try:
            from distributed import Client
        except ImportError:
            raise StreamError("--scheduler needs Dask's package distributed (Debian: python3-distributed)") from None
        try:
            self.client = Client(address, timeout=20, set_as_default=False)
        except (OSError, ValueError) as e:
            raise StreamError(f"{address}: no Dask scheduler: {e}") from e
        with tempfile.TemporaryDirectory() as folder:
            self.client.upload_file(_package(folder))
        self.client.wait_for_workers(1, timeout=60)
        warnings.filterwarnings("ignore", "Large object", UserWarning)  # a share of the work is large
        self.processes = max(1, sum(self.client.nthreads().values()))

    def map(self, function, items, common=None):
        there = self.client.scatter([pickle.dumps(common)], hash=False, broadcast=True)[0]  # broadcast: so that a lost worker loses nothing
        return map(pickle.loads, _in_order(lambda item: self.client.submit(_pickled, function, there, item, pure=False, retries=RETRIES),
                                           items, max(2, AHEAD * self.processes)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()


def _in_order(submit, items, most):
    waiting = []
    for item in items:
        waiting.append(submit(item))
        if len(waiting) >= most:
            yield waiting.pop(0).result()
    while waiting:
        yield waiting.pop(0).result()


def _package(folder):
    """This package as a zip file, for the workers."""
    here, path = Path(__file__).parent, Path(folder) / "assay_report.zip"
    with zipfile.ZipFile(path, "w") as z:
        for source in sorted(here.glob("*.py")):
            z.write(source, f"{here.name}/{source.name}")
    return str(path)


def chosen(jobs=None, scheduler=None):
    """jobs: number of processes, None: one for each processor. scheduler: the address of a Dask scheduler, or None."""
    if scheduler:
        return Dask(scheduler)
    jobs = jobs or os.cpu_count() or 1
    return Here() if jobs == 1 else Local(jobs)
