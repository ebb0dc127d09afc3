import { isDamage } from "../journal/journal-damage.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerTables } from "../ports.ts";
import { readGroups, type RequestKey, type GroupQuery, type SumQuery, TOTAL_KEYS } from "./group-requests.ts";
import { readSpans, makeTotals } from "./make-totals.ts";
import { coverOf, possibleStartsOf, withoutTotals } from "./spans.ts";

/** How often it is tried to read totals that others delete meanwhile. */
const TRIES = 5;

/**
 * Sums up requests that runs have sent to vendors: from the totals of spans of time, which are made on the way where
 * they are missing, and from the requests themselves where there can be none. The result is the same.
 */
export async function sumRequests<Row extends object>(
  tables: LedgerTables,
  asked: SumQuery,
  shape: GroupQuery,
  onProgress?: OnProgress,
): Promise<readonly Row[]> {
  const started = possibleStartsOf(asked.sent);
  const fromTotals = async (): Promise<readonly Row[] | null> => {
    // Whatever keeps totals from being made is not a reason to refuse a sum of those that are there.
    await makeTotals(tables, started, { onProgress }).catch(() => {});
    for (let tries = 0; tries < TRIES; tries += 1) {
      const cover = coverOf(await readSpans(tables, started), started, asked.sent);
      const rows = await readGroups<Row>(tables, asked, shape, cover);
      if (rows !== null) return rows;
    }
    return null;
  };
  // If the totals are damaged, the requests may be sound.
  const found = asked.keys.every(isTotaled) ? await fromTotals().catch(unlessDamaged) : null;
  return found ?? (await readGroups<Row>(tables, asked, shape, withoutTotals(started)))!;
}

function isTotaled(key: RequestKey): boolean {
  return (TOTAL_KEYS as readonly RequestKey[]).includes(key);
}

function unlessDamaged(error: unknown): null {
  if (!isDamage(error)) throw error;
  return null;
}
