import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JsonError, JsonReading, parseInStretches, parseJson, type JsonLimits } from "./json.ts";
import { slowClock } from "./slow-clock.kit.ts";
import { Stretch } from "./stretch.ts";

const LIMITS: JsonLimits = { depthMax: 64, keysPerObjectMax: 100_000 };

/** The value, or the problem; read in steps of this many bytes. */
function readIn(stretchBytes: number, text: string | Buffer, limits = LIMITS): unknown {
  const reading = new JsonReading(Buffer.from(text as string), limits, () => true, stretchBytes);
  try {
    while (reading.next());
    return { value: reading.value };
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return error.problem;
  }
}

function readAtOnce(text: string, limits = LIMITS): unknown {
  try {
    return { value: parseJson(Buffer.from(text), limits) };
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return error.problem;
  }
}

// Without escapes: if one name is the escaped form of another, V8 may confuse them.
const NAMES = fc.oneof(
  fc.constantFrom("__proto__", "", "a", "1", "e"),
  fc.string({ maxLength: 4 }).filter((name) => !name.includes("\\")),
);
const DOCUMENTS = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom("0", "-1.5e3", "12345678901234567890", "0.1234567890123456789", "true", "null", "1e400"),
    fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => JSON.stringify(text)),
    fc.array(tie("value"), { maxLength: 5 }).map((entries) => `[ ${entries.join(" ,")} ]`),
    fc
      .uniqueArray(fc.tuple(NAMES, tie("value")), { maxLength: 5, selector: ([name]) => name })
      .map(
        (members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} : ${String(value)}`).join(", ")} }`,
      ),
  ),
})).value as fc.Arbitrary<string>;

test("a document read in steps has the same value as one read at once, however short the steps", () => {
  fc.assert(
    fc.property(DOCUMENTS, fc.integer({ min: 1, max: 24 }), (text, stretchBytes) => {
      assert.deepEqual(readIn(stretchBytes, text), readAtOnce(text));
    }),
    { numRuns: 3000 },
  );
});

test("invalid JSON is refused in steps for the same reason as at once", () => {
  fc.assert(
    fc.property(
      DOCUMENTS,
      fc.nat(),
      fc.constantFrom("", ",", "]", "}", "[", "{", '"', "\\", "\u0001", "0", "e", ":", "nul", "1,", ",,", "[]", "{},"),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 8 }),
      (text, where, slip, stretchBytes, depthMax) => {
        const at = where % (text.length + 1);
        const broken = text.slice(0, at) + slip + text.slice(at + 1);
        const limits = { depthMax, keysPerObjectMax: 4, valuesMax: 40 };
        const [inStretches, atOnce] = [readIn(stretchBytes, broken, limits), readAtOnce(broken, limits)];
        // Reading in steps notices a number that is not finite even if a later member of the same name replaces it.
        if (inStretches === "not_finite") assert.match(broken, /\de\d/i);
        else assert.deepEqual(inStretches, atOnce, broken);
      },
    ),
    { numRuns: 5000 },
  );
});

test("an extremely long number is refused before it is read", () => {
  assert.equal(readIn(65_536, `{"a":[1,0.${"3".repeat(1_000_000)}]}`), "not_exact");
  assert.deepEqual(readIn(65_536, `{"a":[1,${" ".repeat(1_000_000)}2]}`), { value: { a: [1, 2] } });
});

test("memory for a large document is requested before any of it is built", () => {
  const text = `{"list":[${"{},".repeat(40_000)}{}]}`;
  const asked: number[] = [];
  const reading = new JsonReading(Buffer.from(text), LIMITS, (bytes) => asked.push(bytes) < 0);
  assert.throws(() => {
    while (reading.next());
  }, /no_room/);
  assert.equal(asked.length, 1);
  assert.ok(asked[0]! > 40_000 * 56);
});

test("no step does more than a small part of a large document", () => {
  for (const text of [
    `{"list":[${"{},".repeat(49_000)}{}]}`,
    `{"list":[${Array.from({ length: 5_000 }, (_, at) => `{"n${at}":"${"x".repeat(60)}","m${at}":${at}}`).join(",")}]}`,
    `{${Array.from({ length: 60_000 }, (_, at) => `"n${at}":${at}`).join(",")}}`,
    `{"a":{"b":[${Array.from({ length: 800 }, () => `${"[".repeat(60)}1${"]".repeat(60)}`).join(",")}]}}`,
  ]) {
    const pieces: number[] = [];
    const { parse } = JSON;
    const reading = new JsonReading(Buffer.from(text), LIMITS);
    let more = true;
    while (more) {
      let parsed = 0;
      JSON.parse = (piece: string) => {
        parsed += piece.length;
        return parse(piece) as unknown;
      };
      try {
        more = reading.next();
      } finally {
        JSON.parse = parse;
      }
      pieces.push(parsed);
    }
    assert.ok(Math.max(...pieces) <= 3 * 65_536, String(Math.max(...pieces)));
    assert.deepEqual(reading.value, parse(text));
  }
});

test("other work runs while a large document is read, and before the next one", async () => {
  const { clock, turns } = slowClock();
  const value = { list: Array.from({ length: 40_000 }, (_, at) => ({ [`n${at}`]: at })) };
  const bytes = Buffer.from(JSON.stringify(value));
  assert.deepEqual(await parseInStretches(bytes, LIMITS, new Stretch(clock)), value);
  assert.ok(turns() >= (2 * bytes.length) / 65_536, String(turns()));
});
