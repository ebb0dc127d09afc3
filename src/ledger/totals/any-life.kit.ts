/** Arbitrary histories of a ledger: runs recorded, settled, summed up and deleted, with queries in between. */
import * as fc from "fast-check";
import { Fault } from "../../terms/fault.ts";
import { DAY_MS, HOUR_MS } from "../../terms/time/durations.ts";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";
import type { Ended } from "./sums-of-rows.kit.ts";

/** Long past, so that its days have totals. In Berlin, clocks change on the third of these days, and a month ends. */
export const FIRST = Date.UTC(2026, 2, 27);
export const KEYS = ["org", "workflow", "vendor", "source", "credential", "day"] as const;

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
    tokenId: fc.constantFrom("tok_a", "tok_b"),
    called: fc.constantFrom(
      { kind: "data" as const, functionId: null, functionVersion: null },
      { kind: "func" as const, functionId: "dfunc_a", functionVersion: "f1" },
      { kind: "func" as const, functionId: "dfunc_a", functionVersion: "f2" },
      { kind: "func" as const, functionId: "dfunc_typo", functionVersion: null },
    ),
    isFailed: fc.boolean(),
    tookMs: fc.constantFrom(0, 25, 200_000),
    calls: fc.array(
      fc.record({
        source: fc.constantFrom("acme__people", "acme__cars", "bell__phone"),
        sourceVersion: fc.constantFrom("s1", "s2"),
        tookMs: fc.constantFrom(0, 1, 2, 45, 119_999, 120_001),
        ending: fc.constantFrom(
          { success: true, match: true, fault: null },
          { success: true, match: false, fault: null },
          { success: false, match: false, fault: new Fault("source.timeout", { afterMs: 1 }) },
          { success: false, match: false, fault: new Fault("source.credential_missing", { problem: "none" }) },
          { success: false, match: false, fault: new Fault("source.budget_used", { budget: "bud_a" }) },
        ),
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
  .map(({ calls, called, isFailed, tookMs, ...ofRun }) => {
    const run = makeRun({ ...ofRun, ...called });
    const functionFault = called.functionId === "dfunc_typo" ? "function.unknown" : "function.raised";
    const reports = calls.map(({ attempts, ending, ...call }, ordinal) =>
      makeCall({
        ...call,
        ...ending,
        ordinal,
        attempts: attempts.map(({ after, ...one }, at) =>
          makeAttempt({ ...one, number: at + 1, sentWallAt: ofRun.startedWallAt + after }),
        ),
      }),
    );
    const isOfFunction = called.kind === "func" && (isFailed || called.functionId === "dfunc_typo");
    return [run, makeReport(run, { calls: reports, tookMs, ...(isOfFunction && { functionFault }) })];
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
