/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The table of checks with its filter; each opens to everything that was recorded. */

/* Of a long table so many rows are printed, those out of bounds before others. */
const PRINTED = 8;
function table(heads, rows, kind = "") {
  const out = rows.filter(row => row.className === "out"), kept = new Set([...out, ...rows].slice(0, PRINTED));
  for (const row of rows) if (!kept.has(row)) row.classList.add("paperless");
  return el("div", { class: `scroll ${rows.length > PRINTED ? "long" : ""} ${kind}`, tabIndex: 0, role: "group", "aria-label": heads.join(", ") }, el("table", {}, el("thead", {}, el("tr", {}, ...heads.map(h => el("th", { scope: "col" }, h)))),
    el("tbody", {}, ...rows)));
}
/* What no document says of a part: the figures of pqr.cost and qm.behaviour, and how many processors break a rule of registers. */
const RECORDED = ["pqr.cost", "qm.behaviour"];
function behaviour(r) {
  const facts = r.checks.flatMap(c => c.measurements.filter(m => RECORDED.includes(c.id) || m.name === "processors that break the rule").map(m =>
    el("tr", {}, el("td", {}, RECORDED.includes(c.id) ? m.name : `${c.id}: ${m.name}`), el("td", { class: "num" }, number(m.value)), el("td", {}, m.unit))));
  if (!facts.length) return;
  $("checks-title").closest("section").before(el("section", { "aria-labelledby": "behaviour-title" },
    el("h2", { id: "behaviour-title" }, "How this part behaves"), el("div", { class: "card" }, table(["what", "value", "unit"], facts))));
}
/* `cmt.alias` is a check's id. */
const words = text => String(text).split("`").map((part, i) => i % 2 ? el("code", {}, part) : part);
function detail(c) {
  const d = el("div", { class: "body" }), a = c.advice;
  if (c.errors.length || c.findings.length) d.append(el("h3", {}, "Findings"), el("ul", { class: "findings" }, ...[...c.errors, ...c.findings.map((f, i) => [f, ...caveats(c.found[i])].join("; "))].map(f => el("li", {}, f))));
  if (a) d.append(el("p", {}, `A ${c.status} means: `, ...words(a.means), "."), el("p", {}, el("strong", {}, "Look next at: "), ...words(a.next), "."));
  const columns = c.notes.some(n => / {3}/.test(n)); // a table, as report.txt has it
  if (c.notes.length) d.append(el("h3", {}, "Notes"), columns ? el("pre", { tabIndex: 0 }, c.notes.join("\n")) : el("ul", {}, ...c.notes.map(n => el("li", {}, n))));
  d.append(el("p", {}, "Specification: ", c.specification || "none given", c.rows ? ` · rows ${c.rows}` : "", c.grade ? ` · graded ${c.grade}` : ""));
  if (c.detects && c.detects !== a?.means) d.append(el("p", {}, "Detects: ", c.detects));
  const disturbed = Object.entries({ smis: "SMIs", hotProcessors: "processors throttled by temperature", powerLimitedProcessors: "processors held by a power limit" })
    .filter(([k]) => (c.disturbance || {})[k]).map(([k, words]) => `${number(c.disturbance[k])} ${words}`);
  if (disturbed.length) d.append(el("p", {}, `During the check: ${disturbed.join(", ")}.`));
  d.append(...chartsOf(c));
  if (c.spread.length) d.append(el("h3", {}, "Spread over rounds"), table(["check", "what", "least", "mean", "greatest", "deviation", "unit", "where", "rounds"], c.spread.map(s =>
    el("tr", {}, el("td", {}, s.check), el("td", {}, s.name), ...["min", "mean", "max", "deviation"].map(k => el("td", { class: "num" }, number(s[k]))),
      el("td", {}, s.unit), el("td", {}, s.where), el("td", { class: "num" }, number(s.rounds))))));
  if (c.measurements.length)
    d.append(el("h3", {}, "Measurements"), table(["what", "value", "unit", "bounds", "where"], c.measurements.map(m =>
      el("tr", { class: m.out ? "out" : "" }, el("td", {}, m.name), el("td", { class: "num" }, number(m.value)), el("td", {}, m.unit),
        el("td", {}, bounds(m)), el("td", {}, m.place)))));
  if (c.evidence.length)
    d.append(el("h3", {}, "Evidence"), el("p", { class: "paper" }, `${number(c.evidence.length)} registers as they were read: on the screen and in report.jsonl.`), table(["what", "processor", "register", "value"], c.evidence.map(e =>
      el("tr", {}, el("td", {}, e.kind || ""), el("td", {}, e.cpu === undefined ? "" : `cpu ${e.cpu} (APIC ${e.apicId || "?"})`),
        el("td", { class: "mono" }, `${e.register || ""} ${e.address || ""}`), el("td", { class: "mono" }, String(e.value === undefined ? "" : e.value)))), "evidence"));
  return d;
}
function list(r) {
  const order = [...r.checks].sort((a, b) => Math.min(STATUSES.indexOf(a.status), 2.5) - Math.min(STATUSES.indexOf(b.status), 2.5));
  for (const c of order) {
    const item = folded({ id: anchor(c) }, el("summary", {}, pill(judged(c)), el("span", { class: "mono" }, c.id),
      el("span", { class: "title" }, c.title, c.round > 1 && !OWN.includes(c.id) ? el("span", { class: "soft" }, ` (round ${c.round})`) : null,
        el("span", { class: "soft" }, limit(c))),
      el("span", { class: "time" }, `${seconds(c).toFixed(2)} s`)), () => detail(c));
    if (c.explained) item.classList.add("explained");
    c.item = item;
    c.haystack = [c.id, c.title, c.rows, c.specification, ...c.findings, ...c.errors, ...c.notes].join(" ").toLowerCase();
    $("checks").append(item);
  }
  $("checks").append(el("p", { class: "none hidden", id: "none" }, "No check matches."));
}
function filter(r) {
  for (const s of STATUSES)
    $("boxes").append(el("label", {}, el("input", { type: "checkbox", checked: true, value: s, name: "status" }), pill(s)));
  const apply = () => {
    const words = $("text").value.toLowerCase().split(/\s+/), on = new Set([...$("boxes").querySelectorAll("input:checked")].map(b => b.value));
    let n = 0;
    for (const c of r.checks) {
      const shown = on.has(c.status) && words.every(w => c.haystack.includes(w));
      c.item.classList.toggle("hidden", !shown);
      n += shown;
    }
    $("shown").textContent = `${n} of ${r.checks.length}`;
    $("none").classList.toggle("hidden", n !== 0);
  };
  $("filter").addEventListener("input", apply);
  $("filter").addEventListener("submit", e => e.preventDefault());
  apply();
}
function openTarget() {
  const t = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (t && t.tagName === "DETAILS") { if (t.unfold) t.unfold(); t.open = true; t.classList.remove("hidden"); t.scrollIntoView(); t.firstChild.focus(); }
}
