/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Charts as SVG: curves and bars of any check, each with its values in words and as a table. */

const W = 460, H = 230, L = 58, R = 24, T = 12, B = 40;
/* What a chart can show: a stream has texts ("inf") for figures that are no numbers, and axes end before a double does. */
const drawable = v => typeof v === "number" && Math.abs(v) < 1e300;
/* The least and the greatest of values and 0. */
const range = values => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [0, 0]);
/* Marks of an axis over a range: multiples of a power of two for bytes, else of 1, 2 or 5 times a power of ten. */
function marks([low, high], unit) {
  const bytes = unit === "bytes", span = Math.max(high - low, bytes ? 4 : 1e-300), ten = 10 ** Math.floor(Math.log10(span / 4));
  const step = bytes ? 2 ** Math.ceil(Math.log2(span / 5)) : span > 1e-300 ? [1, 2, 5, 10].map(f => f * ten).find(v => span / v <= 5) : 1;
  const first = Math.floor(low / step + 1e-9), last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}
function axes(xs, ys, xUnit, yUnit, xName, right = W - R) {
  const up = marks(ys, yUnit), [bottom, top] = range(up), along = xName === null ? [] : marks(xs, xUnit), [start, end] = range(along), g = svg("g");
  const x = v => L + (right - L) * (v - start) / (end - start), y = v => H - B - (H - T - B) * (v - bottom) / (top - bottom);
  for (const v of up)
    g.append(svg("line", { class: v === 0 && bottom < 0 ? "axis zero" : "axis", x1: L, x2: right, y1: y(v), y2: y(v) }), svg("text", { x: L - 6, y: y(v) + 4, "text-anchor": "end" }, short(v, yUnit)));
  for (const v of along) g.append(svg("text", { x: x(v), y: H - B + 18, "text-anchor": "middle" }, short(v, xUnit)));
  if (xName) g.append(svg("text", { x: (L + right) / 2, y: H - 6, "text-anchor": "middle" }, xName));
  return { x, y, g, top, bottom };
}
const colour = i => COLOURS[i % COLOURS.length];
const picture = (title, values) => svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${title}: ${values}` });
const unit = u => u === "bytes" || !u ? "" : ` (${u})`;

/* Curves that run over each other for a part of their way take turns, so that each can be seen: of how many of a heap each curve
 * is which. lists: of each its points on the picture. */
const DASH = 10, NEAR = 3;
function together(lists) {
  const ys = lists.map(list => new Map(list)), heap = lists.map((_, i) => i);
  const near = (i, k, x) => ys[i].has(x) && Math.abs(ys[i].get(x) - ys[k].get(x)) < NEAR;
  lists.forEach((list, k) => {
    for (let i = 0; i < k; i++)
      if (heap[i] !== heap[k] && list.some(([x], n) => near(i, k, x) && n > 0 && near(i, k, list[n - 1][0]))) {
        const other = heap[i];
        heap.forEach((h, n) => { if (h === other) heap[n] = heap[k]; });
      }
  });
  return heap.map((h, i) => ({ of: heap.filter(o => o === h).length, at: heap.slice(0, i).filter(o => o === h).length }));
}
function curves(title, list, expected) {
  const every = [...list, ...expected], shown = q => q.points.filter(p => p.every(drawable)), points = every.flatMap(shown);
  const { name, xName, xUnit, unit: u } = list[0], same = !expected.length && ["working set", "bytes read"].includes(xName) && xUnit === "bytes" && u === "bytes";
  const xs = points.map(p => p[0]), top = range(xs)[1], a = axes(range(xs), range([...points.map(p => p[1]), same ? top : 0]), xUnit, u, (xName || "sample") + unit(xUnit));
  const s = picture(title, list.map(q => `${q.place || name}: ${q.points.map(p => `${number(p[0])} ${number(p[1])}`).join(", ")}`).join("; "));
  const line = (q, props) => svg("polyline", { ...props, points: shown(q).map(p => `${a.x(p[0])},${a.y(p[1])}`).join(" ") });
  s.append(a.g);
  if (same) s.append(svg("line", { class: "expected", x1: a.x(0), y1: a.y(0), x2: a.x(top), y2: a.y(top) }));
  for (const e of expected) s.append(line(e, { class: "expected" }));
  const as = together(list.map(q => shown(q).map(p => [a.x(p[0]), a.y(p[1])])));
  list.forEach((q, i) => {
    const { of, at } = as[i], after = Math.min(of - 1 - at, 3), dash = of > 1 ? { "stroke-dasharray": `${DASH} ${DASH * (of - 1)}`, "stroke-dashoffset": -DASH * at } : {};
    s.append(line(q, { class: "curve", stroke: colour(i), ...dash }));
    for (const p of shown(q)) {
      const dot = svg("circle", { cx: a.x(p[0]), cy: a.y(p[1]), r: 3 + 1.5 * after, fill: after ? "none" : colour(i), stroke: colour(i),
        "data-x": p[0], "data-y": p[1] });
      dot.append(svg("title", {}, `${q.place} ${number(p[0])} ${q.xUnit}: ${number(p[1])} ${q.unit}`));
      s.append(dot);
    }
  });
  return figure(title + unit(u), s, list.map((q, i) => [colour(i), q.place || name]),
    same ? "dashed: bytes measured = bytes accessed" : expected.length ? "dashed: expected" : "",
    [xName || "sample", ...list.map(q => q.place || name), ...expected.map(q => `expected${q.place ? ", " + q.place : ""}`)],
    [...new Set(every.flatMap(q => q.points.map(p => p[0])))].sort((p, q) => p - q).map(x => [x, ...every.map(q => (q.points.find(p => p[0] === x) || [0, ""])[1])]));
}
/* Bars side by side in groups: groups [{ label, tick, bars: [{ value, low, high, out, label }] }], names of the bars. */
function grouped(title, u, groups, names, note) {
  const all = groups.flatMap(g => g.bars.filter(Boolean)), values = all.map(m => m.value);
  // As high as the bands, unless they dwarf the bars; where a bar falls short of its band, so that the band shows.
  const most = Math.max(range(values)[1], 1e-9), tops = all.map(m => m.out && m.low > m.value ? Math.min(1.25 * m.low, typeof m.high === "number" ? m.high : Infinity) : m.high)
    .filter((v, i) => drawable(v) && (all[i].out || v < 2 * most));
  const a = axes(null, range([...values, ...tops]), "", u, null), w = (W - L - R) / groups.length, b = w * .8 / names.length;
  const s = picture(title, groups.map(g => `${g.label}: ${g.bars.map((m, i) => m ? `${names.length > 1 ? names[i] + " " : ""}${number(m.value)}` : "").filter(Boolean).join(", ")}`).join("; "));
  const banded = m => typeof m.low === "number" && typeof m.high === "number" && m.low < a.top && m.high > a.bottom;
  const every = Math.ceil((range(groups.map(g => String(g.tick).length))[1] * 9 + 8) / w); // so that ticks do not touch
  s.append(a.g);
  groups.forEach((g, i) => {
    g.bars.forEach((m, k) => {
      if (!m) return;
      const x = L + i * w + w * .1 + k * b;
      if (banded(m))
        s.append(svg("rect", { class: "bandbox", x, y: a.y(Math.min(m.high, a.top)), width: b, height: Math.max(1, a.y(Math.max(a.bottom, m.low)) - a.y(Math.min(m.high, a.top))) }));
      const bar = svg("rect", { x: x + b * .1, y: a.y(Math.max(m.value, 0)), width: b * .8, height: a.y(Math.min(m.value, 0)) - a.y(Math.max(m.value, 0)),
        fill: m.out ? "var(--fail)" : colour(k), "data-value": m.value });
      bar.append(svg("title", {}, `${m.label || g.label}${names.length > 1 ? ", " + names[k] : ""}: ${number(m.value)} ${u}${m.low !== undefined && bounds(m) ? ` (${bounds(m)})` : ""}`));
      s.append(bar);
    });
    if (i % every === 0) s.append(svg("text", { x: L + (i + .5) * w, y: H - B + 18, "text-anchor": "middle" }, g.tick));
  });
  if (note && note.axis) s.append(svg("text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, note.axis));
  const band = all.some(banded);
  return figure(title + unit(u), s, names.length > 1 ? names.map((n, i) => [colour(i), n]) : [],
    [note && note.text, band ? "shaded: the allowed band" : "", all.some(m => m.out) ? "red: out of bounds" : ""].filter(Boolean).join("; "),
    ["where", ...names], groups.map(g => [g.label, ...g.bars.map(m => m ? m.value : "")]));
}
const bars = (title, list) => grouped(title, list[0].unit, list.map(m => ({ label: m.label, tick: m.tick, bars: [m] })), ["value"],
  list.every(m => m.counts === list[0].counts) ? { axis: list[0].counts } : undefined);

/* The picture, its title, legend, and its values as a table. */
function figure(title, s, legend, note, heads, rows) {
  const f = el("figure", {}, s, el("figcaption", {}, title, note ? ` (${note})` : ""));
  if (legend.length > 1) f.append(el("ul", { class: "legend" }, ...legend.map(([c, t]) => el("li", {}, el("i", { style: `background:${c}` }), t))));
  if (heads)
    f.append(folded({}, el("summary", {}, "Values"), () => table(heads, rows.map(r => el("tr", {},
      ...r.map(v => el("td", { class: typeof v === "number" ? "num" : "" }, typeof v === "number" ? number(v) : v)))))));
  return f;
}
const COUNTED = { domain: "L3 domain", rmid: "RMID", clos: "CLOS" };
/* -count: what all boxes of a place counted together. */
const isSum = q => q.at.all !== undefined;
const COUNTABLE = ["package", "die", "box", "channel", "counter", "domain", "node", "cpu", "rmid", "clos", "home"];
/* The numbers of a place: [["package", 0], ["CHA", 3]] */
const numbersOf = at => COUNTABLE.filter(k => typeof at[k] === "number").map(k => [k === "box" ? at.unit || k : COUNTED[k] || k, at[k]]);
/* Measurements of one name at many places: slices, channels, threads, RMIDs side by side. */
function groups(c) {
  const by = new Map();
  for (const m of c.measurements) {
    if (!drawable(m.value) || isSum(m)) continue;
    const key = `${m.name}|${m.unit}`;
    by.set(key, [...(by.get(key) || []), m]);
  }
  return [...by.values()].filter(g => g.length >= 4 && g.some(m => m.value !== 0)).map(g => g.map((m, i) => {
    const last = numbersOf(m.at).slice(-2);
    return { ...m, label: `${m.name}${m.place ? ", " + m.place : ""}`, tick: last.length ? last.map(([, n]) => n).join(".") : `${i}`, counts: last.map(([k]) => k).join(" . ") };
  }));
}
/* Curves of one name at several places share a picture, eight at most, with what is expected at these. */
function curvesOf(c) {
  const by = new Map(), expected = c.series.filter(q => q.expected), out = [];
  const sums = new Set(c.series.filter(isSum).map(q => q.name)); // these are drawn, and not each of their boxes
  for (const s of c.series.filter(q => !q.expected && q.points.length > 1 && (!sums.has(q.name) || isSum(q)))) by.set(s.name, [...(by.get(s.name) || []), s]);
  for (const [name, list] of by) {
    const known = list.map((s, i) => ({ ...s, place: s.place || (list.length > 1 ? `series ${i + 1}` : name) }));
    const wanted = expected.filter(e => e.points.length > 1 && e.xName === list[0].xName && e.unit === list[0].unit);
    for (let i = 0; i < known.length; i += 8) {
      const some = known.slice(i, i + 8);
      out.push(curves(name, some, wanted.filter(e => !Object.keys(e.at).length || some.some(q => identity(q) === identity(e)))));
    }
  }
  return out;
}
const barsOf = c => c ? groups(c).map(g => bars(g[0].name, g)) : [];
const chartsOf = c => [...curvesOf(c), ...barsOf(c)];
