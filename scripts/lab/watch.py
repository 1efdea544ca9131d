# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Files runs from the inbox by machine and time, or puts them into quarantine, and notifies.

A run is complete when report.sha256 exists. A run that received nothing for `dead-after` seconds, or whose machine has started another
run, is partial: it is filed as it is, and merged with later pieces of it. A run is moved out of the inbox before it is judged, so that
uploads cannot change it. It stays in judging/ while the disk is full, and the next pass judges it again.
"""
from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import threading
import time

from report import files, page, safe

from . import known, notify, runs
from .judge import JOINED, NO_DIGESTS, Refused, judge
from .folder import LabError, read_json, write_atomically

PAGE_SECONDS = 60
PAGE_MEANWHILE = 5  # seconds, in a pass
NAME_LENGTH = 120  # of a folder in quarantine
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
WHY = ".why.txt"  # beside a folder in quarantine
CHANGES, PAGE, VERDICT, PIECES = "changes.txt", "page.html", "verdict.json", "pieces"  # of a filed run, beside what was uploaded


def _same(run, filed, pieces):
    """Whether a run may be the filed one: it has the same digests, or its pieces if the filed one is partial."""
    if pieces is None:
        return run.over and (run.folder / runs.DIGESTS).read_bytes() == (filed.folder / runs.DIGESTS).read_bytes()
    return all(path.read_bytes() == (run.folder / path.name).read_bytes() for _, path in pieces.pieces() if path.name in run.names)


def _repeated(run, filed):
    """Whether all files of a run are the filed run's, byte for byte: a machine that got no answer sends them again."""
    return run.names <= filed.names and all((run.folder / n).read_bytes() == (filed.folder / n).read_bytes() for n in run.names)


def _as_uploaded(folder):
    """Undoes what a pass that was ended did in a folder of judging/. Anything else in it is refused later."""
    if folder.is_symlink() or not folder.is_dir():
        return
    pieces = folder / PIECES
    if pieces.is_dir() and not pieces.is_symlink():
        for path in pieces.iterdir():
            if runs.PIECE.fullmatch(path.name) and path.is_file() and not (folder / path.name).exists():
                os.rename(path, folder / path.name)
        if not any(pieces.iterdir()):
            pieces.rmdir()
    record = read_json(folder / VERDICT, None)
    if isinstance(record, dict) and record.get("whole") is False and not str(record.get("left")).startswith(NO_DIGESTS) and not (folder / JOINED).exists():
        (folder / runs.STREAM).unlink(missing_ok=True)  # its pieces make it
    for path in folder.iterdir():
        if path.name.removesuffix(".new") in (CHANGES, PAGE, VERDICT, JOINED) or path.name.endswith(".new") and runs.PIECE.fullmatch(path.stem):
            if path.is_file():
                path.unlink()


class Repeated(Exception):
    """The run is filed already."""


class Watched(LabError):
    """Another process has the lock."""


