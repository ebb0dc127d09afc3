/** Arbitrary histories of a ledger: runs recorded, settled, summed up and deleted, with queries in between. */
import * as fc from "fast-check";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";
import { DAY_MS } from "./spans.ts";
import type { Ended } from "./sums-of-rows.kit.ts";

export const HOUR_MS = DAY_MS / 24;
/** Long past, so that its days have totals. In Berlin, clocks change on the third of these days, and a month ends. */
export const FIRST = Date.UTC(2026, 2, 27);
export const KEYS = ["org", "workflow", "source", "credential", "day"] as const;

const anyRun: fc.Arbitrary<Ended> = fc
  .record({
    startedWallAt: fc
      .oneof(
        fc.nat(4 * DAY_MS),
        fc.nat(4).map((day) => day * DAY_MS - 1),
      )
      .map((at) => FIRST + at),
    organizationId: fc.constantFrom("org_a", "org_b"),
    workflowId: fc.constantFrom("wfl_a", "wfl_b"),
    simulated: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    calls: fc.array(
      fc.record({
        source: fc.constantFrom("acme__people", "bell__phone"),
        credentialId: fc.constantFrom(null, "cred_a", "cred_b"),
        credentialRule: fc.constantFrom("none" as const, "inline" as const),
        attempts: fc.array(
          fc.record({
            after: fc.constantFrom(0, 1, 5_000, HOUR_MS, -1_000, 30 * HOUR_MS),
            charged: fc.constantFrom("yes" as const, "no" as const, "unknown" as const),
            price: fc.constantFrom(null, { amount: 350_000n, currency: "EUR" }, { amount: 7n, currency: "USD" }),
          }),
          { maxLength: 3 },
        ),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ calls, ...ofRun }) => {
    const run = makeRun(ofRun);
    const reports = calls.map(({ attempts, ...call }, ordinal) =>
      makeCall({
        ...call,
        ordinal,
        attempts: attempts.map(({ after, ...one }, at) =>
          makeAttempt({ ...one, number: at + 1, sentWallAt: ofRun.startedWallAt + after }),
        ),
      }),
    );
    return [run, makeReport(run, { calls: reports })];
  });

const anyMoment = fc.oneof(
  fc.integer({ min: -1, max: 6 }).map((day) => FIRST + day * DAY_MS),
  fc.integer({ min: -DAY_MS, max: 6 * DAY_MS }).map((at) => FIRST + at),
  fc.integer({ min: 0, max: 96 }).map((hour) => FIRST + hour * HOUR_MS),
);
const maybe = <Value>(...values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
export const anyQuestion = fc.record({
  by: fc.constantFrom(...KEYS),
  moments: fc.tuple(anyMoment, anyMoment),
  organizationId: maybe("org_a", "org_none"),
  workflowId: maybe("wfl_b"),
  source: maybe("bell__phone"),
  credentialId: maybe("cred_a"),
  timeZone: maybe("Europe/Berlin", "America/New_York", "Asia/Kathmandu"),
});
export const anyStep = fc.oneof(
  fc.record({ put: fc.array(anyRun, { minLength: 1, maxLength: 8 }) }),
  fc.record({
    settle: fc.nat(1_000),
    charged: fc.constantFrom("yes" as const, "no" as const, "unknown" as const),
    price: fc.constantFrom(undefined, { amount: 9n, currency: "USD" }),
  }),
  fc.record({ makeAfter: fc.nat(1_000), laterMs: fc.constantFrom(4 * 60_000, HOUR_MS, 20 * HOUR_MS, 30 * HOUR_MS) }),
  fc.record({ makeAfter: fc.nat(1_000), laterMs: fc.constantFrom(4 * 60_000, HOUR_MS, 20 * HOUR_MS, 30 * HOUR_MS) }),
  fc.record({ prune: anyMoment }),
);
