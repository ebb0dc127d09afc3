import type { Clock } from "../terms/time/clock.ts";
import { LOOKUP_MS_MAX } from "./answer-in-time.ts";

/** The most keys in one query. */
const KEYS_MAX = 500;
/** The most queries in progress. Two, so that a hanging query does not block all others. */
const QUERIES_MAX = 2;

interface PendingLookup<Row> {
  readonly resolve: (row: Row | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up rows by a key. All lookups of one tick of the event loop, and those that arrive while queries are in
 * progress, share one query. So a flood of different missing keys takes only a few queries, and a lookup of an existing
 * key among them waits only for the query before its own.
 *
 * @param ask returns the existing rows, in any order
 */
export function gatherLookups<Row>(
  clock: Clock,
  keyOf: (row: Row) => string,
  ask: (keys: readonly string[]) => Promise<readonly Row[]>,
): (key: string) => Promise<Row | null> {
  const waiting = new Map<string, PendingLookup<Row>[]>();
  let activeQueries = 0;
  let begins = false;

  async function runQuery(lookups: ReadonlyMap<string, readonly PendingLookup<Row>[]>): Promise<void> {
    activeQueries += 1;
    let hasLeft = false;
    const finish = () => {
      if (hasLeft) return;
      hasLeft = true;
      activeQueries -= 1;
      begin();
    };
    // If the query takes longer, its lookups have failed, and the next query may start.
    const cancel = clock.after(LOOKUP_MS_MAX, finish);
    try {
      const rows = new Map((await ask([...lookups.keys()])).map((row) => [keyOf(row), row]));
      for (const [key, askers] of lookups) for (const { resolve } of askers) resolve(rows.get(key) ?? null);
    } catch (error) {
      for (const askers of lookups.values()) for (const { reject } of askers) reject(error);
    }
    cancel();
    finish();
  }

  function begin(): void {
    if (begins || waiting.size === 0 || activeQueries >= QUERIES_MAX) return;
    begins = true;
    // All lookups of this tick of the event loop share one query.
    setImmediate(() => {
      begins = false;
      const keys = [...waiting].slice(0, KEYS_MAX);
      for (const [key] of keys) waiting.delete(key);
      if (keys.length > 0) void runQuery(new Map(keys));
      begin();
    });
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const askers = waiting.get(key);
      if (askers === undefined) waiting.set(key, [{ resolve, reject }]);
      else askers.push({ resolve, reject });
      begin();
    });
}
