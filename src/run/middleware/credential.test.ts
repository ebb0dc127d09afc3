import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import { makeCall, makeRun } from "../call.kit.ts";
import type { CredentialFinder, ResolvedCredential, PlannedCall, RunnableSource } from "../ports.ts";
import { withCredential } from "./credential.ts";

const SOURCE = {
  id: "acme__people",
  credentialUse: "required",
  credentialProblem: () => null,
} as unknown as RunnableSource;

function callAt(clock: FakeClock): PlannedCall {
  return makeCall({ run: makeRun({ autoCredentials: true }), startedAt: clock.now(), deadlineAt: clock.now() + 300 });
}

test("a call waits for a slow store until its deadline, and nothing runs after that", async () => {
  const clock = new FakeClock();
  let answer: (found: ResolvedCredential | null) => void;
  let ran = 0;
  const finder: CredentialFinder = { find: () => new Promise((resolve) => (answer = resolve)) };
  const run = withCredential(finder, clock)(() => Promise.reject(new Error(`run number ${(ran += 1)}`)));
  const ended = run(SOURCE, callAt(clock)).catch((thrown: unknown) => thrown);

  await clock.advance(300);

  const fault = await ended;
  assert.ok(fault instanceof Fault);
  assert.equal(fault.code, "source.timeout");
  answer!(null);
  await new Promise(setImmediate);
  assert.equal(ran, 0);
});

test("an error of the store fails the call at once", async () => {
  const clock = new FakeClock();
  const finder: CredentialFinder = { find: () => Promise.reject(new Fault("source.credential_unavailable")) };
  const run = withCredential(finder, clock)(() => Promise.reject(new Error("it ran")));

  const fault = await run(SOURCE, callAt(clock)).catch((thrown: unknown) => thrown);

  assert.ok(fault instanceof Fault);
  assert.equal(fault.code, "source.credential_unavailable");
});
