import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../terms/fault.ts";
import { assertUnharmed, codeOf, keepRunning, readyToFill } from "./blame.kit.ts";
import { startPool } from "./pool/pool.kit.ts";
import { openRss } from "./rss.ts";

test("a function that uses the memory it was granted harms nobody who finishes beside it", async (t) => {
  const rig = await startPool(t);
  const rows = `async ({ run }) => {
    const rows = [];
    for (let n = 0; n < 2_500_000; n += 1) rows.push({ n, text: "row " + n });
    await run("wait_50");
    return { rows: rows.length };
  }`;
  const small = keepRunning(t, rig);
  for (let time = 0; time < 4; time += 1) {
    const tried = await rig.attempt(rows, { organizationId: "org_large", memoryMb: 512, limitMs: 60_000 });
    assert.equal(tried.json, '{"rows":2500000}', String((tried.thrown as Fault | undefined)?.cause));
  }
  assertUnharmed(rig, await small.stop());
});

test("who fills a process with runs that wait loses runs of his own, and nobody beside him", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  const holds = `async ({ run }) => {
    const held = new Uint8Array(45_000_000).fill(1);
    await run("wait_3000");
    return { held: held.length };
  }`;
  const small = keepRunning(t, rig);
  const hogs = await Promise.all(
    Array.from({ length: 10 }, () => rig.attempt(holds, { organizationId: "org_hog", limitMs: 20_000 })),
  );
  assertUnharmed(rig, await small.stop());
  const ends = hogs.map(codeOf).sort();
  assert.ok(ends.includes("function.memory"), ends.join(" "));
  assert.ok(ends.includes("ok"), ends.join(" "));
});

test("who fills memory and ends, over and over, costs nobody beside him a run", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  const fills = `() => {
    const kept = [];
    for (let n = 0; n < 13; n += 1) kept.push(new Uint8Array(4_000_000).fill(1));
    return { n: kept.length };
  }`;
  const small = keepRunning(t, rig);
  let left = 120;
  const fill = async () => {
    for (; left > 0; left -= 1) await rig.attempt(fills, { organizationId: "org_fills", limitMs: 20_000 });
  };
  await Promise.all(Array.from({ length: 8 }, fill));
  assertUnharmed(rig, await small.stop());
});

test("what a run has left in its isolate does not end the next one", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1, childMemoryMb: 90 });
  let pairs = 0;
  for (let time = 0; pairs < 3; time += 1) {
    assert.ok(time < 30, "no first run was so quick that nobody looked at its memory");
    await rig.settled(2);
    const leaves = `async ({ inputs, run }) => {
      if (inputs.fill === true) return { n: new Uint8Array(45_000_000).fill(1).length };
      await run("wait_300");
      return { time: ${time} };
    }`;
    const first = await rig.attempt(leaves, { argument: { inputs: { fill: true } } });
    // On a busy machine it may be seen while it holds its memory, and be ended for that.
    if (first.thrown !== undefined) continue;
    const next = await rig.attempt(leaves);
    assert.equal(next.json, `{"time":${time}}`, String((next.thrown as Fault | undefined)?.cause));
    pairs += 1;
  }
});

