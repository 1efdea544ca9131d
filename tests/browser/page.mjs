// SPDX-License-Identifier: BSD-2-Clause-Patent
// tests/browser/page.mjs FOLDER: the pages in FOLDER, in Debian's Chromium: what a reader sees is what the stream says.
// FOLDER/tables: pages of diff and merge. Prints PASS and FAIL lines. Screenshots are left in FOLDER.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const folder = process.argv[2];
const LIMIT = "smallest defect that this run would have found"; // core/check/check.h
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let failed = 0;

function check(good, what, why = "") {
    console.log(good ? `PASS ${what}` : `FAIL ${what}: ${why}`);
    if (!good) failed++;
}
const equal = (a, b, what) => check(JSON.stringify(a) === JSON.stringify(b), what, `${JSON.stringify(a)}, not ${JSON.stringify(b)}`);

function truth(path) {
    const t = { measurements: {}, rows: {}, series: {}, causes: [], points: [], checks: [], verdicts: {}, latencies: [], cpus: 0, result: "" };
    let selected = null, expected = false;
    const names = {}, series = {}, first = {}, rounds = {};
    for (const line of readFileSync(path, "utf8").trim().split("\n")) {
        const o = JSON.parse(line), a = o.testStepArtifact;
        if (o.testRunArtifact?.testRunStart) t.start = o.testRunArtifact.testRunStart;
        if (o.testRunArtifact?.testRunEnd) t.result = o.testRunArtifact.testRunEnd.result;
        if (a?.testStepStart) { names[a.testStepId] = a.testStepStart.name;
            if (a.testStepStart.name !== "diagnosis") t.checks.push(a.testStepStart.name); // it names causes, and is no check
            // Charts show the last round, and a check's own place on the page is that of the first.
            first[a.testStepStart.name] ??= a.testStepId; series[a.testStepStart.name] = []; rounds[a.testStepStart.name] = []; }
        if (a?.measurementSeriesStart) expected = a.measurementSeriesStart.metadata?.expected === true; // a line without points
        if (a?.measurementSeriesElement && !expected) series[names[a.testStepId]].push(a.measurementSeriesElement.value);
        if (a?.measurement) {
            if (first[names[a.testStepId]] === a.testStepId) (t.measurements[names[a.testStepId]] ||= []).push(a.measurement.value);
            rounds[names[a.testStepId]].push([a.measurement.name, a.measurement.subcomponent?.name, a.measurement.value, a.measurement.unit]);
        }
        if (o.testRunArtifact?.testRunStart)
            t.cpus = o.testRunArtifact.testRunStart.dutInfo.metadata.processors.apicId.length;
        if (a?.testStepStart) selected = null;
        // Of the first round, whose place on the page is the check's own.
        if (a?.extension?.name === "assay.cost" && first[names[a.testStepId]] === a.testStepId) t.verdicts[names[a.testStepId]] = a.extension.content.verdict;
        if (a?.extension?.name === "assay.diagnosis") t.causes.push(a.extension.content);
        const e = a?.extension?.name === "assay.evidence" ? a.extension.content : null;
        if (e?.kind === "wrmsr" && e.register === "IA32_QM_EVTSEL" && e.outcome === "ok") selected = e.tsc ? e : null;
        else if (e?.kind === "rdmsr" && e.register === "IA32_QM_CTR" && selected?.cpu === e.cpu && e.tsc) {
            if (BigInt(e.tsc) > BigInt(selected.tsc)) t.latencies.push(BigInt(e.tsc) - BigInt(selected.tsc));
            selected = null;
        }
    }
    t.points = Object.values(series).flat();
    t.series = series;
    t.rows = rounds;
    return t;
}

