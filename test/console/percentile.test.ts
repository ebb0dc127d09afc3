import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { DURATION_BOUNDS_MS, percentileOf as ofService } from "../../src/ledger/history/durations.ts";
import { percentileOf } from "../../console/parts/history/percentile.ts";

test("percentiles of a chart are those of the service", () => {
  const buckets = fc.array(fc.nat(1_000), { maxLength: DURATION_BOUNDS_MS.length + 1 });
  fc.assert(
    fc.property(buckets, fc.constantFrom(0.5, 0.95, 0.99), (counts, share) => {
      assert.equal(percentileOf(counts, DURATION_BOUNDS_MS, share), ofService(counts, share));
    }),
  );
});
