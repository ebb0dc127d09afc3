import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBudget, unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import type { FunctionHost, RunnableSource } from "./ports.ts";
import { RecordedCalls } from "./recorded-calls.ts";

const KIB = 1_024;

/** A source `takes_a` takes only the input `a`. Each call has another outcome, and waits for `answer` if its input says so. */
function rig(bytes = 64 * KIB) {
  const budget = new ByteBudget(bytes);
  const filter: RunnableSource["filter"] = (inputs) => ("a" in inputs ? { a: inputs["a"]! } : {});
  const calls = new RecordedCalls(budget.open("org_a"), unlimitedMemory(), {
    find: (id) => (id === "takes_a" ? ({ filter } as RunnableSource) : undefined),
  });
  let made = 0;
  const waits = Promise.withResolvers<void>();
  const host: FunctionHost = {
    runSource: async (_, inputsJson) => {
      const json = `outcome ${(made += 1)}`;
      if (inputsJson.includes("late")) await waits.promise;
      return { json, release: () => {} };
    },
    pipe: () => {},
    reserveBytes: () => true,
    log: () => {},
  };
  return { budget, calls, recording: calls.record(host), answer: () => waits.resolve() };
}

test("a call is the same if its source takes the same inputs, and a repeated one has its outcomes in order", async () => {
  const { calls, recording } = rig();
  await recording.runSource("takes_a", '{"a":{"x":1,"y":[2]},"b":1}');
  await recording.runSource("takes_a", '{"a":{"y":[2],"x":1}}');
  await recording.runSource("takes_a", '{"a":12345678901234567890}');
  await recording.runSource("other", '{"a":1}');
  const take = (source: string, inputs: string) => calls.take(source, inputs);
  assert.equal(take("takes_a", '{"c":1,"a":{"x":1,"y":[2]}}'), "outcome 1");
  assert.equal(take("takes_a", '{"a":{"x":1,"y":[2]}}'), "outcome 2");
  assert.equal(take("takes_a", '{"a":{"x":1,"y":[2]}}'), null);
  assert.equal(take("takes_a", '{"a":12345678901234567891}'), null);
  assert.equal(take("takes_a", '{"a":12345678901234567890}'), "outcome 3");
  assert.equal(take("other", '{"a":1,"b":1}'), null);
  assert.equal(take("other", '{"a":1}'), "outcome 4");
  assert.equal(take("takes_a", "{"), null);
});

test("an outcome that arrives after the run is not kept", async () => {
  const { calls, recording, answer } = rig();
  const late = recording.runSource("takes_a", '{"a":"late"}');
  await recording.runSource("takes_a", '{"a":1}');
  calls.seal();
  answer();
  await late;
  assert.equal(calls.take("takes_a", '{"a":"late"}'), null);
  assert.equal(calls.take("takes_a", '{"a":1}'), "outcome 2");
});

test("outcomes are kept in the memory of their organization, and none if there is too little", async () => {
  const { budget, calls, recording } = rig(KIB);
  await recording.runSource("takes_a", '{"a":1}');
  assert.ok(budget.reservedBytes > 0);
  recording.reserveBytes(KIB);
  assert.equal(calls.isComplete, false);
  assert.equal(budget.reservedBytes, 0);
  await recording.runSource("takes_a", '{"a":2}');
  assert.equal(budget.reservedBytes, 0);
  assert.equal(calls.take("takes_a", '{"a":1}'), null);
});
