import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import type { EndedCall } from "../../terms/ended-call.ts";
import { Fault } from "../../terms/fault.ts";
import { makeCall, makeRun } from "../call.kit.ts";
import type { CallResult, RunnableSource } from "../ports.ts";
import { withWatch } from "./watch.ts";

const SOURCE = {} as RunnableSource;

test("the calls of a watched run are reported as they end, and those of no other run", async () => {
  const clock = new FakeClock();
  const step = withWatch(clock);
  const answered = Promise.withResolvers<CallResult>();
  const runSource = step((_, call) =>
    call.id === "acme__slow" ? answered.promise : Promise.reject(new Fault("source.stopped")),
  );
  const told: EndedCall[] = [];
  const run = makeRun({ arrivedAt: clock.now() });
  const unwatch = step.watch(run.caller.tokenId, (call) => told.push(call));
  const call = (id: string) => makeCall({ run, id, startedAt: clock.now() });

  const slow = runSource(SOURCE, call("acme__slow"));
  await assert.rejects(runSource(SOURCE, call("bell__phone")), { code: "source.stopped" });
  const nobodys = makeRun({ tokenId: "tok_of_another" });
  await assert.rejects(runSource(SOURCE, makeCall({ run: nobodys, id: "bell__phone" })));
  assert.deepEqual(told, [{ source: "bell__phone", success: false, match: false, tookMs: 0 }]);

  await clock.advance(700);
  answered.resolve({ match: true, json: "{}" });
  assert.equal((await slow).match, true);
  assert.deepEqual(told[1], { source: "acme__slow", success: true, match: true, tookMs: 700 });

  unwatch();
  await assert.rejects(runSource(SOURCE, call("bell__phone")));
  assert.equal(told.length, 2);
});
