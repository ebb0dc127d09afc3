import assert from "node:assert/strict";
import { test } from "node:test";
import { endCall } from "../run/end-call.ts";
import type { PlannedCall, RunnableSource } from "../run/ports.ts";
import { systemClock } from "../terms/clock.ts";
import { createArgument } from "./argument.ts";

const source = { id: "acme__people", timeoutMs: 1000 } as RunnableSource;

function argument() {
  const call = { run: { simulated: false }, credential: null, controller: null, ended: false } as PlannedCall;
  let doors = 0;
  const door = { httpFor: () => (doors += 1) as never };
  const make = createArgument({ door, simulatedDoor: door, clock: systemClock, log: () => {} });
  return { call, made: make(source, call, {}), doors: () => doors };
}

test("a signal is made once, when it is asked for, and aborts when the call ends", () => {
  const { call, made } = argument();
  assert.equal(call.controller, null);
  const { signal } = made;
  assert.equal(made.signal, signal);
  assert.equal(signal.aborted, false);
  endCall(call, new Error("over"));
  assert.equal(signal.aborted, true);
  assert.match(String(signal.reason), /over/);
});

test("http is opened once, when it is asked for", () => {
  const { made, doors } = argument();
  assert.equal(doors(), 0);
  assert.equal(made.http, made.http);
  assert.equal(doors(), 1);
});
