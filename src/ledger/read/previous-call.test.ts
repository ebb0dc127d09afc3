import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CallRow } from "../ports.ts";
import { endOf, previousCalls } from "./previous-call.ts";

type Times = readonly [startedAfterMs: number | null, tookMs: number | null];

function callsOf(times: readonly Times[]): CallRow[] {
  return times.map(([started_after_ms, took_ms], ordinal) => ({ ordinal, started_after_ms, took_ms }) as CallRow);
}

/** The definition, by comparing all calls. */
function lastBefore(call: CallRow, calls: readonly CallRow[]): CallRow | null {
  const at = call.started_after_ms;
  if (at === null) return null;
  return calls.reduce<CallRow | null>((last, other) => {
    if (other.started_after_ms === null || other.took_ms === null) return last;
    const hadEnded = endOf(other) <= at && other.started_after_ms < at;
    return hadEnded && (last === null || endOf(other) > endOf(last)) ? other : last;
  }, null);
}

test("a call waited for the last of those that had ended when it began, however they are mixed", () => {
  const time = fc.option(fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(time, time), { maxLength: 12 }), (times) => {
      const calls = callsOf(times);
      const waitedFor = previousCalls(calls);
      for (const call of calls) assert.equal(waitedFor(call), lastBefore(call, calls));
    }),
  );
});
