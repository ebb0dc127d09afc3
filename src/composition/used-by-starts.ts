import { spendFilterOf } from "../admin/spent-before.ts";
import type { OpenBudgetLease } from "../admin/ports.ts";
import type { JournalReader } from "../ledger/read/journal-reader.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { StartFilter } from "../ledger/read/sum-starts.ts";
import type { LeftBehind } from "../limits/budgets/ports.ts";
import { usedByAll } from "../terms/money/budget.ts";
import type { Clock } from "../terms/time/clock.ts";
import { timeOfUuid, uuidV7 } from "../terms/ids.ts";
import type { Micros } from "../terms/money/money.ts";

/**
 * The prefix of a start's id. Older versions, whose runs do not name their start, used ids without it. Ids sort by
 * time, those with the prefix last.
 */
const PREFIX = "st_";
/** Greater than every sequence number of a dead process. */
const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER;

/** Makes the id of a start of the service. Ids of later starts are greater. */
export function newStartId(clock: Clock): string {
  return PREFIX + uuidV7(clock.wall());
}

export interface LedgersOfStarts {
  /** The recovered journal of the dead process. */
  readonly journal: Pick<JournalReader, "sumStarts" | "deletedBefore" | "unreadableAt">;
  /** The ledger that the journal drains to; `null` if there is none. */
  readonly shared: Pick<LedgerAnswers, "sumStarts"> | null;
}

/**
 * The amounts of budgets that starts of a dead process have used, by the ledger, for starts whose usage log cannot be
 * trusted. A start whose runs may be missing from the ledger is left out.
 */
export async function usedByStarts(
  open: readonly OpenBudgetLease[],
  ledgers: LedgersOfStarts,
): Promise<readonly LeftBehind[]> {
  const starts: LeftBehind[] = [];
  for (const [start, leases] of Map.groupBy(open, ({ lease }) => startOf(lease))) {
    const counts = [];
    for (const [, ofOne] of Map.groupBy(leases, ({ budget, period }) => `${budget.id} ${period.from}`)) {
      let left = await usedBy(start, ofOne[0]!, ledgers);
      for (const { budget, period, lease, amount } of ofOne) {
        const used = left === null || amount < left ? amount : left;
        if (left !== null) left -= used;
        counts.push({ budgetId: budget.id, periodFrom: period.from, lease, used });
      }
    }
    starts.push({ start, sequence: LAST_SEQUENCE, counts });
  }
  return starts;
}

/** `null` if the ledger may lack runs of the start. */
async function usedBy(
  start: string,
  { budget, period }: OpenBudgetLease,
  { journal, shared }: LedgersOfStarts,
): Promise<Micros | null> {
  const beganAt = timeOf(start);
  if (beganAt === null) return null;
  const from = Math.max(period.from, beganAt);
  const deletedBefore = journal.deletedBefore();
  if (journal.unreadableAt() > from) return null;
  const filter = spendFilterOf(budget, Math.max(period.from, budget.setWallAt), period.to);
  const sum = async (ledger: Pick<LedgerAnswers, "sumStarts">, within: Partial<StartFilter>) => {
    const { recorded } = await ledger.sumStarts({ ...filter, ...within });
    return usedByAll(
      budget,
      recorded.filter((one) => one.start === (start.startsWith(PREFIX) ? start : null)),
    );
  };
  if (deletedBefore <= from) return sum(journal, { startedFrom: start.startsWith(PREFIX) ? 0 : beganAt });
  // Runs without a start id can be attributed only in the process's own journal.
  if (shared === null || !start.startsWith(PREFIX)) return null;
  // Runs deleted from the journal had been drained to the shared ledger.
  const [early, late] = [{ startedTo: deletedBefore }, { startedFrom: deletedBefore }];
  return (await sum(shared, early)) + (await sum(journal, late));
}

/** The id of a lease begins with that of its start. */
export function startOf(lease: string): string {
  return lease.slice(0, lease.lastIndexOf("."));
}

/** The time of the start by its machine's clock; `null` if the id does not contain it. */
function timeOf(start: string): number | null {
  return timeOfUuid(start.startsWith(PREFIX) ? start.slice(PREFIX.length) : start);
}
