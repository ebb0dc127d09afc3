import { spendFilterOf } from "../admin/spent-before.ts";
import type { OpenBudgetLease } from "../admin/ports.ts";
import type { JournalReader } from "../ledger/read/journal-reader.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { StartFilter } from "../ledger/read/sum-starts.ts";
import type { LeftBehind } from "../limits/budgets/ports.ts";
import { usedByAll } from "../terms/budget.ts";
import type { Clock } from "../terms/clock.ts";
import { timeOfUuid, uuidV7 } from "../terms/ids.ts";
import type { Micros } from "../terms/money.ts";

/** Starts of versions whose runs do not name theirs have no prefix. Names sort by time, and these after those. */
const PREFIX = "st_";
/** No ask of a dead process comes after it. */
const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER;

/** Names a start of a service: later starts have greater names. */
export function newStartId(clock: Clock): string {
  return PREFIX + uuidV7(clock.wall());
}

export interface LedgersOfStarts {
  /** Of the dead process, recovered. */
  readonly journal: Pick<JournalReader, "sumStarts" | "deletedBefore" | "unreadableAt">;
  /** Where that journal drains to; `null`: nowhere. */
  readonly shared: Pick<LedgerAnswers, "sumStarts"> | null;
}

/**
 * What starts of a dead process have used of budgets, by the ledger: for those that have left no notes to be relied on.
 * Nothing is said of a start whose runs the ledger may lack.
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

/** `null`: the ledger may lack some of it. */
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
  // Of a start that its runs do not name, only its own journal knows.
  if (shared === null || !start.startsWith(PREFIX)) return null;
  // What was deleted from the journal had been carried to the shared ledger.
  const [early, late] = [{ startedTo: deletedBefore }, { startedFrom: deletedBefore }];
  return (await sum(shared, early)) + (await sum(journal, late));
}

/** The name of a lease begins with that of its start. */
export function startOf(lease: string): string {
  return lease.slice(0, lease.lastIndexOf("."));
}

/** When it began, by the clock of its machine; `null`: its name does not say. */
function timeOf(start: string): number | null {
  return timeOfUuid(start.startsWith(PREFIX) ? start.slice(PREFIX.length) : start);
}
