import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../terms/clock.ts";
import { FakeClock } from "../../terms/clock.kit.ts";
import type { Fault } from "../../terms/fault.ts";
import { preparePrelude } from "../load/bundle-cache.ts";
import { hashOf } from "../bundled.ts";
import { createPool } from "./pool.ts";
import type { LogFields } from "../ports.ts";
import { startPool, type Tried } from "./pool.kit.ts";
import { createQuarantine, isolateKey } from "./quarantine.ts";
import { until } from "../../../test/rig/until.ts";

/** Its thread never leaves the isolate: the process has to be killed. */
const STUCK = `() => { Promise.reject(Object.defineProperties(new Error("x"), { message: { get() { for (;;); } }, stack: { get() { for (;;); } } })); return new Promise(() => {}); }`;

function codeOf(tried: Tried): string {
  return tried.thrown === undefined ? "ok" : (tried.thrown as Fault).code;
}

test("what ended its process twice is quarantined for its organization's runs of that kind, until its file is loaded again", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  // On a busy machine its time may pass before it has begun, and then it ends no process.
  while (rig.pool.stats().killed < 2) {
    assert.equal(codeOf(await rig.attempt(STUCK, { limitMs: 500, simulated: true })), "function.timeout");
    await rig.settled(2);
  }
  assert.equal(codeOf(await rig.attempt(STUCK, { limitMs: 500, simulated: true })), "function.quarantined");
  assert.equal(rig.lines.filter((line) => line.event === "function_quarantined").length, 1);
  assert.equal(codeOf(await rig.attempt("() => ({})")), "ok");
  assert.equal(
    codeOf(await rig.attempt(STUCK, { limitMs: 500, organizationId: "org_b", simulated: true })),
    "function.timeout",
  );
  await rig.settled(2);
  assert.equal(codeOf(await rig.attempt(STUCK, { limitMs: 500 })), "function.timeout", "a real run");
  await rig.settled(2);
  rig.pool.forgetBundle(rig.bundleOf(STUCK).hash);
  assert.equal(codeOf(await rig.attempt(STUCK, { limitMs: 500, simulated: true })), "function.timeout");
});

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
  const pool = createPool({ clock, log, prelude: preparePrelude(undefined), children: 1, spares: 0 });
  t.after(() => pool.close());
  await pool.ready();
  const answer = Promise.withResolvers<void>();
  const start = (organizationId: string, run: string, timeoutMs: number) => {
    const code = `__take(function () { return { default: { run: ${run} } }; });`;
    const bundle = { code, hash: hashOf(code) };
    const isolate = isolateKey(organizationId, bundle.hash);
    const runSource = () => answer.promise.then(() => ({ json: "{}", taken: () => {} }));
    const host = { runSource, holds: () => true, pipe: () => {}, log: () => {} };
    const deadlineAt = clock.now() + timeoutMs;
    const argument = JSON.stringify({ inputs: {}, extra: {}, config: {}, context: "dev" });
    return pool.run(
      { what: "start", bundle, organizationId, isolate, memoryMb: 64, deadlineAt, timeoutMs, argument },
      host,
    );
  };

  const waits = start("org_b", "async ({ run }) => { await run('acme__people'); return {}; }", 60_000);
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
    const rig = await startPool(t, { children: 1, spares: 1 });
    const [shared] = rig.pool.stats().pids;
    const beside = rig.attempt("async ({ run }) => { await run('wait_3000'); return {}; }", { limitMs: 20_000 });
    // Long enough for the run to have started on a busy machine.
    const stuck = rig.attempt(text, { organizationId: "org_b", limitMs: 1_000 });
    assert.equal(codeOf(await stuck), "function.timeout");
    assert.equal(codeOf(await rig.attempt("() => ({})")), "ok", "others run elsewhere at once");
    assert.equal(codeOf(await beside), "ok");
    await until(() => rig.pool.stats().killed === 1);
    await rig.settled(2);
    assert.ok(!rig.pool.stats().pids.includes(shared!));
    const ends = rig.lines.map(({ event, reason }) => `${event}: ${String(reason)}`);
    assert.deepEqual(ends, [
      "function_process_replaced: a thread would not leave its isolate",
      "function_process_killed: a thread would not leave its isolate",
    ]);
  });

