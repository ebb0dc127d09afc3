import { join } from "node:path";
import { openJournalReader, type JournalReader } from "../ledger/read/journal-reader.ts";
import { readJournalId } from "../ledger/read/journal-id.ts";
import { chargeAfterDeath } from "../ledger/read/recorded-charge.ts";
import { openBudgets, type OpenBudgets } from "../leases/budgets/budgets.ts";
import type { BudgetReading, LeftBehind, LeftNotes } from "../leases/budgets/ports.ts";
import { settleLeft } from "../leases/budgets/settle-left.ts";
import { openUseNotes, WITHOUT_NOTES } from "../leases/budgets/use-notes.ts";
import type { Log } from "../operate/log.ts";
import type { Store } from "../storage/store.ts";
import { budgetText, scopeText } from "../terms/budget.ts";
import type { Clock } from "../terms/clock.ts";
import { uuidV7 } from "../terms/ids.ts";

/**
 * The budgets of a service. Its journal gives it its name, because only one process at a time has that. To be opened
 * once the journal has been recovered, which says what became of the requests of a start that was killed.
 */
export async function openBudgetsOf(store: Store, dataDir: string, clock: Clock, log: Log): Promise<OpenBudgets> {
  const start = uuidV7(clock.wall());
  const dir = join(dataDir, "ledger");
  const notes = openUseNotes(join(dataDir, "budgets"), start);
  const left = notes.leftBehind();
  return openBudgets({
    store: store.budgets,
    notes,
    left: left.length === 0 ? [] : await settleByJournal(left, dir),
    clock,
    process: () => readJournalId(dir) ?? start,
    start,
    warn: (reading) => warnOf(log, reading),
  });
}

/** The budgets for one command. If it is killed, what it has leased counts as used until the period ends. */
export function openBudgetsForCommand(store: Store, clock: Clock): OpenBudgets {
  const start = uuidV7(clock.wall());
  return openBudgets({
    store: store.budgets,
    notes: WITHOUT_NOTES,
    left: [],
    clock,
    process: () => start,
    start,
    warn: () => {},
  });
}

/**
 * What a person has settled is counted apart from what processes used, so here the record of the service counts: else it
 * would be free twice. If the journal cannot be read now, nothing is freed of what requests under way had reserved.
 */
async function settleByJournal(left: readonly LeftNotes[], dir: string): Promise<readonly LeftBehind[]> {
  const journal = openOrNull(dir);
  const settled = await settleLeft(left, async (id) => (journal === null ? null : chargeAfterDeath(journal, id)));
  journal?.close();
  return settled;
}

function openOrNull(dir: string): JournalReader | null {
  try {
    return openJournalReader({ dir });
  } catch {
    return null;
  }
}

function warnOf(log: Log, { budget, used }: BudgetReading): void {
  log.warn(
    {
      event: "budget_nearly_used",
      budget: budget.id,
      scope: scopeText(budget),
      per: budget.per,
      time_zone: budget.timeZone,
      used: budgetText(budget, used),
      limit: budgetText(budget, budget.limit),
      warn_percent: budget.warnPercent,
    },
    "a budget is used beyond its warn level",
  );
}
