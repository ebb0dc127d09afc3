import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ATTACKS, type Attack } from "./attacks.ts";
import { openTarget, type Target } from "./target.ts";

const SMALL_HEAP = "--max-old-space-size=256";
const CGROUP_BYTES = 512 * 1024 * 1024;

test("with a heap of 256 MB the service outlives every attack, one after the other", async (t) => {
  const target = await openTarget(t, { env: { NODE_OPTIONS: SMALL_HEAP } });
  for (const attack of ATTACKS) await t.test(attack.name, (part) => withstand(part, target, [attack]));
});

test("with a heap of 256 MB the service outlives all attacks at once, with nobody reading its log", async (t) => {
  const target = await openTarget(t, { env: { NODE_OPTIONS: SMALL_HEAP } });
  target.service.readLog(false);
  await withstand(t, target, ATTACKS);

  target.service.signal("SIGTERM");
  const ended = await Promise.race([target.service.ended, delay(30_000, null)]);
  assert.equal(ended?.code, 0, "an orderly end, although nobody reads the log");
});

test("in a control group of 512 MiB the service outlives every attack, one after the other and all at once", async (t) => {
  const group = makeControlGroup();
  if (group === null) return t.skip("no control group can be made here");
  const target = await openTarget(t, { under: ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', group] });
  // After the service has ended: a group with a process in it cannot be removed.
  t.after(() => rmdirSync(group));
  for (const attack of ATTACKS) await t.test(attack.name, (part) => withstand(part, target, [attack]));
  await t.test("all at once", (part) => withstand(part, target, ATTACKS));
  t.diagnostic(readFileSync(`${group}/memory.max_usage_in_bytes`, "utf8").trim());
});

/** It lives, another organization's runs are answered meanwhile, and it is itself again afterwards. */
async function withstand(t: TestContext, target: Target, attacks: readonly Attack[]): Promise<void> {
  let over = false;
  let ended = false;
  let mostMib = 0;
  const asked: Promise<{ readonly statusCode: number }>[] = [];
  void target.service.ended.then(() => (ended = true));
  const underWay = Promise.all(attacks.map((attack) => attack.carryOut(target))).then(() => (over = true));
  while (!over && !ended) {
    asked.push(target.askAsB());
    mostMib = Math.max(mostMib, target.residentMib());
    await delay(100);
  }
  await underWay;
  assert.ok(!ended, `the service ended:\n${target.service.stderr().slice(-2_000)}`);
  const codes = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
  const answered = codes.filter((code) => code === 200).length;
  t.diagnostic(`${mostMib} MiB at the most, ${answered} of ${codes.length} healthy runs answered`);
  assert.equal((await target.askAsB()).statusCode, 200, "itself again afterwards");
  assert.ok(
    answered >= codes.length * 0.9,
    `${answered} of ${codes.length} healthy runs were answered: ${codes.join(" ")}`,
  );
}

/** Of control groups version 1 or 2, where this user may make one. */
function makeControlGroup(): string | null {
  for (const [folder, limit] of [
    ["/sys/fs/cgroup/memory", "memory.limit_in_bytes"],
    ["/sys/fs/cgroup", "memory.max"],
  ] as const) {
    const group = `${folder}/datarun-test-${process.pid}`;
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    try {
      writeFileSync(`${group}/${limit}`, String(CGROUP_BYTES));
      return group;
    } catch {
      rmdirSync(group);
    }
  }
  return null;
}
