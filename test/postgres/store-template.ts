import { Client } from "pg";
import { openStore } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";

/** A database with an empty store, of which others are copies. */
export interface StoreTemplate {
  readonly name: string;
  drop(): Promise<void>;
}

/** Makes one on the server of that address. Nobody is connected to it, or it could not be copied. */
export async function makeStoreTemplate(serverUrl: string): Promise<StoreTemplate> {
  const name = `store_template_${process.pid}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await administer(`create database ${name}`);
  const databaseUrl = new URL(serverUrl);
  databaseUrl.pathname = `/${name}`;
  const store = await openStore({ dataDir: "", databaseUrl: databaseUrl.href, clock: systemClock });
  try {
    await store.ready();
  } finally {
    await store.close();
  }
  return { name, drop: () => administer(`drop database ${name} with (force)`) };
}
