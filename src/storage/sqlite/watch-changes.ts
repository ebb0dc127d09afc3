import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../terms/clock.ts";

/** How stale the answer may be, so that asking costs nothing at any rate of requests. */
const LOOK_EVERY_MS = 200;

/**
 * The number of the last change that any process made. SQLite's `data_version` says within a microsecond whether anything
 * was written; only then is the counter read, which notes such as "last used" leave alone.
 */
export function watchChanges(database: DatabaseSync, clock: Clock): () => number {
  const anyWrite = database.prepare("pragma data_version");
  const counter = database.prepare("select changes from datarun_changes where id = 1");
  let changes = 0;
  let seenWrite: unknown = undefined;
  let lookAgainAt = Number.NEGATIVE_INFINITY;

  return () => {
    const now = clock.now();
    if (now < lookAgainAt) return changes;
    lookAgainAt = now + LOOK_EVERY_MS;
    try {
      const write = anyWrite.get()?.["data_version"];
      if (write !== seenWrite) {
        changes = Number(counter.get()?.["changes"]);
        seenWrite = write;
      }
    } catch {
      // Locked for a moment, or closing: what is known stands, and the next look tries again.
    }
    return changes;
  };
}
