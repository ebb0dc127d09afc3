import assert from "node:assert/strict";
import test from "node:test";
import type { Clock } from "../terms/clock.ts";
import { keepLedgerFor } from "./retention.ts";

const DAY = 24 * 60 * 60 * 1_000;
const NOW = Date.UTC(2026, 2, 10);

test("retention deletes what is older than its days again and again, outlives a failure, and ends", async () => {
  const timers: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    wall: () => NOW,
    after: (_, due) => {
      timers.push(due);
      return () => void timers.splice(timers.indexOf(due), 1);
    },
  };
  const asked: number[] = [];
  const events: string[] = [];
  const note = (fields: object): number => events.push((fields as { event: string }).event);
  let fails = false;
  const ledger = {
    prune: async (startedBefore: number) => {
      asked.push(startedBefore);
      if (fails) throw new Error("the database is away");
      return { deleted: 3, kept_unknown: 1, kept_undrained: 0 };
    },
  };
  const end = keepLedgerFor({ days: 90, ledger, clock, log: { info: note, warn: note, error: note } });
  const turn = async (): Promise<void> => {
    timers.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await turn();
  fails = true;
  await turn();
  assert.deepEqual(asked, [NOW - 90 * DAY, NOW - 90 * DAY]);
  assert.deepEqual(events, ["ledger_pruned", "ledger_prune_failed"]);
  assert.equal(timers.length, 1);
  end();
  assert.equal(timers.length, 0);
});