class Watcher:
    """Holds the lock of a lab's inbox. Watched: another process has it."""

    def __init__(self, lab, say=lambda line: None):
        self.lab, self.say, self.progress = lab, say, {}
        lab.waivers()  # refused before the first run where it has a wrong line
        self.news, self.shown = True, (0, [])  # whether the page is out of date; when it was written, and with which runs
        self.lock = open(lab / "state" / "watch.lock", "a", encoding="utf-8")  # noqa: SIM115: held until close()
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock.close()
            raise Watched(f"{lab.folder}: another assay-lab is watching it") from None

    def close(self):
        self.lock.close()

    def once(self, now=None):
        """One pass over the inbox; now: time by the file system's clock."""
        now = time.time() if now is None else now
        self._refuse_where_full()
        for left in sorted((self.lab / "judging").iterdir()):  # by a pass that was ended
            _as_uploaded(left)
            self._judge(left)
        there = []
        for folder in sorted((self.lab / "inbox").iterdir()):
            try:
                there.append(runs.Run(folder))
            except OSError:  # no folder, a link to nothing, or one that was removed meanwhile
                if os.path.lexists(folder):
                    self._take(folder)
        newest, paged = {}, time.monotonic()
        for run in there:
            if run.identity:
                machine = run.identity[0]
                newest[machine] = max(newest.get(machine, 0), run.began)
        running = []
        dead, most = self.lab.number("dead-after"), self.lab.number("run-most")
        for run in there:
            replaced = run.identity and run.began < newest[run.identity[0]] and run.last < newest[run.identity[0]]
            if run.over or run.odd or not run.identity or replaced or now - run.last > dead or run.bytes() > most:
                self.progress.pop(run.name, None)
                self._take(run.folder)
                if time.monotonic() - paged > PAGE_MEANWHILE:  # the runs of a thousand machines take longer
                    notify.page(self.lab, time.time())
                    paged = time.monotonic()
            else:
                running.append(self.progress.setdefault(run.name, runs.Progress(run)).take(run).said(run))
        for name in self.progress.keys() - {r["name"] for r in running}:
            del self.progress[name]
        notify.running(self.lab, running, now)
        steps = [(r["name"], r["k"]) for r in running]
        if self.news or steps != self.shown[1] or not 0 <= now - self.shown[0] < PAGE_SECONDS:  # otherwise only ages differ
            notify.page(self.lab, now)
            self.news, self.shown = False, (now, steps)

    def _refuse_where_full(self):
        """The server answers 507 while the file `full` exists (nginx.conf)."""
        full = self.lab / "state" / "full"
        free = shutil.disk_usage(self.lab.folder).free
        if free < self.lab.number("free-least"):
            if not full.exists():
                full.touch()
                self.say(f"uploads are refused: {free >> 20} MiB are free, free-least = {self.lab.options['free-least']}")
        elif full.exists():
            full.unlink()
            self.say("uploads are accepted again")

    def _take(self, path):
        to = self.lab / "judging" / path.name
        if to.exists():  # impossible: a pass begins with what another one left there
            raise LabError(f"{to} exists")
        os.rename(path, to)
        self._judge(to)

    def _judge(self, folder):
        """Files a folder that was moved out of the inbox, or puts it into quarantine. OSError: there is no room; it is still there."""
        self.news = True
        try:
            if not folder.is_dir():
                raise Refused("it is not a folder")
            run = runs.Run(folder)
            if not run.names and not run.odd and run.identity:
                folder.rmdir()  # a machine that died before its first piece
                self.say(safe.line(f"{folder.name}: empty: dropped"))
                return
            folder = self._numbered(run)
            if folder != run.folder:
                run = runs.Run(folder)
            earlier = self._earlier(run)
            if earlier:  # its pieces are here now
                run = runs.Run(folder)
            record, report, comparison = judge(self.lab, run, self._baseline(run))
        except Repeated:
            shutil.rmtree(folder)
            self.say(safe.line(f"{folder.name}: sent again as it is filed: dropped"))
        except Refused as e:
            self._quarantine(folder, str(e))
        except Exception as e:  # noqa: BLE001: an unexpected failure must not affect other runs
            if isinstance(e, OSError) and e.errno in NO_ROOM:
                raise
            self._quarantine(folder, f"it cannot be read: {type(e).__name__}: {e}")
        else:
            self._file(run, record, report, comparison, earlier)

    def _baseline(self, run):
        """What the run is compared with, or None; not itself, which a pass that was ended made the baseline."""
        if not run.identity:
            return None
        name = self.lab.baseline(run.identity[0])
        return None if name == run.identity[1] else name

    def _numbered(self, run):
        """The run's folder, renamed to the next free number if its machine has no clock and another run of it has the name."""
        if not run.identity or run.clocked:
            return run.folder
        home, folder = self.lab / "reports" / run.identity[0], run.folder
        filed = home / run.identity[1]
        if not filed.is_dir() or _same(run, runs.Run(filed), runs.Run(filed / PIECES) if (filed / PIECES).is_dir() else None):
            return folder
        for n in range(2, 10000):
            name = run.numbered(n)
            if not (home / name[len(run.identity[0]) + 1:]).exists():
                return folder.rename(folder.with_name(name))
        raise Refused("9,999 runs have this name")

    def _earlier(self, run):
        """The folder of the filed run of this name, or None. The pieces of a partial one are added to these; Refused if it is complete."""
        if not run.identity:
            return None
        filed = self.lab / "reports" / run.identity[0] / run.identity[1]
        record = read_json(filed / VERDICT, None)
        if record is None:
            return None
        if record["whole"]:
            if run.names and not run.odd and _repeated(run, runs.Run(filed)):
                raise Repeated
            raise Refused("a run of this name is filed already")
        for _, path in runs.Run(filed / PIECES).pieces() if (filed / PIECES).is_dir() else ():
            to, data = run.folder / path.name, path.read_bytes()
            if not to.exists():
                files.replace(to, data)
            elif to.read_bytes() != data:
                raise Refused(f"{path.name} differs from the first upload of it")
            shutil.copystat(path, to)
        return filed

    def _quarantine(self, folder, why):
        n, name = 1, re.sub(r"[^A-Za-z0-9_.-]", "_", folder.name)[:NAME_LENGTH]  # of any bytes
        name += "_" * name.endswith(WHY)  # the reason of another one
        while (to := self.lab / "quarantine" / (name if n == 1 else f"{name}.{n}")).exists():
            n += 1
        write_atomically(to.with_name(to.name + WHY), safe.line(why) + "\n")  # first: there may be no room
        os.rename(folder, to)
        self.say(safe.line(f"{name}: quarantine: {why}"))
        notify.hook(self.lab, self.say, "QUARANTINE", name, to)

    def _file(self, run, record, report, comparison, earlier):
        """Everything that needs room comes before the first change that is not undone by the next pass."""
        machine, folder, whole = record["machine"], run.folder, record["whole"]
        home = self.lab / "reports" / machine
        to = home / record["time"]
        if comparison is not None:
            write_atomically(folder / CHANGES, comparison)
        if whole:  # what was sent as report.html may say anything
            write_atomically(folder / PAGE, page.page(folder / runs.STREAM))
        else:
            (folder / PIECES).mkdir()
        write_atomically(folder / VERDICT, notify.as_json(record))
        home.mkdir(exist_ok=True)
        report.path = str(to / runs.STREAM)
        notify.filed(self.lab, self.say, record, report)
        if whole:
            known.offer(self.lab.folder, machine, False)
        if record["result"] == "PASS" and whole and self.lab.options["baseline"] == "first-pass" and not (home / "baseline").exists():
            write_atomically(home / "baseline", record["time"] + "\n")
        for _, path in () if whole else run.pieces():
            os.rename(path, folder / PIECES / path.name)
        if (folder / JOINED).exists():
            os.rename(folder / JOINED, folder / runs.STREAM)
        replaced = self.lab / "state" / "replaced"
        shutil.rmtree(replaced, ignore_errors=True)  # of a pass that was ended
        if earlier:
            os.rename(earlier, replaced)
        os.rename(folder, to)
        for _, path in run.pieces() if whole else ():
            (to / path.name).unlink()
        shutil.rmtree(replaced, ignore_errors=True)
        notify.told(self.lab, self.say, record, to)


