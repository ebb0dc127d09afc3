import assert from "node:assert/strict";
import { test } from "node:test";
import type { StartFilter } from "../ledger/read/sum-starts.ts";
import type { Budget } from "../terms/money/budget.ts";
import { uuidV7 } from "../terms/ids.ts";
import { DAY_MS } from "../terms/time/durations.ts";
import { usedByStarts } from "./used-by-starts.ts";

const PERIOD = { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 3, 1) };
const BEGAN_AT = PERIOD.from + 10 * DAY_MS;
const START = `st_${uuidV7(BEGAN_AT)}`;
const BUDGET: Budget = {
  id: "bud_1",
  organizationId: "org_1",
  workflowId: null,
  source: null,
  credentialId: null,
  per: "month",
  timeZone: "UTC",
  currency: null,
  limit: 1_000n,
  warnPercent: 80,
  setWallAt: 0,
};

/** A ledger in which the start has sent one request each day, and an earlier version without start ids two. */
function ledgerWith(start: string, more: { deletedBefore?: number; unreadableAt?: number } = {}) {
  const sumStarts = async ({ startedFrom = 0, startedTo = PERIOD.to }: StartFilter) => {
    const days = Array.from({ length: 20 }, (_, day) => BEGAN_AT + day * DAY_MS + 1);
    const requests = days.filter((at) => at >= startedFrom && at < startedTo).length;
    const line = { currency: "EUR", amount: 0n };
    const recorded = [
      { ...line, start, requests },
      { ...line, start: null, requests: 2 * requests },
    ];
    return { now: [], recorded };
  };
  return {
    sumStarts,
    deletedBefore: () => more.deletedBefore ?? Number.NEGATIVE_INFINITY,
    unreadableAt: () => more.unreadableAt ?? Number.NEGATIVE_INFINITY,
  };
}

async function used(
  leases: Readonly<Record<string, bigint>>,
  journal: ReturnType<typeof ledgerWith>,
  shared: ReturnType<typeof ledgerWith> | null = null,
) {
  const open = Object.entries(leases).map(([lease, amount]) => {
    return { budget: BUDGET, period: PERIOD, lease, amount, isSilent: true };
  });
  const left = await usedByStarts(open, { journal, shared });
  return left.flatMap(({ counts }) => counts.map((count) => count.used));
}

test("a start has used what its journal says, and never more than it had leased", async () => {
  assert.deepEqual(await used({ [`${START}.1`]: 50n }, ledgerWith(START)), [20n]);
  assert.deepEqual(await used({ [`${START}.1`]: 15n, [`${START}.2`]: 50n }, ledgerWith(START)), [15n, 5n]);
  assert.deepEqual(await used({ [`${START}.1`]: 50n }, ledgerWith("st_another")), [0n]);
});

test("what its journal has deleted is on the shared ledger, and the rest may not be there yet", async () => {
  const journal = ledgerWith(START, { deletedBefore: BEGAN_AT + 15 * DAY_MS });
  assert.deepEqual(await used({ [`${START}.1`]: 50n }, journal, ledgerWith(START)), [20n]);
  assert.deepEqual(await used({ [`${START}.1`]: 50n }, journal), [50n], "nothing else has it");
  const early = ledgerWith(START, { deletedBefore: BEGAN_AT });
  assert.deepEqual(await used({ [`${START}.1`]: 50n }, early), [20n]);
});

test("where the ledger may lack something, all that was leased counts as used", async () => {
  const broken = ledgerWith(START, { unreadableAt: BEGAN_AT + DAY_MS });
  assert.deepEqual(await used({ [`${START}.1`]: 50n }, broken, ledgerWith(START)), [50n]);
  assert.deepEqual(await used({ "unnamed.1": 50n }, ledgerWith("unnamed")), [50n]);
});

test("a start of a version that did not name itself has used what the journal has since it began", async () => {
  const old = uuidV7(BEGAN_AT + 5 * DAY_MS);
  assert.deepEqual(await used({ [`${old}.1`]: 50n }, ledgerWith(START)), [30n]);
  const journal = ledgerWith(START, { deletedBefore: BEGAN_AT + 6 * DAY_MS });
  assert.deepEqual(await used({ [`${old}.1`]: 50n }, journal, ledgerWith(START)), [50n]);
});
