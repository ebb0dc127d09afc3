import { test } from "node:test";
import { ATTACKS } from "../hostile/attacks.ts";
import { openTarget } from "../hostile/target.ts";
import { withstand } from "../hostile/withstand.ts";

test("with a heap of 256 MB the service outlives every attack, one after the other", async (t) => {
  const target = await openTarget(t, { env: { NODE_OPTIONS: "--max-old-space-size=256" } });
  for (const attack of ATTACKS) await t.test(attack.name, (part) => withstand(part, target, [attack]));
});
