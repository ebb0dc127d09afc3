import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../terms/time/clock.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import type { Fault } from "../../terms/fault.ts";
import { preparePrelude } from "../load/bundle-cache.ts";
import { hashOf } from "../bundled.ts";
import { createPool } from "./pool.ts";
import type { LogFields } from "../ports.ts";
import { startPool, type Tried } from "./pool.kit.ts";
import { isolateKey } from "./running.ts";
import { until } from "../../../test/rig/until.ts";

/** The thread never leaves the isolate: the process has to be killed. */
const STUCK = `() => { Promise.reject(Object.defineProperties(new Error("x"), { message: { get() { for (;;); } }, stack: { get() { for (;;); } } })); return new Promise(() => {}); }`;

function codeOf(tried: Tried): string {
  return tried.thrown === undefined ? "ok" : (tried.thrown as Fault).code;
}

test("the time that the first process takes to start is not counted against the file that waits for it", async (t) => {
  const clock = new FakeClock();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const pool = createPool({ clock, log, prelude: preparePrelude(undefined), startsOnUse: true });
  t.after(() => pool.close());
  const code = "__take(function () { return { default: { id: 'dfunc_a', title: 'A', run() {} } }; });";

  const described = pool.describe({ hash: hashOf(code), code });
  await clock.advance(20_000);

  assert.match(await described, /dfunc_a/);
});

test("if no process can be started, the first run fails at once, and the pool says why", async (t) => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const prelude = Promise.reject(new Error("no bundler"));
  const pool = createPool({ clock: new FakeClock(), log, prelude, startsOnUse: true });
  t.after(() => pool.close());
  assert.equal(pool.problem(), null, "nothing was started yet");
  const code = "__take(function () { return { default: { id: 'dfunc_a', title: 'A', run() {} } }; });";

  const described = pool.describe({ hash: hashOf(code), code });

  await assert.rejects(described, { code: "function.unavailable" });
  assert.equal(pool.problem(), "no bundler");
  await pool.verify();
});

test("after the service was stopped, the answers of its processes are read before anybody is judged", async (t) => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const write = ({ event }: LogFields) => void lines.push(event);
  const log = { info: write, warn: write, error: write };
  const pool = createPool({ clock, log, prelude: preparePrelude(undefined), processes: 2 });
  t.after(() => pool.close());
  await pool.ready();
  const answer = Promise.withResolvers<void>();
  const start = (organizationId: string, run: string, timeoutMs: number) => {
    const code = `__take(function () { return { default: { run: ${run} } }; });`;
    const bundle = { code, hash: hashOf(code) };
    const isolate = isolateKey(organizationId, bundle.hash);
    const runSource = () => answer.promise.then(() => ({ json: "{}", release: () => {} }));
    const host = { runSource, reserveBytes: () => true, pipe: () => {}, log: () => {} };
    const deadlineAt = clock.now() + timeoutMs;
    const argument = JSON.stringify({ inputs: {}, extra: {}, config: {}, context: "dev" });
    return pool.run(
      { what: "start", bundle, organizationId, isolate, memoryMb: 64, deadlineAt, timeoutMs, argument },
      host,
    );
  };

  const waits = start("org_a", "async ({ run }) => { await run('acme__people'); return {}; }", 60_000);
  const spins = start("org_a", "() => { for (;;); }", 500);
  await until(() => pool.stats().active === 2);
  const late = assert.rejects(spins, { code: "function.timeout" });
  await clock.advance(500);
  clock.stop(10_000);

  await late;
  answer.resolve();
  assert.equal(await waits, "{}");
  assert.equal(pool.stats().killed, 0);
  assert.deepEqual(lines, []);
});

/** Work inside V8 that nothing interrupts. */
const ENDLESS = [STUCK, "() => ({ n: [].indexOf.call({ length: 2 ** 53 - 1 }, 1) })"];

for (const text of ENDLESS)
  test(`the runs beside one that is stuck finish, and then their process is ended: ${text.slice(0, 30)}`, async (t) => {
    const rig = await startPool(t, { processes: 2 });
    const [first] = rig.pool.stats().pids;
    const beside = rig.attempt("async ({ run }) => { await run('wait_2000'); return {}; }", { limitMs: 20_000 });
    // Long enough for the run to have started on a busy machine.
    const stuck = rig.attempt(text, { limitMs: 1_000 });
    assert.equal(codeOf(await stuck), "function.timeout");
    assert.equal(codeOf(await rig.attempt("() => ({})", { organizationId: "org_b", limitMs: 20_000 })), "ok");
    assert.equal(codeOf(await beside), "ok");
    await until(() => rig.pool.stats().killed === 1);
    await rig.settled();
    assert.ok(!rig.pool.stats().pids.includes(first!));
    assert.deepEqual(
      rig.lines.map(({ event, reason }) => `${event}: ${String(reason)}`),
      ["function_process_killed: a thread would not leave its isolate"],
    );
  });

