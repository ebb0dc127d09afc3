import { isDamage } from "../journal/journal-damage.ts";
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
  const fromTotals = async (): Promise<readonly Row[] | null> => {
    // If totals cannot be made, the sum of existing ones and of requests is still possible.
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

/** For `catch`. */
export function unlessDamaged(error: unknown): null {
  if (!isDamage(error)) throw error;
  return null;
}
