import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../terms/fault.ts";
import { Running } from "./running.ts";

test("a function that has run and whose result there is no memory for does not count as one that was not run", async () => {
  const host = {
    runSource: () => new Promise<never>(() => {}),
    pipe: () => {},
    reserveBytes: () => false,
    log: () => {},
  };
  const job = {
    what: "start",
    organizationId: "org_1",
    isolate: "",
    memoryMb: 64,
    deadlineAt: 0,
    timeoutMs: 1,
  } as const;
  const bundle = { hash: "", code: "", contract: null };
  const running = new Running(1, { ...job, bundle, argument: "{}" }, host);
  running.receive({ type: "done", id: 1, json: '{"output":{}}', stuck: false }, () => {});
  await assert.rejects(running.ended, (thrown) => {
    assert.ok(thrown instanceof Fault);
    assert.deepEqual([thrown.code, thrown.row.retryable], ["function.no_room", false]);
    return true;
  });
});
