import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { isChosen } from "./find-version.ts";

const RUNS = 10_000;
// The same ids each time: of thirteen shares of random ids, one is outside three standard deviations in every thirtieth test.
const ids = Array.from({ length: RUNS }, (_, at) => `trx_${hash("sha256", String(at), "hex").slice(0, 32)}`);

/** How often a share of `percent` is expected within three standard deviations of 10,000 runs. */
function assertShare(chosen: number, percent: number): void {
  const share = percent / 100;
  const deviation = Math.sqrt(RUNS * share * (1 - share));
  assert.ok(Math.abs(chosen - RUNS * share) <= 3 * deviation, `${chosen} of ${RUNS} at ${percent} %`);
}

test("of 10,000 runs, a canary gets its percentage within three standard deviations", () => {
  for (const percent of [0.5, 1, 10, 33.3, 50, 99])
    for (const id of ["dfunc_decide", "acme__facts"])
      assertShare(ids.filter((transactionId) => isChosen(percent, id, transactionId)).length, percent);
  assert.equal(ids.filter((transactionId) => isChosen(100, "dfunc_decide", transactionId)).length, RUNS);
});

test("the choices for a function and a source of the same runs are independent, and a larger share has all of a smaller one", () => {
  const both = ids.filter((id) => isChosen(20, "dfunc_decide", id) && isChosen(50, "acme__facts", id));
  assertShare(both.length, 10);
  for (const id of ids) if (isChosen(10, "dfunc_decide", id)) assert.ok(isChosen(20, "dfunc_decide", id));
});
