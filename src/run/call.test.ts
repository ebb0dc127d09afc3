import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { beginAttempt, makeCall, makeRun } from "./call.kit.ts";
import { NO_RECORD } from "./not-recorded.ts";
import { reportCall, runCall } from "./fan-out.ts";
import type { OpenRun } from "./active-run.ts";
import type { PlannedCall, RunnableSource } from "./ports.ts";

const clock = new FakeClock();
const source = { timeoutMs: 1_000, leavesMachine: true, charge: "per_call" } as RunnableSource;

/** A call whose first request is answered with 200 and whose second one ends like this. */
async function answeredOnceThen(meets: (run: OpenRun, call: PlannedCall) => void) {
  const run = makeRun({ record: { ...NO_RECORD } });
  const call = makeCall({ run });
  const adapter = async () => {
    const first = beginAttempt(call, clock);
    first.answered(200, true);
    first.end();
    meets(run, call);
    beginAttempt(call, clock);
    return { match: true, json: "{}" };
  };
  const report = reportCall(await runCall({ source, call }, adapter, clock));
  return { code: report.fault?.code, charged: report.charged, attempts: report.attempts.map((one) => one.charged) };
}

test("a request that cannot be recorded, or comes too late, does not change the charge of one that was answered", async () => {
  const fullDisk = await answeredOnceThen(({ record }) => {
    record.intend = () => {
      throw new Error("no space left on device");
    };
  });
  assert.deepEqual(fullDisk, { code: "source.unrecorded", charged: "yes", attempts: ["yes"] });
  const clientGone = await answeredOnceThen((run) => run.clientGone());
  assert.deepEqual(clientGone, { code: "source.stopped", charged: "yes", attempts: ["yes"] });
  const over = await answeredOnceThen((_, call) => call.end());
  assert.deepEqual(over, { code: "source.stopped", charged: "yes", attempts: ["yes"] });
});
