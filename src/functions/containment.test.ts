import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../terms/fault.ts";
import { type Attack, OF_A_PROCESS, OF_A_RUN } from "./containment.kit.ts";
import { startPool, type PoolRig, type Tried } from "./pool/pool.kit.ts";
import { openRss } from "./process-usage.ts";

/** Deadline of attacks that do not end by themselves. */
const LIMIT_MS = 350;
/** Deadline of attacks that end by themselves, which takes longer on a busy machine. */
const PATIENT_MS = 20_000;
/** Time after the deadline within which a run must have ended. */
const LATE_MS = 5_000;

const ATTACKER = "org_attacker";
const INNOCENT = `async ({ inputs, run, pipe }) => {
  const first = await run("wait_100", { a: inputs.a });
  const second = await pipe("second", () => run("wait_100", { b: first.output.echo.a }));
  return { output: { seen: second.output.echo.b } };
}`;

/** Runs an attack of one organization beside an innocent run of another one, and optionally of the same one. */
async function attackBeside(rig: PoolRig, attack: Attack, innocents: readonly string[]): Promise<void> {
  const attacking = rig.attempt(attack.run, { organizationId: ATTACKER, limitMs: limitOf(attack) });
  const besides = innocents.map((organizationId) =>
    rig.attempt(INNOCENT, { organizationId, limitMs: PATIENT_MS, argument: { inputs: { a: attack.name } } }),
  );
  for (const innocent of await Promise.all(besides)) {
    assert.equal(innocent.thrown, undefined, `an innocent one beside "${attack.name}" failed`);
    assert.deepEqual(JSON.parse(innocent.json!), { output: { seen: attack.name } });
  }
  assertContained(attack, await attacking);
}

function limitOf({ ends }: Attack): number {
  return ends.includes("function.timeout") ? LIMIT_MS : PATIENT_MS;
}

function endOf(tried: Tried): string {
  if (tried.thrown === undefined) return "ok";
  assert.ok(tried.thrown instanceof Fault, "anything but a fault was thrown");
  return tried.thrown.code;
}

function assertContained(attack: Attack, attacker: Tried): void {
  assert.ok(
    attack.ends.includes(endOf(attacker)),
    `"${attack.name}" ended as ${endOf(attacker)}: ${String((attacker.thrown as Fault | undefined)?.cause)}`,
  );
  assert.ok(attacker.tookMs < limitOf(attack) + LATE_MS, `"${attack.name}" took ${attacker.tookMs} ms`);
  const detail = JSON.stringify(attacker.thrown instanceof Fault ? attacker.thrown.says : "");
  assert.ok(detail.length < 200 && !detail.includes("xxx"), "what the function said must not reach a client");
}

test("what a function does costs its own organization, and mostly its own run alone", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  for (const [attacks, innocents] of [
    [OF_A_RUN, [ATTACKER, "org_innocent"]],
    [OF_A_PROCESS, ["org_innocent"]],
  ] as const)
    for (const attack of attacks)
      await t.test(attack.name, async () => {
        await rig.settled();
        await attackBeside(rig, attack, innocents);
      });
  delay.disable();
  await rig.settled();
  t.diagnostic(
    `event loop: ${(delay.max / 1e6).toFixed(0)} ms at the longest, ${(delay.percentile(99) / 1e6).toFixed(0)} ms at the 99th percentile; processes killed: ${rig.pool.stats().killed}`,
  );
  assert.ok(delay.percentile(99) / 1e6 < 250);

  const { pids } = rig.pool.stats();
  assert.ok(pids.length <= 3);
  const totalMb = pids.reduce((sum, pid) => sum + openRss(pid)(), 0) / 1_048_576;
  t.diagnostic(`the processes hold ${totalMb.toFixed(0)} MB`);
  assert.ok(totalMb < 900);
  const before = pids.map(cpuTicksOf);
  await sleep(300);
  const after = pids.map(cpuTicksOf);
  assert.ok(
    after.every((ticks, at) => ticks - before[at]! < 10),
    "a thread is still spinning",
  );
});

/** Asks each stack frame for its function and its `this`, wherever our code calls the author's. */
const STACK_READER = `async ({ pipe, run, log }) => {
  const mine = new Set([look, Object.prototype.toString]);
  const found = [];
  function look() {
    const prepare = Error.prepareStackTrace;
    Error.stackTraceLimit = 100;
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = new Error().stack;
    Error.prepareStackTrace = prepare;
    for (const site of sites) {
      const its = [site.getFunction(), site.getThis()];
      // The author's own code is sloppy, and may see itself.
      if (site.getFileName() === "datarun:function") continue;
      found.push(its.every((it) => it === undefined) ? "nothing" : String(site.getFunctionName()));
    }
    return 1;
  }
  const speaks = { toJSON: () => ({ a: look() }), toString: () => "https://a.example/" + look() };
  look();
  await pipe("a", look);
  await new Promise((resolve) => setTimeout(() => resolve(look()), 1));
  await new Promise((resolve) => queueMicrotask(() => resolve(look())));
  log.info(speaks, speaks);
  console.log(speaks, "x", speaks);
  await run("a", speaks);
  structuredClone({ get a() { return look(); } });
  new URL(speaks).searchParams.append(speaks, speaks);
  new TextEncoder().encode(speaks);
  return { toJSON: () => ({ output: { frames: look() && found.length, found: [...new Set(found)] } }) };
}`;

test("an author finds none of the bridge's functions on the stack of an error", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const { json, thrown } = await rig.attempt(STACK_READER);
  assert.equal(thrown, undefined, String((thrown as Fault | undefined)?.cause));
  const { frames, found } = JSON.parse(json!).output as { frames: number; found: string[] };
  assert.ok(frames > 10);
  assert.deepEqual(found, ["nothing"]);
});

/** Processor time of a process, in hundredths of a second; 0 if it cannot be read. */
function cpuTicksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
