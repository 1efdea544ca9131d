/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What stands in the stream, as objects, and words for it. */
const STATUSES = ["FAIL", "ERROR", "WARN", "SKIP", "PASS"];
const OWN = ["restore.registers", "spread.rounds"]; // steps of Assay's own
const COLOURS = ["#2f7fd1", "#d1682f", "#3fa35b", "#a05fc4", "#c2a02e", "#3aa6a6", "#c44f7b", "#7d7d7d"];
const $ = id => document.getElementById(id);

function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {}))
    if (k === "class") e.className = v; else if (k in e && k !== "list") e[k] = v; else e.setAttribute(k, v);
  e.append(...children.filter(c => c !== null && c !== undefined && c !== ""));
  return e;
}
function svg(tag, props, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(props || {})) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

/* A details element whose content is made when it first opens: by a click, by a link, on paper. The click comes before it
 * opens; "toggle" only after the page has been drawn without the content. */
function folded(props, summary, content) {
  const d = el("details", props, summary);
  d.unfold = () => { if (d.children.length === 1) d.append(content()); };
  summary.addEventListener("click", d.unfold);
  d.addEventListener("toggle", () => d.open && d.unfold());
  return d;
}

/* --- the stream ---------------------------------------------------------------------------------------------------- */

function read(text) {
  const r = { start: {}, checks: [], logs: [], errors: [], ended: false, result: "ERROR", begin: "", end: "" };
  const open = {}, series = {};
  for (const line of text.split("\n")) {
    let o;
    if (!line.trim()) continue;
    try { o = JSON.parse(line); } catch { r.errors.push("the last line is torn: the report stops early"); break; }
    const stamp = o.timestamp || "";
    if (o.testRunArtifact) run(r, o.testRunArtifact, stamp);
    else if (o.testStepArtifact) step(r, open, series, o.testStepArtifact, stamp);
  }
  if (!r.ended) r.errors.push("The report stops early: power cut, hang or full medium.");
  for (const c of Object.values(open)) { c.status = "ERROR"; c.errors.push("The report stops in this check."); }
  return r;
}
function run(r, a, stamp) {
  if (a.testRunStart) { r.start = a.testRunStart; r.begin = stamp; }
  if (a.testRunEnd) {
    r.ended = true; r.end = stamp;
    r.result = a.testRunEnd.status === "COMPLETE" ? a.testRunEnd.result : a.testRunEnd.status;
    if (!STATUSES.includes(r.result)) r.result = "ERROR";
  }
  if (a.log) r.logs.push(a.log);
  if (a.error) r.errors.push(a.error.message || a.error.symptom);
}
function step(r, open, series, a, stamp) {
  const id = a.testStepId;
  if (a.testStepStart) {
    open[id] = { id: a.testStepStart.name, title: "", specification: "", rows: "", catches: "", status: "PASS", findings: [],
      notes: [], errors: [], measurements: [], series: [], evidence: [], spread: [], round: 1, begin: stamp, end: stamp };
    r.checks.push(open[id]);
    return;
  }
  const c = open[id];
  if (!c) return;
  if (a.extension && a.extension.name === "assay.check") Object.assign(c, a.extension.content);
  else if (a.extension && a.extension.name === "assay.evidence") c.evidence.push(a.extension.content);
  else if (a.extension && a.extension.name === "assay.cost") c.dropped = Boolean(a.extension.content.dropped);
  else if (a.extension && a.extension.name === "assay.spread") c.spread.push(a.extension.content);
  else if (a.extension && a.extension.name === "assay.advice") c.advice = a.extension.content;
  else if (a.extension && a.extension.name === "assay.disturbance") c.disturbance = a.extension.content;
  else if (a.measurement) c.measurements.push(measurement(a.measurement));
  else if (a.diagnosis) diagnosis(c, a.diagnosis);
  else if (a.log) c.notes.push(a.log.message);
  else if (a.error) c.errors.push(a.error.message || a.error.symptom);
  else if (a.measurementSeriesStart) {
    const s = a.measurementSeriesStart, meta = s.metadata || {};
    series[s.measurementSeriesId] = { name: s.name, unit: s.unit || "", place: (s.subcomponent || {}).name || "",
      xName: meta.xName || "", xUnit: meta.xUnit || "", points: [] };
    c.series.push(series[s.measurementSeriesId]);
  } else if (a.measurementSeriesElement) {
    const e = a.measurementSeriesElement, s = series[e.measurementSeriesId];
    if (s) s.points.push([e.metadata && e.metadata.x !== undefined ? e.metadata.x : e.index, e.value]);
  } else if (a.testStepEnd) {
    c.end = stamp;
    if (a.testStepEnd.status !== "COMPLETE") c.status = a.testStepEnd.status === "SKIP" ? "SKIP" : "ERROR";
    delete open[id];
    if (c.dropped) r.checks.splice(r.checks.indexOf(c), 1);
  }
}
function measurement(m) {
  const out = { name: m.name, value: m.value, unit: m.unit || "", place: (m.subcomponent || {}).name || "", low: null, high: null };
  for (const v of m.validators || []) {
    if (v.type.startsWith("GREATER") || v.type === "EQUAL") out.low = v.value;
    if (v.type.startsWith("LESS") || v.type === "EQUAL") out.high = v.value;
  }
  out.out = typeof m.value === "number" && ((out.low !== null && m.value < out.low) || (out.high !== null && m.value > out.high));
  return out;
}
function diagnosis(c, d) {
  const kind = d.type === "UNKNOWN" ? "WARN" : d.type;
  if (kind === "FAIL" || (kind === "WARN" && c.status !== "FAIL")) c.status = kind;
  if (kind !== "PASS") c.findings.push(d.message || d.verdict);
}

