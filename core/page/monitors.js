/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What several monitors say, side by side: charts that one check alone could not draw. */

const check = (r, id) => r.checks.filter(c => c.id === id && c.measurements.length).pop();

/* traffic.closure: each load's bytes as each monitor counted them. */
function closure(r) {
  const c = check(r, "traffic.closure"), by = new Map(), names = [];
  if (!c) return;
  for (const m of c.measurements.filter(x => x.unit === "bytes" && drawable(x.value))) {
    if (!names.includes(m.name)) names.push(m.name);
    by.set(identity(m), { ...(by.get(identity(m)) || {}), first: m, [m.name]: m });
  }
  const list = [...by.values()].map(({ first: { at, place }, ...row }) => ({ label: place, tick: [at.package, at.home].filter(n => n !== undefined).join(" ← ") || place,
    bars: names.map(n => row[n] || null) }));
  return [c, grouped("One load, and what each monitor counted", "bytes", list, names, { axis: "reading package ← package of the memory, where another" })];
}
/* Bytes that package a read of the memory of package b, as the home's memory channels counted: [a][b]. */
function pairs(r) {
  const cells = new Map(), put = (a, b, m, of) => drawable(m.value) && cells.set(`${a},${b}`, { a: +a, b: +b, value: m.value, of, out: m.out });
  const c = check(r, "traffic.closure"), remote = check(r, "traffic.remote"), local = check(r, "traffic.channels");
  const loads = new Map((c ? c.measurements : []).filter(m => m.name === "the load").map(m => [identity(m), m.value]));
  const witness = c && ["memory channels, CAS reads", "memory channels, reads and writes", "MBM total", "slices of the L3, misses"].find(n => c.measurements.some(m => m.name === n));
  if (witness) for (const m of c.measurements.filter(x => x.name === witness)) {
    if (m.at.package !== undefined) put(m.at.package, m.at.home ?? m.at.package, m, loads.get(identity(m)));
  }
  if (cells.size) return [c, cells, witness];
  for (const m of remote ? remote.measurements : []) {
    if (m.at.home !== undefined && m.name === "bytes read by the home's memory channels") put(m.at.package, m.at.home, m);
  }
  for (const m of local ? local.measurements : []) {
    if (m.at.package !== undefined && m.name === "bytes read by CAS") put(m.at.package, m.at.package, m);
  }
  return [remote || local, cells, "memory channels, CAS reads"];
}
/* Packages that read, down, and what they read, across: cells of { a, b, value, out, part: "100.0 %" or "" }. */
function matrix(title, note, across, list) {
  const n = range(list.map(v => v.a))[1] + 1, wide = range(list.map(v => v.b))[1] + 1;
  const size = Math.min(84, (W - 110) / Math.max(wide, n)), width = 116 + size * wide, height = 46 + size * n, top = range(list.map(v => v.value))[1];
  const words = v => `package ${v.a} reads ${across} ${v.b}: ${number(v.value)} bytes${v.part ? `, ${v.part}` : ""}`;
  const s = svg("svg", { class: "matrix", viewBox: `0 16 ${width} ${height - 16}`, style: `max-width: ${width}px`, role: "img", "aria-label": `${title}: ${list.map(words).join("; ")}` });
  for (let i = 0; i < wide; i++)
    s.append(svg("text", { x: 110 + (i + .5) * size, y: 36, "text-anchor": "middle" }, wide > 5 ? i : `${across} ${i}`));
  for (let i = 0; i < n; i++)
    s.append(svg("text", { x: 100, y: 46 + (i + .5) * size + 4, "text-anchor": "end" }, `package ${i} reads`));
  for (const v of list) {
    const x = 110 + v.b * size, y = 46 + v.a * size;
    const cell = svg("rect", { x: x + 1, y: y + 1, width: size - 2, height: size - 2, rx: 4, fill: v.out ? "var(--fail)" : COLOURS[v.a === v.b ? 0 : 1],
      "fill-opacity": (.12 + .3 * Math.max(v.value, 0) / (top || 1)).toFixed(3), stroke: "var(--line)", "data-value": v.value, "data-from": v.a, "data-to": v.b });
    cell.append(svg("title", {}, words(v)));
    s.append(cell);
    if (size <= 44) continue;
    s.append(svg("text", { class: "cell", x: x + size / 2, y: y + size / 2 + (v.part ? -2 : 4), "text-anchor": "middle" }, short(v.value, "bytes")));
    if (v.part) s.append(svg("text", { x: x + size / 2, y: y + size / 2 + 14, "text-anchor": "middle" }, v.part));
  }
  return figure(title, s, [], note, ["from", "to", "bytes", "share"], list.map(v => [`package ${v.a}`, `${across} ${v.b}`, v.value, v.part]));
}
const percent = share => drawable(100 * share) ? `${(100 * share).toFixed(1)} %` : "";
function traffic(r) {
  const [c, cells, witness] = pairs(r), list = [...cells.values()].map(v => ({ ...v, part: v.of ? percent(v.value / v.of) : "" }));
  if (!list.some(v => v.a !== v.b)) return;
  return [c, matrix("Traffic between packages", `${witness} of the package whose memory it is; share of the load`, "memory of", list)];
}
/* What MBM says of the same: any check that measured from each package to each node. */
function nodes(r) {
  const out = [], at = m => m.at.package !== undefined && m.at.node !== undefined;
  for (const c of new Map(r.checks.map(q => [q.id, q])).values()) {
    const share = new Map(c.measurements.filter(m => m.name === "MBM local / MBM total" && at(m) && drawable(m.value)).map(m => [identity(m), m]));
    const list = c.measurements.filter(m => m.name === "MBM total" && at(m) && drawable(m.value)).map(m => ({ a: m.at.package, b: m.at.node, value: m.value,
      out: m.out || (share.get(identity(m)) || {}).out, part: share.has(identity(m)) ? `${percent(share.get(identity(m)).value)} local` : "" }));
    if (list.some(v => v.a !== v.b)) out.push([c, matrix("MBM from each package to each node", "MBM total, and how much of it MBM local counts", "node", list)]);
  }
  return out;
}
/* One chart a package of what its slices or channels took; names: of the first, second... measurement at a place. */
function balance(r, id, measurement, title, names) {
  const c = check(r, id), packages = new Map(), out = [];
  for (const m of c ? c.measurements.filter(x => x.name === measurement && drawable(x.value)) : []) {
    const { package: p, unit } = m.at, box = identity(m);
    if (p === undefined || !unit) continue;
    const boxes = packages.get(p) || packages.set(p, new Map()).get(p);
    boxes.set(box, [...(boxes.get(box) || []), m]);
  }
  for (const [p, boxes] of packages) {
    const most = range([...boxes.values()].map(b => b.length))[1], values = [...boxes.values()].flat().map(m => m.value);
    const mean = values.reduce((a, b) => a + b, 0) / values.length, off = range(values.map(v => Math.abs(v - mean)))[1] / (mean || 1);
    out.push([c, grouped(`Package ${p}: ${title}`, [...boxes.values()][0][0].unit,
      [...boxes.values()].map(ms => ({ label: ms[0].place, tick: numbersOf(ms[0].at).slice(1).map(([, n]) => n).join(" ") || ms[0].at.unit, bars: Array.from({ length: most }, (_, i) => ms[i] || null) })),
      Array.from({ length: most }, (_, i) => most > 1 && names[i] ? names[i] : `pass ${i + 1}`),
      { axis: [...boxes.values()][0][0].at.unit, text: `furthest from the mean: ${(100 * off).toFixed(1)} %` })]);
  }
  return out;
}
/* From writing IA32_QM_EVTSEL to having read IA32_QM_CTR on one processor, in TSC ticks. */
function latencies(r) {
  const out = [];
  for (const c of r.checks) {
    let selected = null;
    for (const e of c.evidence) {
      const tsc = /^(0x[\da-f]+|\d+)$/i.test(e.tsc) ? BigInt(e.tsc) : null;
      if (e.kind === "wrmsr" && e.register === "IA32_QM_EVTSEL" && e.outcome === "ok") selected = tsc === null ? null : { cpu: e.cpu, tsc };
      else if (selected && e.kind === "rdmsr" && e.register === "IA32_QM_CTR" && e.cpu === selected.cpu && tsc !== null) {
        if (tsc > selected.tsc) out.push(Number(tsc - selected.tsc));
        selected = null;
      }
    }
  }
  return out.sort((a, b) => a - b);
}
function latency(r) {
  const { tscHz } = (r.start.dutInfo || {}).metadata || {}, hz = tscHz > 0 ? Number(tscHz) : 0, ticks = latencies(r), u = hz ? "ns" : "ticks";
  if (ticks.length < 8) return;
  const ns = ticks.map(t => hz ? t * 1e9 / hz : t), bins = new Map(), at = q => ns[Math.min(ns.length - 1, Math.floor(q * ns.length))];
  const first = Math.floor(2 * Math.log2(ns[0])), last = Math.floor(2 * Math.log2(ns[ns.length - 1]));
  for (let b = first; b <= last; b++) bins.set(b, 0);
  for (const v of ns) bins.set(Math.floor(2 * Math.log2(v)), bins.get(Math.floor(2 * Math.log2(v))) + 1);
  const f = grouped("Latency of a sample", "", [...bins].map(([b, n]) => ({ label: `${number(Math.round(2 ** (b / 2)))} to ${number(Math.round(2 ** ((b + 1) / 2)))} ${u}`,
    tick: short(2 ** (b / 2), ""), bars: [{ value: n, low: null, high: null }] })), ["samples"],
  { axis: `${u}, from IA32_QM_EVTSEL written to IA32_QM_CTR read`, text: `${ns.length} samples: median ${number(Math.round(at(.5)))}, 99 % below ${number(Math.round(at(.99)))}, maximum ${number(Math.round(ns[ns.length - 1]))} ${u}` });
  f.dataset.samples = ns.length;
  return [null, f];
}
/* -count with one window: a bar for each box that counted an event or metric; for each package where it has no boxes of its own. */
function counted(c) {
  const by = new Map();
  for (const s of c ? c.series.filter(q => q.points.length === 1 && drawable(q.points[0][1])) : []) by.set(s.name, [...(by.get(s.name) || []), s]);
  return [...by.values()].map(list => {
    const boxes = list.filter(s => !isSum(s)), some = boxes.length ? boxes : list;
    return [c, bars(some[0].name, some.map(s => ({ value: s.points[0][1], low: null, high: null, unit: s.unit, label: s.place,
      tick: numbersOf(s.at).slice(0, 2).map(([, n]) => n).join("."), counts: numbersOf(s.at).slice(0, 2).map(([k]) => k).join(" ") })))];
  });
}
/* Every chart with its check: [check, figure]. What puts several monitors side by side comes first. */
function pictures(r) {
  const all = [];
  const last = new Map(r.checks.map(c => [c.id, c])); // of several rounds the last
  const of = id => last.has(id) ? curvesOf(last.get(id)).map(f => [last.get(id), f]) : [];
  all.push(...of("cmt.linearity"), ...of("mbm.gain"), closure(r), traffic(r), ...nodes(r), ...balance(r, "traffic.slices", "look-ups of the slice", "look-ups of each slice", ["reads"]),
    ...balance(r, "traffic.channels", "bytes of the channel", "bytes of each memory channel", ["read", "written"]), latency(r), ...counted(check(r, "count")));
  for (const c of last.values()) if (c.id !== "cmt.linearity" && c.id !== "mbm.gain") for (const f of curvesOf(c)) all.push([c, f]);
  return all.filter(Boolean);
}
const PAPER = 6; // charts that are printed
function charts(all) {
  for (const [c, f] of all)
    $("charts").append(el("div", { class: "card" }, c ? el("h3", {}, el("a", { href: `#${anchor(c)}` }, c.id + (c.round > 1 ? `, round ${c.round}` : ""))) : el("h3", {}, "all checks with samples"), f));
  if (all.length > PAPER) $("charts").after(el("p", { class: "paper" }, `${all.length - PAPER} further charts are on the screen.`));
  if (!all.length) $("charts").append(el("p", { class: "none" }, "No check recorded a curve or a distribution."));
}
