import { nullIfDamaged } from "../journal/journal-damage.ts";
import type { LedgerTables } from "../ports.ts";
import { findWithoutStart, lookAt, momentBefore } from "./export-carefully.ts";
import { both, runCondition, type Condition, type LedgerFilter } from "./ledger-filter.ts";
import { type FoundRun, readRuns } from "./read-runs.ts";

/** Where a page of a damaged ledger begins. */
export interface CarefulPlace {
  /** Before this moment. */
  readonly before: number;
  /** If pages that were read from indexes ended at a run: those of its moment behind it are shown too. */
  readonly behind: string | null;
  /** The last of the runs with unknown charges that were shown already, which come first as long as indexes can be read. */
  readonly shownUnknown: { readonly startedAt: number; readonly transactionId: string } | null;
}

export interface CarefulPage {
  readonly runs: readonly FoundRun[];
  readonly nameless: readonly string[];
  /** `null` at the end of the ledger. */
  readonly next: CarefulPlace | null;
}

/** So many runs are looked at for a page if most of them may not belong to it: the next question is not kept waiting. */
const LOOKED_AT_MAX = 2_000;

/**
 * Finds runs where the ledger is damaged, newest first: moment by moment, as an export does. Which charges are unknown
 * is not looked for first, since only an index could tell without reading everything. A page ends with a moment, so it
 * may have a few runs more than `atLeast`, or fewer if those that the filter selects are rare.
 */
export async function listCarefully(
  tables: LedgerTables,
  filter: LedgerFilter,
  place: CarefulPlace,
  atLeast: number,
): Promise<CarefulPage> {
  const { query } = tables;
  if (filter.transactionId !== undefined) return findOne(tables, filter, filter.transactionId);
  const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, ...untimed } = filter;
  const condition = both(runCondition(untimed, tables.isText), notShown(place.shownUnknown));
  const [runs, nameless]: [FoundRun[], string[]] = [[], []];
  let { before, behind } = place;
  for (let looked = 0; ;) {
    const at = behind !== null ? before : await momentBefore(query, Math.min(before, to));
    if (at === null || at < from) break;
    const moment = await lookAt(query, condition, at, "");
    const own = behind === null ? moment.runs : moment.runs.filter(({ transactionId }) => transactionId < behind!);
    runs.push(...own.toReversed());
    nameless.push(...moment.nameless);
    looked += moment.looked;
    [before, behind] = [at, null];
    if (runs.length + nameless.length >= atLeast || looked >= LOOKED_AT_MAX)
      return { runs, nameless, next: { ...place, before, behind } };
  }
  return { runs, nameless: [...nameless, ...(await findWithoutStart(tables, filter))], next: null };
}

async function findOne(tables: LedgerTables, filter: LedgerFilter, id: string): Promise<CarefulPage> {
  const { sql, values } = runCondition(filter, tables.isText);
  const selected = await tables
    .query(`SELECT 1 AS here FROM ledger_runs AS r WHERE ${sql}`, values)
    .catch(nullIfDamaged);
  if (selected === null) return { runs: [{ transactionId: id, row: null, damaged: true }], nameless: [], next: null };
  return { runs: selected.length === 0 ? [] : await readRuns(tables.query, [id]), nameless: [], next: null };
}

function notShown(last: CarefulPlace["shownUnknown"]): Condition {
  if (last === null) return { sql: "TRUE", values: [] };
  const { startedAt, transactionId } = last;
  return {
    sql: "(r.has_unknown = 0 OR r.started_at < ? OR (r.started_at = ? AND r.transaction_id < ?))",
    values: [startedAt, startedAt, transactionId],
  };
}
