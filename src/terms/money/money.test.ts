import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { CURRENCIES } from "./currency.ts";
import {
  AMOUNT_MAX,
  amountFromColumn,
  amountFromSum,
  amountText,
  amountToColumn,
  readAmount,
  type Micros,
} from "./money.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

test("an amount is read to the millionth, and written as it was read", () => {
  for (const [text, micros] of [
    ["0", 0n],
    ["0.35", 350_000n],
    ["12", 12_000_000n],
    ["0.000001", 1n],
    ["1000000000", AMOUNT_MAX],
  ] as const)
    assert.equal(readAmount(text), micros);
  assert.equal(amountText(350_000n), "0.35");
  assert.equal(amountText(12_000_000n), "12.00");
  assert.equal(amountText(-1n), "-0.000001");
});

test("what is not exactly an amount is not an amount", () => {
  for (const text of ["", "-1", "+1", "1e3", "0.1234567", "1,5", "01", ".5", "1.", " 1", "1000000000.000001", "NaN"])
    assert.equal(readAmount(text), null, text);
});

test("every amount survives text, column and sum", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: AMOUNT_MAX }), (micros: Micros) => {
      assert.equal(readAmount(amountText(micros)), micros);
      assert.equal(amountFromColumn(amountToColumn(micros)), micros);
      assert.equal(amountFromSum(String(micros)), micros);
    }),
  );
});

test("the codes of currencies are those that the platform knows, and the newest ones", () => {
  const known = new Set(Intl.supportedValuesOf("currency"));
  const NEW = new Set(["XCG", "ZWG"]);
  assert.deepEqual(
    [...CURRENCIES].filter((code) => !known.has(code) && !NEW.has(code)),
    [],
  );
  for (const code of ["EUR", "USD", "JPY", "VES"]) assert.ok(CURRENCIES.has(code), code);
  for (const code of ["DEM", "XAU", "XTS", "eur", "EURO"]) assert.ok(!CURRENCIES.has(code), code);
});

test("an amount cannot be mixed with a floating point number", () => {
  const amount: Micros = 350_000n;
  // @ts-expect-error -- the type refuses it, and so does the engine
  assert.throws(() => amount * 0.5, TypeError);
  // @ts-expect-error -- a number is not an amount
  const rounded: Micros = 0.35;
  assert.equal(typeof rounded, "number");
});

/** Conversions of an amount, or of its text, to a number. The type refuses all others, such as `Math.round`. */
const CONVERSIONS = /\b(?:Number|parseFloat|parseInt|BigInt)\(|\.toFixed\(|\.toLocaleString\(/;
const KNOWS_MONEY =
  /\b(?:Micros|Price|PriceTerm|amountText|amountToColumn|amountFrom(?:Column|Sum)|amountForMetric|readAmount)\b/;

/** The lines of a file that convert numbers, if the file is about money. */
function conversions(code: string): readonly string[] {
  if (!KNOWS_MONEY.test(code)) return [];
  return code.split("\n").filter((line) => CONVERSIONS.test(line) && !/^\s*(?:\*|\/[/*])/.test(line));
}

test("only one file converts amounts: any other that knows money contains no conversion to a number", () => {
  const wrong = globSync("src/**/*.ts", { cwd: ROOT })
    .filter((file) => !/\.(?:test|kit)\.ts$|terms\/money\/money\.ts$/.test(file))
    .flatMap((file) => conversions(readFileSync(join(ROOT, file), "utf8")).map((line) => `${file}: ${line.trim()}`));
  assert.deepEqual(wrong, [], "keep amounts as Micros, and convert them with src/terms/money/money.ts");
});

test("that rule fails when it should", () => {
  const importing = 'import { amountText } from "./money.ts";\n';
  assert.deepEqual(conversions(`${importing}const half = Number(amount) / 2;`), ["const half = Number(amount) / 2;"]);
  assert.equal(conversions(`${importing}const text = (cents / 100).toFixed(2);`).length, 1);
  assert.deepEqual(conversions("const n = Number(text);"), []);
});
