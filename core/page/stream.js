/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The stream as objects. This is the page's reader of streams; core/stream/stream_reader.c and scripts/report/stream.py are the
 * others, and read the same out of any stream: docs/report.md, "How a stream is read", has the rules, tests/fixtures/stream the
 * streams that hold them to it. A line that is not of the format is a fault and is skipped. */
const STATUSES = ["FAIL", "ERROR", "WARN", "SKIP", "PASS"];
const OWN = ["restore.registers", "spread.rounds", "count", "resume"]; // steps of Assay's own
const DIAGNOSIS = "diagnosis"; // causes of the findings: no check
const FAULTS = { json: "not JSON", format: "not a line of a report", order: "out of order: lines are missing before it, or it is in the wrong place" };

class Fault extends Error { constructor(kind) { super(kind); this.kind = kind; } }
function must(good, kind = "format") { if (!good) throw new Fault(kind); }
const isObject = v => typeof v === "object" && v !== null && !Array.isArray(v);
const isScalar = v => ["string", "boolean"].includes(typeof v) || Number.isFinite(v);
const object = (o, name) => { const v = o[name]; must(v === undefined || isObject(v)); return v || {}; };
const text = (o, name, otherwise) => { const v = o[name] ?? otherwise; must(typeof v === "string" && o[name] !== null); return v; };
const nonEmpty = (o, name) => { const v = o[name]; must(isObject(v) && Object.keys(v).length > 0); return v; };

const DEEPEST = 32; // arrays and objects in each other: core/encoding/json_stream.h
const WIDEST = 512, LONGEST = 158; // members of an object and of those around it, characters of a number: the same
const depth = v => typeof v === "object" && v !== null ? 1 + Object.values(v).reduce((most, inner) => Math.max(most, depth(inner)), 0) : 0;

const members = v => typeof v !== "object" || v === null ? 0
  : Object.values(v).reduce((sum, inner) => sum + members(inner), Array.isArray(v) ? 0 : Object.keys(v).length);
const width = (v, above = 0) => typeof v !== "object" || v === null ? above
  : Object.values(v).reduce((most, inner, i) => Math.max(most, width(inner, above + (Array.isArray(v) ? 0 : i + 1))), above);
/* JSON.parse() takes the last of equal keys: each ":" outside of texts has to be a member. */
function keysOnce(line, o) {
  const structure = line.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""'), all = structure.split(":").length - 1;
  return all === members(o) && (all <= WIDEST || width(o) <= WIDEST) && !structure.split(/[^-+.0-9eE]+/).some(n => n.length > LONGEST);
}

/* The text of a stream's bytes. A line that is not UTF-8 becomes one that is not JSON. */
function decoded(bytes) {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try { return strict.decode(bytes); } catch { /* one line at a time */ }
  const lines = [];
  for (let at = 0; at <= bytes.length;) {
    const lf = bytes.indexOf(10, at), end = lf < 0 ? bytes.length : lf;
    try { lines.push(strict.decode(bytes.subarray(at, end))); } catch { lines.push("not UTF-8"); }
    at = end + 1;
  }
  return lines.join("\n");
}

