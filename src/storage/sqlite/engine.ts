import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Clock } from "../../terms/time/clock.ts";
import { makeDirectory } from "../../terms/platform/make-directory.ts";
import { type Engine, type OpenHow, StoreElsewhere, StoreMissing, StoreRefused } from "../engine.ts";
import { migrateStore, stateOf } from "../migrate-store.ts";
import { MIGRATIONS, type Migration } from "../migrations/index.ts";
import type { Tables } from "../tables.ts";
import { createSqliteDialect, whenNotBusy } from "./dialect.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

export const STORE_FILE = "store.sqlite";

/**
 * Opens a data directory's embedded store, and creates or migrates it if allowed. @throws StoreRefused, StoreMissing
 */
export async function openSqlite(
  dataDir: string,
  clock: Clock,
  migrations: readonly Migration[] = MIGRATIONS,
  { opening = "upgrade", usedJournal = null }: OpenHow = {},
): Promise<Engine> {
  const assertMayMake = (): void => {
    if (usedJournal !== null) throw new StoreElsewhere(dataDir, "sqlite", usedJournal);
    if (opening === "look") throw missing(dataDir);
  };
  if (!existsSync(join(dataDir, STORE_FILE))) assertMayMake();
  const databases: DatabaseSync[] = [];
  const close = () => databases.forEach((database) => database.close());
  try {
    const file = makePrivateFile(dataDir);
    // In this order, because the writer migrates. Reads have their own connection, so that they never wait for writers.
    for (const synchronous of ["full", "full", "normal"]) {
      const database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
      databases.push(database);
      const settings = `pragma journal_mode = wal; pragma synchronous = ${synchronous}`;
      await whenNotBusy(() => database.exec(settings), clock);
    }
    const [writer, reader, unsyncedWriter] = databases.map(
      (database) => new Kysely<Tables>({ dialect: createSqliteDialect(database, clock) }),
    ) as [Kysely<Tables>, Kysely<Tables>, Kysely<Tables>];
    const state = await stateOf(writer, migrations, opening);
    if (state === "none") assertMayMake();
    if (state !== "ready") {
      // The transaction is IMMEDIATE, so it takes the exclusive lock at its start. A file with this name is ours.
      await migrateStore(writer, clock.wall(), {
        engine: "sqlite",
        migrations,
        lock: async () => {},
        assertFree: async () => {},
      });
    }
    return engineOver(
      { writer, reader, unsyncedWriter },
      new WriteAheadLog(file),
      clock,
      watchChanges(databases[1]!, clock),
      close,
    );
  } catch (error) {
    close();
    if (error instanceof StoreRefused || error instanceof StoreMissing) throw error;
    throw cannotBeOpened(dataDir, error as Error);
  }
}

export function cannotBeOpened(dataDir: string, error: Error): StoreRefused {
  return new StoreRefused(`The store in ${dataDir} cannot be opened: ${reasonOf(error)}`, { cause: error });
}

/** If a folder is really a file, the system's own error describes the call and not the mistake. */
function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EEXIST" || code === "ENOTDIR" ? "a file stands where its folder should be" : error.message;
}

function missing(dataDir: string): StoreMissing {
  return new StoreMissing(
    dataDir,
    "Name its folder with --data-dir, start the service, which makes one, or make one with: datarun org create NAME",
  );
}

type Connections = Pick<Engine, "reader" | "writer" | "unsyncedWriter">;

function engineOver(
  connections: Connections,
  log: WriteAheadLog,
  clock: Clock,
  version: () => number,
  closeDatabases: () => void,
): Engine {
  let closed = false;
  return {
    name: "sqlite",
    ...connections,
    sync: () => log.sync(),
    auditor: connections.writer,
    ready: () => (closed ? Promise.reject(new StoreRefused("The store is closed.")) : Promise.resolve()),
    announce: async () => {}, // Other processes see the change of the file.
    lockNames: async () => {}, // A transaction is the only writer from its start.
    wallAt: async () => clock.wall(), // All processes are on one machine.
    version,
    health: () => ({
      engine: "sqlite",
      state: closed ? "closed" : "ready",
      problem: null,
      says: null,
      watching: !closed,
    }),
    close: async () => {
      if (closed) return;
      closed = true;
      // Uses of a connection finish first.
      const all = [connections.writer, connections.unsyncedWriter, connections.reader];
      await Promise.all(all.map((db) => db.connection().execute(async () => {})));
      await Promise.all(all.map((db) => db.destroy()));
      await log.close();
      closeDatabases();
    },
  };
}

/** Creates the store's file with access for its owner only; SQLite gives the files beside it the same mode. */
function makePrivateFile(dataDir: string): string {
  makeDirectory(dataDir);
  const file = join(dataDir, STORE_FILE);
  closeSync(openSync(file, "a", 0o600));
  return file;
}

/** The maximum age of the known number, so that a read costs little at any rate of requests. */
const CHECK_EVERY_MS = 200;

/**
 * The number of the last change by any process. SQLite's `data_version` shows within a microsecond whether there was a
 * write; only then is the counter read. Records such as "last used" do not change the counter.
 */
function watchChanges(database: DatabaseSync, clock: Clock): () => number {
  const anyWrite = database.prepare("pragma data_version");
  const counter = database.prepare("select changes from datarun_changes where id = 1");
  let changes = 0;
  let lastWrite: unknown = undefined;
  let checkAt = Number.NEGATIVE_INFINITY;

  return () => {
    const now = clock.now();
    if (now < checkAt) return changes;
    checkAt = now + CHECK_EVERY_MS;
    try {
      const write = anyWrite.get()?.["data_version"];
      if (write !== lastWrite) {
        changes = Number(counter.get()?.["changes"]);
        lastWrite = write;
      }
    } catch {
      // Locked for a moment, or closing: the known number stays, and the next read tries again.
    }
    return changes;
  };
}
