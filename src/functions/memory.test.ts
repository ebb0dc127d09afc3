import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../terms/fault.ts";
import { startPool, type PoolRig, type Tried } from "./pool/pool.kit.ts";
import { openRss } from "./process-usage.ts";

/** A typical function: a source call of 60 ms and 20 ms of work. */
const SMALL = `async ({ run }) => {
  await run("wait_60");
  const until = performance.now() + 20;
  while (performance.now() < until);
  return {};
}`;

/** Allocates the given number of 4 MB buffers, and waits. */
const FILLS = `async ({ inputs, run }) => {
  const kept = [];
  for (let n = 0; n < inputs.buffers; n += 1) kept.push(new Uint8Array(4_000_000).fill(1));
  await run("wait_" + inputs.waitMs);
  return { n: kept.length };
}`;

function codeOf({ thrown }: Tried): string {
  return thrown === undefined ? "ok" : (thrown as Fault).code;
}

/** Runs a small function of another organization repeatedly until `stop`, which returns how its runs ended. */
function keepRunning(t: TestContext, rig: PoolRig): { stop(): Promise<readonly string[]> } {
  const ends = new Set<string>();
  let stopped = false;
  // Ends the loop when the test fails.
  t.after(() => (stopped = true));
  const lane = async () => {
    while (!stopped) {
      const tried = await rig.attempt(SMALL, { organizationId: "org_small", limitMs: 20_000 });
      const { cause } = (tried.thrown as Fault | undefined) ?? {};
      ends.add(cause instanceof Error ? `${codeOf(tried)}: ${cause.message}` : codeOf(tried));
      // A closed pool refuses at once; without this, the loop would block the event loop.
      await new Promise(setImmediate);
    }
  };
  const lanes = [lane(), lane()];
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(lanes);
      return [...ends];
    },
  };
}

test("an organization that fills its process loses the runs in it, and learns why; no other loses any", async (t) => {
  const rig = await startPool(t, { processes: 2, memoryMb: 320 });
  await rig.attempt(FILLS, { organizationId: "org_hog", argument: { inputs: { buffers: 1, waitMs: 0 } } });
  const [hog] = rig.pool.stats().pids;
  const small = keepRunning(t, rig);
  const fill = { organizationId: "org_hog", limitMs: 20_000, argument: { inputs: { buffers: 12, waitMs: 2_000 } } };
  const hogs = await Promise.all(Array.from({ length: 16 }, () => rig.attempt(FILLS, fill)));
  assert.deepEqual(await small.stop(), ["ok"]);
  const lost = hogs.filter(({ thrown }) => thrown !== undefined);
  assert.ok(lost.length > 1, JSON.stringify(rig.lines));
  for (const { thrown } of lost) {
    assert.equal((thrown as Fault).code, "function.process_memory");
    assert.match((thrown as Fault).says, /: the functions of its organization .* used too much memory together$/);
    assert.match(String((thrown as Fault).cause), /it used \d+ MiB of memory; its limit is 320/);
  }
  const {
    pid,
    organization_id: organizationId,
    runs,
  } = rig.lines.find(({ event }) => event === "function_process_killed")!;
  assert.deepEqual([pid, organizationId, Number(runs) > 1], [hog, "org_hog", true]);

  // Fewer of them then run at once, until they fit.
  let again: readonly Tried[];
  do again = await Promise.all(Array.from({ length: 6 }, () => rig.attempt(FILLS, { ...fill, limitMs: 60_000 })));
  while (again.some(({ thrown }) => thrown !== undefined));
});

test("who fills memory and ends, over and over, costs no other organization a run", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const small = keepRunning(t, rig);
  let left = 60;
  const fill = { organizationId: "org_fills", limitMs: 20_000, argument: { inputs: { buffers: 13, waitMs: 0 } } };
  const lane = async () => {
    for (; left > 0; left -= 1) await rig.attempt(FILLS, fill);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  assert.deepEqual(await small.stop(), ["ok"]);
});

/** The resident memory of a process before its first run, in MiB. */
async function emptyMb(t: TestContext): Promise<number> {
  const { pool } = await startPool(t, { processes: 1 });
  const [pid] = pool.stats().pids;
  const megabytes = openRss(pid!)() / 1_048_576;
  await pool.close();
  return megabytes;
}

