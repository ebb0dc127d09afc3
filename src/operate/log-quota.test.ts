import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { createLog } from "./log.ts";
import { createLogQuota } from "./log-quota.ts";

test("each organization has its burst and its rate, and what is dropped is counted once a minute", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const quota = createLogQuota("messages", { bytesPerSecond: 10, burstBytes: 100 }, log, clock);
  const allowedOf = (organizationId: string, count: number) =>
    Array.from({ length: count }, () => quota.allows(organizationId, 10)).filter(Boolean).length;
  const counted = () =>
    lines.splice(0).map((line) => {
      const { organization, of, count } = JSON.parse(line) as Record<string, unknown>;
      return [organization, of, count];
    });

  assert.deepEqual([allowedOf("a", 15), allowedOf("b", 3)], [10, 3]);
  assert.deepEqual(counted(), [["a", "messages", 1]]);
  await clock.advance(2_000);
  assert.deepEqual([allowedOf("a", 5), allowedOf("b", 20)], [2, 9]);
  assert.deepEqual(counted(), [["b", "messages", 1]]);
  await clock.advance(60_000);
  assert.deepEqual(counted(), [
    ["a", "messages", 7],
    ["b", "messages", 10],
  ]);
  assert.equal(allowedOf("a", 20), 10);
  quota.close();
  assert.deepEqual(counted(), [["a", "messages", 10]]);
});
