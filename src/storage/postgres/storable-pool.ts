import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { DatabaseError, type Pool, type PoolClient } from "pg";
import { fromStorableRow, toStorableParameters } from "../storable-text.ts";

/**
 * The pool as Kysely uses it. Text is converted to and from a form that both engines can store. After any failure other
 * than an error reported by the server, the connection is not used again, because an answer may still be on its way.
 * `heard` is called with the error when the server cannot be reached, and with `null` whenever it has answered.
 */
export function createStorablePool(pool: Pool, heard: (error: Error | null) => void): PostgresPool {
  return {
    options: pool.options,
    connect: async () => {
      try {
        return new StorableClient(await pool.connect(), heard) as unknown as PostgresPoolClient;
      } catch (error) {
        heard(error as Error);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

class StorableClient {
  readonly #client: PoolClient;
  readonly #heard: (error: Error | null) => void;
  #failure: Error | null = null;

  constructor(client: PoolClient, heard: (error: Error | null) => void) {
    this.#client = client;
    this.#heard = heard;
    // The pool listens only while a connection is idle. An error without a listener would end the process.
    client.on("error", this.#fail);
  }

  async query<RowType>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<RowType>> {
    if (this.#failure !== null) throw this.#failure;
    try {
      const result = await this.#client.query(sql, toStorableParameters(parameters));
      this.#heard(null);
      for (const row of result.rows) fromStorableRow(row);
      return result as unknown as PostgresQueryResult<RowType>;
    } catch (error) {
      if (error instanceof DatabaseError) this.#heard(null);
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
    this.#heard(error);
  };
}
