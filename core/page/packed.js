/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The bytes of the stream as it stands in the page: gzip in base64 (core/encoding/gzip.h), or its lines as they are. */
async function unpacked(text) {
  text = text.trim();
  if (!text || text.startsWith("{")) return new TextEncoder().encode(text);
  if (typeof DecompressionStream === "undefined") throw new Error("this browser has no DecompressionStream (Chromium 80, Firefox 113, Safari 16.4 and later do)");
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
function unreadable(e) {
  const p = document.createElement("p");
  p.className = "banner";
  p.textContent = `The report in this page cannot be unpacked: ${e.message}. report.txt and report.jsonl in the same folder are the same report.`;
  document.querySelector("main").replaceChildren(p);
}
/* The stream itself, wherever this page was taken to. */
function raw(stream) {
  $("raw").href = URL.createObjectURL(new Blob([stream], { type: "application/jsonl" }));
  $("raw").after(` (${short(stream.length, "bytes")})`);
}
