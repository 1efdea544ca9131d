#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A merge by several processes, by the workers of a Dask scheduler, from a web server and from a cache says what one process says of
the files, byte for byte.

Reports are variants of the golden stream. The test of Dask is skipped where this Python lacks distributed. Costs 10 s of
processor time."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "support" / "drivers")]
from figures import put_beside  # noqa: E402
from report import cluster, columns, figures_file, files, fleet, source  # noqa: E402
from report.stream import StreamError  # noqa: E402

try:
    import distributed
except ImportError:
    distributed = None

GOLDEN = (ROOT / "tests/fixtures/stream/golden.jsonl").read_text(encoding="utf-8")
VALUE = re.compile(r'("measurement":\{"name":"[^"]*","value":)(\d+\.?\d*)')


def write(folder, n, first=0):
    """n reports whose figures differ; each third has another firmware, each seventh lacks a figure, each second has report.figures, one
    is damaged."""
    for i in range(first, first + n):
        chance = random.Random(i)
        s = re.sub(r"(system-serial-number: )[^\"]*", rf"\g<1>S{i:04}", GOLDEN)
        s = re.sub(r'("softwareInfoId":"bios[^}]*"version":")[^"]*', rf"\g<1>{1 + i % 3}.0", s)
        s = VALUE.sub(lambda m: f"{m[1]}{float(m[2]) * (chance.uniform(1.0, 1.1) + (i == first + 5)):.3f}", s)
        if i % 7 == 0:
            s = s.replace('"name":"', '"name":"other ', 1) if i % 2 else VALUE.sub(r"\g<1>1.5", s, count=1)
        path = folder / f"r{i:04}.jsonl"
        path.write_text(s if i != first + 3 else s[: len(s) // 2] + "\n{}\n" + s[len(s) // 2 :], encoding="utf-8")
        if i % 2 == 0:
            put_beside(path)


def said(paths, who=None, store=None):
    """All of a merge, with figures shared out however few they are."""
    with patch.object(fleet, "FEW", 0):
        return fleet.as_json(fleet.summary(fleet.gather(paths, who, store), who, (), store))


class Inbox:
    """A folder behind HTTP, with lists as nginx' autoindex_format json; at(n): called at the n-th stream that is fetched."""

    def __init__(self, folder, at=lambda n: None):
        fetched = self.fetched = []

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):
                if self.path.endswith(".jsonl"):
                    fetched.append(self.path)
                    at(len(fetched))
                super().do_GET()

            def list_directory(self, path):
                body = json.dumps([{"name": e.name, "type": "directory" if e.is_dir() else "file", "mtime": str(e.stat().st_mtime),
                                    "size": e.stat().st_size} for e in os.scandir(path)]).encode()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class OtherServer(unittest.TestCase):
    """A server that names another one."""

    def serve(self, answer):
        asked = []

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.headers.get("Authorization"))
                answer(self)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"127.0.0.1:{server.server_port}", asked

    @staticmethod
    def answer(status, body=b"", **headers):
        def give(handler):
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(body)
        return give

    def test_the_token_goes_to_the_server_that_was_named_alone(self):
        other, got = self.serve(self.answer(200, b"[]"))
        for answer in (self.answer(302, Location=f"http://{other}/x/"),
                       self.answer(200, json.dumps([{"name": f"//{other}/x.jsonl", "type": "file"}]).encode()),
                       self.answer(200, json.dumps([{"name": "..", "type": "directory"}]).encode())):
            named, asked = self.serve(answer)
            with patch.dict(os.environ, ASSAY_TOKEN="secret"), contextlib.suppress(StreamError):
                for path in source.find([f"http://{named}/"]):
                    source.content(path)
            self.assertEqual(asked, ["Bearer secret"])
        self.assertLessEqual(set(got), {None})

    def test_a_stream_has_a_bound(self):
        named, _ = self.serve(self.answer(200, b"x" * 2000))
        with tempfile.NamedTemporaryFile() as f, patch.object(files, "MOST", 1000):
            f.write(b"x" * 2000)
            f.flush()
            for path in (f"http://{named}/x.jsonl", f.name):
                self.assertRaisesRegex(StreamError, "more than", source.content, path)


