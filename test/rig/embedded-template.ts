import { copyFileSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../src/ledger/journal/journal-database.ts";
import { JOURNAL_FILE } from "../../src/ledger/journal/journal-file.ts";
import { STORE_FILE } from "../../src/storage/sqlite/engine.ts";
import { openStore } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";

const LEDGER = "ledger";
const WAL_BYTES_MAX = 2 ** 20;

/** Makes an empty store and an empty journal in a new folder within this one. @returns the folder */
export async function makeEmbeddedTemplate(within: string): Promise<string> {
  const folder = mkdtempSync(join(within, "embedded-"));
  const store = await openStore({ dataDir: folder, databaseUrl: undefined, clock: systemClock });
  await store.ready();
  await store.close();
  mkdirSync(join(folder, LEDGER), { mode: 0o700 });
  openJournal(join(folder, LEDGER), WAL_BYTES_MAX, false).close();
  return folder;
}

/** Puts the empty store and journal into a data directory, if there is a template: making them takes a third of a start. */
export function copyEmbeddedTemplate(dataDir: string): void {
  const template = process.env["TEST_EMBEDDED_TEMPLATE"];
  if (template === undefined) return;
  mkdirSync(join(dataDir, LEDGER), { mode: 0o700 });
  for (const file of [STORE_FILE, join(LEDGER, JOURNAL_FILE)]) copyFileSync(join(template, file), join(dataDir, file));
}
