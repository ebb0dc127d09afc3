import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ATTACKS } from "../hostile/attacks.ts";
import { openTarget } from "../hostile/target.ts";
import { withstand } from "../hostile/withstand.ts";

const CGROUP_BYTES = 512 * 1024 * 1024;

test("with a heap of 256 MB the service outlives every attack, one after the other", async (t) => {
  const target = await openTarget(t, { env: { NODE_OPTIONS: "--max-old-space-size=256" } });
  for (const attack of ATTACKS) await t.test(attack.name, (part) => withstand(part, target, [attack]));
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
