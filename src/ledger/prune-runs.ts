import type { DatabaseSync } from "node:sqlite";
import { deleteRuns } from "./drained-runs.ts";

export interface Pruned {
  readonly deleted: number;
  /** Old enough, and kept because a charge of theirs is unknown. */
  readonly kept_unknown: number;
  /** Old enough, and kept because the outbox has not carried them away yet. */
  readonly kept_undrained: number;
}

/** So few at a time that the service's commits between them do not wait. */
const AT_ONCE = 100;

const UNKNOWN = "id IN (SELECT run FROM unsettled)";
const UNDRAINED =
  "(id > (SELECT run FROM drained) OR (EXISTS (SELECT 1 FROM drained) AND id IN (SELECT run FROM revised)))";

export function pruneRuns(database: DatabaseSync, startedBefore: number, unknownToo: boolean): Pruned {
  const deletable = `started_at < ? AND ${UNDRAINED} IS NOT TRUE ${unknownToo ? "" : `AND NOT ${UNKNOWN}`}`;
  const next = database.prepare(`SELECT id FROM runs WHERE ${deletable} ORDER BY started_at LIMIT ${AT_ONCE}`);
  let deleted = 0;
  for (let more = true; more;) {
    database.exec("BEGIN IMMEDIATE");
    const ids = (next.all(startedBefore) as { id: number }[]).map(({ id }) => id);
    deleteRuns(database, ids);
    database.exec("COMMIT");
    deleted += ids.length;
    more = ids.length === AT_ONCE;
  }
  const kept = (condition: string): number => {
    const row = database.prepare(`SELECT count(*) AS kept FROM runs WHERE started_at < ? AND ${condition}`);
    return (row.get(startedBefore) as { kept: number }).kept;
  };
  return {
    deleted,
    kept_unknown: unknownToo ? 0 : kept(`${UNDRAINED} IS NOT TRUE AND ${UNKNOWN}`),
    kept_undrained: kept(UNDRAINED),
  };
}