/* One line's object. Half of a surrogate pair means nothing, and what it did mean is lost. */
function parsed(line) {
  let halves = false;
  const lone = v => typeof v === "string" && /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(v);
  const look = (k, v) => { halves ||= lone(k) || lone(v); return v; };
  try {
    const o = JSON.parse(line, /\\u[dD]/.test(line) ? look : undefined);
    if (!halves && (line.split(/[[{]/).length <= DEEPEST + 1 || depth(o) <= DEEPEST) && keysOnce(line, o)) return o;
  } catch { /* says the same */ }
  throw new Fault("json");
}

/* bytes: a Uint8Array */
function read(bytes) {
  const r = { start: {}, checks: [], causes: [], monitors: [], logs: [], errors: [], faults: [], contradictions: [], started: false, ended: false, torn: false, said: "ERROR", back: "",
    result: "ERROR", begin: "", end: "" };
  const state = { next: 0, lost: false, open: null, id: "", series: null, again: null, time: "" };
  const lines = decoded(bytes).split("\n");
  lines.forEach((line, i) => {
    if (!/[^ \t\r]/.test(line)) return;
    const fault = kind => { if (!r.faults.length || r.faults[r.faults.length - 1][0] !== i + 1) r.faults.push([i + 1, kind]); };
    try { take(r, state, parsed(line), fault); } catch (e) {
      if (!(e instanceof Fault)) throw e;
      if (e.kind === "json") state.lost = true;
      if (e.kind === "json" && i === lines.length - 1) r.torn = true; else fault(e.kind);
    }
  });
  broken(state);
  conclude(r);
  for (const what of r.contradictions) r.errors.push(`the report contradicts itself: ${what}`);
  for (const [line, kind] of r.faults) r.errors.push(`line ${line} of the report is ${FAULTS[kind]}`);
  if (!r.ended || r.torn) r.errors.push("the report stops early: power cut, hang or full medium");
  return r;
}
/* A check that has no end. */
function broken(state) {
  if (state.open) { state.open.status = "ERROR"; state.open.errors.push("the report stops in this check"); }
  state.open = null;
}
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
function take(r, state, o, fault) {
  artifact(r, state, o, fault);
  if (typeof o.timestamp !== "string") return;
  if (TIME.test(state.time) && TIME.test(o.timestamp) && o.timestamp < state.time)
    r.back ||= `time goes back: ${o.timestamp} after ${state.time}`;
  state.time = o.timestamp;
}
function artifact(r, state, o, fault) {
  const number = isObject(o) ? o.sequenceNumber : undefined;
  if (!Number.isSafeInteger(number) || number < 0) { state.lost = true; throw new Fault("format"); }
  must(number >= state.next, "order");
  if (number > state.next && !state.lost) fault("order"); // and is read: what is missing stood before it
  state.next = number + 1;
  state.lost = false;
  const own = ["schemaVersion", "testRunArtifact", "testStepArtifact"].filter(k => k in o);
  must(own.length === 1);
  const a = nonEmpty(o, own[0]), kinds = Object.keys(a).filter(k => k !== "testStepId"), stamp = typeof o.timestamp === "string" ? o.timestamp : "";
  if (own[0] === "schemaVersion") { must(a.major === 2); must(!r.ended, "order"); return; }
  must(kinds.length === 1);
  const [kind] = kinds, content = nonEmpty(a, kind), takes = own[0] === "testRunArtifact" ? RUN : STEP;
  must(Object.hasOwn(takes, kind) && (takes === RUN || text(a, "testStepId") !== ""));
  const done = takes[kind](content, stamp); // throws where the content is none of the format, before anything is changed
  must(!r.ended, "order");
  if (kind === "testRunEnd") repeated(r, state, null);
  if (takes === RUN) return done(r);
  if (kind === "testStepStart") {
    if (state.open) fault("order");
    broken(state);
    state.id = a.testStepId;
    state.open = done();
    state.series = null;
    if (state.open.id === "resume") r.back = ""; // the clock may have been set before this boot
    repeated(r, state, state.open.id);
    r.checks.push(state.open);
    return;
  }
  must(state.open && a.testStepId === state.id, "order");
  done(state.open, state);
  if (kind !== "testStepEnd") return;
  r.contradictions.push(...contradictions(state.open));
  if (state.open.dropped) {
    r.checks.splice(r.checks.indexOf(state.open), 1);
    state.again = state.open.id;
  } else if (state.open.id === DIAGNOSIS) {
    r.checks.splice(r.checks.indexOf(state.open), 1);
    r.causes = state.open.causes;
    r.monitors = state.open.monitors;
    r.stopped = state.open.stopped;
  }
  state.open = null;
}

/* --- the verdict: docs/report.md, "The verdict of a stream" ---------------------------------------------------------- */

const RANK = ["PASS", "DONE", "WARN", "SKIP", "ERROR", "FAIL"]; // the last that holds is the verdict
/* What testRunEnd may say, by what the checks say. A run that was stopped says SKIP, one that broke otherwise ERROR. */
const AGREE = { PASS: ["PASS", "WARN"], FAIL: ["FAIL"], DONE: ["PASS", "WARN", "SKIP"], SKIP: ["PASS", "WARN", "SKIP", "ERROR"],
  ERROR: ["PASS", "WARN", "SKIP", "ERROR"] };

function contradictions(c) {
  const out = [], account = c.cost.verdict;
  if (typeof account === "string" && account !== c.status && !(account === "DONE" && c.status === "PASS"))
    out.push(`${c.id}: diagnoses and testStepEnd say ${c.status}, assay.cost says ${account}`);
  if (c.status === "PASS" && !c.diagnosed && !OWN.includes(c.id)) out.push(`${c.id}: PASS without a diagnosis`);
  if (c.errors.length && !["FAIL", "ERROR"].includes(c.status)) out.push(`${c.id}: ${c.status} in spite of an error`);
  if (c.dropped && c.status !== "SKIP") out.push(`${c.id}: an attempt that does not count says ${c.status}`);
  if (c.status === "SKIP" && c.found.length) out.push(`${c.id}: SKIP in spite of a finding`);
  const beyond = !c.dropped && ["PASS", "SKIP"].includes(c.status) && c.measurements.find(m => m.out);
  if (beyond) out.push(`${c.id}: ${c.status}, and ${beyond.name} is outside of its own bounds`);
  return out;
}
/* Of a report that has an end. */
function ofRun(r, checks) {
  const out = [], wanted = (r.start.parameters || {}).checks, ended = r.checks.filter(c => !OWN.includes(c.id)).length;
  if (!AGREE[r.said].includes(checks)) out.push(`testRunEnd says ${r.said}, the checks say ${checks}`);
  if (r.errors.length && ["PASS", "DONE", "SKIP"].includes(r.said)) out.push(`testRunEnd says ${r.said} in spite of an error of the run`);
  if (typeof wanted === "number" && r.complete && wanted !== ended)
    out.push(`testRunStart says ${wanted.toFixed(0)} checks, and ${ended} have ended`);
  return out;
}
/* Causes that explain a check without a finding. */
function unfounded(r) {
  const found = new Set(r.checks.filter(c => ["FAIL", "WARN", "ERROR"].includes(c.status)).map(c => c.id));
  return r.causes.flatMap(cause => cause.explains)
    .filter(check => typeof check === "string" && !found.has(check)).map(check => `the diagnosis explains ${check}, which has no finding`);
}
/* Checks that FAILed and count against no monitor whose state is FAIL. */
function unanswered(r) {
  const texts = v => [v].flat(Infinity).filter(x => typeof x === "string");
  const against = new Set(r.monitors.filter(m => texts(m.state).pop() === "FAIL").flatMap(m => texts(m.bad)));
  const failed = r.checks.filter(c => c.status === "FAIL" && !OWN.includes(c.id) && !against.has(c.id)).map(c => c.id);
  return r.monitors.length ? [...new Set(failed)].map(check => `${check} is FAIL, and no monitor is FAIL by it`) : [];
}
/* After an attempt that does not count, the same check begins. */
function repeated(r, state, id) {
  if (state.again !== null && state.again !== id) r.contradictions.push(`${state.again}: an attempt that does not count, and no other after it`);
  state.again = null;
}
/* As the payload counts: its own steps are no checks that passed. */
const count = (r, s) => r.checks.filter(c => c.status === s && !(s === "PASS" && OWN.includes(c.id))).length;
function conclude(r) {
  const checks = ["FAIL", "ERROR", "WARN", "PASS"].find(s => count(r, s)) || "SKIP";
  r.contradictions.push(...unfounded(r), ...unanswered(r), ...(r.back ? [r.back] : []), ...(r.ended ? ofRun(r, checks) : []));
  const whole = r.started && r.ended && !r.torn && !r.faults.length && !r.contradictions.length;
  const words = [r.ended ? r.said : "ERROR", whole ? "PASS" : "ERROR", ...["FAIL", "ERROR", "WARN"].filter(s => s === checks)];
  r.result = RANK[Math.max(...words.map(w => RANK.indexOf(w)))];
}

/* --- lines ----------------------------------------------------------------------------------------------------------- */

const texts = (o, ...names) => names.forEach(name => text(o, name, ""));
function infos(dut, name, ...members) {
  must(dut[name] === undefined || Array.isArray(dut[name]));
  for (const item of dut[name] || []) { must(isObject(item)); texts(item, ...members); }
}
/* The columns of the metadata, one entry a processor. */
function processors(columns) {
  const at = (name, n) => ((columns || {})[name] || [])[n], ids = (columns || {}).apicId;
  return (Array.isArray(ids) ? ids : []).map((id, n) => ({ cpu: String(n), apic: `APIC 0x${Number(id).toString(16)}`, package: at("package", n), core: at("core", n), thread: at("thread", n) }));
}
/* Each looks at the content, and gives what is to be done with it. */
const message = a => { const symptom = text(a, "symptom"); return text(a, "message", "") || symptom; };
const entry = a => ({ severity: text(a, "severity"), message: text(a, "message") });
const RUN = {
  testRunStart(a, stamp) {
    const { t, skip } = object(a, "parameters"), dut = object(a, "dutInfo");
    texts(a, "commandLine"), texts(dut, "dutInfoId", "name"), object(dut, "metadata");
    for (const list of [t, skip]) must(list === undefined || (Array.isArray(list) && list.every(v => typeof v === "string")));
    infos(dut, "platformInfos", "info");
    infos(dut, "softwareInfos", "softwareInfoId", "name", "version", "revision");
    infos(dut, "hardwareInfos", "name", "version", "location", "partType");
    dut.processors = processors((dut.metadata || {}).processors);
    return r => { must(!r.started, "order"); r.started = true; r.start = a; r.begin = stamp; };
  },
  testRunEnd(a, stamp) {
    const status = text(a, "status"), result = status === "COMPLETE" ? text(a, "result") : (text(a, "result"), status);
    return r => { r.ended = true; r.end = stamp; r.complete = a.status === "COMPLETE"; r.said = ["PASS", "FAIL", "SKIP"].includes(result) ? result : result === "NOT_APPLICABLE" ? "DONE" : "ERROR"; };
  },
  log(a) { const l = entry(a); return r => r.logs.push(l); },
  error(a) { const m = message(a); return r => r.errors.push(m); },
};
const STEP = {
  testStepStart(a, stamp) {
    const id = text(a, "name");
    must(id !== "");
    return () => ({ id, title: "", specification: "", rows: "", detects: "", status: "PASS", findings: [], found: [], notes: [], errors: [],
      measurements: [], series: [], evidence: [], spread: [], causes: [], monitors: [], cost: {}, round: 1, dropped: false, diagnosed: false, begin: stamp, end: stamp });
  },
  testStepEnd(a, stamp) {
    const status = text(a, "status");
    return c => { c.end = stamp; if (status !== "COMPLETE") c.status = status === "SKIP" ? "SKIP" : "ERROR"; };
  },
  measurement(a) { const m = measurement(a); return c => c.measurements.push(m); },
  measurementSeriesStart(a) {
    const meta = object(a, "metadata"), id = text(a, "measurementSeriesId");
    const s = { name: text(a, "name"), unit: text(a, "unit", ""), place: text(object(a, "subcomponent"), "name", ""), at: placeOf(a),
      xName: text(meta, "xName", ""), xUnit: text(meta, "xUnit", ""), expected: meta.expected === true, points: [] };
    return (c, state) => { c.series.push(s); state.series = [id, s]; };
  },
  measurementSeriesElement(a) {
    const id = text(a, "measurementSeriesId"), x = object(a, "metadata").x;
    must(isScalar(a.value) && Number.isFinite(a.index) && (typeof x !== "number" || Number.isFinite(x)));
    return (c, state) => {
      must(state.series && state.series[0] === id, "order");
      state.series[1].points.push([typeof x === "number" ? x : a.index, a.value]);
    };
  },
  measurementSeriesEnd(a) {
    const id = text(a, "measurementSeriesId");
    return (c, state) => { must(state.series && state.series[0] === id, "order"); state.series = null; };
  },
  diagnosis(a) {
    const kind = text(a, "type") === "UNKNOWN" ? "WARN" : a.type, verdict = text(a, "verdict"), finding = text(a, "message", "") || verdict;
    const at = placeOf(a), code = verdict.split("/")[1] || "";
    must(["PASS", "FAIL", "WARN"].includes(kind));
    return c => {
      c.diagnosed = true;
      if (kind === "FAIL" || (kind === "WARN" && c.status !== "FAIL")) c.status = kind;
      if (kind !== "PASS") { c.findings.push(finding); c.found.push({ kind, code, at, limit: "", errata: [] }); }
    };
  },
  log(a) { const { message: m } = entry(a); return c => c.notes.push(m); },
  error(a) { const m = message(a); return c => c.errors.push(m); },
  file() { return () => {}; },
  extension(a) {
    const name = text(a, "name"), content = object(a, "content");
    return c => {
      if (name === "assay.check") about(c, content);
      else if (name === "assay.evidence") c.evidence.push(content);
      else if (name === "assay.diagnosis") c.causes.push(content);
      else if (name === "assay.monitor") c.monitors.push(content);
      else if (name === "assay.run") c.stopped = content.stopped === true;
      else if (name === "assay.finding") qualify(c.found[c.found.length - 1], content);
      else if (name === "assay.cost") { c.cost = content; c.dropped ||= content.dropped === true; }
      else if (name === "assay.spread") c.spread.push(content);
      else if (name === "assay.advice") c.advice = content;
      else if (name === "assay.disturbance") c.disturbance = content;
    };
  },
};
/* What qualifies the last finding: what makes it a WARN and no FAIL, and errata that it may be. */
function qualify(found, { limit, errata }) {
  if (!found) return;
  found.limit = typeof limit === "string" ? limit : "";
  found.errata = (Array.isArray(errata) ? errata : []).filter(isObject).map(e => ({ number: `${e.number ?? ""}`, defect: `${e.defect ?? ""}`, document: `${e.document ?? ""}` }));
}
/* The check's row: every member that is a text or a number, but id and status. "catches" is the key of earlier reports. */
function about(c, { catches, ...row }) {
  for (const [k, v] of Object.entries({ detects: catches ?? "", ...row }))
    if (k !== "id" && k !== "status" && isScalar(v) && typeof v === typeof (c[k] ?? v)) c[k] = v;
}
/* "package=0,unit=iMC,box=1": the location of a subcomponent, as { package: 0, unit: "iMC", box: 1 }. {}: it has none. A detail is the
 * rest of the text. */
function located(location) {
  const end = `,${location}`.indexOf(",detail="), at = {};
  for (const [key, value] of (end < 0 ? location : location.slice(0, end)).split(",").map(pair => pair.split("=")))
    if (key && value) at[key] = /^\d+$/.test(value) ? +value : value;
  return end < 0 ? at : { ...at, detail: location.slice(end + "detail=".length) };
}
/* Equal for one place. */
const identity = q => Object.keys(q.at).length ? JSON.stringify(q.at) : q.place;
const placeOf = a => { const where = object(a, "subcomponent"); text(where, "name", ""); return located(text(where, "location", "")); };
function measurement(m) {
  const out = { name: text(m, "name"), value: m.value, unit: text(m, "unit", ""), place: text(object(m, "subcomponent"), "name", ""), at: placeOf(m), low: null, high: null };
  must(isScalar(m.value) && (m.validators === undefined || Array.isArray(m.validators)));
  for (const v of m.validators || []) {
    must(isObject(v) && typeof v.type === "string" && v.value !== undefined && (typeof v.value !== "number" || Number.isFinite(v.value)));
    if (typeof v.value !== "number") continue;
    if (["GREATER_THAN", "GREATER_THAN_OR_EQUAL", "EQUAL"].includes(v.type)) out.low = v.value;
    if (["LESS_THAN", "LESS_THAN_OR_EQUAL", "EQUAL"].includes(v.type)) out.high = v.value;
  }
  out.out = typeof m.value === "number" && ((out.low !== null && m.value < out.low) || (out.high !== null && m.value > out.high));
  return out;
}
/* Why a check is not PASS, as the stream has it. */
function why(c) {
  if (c.status === "PASS") return "";
  const texts = [c.status === "ERROR" ? c.errors : [], c.findings, c.notes].find(t => t.length) || ["no reason given"];
  return texts[c.status === "SKIP" ? texts.length - 1 : 0];
}
