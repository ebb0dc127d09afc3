import { CompiledQuery, type Kysely, sql } from "kysely";
import type { LedgerQuery, LedgerTables } from "../ledger/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { Engine } from "./engine.ts";
import { reportUnavailable } from "./report-unavailable.ts";
import type { Tables } from "./tables.ts";

/** What callers call a function that does not exist can be any number of texts. */
const FUNCTION = `CASE WHEN r.function_fault = 'function.unknown' THEN '' ELSE r.function_id END AS function_key,
    r.function_version AS function_version_key`;
const REQUESTS = `(
  SELECT r.transaction_id, a.ordinal, a.number, r.started_at, r.simulated, r.start_id AS start_key, c.order_id, a.sent_at,
    a.charged, a.price, c.source AS source_key, r.organization_id AS organization_key, r.workflow_id AS workflow_key,
    c.credential_id AS credential_key, c.credential_rule AS rule_key, a.currency AS currency_key, ${FUNCTION},
    c.source_version AS source_version_key
  FROM ledger_runs AS r JOIN ledger_calls AS c ON c.transaction_id = r.transaction_id
  JOIN ledger_attempts AS a ON a.transaction_id = c.transaction_id AND a.ordinal = c.ordinal)`;

const ENDED_CALLS = `(
  SELECT r.transaction_id, r.started_at, r.simulated, c.success, c.match, c.charges, c.took_ms, c.fault_code AS fault_key,
    c.source AS source_key, c.source_version AS source_version_key, r.organization_id AS organization_key,
    r.workflow_id AS workflow_key, ${FUNCTION}, c.credential_id AS credential_key
  FROM ledger_runs AS r JOIN ledger_calls AS c ON c.transaction_id = r.transaction_id)`;
const ENDED_RUNS = `(
  SELECT r.transaction_id, r.started_at, r.simulated,
    CASE WHEN r.state = 'unknown' THEN 1 ELSE 0 END AS is_lost, r.verdicts, r.took_ms, r.function_fault AS fault_key,
    r.organization_id AS organization_key, r.workflow_id AS workflow_key, ${FUNCTION}, r.token_id AS token_key
  FROM ledger_runs AS r)`;
const DELETED_BEFORE = "(SELECT CAST(max(n.deleted_up_to) + 1 AS bigint) FROM ledger_run_counts AS n)";

/** Finds the call before its run. Otherwise a planner may join the two by reading all runs. */
const LAST_USE = `(SELECT r.started_at FROM ledger_runs AS r WHERE r.transaction_id = (
  SELECT c.transaction_id FROM ledger_calls AS c WHERE c.credential_id = ? ORDER BY c.transaction_id DESC LIMIT 1))`;
const CALLS = `(
  SELECT c.transaction_id, r.transaction_id AS run_transaction_id, r.started_at, r.has_unknown, r.simulated, c.success,
    c.match, c.charges, c.took_ms, c.source AS source_key, c.credential_id AS credential_key, c.fault_code AS fault_key,
    c.budget_id AS budget_key
  FROM ledger_calls AS c JOIN ledger_runs AS r ON r.transaction_id = c.transaction_id)`;

/** The number that the triggers of totals use (`migrations/0035_baseline.ts`). */
const TOTALS_LOCK = 0x64_61_74;

/**
 * The triggers rely on statements that see all earlier commits. A database can have another default isolation level:
 * then no day is ever locked, and no totals are made.
 */
const LOCK_DAY = `SELECT CASE WHEN current_setting('transaction_isolation') = 'read committed'
  THEN pg_try_advisory_xact_lock(${TOTALS_LOCK}, CAST(? AS integer)) ELSE false END AS locked`;

const TRIES = 4;

/** PostgreSQL rolls back one of several transactions that wait for each other. */
async function retryDeadlocks<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let retries = TRIES - 1; ; retries -= 1) {
    try {
      return await change();
    } catch (error) {
      if (retries === 0 || (error as { readonly code?: unknown } | null)?.code !== DEADLOCK) throw error;
    }
  }
}

const DEADLOCK = "40P01";

/** The shared ledger of several machines. */
export function createLedgerTables(engine: Engine, clock: Clock): LedgerTables {
  const queryOn =
    (db: Kysely<Tables>): LedgerQuery =>
    async <Row extends object>(sql: string, values: readonly (string | number | null)[] = []) => {
      const { rows } = await db.executeQuery(CompiledQuery.raw(inWordsOf(engine, sql), [...values]));
      return rows as Row[];
    };
  const asked = reportUnavailable(engine, clock, {
    query: queryOn(engine.auditor),
    wallAt: () => engine.wallAt(engine.auditor),
    change: <Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result> =>
      retryDeadlocks(() => engine.auditor.transaction().execute((transaction) => work(queryOn(transaction)))),
    changeUnsynced: <Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result> =>
      unsyncedEngineOf(engine)
        .transaction()
        .execute(async (transaction) => {
          if (engine.name === "postgres") await sql`set local synchronous_commit = off`.execute(transaction);
          return work(queryOn(transaction));
        }),
  });
  return {
    ...asked,
    isText: (column) => `${column} = ?`,
    lockDay: async (query, day) => {
      // A transaction of the embedded store is the only writer from its beginning.
      if (engine.name === "sqlite") return true;
      return (await query<{ readonly locked: boolean }>(LOCK_DAY, [day]))[0]!.locked;
    },
    requests: REQUESTS,
    lastUse: LAST_USE,
    calls: CALLS,
    endedCalls: ENDED_CALLS,
    endedRuns: ENDED_RUNS,
    deletedBefore: DELETED_BEFORE,
    isPrefixed: (key) =>
      `(SELECT substr(${key}, 1, length(b.prefix)) = b.prefix FROM (SELECT CAST(? AS text) AS prefix) AS b)`,
    textOf: (key) => key,
    isKey: (key) => `${key} = ?`,
    linesByTransaction: true,
  };
}

/** On PostgreSQL, requests use `unsyncedWriter` too, and they must not wait for an auditor. */
function unsyncedEngineOf({ name, unsyncedWriter, auditor }: Engine): Kysely<Tables> {
  return name === "postgres" ? auditor : unsyncedWriter;
}

/** Numbers the parameters for PostgreSQL. The ledger's statements contain no other question marks. */
function inWordsOf({ name }: Engine, sql: string): string {
  let number = 0;
  return name === "postgres" ? sql.replaceAll("?", () => `$${String((number += 1))}`) : sql;
}
