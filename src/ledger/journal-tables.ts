import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../terms/clock.ts";
import { JOURNAL_FILE } from "./journal-database.ts";
import { SCHEMA_VERSION, versionOf } from "./migrations.ts";
import type { LedgerQuery, LedgerTables } from "./ports.ts";

/** What the service's own writes may make a reader or an operator's change wait. */
const WAIT_MS = 5_000;

/** The journal numbers its runs to be small; outside of it a row belongs to its run by the transaction's id. */
const CALL_COLUMNS = `c.ordinal, c.source, c.success, c.match, c.fault_code, c.fault_kind, c.charged, c.credential_id,
  c.credential_rule, c.started_after_ms, c.took_ms, c.output_bytes`;
const ATTEMPT_COLUMNS = "a.ordinal, a.number, a.origin, a.method, a.sent_at, a.status, a.took_ms, a.charged";
const RECONCILIATION_COLUMNS = "x.ordinal, x.revision, x.charged, x.decided_by, x.decided_at, x.note, x.attempt";
const RUN_COLUMNS = `transaction_id, state, kind, organization_id, workflow_id, token_id, context, region, simulated,
  function_id, started_at, took_ms, client_gone, function_fault, has_unknown`;

/** The journal under the names and columns of the ledger. They live in the connection and change no file. */
const VIEWS = `
  CREATE TEMP VIEW ledger_runs AS SELECT ${RUN_COLUMNS} FROM runs;
  CREATE TEMP VIEW ledger_calls AS
    SELECT r.transaction_id, ${CALL_COLUMNS} FROM runs AS r JOIN calls AS c ON c.run = r.id;
  CREATE TEMP VIEW ledger_attempts AS
    SELECT r.transaction_id, ${ATTEMPT_COLUMNS} FROM runs AS r JOIN attempts AS a ON a.run = r.id;
  CREATE TEMP VIEW ledger_reconciliations AS
    SELECT r.transaction_id, ${RECONCILIATION_COLUMNS} FROM runs AS r JOIN reconciliations AS x ON x.run = r.id;
  CREATE TEMP VIEW ledger_unsettled AS
    SELECT r.transaction_id, u.ordinal, u.number FROM unsettled AS u JOIN runs AS r ON r.id = u.run;`;

const RUN = "(SELECT id FROM runs WHERE transaction_id = OLD.transaction_id)";

/** What may be changed through them: a charge, with the word it rests on. Deleting is the writer's alone. */
const CHANGES = `
  CREATE TEMP TRIGGER charge_call INSTEAD OF UPDATE OF charged ON ledger_calls BEGIN
    UPDATE calls SET charged = NEW.charged WHERE run = ${RUN} AND ordinal = OLD.ordinal; END;
  CREATE TEMP TRIGGER mark_run INSTEAD OF UPDATE OF has_unknown ON ledger_runs BEGIN
    UPDATE runs SET has_unknown = NEW.has_unknown WHERE transaction_id = OLD.transaction_id; END;
  CREATE TEMP TRIGGER charge_attempt INSTEAD OF UPDATE OF charged ON ledger_attempts BEGIN
    UPDATE attempts SET charged = NEW.charged WHERE run = ${RUN} AND ordinal = OLD.ordinal AND number = OLD.number; END;
  CREATE TEMP TRIGGER reconcile INSTEAD OF INSERT ON ledger_reconciliations BEGIN
    INSERT INTO reconciliations (run, ordinal, revision, charged, decided_by, decided_at, note, attempt)
    SELECT id, NEW.ordinal, NEW.revision, NEW.charged, NEW.decided_by, NEW.decided_at, NEW.note, NEW.attempt
    FROM runs WHERE transaction_id = NEW.transaction_id; END;`;

export function hasJournal(directory: string): boolean {
  return existsSync(join(directory, JOURNAL_FILE));
}

/** The journal of one machine, read beside the thread that writes it, in whatever process. */
export class JournalTables implements LedgerTables {
  readonly query: LedgerQuery;
  readonly #path: string;
  readonly #database: DatabaseSync;
  #lastChange: Promise<unknown> = Promise.resolve();

  /** @throws when there is no journal in the directory, or it is another version's */
  constructor(directory: string) {
    this.#path = join(directory, JOURNAL_FILE);
    if (!hasJournal(directory)) throw new Error(`there is no ledger in ${directory}`);
    this.#database = new DatabaseSync(this.#path, { readOnly: true, timeout: WAIT_MS });
    try {
      if (versionOf(this.#database) !== SCHEMA_VERSION) throw new Error("the ledger was written by another version");
      this.#database.exec(VIEWS);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.query = async (sql, values) => this.rows(sql, values);
  }

  wallAt(): Promise<number> {
    return Promise.resolve(systemClock.wall());
  }

  /** What `query` gives, at once. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the statement says what its rows are
  rows<Row extends object>(sql: string, values: readonly (string | number | null)[] = []): readonly Row[] {
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  /** One after another, since each holds the journal's only write lock. */
  change<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result> {
    const changed = this.#lastChange.then(() => this.#changeAlone(work));
    this.#lastChange = changed.catch(() => {});
    return changed;
  }

  async #changeAlone<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result> {
    const database = new DatabaseSync(this.#path, { timeout: WAIT_MS });
    try {
      database.exec("PRAGMA synchronous = FULL");
      database.exec(VIEWS + CHANGES);
      database.exec("BEGIN IMMEDIATE");
      const result = await work(queryOn(database));
      database.exec("COMMIT");
      return result;
    } finally {
      // Without a commit, closing undoes it.
      database.close();
    }
  }

  close(): void {
    this.#database.close();
  }
}

function queryOn(database: DatabaseSync): LedgerQuery {
  return async <Row extends object>(sql: string, values: readonly (string | number | null)[] = []) =>
    database.prepare(sql).all(...values) as Row[];
}