test("a process that does not end a run in time is killed with the runs of its organization, which say so", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const [first] = rig.pool.stats().pids;
  const never = "() => new Promise(() => {})";
  const beside = rig.attempt(never, { limitMs: 3_600_000 });
  const other = rig.attempt("async ({ run }) => { await run('wait_8000'); return {}; }", {
    organizationId: "org_b",
    limitMs: 3_600_000,
  });
  await rig.running(2);
  const late = rig.attempt(never, { limitMs: 1_000 });
  process.kill(first!, "SIGSTOP");
  assert.equal(codeOf(await late), "function.timeout");
  const { thrown } = await beside;
  assert.equal((thrown as Fault).code, "function.interrupted");
  assert.match((thrown as Fault).says, /the process that ran the function ended before the function did$/);
  assert.match(String((thrown as Fault).cause), /it did not end a run in time/);
  assert.equal(codeOf(await other), "ok");
});

test("a process that dies for no known reason is replaced, and the runs in it say so", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const waits = "async ({ run }) => { await run('never'); return {}; }";
  const runs = [1, 2, 3].map(() => rig.attempt(waits, { limitMs: 3_600_000 }));
  await rig.running(3);
  process.kill(rig.pool.stats().pids[0]!, "SIGKILL");
  for (const run of runs) assert.equal(codeOf(await run), "function.interrupted");
  const died = rig.lines.find(({ event }) => event === "function_process_died");
  assert.deepEqual([died?.["organization_id"], died?.["how"], died?.["runs"]], ["org_a", "SIGKILL", 3]);
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: 20_000 })), "ok");
});

test("more runs than there is capacity for wait, and one that waits past its deadline fails", async (t) => {
  const rig = await startPool(t, { processes: 2, runsPerProcess: 2 });
  const waits = "async ({ run }) => { await run('wait_200'); return {}; }";
  const runs = [1, 2, 3, 4].map(() => rig.attempt(waits));
  const late = rig.attempt(waits, { limitMs: 50 });
  assert.equal(codeOf(await late), "function.timeout");
  for (const run of runs) assert.equal(codeOf(await run), "ok");
  assert.equal(rig.pool.stats().queued, 0);
});

test("a run whose deadline has passed fails at once", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: -1 })), "function.timeout");
});

test("closing ends every run and every process", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const limitMs = 3_600_000;
  const running = ["() => { for (;;); }", "() => new Promise(() => {})"].map((text, at) =>
    rig.attempt(text, { limitMs, organizationId: `org_${at}` }),
  );
  await rig.running(2);
  const { pids } = rig.pool.stats();
  await rig.pool.close();
  for (const run of running) assert.equal(codeOf(await run), "function.raised");
  assert.equal(codeOf(await rig.attempt("() => ({})")), "function.raised");
  assert.deepEqual(
    pids.filter((pid) => existsSync(`/proc/${pid}`)),
    [],
  );
});

test("a process has no environment but its channel, the place of compiled code and how memory is returned", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const [pid] = rig.pool.stats().pids;
  if (!existsSync(`/proc/${pid}/environ`)) return;
  const names = readFileSync(`/proc/${pid}/environ`, "latin1")
    .split("\0")
    .filter(Boolean)
    .map((entry) => entry.split("=")[0]);
  assert.deepEqual(
    names.filter((name) => !name!.startsWith("NODE_CHANNEL_") && name !== "NODE_COMPILE_CACHE"),
    ["MALLOC_MMAP_THRESHOLD_"],
  );
});

test("the kernel is offered the processes of functions before the service", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const path = `/proc/${rig.pool.stats().pids[0]}/oom_score_adj`;
  if (existsSync(path)) assert.equal(readFileSync(path, "latin1").trim(), "1000");
});

