// SPDX-License-Identifier: BSD-2-Clause-Patent
// tests/report/read_stream.mjs: core/page/stream.js, held to the streams of tests/fixtures/stream. tests/report/test_stream.py says
// what an edit is, and runs this. A line for each stream that is read otherwise than it should be, and how many there are. With
// files: a line for each, its verdict, how often it contradicts itself, and its first fault ("-": none).
import assert from "node:assert";
import { readFileSync } from "node:fs";

const file = path => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const fixture = name => file(`tests/fixtures/stream/${name}`);
const { read, why } = new Function(`"use strict";\n${file("core/page/stream.js")}\nreturn { read, why };`)();
const golden = fixture("golden.jsonl"), variants = JSON.parse(fixture("damaged.json"));

function edited(edits) {
    let lines = golden.split("\n").slice(0, -1), end = "\n";
    for (const e of edits) {
        const at = e.line - 1;
        if ("end" in e) [lines, end] = [lines.slice(0, e.end), ""];
        else if ("insert" in e) lines.splice(at, 0, e.insert);
        else if ("repeat" in e) lines.splice(at, 0, lines[at]);
        else if ("delete" in e) lines.splice(at, 1);
        else if ("keep" in e) lines[at] = lines[at].slice(0, e.keep);
        else {
            assert(lines[at].includes(e.old), e.old);
            lines[at] = lines[at].replace(e.old, () => e.new);
        }
    }
    return lines.join("\n") + end;
}

function wanted(changes) {
    const out = JSON.parse(fixture("golden.json"));
    for (const [path, value] of Object.entries(changes)) {
        const way = path.split("."), last = way.pop();
        way.reduce((at, key) => at[key], out)[last] = value;
    }
    return out;
}

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

for (const path of process.argv.slice(2)) {
    const r = read(readFileSync(path));
    console.log(`${r.result} ${r.contradictions.length} ${r.faults.length ? r.faults[0].join(" ") : "-"}`);
}
if (process.argv.length > 2) process.exit(0);

let failed = 0;
for (const v of variants) {
    try {
        assert.deepStrictEqual(reading(read(new TextEncoder().encode(edited(v.edits)))), wanted(v.expected));
    } catch (e) {
        console.log(`${v.name}: ${e.message}`);
        failed++;
    }
}
console.log(`${variants.length - failed} streams are read as they should be`);
process.exit(failed ? 1 : 0);