async function open(browser, file, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(200000); /* a busy machine takes more than 30 s */
    page.complaints = [];
    page.on("console", m => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
    page.on("pageerror", e => page.complaints.push(String(e)));
    page.on("request", r => /^(file|blob):/.test(r.url()) || page.complaints.push(`asks the network for ${r.url()}`));
    await page.goto(pathToFileURL(file).href);
    return page;
}

/* A page whose stream lost a bit, a block or its end says so, and shows nothing of it. */
async function damaged(browser, file) {
    const html = readFileSync(file, "utf8"), [packed] = html.match(/(?<=id="stream">\s*)[A-Za-z0-9+/=]+/);
    for (const [what, bytes] of [
        ["a bit", (b => { b[b.length >> 1] ^= 1; return b; })(Buffer.from(packed, "base64"))],
        ["its end", Buffer.from(packed, "base64").subarray(0, -100)],
        ["its header", Buffer.from(packed, "base64").subarray(1)],
    ]) {
        const changed = join(folder, "damaged.htm");
        writeFileSync(changed, html.replace(packed, bytes.toString("base64")));
        const page = await open(browser, changed);
        check(/^The report in this page cannot be unpacked: .*report\.jsonl in the same folder/.test(await page.locator("main").innerText()), `a stream without ${what}: the page says that it cannot be unpacked`);
        await page.context().close();
    }
}

/* The cause in the page's head and first among the reasons, with the chart that shows it. */
async function causes(page, name, t) {
    const text = c => [c.monitor, c.part, c.amount].filter(Boolean).join(", ");
    equal(await page.locator("#cause strong").allInnerTexts(), t.causes.slice(0, 1).map(text), `${name}: the first cause is named in the head`);
    equal(await page.locator("#reasons > .cause strong").allInnerTexts(), t.causes.map(text), `${name}: every cause is among the reasons`);
    const cause = t.causes[0], figures = page.locator("#reasons > .cause figure");
    if (!cause) return;
    const alone = ids => ids.some(id => (t.rows[id] || []).length > 3 || t.series[id]?.length > 1);
    if (alone([cause.check, ...cause.explains])) check(await figures.count() > 0 && await figures.first().isVisible(), `${name}: a chart shows the first cause`);
}

/* The stream behind the link is the file, byte for byte. */
async function raw(page, name, path) {
    const bytes = await page.locator("#raw").evaluate(async a => [a.download, await (await fetch(a.href)).text()]);
    check(bytes[0] === "report.jsonl" && bytes[1].trimEnd() === readFileSync(path, "utf8").trimEnd(), `${name}: the stream is a click away`, `${bytes[1].length} characters`);
}

async function contents(page, name, t) {
    equal(await page.locator("#verdict strong").innerText(), t.result, `${name}: the verdict stands first`);
    const skipped = await page.locator(".checks > details > summary .pill.SKIP").count();
    if (t.result === "PASS") equal((await page.locator("#reasons").innerText()).includes(`${skipped} w`), skipped > 0, `${name}: a PASS tells how many checks were skipped`);
    equal(await page.locator(".checks > details").count(), t.checks.length, `${name}: every check is listed`);
    const limits = Object.entries(t.rows).filter(([id, rows]) => t.verdicts[id] === "PASS" && rows.some(m => m[0] === LIMIT));
    const lines = await page.locator(".checks > details > summary").allInnerTexts();
    const untold = limits.filter(([id, rows]) => { const m = rows.find(m => m[0] === LIMIT);
        return !lines.some(l => l.includes(id) && l.includes(`; ${m[1]} above `) && l.includes(` ${m[3]} would have shown`)); });
    equal(untold.map(([id]) => id), [], `${name}: each check that passed tells the smallest defect beside its title`);
    const options = await page.locator("#facts dt", { hasText: "Options" }).locator("xpath=following-sibling::dd[1]").innerText();
    const asked = [...t.start.parameters.t, ...t.start.parameters.skip].filter(w => !options.includes(w));
    equal(t.start.commandLine ? [] : asked, [], `${name}: the patterns that chose the checks are named`);
    const boxes = (t.rows["pmon.boxes"] || []).find(m => m[0] === "uncore boxes listed");
    if (boxes) equal(await page.locator("#facts dt", { hasText: "Uncore" }).locator("xpath=following-sibling::dd[1]").allInnerTexts(), [`${boxes[2]} PMON boxes`], `${name}: the uncore boxes are counted`);
    const dimms = t.start.dutInfo.hardwareInfos.filter(h => h.partType === "DIMM"), modules = page.locator("#facts .modules");
    equal(await modules.count(), dimms.length ? 1 : 0, `${name}: memory modules are there where SMBIOS has any`);
    if (dimms.length) {
        await modules.locator("summary").click();
        equal(await modules.locator("tbody tr").evaluateAll(all => all.map(r => r.cells[0].textContent)), dimms.map(d => d.location), `${name}: each module is a line`);
        await modules.locator("summary").click();
    }
    equal(/\d{5,} (to|of) [\d.]+ [KMGT]iB/.exec(await page.locator("#reasons").innerText()), null, `${name}: two amounts of bytes in a reason have units of one kind`);
    const dots = await page.locator("#charts circle").evaluateAll(all => all.map(d => Number(d.dataset.y)));
    const drawn = new Set(dots);
    check(t.points.every(v => drawn.has(v)), `${name}: the curves go through the measured points`,
        `${t.points.filter(v => !drawn.has(v)).length} are missing`);
    const id = Object.keys(t.measurements)[0];
    if (id) {
        const item = page.locator(`[id="check-${id}"]`);
        check(await item.evaluate(d => { d.firstElementChild.click(); return d.open && d.querySelector(".body") !== null; }),
            `${name}: ${id} has its contents as soon as it is open`);
        const rows = await item.locator(".body > .scroll td.num").allInnerTexts();
        equal(rows.map(v => Number(v.replace(/\u202f/g, ""))), t.measurements[id].map(v => Number.isInteger(v) || Math.abs(v) >= 1e5 ? Math.round(v) : Number(Number(v).toPrecision(6))),
            `${name}: ${id} opens to its measurements`);
        await item.locator("> summary").click();
    }
    const bad = page.locator(".checks > details", { has: page.locator("summary .pill.FAIL, summary .pill.WARN") });
    const silent = await bad.evaluateAll(all => all.filter(d => {
        const known = d.open;
        if (!known) d.firstElementChild.click();
        const says = /means: .+\.\s*Look next at: .+\./s.test(d.querySelector(".body").innerText);
        if (!known) d.firstElementChild.click();
        return !says && !/^check-(say|bad)\./.test(d.id);
    }).map(d => d.id));
    equal(silent, [], `${name}: ${await bad.count()} checks that failed or warned say what that means and what to look at next`);
}

const values = (page, title, what) => page.locator("#charts figure", { has: page.locator("figcaption", { hasText: title }) })
    .locator(what).evaluateAll(all => all.map(b => Number(b.dataset.value)));
const sorted = list => [...list].sort((a, b) => a - b);

/* The charts that put several monitors side by side, by the stream's own figures. */
async function overview(page, name, t) {
    const closure = (t.rows["traffic.closure"] || []).filter(m => m[3] === "bytes");
    if (closure.length) {
        equal(sorted(await values(page, "One load, and what each monitor counted", "rect[data-value]")), sorted(closure.map(m => m[2])),
            `${name}: each monitor's bytes of a load are a bar`);
        const cells = await page.locator("#charts figure", { hasText: "Traffic between packages" }).locator("rect[data-from]").evaluateAll(all => all.map(c => [`${c.dataset.from} ${c.dataset.to}`, Number(c.dataset.value)]));
        const cas = closure.filter(m => m[0].startsWith("memory channels")).map(m => {
            const [, from, home] = /^package (\d+), (?:local|memory of package (\d+))/.exec(m[1]);
            return [`${from} ${home ?? from}`, m[2]];
        });
        equal(cells.sort(), cas.sort(), `${name}: the matrix has what the memory channels counted for each pair of packages`);
    }
    const same = await page.locator(".checks > details[id^='check-traffic.closure'], .checks > details[id^='check-traffic.slices']").evaluateAll(all => all.flatMap(d => {
        d.unfold();
        return [...d.querySelectorAll("figure")].filter(f => new Set([...f.querySelectorAll("rect[data-value] title")].map(s => s.textContent.split(": ")[0])).size > 1)
            .map(f => [...f.querySelectorAll("svg > text:not([y='224'])")].map(s => s.textContent)).filter(ticks => ticks.length > 1 && new Set(ticks).size === 1);
    }));
    equal(same, [], `${name}: bars of different places are numbered by them`);
    const nodes = Object.values(t.rows).flat().filter(m => m[0] === "MBM total" && /^package \d+, node \d+$/.test(m[1] || ""));
    if (nodes.some(m => !/^package (\d+), node \1$/.test(m[1])))
        equal(sorted(await values(page, "MBM from each package to each node", "rect[data-from]")), sorted(nodes.map(m => m[2])),
            `${name}: what MBM counted from each package to each node is a cell`);
    for (const [check, measurement, title] of [["traffic.slices", "look-ups of the slice", "look-ups of each slice"],
        ["traffic.channels", "bytes of the channel", "bytes of each memory channel"]]) {
        const measured = (t.rows[check] || []).filter(m => m[0] === measurement);
        if (measured.length)
            equal(sorted(await values(page, title, "rect[data-value]")), sorted(measured.map(m => m[2])), `${name}: every figure of ${check} is a bar`);
    }
    if (t.latencies.length >= 8)
        equal((await values(page, "Latency of a sample", "rect[data-value]")).reduce((a, b) => a + b, 0), t.latencies.length,
            `${name}: the latency of every sample is counted once`);
    equal(await page.locator("#map .cpu").count(), t.cpus, `${name}: every processor is on the map`);
    const tagged = {};
    for (const [what, where] of t.rows["mbm.every-thread"] || []) {
        const cpu = /cpu (\d+)$/.exec(what), rmid = /RMID (\d+)$/.exec(where);
        if (cpu && rmid) (tagged[cpu[1]] ||= []).push(` RMID R${rmid[1]}`);
    }
    if (!Object.keys(tagged).length) return;
    const shown = await page.locator("#map .cpu").evaluateAll(all => all.map(c => [/^cpu (\d+),/.exec(c.title)[1], [...c.querySelectorAll("small")].map(s => s.textContent.replace(" out of bounds", ""))]));
    equal(Object.fromEntries(shown), tagged, `${name}: each processor shows every RMID under which it was measured`);
}

/* Each chart says its values in words and as a table. */
async function spoken(page, name) {
    const silent = await page.locator("#charts svg").evaluateAll(all => all.filter(s => s.getAttribute("role") !== "img" || !/\d/.test(s.getAttribute("aria-label") || "")).length);
    equal(silent, 0, `${name}: every chart has its values in words`);
    const hidden = await page.locator("#charts svg").evaluateAll(all => all.filter(s => {
        const lines = [...s.querySelectorAll(".curve")].map(c => ["points", "stroke-dasharray", "stroke-dashoffset"].map(k => c.getAttribute(k)));
        return lines.some(([points, dash, from], i) => lines.slice(0, i).some(o => o[0] === points && (!dash || !o[1] || o[2] === from)));
    }).length);
    equal(hidden, 0, `${name}: no curve lies hidden beneath another one`);
    const f = page.locator("#charts figure", { has: page.locator("circle") }).first();
    if (!await f.count()) return;
    await f.locator("summary").focus();
    await page.keyboard.press("Enter");
    await f.locator("td.num").first().waitFor();
    const drawn = await f.locator("circle").evaluateAll(all => all.map(c => Number(c.dataset.y)));
    const cells = (await f.locator("td.num").allInnerTexts()).map(v => Number(v.replace(/\u202f/g, "")));
    check(drawn.every(v => cells.some(c => Math.abs(c - v) <= 1e-5 * Math.abs(v))), `${name}: the table of a chart has its values`);
    await page.keyboard.press("Enter");
}

/* The page of a stream whose lines were changed; change() gets the testStepArtifact of each. */
function rewritten(html, change) {
    const [head, start, stream, tail] = /^(.*)(<script type="text\/plain" id="stream">\n)(.*?)(<\/script>.*)$/s.exec(html).slice(1);
    const lines = gunzipSync(Buffer.from(stream.trim(), "base64")).toString().trim().split("\n").map(line => {
        const o = JSON.parse(line);
        change(o.testStepArtifact ?? {});
        return JSON.stringify(o).replaceAll("<", "\\u003c");
    });
    return head + start + lines.join("\n") + "\n" + tail;
}
/* The page with another value in place of each figure, bound and place on an axis: given how many came before it and itself. */
function altered(html, value) {
    let n = 0;
    return rewritten(html, ({ measurement: m, measurementSeriesElement: e }) => {
        for (const v of [m, e, ...m?.validators ?? []].filter(Boolean)) v.value = value(n++, v.value);
        if (e) e.metadata.x = value(n++, e.metadata.x);
    });
}

/* What a page has but for its sentences: elements with class and numbers, and what stands in pictures and on the map. */
async function shape(browser, file, html) {
    writeFileSync(file, html);
    const page = await open(browser, file);
    await page.evaluate(() => document.querySelectorAll(".checks > details, figure details").forEach(d => d.unfold()));
    const out = await page.evaluate(() => [...document.querySelectorAll("main *")].filter(e => !["TITLE", "title", "CODE"].includes(e.tagName)).map(e => [e.tagName,
        ...[...e.attributes].filter(a => !["aria-label", "title"].includes(a.name) && !a.value.startsWith("blob:")).map(a => `${a.name}=${a.value}`),
        e.tagName === "text" || e.closest("#map small") || e.className === "num" ? e.textContent : ""].join(" ")));
    await page.close();
    return out;
}
/* Other sentences and other words for each place: the same charts, cells and lists. */
async function sentences(browser, path, name) {
    const html = readFileSync(path, "utf8"), file = path.replace(/[^/]*$/, "altered.htm"), words = new Map();
    const word = text => words.get(text) ?? words.set(text, `word ${"abcdefghij"[words.size % 10]}${"x".repeat(words.size / 10)}`).get(text);
    const said = await shape(browser, file, rewritten(html, () => {}));
    equal(await shape(browser, file, rewritten(html, o => {
        if (o.diagnosis) o.diagnosis.message = word(o.diagnosis.message);
        for (const a of Object.values(o)) if (a.subcomponent) a.subcomponent.name = word(a.subcomponent.name);
    })), said, `${name}: the same charts, cells and lists by other words`);
}

/* Whatever figures a stream has, each chart and table is drawn, without "NaN" or the like. */
async function extremes(browser, path, name) {
    const ends = ["nan", 1.7e308, 0, -1.7e308, "inf", 5e-324, "-inf", 1e18, -3];
    for (const [what, value] of [["0", () => 0], ["below 0", (_, v) => -v], ["negative or 0", (n, v) => n % 2 ? -v : 0], ["at the ends of doubles or none", n => ends[n % ends.length]]]) {
        const file = path.replace(/[^/]*$/, "altered.htm");
        writeFileSync(file, altered(readFileSync(path, "utf8"), value));
        const page = await open(browser, file);
        await page.evaluate(() => document.querySelectorAll(".checks > details, figure details").forEach(d => d.unfold()));
        const bad = await page.evaluate(() => [...document.querySelectorAll("main svg, main svg *")].flatMap(e => [...e.attributes].map(a => a.value)).filter(v => /NaN|Infinity|undefined/.test(v)));
        equal([bad, page.complaints], [[], []], `${name}: figures that are ${what} are drawn`);
        if (what === "below 0") check(await page.locator("#map small.out").count() > 0, `${name}: an RMID with a figure out of bounds is marked on the map`);
        await page.close();
    }
}

/* On paper: what is wrong is open, what passed is a line, and all of it is few pages. */
async function paper(page, name, t, file) {
    const states = await page.evaluate(() => { // what is there when the event is over is what gets printed
        dispatchEvent(new Event("beforeprint"));
        return [...document.querySelectorAll(".checks > details")].map(d => [d.querySelector(".pill").innerText, d.open && d.querySelector(".body") !== null]);
    });
    check(states.every(([s, open]) => open || !["FAIL", "ERROR", "WARN"].includes(s)), `${name}: on paper each finding is open`);
    const pages = (await page.pdf({ path: file, format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g).length;
    const most = { PASS: 4, FAIL: 8 }[t.result];
    check(pages <= most, `${name}: ${t.result} on ${most} pages`, `${pages}`);
}

async function filter(page, name, t) {
    const shown = () => page.locator(".checks > details:not(.hidden)").count();
    await page.locator("#text").fill(t.checks[0]);
    check(await shown() >= 1 && await shown() < t.checks.length || new Set(t.checks).size === 1, `${name}: a text shows the checks that have it`);
    await page.locator("#text").fill("no check has this text");
    equal([await shown(), await page.locator("#none").isVisible()], [0, true], `${name}: nothing found is said`);
    await page.locator("#text").fill("");
    const before = await shown(), passing = await page.locator(".checks > details > summary .pill.PASS").count();
    await page.locator("input[name=status][value=PASS]").uncheck();
    equal(await shown(), before - passing, `${name}: a status can be taken out`);
    await page.locator("input[name=status][value=PASS]").check();
}

async function keyboard(page, name) {
    await page.locator("#text").focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    equal(await page.evaluate(() => document.activeElement.tagName === "SUMMARY" && document.activeElement.parentElement.open), true,
        `${name}: the keyboard reaches a check and opens it`);
}

/* Of what is visible. Dark colours: the rules that look at colours; the others see the same as in light ones. */
async function violations(page, what) {
    const dark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
    await page.evaluate(axe);
    const rules = dark ? { runOnly: ["color-contrast", "link-in-text-block"] } : {};
    const found = (await page.evaluate(rules => window.axe.run({ resultTypes: ["violations"], ...rules }), rules)).violations;
    check(found.length === 0, `${what}: axe-core finds no violation`,
        found.map(v => `${v.id} (${v.nodes[0].target.join(" ")}: ${v.nodes[0].failureSummary?.split("\n")[1]?.trim()})`).join("; "));
}

/* Everything that folds open, what went wrong and some of what did not, beside what is always visible. */
async function opened(page, what) {
    await page.evaluate(() => [...document.querySelectorAll("main details")].filter((d, i) => i < 40 || i % 10 === 0).forEach(d => { d.unfold?.(); d.open = true; }));
    await page.evaluate(() => document.querySelectorAll("main details details").forEach(d => { d.unfold?.(); d.open = true; }));
    await violations(page, `${what}, open`);
}

/* The pages of `assay-report diff` and `merge`: tables with a filter. */
async function tables(browser, path, name) {
    const page = await open(browser, path);
    const rows = await page.locator("tbody tr").count();
    check(rows > 0 && await page.locator("header strong").isVisible(), `${name}: says its verdict and has lines`);
    await page.locator("#text").fill("no line has this text");
    equal(await page.locator("tbody tr:visible").count(), 0, `${name}: a text takes out the lines without it`);
    await page.locator("#text").fill("");
    equal([await page.locator("tbody tr:visible").count(), await page.locator("#shown").innerText()], [rows, `${rows} of ${rows} lines`],
        `${name}: without a text every line is there`);
    const head = page.locator("thead th button").first(), column = head.locator("xpath=ancestor::table//tbody/tr/td[1]");
    const found = await column.allInnerTexts();
    await head.focus();
    const turns = [];
    for (let i = 0; i < 2; i++) {
        await page.keyboard.press("Enter");
        turns.push([await head.locator("xpath=..").getAttribute("aria-sort"), await column.allInnerTexts()]);
    }
    equal([turns.map(t => t[0]), turns[0][1].length, [...turns[1][1]].sort()], [["ascending", "descending"], found.length, [...found].sort()],
        `${name}: a column's head sorts by it, from the keyboard`);
    check(new Set(found).size === 1 || turns[0][1][0] !== turns[1][1][0], `${name}: and the other way round`);
    await violations(page, `${name}, light`);
    const dark = await open(browser, path, { colorScheme: "dark" });
    await violations(dark, `${name}, dark`);
    const narrow = await open(browser, path, { viewport: { width: 380, height: 800 } });
    check(await narrow.evaluate(() => document.documentElement.scrollWidth <= 380), `${name}: fits a narrow window`);
    for (const p of [page, dark, narrow]) equal(p.complaints, [], `${name}: the console is silent and nothing is fetched`);
    await page.screenshot({ path: path.replace(/html$/, "png"), fullPage: true });
}

/* What the head says, and whether anything is green: not where no monitor was judged, nor the verdict where one is a WARN. */
async function called(browser, path, name) {
    for (const colorScheme of ["light", "dark"]) {
        const page = await open(browser, path, { colorScheme });
        equal(await page.locator("#verdict strong").innerText(), name, `${name}, ${colorScheme}: the verdict's word`);
        const green = of => page.locator(of).evaluateAll(all => all.filter(e => e.checkVisibility()).flatMap(e => ["color", "backgroundColor", "fill", "borderTopColor"].map(p => [e, getComputedStyle(e)[p]]))
            .filter(([, c]) => { const [r, g, b, a = 1] = (c.match(/[\d.]+/g) || [0, 0, 0]).map(Number); return a > 0 && g > r + 12 && g > b + 12; }).map(([e, c]) => `${e.tagName} ${e.className} ${c}`));
        if (name === "NOTHING") equal(await green("body *"), [], `${name}, ${colorScheme}: nothing is green`);
        else check((await green("#checks *")).length > 0, `${name}, ${colorScheme}: a check that passed is green`);
        check((await green("#verdict *")).length > 0 === (name === "PASS"), `${name}, ${colorScheme}: the verdict is green where all passed alone`);
        await violations(page, `${name}, ${colorScheme}`);
    }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const file of readdirSync(folder).filter(f => f.endsWith(".html"))) {
    const path = join(folder, file), name = file.replace(/\.html$/, ""), t = truth(path.replace(/html$/, "jsonl"));
    const page = await open(browser, path);
    await contents(page, name, t);
    await causes(page, name, t);
    await raw(page, name, path.replace(/html$/, "jsonl"));
    await overview(page, name, t);
    await spoken(page, name);
    await filter(page, name, t);
    await keyboard(page, name);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    const dark = await open(browser, path, { colorScheme: "dark" });
    await dark.screenshot({ path: join(folder, `${name}-dark.png`) });
    const narrow = await open(browser, path, { viewport: { width: 380, height: 800 } });
    check(await narrow.evaluate(() => document.documentElement.scrollWidth <= 380), `${name}: fits a narrow window`);
    const small = await narrow.locator("#charts svg text").evaluateAll(all => all.map(s => parseFloat(getComputedStyle(s).fontSize) * s.getScreenCTM().a).filter(px => px < 9.5));
    equal(small, [], `${name}: charts can be read in a narrow window`);
    await narrow.screenshot({ path: join(folder, `${name}-narrow.png`) });
    for (const p of [page, dark, narrow]) equal(p.complaints, [], `${name}: the console is silent and nothing is fetched`);
    await opened(page, `${name}, light`);
    await opened(dark, `${name}, dark`);
    const fresh = await open(browser, path);
    await paper(fresh, name, t, join(folder, `${name}.pdf`));
    if (name === "bdx-faultless-1") await extremes(browser, path, name);
    await sentences(browser, path, name);
}
await damaged(browser, join(folder, "bdx-faultless-1.html"));
for (const file of readdirSync(join(folder, "tables")).filter(f => f.endsWith(".html")))
    await tables(browser, join(folder, "tables", file), file.replace(/\.html$/, ""));
for (const file of readdirSync(join(folder, "words")).filter(f => f.endsWith(".html")))
    await called(browser, join(folder, "words", file), file.replace(/\.html$/, ""));
await browser.close();
process.exit(failed ? 1 : 0);
