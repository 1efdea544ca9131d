/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Why: the verdict by monitor, then causes, each with the chart that shows it and what follows from it folded beneath; then what no cause explains. */

/* Which monitor, which part, how much. */
const headline = cause => [cause.monitor, cause.part, cause.amount].filter(Boolean).join(", ") || cause.says || "";
/* The checks that a cause explains, the one that shows it best first. */
const shownBy = cause => [cause.check, ...[cause.explains || []].flat()].filter((id, i, all) => id && all.indexOf(id) === i);

/* The chart that shows what is wrong with one of these checks: the first one's, else of the others one with a figure out of
 * bounds, else a curve, else none. pictures: [check, figure] of the page's charts. */
function chartFor(r, [id, ...others], pictures) {
  const of = ids => ids.flatMap(i => [...pictures.filter(([c]) => c && c.id === i).map(([, f]) => f), ...barsOf(check(r, i))]);
  const best = list => list.find(f => f.querySelector('[fill="var(--fail)"]')) || list.find(f => f.querySelector(".curve"));
  const copy = (best(of([id])) || best(of(others)))?.cloneNode(true);
  copy?.querySelector("details")?.remove();
  return copy;
}
const STATES = { GOOD: "PASS", UNCALIBRATED: "WARN", "NOT JUDGED": "SKIP", ABSENT: "SKIP" }; // others are statuses
function reasons(r, pictures) {
  for (const m of r.monitors.filter(x => typeof x.line === "string")) {
    const status = STATES[m.state] || (STATUSES.includes(m.state) ? m.state : "SKIP"), says = `: ${m.says}`;
    const names = m.line.endsWith(says) ? m.line.slice(0, -says.length) : m.line; // of all that say the same
    $("monitors").append(el("li", {}, pill(status, m.state === "GOOD" ? "GOOD" : status === "SKIP" ? "-" : status),
      el("p", {}, el("strong", {}, names), m.line.slice(names.length),
        typeof m.repeat === "string" ? el("span", { class: "soft" }, ". Under Linux: ", el("code", {}, m.repeat)) : "")));
    $("monitors").classList.remove("hidden");
  }
  const bad = r.checks.filter(c => ["FAIL", "ERROR", "WARN"].includes(c.status))
    .sort((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status));
  for (const e of r.errors) $("reasons").append(el("li", {}, pill("ERROR"), el("p", {}, e)));
  const { ranOn } = (r.start.dutInfo || {}).metadata || {}; // the head has it
  for (const l of r.logs.filter(x => x.severity !== "INFO" && x.message !== ranOn)) $("reasons").append(el("li", {}, pill("WARN"), el("p", {}, l.message)));
  const line = c => el("li", {}, pill(c.status), el("p", {}, el("a", { href: `#${anchor(c)}` }, c.title || c.id), c.round > 1 ? ` (round ${c.round})` : "", ": ", reason(c)));
  const seen = new Set();
  for (const cause of r.causes) {
    const follow = bad.filter(c => !seen.has(c) && [].concat(cause.explains || []).includes(c.id));
    for (const c of follow) { seen.add(c); c.explained = c.id !== cause.check; }
    const failed = follow.find(c => c.status === "FAIL");
    $("reasons").append(el("li", { class: "cause" }, pill(failed ? "FAIL" : "WARN"), el("div", { class: "words" },
      el("p", {}, el("strong", {}, headline(cause)), `: ${cause.says} (${cause.sure}).`),
      cause.finding ? el("p", { class: "soft" }, `${cause.check}: ${cause.finding}`) : "",
      failed && !bad.some(c => c.id === cause.check && c.status === "FAIL") ? el("p", { class: "soft" }, `${failed.id}: ${reason(failed)}`) : "", // what makes it a FAIL
      cause.next ? el("p", {}, "Look next at: ", ...words(cause.next), ".") : "",
      typeof cause.repeat === "string" ? el("p", { class: "soft" }, "Under Linux: ", el("code", {}, cause.repeat)) : "",
      el("details", {}, el("summary", {}, `${follow.length} ${follow.length === 1 ? "check" : "checks"} explained by it`), el("ul", { class: "reasons" }, ...follow.map(line)))),
    chartFor(r, shownBy(cause), pictures)));
  }
  const alone = bad.filter(c => !seen.has(c));
  for (const c of alone) $("reasons").append(line(c));
  if (!r.causes.length && alone.length) { // the first that can be shown
    const f = chartFor(r, alone.map(c => c.id), pictures);
    if (f) $("reasons").append(el("li", { class: "cause" }, f));
  }
  const skipped = r.checks.filter(c => c.status === "SKIP").length;
  if (!$("reasons").children.length)
    $("reasons").append(el("li", {}, pill(r.result, called(r)), el("p", {}, r.result === "PASS" ? "Every check that ran passed." + (skipped ? ` ${skipped} ${skipped > 1 ? "were" : "was"} skipped, each with its reason.` : "")
      : r.result === "DONE" ? "Nothing was judged: what was asked for is below."
      : r.result === "SKIP" && r.stopped ? "Stopped on request: not every check was run. What was run has no finding." : "No monitor was judged: every check of one was skipped, or met a hypervisor that answers for the hardware. Each says why.")));
}
