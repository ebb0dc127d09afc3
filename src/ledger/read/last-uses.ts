import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";

/** Start of the newest run that used a credential, in Unix ms. */
export interface LastUse {
  readonly credentialId: string;
  readonly wallAt: number;
}

/** SQLite combines at most 500 statements. */
const QUERIED_AT_ONCE = 100;

/** Reads one index entry for each credential. Unused credentials are left out. */
export async function lastUses(
  { query, lastUse }: LedgerTables,
  credentialIds: readonly string[],
): Promise<readonly LastUse[]> {
  const found: LastUse[] = [];
  for (let at = 0; at < credentialIds.length; at += QUERIED_AT_ONCE) {
    const ids = credentialIds.slice(at, at + QUERIED_AT_ONCE);
    const rows = await query<{ readonly credential: string; readonly started_at: number | null }>(
      ids.map(() => `SELECT CAST(? AS text) AS credential, ${lastUse} AS started_at`).join(" UNION ALL "),
      ids.flatMap((id) => [id, toStored(id)]),
    );
    for (const { credential, started_at: wallAt } of rows)
      if (wallAt !== null) found.push({ credentialId: credential, wallAt });
  }
  return found;
}
