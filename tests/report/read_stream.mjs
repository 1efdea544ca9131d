// SPDX-License-Identifier: BSD-2-Clause-Patent
// tests/report/read_stream.mjs FILE...: what core/page/stream.js reads out of each, as a line of JSON in the shape of
// tests/fixtures/stream/golden.json. tests/report/stream_readings.py runs this.
import { readFileSync } from "node:fs";

const source = readFileSync(new URL("../../core/page/stream.js", import.meta.url), "utf8");
const { read, why } = new Function(`"use strict";\n${source}\nreturn { read, why };`)();
const pairs = o => Object.entries(o).flatMap(([k, v]) => [v].flat().map(item => [k, String(item)]));
const own = e => !/^line \d+ of the report is |^the report (stops early|contradicts itself)/.test(e); // what the page says of them besides

const reading = r => ({
    started: r.started, ended: r.ended, torn: r.torn, result: r.result, contradictions: r.contradictions, faults: r.faults, options: pairs(r.start.parameters || {}),
    logs: r.logs.map(l => [l.severity, l.message]), errors: r.errors.filter(own),
    limits: r.checks.flatMap(c => c.found.flatMap((f, i) => f.limit || f.errata.length ? [[c.findings[i], f.limit, f.errata.map(e => e.number).join(" ")]] : [])),
    checks: r.checks.map(c => ({
        id: c.id, round: c.round, title: c.title, detects: c.detects, verdict: c.status, reason: why(c), findings: c.findings, notes: c.notes, errors: c.errors,
        measurements: c.measurements.map(m => [m.name, m.place, m.unit, m.value, m.low, m.high, Object.entries(m.at).map(pair => pair.join("=")).join()]),
        series: c.series.map(s => [s.name, s.place, s.unit, s.xName, s.xUnit, Object.entries(s.at).map(pair => pair.join("=")).join(), s.points]),
        evidence: c.evidence.length, cost: pairs(c.cost),
    })),
});

for (const path of process.argv.slice(2)) console.log(JSON.stringify(reading(read(readFileSync(path)))));
