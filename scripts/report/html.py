# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pages of assay-report: one file each, in the style of report.html, without network; scripts filter and sort."""
from __future__ import annotations

import re
from html import escape
from pathlib import Path

_PAGE = Path(__file__).resolve().parents[2] / "core" / "page"

_EXTRA = """
table { width: 100%; } .card > table { margin: 0; } caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th { position: static; } th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid var(--accent); }
th button::after { content: " \\2195"; opacity: .5; } th[aria-sort=ascending] button::after { content: " \\2191"; opacity: 1; }
th[aria-sort=descending] button::after { content: " \\2193"; opacity: 1; } @media print { th button::after { content: ""; } }
 td.wide { overflow-wrap: break-word; } .num { text-align: right; }
th.num { padding-left: .8rem; } svg.strip { width: 12rem; height: 1.2rem; } .strip line { stroke: var(--soft); }
.strip circle { fill: var(--fail); } .strip rect { fill: var(--band); }
"""

# Shows rows that contain every typed word, and their number.
_FILTER = """
"use strict";
const input = document.getElementById("text"), shown = document.getElementById("shown");
function apply() {
  const words = input.value.toLowerCase().split(/\\s+/);
  let n = 0, all = 0;
  for (const row of document.querySelectorAll("tbody tr")) {
    row.hidden = !words.every(w => row.textContent.toLowerCase().includes(w));
    n += !row.hidden; all++;
  }
  shown.textContent = `${n} of ${all} lines`;
}
input.addEventListener("input", apply);
apply();

// A column's head sorts by it, once more the other way round: statuses by weight, numbers as such, else words.
const STATUSES = ["FAIL", "ERROR", "WARN", "SKIP", "DONE", "PASS"];
function key(cell) {
  const text = cell.dataset.key ?? cell.textContent.trim(), at = STATUSES.indexOf(text), n = Number(text.replaceAll("\u202f", "").replace(/^([-+]?[\\d.]+) %.*$/s, "$1"));
  return at >= 0 ? at : text === "" || Number.isNaN(n) ? text : n;
}
function order(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b, "en", { numeric: true });
}
for (const th of document.querySelectorAll("thead th")) {
  th.querySelector("button")?.addEventListener("click", () => {
    const body = th.closest("table").tBodies[0], column = th.cellIndex, up = th.getAttribute("aria-sort") !== "ascending";
    for (const other of th.parentElement.cells) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...body.rows].map(row => [key(row.cells[column]), row]);
    body.append(...rows.sort((a, b) => (up ? 1 : -1) * order(a[0], b[0])).map(([, row]) => row));
  });
}
"""


def template():
    """The page that the payload embeds: page.html with its lines "@name@" replaced by files, as in the Makefile."""
    whole = (_PAGE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"^@([a-z]+\.[a-z]+)@$", lambda m: (_PAGE / m[1]).read_text(encoding="utf-8").rstrip("\n"), whole, flags=re.M)


def style():
    """The style sheet of report.html."""
    return (_PAGE / "style.css").read_text(encoding="utf-8")


def pill(status):
    known = status if status in ("PASS", "FAIL", "WARN", "SKIP", "ERROR") else "SKIP"
    return f'<span class="pill {known}">{escape(status)}</span>'


class Raw(str):
    """Markup for a cell, not escaped."""


def _head(name, rows):
    """A column's head, a button that sorts if there are several rows."""
    return f'<button type="button">{escape(name)}</button>' if name and rows > 1 else escape(name)


def table(caption, heads, rows):
    """heads: names, "#name" for a column of numbers. rows: of texts, escaped, or Raw."""
    numeric = [h.startswith("#") for h in heads]
    out = [f"<table><caption>{escape(caption)}</caption><thead><tr>"]
    out += [f'<th scope="col"{" class=num" if n else ""}>{_head(h.lstrip("#"), len(rows))}</th>' for h, n in zip(heads, numeric)]
    out.append("</tr></thead><tbody>")
    for row in rows:
        out.append("<tr>" + "".join(
            f'<td class="{"num" if n else "wide"}">{c if isinstance(c, Raw) else escape(str(c))}</td>'
            for c, n in zip(row, numeric)) + "</tr>")
    out.append("</tbody></table>")
    return "\n".join(out)


def section(title, *parts):
    name = re.sub(r"\W+", "-", title.lower())
    return (f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>'
            + "".join(f'<div class="card scroll-x" role="group" tabindex="0" aria-labelledby="{name}">{p}</div>' for p in parts)
            + "</section>")


def document(title, verdict, status, words, sections):
    """A page: title, verdict with the colour of a status, words beside it, sections."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(verdict)}: {escape(title)} - Assay</title>
<style>{style()}{_EXTRA}.scroll-x {{ overflow-x: auto; }}</style>
</head>
<body>
<header><div>
<h1>{escape(title)}</h1>
<p class="verdict"><strong class="{status}">{escape(verdict)}</strong>{"".join(f"<span>{escape(w)}</span>" for w in words)}</p>
</div></header>
<main>
<form class="filter" role="search" onsubmit="return false">
<input type="search" id="text" aria-label="Show only lines with this text" placeholder="Text in any line…">
<span id="shown" role="status" aria-live="polite"></span>
</form>
{"".join(sections)}
</main>
<script>{_FILTER}</script>
</body>
</html>
"""
