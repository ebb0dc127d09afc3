import type { Clock } from "../terms/time/clock.ts";
import type { Engine, OpenHow } from "./engine.ts";
import { openSqlite } from "./sqlite/engine.ts";

export interface StoreOptions extends OpenHow {
  /** The directory of the embedded store; created, with access for its owner only, if it does not exist. */
  readonly dataDir: string;
  /** A PostgreSQL to use instead. */
  readonly databaseUrl?: string | undefined;
  /** Reads that address again. Its password may change while the process runs. */
  readonly rereadDatabaseUrl?: (() => string | undefined) | undefined;
  readonly clock: Clock;
}

/** The engine of a store, for operations on the store as a whole. @throws StoreRefused, StoreMissing */
export async function openEngine(options: StoreOptions): Promise<Engine> {
  const { dataDir, databaseUrl, clock } = options;
  return databaseUrl === undefined
    ? openSqlite(dataDir, clock, undefined, options)
    : openShared(databaseUrl, clock, options);
}

/** Imports the driver only if it is used, so that a start on the embedded store is faster. */
async function openShared(
  databaseUrl: string,
  clock: Clock,
  { rereadDatabaseUrl, ...how }: OpenHow & Pick<StoreOptions, "rereadDatabaseUrl">,
): Promise<Engine> {
  const { openPostgres } = await import("./postgres/engine.ts");
  return openPostgres(databaseUrl, clock, undefined, how, rereadDatabaseUrl);
}
