import assert from "node:assert/strict";
import { test } from "node:test";
import { stopUnderLoad } from "../lifecycle/stops.ts";

const STOPS = 50;

test(`${STOPS} stops under load lose no request of a client that keeps its connections`, async (t) => {
  const counts = await stopUnderLoad(t, STOPS);
  t.diagnostic(JSON.stringify(counts));
  assert.equal(counts.lost, 0);
});
