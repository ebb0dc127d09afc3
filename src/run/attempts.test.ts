import assert from "node:assert/strict";
import { test } from "node:test";
import { heldWithoutLimit } from "../terms/byte-budget.ts";
import { FakeClock } from "../terms/clock.kit.ts";
import { createBeforeSend } from "./attempts.ts";
import { settle } from "./fan-out.ts";
import { planCall } from "./plan.ts";
import type { AttemptIntent, PlannedCall, Run, RunnableSource } from "./ports.ts";
import { reportCall } from "./report.ts";

const clock = new FakeClock();
const source = { timeoutMs: 1_000, leavesMachine: true, charge: "per_call" } as RunnableSource;

/** A call whose first request is answered with 200, and whose second one meets this. */
async function answeredOnceThen(meets: (run: Run, call: PlannedCall) => void) {
  const intents: AttemptIntent[] = [];
  const run = {
    arrivedAt: 0,
    held: heldWithoutLimit(),
    maySend: true,
    record: { intend: (intent: AttemptIntent) => void intents.push(intent) },
  } as unknown as Run;
  const call = planCall(run, {
    id: "acme__people",
    ordinal: 0,
    entry: true,
    inputs: {},
    source,
    startedAt: 0,
    from: 0,
  });
  const beforeSend = createBeforeSend(clock);
  const adapter = async () => {
    const first = beforeSend(call, "https://api.acme.example", "GET", false);
    Object.assign(first, { status: 200, isAnswer: true, hasEnded: true });
    meets(run, call);
    beforeSend(call, "https://api.acme.example", "GET", false);
    return { match: true, json: "{}" };
  };
  const report = reportCall(await settle({ source, call }, adapter, clock));
  return { code: report.fault?.code, charged: report.charged, attempts: report.attempts.map((one) => one.charged) };
}

test("a request that cannot be recorded, or comes too late, clears nothing of one that was answered", async () => {
  const fullDisk = await answeredOnceThen(({ record }) => {
    record.intend = () => {
      throw new Error("no space left on device");
    };
  });
  assert.deepEqual(fullDisk, { code: "source.unrecorded", charged: "yes", attempts: ["yes"] });
  const clientGone = await answeredOnceThen((run) => (run.maySend = false));
  assert.deepEqual(clientGone, { code: "source.stopped", charged: "yes", attempts: ["yes"] });
  const over = await answeredOnceThen((_, call) => (call.ended = true));
  assert.deepEqual(over, { code: "source.stopped", charged: "yes", attempts: ["yes"] });
});
