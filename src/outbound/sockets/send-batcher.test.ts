import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { codeOf, faultOf, openTestClient } from "../http-client.kit.ts";
import { startVendor } from "../../../test/vendor/scripted-vendor.ts";
import type { PlannedAttempt } from "../../run/ports.ts";
import { Fault } from "../../terms/fault.ts";
import { type Sendable, SendBatcher } from "./send-batcher.ts";

const PATHS = ["/1", "/2", "/3", "/4", "/5"];

test("requests of a run that leave together are recorded in one go, before any byte of them", async (t) => {
  const vendor = await startVendor(t);
  const seen: unknown[] = [];
  const door = openTestClient(t, {
    onIntent: (...intents) => {
      seen.push([intents.map(({ attempt }) => attempt), vendor.count()]);
    },
  });
  const { call, http } = door.call(vendor.origin);
  const ask = () => Promise.all(PATHS.map((path) => http.get(vendor.origin + path)));
  await ask();
  seen.length = 0;

  await ask();

  assert.deepEqual(seen, [[[6, 7, 8, 9, 10], 5]]);
  assert.equal(call.attempts.length, 10);
  assert.equal(vendor.connections, 5);
});

test("requests of several runs are all written down before the first of them is recorded", async (t) => {
  const vendor = await startVendor(t);
  const steps: string[] = [];
  const door = openTestClient(t, {
    onIntent: () => {
      steps.push(`recorded ${vendor.count()}`);
    },
  });
  const calls = PATHS.map(() => door.call(vendor.origin));
  const ask = () => Promise.all(calls.map(({ http }) => http.get(vendor.origin)));
  await ask();
  steps.length = 0;
  for (const { run } of calls) {
    const { record } = run;
    const intend = record.intend.bind(record);
    record.intend = (...intents) => {
      steps.push("written down");
      return intend(...intents);
    };
  }

  await ask();

  assert.deepEqual(steps, [...PATHS.map(() => "written down"), ...PATHS.map(() => "recorded 5")]);
});

test("what cannot be recorded takes all with it that would have left with it, and nothing else", async (t) => {
  const vendor = await startVendor(t);
  const full = new Fault("request.journal_unavailable");
  let failing: string | null = null;
  const door = openTestClient(t, {
    onIntent: (...intents) => {
      if (intents.some(({ method }) => method === failing)) throw full;
    },
  });
  await Promise.all([1, 2, 3, 4].map(() => door.call(vendor.origin).http.get(vendor.origin)));
  const [one, other] = [door.call(vendor.origin), door.call(vendor.origin)];
  failing = "PUT";

  const [refused, together, alone] = await Promise.all([
    faultOf(one.http.put(vendor.origin)),
    faultOf(one.http.get(vendor.origin)),
    other.http.get(vendor.origin),
  ]);

  assert.deepEqual([refused.code, together.code], ["source.unrecorded", "source.unrecorded"]);
  assert.equal(refused.cause, full);
  assert.equal(alone.status, 200);
  assert.equal(one.call.attempts.length, 0);
  assert.equal(vendor.count(), 5);
  assert.deepEqual(door.client.stats().origins, [{ origin: vendor.origin, inFlight: 0, waiting: 0 }]);
});

test("a request that is stopped before the batch is written is left out, and the others are sent", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  const calls = PATHS.map(() => door.call(vendor.origin));
  const ask = () =>
    Promise.all(calls.map(({ http }, at) => codeOf(http.get(vendor.origin + PATHS[at]!)).catch(() => null)));
  await ask();

  const sent = ask();
  calls[2]!.run.clientGone();
  calls[4]!.call.end();

  assert.deepEqual(await sent, [null, null, "source.stopped", null, "source.stopped"]);
  assert.equal(vendor.count(), 8);
});

test("one that fails unexpectedly fails alone, and the others leave", async () => {
  const turn = new SendBatcher();
  const seen: string[] = [];
  const run = { intend: () => ({ record: () => {} }) };
  const sendable = (name: string, failing?: "prepare" | "write"): Sendable => {
    const act = (step: "prepare" | "write"): void => {
      if (step === failing) throw new Error(`${step} failed`);
      if (step === "write") seen.push(`${name} is sent`);
    };
    return {
      prepare: () => {
        act("prepare");
        return { run } as unknown as PlannedAttempt;
      },
      write: () => act("write"),
      refuse: ({ message }) => void seen.push(`${name}: ${message}`),
    };
  };
  for (const one of [sendable("a"), sendable("b", "prepare"), sendable("c", "write"), sendable("d")]) turn.add(one);
  await nextTurn();
  assert.deepEqual(seen, ["b: prepare failed", "a is sent", "c: write failed", "d is sent"]);
});