test("memory that V8 counts in no limit cannot be had, so that nobody else pays for it", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  const resizable = `async ({ run }) => {
    const buffer = new ArrayBuffer(205_000_000, { maxByteLength: 400_000_000 });
    new Uint8Array(buffer).fill(1);
    await run("wait_100");
    buffer.resize(245_000_000);
    new Uint8Array(buffer).fill(1);
    await run("wait_500");
    return {};
  }`;
  const small = keepRunning(t, rig);
  for (let time = 0; time < 4; time += 1)
    assert.notEqual(codeOf(await rig.attempt(resizable, { organizationId: "org_hog" })), "ok");
  assertUnharmed(rig, await small.stop());
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

for (const [name, makes] of Object.entries(INTL)) {
  test(`what lies outside the heap is measured, and costs nobody beside it: ${name}`, async (t) => {
    const rig = await startPool(t, { children: 1, spares: 1 });
    const keeps = `async ({ run }) => {
      const kept = [];
      for (let round = 0; round < 60; round += 1) {
        for (let n = 0; n < 200; n += 1) { ${makes} }
        await run("wait_20");
      }
      return {};
    }`;
    const small = keepRunning(t, rig);
    const hogs = [1, 2].map(() => rig.attempt(keeps, { organizationId: "org_hog", limitMs: 10_000 }));
    const ends = await Promise.all(hogs);
    assertUnharmed(rig, await small.stop());
    for (const { thrown } of ends) {
      const fault = thrown as Fault | undefined;
      const says = String(fault?.cause);
      assert.ok(fault?.code === "function.memory" || says.includes("allocation failed"), `${fault?.code} ${says}`);
    }
  });
}

test("what V8 takes while it compiles, where it counts nothing and answers nobody, costs only those who make it", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  const compiles = `() => {
    const kept = [];
    for (let n = 0; n < 1_000; n += 1)
      try {
        kept.push(new Function("return [" + ("x => x + " + n + ",").repeat(100_000) + "]"));
        kept.at(-1)();
      } catch (thrown) {
        kept.push(thrown);
      }
    return { n: kept.length };
  }`;
  const small = keepRunning(t, rig);
  const hogs = Array.from({ length: 8 }, () => rig.attempt(compiles, { organizationId: "org_hog", limitMs: 6_000 }));
  const ends = (await Promise.all(hogs)).map(codeOf);
  assertUnharmed(rig, await small.stop());
  assert.ok(ends.includes("function.memory"), ends.join(" "));
});

test("objects of Intl that are not kept cost no run its memory, and are what they always were", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
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

test("what runs held that were ended is the system's again, and not what those beside them are taken to hold", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0, childMemoryMb: 400 });
  const fill = await readyToFill(rig);
  // So that the process is not empty, and not replaced, when the others have gone.
  const waits = rig.attempt(`async ({ run }) => { await run("wait_6000"); return {}; }`, { limitMs: 60_000 });
  const [pid] = rig.pool.stats().pids;
  const residentMb = openRss(pid!);
  await fill({ runs: 16, buffers: 14, waitMs: 500 });
  await rig.running(1);
  let mb = Infinity;
  for (let time = 0; time < 50 && mb > 250; time += 1) {
    await sleep(50);
    mb = residentMb() / 1_048_576;
  }
  assert.ok(mb <= 250, `${Math.round(mb)} MB`);
  assert.equal(codeOf(await waits), "ok");
});

test("large replies cost the run that asks for them, not a trivial function beside it", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1 });
  const asks = `async ({ run }) => {
    for (let round = 0; round < 4; round += 1)
      await Promise.all(Array.from({ length: 8 }, () => run("bytes_4900000")));
    return {};
  }`;
  const small = keepRunning(t, rig);
  const asking = Array.from({ length: 8 }, () => rig.attempt(asks, { organizationId: "org_hog", limitMs: 20_000 }));
  await Promise.all(asking);
  assertUnharmed(rig, await small.stop());
});

test("a process that is over its limit and empty is replaced, and nobody is blamed", async (t) => {
  // Less than a process takes before its first run.
  const rig = await startPool(t, { children: 1, spares: 0, childMemoryMb: 48 });
  const [before] = rig.pool.stats().pids;
  assert.equal(codeOf(await rig.attempt("() => ({})")), "ok");
  await rig.waitUntil(({ pids }) => !pids.includes(before!));
  assert.equal(codeOf(await rig.attempt("() => ({})")), "ok");
  assert.equal(rig.pool.stats().killed, 0);
  assert.deepEqual([...new Set(rig.lines.map(({ event }) => event))], ["function_process_replaced"]);
});

test("a process that the kernel takes strikes nobody, however often that happens", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  for (let time = 0; time < 3; time += 1) {
    await rig.settled(1);
    const waits = "async ({ run }) => { await run('never'); return {}; }";
    // Its time must not pass before a process is ready.
    const run = rig.attempt(waits, { organizationId: `org_${time}`, limitMs: 120_000 });
    await rig.running(1);
    process.kill(rig.pool.stats().pids[0]!, "SIGKILL");
    assert.equal(codeOf(await run), "function.raised");
  }
  assert.equal(rig.lines.filter(({ event }) => event === "function_quarantined").length, 0);
});
