import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { DatabaseError, type Pool, type PoolClient } from "pg";
import { fromStorableRow, toStorableParameters } from "../storable-text.ts";

/**
 * The pool as Kysely uses it: text goes in and comes out as both engines can keep it, and a connection on which anything
 * but the server's own verdict has failed is never given out again, since an answer may still be on its way.
 */
export function storablePool(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => new StorableClient(await pool.connect()) as unknown as PostgresPoolClient,
    end: () => pool.end(),
  };
}

class StorableClient {
  readonly #client: PoolClient;
  #failure: Error | null = null;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query<RowType>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<RowType>> {
    if (this.#failure !== null) throw this.#failure;
    try {
      const result = await this.#client.query(sql, toStorableParameters(parameters));
      for (const row of result.rows) fromStorableRow(row);
      return result as unknown as PostgresQueryResult<RowType>;
    } catch (error) {
      if (!(error instanceof DatabaseError)) this.#failure = error as Error;
      throw error;
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy === true || this.#failure !== null);
  }
}
