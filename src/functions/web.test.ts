import assert from "node:assert/strict";
import { createCipheriv, randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { answerUrlRequest } from "./child/url-answers.ts";
import { atobText, btoaText } from "./inside/web.ts";
import { structuredCloneOf } from "./inside/clone.ts";
import { createRandom, uuidOf } from "./inside/random.ts";
import { TextDecoderUtf8, TextEncoderUtf8 } from "./inside/text.ts";
import { FormParameters } from "./inside/url-search-params.ts";
import { urlClass } from "./inside/url.ts";

const InsideUrl = urlClass(answerUrlRequest as never, () => {}) as typeof URL;

test("texts become the same bytes as in Node, and bytes the same texts", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (text, bytes) => {
      assert.deepEqual([...new TextEncoderUtf8().encode(text)], [...new TextEncoder().encode(text)]);
      assert.equal(new TextDecoderUtf8().decode(bytes), new TextDecoder().decode(bytes));
    }),
  );
  assert.throws(() => new TextDecoderUtf8("utf-8", { fatal: true }).decode(new Uint8Array([0xff])), TypeError);
  assert.throws(() => new TextDecoderUtf8("latin1"), RangeError);
});

test("broken UTF-8 is replaced piece by piece as in Node", () => {
  const piece = fc.constantFrom(
    0x00,
    0x41,
    0x80,
    0x9f,
    0xa0,
    0xbf,
    0xc1,
    0xc2,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
    0xff,
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (bytes) => {
      const given = Uint8Array.from(bytes);
      assert.equal(new TextDecoderUtf8().decode(given), new TextDecoder().decode(given));
    }),
    { numRuns: 2_000 },
  );
});

test("base64 as in Node", () => {
  const latin1 = fc.uint8Array().map((bytes) => String.fromCharCode(...bytes));
  fc.assert(
    fc.property(latin1, (text) => {
      assert.equal(btoaText(text), btoa(text));
      assert.equal(atobText(btoa(text)), text);
    }),
  );
  for (const bad of ["a", "ab=c", "====", "a-b_"]) assert.throws(() => atobText(bad));
  assert.throws(() => btoaText("ā"));
});

test("form parameters as in Node", () => {
  const units = ["a", "=", "&", "+", "%", "2", " ", "?", "~", "*", "'"];
  // Node garbles non-ASCII characters next to an invalid escape, so queries have none.
  const query = fc.string({ unit: fc.constantFrom(...units) });
  const text = fc.string({ unit: fc.constantFrom(...units, "é", "😀") });
  fc.assert(
    fc.property(query, text, text, (query, name, value) => {
      const ours = new FormParameters(query);
      const theirs = new URLSearchParams(query);
      for (const each of [ours, theirs]) {
        each.append(name, value);
        each.set("a", value);
        each.delete("=");
        each.sort();
      }
      assert.equal(ours.toString(), theirs.toString());
      assert.deepEqual([...ours], [...theirs]);
      assert.equal(ours.get(name), theirs.get(name));
      assert.deepEqual(ours.getAll(name), theirs.getAll(name));
      assert.equal(ours.has(name, value), theirs.has(name, value));
    }),
    { numRuns: 1_000 },
  );
  assert.equal(new FormParameters({ a: "1", b: "2" }).toString(), "a=1&b=2");
  assert.equal(new FormParameters([["a", "1"]]).size, 1);
});

test("URLs as in Node, parameters and parts in step", () => {
  const url = new InsideUrl("/a?b=1#c", "https://user:pw@host.example:8443/x/");
  assert.equal(url.href, "https://user:pw@host.example:8443/a?b=1#c");
  assert.deepEqual([url.origin, url.port, url.search, url.hash], ["https://host.example:8443", "8443", "?b=1", "#c"]);
  url.searchParams.append("d", "é");
  assert.equal(url.search, "?b=1&d=%C3%A9");
  url.search = "?z=9";
  assert.equal(url.searchParams.get("z"), "9");
  url.pathname = "/n m";
  assert.equal(String(url), "https://user:pw@host.example:8443/n%20m?z=9#c");
  assert.equal(JSON.stringify({ url }), `{"url":"${url.href}"}`);
  assert.equal(InsideUrl.canParse("nonsense"), false);
  assert.equal(InsideUrl.parse("nonsense"), null);
  assert.throws(() => new InsideUrl("nonsense"), TypeError);
  assert.throws(() => new InsideUrl("https://a.example/" + "x".repeat(40_000)), TypeError);
  assert.throws(() => {
    url.href = "nonsense";
  }, TypeError);
});

test("structured clones keep kinds and cycles and refuse functions", () => {
  const given = {
    map: new Map([[{ a: 1 }, new Set([1])]]),
    date: new Date(5),
    bytes: new Uint16Array([1, 2]),
    list: [1, [2], 3],
    error: new RangeError("r"),
    pattern: /x/gi,
  } as Record<string, unknown>;
  given["self"] = given;
  const copy = structuredCloneOf(given) as typeof given;
  assert.equal(copy["self"], copy);
  assert.notEqual(copy["date"], given["date"]);
  assert.deepEqual({ ...copy, self: 0 }, { ...structuredClone(given), self: 0 });
  assert.throws(() => structuredCloneOf({ a: () => {} }), TypeError);
  assert.deepEqual(structuredCloneOf(JSON.parse('{"__proto__":1}')), JSON.parse('{"__proto__":1}'));
});

test("what is asked of the process outside is answered for known words only", () => {
  assert.equal(answerUrlRequest("read", "/etc/passwd", "", ""), null);
  assert.equal(answerUrlRequest("url-set", "https://a.example", "constructor", "x"), null);
  assert.equal(answerUrlRequest("url", 1, {}, []), null);
  assert.equal(answerUrlRequest("random", "4", "", ""), null);
});

test("random bytes are those of ChaCha20, whose key is replaced by its own output each time", () => {
  const seed = randomBytes(32);
  const fill = createRandom(seed.toString("hex"));
  const given = new Uint8Array(3 * 480);
  for (let at = 0; at < given.length; at += 45) fill(given.subarray(at, at + 45));

  const key = Buffer.from(seed).swap32();
  const expected: Buffer[] = [];
  for (let refill = 0; refill < 3; refill += 1) {
    const stream = createCipheriv("chacha20", key, Buffer.alloc(16)).update(Buffer.alloc(512));
    stream.copy(key, 0, 0, 32);
    expected.push(stream.subarray(32));
  }
  assert.deepEqual(Buffer.from(given), Buffer.concat(expected));
});

test("a random identifier is a UUID of version 4, and never the same twice", () => {
  const fill = createRandom(randomBytes(32).toString("hex"));
  const made = Array.from({ length: 1_000 }, () => uuidOf(fill));
  for (const uuid of made) assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(made).size, made.length);
});
