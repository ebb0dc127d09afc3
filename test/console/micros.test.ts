import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { amountText } from "../../src/terms/money/money.ts";
import { largestOf, thousandths, toMicros } from "../../console/parts/micros.ts";

test("every amount that the service writes is read to the last millionth", () => {
  const anyAmount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(fc.property(anyAmount, (micros) => assert.equal(toMicros(amountText(micros)), micros)));
  assert.equal(toMicros("12.50 EUR"), 12_500_000n);
  assert.equal(toMicros("3 requests"), 3_000_000n);
});

test("a share is exact to a thousandth, and what is there can be seen", () => {
  assert.equal(thousandths("1.00", "3.00"), 333);
  assert.equal(thousandths("0.000001", "9000000000000000000.00"), 1);
  assert.equal(thousandths("0.00", "5.00"), 0);
  assert.equal(thousandths("1.00", "0.00"), 0);
  assert.equal(thousandths("7.00", "5.00"), 1_000);
  assert.equal(largestOf(["9007199254740993.00", "9007199254740992.00"]), "9007199254740993.00");
});
