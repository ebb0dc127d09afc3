import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteBudget, type MemoryReservation } from "../terms/concurrency/byte-budget.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { createAdmission } from "./admission.ts";
import { composeMiddleware } from "./middleware/adapter.ts";
import { withDeadline } from "./middleware/deadline.ts";
import { collectAnswer } from "./collect.ts";
import { createDataRun } from "./data-run.ts";
import { createFunctionRun } from "./function-run.ts";
import { NOT_RECORDED } from "./not-recorded.ts";
import type { PlannedCall, RunIntent, RunnableFunction, RunnableSource, RunReport } from "./ports.ts";
import type { EngineParts } from "./active-run.ts";

/**
 * The behaviour of a source: reserves this many bytes for a reply, as the outbound client does, and ends in one of these
 * ways.
 */
interface Script {
  readonly replyBytes: number;
  readonly afterMs: number;
  readonly ends:
    | "with its reply"
    | "with text"
    | "with less"
    | "with nothing"
    | "by failing"
    | "never"
    | "by being cut";
}

const KIB = 1_024;
const BUDGET = 512 * KIB;
const WORKFLOW = { id: "wfl_1", organizationId: "org_1", disabled: false, autoCredentials: false };
const CALLER = {
  organizationId: "org_1",
  tokenId: "tok_1",
  workflow: { ...WORKFLOW, failureDetails: true, maskCredentials: false, simulated: false, versions: null },
};

/** The engine with scripted sources. */
function rig(scripts: readonly Script[], bytesMax = BUDGET) {
  const clock = new FakeClock();
  const budget = new ByteBudget(bytesMax);
  const byId = new Map(scripts.map((script, at) => [`s${at}`, script]));
  const source = { declaration: {}, timeoutMs: 1_000, inputNames: [], leavesMachine: true } as never as RunnableSource;
  const calls = new Set<PlannedCall>();
  const adapter = async (_: RunnableSource, call: PlannedCall) => {
    calls.add(call);
    const { replyBytes, afterMs, ends } = byId.get(call.id)!;
    const takeIn = (bytes: number) => {
      if (!call.reserveBytes(bytes)) throw new Fault("source.no_room_for_answer");
    };
    takeIn(Math.floor(replyBytes / 2));
    await new Promise<void>((resolve) => clock.after(afterMs, resolve));
    if (ends === "never") await new Promise(() => {});
    if (!call.ended) takeIn(Math.ceil(replyBytes / 2));
    const text = JSON.stringify({ text: "x".repeat(Math.max(0, replyBytes - 11)) });
    if (ends === "with its reply") return { match: true, json: Buffer.from(text) };
    if (ends === "with text")
      return collectAnswer({ text: "漢".repeat(replyBytes) }, (bytes) => call.reserveBytes(bytes));
    if (ends === "with less") return collectAnswer({ found: true }, (bytes) => call.reserveBytes(bytes));
    if (ends === "with nothing") return collectAnswer(null, (bytes) => call.reserveBytes(bytes));
    throw new Fault(ends === "by failing" ? "source.vendor_5xx" : "source.connection_lost", { status: 500 });
  };
  const parts: EngineParts = {
    catalog: { find: (id) => (byId.has(id) ? source : undefined) },
    runSource: composeMiddleware([withDeadline(clock)], adapter),
    ledger: NOT_RECORDED,
    observers: [],
    admission: createAdmission({ runsMax: 100, runsPerOrganizationMax: 100 }),
    clock,
    region: "test",
  };
  const sources = Object.fromEntries([...byId.keys(), "none"].map((id) => [id, true])) as never;
  const request = (held: MemoryReservation) => ({
    caller: CALLER,
    context: "dev" as const,
    config: { sources },
    sources,
    inputs: {},
    memory: held,
    arrivedAt: clock.now(),
  });
  /** The memory of a run without that of its calls. */
  const besideCalls = (held: MemoryReservation) =>
    [...calls].reduce(
      (left, { run, reservedBytes: heldBytes }) => left - (run.memory === held ? heldBytes : 0),
      held.bytes,
    );
  return { clock, budget, parts, request, besideCalls };
}

const script: fc.Arbitrary<Script> = fc.record({
  replyBytes: fc.oneof(fc.nat(200), fc.nat(200 * KIB)),
  afterMs: fc.nat(1_500),
  ends: fc.constantFrom<Script["ends"]>(
    "with its reply",
    "with text",
    "with less",
    "with nothing",
    "by failing",
    "never",
    "by being cut",
  ),
});

test("however its calls end, a run holds its answer's bytes to the last one, and then nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(script, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.nat(1_500),
      fc.boolean(),
      async ([first, ...others], hangsUpAfterMs, hangsUp) => {
        const { clock, budget, parts, request, besideCalls } = rig(first!);
        const frames = new Map<string, [MemoryReservation, number]>();
        let ended = 0;
        // All calls have ended, but the answer has not been made yet.
        const runEnded = ({ transactionId, calls }: RunReport) => {
          const [held, frame] = frames.get(transactionId)!;
          assert.equal(besideCalls(held), frame, "calls hold what they say, to the byte");
          const outputs = calls.filter(({ success }) => success).reduce((sum, call) => sum + call.outputBytes, 0);
          assert.equal(held.bytes, frame + outputs, "and at their end nothing but their outputs");
          ended += 1;
        };
        let transactionId = "";
        const ledger = { open: (run: RunIntent) => ((transactionId = run.transactionId), parts.ledger.open(run)) };
        const runData = createDataRun({ ...parts, ledger, observers: [{ runEnded }] });
        const runs = [first, ...others].map(() => {
          const held = budget.open("org_1");
          try {
            const started = runData(request(held));
            frames.set(transactionId, [held, besideCalls(held)]);
            return { held, started };
          } catch (fault) {
            // The other calls use all memory, so nothing was sent.
            assert.equal((fault as Fault).code, "request.overloaded");
            assert.equal(held.bytes, 0);
            return null;
          }
        });
        await clock.advance(hangsUpAfterMs);
        if (hangsUp) runs[0]?.started.clientGone();
        assert.ok(budget.reservedBytes <= BUDGET);
        await clock.advance(3_000);
        for (const run of runs) {
          if (run === null) continue;
          const answer = Buffer.concat(await run.started.answer);
          assert.equal(run.held.bytes, answer.length);
          for (const { success, message } of Object.values(JSON.parse(answer.toString()).status) as {
            success: boolean;
            message: string;
          }[]) {
            if (!success) assert.match(message, /^Adapter (error:|not found for)/);
          }
          run.held.release();
        }
        assert.equal(ended, frames.size);
        assert.equal(budget.reservedBytes, 0);
      },
    ),
    { numRuns: 150 },
  );
});

