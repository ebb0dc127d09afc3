import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import { type Client, Pool, type PoolClient } from "pg";
import type { Clock } from "../../terms/time/clock.ts";
import { printable } from "../../terms/text/printable.ts";
import { type Engine, type OpenHow, StoreElsewhere, type StoreHealth, StoreMissing, StoreRefused } from "../engine.ts";
import { migrateStore, stateOf } from "../migrate-store.ts";
import { MIGRATIONS, type Migration } from "../migrations/index.ts";
import { problemOf } from "../problem-of.ts";
import type { Tables } from "../tables.ts";
import { CHANNEL, ChangeFeed, pause } from "./change-feed.ts";
import { connectionOptions, type DatabaseAddress, databaseAddressOf } from "./connection-options.ts";
import { createStorablePool, type ServerSession, type TimeLimits } from "./storable-pool.ts";
import { judge, type ConnectionProblem } from "./wrong-database.ts";

const CONNECTIONS_MAX = 10;
const LIMITS: TimeLimits = { statementMs: 2_000 };
/**
 * Limits of an auditor's query, which may be a sum over a month. It waits less for a lock: a rebuild of a table may
 * hold its lock for hours, and waiting queries would take all connections meanwhile.
 */
const AUDIT_LIMITS: TimeLimits = { statementMs: 300_000, lockMs: 5_000 };
/** Totals are made over one of them, and may take long. */
const AUDIT_CONNECTIONS_MAX = 3;
/** How long `close` waits for an auditor's query. */
const AUDIT_END_MS_MAX = 2_000;
const RETRY_MS = 100;
const RETRY_MS_MAX = 1_000;
/** One step may rebuild a large table, but a server that has stopped answering must not block a start for ever. */
const MIGRATION_LIMITS: TimeLimits = { statementMs: 120_000, lockMs: 120_000 };
/**
 * The shortest interval between two reports of an unstable database, and the delay before it is reported as available.
 */
const REPORT_EVERY_MS = 10_000;
const QUIET_MS = 1_000;
/** Number of the advisory lock, unlikely to be used by other software on the same database: "dataru" in ASCII. */
const MIGRATION_LOCK = 0x64_61_74_61_72_75;
/** Separates our locks on names from those of other software that hashes the same names. */
const NAMES_SEED = MIGRATION_LOCK;

/**
 * A store on PostgreSQL. The server may be unavailable now or later: the engine retries in the background, and refuses
 * only problems that waiting cannot solve.
 * @throws StoreRefused when the address is not valid
 */
