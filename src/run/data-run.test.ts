import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import { systemClock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import type { Reservation } from "./middleware/ports.ts";
import { createAdmission } from "./admission.ts";
import { collectAnswer } from "./collect.ts";
import { createDataRun } from "./data-run.ts";
import { NO_RECORD } from "./not-recorded.ts";
import type { RunnableSource, RunRecord, RunSource } from "./ports.ts";
import type { RunRequest } from "./active-run.ts";

function engine(runSource: RunSource, close: RunRecord["close"] = async () => {}) {
  return createDataRun({
    catalog: {
      find: (id) =>
        id.startsWith("none")
          ? undefined
          : ({ id, declaration: {}, timeoutMs: 1000, inputNames: [] } as never as RunnableSource),
    },
    runSource,
    ledger: { open: () => ({ ...NO_RECORD, close }) },
    observers: [],
    admission: createAdmission({ runsMax: 10, runsPerOrganizationMax: 10 }),
    clock: systemClock,
    region: "test",
  });
}

function request(sources: Record<string, unknown>): RunRequest {
  const workflow = {
    id: "wfl_1",
    organizationId: "org_1",
    disabled: false,
    autoCredentials: false,
    failureDetails: false,
    maskCredentials: false,
    simulated: false,
    versions: null,
  };
  const caller = { organizationId: "org_1", tokenId: "tok_1", workflow };
  return {
    caller,
    context: "dev",
    config: { sources } as never,
    sources: sources as never,
    inputs: {},
    memory: unlimitedMemory(),
    arrivedAt: systemClock.now(),
  };
}

const anything = fc.oneof(
  fc.jsonValue().map((value) => () => value),
  fc.constantFrom<() => unknown>(
    () => null,
    () => undefined,
    () => "text",
    () => 1n,
    () => [],
    () => Symbol("s"),
    () => new Map([[1, 2]]),
    () => ({ n: Number.NaN }),
    () => ({ toJSON: () => "[1" }),
    () => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      return cycle;
    },
    () => ({
      get trap() {
        throw new Error("secret");
      },
    }),
    () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("secret");
          },
        },
      ),
    () => {
      throw new Error("secret");
    },
    () => {
      throw undefined;
    },
    () => Promise.reject(new Fault("source.vendor_5xx", { status: 503 })),
  ),
);
const id = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("__proto__", "constructor", "none__x", "toString"));

test("outputs and status have exactly the keys of the request, whatever the sources do", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(id, anything), { selector: ([key]) => key, minLength: 1, maxLength: 8 }),
      async (entries) => {
        const behaviours = new Map(entries);
        const sources = Object.fromEntries(entries.map(([key]) => [key, true]));
        const runData = engine(async (_source, call) => collectAnswer(await behaviours.get(call.id)!(), () => true));
        const text = Buffer.concat(await runData(request(sources)).answer).toString();
        const answer = JSON.parse(text) as Record<
          "outputs" | "status",
          Record<string, { success: boolean; match: boolean; message: string }>
        >;
        assert.deepEqual(Object.keys(answer.outputs), Object.keys(sources));
        assert.deepEqual(Object.keys(answer.status), Object.keys(sources));
        assert.ok(!text.includes("secret"));
        for (const [key, status] of Object.entries(answer.status)) {
          assert.equal(typeof answer.outputs[key], "object");
          if (!status.success) {
            assert.deepEqual(answer.outputs[key], {});
            assert.equal(status.match, false);
            assert.match(status.message, /^(Adapter not found for|Adapter error:|Unexpected error:)/);
          }
        }
      },
    ),
  );
});

test("the memory of a request is released once its run is recorded, and not before", async () => {
  const seen: string[] = [];
  const reserved: Reservation = {
    commit: () => {},
    persist: () => {},
    cancel: () => {},
    release: () => {},
    settle: (charged) => void seen.push(`settled: ${charged}`),
  };
  const closing = Promise.withResolvers<void>();
  const record = Promise.withResolvers<void>();
  const close = async (): Promise<void> => {
    closing.resolve();
    await record.promise;
    seen.push("recorded");
  };
  const billing = { free: false, model: "per_call", listPrice: null } as const;
  const runData = engine(async (_source, call) => {
    const asked = { origin: "https://acme.example", method: "GET", billing, spanId: undefined, reserved } as const;
    call.planAttempt(asked, systemClock).begin();
    return collectAnswer({ a: 1 }, () => true);
  }, close);

  const { answer } = runData(request({ acme__people: true }));
  await closing.promise;
  assert.deepEqual(seen, []);
  record.resolve();
  await answer;
  assert.deepEqual(seen, ["recorded", "settled: no"]);
});

test("run limits refuse a run before any call, and release the places of ended ones", async () => {
  const admission = createAdmission({ runsMax: 4, runsPerOrganizationMax: 2 });
  admission.enter("a", false);
  admission.enter("a", false);
  assert.throws(() => admission.enter("a", false), { code: "request.overloaded" });
  admission.enter("b", false);
  admission.enter("c", false);
  assert.throws(() => admission.enter("d", false), { code: "request.overloaded" });
  admission.leave("a", false);
  admission.enter("d", false);
  const stopped = admission.stop();
  assert.throws(() => admission.enter("b", false), { code: "request.stopping" });
  for (const organization of ["a", "b", "c", "d"]) admission.leave(organization, false);
  await stopped;
});

test("an organization's simulated runs leave it as many places as they have", async () => {
  const admission = createAdmission({ runsMax: 100, runsPerOrganizationMax: 8 });
  const enters = (simulated: boolean, times: number) => {
    for (let count = 0; count < times; count += 1) admission.enter("a", simulated);
    assert.throws(() => admission.enter("a", simulated), { code: "request.overloaded" });
  };
  enters(true, 4);
  enters(false, 4);
  for (let count = 0; count < 4; count += 1) admission.leave("a", true);
  enters(true, 2);
  admission.enter("b", true);
  for (let count = 0; count < 2; count += 1) admission.leave("a", true);
  enters(false, 4);

  const single = createAdmission({ runsMax: 1, runsPerOrganizationMax: 1 });
  single.enter("a", true);
});