test("a process that does not answer for some seconds takes no more runs, and those in it finish when it does", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  const [shared] = rig.pool.stats().pids;
  const beside = rig.attempt("async ({ run }) => { await run('wait_500'); return {}; }", { limitMs: 60_000 });
  const late = rig.attempt("() => new Promise(() => {})", { organizationId: "org_b", limitMs: 1_000 });
  await rig.running(2);
  process.kill(shared!, "SIGSTOP");
  assert.equal(codeOf(await late), "function.timeout");
  await until(() => rig.lines.length === 1);
  assert.equal(codeOf(await rig.attempt("() => ({})")), "ok", "others run elsewhere");
  process.kill(shared!, "SIGCONT");
  assert.equal(codeOf(await beside), "ok");
  const ends = rig.lines.map(({ event, reason }) => `${event}: ${String(reason)}`);
  assert.deepEqual(ends, ["function_process_replaced: it did not end a run in time"]);
});

test("there are never more stuck processes than shared ones: the one with the fewest runs is ended", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  const waits = "async ({ run }) => { await run('never'); return {}; }";
  const begin = async (count: number): Promise<readonly ReturnType<typeof rig.attempt>[]> => {
    const active = rig.pool.stats().active;
    const begun = Array.from({ length: count }, () => rig.attempt(waits, { limitMs: 60_000 }));
    await until(() => rig.pool.stats().active === active + count);
    return begun;
  };
  const getStuck = async (text: string): Promise<void> => {
    const stuck = rig.attempt(text, { organizationId: "org_b", limitMs: 1_500 });
    assert.equal(codeOf(await stuck), "function.timeout");
  };
  const others = await begin(2);
  await getStuck(STUCK);
  await until(() => rig.lines.length === 1);
  await until(() => rig.pool.stats().children === 2 && rig.pool.stats().ready === 1);
  const [one] = await begin(1);
  await getStuck(`${STUCK} /* another */`);
  await until(() => rig.pool.stats().killed === 1);
  assert.equal(codeOf(await one!), "function.raised");
  assert.equal(rig.pool.stats().active, others.length, "the others go on");
});

test("a process that dies for no known reason is replaced, and those who were in it run alone for a while", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  await rig.settled(2);
  const texts = ["a", "b", "c"].map(
    (name) => `async ({ run, inputs }) => { await run(inputs.asks); return { ${name}: 1 }; }`,
  );
  const asking = (asks: string) =>
    texts.map((text) => rig.attempt(text, { argument: { inputs: { asks } }, limitMs: 60_000 }));
  const runs = asking("never");
  await rig.running(3);
  process.kill(rig.pool.stats().pids[0]!, "SIGKILL");
  for (const run of runs) assert.equal(codeOf(await run), "function.raised");
  assert.ok(rig.lines.some((line) => line.event === "function_process_died"));
  await rig.settled(2);
  // Two get their own process, one of them the spare; the third waits until one is free.
  const again = await Promise.all(asking("wait_300"));
  assert.deepEqual(again.map(codeOf), ["ok", "ok", "ok"]);
  const tookMs = again.map((tried) => tried.tookMs).sort((one, other) => one - other);
  assert.ok(tookMs[2]! > 590 && tookMs[2]! > tookMs[0]! + 250, tookMs.join(" "));
});

test("a suspect is cleared by three quiet runs", () => {
  const quarantine = createQuarantine(new FakeClock());
  quarantine.suspect("org/a");
  assert.equal(quarantine.standingOf("org/a"), "alone");
  for (let time = 0; time < 3; time += 1) quarantine.ranWell("org/a");
  assert.equal(quarantine.standingOf("org/a"), "free");
});

test("strikes are forgotten after an hour", async () => {
  const clock = new FakeClock();
  const quarantine = createQuarantine(clock);
  assert.equal(quarantine.strike("org/a"), false);
  assert.equal(quarantine.strike("org/a"), true);
  assert.equal(quarantine.standingOf("org/a"), "quarantined");
  await clock.advance(3_600_001);
  assert.equal(quarantine.standingOf("org/a"), "free");
});

test("more runs than there is room for wait, and one that waits past its deadline fails", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0, runsPerChild: 2 });
  const waits = "async ({ run }) => { await run('wait_200'); return {}; }";
  const runs = [1, 2, 3, 4].map(() => rig.attempt(waits));
  const late = rig.attempt(waits, { limitMs: 50 });
  assert.equal(codeOf(await late), "function.timeout");
  for (const run of runs) assert.equal(codeOf(await run), "ok");
  assert.equal(rig.pool.stats().queued, 0);
});

test("a run whose deadline has passed fails at once", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: -1 })), "function.timeout");
});

