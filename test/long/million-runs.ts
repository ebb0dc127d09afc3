/** A ledger of a million runs, as one of thirty days: busy and rare organizations, workflows and sources. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { JOURNAL_FILE } from "../../src/ledger/journal/journal-file.ts";

export const RUNS = 1_000_000;
const DAYS = 30;
const STEP_MS = (DAYS * 24 * 60 * 60 * 1_000) / RUNS;

/** Each run's number `i`, as what a list can be narrowed by. One SQL for both engines. */
const RUN = `'org_' || (CASE WHEN i % 10 < 5 THEN 0 WHEN i % 100000 = 77 THEN 99 ELSE i % 19 + 1 END) AS org,
  'wfl_' || (CASE WHEN i % 10 < 4 THEN 0 WHEN i % 10 = 4 THEN 1 WHEN i % 100000 = 77 THEN 99 ELSE i % 19 + 2 END) AS wfl,
  CASE WHEN i % 10 < 6 THEN 'acme__people' ELSE 'src__' || (i % 30) END AS source,
  CASE WHEN i % 100000 = 5 THEN 'rare__one' WHEN i % 2 = 0 THEN 'bell__phone' ELSE 'src__' || (i % 29) END AS other,
  CASE WHEN i % 100000 = 77 THEN 'dfunc_rare' WHEN i % 3 = 0 THEN 'dfunc_busy' WHEN i % 3 = 1 THEN 'dfunc_' || (i % 9) END AS func,
  CASE WHEN i % 500 = 7 THEN 2 WHEN i % 20 = 3 THEN 3 WHEN i % 10 = 9 THEN 1 ELSE 0 END AS ending`;

/** By `ending`: a match, no match, a failure of unknown charge, and one that was not charged. */
const OF_ENDING = `CASE ending WHEN 0 THEN 1 WHEN 1 THEN 1 ELSE 0 END AS success, CASE ending WHEN 0 THEN 1 ELSE 0 END AS match,
  CASE ending WHEN 0 THEN 'yes' WHEN 2 THEN 'unknown' ELSE 'no' END AS charged,
  CASE ending WHEN 0 THEN 2 WHEN 2 THEN 4 ELSE 1 END AS charges,
  CASE ending WHEN 2 THEN 1 ELSE 0 END AS has_unknown,
  CASE ending WHEN 0 THEN 2 WHEN 1 THEN 18 WHEN 2 THEN 1026 ELSE 258 END AS verdicts`;

/** A journal as a service leaves it, in a directory where one was opened and closed, with so many runs. */
export function fillJournal(directory: string, firstWallAt: number, count = RUNS, stepMs = STEP_MS): void {
  const database = new DatabaseSync(join(directory, JOURNAL_FILE));
  const named = (name: string): string => `(SELECT id FROM names WHERE name = ${name})`;
  const id = `printf('trx_%012x', ${firstWallAt} + CAST(i * ${stepMs} AS INTEGER)) || printf('7%019d', i)`;
  database.exec(`
    PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; BEGIN;
    CREATE TEMP TABLE seeds AS SELECT *, ${OF_ENDING} FROM (
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count})
      SELECT i, ${id} AS trx, ${firstWallAt} + CAST(i * ${stepMs} AS INTEGER) AS started_at, ${RUN} FROM n);
    INSERT OR IGNORE INTO names (name) VALUES ('data'), ('ended'), ('tok_1'), ('prod'), ('eu'), ('auto'), ('none'), ('GET'),
      ('EUR'), ('cred_1'), ('https://vendor.example');
    INSERT OR IGNORE INTO names (name) SELECT org FROM seeds UNION SELECT wfl FROM seeds UNION SELECT source FROM seeds
      UNION SELECT other FROM seeds;
    INSERT INTO runs (id, transaction_id, state, kind, organization, workflow, token, context, region, simulated,
      function_id, started_at, took_ms, client_gone, has_unknown, verdicts, unknown_sources)
      SELECT i + 1, trx, ${named("'ended'")}, ${named("'data'")}, ${named("org")}, ${named("wfl")}, ${named("'tok_1'")},
        ${named("'prod'")}, ${named("'eu'")}, 0, func, started_at, 40, 0, has_unknown, verdicts, 0 FROM seeds ORDER BY i;
    UPDATE journal SET checked_from = ${count + 1};`);
  for (const [ordinal, source, ending] of [
    [0, "source", "success, match, charged, charges"],
    [1, "other", "1, 1, 'yes' AS charged, 2"],
  ] as const) {
    const [success, match, charged, charges] = ending.replace(" AS charged", "").split(", ");
    database.exec(`
      INSERT INTO calls (run, ordinal, source, success, match, charged, charges, credential, credential_rule,
        started_after_ms, took_ms, output_bytes, has_unknown, started_at, organization, workflow)
        SELECT i + 1, ${ordinal}, ${named(source)}, ${success}, ${match}, ${named(charged!)}, ${charges}, ${named("'cred_1'")},
          ${named("'auto'")}, 1, 30, 2000, has_unknown, started_at, ${named("org")}, ${named("wfl")} FROM seeds ORDER BY i;
      INSERT INTO attempts (run, ordinal, number, origin, method, sent_at, status, took_ms, charged, price, currency)
        SELECT i + 1, ${ordinal}, 1, ${named("'https://vendor.example'")}, ${named("'GET'")}, started_at, 200, 30,
          ${named(charged!)}, 350000, ${named("'EUR'")} FROM seeds ORDER BY i;`);
  }
  database.exec("DROP TABLE seeds; COMMIT");
  database.close();
}

/** A shared ledger in a database whose store was opened. */
export async function fillShared(databaseUrl: string, firstWallAt: number, stepMs = STEP_MS): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const startedAt = `${firstWallAt} + floor(i * ${stepMs})::bigint`;
  const id = `'trx_' || lpad(to_hex(${startedAt}), 12, '0') || '7' || lpad(i::text, 19, '0')`;
  await client.query(`create temp table seeds as select *, ${OF_ENDING} from (
    select i, ${id} as trx, ${startedAt} as started_at, ${RUN} from generate_series(0, ${RUNS - 1}::bigint) as i) as n`);
  await client.query(`insert into ledger_runs (transaction_id, state, kind, organization_id, workflow_id, token_id, context,
      region, simulated, function_id, started_at, took_ms, client_gone, has_unknown, verdicts, unknown_sources)
    select trx, 'ended', 'data', org, wfl, 'tok_1', 'prod', 'eu', 0, func, started_at, 40, 0, has_unknown, verdicts, 0 from seeds`);
  for (const [ordinal, source, ending, charged] of [
    [0, "source", "success, match, charged, charges", "charged"],
    [1, "other", "1, 1, 'yes', 2", "'yes'"],
  ] as const) {
    await client.query(`insert into ledger_calls (transaction_id, ordinal, source, success, match, charged, charges,
        credential_id, credential_rule, started_after_ms, took_ms, output_bytes)
      select trx, ${ordinal}, ${source}, ${ending}, 'cred_1', 'auto', 1, 30, 2000 from seeds`);
    await client.query(`insert into ledger_attempts (transaction_id, ordinal, number, origin, method, sent_at, status, took_ms,
        charged, price, currency)
      select trx, ${ordinal}, 1, 'https://vendor.example', 'GET', started_at, 200, 30, ${charged}, 350000, 'EUR' from seeds`);
  }
  await client.query("drop table seeds");
  for (const table of ["ledger_runs", "ledger_calls", "ledger_attempts", "ledger_reconciliations"])
    await client.query(`vacuum analyze ${table}`);
  await client.end();
}
