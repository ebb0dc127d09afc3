import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "./attacks.ts";
import type { Target } from "./target.ts";

/** It lives, another organization's runs are answered meanwhile, and it is itself again afterwards. */
export async function withstand(t: TestContext, target: Target, attacks: readonly Attack[]): Promise<void> {
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