test("closing ends every run and every process", async (t) => {
  const rig = await startPool(t, { children: 2, spares: 1 });
  await rig.settled(3);
  const { pids } = rig.pool.stats();
  const limitMs = 60_000;
  const running = ["() => { for (;;); }", "() => new Promise(() => {})"].map((text) => rig.attempt(text, { limitMs }));
  await rig.running(2);
  await rig.pool.close();
  for (const run of running) assert.equal(codeOf(await run), "function.raised");
  assert.equal(codeOf(await rig.attempt("() => ({})")), "function.raised");
  assert.deepEqual(
    pids.filter((pid) => existsSync(`/proc/${pid}`)),
    [],
  );
});

test("a process has no environment but its channel, the place of compiled code and how memory is returned", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
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
  const rig = await startPool(t, { children: 1, spares: 0 });
  const path = `/proc/${rig.pool.stats().pids[0]}/oom_score_adj`;
  if (existsSync(path)) assert.equal(readFileSync(path, "latin1").trim(), "1000");
});

test("the processes die with the service, although a thread in them spins", async () => {
  const script = `
    const { startPool } = await import(${JSON.stringify(new URL("./pool.kit.ts", import.meta.url).href)});
    const rig = await startPool({ after() {} }, { children: 1, spares: 1 });
    await rig.settled(2);
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
  // Without an init process, a dead process stays as a zombie; that counts as dead.
  return !existsSync(`/proc/${pid}/stat`) || !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
}

test("a terminal's interrupt is for the service: runs in its processes go on", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  const running = rig.attempt("async ({ run }) => { await run('wait_150'); return {}; }");
  await rig.running(1);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(rig.pool.stats().pids[0]!, signal);
  assert.equal(codeOf(await running), "ok");
});

test("the memory limit is a function's own", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  const holds =
    "() => { const all = []; for (let n = 0; n < 1e6; n++) all.push({ n, text: 'x' + n }); return { length: all.length }; }";
  assert.equal(codeOf(await rig.attempt(holds, { memoryMb: 32, limitMs: 120_000 })), "function.memory");
  await rig.settled(1);
  const roomy = await rig.attempt(holds, { memoryMb: 512, organizationId: "org_roomy", limitMs: 120_000 });
  assert.equal(roomy.json, '{"length":1000000}');
});

test("1,000 runs of one function leave its process as it was", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  const text = "async ({ run }) => { await run('a'); return { output: { a: 'x'.repeat(1000) } }; }";
  for (let batch = 0; batch < 125; batch += 1) {
    const tried = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => rig.attempt(text)));
    for (const one of tried) assert.equal(codeOf(one), "ok", String((one.thrown as Fault | undefined)?.cause));
  }
  assert.equal(rig.pool.stats().killed, 0);
});

test("where V8 gives up, one run is lost: those beside it finish, and then their process is replaced", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  const [before] = rig.pool.stats().pids;
  const beside = rig.attempt("async ({ run }) => { await run('wait_3000'); await run('a'); return {}; }");
  const bomb = await rig.attempt("() => { const m = new Map(); for (let n = 0; ; n++) m.set('k' + n, n); }", {
    limitMs: 120_000,
  });
  assert.equal(codeOf(bomb), "function.memory");
  assert.equal(codeOf(await beside), "ok");
  await rig.settled(1);
  assert.notEqual(rig.pool.stats().pids[0], before);
});

test("a pool that starts on use has no process before the first run", async (t) => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const prelude = preparePrelude(undefined);
  const pool = createPool({ clock: systemClock, log, prelude, children: 1, spares: 0, startsOnUse: true });
  t.after(() => pool.close());
  await prelude;
  assert.deepEqual(pool.stats().pids, []);
  const code = `__take(function () { return { default: { id: "dfunc_a", run() {} } }; });`;
  assert.equal(await pool.describe({ code, hash: hashOf(code) }), `{"id":"dfunc_a","run":"function"}`);
  assert.equal(pool.stats().pids.length, 1);
});

test("a pool that rests keeps the processes in which something runs, and starts others when it is asked again", async (t) => {
  const rig = await startPool(t, { children: 2, spares: 0 });
  await rig.settled(2);
  const before = rig.pool.stats().pids;
  const underWay = rig.attempt("async ({ run }) => { await run('wait_300'); return {}; }");
  await rig.running(1);
  rig.pool.rest();
  assert.equal(codeOf(await underWay), "ok");
  await until(() => rig.pool.stats().pids.length === 1);
  assert.ok(before.includes(rig.pool.stats().pids[0]!));
  rig.pool.rest();
  await until(() => rig.pool.stats().pids.length === 0);
  assert.equal(codeOf(await rig.attempt("() => ({})")), "ok");
  await rig.settled(2);
  assert.deepEqual(
    rig.lines.filter(({ event }) => event === "function_process_died"),
    [],
  );
});