test("the processes die with the service, although a thread in them spins", async () => {
  const script = `
    const { startPool } = await import(${JSON.stringify(new URL("./pool.kit.ts", import.meta.url).href)});
    const rig = await startPool({ after() {} }, { processes: 1 });
    void rig.attempt("() => { for (;;); }", { limitMs: 60000 });
    setTimeout(() => process.stdout.write(JSON.stringify(rig.pool.stats().pids)), 100);
  `;
  const service = spawn(process.execPath, ["--no-node-snapshot", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [bytes] = (await once(service.stdout, "data")) as [Buffer];
  const pids = JSON.parse(bytes.toString()) as number[];
  assert.equal(pids.length, 2);
  service.kill("SIGKILL");
  await once(service, "exit");
  for (let waited = 0; waited < 5_000 && pids.some(isAlive); waited += 20) await sleep(20);
  assert.deepEqual(pids.filter(isAlive), []);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Without an init process, a dead process stays as a zombie, which counts as dead.
  return !existsSync(`/proc/${pid}/stat`) || !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
}

test("a terminal's interrupt is for the service: runs in its processes go on", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const running = rig.attempt("async ({ run }) => { await run('wait_150'); return {}; }");
  await rig.running(1);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(rig.pool.stats().pids[0]!, signal);
  assert.equal(codeOf(await running), "ok");
});

test("the memory limit is a function's own", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const holds =
    "() => { const all = []; for (let n = 0; n < 1e6; n++) all.push({ n, text: 'x' + n }); return { length: all.length }; }";
  assert.equal(codeOf(await rig.attempt(holds, { memoryMb: 32, limitMs: 120_000 })), "function.memory");
  const roomy = await rig.attempt(holds, { memoryMb: 512, limitMs: 120_000 });
  assert.equal(roomy.json, '{"length":1000000}');
});

test("1,000 runs of one function leave its process as it was", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const text = "async ({ run }) => { await run('a'); return { output: { a: 'x'.repeat(1000) } }; }";
  for (let batch = 0; batch < 125; batch += 1) {
    const tried = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => rig.attempt(text)));
    for (const one of tried) assert.equal(codeOf(one), "ok", String((one.thrown as Fault | undefined)?.cause));
  }
  assert.equal(rig.pool.stats().killed, 0);
});

test("where V8 gives up, one run is lost: those beside it finish, and then their process is replaced", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const [before] = rig.pool.stats().pids;
  const beside = rig.attempt("async ({ run }) => { await run('wait_3000'); await run('a'); return {}; }", {
    limitMs: 120_000,
  });
  const bomb = await rig.attempt("() => { const m = new Map(); for (let n = 0; ; n++) m.set('k' + n, n); }", {
    limitMs: 120_000,
  });
  assert.equal(codeOf(bomb), "function.memory");
  assert.equal(codeOf(await beside), "ok");
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: 20_000 })), "ok");
  assert.ok(!rig.pool.stats().pids.includes(before!));
});

test("a pool that starts on use has no process before the first run", async (t) => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const prelude = preparePrelude(undefined);
  const pool = createPool({ clock: systemClock, log, prelude, spare: false, startsOnUse: true });
  t.after(() => pool.close());
  await prelude;
  assert.deepEqual(pool.stats().pids, []);
  const code = `__take(function () { return { default: { id: "dfunc_a", run() {} } }; });`;
  assert.equal(await pool.describe({ code, hash: hashOf(code) }), `{"id":"dfunc_a","run":"function"}`);
  assert.equal(pool.stats().pids.length, 1);
});

test("a pool that rests keeps the processes in which something runs, and starts others when it is asked again", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const underWay = rig.attempt("async ({ run }) => { await run('wait_300'); return {}; }", { limitMs: 20_000 });
  await rig.running(1);
  const [before] = rig.pool.stats().pids;
  rig.pool.endIdleProcesses();
  assert.equal(codeOf(await underWay), "ok");
  await until(() => rig.pool.stats().pids.length === 1);
  assert.equal(rig.pool.stats().pids[0], before);
  rig.pool.endIdleProcesses();
  await until(() => rig.pool.stats().pids.length === 0);
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: 20_000 })), "ok");
  await rig.settled();
  assert.deepEqual(
    rig.lines.filter(({ event }) => event === "function_process_died"),
    [],
  );
});

test("a process that nothing has run in for a minute is ended, and a spare stays", async (t) => {
  const clock = new FakeClock();
  const rig = await startPool(t, { clock, processes: 4 });
  for (const organizationId of ["org_a", "org_b"])
    assert.equal(codeOf(await rig.attempt("() => ({})", { organizationId })), "ok");
  await rig.settled();
  assert.equal(rig.pool.stats().assigned, 2);
  await clock.advance(50_000);
  assert.equal(rig.pool.stats().assigned, 2);
  await clock.advance(20_000);
  await rig.waitUntil(({ assigned, ready }) => assigned === 0 && ready === 1);
});
