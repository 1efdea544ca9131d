# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The readers in Python under python3-hypothesis: whatever a file has in it, what comes is a report or a sentence. The same examples
in every run; ASSAY_EXAMPLES=10000 for more, which are others."""
import base64
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(HERE.parents[1] / "build" / "hypothesis"))
try:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ImportError as e:
    raise unittest.SkipTest("python3-hypothesis is not there (scripts/setup test installs it)") from e

sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts"), str(HERE.parent / "support" / "drivers")]
from report import attest, bands, compare, event, export, figures_file, fleet, fleetpage, formats, imports, machine, rebuild, recording, source, stream, verify  # noqa: E402
from figures import digests_of, figures_of  # noqa: E402
from test_imports import ACPIDUMP, CPUID_R, DMIDECODE, HWLOC, INSTLATX64, LSPCI  # noqa: E402
from test_verdict import failing, good  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("perfmon_events", str(HERE.parents[1] / "scripts" / "perfmon-events"))
PERFMON = importlib.util.module_from_spec(importlib.util.spec_from_loader("perfmon_events", LOADER))
LOADER.exec_module(PERFMON)
EVENTS = (HERE.parent / "fixtures" / "events" / "own_icx.json").read_bytes()
METRICS = json.dumps({"Metrics": [{"MetricName": "m", "UnitOfMeasure": "MB/sec", "Formula": "(a * 64 / b[0] / s) / DURATIONTIMEINSECONDS",
                                   "Events": [{"Name": json.loads(EVENTS)["Events"][n]["EventName"] + ":c1", "Alias": "ab"[n]} for n in range(2)],
                                   "Constants": [{"Name": "SOCKET_COUNT", "Alias": "s"}]}]}).encode()
VALUE = re.compile(rb'(?<=: )("(?:[^"\\]|\\.)*"|\d+)|(?<=: )[\[{]')
WORDS = (b"1", b"-1", b'"0x"', b'""', b'"\\u0001\\t"', b'"\xc3\xa9"', b"[]", b"{}", b"[1]", b'{"a": 1}', b"null", b"true", b"1.5", b'"' + b"9" * 5000 + b'"',
         b"[" * 5000, b"\xff", b'"a(b"', b'"0-99"', b'"m\\nend: 1"')

EXAMPLES = int(os.environ.get("ASSAY_EXAMPLES", "0"))
CHECKED = settings(max_examples=EXAMPLES or 150, derandomize=not EXAMPLES, deadline=None, database=None,
                   suppress_health_check=list(HealthCheck))
FORMS = (formats.text, formats.junit, formats.ktap, formats.lava, formats.markdown, formats.as_json)
EXPORTS = (export.ndjson, export.as_csv, export.prom, event.redfish, event.sel)
MACHINE = HERE.parent / "fixtures/machines/example.machine"
RECORDED = [MACHINE.read_bytes(), *(t.encode() for t in (CPUID_R, INSTLATX64, HWLOC, ACPIDUMP, LSPCI, DMIDECODE))]
WHOLE = [json.loads(line) for line in failing().lines]
FIGURES = [json.loads(line) for line in figures_of(("\n".join(failing().lines) + "\n").encode()).splitlines()]
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=6)


def paths(v, way=()):
    """Every place of a JSON value."""
    yield way
    for key, inner in v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else ():
        yield from paths(inner, (*way, key))


@st.composite
def changed(draw, whole):
    """Lines of JSON with a few values that are others, taken out or written twice; bytes."""
    lines = json.loads(json.dumps(whole))
    places = [(n, way) for n, line in enumerate(whole) for way in paths(line) if way]
    for n, way in draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
        at = lines[n]
        try:
            for key in way[:-1]:
                at = at[key]
            if draw(st.integers(0, 5)) == 0:
                del at[way[-1]]
            else:
                at[way[-1]] = draw(JSON)
        except (KeyError, IndexError, TypeError):
            continue  # what was there is gone
    data = "\n".join(json.dumps(line) for line in lines).encode("utf-8", "surrogatepass") + b"\n"
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=12)) + data[at + draw(st.integers(0, 200)) :]
    return data


def reports():
    return changed(WHOLE)


def figures():
    return changed(FIGURES)


class Readers(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = folder / "report.jsonl"
        self.other = good().end().save(folder / "other.jsonl")

    def written(self, data):
        self.path.write_bytes(data)
        return str(self.path)

    @CHECKED
    @given(reports() | st.binary(max_size=300))
    def test_a_report_or_a_sentence(self, data):
        path = self.written(data)
        r = stream.scan(path)
        self.assertIn(r.result, ("PASS", "FAIL", "SKIP", "ERROR", "DONE"))
        for form in FORMS:
            form(r)
        for form in EXPORTS:
            form([r])
        old = stream.read(self.other)
        for a, b in ((old, r), (r, old)):
            changes = compare.compare(a, b)
            compare.text(a, b, changes), compare.page(a, b, changes), compare.as_json(a, b, changes)
        try:
            bands.calibrate([path])
        except stream.StreamError as e:
            self.assertIn("report", str(e))

    @CHECKED
    @given(figures() | st.binary(max_size=300))
    def test_figures_are_those_of_the_stream_or_it_is_read(self, data):
        path = self.written(("\n".join(failing().lines) + "\n").encode())
        stamp = [[len(Path(path).read_bytes()), 0], [0, 0], [0, 0]]
        for end, content in (("figures", data), ("sha256", digests_of({"report.jsonl": Path(path).read_bytes(), "report.figures": data}))):
            Path(source.beside(path, end)).write_bytes(content)
        for read in (figures_file.summary, figures_file.report):
            read(path, stamp)
        figures_file.differs(stream.read(path), Path(path).read_bytes(), data)

    @CHECKED
    @given(st.lists(reports(), max_size=3))
    def test_a_merge_goes_on(self, some):
        found = []
        for i, data in enumerate(some):
            found.append(self.path.with_name(f"{i}.jsonl"))
            found[-1].write_bytes(data)
        digests = fleet.gather([*found, self.other])
        self.assertEqual(len(digests), len(some) + 1)
        for d in digests:
            self.assertNotRegex(d.get("broken", ""), r"jsonl: \w+: ")  # a reader's own defect
        fleet.as_csv(digests)
        s = fleet.summary(digests)
        fleet.text(s), fleet.as_json(s), fleetpage.page(s)

    @CHECKED
    @given(st.binary(max_size=400) | st.binary(max_size=200).map(base64.b64encode))
    def test_a_capture_is_whole_or_damaged(self, data):
        try:
            rebuild.rebuild(data)
        except rebuild.Damaged as e:
            self.assertTrue(str(e))

    @CHECKED
    @given(st.sampled_from(RECORDED), st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 40), st.binary(max_size=12)), min_size=1, max_size=5))
    def test_a_recording_is_read_or_named(self, whole, edits):
        for at, cut, new in edits:
            at %= len(whole)
            whole = whole[:at] + new + whole[at + cut:] + b"\n"
        path = self.written(whole)
        for take in (recording.read, lambda p: imports.gather([p])):
            try:
                r = take(path)
                machine.text(r)
                recording.parse(recording.written(r))
                list(machine.differences(r, recording.read(MACHINE)))
            except stream.StreamError as e:
                self.assertIn(path, str(e))

    @CHECKED
    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 1 << 16), st.sampled_from(WORDS)), min_size=1, max_size=4))
    def test_perfmons_files_become_events_or_a_sentence(self, edits):
        events, metrics = EVENTS, METRICS
        for of_metrics, at, word in edits:  # each value in turn, or any byte
            whole = metrics if of_metrics else events
            values = [m.span() for m in VALUE.finditer(whole)]
            begin, end = values[at % len(values)] if at % 3 else (at % len(whole), at % len(whole) + 1)
            whole = whole[:begin] + word + whole[end:]
            events, metrics = (events, whole) if of_metrics else (whole, metrics)
        paths = self.written(events), str(self.path.with_name("metrics.json"))
        Path(paths[1]).write_bytes(metrics)
        out, said = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with unittest.mock.patch("sys.argv", ["perfmon-events", "--models", "6-6A", "--metrics", paths[1], paths[0]]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            status = PERFMON.main()
        out.seek(0)
        text = out.read()
        lines = text.splitlines()
        self.assertEqual((status, bool(lines)), (0, True) if lines else (2, False), said.getvalue())
        self.assertTrue(text.isascii() and all(line.count("\t") in (2, 3) for line in lines[3:-1]), lines)

    @CHECKED
    @given(st.binary(max_size=300), st.integers(0, 80))
    def test_digests_logs_and_quotes_are_or_are_not(self, data, at):
        listed = self.path.parent / verify.NAME
        listed.write_bytes(data)
        self.assertRaises(stream.StreamError, verify.digests, self.path.parent)
        head = attest.HEADER.pack(0, 3, bytes(20), 32) + b"Spec ID Event03\0" + bytes(8) + b"\1\0\0\0\x0b\0\x20\0"
        for whole, read in ((head + data, attest.events), (b"\xffTCG\x80\x18" + data, attest.quoted), (data[at:], attest.events),
                            (data, attest.signed_with)):
            try:
                read(whole)
            except ValueError as e:
                self.assertTrue(str(e))


if __name__ == "__main__":
    unittest.main()
