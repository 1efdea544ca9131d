/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Verdict, the machine, its memory modules, and the map of its processors. */

function head(r) {
  const dut = r.start.dutInfo || {}, info = {}, counts = {};
  for (const p of dut.platformInfos || []) { const [key, ...value] = (p.info || "").split(": "); info[key] = value.join(": "); }
  const serial = info["system-serial-number"] || info["baseboard-serial-number"] || "";
  const hw = part => (dut.hardwareInfos || []).filter(h => h.partType === part);
  const sw = id => (dut.softwareInfos || []).filter(s => (s.softwareInfoId || "").startsWith(id));
  for (const s of STATUSES) counts[s] = count(r, s);
  const [first, ...others] = r.causes.map(headline);
  document.title = `${called(r)}: ${first ? first + ": " : ""}${dut.name || "machine"} ${serial} - Assay`;
  $("machine").textContent = `Assay on ${dut.name || "an unnamed machine"}${serial ? ", serial " + serial : ""}`;
  document.body.classList.toggle("unjudged", called(r) === "NOTHING");
  $("verdict").append(el("strong", { class: r.result }, called(r)),
    el("span", {}, STATUSES.filter(s => counts[s]).map(s => `${counts[s]} ${s}`).join(", ")),
    el("span", {}, `${r.begin.slice(0, 19).replace("T", " ")} UTC, ${Math.round(seconds({ begin: r.begin, end: r.end }))} s`));
  if (first) {
    $("cause").append(el("strong", {}, first), others.length ? ` and ${others.length} more` : "");
    $("cause").classList.remove("hidden");
  }
  if (info["virtual silicon"]) {
    $("virtual").textContent = `Ran on virtual silicon, not on hardware: ${info["virtual silicon"]}`;
    $("virtual").classList.remove("hidden");
  }
  const meta = dut.metadata || {}, rdt = meta.rdt || {}, cpus = hw("CPU");
  const boxes = ((check(r, "pmon.boxes") || {}).measurements || []).find(m => m.name === "uncore boxes listed");
  const facts = [
    ["Firmware", sw("bios").map(s => `${s.name} ${s.version || ""} ${s.revision || ""}`).join("; ")],
    ["Microcode", [...new Set(sw("microcode").map(s => s.version))].join(", ")],
    ["Processors", cpus.length ? `${cpus.length} × ${[cpus[0].name, meta.generation, cpus[0].version].filter(Boolean).join(", ")}` : ""],
    ["Threads", String((dut.processors || []).length || hw("logical processor").length)],
    ["TSC", meta.tscHz ? `${number(meta.tscHz / 1e6)} MHz${meta.tscSource ? ` (${meta.tscSource})` : ""}, ${meta.tscInvariant ? "" : "not "}invariant` : ""],
    ["L3", hw("L3 cache").map(h => human(h.name || "")).join("; ")], ["Memory", hw("NUMA node").map(h => human(h.name || "")).join("; ")],
    ["Monitoring", rdt.monitoring ? [rdt.occupancy && "occupancy", rdt.totalBandwidth && "total bandwidth", rdt.localBandwidth && "local bandwidth"].filter(Boolean).join(", ") +
      `; RMID 0 to ${rdt.maxRmid}, upscaling factor ${number(rdt.upscalingFactorBytes || 0)} bytes, ${rdt.counterWidthBits}-bit counters` : meta.rdt ? "none" : ""],
    ["Allocation", rdt.l3CbmBits ? `L3 CAT: CBM of ${rdt.l3CbmBits} bits, ${rdt.l3Clos} CLOS${rdt.l3Cdp ? ", CDP" : ""}` : meta.rdt ? "none for the L3" : ""],
    ["Uncore", boxes ? `${number(boxes.value)} PMON boxes` : ""],
    ["Bands", !meta.bands ? "" : meta.bands.calibrated ? `${meta.bands.file}: ${meta.bands.figures} figures of ${meta.bands.machines} machines, SHA-256 ${meta.bands.sha256}` :
      "none for this machine (uncalibrated): limits learned from reference machines only WARN (docs/first-machine.md)"],
    ["Baseboard", [info["baseboard-manufacturer"], info["baseboard-product-name"], info["baseboard-serial-number"]].filter(Boolean).join(" ")],
    ["Assay", sw("assay").map(s => `${s.version} (${s.revision || ""})`).join("") + `, ${(r.start.parameters || {}).mpMethod || ""}`],
    ["Options", r.start.commandLine || inEffect(r.start.parameters || {})],
  ];
  for (const [k, v] of facts) if (v) $("facts").append(el("dt", {}, k), el("dd", {}, v));
  modules(hw("DIMM"), meta);
  $("foot").textContent = `build ${(r.start.parameters || {}).buildId || "?"}`;
}

/* The table of memory modules, as SMBIOS has them. */
function modules(dimms, meta) {
  if (!dimms.length) return;
  const n = meta.dimms || dimms.length;
  const slots = meta.dimmSlots > dimms.length ? ` in ${number(meta.dimmSlots)} slots` : "";
  $("facts").append(el("dt", {}, "Modules"), el("dd", {}, folded({ class: "modules" }, el("summary", {}, human(`${number(n)} ${n === 1 ? "DIMM" : "DIMMs"}${slots}, ${meta.dimmBytes || 0} bytes`)),
    () => table(["slot", "module", "manufacturer", "part", "serial number"], dimms.map(d =>
      el("tr", {}, ...[d.location, human(d.name || ""), d.manufacturer, d.partNumber, d.serialNumber].map(v => el("td", {}, v || ""))))))));
}