class Merge(unittest.TestCase):
    def setUp(self):
        temporary = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder, self.cache = temporary / "reports", temporary / "cache"
        self.folder.mkdir()
        write(self.folder, 80)

    def test_processes_say_what_one_does(self):
        alone = said([self.folder])
        self.assertIn('"why"', alone)  # the damaged one
        self.assertTrue(json.loads(alone)["outliers"])
        self.assertTrue(json.loads(alone)["together"])
        with cluster.Local(2) as who:
            self.assertEqual(said([self.folder], who), alone)

    def test_a_file_without_a_name_keeps_what_memory_would(self):
        with patch.object(columns, "IN_MEMORY", 10), columns.Store() as store:
            kept = said([self.folder], None, store)
            self.assertIsNotNone(store.file)
        self.assertEqual(kept, said([self.folder]))

    def cached(self):
        """(the merge with the cache, names of the streams that it read)"""
        read = []

        def noted(path, stamp, digest=fleet._digest):
            read.append(Path(path).name)
            return digest(path, stamp)

        with patch.object(fleet, "_digest", noted), columns.Store(self.cache) as store:
            return said([self.folder], None, store), read

    def test_a_second_merge_reads_what_is_new(self):
        first, read = self.cached()
        self.assertEqual(len(read), 80)
        again, read = self.cached()
        self.assertEqual((again, read), (first, ["r0003.jsonl"]))  # the damaged one has no figures to keep
        write(self.folder, 4, 80)
        changed = self.folder / "r0010.jsonl"
        changed.write_text(GOLDEN, encoding="utf-8")
        (self.folder / "r0011.jsonl").unlink()
        more, read = self.cached()
        self.assertEqual(sorted(read), ["r0003.jsonl", "r0010.jsonl", *(f"r{i:04}.jsonl" for i in range(80, 84))])
        self.assertEqual(more, said([self.folder]))

    def test_a_second_merge_judges_what_has_changed(self):
        judged = []

        def noted(members, who, model=fleet._model):
            judged.append(len(members))
            return model(members, who)

        def some(i, *reports):
            (self.folder / f"r{i:04}.jsonl").write_text("".join(reports), encoding="utf-8")

        other = GOLDEN.replace('"system-product-name: ', '"system-product-name: Other ', 1)
        with patch.object(fleet, "_model", noted):
            for i in range(6):
                some(200 + i, VALUE.sub(rf"\g<1>1{i}", other, count=3))
            (self.folder / "r0003.jsonl").unlink()  # the damaged one
            first = self.cached()[0]
            self.assertEqual((sorted(judged), first), ([6, 79], said([self.folder])))
            del judged[:]
            self.assertEqual((self.cached()[0], judged), (first, []))
            some(205, VALUE.sub(r"\g<1>1000000000", other, count=3))  # of one model: the other one's judgement stays
            more = self.cached()[0]
            self.assertEqual(judged, [6])
            self.assertEqual(more, said([self.folder]))
            self.assertTrue(more != first)
            del judged[:]
            with open(self.cache / "judged.ndjson", "a+b") as f:
                f.truncate(f.seek(0, 2) - 20)
            self.assertEqual(self.cached()[0], more)
            self.assertEqual(len(judged), 1)
            with patch.object(fleet, "_rules", lambda: b"others"):
                self.assertEqual(self.cached()[0], more)
            self.assertEqual(len(judged), 3)

    def test_a_damaged_cache_is_read_as_far_as_it_goes(self):
        self.cached()
        index, values = self.cache / "index.ndjson", self.cache / "values.f64"
        good = index.read_bytes()
        for damage in (good[:-40], good.splitlines(True)[0] + b'{"tables":1}\n', b"{}\n" + good, b"", good):
            index.write_bytes(damage)
            if damage == good:
                values.write_bytes(values.read_bytes()[: values.stat().st_size // 2])
            self.assertEqual(self.cached()[0], said([self.folder]))
            self.assertEqual(self.cached()[1], ["r0003.jsonl"])

    def test_a_web_server_s_folder_is_merged(self):
        with Inbox(self.folder) as inbox:
            there = said([inbox.url])
            self.assertEqual(len(inbox.fetched), 40)  # the others have report.figures
        self.assertEqual(there.replace(inbox.url, ""), said([self.folder]).replace(f"{self.folder}/", ""))

    def test_a_server_that_is_gone_or_lists_nothing_is_named(self):
        with Inbox(self.folder) as inbox:
            pass
        with self.assertRaisesRegex(StreamError, re.escape(inbox.url)):
            said([inbox.url])
        self.assertIn("refused", said([inbox.url + "r0001.jsonl"]))


class Elsewhere(cluster.Here):
    """Workers that do not see the files of this machine."""

    apart = True

    def map(self, function, items, common=None):
        with patch.object(figures_file, "summary", side_effect=FileNotFoundError(2, "No such file or directory")):
            yield from super().map(function, items, common)


class Unreadable(unittest.TestCase):
    setUp = Merge.setUp

    def test_reports_that_workers_cannot_read_end_the_merge(self):
        with self.assertRaisesRegex(fleet.Lost, "a worker of the scheduler cannot read .*No such file"):
            fleet.gather([self.folder], Elsewhere())
        with self.assertRaisesRegex(fleet.Lost, "same names"):
            fleet.gather([os.path.relpath(self.folder)], Elsewhere())


@unittest.skipUnless(distributed, "this Python has no distributed (Debian: python3-distributed)")
class OnDask(unittest.TestCase):
    setUp = Merge.setUp

    def start(self, *words):
        environment = os.environ | {"PYTHONPATH": "", "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s"}
        p = subprocess.Popen([sys.executable, "-m", *words], env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def scheduler(self):
        """The address of one with two workers, and these."""
        file = self.folder.parent / "scheduler.json"
        self.start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        workers = [self.start("distributed.cli.dask_worker", "--scheduler-file", str(file), "--host", "127.0.0.1", "--nthreads", "1",
                              "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--name", f"w{i}") for i in range(2)]
        with distributed.Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            return client.scheduler.address, workers

    def test_a_worker_that_is_killed_changes_nothing(self):
        address, workers = self.scheduler()
        killed = []

        def at(n):
            if n == 20:
                workers[0].send_signal(signal.SIGKILL)
                killed.append(n)

        with Inbox(self.folder) as inbox:
            alone = said([inbox.url])
        with Inbox(self.folder, at) as inbox, cluster.Dask(address) as who:
            self.assertEqual(who.processes, 2)
            merged = said([inbox.url], who)
        self.assertEqual(killed, [20])
        self.assertEqual(workers[0].wait(60), -signal.SIGKILL)
        self.assertEqual(re.sub(r"http://[0-9.:]*", "", merged), re.sub(r"http://[0-9.:]*", "", alone))

    def test_a_folder_of_this_directory_is_found_by_workers_in_another(self):
        here = os.path.relpath(self.folder)
        alone = said([str(self.folder)])
        with cluster.Dask(self.scheduler()[0]) as who:
            self.assertEqual(said([here], who), alone)

    def test_a_batch_s_table_comes_once(self):
        def tables(who):
            return len({id(d["at"][0]) for d in fleet.gather([self.folder], who) if "at" in d})

        with cluster.Dask(self.scheduler()[0]) as who, cluster.Local(2) as alike:
            self.assertEqual(tables(who), tables(alike))

    def test_no_scheduler_is_named(self):
        with self.assertRaisesRegex(StreamError, "no Dask scheduler"):
            cluster.Dask("tcp://127.0.0.1:9")


if __name__ == "__main__":
    unittest.main()
