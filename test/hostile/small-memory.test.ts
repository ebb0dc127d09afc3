import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ATTACKS } from "./attacks.ts";
import { openTarget } from "./target.ts";
import { withstand } from "./withstand.ts";

const SMALL_HEAP = "--max-old-space-size=256";
const CGROUP_BYTES = 512 * 1024 * 1024;

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
  t.after(() => removeControlGroup(group));
  for (const attack of ATTACKS) await t.test(attack.name, (part) => withstand(part, target, [attack]));
  await t.test("all at once", (part) => withstand(part, target, ATTACKS));
  t.diagnostic(readFileSync(`${group}/memory.max_usage_in_bytes`, "utf8").trim());
});

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

/** Its last processes are those of functions, which die a moment after their service. */
async function removeControlGroup(group: string): Promise<void> {
  for (let left = 100; left > 0; left -= 1) {
    try {
      return rmdirSync(group);
    } catch {
      await delay(50);
    }
  }
}
