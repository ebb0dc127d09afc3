import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../terms/time/clock.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { COMMAND_WAIT_MS } from "./journal-database.ts";
import { hasJournal, JOURNAL_FILE } from "./journal-file.ts";
import { JournalRows } from "./journal-rows.ts";
import {
  JOURNAL_CHANGES,
  isNumberOf,
  isPrefixOf,
  JOURNAL_VIEWS,
  LAST_USE,
  numbered,
  textOfName,
} from "./journal-views.ts";
import { isUsable } from "./migrate-journal.ts";
import type { LedgerQuery, LedgerTables } from "../ports.ts";

type Synchronous = "FULL" | "NORMAL";

/** The journal of one machine, read concurrently with the thread that writes it, from any process. */
export class JournalTables implements LedgerTables {
  readonly query: LedgerQuery = async (sql, values) => this.rows(sql, values);
  readonly isText = numbered;
  readonly requests = "ledger_requests";
  readonly lastUse = LAST_USE;
  readonly calls = "ledger_call_figures";
  readonly endedCalls = "ledger_ended_calls";
  readonly endedRuns = "ledger_ended_runs";
  readonly deletedBefore = "(SELECT f.started_before FROM forgotten AS f)";
  readonly isPrefixed = isPrefixOf;
  readonly textOf = textOfName;
  readonly isKey = isNumberOf;
  readonly linesByTransaction = false;
  readonly #path: string;
  readonly #database: DatabaseSync;
  #lastChange: Promise<unknown> = Promise.resolve();

  /** @throws OperatorError `not_found` when there is no journal in the directory; when it is of another version */
  constructor(directory: string) {
    this.#path = join(directory, JOURNAL_FILE);
    if (!hasJournal(directory))
      throw new OperatorError("not_found", `There is no ledger in ${directory}. A service makes it when it starts.`);
    this.#database = new DatabaseSync(this.#path, { readOnly: true, timeout: COMMAND_WAIT_MS });
    try {
      if (!isUsable(this.#database)) throw new Error("the ledger was written by another version");
      this.#database.exec(JOURNAL_VIEWS);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** The journal's own id, which stays the same when its folder is moved or copied. */
  id(): string {
    return this.rows<{ id: string }>("SELECT id FROM journal")[0]!.id;
  }

  wallAt(): Promise<number> {
    return Promise.resolve(systemClock.wall());
  }

  /** The result of `query`, synchronously. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the statement says what its rows are
  rows<Row extends object>(sql: string, values: readonly (string | number | null)[] = []): readonly Row[] {
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  /** Its rows by position, for reading large numbers of them. */
  byPosition(): JournalRows {
    return new JournalRows(this.#database);
  }

  /** Runs `work` on a snapshot of the journal. `work` is synchronous, so it blocks writers only briefly. */
  snapshot<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      return work();
    } finally {
      // Nothing was written. After a failed read, a commit would fail with the same error again.
      this.#database.exec("ROLLBACK");
    }
  }

  /** Changes run one after another, because each takes the journal's only write lock. */
  change<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result> {
    return this.#inTurn("FULL", work);
  }

  changeUnsynced<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result> {
    return this.#inTurn("NORMAL", work);
  }

  #inTurn<Result>(synchronous: Synchronous, work: (query: LedgerQuery) => Promise<Result>): Promise<Result> {
    const changed = this.#lastChange.then(() => this.#changeAlone(synchronous, work));
    this.#lastChange = changed.catch(() => {});
    return changed;
  }

  async #changeAlone<Result>(synchronous: Synchronous, work: (query: LedgerQuery) => Promise<Result>): Promise<Result> {
    const database = new DatabaseSync(this.#path, { timeout: COMMAND_WAIT_MS });
    try {
      database.exec(`PRAGMA synchronous = ${synchronous}`);
      database.exec(JOURNAL_VIEWS + JOURNAL_CHANGES);
      database.exec("BEGIN IMMEDIATE");
      const result = await work(queryOn(database));
      database.exec("COMMIT");
      return result;
    } finally {
      // Closing without a commit rolls the change back.
      database.close();
    }
  }

  /** A change holds the write lock from its beginning, so there is no other one. */
  lockDay(): Promise<true> {
    return Promise.resolve(true);
  }

  close(): void {
    this.#database.close();
  }
}

function queryOn(database: DatabaseSync): LedgerQuery {
  return async <Row extends object>(sql: string, values: readonly (string | number | null)[] = []) =>
    database.prepare(sql).all(...values) as Row[];
}
