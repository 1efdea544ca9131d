/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The bytes of the stream as it stands in the page: gzip (RFC 1952) in base64, or its lines as they are; of the payload's page
 * the script and the style too. The browser's own DecompressionStream answers later than the page's load event, and what prints,
 * archives or captures a page at that event would take an empty one. */
function unpacked(text) {
  text = text.trim();
  if (!text || text.startsWith("{")) return new TextEncoder().encode(text);
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const trailer = new DataView(bytes.buffer, bytes.length - 8);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8 || bytes[3] !== 0) throw new Error("no gzip header");
  const out = inflate(bytes.subarray(10, -8), trailer.getUint32(4, true));
  if (crc32(out) !== trailer.getUint32(0, true)) throw new Error("CRC32 of the data differs");
  return out;
}
function crc32(bytes) {
  const table = Uint32Array.from({ length: 256 }, (_, n) => { for (let i = 0; i < 8; i++) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1; return n; });
  let crc = ~0;
  for (const b of bytes) crc = table[(crc ^ b) & 255] ^ crc >>> 8;
  return ~crc >>> 0;
}
/* A Huffman code by the lengths of its symbols (RFC 1951, 3.2.2): how many symbols have each length, and the symbols in order. */
function huffman(lengths) {
  const count = new Uint16Array(16), symbols = [];
  for (const l of lengths) count[l]++;
  for (let length = 1; length < 16; length++) lengths.forEach((l, symbol) => { if (l === length) symbols.push(symbol); });
  return { count, symbols };
}
/* DEFLATE (RFC 1951): exactly `length` bytes, or an Error. */
function inflate(bytes, length) {
  const out = new Uint8Array(length);
  let at = 0, bit = 0, end = 0;
  const bits = n => {
    let value = 0;
    for (let i = 0; i < n; i++, bit++) {
      if (bit >> 3 >= bytes.length) throw new Error("the data end early");
      value |= (bytes[bit >> 3] >> (bit & 7) & 1) << i;
    }
    return value;
  };
  const symbol = ({ count, symbols }) => {
    for (let l = 1, code = 0, first = 0, index = 0; l < 16; l++) {
      code |= bits(1);
      if (code - first < count[l]) return symbols[index + code - first];
      index += count[l];
      first = first + count[l] << 1;
      code <<= 1;
    }
    throw new Error("a code that no symbol has");
  };
  const put = byte => {
    if (at === length) throw new Error("more data than the length says");
    out[at++] = byte;
  };
  const tables = () => { // 3.2.7
    const literals = bits(5) + 257, distances = bits(5) + 1, order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    const of = new Array(19).fill(0), lengths = [];
    for (let i = 0, n = bits(4) + 4; i < n; i++) of[order[i]] = bits(3);
    for (const code = huffman(of); lengths.length < literals + distances;) {
      const s = symbol(code);
      if (s < 16) lengths.push(s);
      else for (let n = s === 16 ? 3 + bits(2) : s === 17 ? 3 + bits(3) : 11 + bits(7), v = s === 16 ? lengths.at(-1) : 0; n; n--) lengths.push(v);
    }
    return [huffman(lengths.slice(0, literals)), huffman(lengths.slice(literals))];
  };
  const fixed = () => [huffman(Array.from({ length: 288 }, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)), huffman(new Array(30).fill(5))];
  while (!end) {
    end = bits(1);
    const type = bits(2);
    if (type === 0) { // stored: LEN, NLEN, bytes
      bit = bit + 7 & ~7;
      const n = bits(16);
      bits(16);
      for (let i = 0; i < n; i++) put(bits(8));
      continue;
    }
    if (type === 3) throw new Error("a block of type 3");
    const [literal, distance] = type === 1 ? fixed() : tables();
    for (let s = symbol(literal); s !== 256; s = symbol(literal)) {
      if (s < 256) { put(s); continue; }
      const e = s < 265 || s === 285 ? 0 : s - 261 >> 2, n = s === 285 ? 258 : s < 265 ? s - 254 : (4 + (s - 261 & 3) << e) + 3 + bits(e); // 3.2.5
      const d = symbol(distance), f = d < 4 ? 0 : (d >> 1) - 1, back = d < 4 ? d + 1 : (2 + (d & 1) << f) + 1 + bits(f);
      if (back > at) throw new Error("a distance beyond the first byte");
      for (let i = 0; i < n; i++) put(out[at - back]);
    }
  }
  if (at !== length) throw new Error("less data than the length says");
  return out;
}
function unreadable(e) {
  const p = document.createElement("p");
  p.className = "banner";
  p.textContent = `The report in this page cannot be unpacked: ${e.message}. report.txt and report.jsonl in the same folder are the same report.`;
  document.querySelector("main").replaceChildren(p);
}