test("outputs for which there is no memory fail alone and say so; earlier ones are kept", async () => {
  const big: Script = { replyBytes: 100 * KIB, afterMs: 10, ends: "with its reply" };
  const small: Script = { replyBytes: 100, afterMs: 500, ends: "with its reply" };
  const { clock, budget, parts, request } = rig([big, big, big, big, small]);
  const held = budget.open("org_1");
  const { answer } = createDataRun(parts)(request(held));
  await clock.advance(1_000);
  const { status } = JSON.parse(Buffer.concat(await answer).toString()) as {
    status: Record<string, { message: string }>;
  };
  const messages = ["s0", "s1", "s2", "s3", "s4"].map((id) => status[id]!.message);
  const lost = messages.filter((message) => message.includes("no room in memory"));
  // A single organization may have half of the budget.
  assert.equal(lost.length, 2, messages.join("; "));
  assert.equal(messages[4], "Record found");
});

test("a run whose request leaves no memory for it is refused before any call", () => {
  const { budget, parts, request } = rig([{ replyBytes: 1, afterMs: 1, ends: "with less" }]);
  const other = budget.open("org_1");
  assert.ok(other.reserve(BUDGET / 2));
  assert.throws(() => createDataRun(parts)(request(budget.open("org_1"))), { code: "request.overloaded" });
  assert.equal(parts.admission.running, 0);
});

test("a config that is too large to be echoed is refused, because nothing else would fit in the answer", () => {
  const { budget, parts, request } = rig([], 1_000_000 * KIB);
  const asked = request(budget.open("org_1"));
  const config = { ...asked.config, note: "漢".repeat(6_000_000) };
  assert.throws(() => createDataRun(parts)({ ...asked, config }), { code: "request.invalid" });
});

/** A `/func` whose function returns this text. */
function functionRig(returns: (ask: (id: string) => Promise<string>) => Promise<string | null>, bytesMax = BUDGET) {
  const made = rig([{ replyBytes: 50 * KIB, afterMs: 10, ends: "with its reply" }], bytesMax);
  const found: RunnableFunction = {
    id: "dfunc_x",
    version: "version of x",
    timeoutMs: 1_000,
    inputNames: [],
    outputNames: [],
    run: (_, host) =>
      returns(async (id) => {
        const { json, release: taken } = await host.runSource(id, "{}");
        taken();
        return json;
      }),
  };
  const runFunction = createFunctionRun({ ...made.parts, functions: { find: () => found }, log: () => {} });
  const run = async (passthrough = false, config: object = {}) => {
    const held = made.budget.open("org_1");
    const asked = { ...made.request(held), functionId: "dfunc_x", extra: {}, passthrough };
    const { answer } = runFunction({ ...asked, config: { ...asked.config, ...config } as never });
    await made.clock.advance(2_000);
    const bytes = Buffer.concat(await answer);
    assert.equal(held.bytes, bytes.length);
    held.release();
    assert.equal(made.budget.reservedBytes, 0);
    return JSON.parse(bytes.toString());
  };
  return { run };
}

test("the run of a function holds its answer's bytes, and not the replies of its sources", async () => {
  const { run } = functionRig(async (ask) => {
    await ask("s0");
    await ask("s0");
    return JSON.stringify({ output: { text: "y".repeat(30 * KIB) } });
  });
  assert.equal((await run()).outputs.dfunc_x.output.text.length, 30 * KIB);
  assert.equal((await run(true)).output.text.length, 30 * KIB);
});

test("a function fails if there is no memory for its answer, and says so", async () => {
  const text = JSON.stringify({ output: { text: "y".repeat(300 * KIB) }, pipes: { step: 1 } });
  const { run } = functionRig(async () => text);
  const answer = await run();
  assert.deepEqual(answer.outputs, { dfunc_x: { output: {}, pipes: {} } });
  assert.match(answer.status.dfunc_x.message, /^Data function error: there was no room in memory/);
  assert.deepEqual((await run(true)).output, {});
});

test("a function whose answer exceeds the limit fails; the limit is in bytes, not characters", async () => {
  const text = JSON.stringify({ output: { text: "漢".repeat(12_000_000) } });
  const { run } = functionRig(async () => text, 1_000_000 * KIB);
  assert.equal((await run()).status.dfunc_x.message, "Data function error: the whole answer would be too large");
});

test("a result that cannot be written fails the function and not the request", async () => {
  const deep = `{"output":${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}}`;
  const { run } = functionRig(async () => deep, 1_000_000 * KIB);
  assert.match((await run()).status.dfunc_x.message, /^Unexpected error:/);
});
