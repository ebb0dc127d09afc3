import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd, makeRun, runOnce, startLedger } from "../../../ledger/ledger.kit.ts";
import { openJournalReader } from "../../../ledger/read/journal-reader.ts";
import { ACT } from "../../../storage/engines.kit.ts";
import { openStore } from "../../../storage/store.ts";
import { FakeClock } from "../../../terms/time/clock.kit.ts";
import { DAY_MS } from "../../../terms/time/durations.ts";
import { runVerb } from "../../run-verb.ts";
import prune from "./prune.ts";

const YEAR_MS = 365 * DAY_MS;

test("no run is deleted by an operator without an entry in the audit trail that says how many", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const clock = new FakeClock();
  await runOnce(ledger, makeRun({ startedWallAt: clock.wall() - YEAR_MS }));
  await ledger.close();
  const reader = openJournalReader({ dir: directory });
  const [lost, store] = [
    await openStore({ dataDir: directory, clock }),
    await openStore({ dataDir: directory, clock }),
  ];
  for (const one of [reader, store]) atEnd(t, () => one.close());
  await lost.close();
  const pruned = (on: typeof store) =>
    runVerb(
      "ledger prune",
      prune,
      { before: "2025-06-01" },
      {
        clock: { ...clock, wall: () => (clock.jumpWall(1), clock.wall()) },
        actor: ACT,
        note: () => {},
        store: async () => on.admin,
        ledger: async () => reader,
      },
    );

  await assert.rejects(pruned(lost), /The store is closed/);
  assert.equal((await reader.list({})).runs.length, 1);
  assert.equal((await pruned(store))["deleted"], 1);
  const entries = await store.admin.auditEntries({ what: "ledger prune" });
  assert.deepEqual(
    entries.toReversed().map(({ detail }) => [detail["state"], detail["before"], detail["deleted"] ?? null]),
    [
      ["about to begin", "2025-06-01T00:00:00.000Z", null],
      ["done", "2025-06-01T00:00:00.000Z", 1],
    ],
  );
});