test("a run waits while the process of its organization is nearly full, and is not lost", async (t) => {
  const memoryMb = Math.round(((await emptyMb(t)) + 46) / 0.75);
  const rig = await startPool(t, { processes: 2, memoryMb });
  const fill = { limitMs: 60_000, argument: { inputs: { buffers: 14, waitMs: 1_000 } } };
  const first = rig.attempt(FILLS, fill);
  await rig.running(1);
  const [pid] = rig.pool.stats().pids;
  const residentMb = () => openRss(pid!)() / 1_048_576;
  while (residentMb() < memoryMb * 0.76) await sleep(10);
  // The memory of the process is measured twenty times a second.
  await sleep(150);
  const second = rig.attempt(FILLS, fill);
  assert.equal(rig.pool.stats().queued, 1);
  assert.deepEqual([codeOf(await first), codeOf(await second)], ["ok", "ok"], JSON.stringify(rig.lines));
});

test("a process that is nearly full and runs nothing is replaced", async (t) => {
  const rig = await startPool(t, { processes: 2, memoryMb: Math.round((await emptyMb(t)) * 1.3) });
  const [first] = rig.pool.stats().pids;
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: 20_000 })), "ok");
  await rig.waitUntil(({ pids }) => !pids.includes(first!));
  assert.equal(codeOf(await rig.attempt("() => ({})", { limitMs: 20_000 })), "ok");
  assert.deepEqual(rig.lines, []);
});

test("the limit of a process follows what its runs may use", async (t) => {
  const rig = await startPool(t, { processes: 2, memoryMb: 160 });
  const fill = { limitMs: 20_000, memoryMb: 256, argument: { inputs: { buffers: 45, waitMs: 500 } } };
  assert.equal(codeOf(await rig.attempt(FILLS, fill)), "ok", JSON.stringify(rig.lines));
});

test("memory that V8 counts in no limit cannot be had", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const resizable = `() => {
    const buffer = new ArrayBuffer(205_000_000, { maxByteLength: 400_000_000 });
    new Uint8Array(buffer).fill(1);
    return {};
  }`;
  assert.notEqual(codeOf(await rig.attempt(resizable)), "ok");
});

const INTL = {
  "formats of dates": `kept.push(new Intl.DateTimeFormat("en", { dateStyle: "full", calendar: "chinese" }));`,
  "their subclasses": `kept.push(new (class extends Intl.DateTimeFormat {})("en", { calendar: "chinese" }));`,
  "formats without new": `const make = Intl.DateTimeFormat.prototype.constructor; kept.push(make("en"));`,
  plurals: `kept.push(new Intl.PluralRules("ar"), new Intl.RelativeTimeFormat("ru"), new Intl.Collator("zh"));`,
  "divided texts": `kept.push(new Intl.Segmenter("th", { granularity: "word" }).segment("x ".repeat(2_500)));
    kept.push(kept.at(-1)[Symbol.iterator]());
    kept.at(-1).next();`,
};

test("what lies outside the heap counts in the memory of a run", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  for (const [name, makes] of Object.entries(INTL)) {
    const keeps = `() => { const kept = []; for (;;) { ${makes} } }`;
    const { thrown } = await rig.attempt(keeps, { memoryMb: 16, limitMs: 20_000 });
    const fault = thrown as Fault | undefined;
    const says = String(fault?.cause);
    assert.ok(
      fault?.code === "function.memory" || says.includes("allocation failed"),
      `${name}: ${fault?.code} ${says}`,
    );
  }
  assert.equal(rig.pool.stats().killed, 0);
});

test("objects of Intl that are not kept cost no run its memory, and are what they always were", async (t) => {
  const rig = await startPool(t, { processes: 1, spare: false });
  const uses = `() => {
    let last;
    for (let n = 0; n < 3_000; n += 1) last = new Intl.NumberFormat("de").format(n);
    const format = new Intl.DateTimeFormat("en", { timeZone: "UTC" });
    class Own extends Intl.NumberFormat {}
    return {
      last,
      date: format.format(0),
      same: format instanceof Intl.DateTimeFormat && format.constructor === Intl.DateTimeFormat,
      own: new Own("de") instanceof Intl.NumberFormat && Intl.NumberFormat("de") instanceof Intl.NumberFormat,
      words: [...new Intl.Segmenter("en", { granularity: "word" }).segment("two words")].map(({ segment }) => segment),
      locales: [Intl.getCanonicalLocales("EN-us"), Intl.DateTimeFormat.supportedLocalesOf("de")],
    };
  }`;
  const { json, thrown } = await rig.attempt(uses);
  assert.equal(thrown, undefined);
  assert.deepEqual(JSON.parse(json!), {
    last: "2.999",
    date: "1/1/1970",
    same: true,
    own: true,
    words: ["two", " ", "words"],
    locales: [["en-US"], ["de"]],
  });
});
