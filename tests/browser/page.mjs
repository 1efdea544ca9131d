// tests/browser/page.mjs FOLDER: the pages in FOLDER, in Debian's Chromium: what a reader sees is what the stream says.
// Prints PASS and FAIL lines. Screenshots are left in FOLDER.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = process.argv[2];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let failed = 0;

function check(good, what, why = "") {
    console.log(good ? `PASS ${what}` : `FAIL ${what}: ${why}`);
    if (!good) failed++;
}
const equal = (a, b, what) => check(JSON.stringify(a) === JSON.stringify(b), what, `${JSON.stringify(a)}, not ${JSON.stringify(b)}`);

function truth(path) {
    const t = { measurements: {}, points: [], checks: [], result: "" };
    const names = {};
    for (const line of readFileSync(path, "utf8").trim().split("\n")) {
        const o = JSON.parse(line), a = o.testStepArtifact;
        if (o.testRunArtifact?.testRunEnd) t.result = o.testRunArtifact.testRunEnd.result;
        if (a?.testStepStart) { names[a.testStepId] = a.testStepStart.name; t.checks.push(a.testStepStart.name); }
        if (a?.measurementSeriesElement) t.points.push(a.measurementSeriesElement.value);
        if (a?.measurement) (t.measurements[names[a.testStepId]] ||= []).push(a.measurement.value);
    }
    return t;
}

async function open(browser, file, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.on("console", m => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
    page.on("pageerror", e => page.complaints.push(String(e)));
    page.on("request", r => r.url().startsWith("file:") || page.complaints.push(`asks the network for ${r.url()}`));
    await page.goto(pathToFileURL(file).href);
    return page;
}

async function contents(page, name, t) {
    equal(await page.locator("#verdict strong").innerText(), t.result, `${name}: the verdict stands first`);
    equal(await page.locator(".checks details").count(), t.checks.length, `${name}: every check is listed`);
    const dots = await page.locator("#charts circle").evaluateAll(all => all.map(d => Number(d.dataset.y)));
    const drawn = new Set(dots);
    check(t.points.every(v => drawn.has(v)), `${name}: the curves go through the measured points`,
        `${t.points.filter(v => !drawn.has(v)).length} are missing`);
    const id = Object.keys(t.measurements)[0];
    if (id) {
        const item = page.locator(`[id="check-${id}"]`);
        await item.locator("summary").click();
        const rows = await item.locator("td.num").allInnerTexts();
        equal(rows.map(v => Number(v.replace(/\u202f/g, ""))), t.measurements[id].map(v => Number(Number(v).toPrecision(Number.isInteger(v) ? 17 : 6))),
            `${name}: ${id} opens to its measurements`);
    }
}

async function filter(page, name, t) {
    const shown = () => page.locator(".checks details:not(.hidden)").count();
    await page.locator("#text").fill(t.checks[0]);
    check(await shown() >= 1 && await shown() < t.checks.length, `${name}: a text shows the checks that have it`);
    await page.locator("#text").fill("no check has this text");
    equal([await shown(), await page.locator("#none").isVisible()], [0, true], `${name}: nothing found is said`);
    await page.locator("#text").fill("");
    const before = await shown(), passing = await page.locator(".checks summary .pill.PASS").count();
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

async function violations(page, what) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
    const serious = found.violations.filter(v => ["serious", "critical"].includes(v.impact));
    check(serious.length === 0, `${what}: axe-core finds nothing serious`,
        serious.map(v => `${v.id} (${v.nodes[0].target.join(" ")}: ${v.nodes[0].failureSummary?.split("\n")[1]?.trim()})`).join("; "));
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const file of readdirSync(folder).filter(f => f.endsWith(".html"))) {
    const path = join(folder, file), name = file.replace(/\.html$/, ""), t = truth(path.replace(/html$/, "jsonl"));
    const page = await open(browser, path);
    await contents(page, name, t);
    await filter(page, name, t);
    await keyboard(page, name);
    await violations(page, `${name}, light`);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    const dark = await open(browser, path, { colorScheme: "dark" });
    await violations(dark, `${name}, dark`);
    await dark.screenshot({ path: join(folder, `${name}-dark.png`) });
    const narrow = await open(browser, path, { viewport: { width: 380, height: 800 } });
    check(await narrow.evaluate(() => document.documentElement.scrollWidth <= 380), `${name}: fits a narrow window`);
    for (const p of [page, dark, narrow]) equal(p.complaints, [], `${name}: the console is silent and nothing is fetched`);
    await page.pdf({ path: join(folder, `${name}.pdf`) });
}
await browser.close();
process.exit(failed ? 1 : 0);
