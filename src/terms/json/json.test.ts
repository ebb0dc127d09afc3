import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nearestNumbers } from "./exact-number.ts";
import { JsonError, parseJson, type JsonLimits } from "./json.ts";

const LIMITS: JsonLimits = { depthMax: 64, keysPerObjectMax: 1000 };

function problemOf(bytes: Buffer | string, limits: JsonLimits = LIMITS): string | null {
  try {
    parseJson(Buffer.from(bytes as string), limits);
    return null;
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return error.problem;
  }
}

test("what JSON.parse accepts is read the same, and what it refuses is refused", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      assert.deepEqual(parseJson(Buffer.from(text), LIMITS), JSON.parse(text));
    }),
  );
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", ",", "]", "}", '"', "\\", "\u0001", "0", "e", ":", "nul"),
      (text, at, slip) => {
        const broken = text.slice(0, at % (text.length + 1)) + slip + text.slice((at % (text.length + 1)) + 1);
        let expected: unknown;
        let valid = true;
        try {
          expected = JSON.parse(broken);
        } catch {
          valid = false;
        }
        if (valid && !allFinite(expected)) assert.equal(problemOf(broken), "not_finite");
        else if (valid) assert.deepEqual(nearestNumbers(parseJson(Buffer.from(broken), LIMITS)), expected);
        else assert.equal(problemOf(broken), "syntax");
      },
    ),
    { numRuns: 2000 },
  );
});

function allFinite(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(allFinite);
  return typeof value !== "number" || Number.isFinite(value);
}

test("depth counts nesting, whatever strings contain", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(problemOf(nested(64)), null);
  assert.equal(problemOf(nested(65)), "too_deep");
  assert.equal(problemOf(`{"a":${nested(64)}}`), "too_deep");
  assert.equal(problemOf(JSON.stringify("[".repeat(500))), null);
  assert.equal(problemOf(JSON.stringify('\\"['.repeat(500))), null);
  assert.equal(problemOf("[".repeat(1_000_000)), "too_deep");
});

test("nesting counts even if another member of the same name replaces it", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(problemOf(`{"a":${nested(64)},"a":1}`), "too_deep");
  assert.equal(problemOf(`{"a":${nested(63)},"a":"${"[".repeat(100)}"}`), null);
});

test("a small document and a large one are read alike", () => {
  // Blanks make a document large without changing its value.
  const grown = (text: string) => text + " ".repeat(70_000);
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 6 }),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom("", "[[[[", '{"a":[],"a":1}', "1e400", "{"),
      (text, depthMax, more) => {
        const document = `[${text},${more === "" ? "0" : more}]`;
        const limits = { depthMax, keysPerObjectMax: 100_000 };
        assert.equal(problemOf(document, limits), problemOf(grown(document), limits));
      },
    ),
    { numRuns: 500 },
  );
});

test("keys are counted separately for each object", () => {
  const object = (keys: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1])));
  assert.equal(problemOf(object(1000)), null);
  assert.equal(problemOf(object(1001)), "too_many_keys");
  assert.equal(problemOf(`[${object(900)},${object(900)}]`), null);
});

test("values are counted over the whole document, before any of it is built", () => {
  const limits = { ...LIMITS, valuesMax: 100 };
  assert.equal(problemOf(JSON.stringify(Array.from({ length: 100 }, () => 7)), limits), null);
  assert.equal(problemOf(JSON.stringify(Array.from({ length: 101 }, () => 7)), limits), "too_many_values");
  assert.equal(problemOf(JSON.stringify({ a: Array(60).fill(1), b: [Array(60).fill(2)] }), limits), "too_many_values");
  assert.equal(problemOf(`["${"[,{,".repeat(1000)}"]`, limits), null, "what is in a text is none");
  // The document ends right after the last allowed value, which shows that nothing after it was read.
  assert.equal(problemOf(`[${"0,".repeat(101)}`, limits), "too_many_values");
});

test("the end of a string is found with any escapes, long or short", () => {
  const letters = fc.constantFrom('"', "\\", "[", ",", "a".repeat(70), "a", "\u00e4");
  const texts = fc.array(letters, { maxLength: 120 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      const limits = { depthMax: 1, keysPerObjectMax: 1, valuesMax: 2 };
      assert.deepEqual(parseJson(Buffer.from(JSON.stringify([text])), limits), [text]);
    }),
  );
});

test("ten megabytes of tiny values are refused by default, and use no memory", () => {
  const nothing = Buffer.from(`[${"{},".repeat(3_400_000)}{}]`);
  const before = process.memoryUsage().heapUsed;
  assert.equal(problemOf(nothing), "too_many_values");
  assert.ok(process.memoryUsage().heapUsed - before < 8 * 1024 * 1024);
});

test("numbers that are not finite are refused anywhere, and large finite ones are not", () => {
  for (const text of [
    "1e400",
    "-1e400",
    '{"a":[1,{"b":1E+999}]}',
    "9".repeat(400),
    `[${"9".repeat(309)}]`,
    "1.5e309",
  ]) {
    assert.equal(problemOf(text), "not_finite", text.slice(0, 20));
  }
  for (const text of [
    "1e308",
    "1e-400",
    "9007199254740993",
    "123456789012345678901234567890",
    '"1e400"',
    "true",
    '{"e":1,"1e400":2}',
  ]) {
    assert.equal(problemOf(text), null, text);
  }
});

test("invalid UTF-8 is refused, and a byte order mark is dropped", () => {
  assert.equal(problemOf(Buffer.from([0x22, 0xff, 0x22])), "encoding");
  assert.equal(problemOf(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), "encoding");
  assert.equal(problemOf(Buffer.from('{"a":1}', "utf16le")), "syntax");
  assert.deepEqual(parseJson(Buffer.from('\ufeff{"ä":"ü"}'), LIMITS), { ä: "ü" });
  assert.deepEqual(parseJson(Buffer.from('\ufeff{"a":1}'), LIMITS), { a: 1 });
});

test("names such as __proto__ are ordinary names", () => {
  const value = parseJson(Buffer.from('{"__proto__":{"admin":true},"constructor":1,"toString":2}'), LIMITS) as object;
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor", "toString"]);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});
