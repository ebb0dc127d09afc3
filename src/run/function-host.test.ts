import assert from "node:assert/strict";
import { test } from "node:test";
import { unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { beginAttempt, makeRun } from "./call.kit.ts";
import { openHost } from "./function-host.ts";
import type { RunnableSource, RunSource } from "./ports.ts";
import { ReplyMemoryGate } from "./reply-memory-gate.ts";

const TOO_MANY_LONG_NUMBERS = `{"all":[${Array.from({ length: 20_001 }, () => "12345678901234567890").join(",")}]}`;

function hostOver(runSource: RunSource, held = unlimitedMemory()) {
  const clock = new FakeClock();
  const run = makeRun({ arrivedAt: clock.now(), organizationId: "org_a", memory: held });
  const source = { timeoutMs: 1000, leavesMachine: true, charge: "free" } as RunnableSource;
  return openHost(
    { run, functionId: "dfunc_x", sources: {}, deadlineAt: clock.now() + 1000 },
    { catalog: { find: () => source }, clock, replyMemory: new ReplyMemoryGate(clock), log: () => {}, runSource },
  );
}

test("inputs that cannot be read fail their call, which is not made and keeps no memory", async () => {
  const held = unlimitedMemory();
  const host = hostOver(() => assert.fail("it was called"), held);
  const { json } = await host.runSource("acme__register", TOO_MANY_LONG_NUMBERS);
  assert.match(json, /"success":false.*too many numbers/);
  assert.equal(held.bytes, 0);
  assert.deepEqual(
    host.end().map(({ fault }) => fault?.code),
    ["source.input_invalid"],
  );
});

test("recording a step that cannot be read causes no error", () => {
  const host = hostOver(() => assert.fail("it was called"));
  host.pipe("step", TOO_MANY_LONG_NUMBERS);
  assert.equal(host.pipes.size, 1);
});

test("a call still in progress when its function ends is reported with its source's charge", async () => {
  const clock = new FakeClock();
  const source = (charge: "free" | "per_call") => ({ timeoutMs: 1000, leavesMachine: true, charge }) as RunnableSource;
  const sources = new Map([
    ["acme__register", source("free")],
    ["bell__bureau", source("per_call")],
  ]);
  const host = openHost(
    {
      run: makeRun({ arrivedAt: clock.now(), organizationId: "org_a" }),
      functionId: "dfunc_x",
      sources: {},
      deadlineAt: clock.now() + 1000,
    },
    {
      catalog: { find: (id) => sources.get(id) },
      clock,
      replyMemory: new ReplyMemoryGate(clock),
      log: () => {},
      runSource: (_, call) => {
        beginAttempt(call, clock);
        return new Promise(() => {});
      },
    },
  );
  for (const id of sources.keys()) void host.runSource(id, "{}");
  await settle();
  const told = host.end();
  assert.deepEqual(
    told.map((call) => [call.fault?.code, call.charged]),
    [
      ["source.abandoned", "no"],
      ["source.abandoned", "unknown"],
    ],
  );
});

test("a function gets the number of an order that its source could not wait for", async () => {
  const host = hostOver(async (_, call) => {
    call.takeOrder("o-1");
    throw new Fault("source.pending");
  });
  const { json } = await host.runSource("bureau__report", "{}");
  const { success, order_id: orderId, failure } = JSON.parse(json) as Record<string, unknown>;
  assert.deepEqual([success, orderId], [false, "o-1"]);
  assert.deepEqual(failure, { kind: "pending", retryable: false, charged: "no", order_id: "o-1" });
  const silent = hostOver(() => Promise.reject(new Fault("source.timeout")));
  assert.equal("order_id" in (JSON.parse((await silent.runSource("bureau__report", "{}")).json) as object), false);
});
