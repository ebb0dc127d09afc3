import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../terms/time/clock.ts";
import type { SourceCall } from "../../sdk/source.ts";
import { makeCall } from "../call.kit.ts";
import { Fault } from "../../terms/fault.ts";
import type { RunnableSource } from "../ports.ts";
import { callAdapter } from "./adapter.ts";

async function argument() {
  let made: SourceCall | undefined;
  const run = (call: SourceCall) => ((made = call), null);
  const source = { id: "acme__people", timeoutMs: 1000, declaration: { run } } as unknown as RunnableSource;
  let doors = 0;
  const door = { httpFor: () => (doors += 1) as never };
  const call = makeCall();
  await callAdapter({ client: door, clock: systemClock, log: () => {} })(source, call);
  return { call, made: made!, doors: () => doors };
}

test("a signal is created once, when it is first read, and aborted when the call ends", async () => {
  const { call, made } = await argument();
  const { signal } = made;
  assert.equal(made.signal, signal);
  assert.equal(signal.aborted, false);
  call.end(new Error("over"));
  assert.equal(signal.aborted, true);
  assert.match(String(signal.reason), /over/);
});

test("http is opened once, when it is first read", async () => {
  const { made, doors } = await argument();
  assert.equal(doors(), 0);
  assert.equal(made.http, made.http);
  assert.equal(doors(), 1);
});

test("a run that ends leaves what was ordered pending, and nothing else", async () => {
  for (const [ordered, code] of [
    [true, "source.pending"],
    [false, "source.stopped"],
  ] as const) {
    const run = (call: SourceCall) => {
      if (ordered) call.ordered("o-1");
      throw new Fault("source.stopped");
    };
    const source = { declaration: { run } } as unknown as RunnableSource;
    const parts = { client: { httpFor: () => ({}) as never }, clock: systemClock, log: () => {} };
    await assert.rejects(callAdapter(parts)(source, makeCall()), { code });
  }
});
