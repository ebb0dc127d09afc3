import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { Client } from "pg";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";

/**
 * A new, empty database on the one server of this test process, dropped when the test ends. The server is the one that
 * `TEST_DATABASE_URL` names, by a user who may create databases, or one that npm brought and that ends with the process.
 */
export async function newDatabase(t: TestLife): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await administer(`create database ${name}`);
  t.after(() => administer(`drop database ${name} with (force)`));
  return urlOf(name);
}

const given = process.env["TEST_DATABASE_URL"];
let server: Promise<PostgresServer> | null = null;
after(async () => (await server)?.stop());

async function urlOf(database: string | null): Promise<string> {
  if (given !== undefined) {
    if (database === null) return given;
    const url = new URL(given);
    url.pathname = `/${database}`;
    return url.href;
  }
  server ??= startPostgres();
  return (await server).url(database ?? "postgres");
}

async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: await urlOf(null) });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
