import assert from "node:assert/strict";
import test from "node:test";
import { fillJournal } from "../../../test/long/million-runs.ts";
import { atEnd, makeDirectory, startLedger } from "../ledger.kit.ts";
import { exportRuns } from "./export-runs.ts";
import { openJournalReader } from "./journal-reader.ts";
import type { LedgerFilter } from "./ledger-filter.ts";

const FIRST = Date.UTC(2026, 2, 1);
const RUNS = 12_000;

test("rare runs are looked for part by part, and each of them is exported once, in order", async (t) => {
  const directory = makeDirectory(t);
  const { ledger } = await startLedger(t, { directory });
  await ledger.close();
  fillJournal(directory, FIRST, RUNS);
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const exported = async (filter: LedgerFilter) => {
    let [text, pages] = ["", 0];
    for await (const page of exportRuns(reader, filter, "jsonl")) {
      text += page.text;
      pages += 1;
    }
    const runs = text
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { run: { started_at: number } }).run.started_at);
    return { runs, pages };
  };
  const unknown = await exported({ charged: "unknown" });
  assert.deepEqual(
    unknown.runs,
    Array.from({ length: 24 }, (_, at) => FIRST + (500 * at + 7) * 2_592),
  );
  assert.equal(unknown.pages, 3);
  assert.deepEqual((await exported({ source: "rare__one" })).runs, [FIRST + 5 * 2_592]);
  assert.deepEqual((await exported({ source: "nobody__nothing" })).runs, []);
  const between = { from: FIRST + 507 * 2_592, to: FIRST + 11_507 * 2_592 };
  assert.equal((await exported({ charged: "unknown", ...between })).runs.length, 22);
  assert.equal((await exported({})).runs.length, RUNS);
});
