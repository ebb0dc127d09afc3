import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { JOURNAL_FILE } from "../journal/journal-database.ts";
import { atEnd } from "../ledger.kit.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { type CarefulPart, findCarefully, type Place } from "./export-carefully.ts";
import { exportRuns } from "./export-runs.ts";
import { openJournalReader } from "./journal-reader.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { FILTERS, isSelected, makeLedger, readable, ruin, RUNS, startOf } from "./ruined-journal.kit.ts";

async function exported(t: TestContext, directory: string, filter: LedgerFilter) {
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  let text = "";
  const named: string[] = [];
  for await (const page of exportRuns(reader, filter, "jsonl")) {
    text += page.text;
    named.push(...page.damaged);
  }
  const ids = text
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { run: { transaction_id: string } }).run.transaction_id);
  return { ids, named };
}

for (const [table, which] of [
  ["runs", 0],
  ["runs", 3],
  ["runs", -1],
  ["calls", 1],
  ["attempts", -1],
] as const)
  test(`beside an unreadable page of ${table} (${which}), every readable run is exported once and in order, and the others are named, whatever the filter`, async (t) => {
    const { directory, runs } = await makeLedger(t);
    const ids = runs.map(({ id }) => id);
    ruin(directory, table, which);
    const whole = await readable(t, directory, ids);
    assert.ok(whole.size > RUNS / 3 && whole.size < RUNS, `${whole.size} are readable`);
    for (const filter of FILTERS) {
      const wanted = runs.filter((run, at) => isSelected(run, at, filter)).map(({ id }) => id);
      const { ids: got, named } = await exported(t, directory, filter);
      assert.deepEqual(got, wanted.filter((id) => whole.has(id)).toSorted(), JSON.stringify(filter));
      for (const id of wanted) assert.ok(whole.has(id) || named.includes(id), `${id} with ${JSON.stringify(filter)}`);
      assert.equal(new Set(named).size, named.length);
      assert.ok(named.every((name) => !whole.has(name)));
    }
  });

test("where an index cannot be read, its runs are found by the other one, and named if they are read by the first", async (t) => {
  const byTime = await makeLedger(t);
  ruin(byTime.directory, "runs_by_time", -1);
  const { ids, named } = await exported(t, byTime.directory, {});
  assert.deepEqual(ids, byTime.runs.map(({ id }) => id).toSorted());
  assert.deepEqual(named, []);
  const byId = await makeLedger(t);
  ruin(byId.directory, "sqlite_autoindex_runs_1", -1);
  const found = await exported(t, byId.directory, {});
  assert.deepEqual([...found.ids, ...found.named], byId.runs.map(({ id }) => id).toSorted());
});

test("a run whose start and id cannot be read is named by its moment, and one whose start is no time by its id", async (t) => {
  const { directory, runs } = await makeLedger(t);
  const database = new DatabaseSync(join(directory, JOURNAL_FILE));
  database.exec(`UPDATE runs SET started_at = 9223372036854775807 WHERE transaction_id = '${runs[7]!.id}'`);
  database.close();
  const { ids, named } = await exported(t, directory, {});
  assert.deepEqual(named, [runs[7]!.id]);
  assert.equal(ids.length, RUNS - 1);
  assert.deepEqual((await exported(t, directory, { to: startOf(6) })).named, []);
  ruin(directory, "runs", 2);
  ruin(directory, "sqlite_autoindex_runs_1", 1);
  const twice = await exported(t, directory, {});
  assert.equal(twice.ids.length + twice.named.length, RUNS);
  assert.ok(twice.named.some((name) => name.startsWith("one that started at 2026-03-01T")));
  // A page may end at each of their moments.
  const tables = new JournalTables(directory);
  atEnd(t, () => tables.close());
  let [place, found]: [Place | null, number] = [[Number.MIN_SAFE_INTEGER, ""], 0];
  for (let pages = 0; place !== null; pages += 1) {
    assert.ok(pages <= RUNS, "the pages end");
    const part: CarefulPart = await findCarefully(tables, {}, place, 1);
    found += part.runs.length + part.nameless.length;
    place = part.end;
  }
  assert.equal(found, RUNS - 1);
});
