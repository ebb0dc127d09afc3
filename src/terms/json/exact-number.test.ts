import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createBoundedSchemas } from "../schema/author-schemas.ts";
import { ExactNumber, isExactAsDouble, nearestNumbers, readNumber } from "./exact-number.ts";
import { isJsonObject, JsonError, parseJson, type Json, type JsonLimits } from "./json.ts";

const LIMITS: JsonLimits = { depthMax: 64, keysPerObjectMax: 1000 };
const read = (text: string): Json => parseJson(Buffer.from(text), LIMITS);

/** Numbers in every form that JSON allows, most of them with more digits than a double. */
const literals = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.stringMatching(/^[0-9]{1,30}$/)),
    fc.option(fc.integer({ min: -330, max: 250 })),
  )
  .map(([minus, whole, fraction, power]) =>
    [minus ? "-" : "", whole, fraction === null ? "" : `.${fraction}`, power === null ? "" : `e${power}`].join(""),
  );

test("every number of a document is written as it was read, wherever it occurs", () => {
  const documents = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 4 },
      literals,
      fc.string().map((text) => JSON.stringify(text)),
      literals.map((literal) => `"\\"${literal}"`),
      fc.array(tie("text"), { maxLength: 5 }).map((entries) => `[${entries.join(", ")}]`),
      fc
        .dictionary(fc.oneof(fc.string(), literals, fc.constantFrom("__proto__", "toJSON", "é")), tie("text"), {
          maxKeys: 5,
        })
        .map(
          (members) =>
            `{${Object.entries(members)
              .map(([name, text]) => `${JSON.stringify(name)} : ${text}`)
              .join()}}`,
        ),
    ),
  })).text;
  fc.assert(
    fc.property(documents, (text) => {
      assert.deepEqual(numbersOf(JSON.stringify(read(text))), numbersOf(text));
      assert.deepEqual(nearestNumbers(read(text)), JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

/**
 * Every number outside strings, as a reduced fraction of integers: arithmetic that shares no code with the tested one.
 */
function numbersOf(text: string): string[] {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  const found = outside.matchAll(/(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?/g);
  return Array.from(found, ([, minus, whole = "", fraction = "", power = "0"]) => {
    const places = fraction.length - Number(power);
    let [above, below] = [BigInt(whole + fraction), 1n];
    if (places < 0) above *= 10n ** BigInt(-places);
    else below = 10n ** BigInt(places);
    while (below > 1n && above % 10n === 0n) [above, below] = [above / 10n, below / 10n];
    return above === 0n ? "0" : `${minus}${above}/${below}`;
  }).sort();
}

test("of two members with the same name the last counts, whichever of them is long", () => {
  assert.equal(JSON.stringify(read('{"a": 12345678901234567891, "a": 3}')), '{"a":3}');
  assert.equal(JSON.stringify(read('{"a": 3, "a": 12345678901234567891}')), '{"a":12345678901234567891}');
});

test("a long number in a wrong place is refused as before", () => {
  for (const text of [
    "{12345678901234567891: 1}",
    "[012345678901234567891]",
    "12345678901234567891 2",
    "[1.2.345678901234567]",
  ])
    assert.throws(() => read(text), new JsonError("syntax"));
});

test("a string is never taken for a number, whatever it begins with", () => {
  for (const text of ["\ue000", "\ue0000", "\\ue0000", "\\uE0010"].map((mark) => `["${mark}", 12345678901234567891]`))
    assert.equal(
      JSON.stringify(read(text)),
      JSON.stringify(JSON.parse(text)).replace(/\d{20}/, "12345678901234567891"),
    );
  const allMarks = Array.from({ length: 10 }, (_, index) => `\\uE00${index}0`).join("");
  assert.throws(() => read(`["${allMarks}", 12345678901234567891]`), new JsonError("not_exact"));
  assert.ok(Array.isArray(read(`["${allMarks}", 1234567890123456]`)));
});

test("a document of nothing but long numbers is refused instead of processed at length", () => {
  assert.throws(() => read(`[${"12345678901234567891,".repeat(30_000)}1]`), new JsonError("not_exact"));
});

test("an exact number is one value: its text is exact, and arithmetic on an integer is refused", () => {
  const id = read("12345678901234567891") as ExactNumber;
  assert.ok(id instanceof ExactNumber && !isJsonObject(id));
  assert.equal(String(id), "12345678901234567891");
  assert.equal(JSON.stringify({ id }), '{"id":12345678901234567891}');
  assert.throws(() => Number(id), /cannot calculate with this number/);
  const share = read("0.70000000000000001") as ExactNumber;
  assert.ok((share as unknown as number) > 0.6);
});

test("a number is read from a text only if it is a JSON number", () => {
  for (const text of ["", " ", "0x10", "1e999", "01", "1.", ".5", "+1", "NaN", "1 "])
    assert.equal(readNumber(text), null);
  assert.equal(readNumber("-1.50"), -1.5);
  assert.equal(String(readNumber("9007199254740993")), "9007199254740993");
});

test("a double keeps a number that it writes again as an equal one, with any zeros around it", () => {
  for (const kept of [
    "0",
    "-0",
    "0.0",
    "1.50",
    "1e22",
    "10000000000000000000000",
    "9007199254740992",
    "5e-324",
    "0e-400",
  ])
    assert.ok(isExactAsDouble(kept, Number(kept)), kept);
  for (const changed of ["9007199254740993", "0.10000000000000001", "1e-400", "2.5e-324", "-9007199254740993"])
    assert.ok(!isExactAsDouble(changed, Number(changed)), changed);
});

test("schemas see the nearest number, and the value stays unchanged", () => {
  const check = createBoundedSchemas().compile({ properties: { id: { type: "integer", minimum: 1 } } });
  assert.ok(check(read('{"id": 12345678901234567891}')));
  assert.ok(!check(read('{"id": -12345678901234567891}')));
  assert.ok(check(Object.freeze(read('{"id": 12345678901234567891}'))));
  assert.ok(!check(read('{"id": "12345678901234567891"}')));
});
