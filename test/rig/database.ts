import { randomBytes } from "node:crypto";
import pg from "pg";

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * A database of its own for one service when the tests run on PostgreSQL (`TEST_STORE=postgres`, with
 * `TEST_DATABASE_URL` naming a server where databases may be made), or `undefined` for the embedded store.
 */
export async function openDatabase(): Promise<TestDatabase | undefined> {
  if (process.env["TEST_STORE"] !== "postgres") return undefined;
  const server = process.env["TEST_DATABASE_URL"];
  if (server === undefined) throw new Error("TEST_STORE=postgres needs TEST_DATABASE_URL");
  const name = `datarun_test_${randomBytes(8).toString("hex")}`;
  await ask(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => ask(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function ask(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
