import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { atEnd } from "../ledger.kit.ts";
import { openJournalReader } from "./journal-reader.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import type { RunPage } from "./list-runs.ts";
import { FILTERS, isSelected, makeLedger, readable, ruin, RUNS } from "./ruined-journal.kit.ts";

async function listed(t: TestContext, directory: string, filter: LedgerFilter, limit: number) {
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const pages: RunPage[] = [];
  for (let after: string | null | undefined; after !== null; after = pages.at(-1)!.next) {
    assert.ok(pages.length <= RUNS, "the pages end");
    pages.push(await reader.list(filter, { limit, ...(after !== undefined && { after }) }));
  }
  return { pages, runs: pages.flatMap(({ runs }) => runs), named: pages.flatMap(({ damaged }) => damaged) };
}

for (const [table, which] of [
  ["runs", 0],
  ["runs", 3],
  ["runs", -1],
  ["calls", 1],
  ["attempts", -1],
] as const)
  test(`beside an unreadable page of ${table} (${which}), every readable run is listed once, and the others are named, whatever the filter`, async (t) => {
    const { directory, runs } = await makeLedger(t);
    ruin(directory, table, which);
    const whole = await readable(
      t,
      directory,
      runs.map(({ id }) => id),
    );
    assert.ok(whole.size > RUNS / 3 && whole.size < RUNS, `${whole.size} are readable`);
    for (const [at, filter] of FILTERS.entries()) {
      const wanted = runs.filter((run, number) => isSelected(run, number, filter)).map(({ id }) => id);
      const { runs: got, named } = await listed(t, directory, filter, at % 2 === 0 ? 40 : 100);
      const ids = got.map((run) => run.transaction_id);
      assert.deepEqual(ids.toSorted(), wanted.filter((id) => whole.has(id)).toSorted(), JSON.stringify(filter));
      for (const id of wanted) assert.ok(whole.has(id) || named.includes(id), `${id} with ${JSON.stringify(filter)}`);
      assert.ok(named.every((name) => !whole.has(name)));
      assert.equal(new Set(named).size, named.length);
    }
  });

test("what is listed beside the unreadable stands newest first, and says so; what was listed before stays as it was", async (t) => {
  const { directory, runs } = await makeLedger(t, { unknownEvery: 20 });
  ruin(directory, "runs", 0);
  const { pages, runs: got } = await listed(t, directory, {}, 5);
  // Those with unknown charges are on the first pages, which are read from an index as long as their rows can be.
  const first = pages.findIndex(({ newestFirst }) => newestFirst);
  assert.ok(first > 0, `${first} of ${pages.length} pages`);
  assert.ok(pages.slice(first).every(({ newestFirst }) => newestFirst));
  assert.equal(new Set(got.map((run) => run.transaction_id)).size, got.length);
  const careful = pages.slice(first).flatMap((page) => page.runs.map((run) => run.started_at));
  assert.deepEqual(
    careful,
    careful.toSorted((one, other) => other - one),
  );
  const { runs: all } = await listed(t, directory, {}, 1_000);
  assert.deepEqual(all.map((run) => run.transaction_id).toSorted(), got.map((run) => run.transaction_id).toSorted());
  assert.ok(runs.length > got.length);
});

test("without one of the indexes every run is listed, and with neither it is said that the ledger is damaged", async (t) => {
  const { directory, runs } = await makeLedger(t);
  ruin(directory, "runs_by_time", 0);
  const { runs: got, named } = await listed(t, directory, {}, 50);
  assert.deepEqual(got.map((run) => run.transaction_id).toSorted(), runs.map(({ id }) => id).toSorted());
  assert.deepEqual(named, []);
  const [one] = runs;
  const found = await listed(t, directory, { transactionId: one!.id, organizationId: one!.organizationId }, 50);
  assert.deepEqual(
    found.runs.map((run) => run.transaction_id),
    [one!.id],
  );
  ruin(directory, "sqlite_autoindex_runs_1", 0);
  await assert.rejects(listed(t, directory, {}, 50), /^OperatorError: The ledger is damaged/);
});
