import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { DatabaseError, type Pool, type PoolClient, type QueryResult } from "pg";
import { fromStorableRow, toStorableParameters } from "../storable-text.ts";

/** Time limits of the server for a statement, and for its wait for a lock. */
export interface TimeLimits {
  readonly statementMs: number;
  readonly lockMs?: number;
}

/** How the connections of one store reach the server. */
export interface ServerSession {
  /**
   * Whether each connection is a session of the server. A pooler may lend sessions for one transaction each: settings
   * of a session would be lost, or apply to other clients. `null` until the first statement has been answered.
   */
  isDirect: boolean | null;
}

export interface StorablePoolOptions {
  readonly limits: TimeLimits;
  readonly route: ServerSession;
  /** Called with the error when the server cannot be reached, and with `null` whenever it has answered. */
  readonly onReply: (error: Error | null) => void;
}

/** A connection that is lost in the middle of a transaction must not keep its locks. */
const IDLE_IN_TRANSACTION_MS_MAX = 5_000;
const BEGIN = /^(?:begin|start transaction)\b/;
const END = /^(?:commit|rollback)$/;

/**
 * The pool for Kysely. Converts text to and from a form that both engines can store. After any failure other than an
 * error reported by the server, the connection is discarded, because an answer may still arrive on it.
 *
 * The server's time limits are not sent as parameters of a connection, because poolers refuse them. They are set
 * together with a statement, in one round trip: for the session on the first use of a direct connection; otherwise for
 * each transaction, or for a single statement outside a transaction. So connections have to be in pipeline mode.
 */
export function createStorablePool(pool: Pool, options: StorablePoolOptions): PostgresPool {
  const limited = new WeakSet<PoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      try {
        return new StorableClient(await pool.connect(), options, limited) as unknown as PostgresPoolClient;
      } catch (error) {
        options.onReply(error as Error);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

class StorableClient {
  readonly #client: PoolClient;
  readonly #options: StorablePoolOptions;
  /** Connections with time limits set for their sessions. */
  readonly #limited: WeakSet<PoolClient>;
  #inTransaction = false;
  #failure: Error | null = null;

  constructor(client: PoolClient, options: StorablePoolOptions, limited: WeakSet<PoolClient>) {
    this.#client = client;
    this.#options = options;
    this.#limited = limited;
    // The pool listens only while a connection is idle. An error without a listener would end the process.
    client.on("error", this.#fail);
  }

  async query<RowType>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<RowType>> {
    if (this.#failure !== null) throw this.#failure;
    const result = await this.#queryWithinLimits(sql, parameters);
    for (const row of result.rows) fromStorableRow(row);
    return result as unknown as PostgresQueryResult<RowType>;
  }

  async #queryWithinLimits(sql: string, parameters: readonly unknown[]): Promise<QueryResult<AnyRow>> {
    if (this.#inTransaction || this.#limited.has(this.#client)) {
      if (END.test(sql)) this.#inTransaction = false;
      return this.#send(sql, parameters);
    }
    if (this.#options.route.isDirect === true) {
      this.#limited.add(this.#client);
      const [, result] = await allAnswered([this.#send(this.#limitsOf("session")), this.#send(sql, parameters)]);
      return result;
    }
    if (BEGIN.test(sql)) {
      this.#inTransaction = true;
      return this.#begin(sql);
    }
    // If the statement fails, this commit rolls back.
    const answers = [this.#begin("begin"), this.#send(sql, parameters), this.#send("commit")] as const;
    const [, result] = await allAnswered(answers);
    return result;
  }

  /** Also finds out whether the connection is direct: a pooler has its own numbers for connections. */
  async #begin(sql: string): Promise<QueryResult<AnyRow>> {
    const answer = await this.#send(`${sql}; ${this.#limitsOf("local")}; select pg_backend_pid() as pid`);
    const results = answer as unknown as readonly QueryResult<AnyRow>[];
    const pid = results.at(-1)!.rows[0]!["pid"];
    this.#options.route.isDirect = pid === (this.#client as PoolClient & WithProcessId).processID;
    return results[0]!;
  }

  #limitsOf(scope: "session" | "local"): string {
    const { statementMs, lockMs } = this.#options.limits;
    return [
      `set ${scope} statement_timeout = ${statementMs}`,
      `set ${scope} idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX}`,
      ...(lockMs === undefined ? [] : [`set ${scope} lock_timeout = ${lockMs}`]),
    ].join("; ");
  }

  async #send(sql: string, parameters: readonly unknown[] = []): Promise<QueryResult<AnyRow>> {
    try {
      const result = await this.#client.query<AnyRow>(sql, toStorableParameters(parameters));
      this.#options.onReply(null);
      return result;
    } catch (error) {
      if (error instanceof DatabaseError) this.#options.onReply(null);
      else this.#fail(error as Error);
      throw error;
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy === true || this.#failure !== null);
    this.#client.removeListener("error", this.#fail);
  }

  readonly #fail = (error: Error): void => {
    this.#failure ??= error;
    this.#options.onReply(error);
  };
}

type AnyRow = Record<string, unknown>;

/** A member of `pg`'s clients that is missing in its types. Without it, connections would count as pooled. */
interface WithProcessId {
  readonly processID?: unknown;
}

/** Waits for all answers, even after a failure, so that none arrives afterwards. @throws the first failure */
async function allAnswered<Answers extends readonly Promise<unknown>[]>(
  answers: Answers,
): Promise<{ readonly [At in keyof Answers]: Awaited<Answers[At]> }> {
  await Promise.allSettled(answers);
  return Promise.all(answers) as never;
}
