/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Elements of the page, and words for what stands in the stream. */
const COLOURS = ["#2f7fd1", "#d1682f", "#3fa35b", "#a05fc4", "#c2a02e", "#3aa6a6", "#c44f7b", "#7d7d7d",
  "#8fbdf0", "#f0ae8c", "#98d6a8", "#d3b1e8", "#e5d189", "#93d8d8", "#eda7c0", "#bdbdbd"];
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

/* --- words --------------------------------------------------------------------------------------------------------- */

function number(v) {
  if (typeof v !== "number") return String(v);
  const whole = (Number.isInteger(v) || Math.abs(v) >= 1e5) && Math.abs(v) < 1e21; // six digits are enough, but a figure in the findings is not cut short
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
const human = text => text.replace(/\b(?:(\d{5,}) (to|of) )?(\d{5,}) bytes/g, (_, first, between, n) =>
  (first ? `${short(Number(first), "bytes")} ${between} ` : "") + short(Number(n), "bytes"));
/* What qualifies a finding, a sentence each; of an erratum in a line the number alone. */
const erratum = e => `expected by ${e.number ? `erratum ${e.number}` : "a known defect"}`;
const caveats = (f, brief) => [...(f.limit ? [`WARN, not FAIL: ${f.limit}`] : []), ...f.errata.map(e => brief ? erratum(e) : `${erratum(e)}: ${e.defect} (${e.document})`)];
const reason = c => human([why(c) || c.notes[c.notes.length - 1] || "", ...(c.found.length && why(c) === c.findings[0] ? caveats(c.found[0], true) : []).map(t => `[${t}]`)].join(" "));
/* What the run's verdict is called, as report.txt has it: NOTHING where no monitor was judged, unless the run was stopped. */
const called = r => r.result !== "SKIP" ? r.result : r.stopped ? "STOPPED" : "NOTHING";
/* What the run of a check that passed excludes: the first of its limits, rounded up, as report.txt has it. */
const EXCLUDES = "smallest defect that this run would have found";
function limit(c) {
  const m = c.status === "PASS" && c.measurements.find(m => m.name === EXCLUDES && typeof m.value === "number");
  return m ? `; ${m.place} above ${number(Math.floor(10 * m.value + 0.9999) / 10)} ${m.unit} would have shown` : null;
}
const seconds = c => Math.max(0, (Date.parse(c.end) - Date.parse(c.begin)) / 1000) || 0;
/* -count judges nothing: its step is no PASS. */
const judged = c => (c.cost || {}).verdict === "DONE" ? "DONE" : c.status;
const pill = (s, says = s) => el("span", { class: `pill ${s}` }, says);

/* The stream itself, wherever this page was taken to. */
function raw(stream) {
  $("raw").href = URL.createObjectURL(new Blob([stream], { type: "application/jsonl" }));
  $("raw").after(` (${short(stream.length, "bytes")})`);
}
