import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import { cursorOfCharge, type UnknownCharge, type UnknownFilter } from "../ledger/read/unknown-charges.ts";

const CHARGES_AT_ONCE = 1_000;

/** Reads the unknown charges page by page, oldest first, at most `max` of them. */
export async function allUnknownCharges(
  reader: Pick<LedgerAnswers, "unknown">,
  filter: UnknownFilter,
  max = Infinity,
): Promise<readonly UnknownCharge[]> {
  const found: UnknownCharge[] = [];
  for (let after: string | undefined; ; after = cursorOfCharge(found.at(-1)!)) {
    const limit = Math.min(CHARGES_AT_ONCE, max - found.length);
    const page = limit === 0 ? [] : await reader.unknown({ limit, filter, ...(after !== undefined && { after }) });
    found.push(...page);
    if (page.length < CHARGES_AT_ONCE) return found;
  }
}
