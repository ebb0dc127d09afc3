import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { processLife } from "../rig/process-life.ts";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";
import { makeStoreTemplate, type StoreTemplate } from "./store-template.ts";

/**
 * A new, empty database on the one server of this test process, dropped when the test ends. The server is the one that
 * `TEST_DATABASE_URL` names, by a user who may create databases, or one that npm brought and that ends with the process.
 */
export function newDatabase(t: TestLife): Promise<string> {
  return createDatabase(t, "template1");
}

/** The same with an empty store of today in it, for tests that are not about making one: it takes a tenth of the time. */
export async function newStoreDatabase(t: TestLife): Promise<string> {
  return createDatabase(t, await templateOnce());
}

async function createDatabase(t: TestLife, template: string): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  // Copying files costs the server less than logging every page of them.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  t.after(() => administer(`drop database ${name} with (force)`));
  return urlOf(name);
}

const given = process.env["TEST_DATABASE_URL"];
let server: Promise<PostgresServer> | null = null;
let ownTemplate: Promise<StoreTemplate> | null = null;
// Here and not where they are made, or they would end with the test that made them.
processLife.after(async () => (await ownTemplate)?.drop());
processLife.after(async () => (await server)?.stop());

/** Made by `test/run.mjs` for all files, or here for this one. */
async function templateOnce(): Promise<string> {
  const made = process.env["TEST_STORE_TEMPLATE"];
  if (made !== undefined) return made;
  ownTemplate ??= urlOf(null).then(makeStoreTemplate);
  return (await ownTemplate).name;
}

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
