import assert from "node:assert/strict";
import { test } from "node:test";
import { ALARMS_MAX, CALLS_AT_ONCE, CALLS_MAX, JSON_BYTES, LOGS_MAX, PIPES_MAX } from "../inside/bridge-limits.ts";
import { Outgoing } from "./outgoing.ts";

/** Counts the yes answers to one request more than allowed. */
function allowed(max: number, ask: (at: number) => boolean): number {
  let yes = 0;
  while (yes <= max && ask(yes)) yes += 1;
  return yes;
}

test("calls, steps, lines and alarms of a run are counted where its code is not", () => {
  const outgoing = new Outgoing();
  assert.equal(
    allowed(CALLS_AT_ONCE, (call) => outgoing.call(call, "{}")),
    CALLS_AT_ONCE,
  );
  assert.equal(
    allowed(PIPES_MAX, () => outgoing.pipe("1")),
    PIPES_MAX,
  );
  assert.equal(
    allowed(LOGS_MAX + 1, () => outgoing.log()),
    LOGS_MAX + 1,
  );
  assert.equal(
    allowed(LOGS_MAX, () => outgoing.rejection()),
    LOGS_MAX,
  );
  assert.equal(
    allowed(ALARMS_MAX, () => outgoing.alarm()),
    ALARMS_MAX,
  );
});

test("a call counts until its reply, and all together never more than a hundred", () => {
  const outgoing = new Outgoing();
  const answered = (call: number): boolean => {
    const may = outgoing.call(call, "{}");
    outgoing.replied(call);
    return may;
  };
  assert.equal(allowed(CALLS_MAX, answered), CALLS_MAX);
  assert.equal(outgoing.isWaiting, false);
});

test("texts are measured in bytes, whatever their characters", () => {
  const half = "é".repeat(JSON_BYTES / 4);
  assert.equal(new Outgoing().call(1, "é".repeat(JSON_BYTES / 2)), true);
  assert.equal(new Outgoing().call(1, `${"é".repeat(JSON_BYTES / 2)}x`), false);
  const outgoing = new Outgoing();
  assert.equal(
    allowed(3, (call) => outgoing.call(call, half)),
    2,
    "inputs under way",
  );
  assert.equal(
    allowed(3, () => outgoing.pipe(half)),
    2,
    "steps",
  );
  const all = new Outgoing();
  const answered = (call: number): boolean => {
    const may = all.call(call, half);
    all.replied(call);
    return may;
  };
  assert.equal(allowed(40, answered), 32, "inputs of a run");
});
