import { Kysely, PostgresDialect, sql } from "kysely";
import { Pool } from "pg";
import type { Clock } from "../../terms/clock.ts";
import { type Engine, type StoreHealth, StoreRefused } from "../engine.ts";
import { isMigrated, migrate } from "../migrate.ts";
import { MIGRATIONS, type Migration } from "../migrations/index.ts";
import { problemOf } from "../problem-of.ts";
import type { Tables } from "../schema.ts";
import { CHANNEL, ChangeFeed } from "./change-feed.ts";
import { connectionOptions } from "./connection-options.ts";
import { storablePool } from "./storable-pool.ts";

const CONNECTIONS_MAX = 10;
/** What an auditor asks for may be a sum over a month. */
const AUDIT_MS_MAX = 300_000;
const AUDIT_CONNECTIONS_MAX = 2;
const RETRY_MS = 100;
const RETRY_MS_MAX = 1_000;
/** One step may rebuild a large table; a server that has gone silent must not hold a start for ever. */
const MIGRATION_MS_MAX = 120_000;
/** A number that other software on the same database is unlikely to use: "dataru" in ASCII. */
const MIGRATION_LOCK = 0x64_61_74_61_72_75;

/**
 * A store on PostgreSQL. It may be away, now or at any time: connecting goes on in the background until it is there, and
 * only what waiting cannot change is refused.
 * @throws StoreRefused when the address cannot be read
 */
export function openPostgres(databaseUrl: string, clock: Clock, migrations: readonly Migration[] = MIGRATIONS): Engine {
  const options = connectionOptions(databaseUrl);
  const pool = new Pool({ ...options, max: CONNECTIONS_MAX });
  const heard = (error: Error | null): void => void (problem = error === null ? null : problemOf(error));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: storablePool(pool, heard) }) });
  // Connected to when first asked, so that a service which nobody audits keeps none.
  const auditPool = new Pool({ ...options, ...limitedTo(AUDIT_MS_MAX), max: AUDIT_CONNECTIONS_MAX });
  const auditor = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: storablePool(auditPool, heard) }) });
  const feed = new ChangeFeed(options, clock);
  const opened = Promise.withResolvers<void>();
  const closing = new AbortController();
  let state: StoreHealth["state"] = "connecting";
  let problem: string | null = null;

  // An idle connection that breaks is replaced when it is needed; without a listener it would end the process.
  for (const each of [pool, auditPool]) each.on("error", heard);
  // Whoever waits hears of it; that nobody waits is no fault.
  opened.promise.catch(() => {});

  const bringUp = async (): Promise<void> => {
    for (let delayMs = RETRY_MS; !closing.signal.aborted; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
      try {
        if (!(await isMigrated(db, migrations))) await migrateAlone(options, migrations, clock);
        state = "ready";
        problem = null;
        return opened.resolve();
      } catch (error) {
        if (error instanceof StoreRefused) {
          state = "refused";
          return opened.reject(error);
        }
        problem = problemOf(error);
      }
      await pause(clock, delayMs, closing.signal);
    }
  };
  const up = bringUp();

  return {
    name: "postgres",
    ready: () => (state === "closed" ? Promise.reject(new StoreRefused("The store is closed.")) : opened.promise),
    reader: db,
    writer: db,
    noter: db,
    auditor,
    announce: async (transaction, changes) => {
      await sql`select pg_notify(${CHANNEL}, ${String(changes)})`.execute(transaction);
    },
    version: () => {
      if (state === "ready") feed.start();
      return feed.changes;
    },
    health: () => ({ engine: "postgres", state, problem, watching: feed.watching }),
    close: async () => {
      if (state === "closed") return;
      state = "closed";
      closing.abort();
      opened.reject(new StoreRefused("The store is closed."));
      await Promise.all([feed.close(), up]);
      await Promise.all([db.destroy(), auditor.destroy()]);
      // Kysely closes no pool that it never used.
      for (const each of [pool, auditPool]) if (!each.ended) await each.end();
    },
  };
}

function limitedTo(statementMsMax: number): { statement_timeout: number; query_timeout: number } {
  return { statement_timeout: statementMsMax, query_timeout: statementMsMax };
}

/** Migrates over a connection of its own, on which a long statement is no mistake. */
async function migrateAlone(
  options: ReturnType<typeof connectionOptions>,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  const pool = new Pool({ ...options, ...limitedTo(MIGRATION_MS_MAX), max: 1 });
  pool.on("error", () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: storablePool(pool, () => {}) }) });
  try {
    await migrate(db, migrations, clock.wall(), async (transaction) => {
      // It ends with the transaction, so that a process that dies here holds up nobody.
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    });
  } finally {
    await db.destroy();
    if (!pool.ended) await pool.end();
  }
}

function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(delayMs, resolve);
    signal.addEventListener("abort", () => (cancel(), resolve()), { once: true });
  });
}