/* --- words --------------------------------------------------------------------------------------------------------- */

function number(v) {
  if (typeof v !== "number") return String(v);
  const whole = Number.isInteger(v) || Math.abs(v) >= 1e5; // six digits are enough, but a figure in the findings is not cut short
  return whole ? Math.round(v).toLocaleString("en").replaceAll(",", "\u202f") : String(Number(v.toPrecision(6)));
}
function short(v, unit) {
  const bytes = unit === "bytes", step = bytes ? 1024 : 1000, names = bytes ? ["", "K", "M", "G", "T"] : ["", "k", "M", "G", "T"];
  let i = 0;
  while (Math.abs(v) >= step && i < 4) { v /= step; i++; }
  return `${Number(v.toPrecision(3))}${i ? " " + names[i] : ""}${bytes ? (i ? "iB" : " B") : ""}`;
}
function bounds(m) {
  if (m.low !== null && m.high !== null) return m.low === m.high ? number(m.low) : `${number(m.low)} to ${number(m.high)}`;
  return m.low !== null ? `at least ${number(m.low)}` : m.high !== null ? `at most ${number(m.high)}` : "";
}
const anchor = c => `check-${c.id}${c.round > 1 && !OWN.includes(c.id) ? `.round-${c.round}` : ""}`;
const human = text => text.replace(/\b(\d{5,}) bytes(, band (\d+) to (\d+))?/g, (_, n, band, low, high) => short(Number(n), "bytes") +
  (band ? `, band ${short(Number(low), "bytes")} to ${short(Number(high), "bytes")}` : ""));
/* In a line: what stands in brackets behind a finding, such as the words of an erratum, is told once the check is open. */
const reason = c => human((c.errors[0] || c.findings[0] || c.notes[c.notes.length - 1] || "").replace(/ \[(expected by erratum [^:\]]+)[^\]]*\]/g, " [$1]"));
const seconds = c => Math.max(0, (Date.parse(c.end) - Date.parse(c.begin)) / 1000) || 0;
const pill = s => el("span", { class: `pill ${s}` }, s);