def stopped_by_signals(signals):
    """An event that these signals set."""
    import signal
    ended = threading.Event()
    for number in signals:
        signal.signal(number, lambda *_: ended.set())
    return ended


class Turns:
    """Watches the inbox while no other process does. A pass ends where the disk is full; then the next one continues."""

    def __init__(self, lab, say):
        self.lab, self.say, self.watcher, self.full = lab, say, None, False

    def once(self):
        """A pass, if no other process watches. Returns whether it was made."""
        try:
            if self.watcher is None:
                self.watcher = Watcher(self.lab, self.say)
            self.watcher.once()
        except Watched:
            return False
        except OSError as e:
            if e.errno not in NO_ROOM:
                raise
            if not self.full:
                self.say(safe.line(f"{files.why(e)}: uploaded runs stay in {self.lab / 'inbox'} and {self.lab / 'judging'}"))
            self.full = True
        else:
            if self.full:
                self.say("there is room again")
            self.full = False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.watcher:
            self.watcher.close()
            self.watcher = None


def forever(lab, say, ended):
    """Watches until the event `ended`."""
    last = None
    with Turns(lab, say) as turns:
        while not ended.is_set():
            now = turns.once()
            if now != last:
                say(f"watching {lab.folder}" if now else f"waiting: another assay-lab is watching {lab.folder}")
            last = now
            ended.wait(lab.number("every"))