/* Without a command line: every option that is in effect, under the stream's own words; the rest of the parameters is about
 * the build and the run. */
function inEffect(parameters) {
  const { commit, buildId, builtFor, mpMethod, ...options } = parameters;
  const words = Object.entries(options).flatMap(([k, v]) => [v].flat().filter(Boolean).map(w => w === true ? k : `${k} ${w}`));
  return words.length ? `no command line; in effect: ${words.join(", ")}` : "none";
}

/* The RMIDs under which a check measured each processor, in this order: measurements whose place has both. Checks of every
 * thread measure all of them, under several RMIDs each, so that every bit of an RMID is set once and clear once; where those
 * did not run, the check that names most processors. Of several rounds the last. An RMID with several figures is there once. */
function tags(r) {
  const by = new Map();
  for (const c of r.checks) {
    const own = new Map();
    for (const m of c.measurements) {
      const { cpu, rmid } = m.at;
      if (cpu === undefined || rmid === undefined) continue;
      const all = own.get(String(cpu)) || own.set(String(cpu), []).get(String(cpu)), text = `${m.name}, RMID ${rmid}: ${number(m.value)} ${m.unit}`;
      const same = all.find(t => t.rmid === rmid);
      if (same) { same.out ||= m.out; same.text += `; ${text}`; }
      else all.push({ rmid, out: m.out, check: c.id, text });
    }
    if (own.size) by.set(c.id, own);
  }
  return by.get("mbm.every-thread") || by.get("cmt.every-thread") || [...by.values()].sort((a, b) => b.size - a.size)[0] || new Map();
}
/* The processors at fault, each with the causes and checks that say so: those that a cause's locations have, and of checks that
 * no cause explains those that findings are about. */
function atFault(r, cpus) {
  const bad = new Map(), explained = new Set(r.causes.flatMap(c => c.explains || []));
  const add = (n, who) => bad.set(n, [...(bad.get(n) || []), who]);
  const addAll = (at, who) => {
    if (at.cpu !== undefined) add(String(at.cpu), who);
    else if (at.package !== undefined && at.unit === undefined)
      for (const h of cpus) if (h.package === at.package) add(h.cpu, who);
  };
  for (const { locations, cause } of r.causes) for (const l of [locations || []].flat()) addAll(located(String(l)), cause);
  for (const c of r.checks.filter(c => !explained.has(c.id)))
    for (const { at } of c.found) if (at.cpu !== undefined) add(String(at.cpu), c.id);
  return bad;
}
/* Each processor a cell with its RMIDs; processors at fault are marked, and RMIDs whose figure is out of bounds. */
function map(r) {
  const packages = new Map(), rmids = tags(r), { hardwareInfos: hw = [], processors: all = [] } = r.start.dutInfo || {}, bad = atFault(r, all);
  for (const h of all) {
    if (!Number.isInteger(h.package)) continue;
    const p = packages.get(h.package) || packages.set(h.package, new Map()).get(h.package);
    p.set(h.core, [...(p.get(h.core) || []), h]);
  }
  const many = all.length > 512; // then a package opens when it is asked for
  for (const [p, cores] of packages) {
    const box = el("div", { class: "cores" }), l3 = hw.filter(h => h.partType === "L3 cache" && h.location === `package ${p}`);
    for (const [, cpus] of cores)
      box.append(el("div", { class: "core" }, ...cpus.map(h => {
        const n = h.cpu, found = bad.get(n), own = rmids.get(n) || [];
        return el("span", { class: found ? "cpu bad" : "cpu", title: `cpu ${n}, ${h.apic}, package ${h.package} core ${h.core} thread ${h.thread}` +
          (own.length ? `; ${own[0].check}: ${own.map(t => t.text).join("; ")}` : "") + (found ? `; at fault by ${[...new Set(found)].join(", ")}` : "") },
        el("span", { class: "sr" }, "cpu "), n, ...own.map(t => el("small", { class: t.out ? "out" : "" }, el("span", { class: "sr" }, " RMID"), ` R${t.rmid}`, t.out ? el("span", { class: "sr" }, " out of bounds") : null)));
      })));
    const own = [...cores.values()].flat(), marked = own.filter(h => bad.has(h.cpu)).length;
    $("map").append(el("details", { class: "package", open: !many || marked > 0 }, el("summary", {}, el("strong", {}, `Package ${p}`),
      el("span", { class: "soft" }, ` ${own.length} processors${marked ? `, ${marked} marked` : ""}`)), ...l3.map(h => el("p", { class: "soft mapnote" }, human(h.name || ""))), box));
  }
  const by = [...new Set([...rmids.values()].map(own => own[0].check))].join(", ");
  if (packages.size) $("map").after(el("p", { class: "soft mapnote" }, "One cell per logical processor; boxes are cores." +
    (by ? ` R: RMIDs under which ${by} measured each.` : "") + (bad.size ? " Marked: at fault, by a cause or by a finding about it." : "")));
}
