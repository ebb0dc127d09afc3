import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Clock } from "../../terms/time/clock.ts";
import { fromStorableRow, toStorableParameters } from "../storable-text.ts";

/** How long a statement is retried while another process holds the write lock. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 5;
const RETRY_MS_MAX = 50;

/**
 * Kysely over one `node:sqlite` connection. Transactions are `IMMEDIATE`, so that they can conflict with another writer
 * only at their start.
 */
export function createSqliteDialect(database: DatabaseSync, clock: Clock): Dialect {
  return {
    createDriver: () => new SqliteDriver(database, clock),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#connection = new SqliteConnection(database, clock);
  }
  async init(): Promise<void> {}
  // Kysely itself gives the connection to one user at a time, because the adapter declares only one.
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A failed statement may have ended the transaction already.
    if (this.#database.isTransaction) await connection.executeQuery(CompiledQuery.raw("rollback"));
  }
  // The code that opened the database closes it: Kysely does not destroy a driver that was never used.
  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async executeQuery<RowType>(query: CompiledQuery): Promise<QueryResult<RowType>> {
    return whenNotBusy(() => this.#execute<RowType>(query), this.#clock);
  }

  async *streamQuery<RowType>(query: CompiledQuery): AsyncIterableIterator<QueryResult<RowType>> {
    yield await this.executeQuery<RowType>(query);
  }

  #execute<RowType>(query: CompiledQuery): QueryResult<RowType> {
    const statement = this.#database.prepare(query.sql);
    const parameters = toStorableParameters(query.parameters) as SQLInputValue[];
    if (statement.columns().length > 0) {
      const rows = statement.all(...parameters) as RowType[];
      return { rows: rows.map(fromStorableRow) };
    }
    const { changes } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }
}

/**
 * Retries while another process holds the lock. SQLite's own busy handler would block the event loop. A statement that
 * was refused as busy has changed nothing, so a retry is safe.
 */
export async function whenNotBusy<Value>(attempt: () => Value, clock: Clock): Promise<Value> {
  const giveUpAt = clock.now() + PATIENCE_MS;
  for (let delayMs = RETRY_MS; ; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || clock.now() > giveUpAt) throw error;
    }
    await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  // The low byte is the error class; the other bytes distinguish kinds of busy.
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}