export function openPostgres(
  databaseUrl: string,
  clock: Clock,
  migrations: readonly Migration[] = MIGRATIONS,
  { opening = "upgrade", usedJournal = null, onNews: tell = () => {} }: OpenHow = {},
  rereadUrl?: () => string | undefined,
): Engine {
  const address = databaseAddressOf(databaseUrl);
  const route: ServerSession = { isDirect: null };
  const openPool = (limits: TimeLimits, max: number): Pool =>
    new Pool({ ...connectionOptions(databaseUrl, limits.statementMs, rereadUrl), max });
  const pool = openPool(LIMITS, CONNECTIONS_MAX);
  const onReply = (error: Error | null): void => {
    if (error === null) onAvailable();
    else onUnavailable(problemOf(error), judge(error, address));
  };
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createStorablePool(pool, { limits: LIMITS, route, onReply }) }),
  });
  // Connects at its first use, so that a service without audits has no such connections.
  const auditPool = openPool(AUDIT_LIMITS, AUDIT_CONNECTIONS_MAX);
  const auditClients = new Set<PoolClient>();
  auditPool.on("connect", (client) => auditClients.add(client)).on("remove", (client) => auditClients.delete(client));
  const auditor = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createStorablePool(auditPool, { limits: AUDIT_LIMITS, route, onReply }) }),
  });
  const feed = new ChangeFeed(connectionOptions(databaseUrl, LIMITS.statementMs, rereadUrl), route, clock);
  const opened = Promise.withResolvers<void>();
  const closing = new AbortController();
  let state: StoreHealth["state"] = "connecting";
  let problem: string | null = null;
  let healthMessage: string | null = null;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let isReportedAway = false;

  function onUnavailable(code: string, verdict: ConnectionProblem): void {
    const isNew = healthMessage !== verdict.message;
    problem = code;
    healthMessage = verdict.message;
    // A few failed queries over a long time are one log line now and then.
    if (!isNew || (isReportedAway && clock.now() - reportedAt < REPORT_EVERY_MS)) return;
    [reportedAt, isReportedAway] = [clock.now(), true];
    tell({ event: "store_away", says: healthMessage });
  }

  function onAvailable(forSure = false): void {
    problem = healthMessage = null;
    if (!isReportedAway || state !== "ready" || (!forSure && clock.now() - reportedAt < QUIET_MS)) return;
    isReportedAway = false;
    tell({ event: "store_back", says: `The PostgreSQL at ${address.at} answers again.` });
  }

  // A broken idle connection is replaced at its next use. Without a listener the error would end the process.
  for (const each of [pool, auditPool]) each.on("error", onReply);
  // Callers that await it get the error. Without one, the rejection must not count as unhandled.
  opened.promise.catch(() => {});

  const bringUp = async (): Promise<void> => {
    for (let delayMs = RETRY_MS; !closing.signal.aborted; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
      try {
        const found = await stateOf(db, migrations, opening);
        if (found === "none" && usedJournal !== null)
          throw new StoreElsewhere(await whereOf(db, address), "postgres", usedJournal);
        if (found === "none" && opening === "look") throw missing(address);
        if (found !== "ready") {
          state = "migrating";
          await migrateAlone(openPool(MIGRATION_LIMITS, 1), route, migrations, clock, address);
        }
        state = "ready";
        onAvailable(true);
        return opened.resolve();
      } catch (error) {
        const verdict = judge(error, address);
        if (verdict.isPermanent || isRefusal(error)) {
          const refused = isRefusal(error) ? error : new StoreRefused(verdict.message, { cause: error });
          state = "refused";
          [problem, healthMessage] = [problemOf(error), refused.message];
          return opened.reject(refused);
        }
        if (!closing.signal.aborted) state = "connecting";
        onUnavailable(problemOf(error), verdict);
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
    unsyncedWriter: db,
    sync: async () => {}, // Every commit is durable.
    auditor,
    announce: async (transaction, changes) => {
      await sql`select pg_notify(${CHANNEL}, ${String(changes)})`.execute(transaction);
    },
    lockNames: async (transaction, names) => {
      await sql`
        select pg_advisory_xact_lock(hashtextextended(name, ${sql.lit(NAMES_SEED)}))
        from unnest(${names}::text[]) as locked (name)`.execute(transaction);
    },
    wallAt: async (on) => {
      const { rows } = await sql<{ now: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(on);
      return rows[0]!.now;
    },
    version: () => {
      if (state === "ready") feed.start();
      return feed.changes;
    },
    health: () => ({ engine: "postgres", state, problem, says: healthMessage, watching: feed.watching }),
    close: async () => {
      if (state === "closed") return;
      state = "closed";
      closing.abort();
      opened.reject(new StoreRefused("The store is closed."));
      await Promise.all([feed.close(), up]);
      const cancel = clock.after(AUDIT_END_MS_MAX, () => auditClients.forEach((client) => endAtOnce(client)));
      await Promise.all([db.destroy(), auditor.destroy()]).finally(cancel);
      // Kysely does not close a pool that was never used.
      for (const each of [pool, auditPool]) if (!each.ended) await each.end();
    },
  };
}

/** Fails the query in progress. */
function endAtOnce(client: PoolClient): void {
  (client as PoolClient & Pick<Client, "connection">).connection.stream.destroy();
}

function isRefusal(error: unknown): error is StoreRefused | StoreMissing {
  return error instanceof StoreRefused || error instanceof StoreMissing;
}

function missing({ at, database }: DatabaseAddress): StoreMissing {
  return new StoreMissing(
    `the database "${database}" at ${at}`,
    "Start the service on it, which makes one, or make one with: datarun org create NAME",
  );
}

/** The database and schema in which the tables would be created. */
async function whereOf(db: Kysely<Tables>, { at, database }: DatabaseAddress): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const name = rows[0]!.name;
  const where = `the database "${database}" at ${at}`;
  return name === null
    ? `${where}, whose search_path names no schema that exists`
    : `the schema "${printable(name)}" of ${where}`;
}

/** Refuses a database with tables of other software, which could conflict with ours. */
async function assertFree(transaction: Transaction<Tables>, { at, database }: DatabaseAddress): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class as c
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relname <> 'datarun_migrations'
      and not exists (
        select 1 from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by 1 limit 3`.execute(transaction);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => printable(name)).join(", ");
  throw new StoreRefused(
    `The database "${database}" at ${at} holds tables of something else (${names}). Give datarun a database of its own.`,
  );
}

/** Migrates over a separate connection that permits long statements. */
async function migrateAlone(
  pool: Pool,
  route: ServerSession,
  migrations: readonly Migration[],
  clock: Clock,
  address: DatabaseAddress,
): Promise<void> {
  pool.on("error", () => {});
  const options = { limits: MIGRATION_LIMITS, route, onReply: () => {} };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createStorablePool(pool, options) }) });
  try {
    await migrateStore(db, clock.wall(), {
      engine: "postgres",
      migrations,
      lock: async (transaction) => {
        // The lock ends with the transaction, so that a process that dies here blocks no other.
        await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
      },
      assertFree: (transaction) => assertFree(transaction, address),
    });
  } finally {
    await db.destroy();
    if (!pool.ended) await pool.end();
  }
}
