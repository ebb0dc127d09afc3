import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { JOURNAL_FILE } from "../../src/ledger/journal/journal-file.ts";
import { openJournalReader } from "../../src/ledger/read/journal-reader.ts";
import { atEnd, makeDirectory, makeReport, makeRun, startLedger } from "../../src/ledger/ledger.kit.ts";
import { openLoop, percentile } from "./open-loop.ts";

const RUNS = 1_000_000;
const PRUNED = 100_000;
const PER_SECOND = 50;
const CALM_MS = 15_000;

test("a hundred thousand of a million runs are pruned, and the runs that come in meanwhile do not notice", async (t) => {
  const directory = makeDirectory(t);
  const first = await startLedger(t, { directory });
  await first.ledger.close();
  fill(directory);
  const { ledger } = await startLedger(t, { directory, limits: { journalBytesMax: 8 * 1024 ** 3 } });
  const ask = async () => {
    try {
      const run = makeRun();
      await ledger.open(run).close(makeReport(run));
      return { statusCode: 200 };
    } catch {
      return { statusCode: 500 };
    }
  };
  const calm = await openLoop(PER_SECOND, CALM_MS, ask);

  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const startedAt = performance.now();
  let took = 0;
  const pruning = reader.prune(PRUNED).finally(() => (took = performance.now() - startedAt));
  const samples = [];
  while (took === 0) samples.push(...(await openLoop(PER_SECOND, 5_000, ask)));
  const { deleted } = await pruning;

  const lists = [];
  for (const filter of [{}, { organizationId: "org_1" }, { source: "nobody__nothing" }]) {
    const listedAt = performance.now();
    await reader.list(filter);
    lists.push(Math.round(performance.now() - listedAt));
  }
  const figures = {
    calm: [percentile(calm, 0.5), percentile(calm, 0.99)],
    pruning: [percentile(samples, 0.5), percentile(samples, 0.99)],
    prunedPerSecond: Math.round((deleted / took) * 1_000),
    lists,
  };
  t.diagnostic(JSON.stringify(figures));
  assert.equal(deleted, PRUNED);
  assert.ok(
    [...calm, ...samples].every(({ statusCode }) => statusCode === 200),
    JSON.stringify(figures),
  );
  assert.ok(figures.pruning[1]! < 2 * figures.calm[1]! + 50, JSON.stringify(figures));
});

/** A million runs of two calls each, one of fifty with a charge that nobody knows, started one a millisecond from 0 on. */
function fill(directory: string): void {
  const database = new DatabaseSync(join(directory, JOURNAL_FILE));
  const named = (name: string): string => `(SELECT id FROM names WHERE name = ${name})`;
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  database.exec(
    `INSERT OR IGNORE INTO names (name) VALUES ('data'), ('ended'), ('wfl_1'), ('acme__people'), ('none'), ('GET'),
       ('org_0'), ('org_1'), ('org_2'), ('org_3'), ('org_4'), ('org_5'), ('org_6'), ('https://api.acme.example')`,
  );
  database.exec(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${RUNS})
     INSERT INTO runs (transaction_id, state, kind, organization, workflow, token, context, region, simulated,
       started_at, took_ms, client_gone, has_unknown, verdicts, unknown_sources)
     SELECT printf('trx_%032d', i), ${named("'ended'")}, ${named("'data'")}, ${named("'org_' || (i % 7)")},
       ${named("'wfl_1'")}, 0, 0, 0, 0, i, 40, 0, i % 50 = 49 AND i >= ${PRUNED},
       iif(i % 50 = 49 AND i >= ${PRUNED}, 4, 2), 0 FROM n`,
  );
  const charged = `iif(has_unknown, ${named("'unknown'")}, ${named("'yes'")})`;
  for (const ordinal of [0, 1]) {
    database.exec(
      `INSERT INTO calls (run, ordinal, source, success, match, charged, charges, credential_rule, started_after_ms, took_ms,
         output_bytes, has_unknown, started_at, organization, workflow)
       SELECT id, ${ordinal}, ${named("'acme__people'")}, 1, 1, ${charged}, iif(has_unknown, 4, 2), ${named("'none'")}, 1, 30, 2000, has_unknown,
         started_at, organization, workflow FROM runs`,
    );
    database.exec(
      `INSERT INTO attempts (run, ordinal, number, origin, method, sent_at, status, took_ms, charged)
       SELECT id, ${ordinal}, 1, ${named("'https://api.acme.example'")}, ${named("'GET'")}, started_at, 200, 30, ${charged}
       FROM runs`,
    );
  }
  database.exec("COMMIT");
  database.close();
}
