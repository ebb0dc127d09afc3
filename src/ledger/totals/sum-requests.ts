import { nullIfDamaged } from "../journal/journal-damage.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerTables } from "../ports.ts";
import { readGroups, type RequestKey, type GroupQuery, type SumQuery, TOTAL_KEYS } from "./group-requests.ts";
import { readSpans, makeTotals } from "./make-totals.ts";
import { coverOf, possibleStartsOf, withoutTotals } from "./spans.ts";

/** Attempts to read totals while other processes delete them. */
const TRIES = 5;

/**
 * Sums up sent requests: from the totals of spans, which are made first where they are missing, and from the requests
 * themselves where totals are impossible. The result is the same.
 */
export async function sumRequests<Row extends object>(
  tables: LedgerTables,
  asked: SumQuery,
  shape: GroupQuery,
  onProgress?: OnProgress,
): Promise<readonly Row[]> {
  const started = possibleStartsOf(asked.sent);
  if (asked.keys.every(isTotaled)) {
    // If totals cannot be made, the sum of existing ones and of requests is still possible.
    await makeTotals(tables, started, { onProgress }).catch(() => {});
    const rows = await tryTotals(async () => {
      const cover = coverOf(await readSpans(tables, started), started, asked.sent);
      return readGroups<Row>(tables, asked, shape, cover);
    });
    if (rows !== null) return rows;
  }
  return (await readGroups<Row>(tables, asked, shape, withoutTotals(started)))!;
}

/**
 * Repeats a read of totals that finds some of them deleted meanwhile. `null` if none succeeds, or if the totals are
 * damaged: the rows may be sound.
 */
export async function tryTotals<Result>(read: () => Promise<Result | null>): Promise<Result | null> {
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const result = await read();
      if (result !== null) return result;
    }
    return null;
  } catch (error) {
    return nullIfDamaged(error);
  }
}

function isTotaled(key: RequestKey): boolean {
  return (TOTAL_KEYS as readonly RequestKey[]).includes(key);
}
