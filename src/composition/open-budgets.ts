import { join } from "node:path";
import type { OpenBudgetLease } from "../admin/ports.ts";
import { usedInLedger } from "../admin/spent-before.ts";
import { openJournalReader, type JournalReader } from "../ledger/read/journal-reader.ts";
import { readJournalId } from "../ledger/read/journal-holder.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import { chargeAfterDeath } from "../ledger/read/recorded-charge.ts";
import { openBudgets, type OpenBudgets } from "../limits/budgets/budgets.ts";
import { endLeases, NOBODYS } from "../limits/budgets/keep-leases.ts";
import type { BudgetReading, BudgetStore, LeftBehind, LeftLog, SpentIn } from "../limits/budgets/ports.ts";
import { settleLeft } from "../limits/budgets/read-usage.ts";
import { openUsageLog, type OpenUsageLog, WITHOUT_LOG } from "../limits/budgets/usage-log.ts";
import type { Log } from "../operate/log.ts";
import type { Store } from "../storage/store.ts";
import { budgetText, countsFrom, scopeText } from "../terms/money/budget.ts";
import type { Clock } from "../terms/time/clock.ts";
import { newStartId, startOf, usedByStarts } from "./used-by-starts.ts";

export interface BudgetsOfService {
  readonly store: Store;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The id of this start of the service, also in its runs. */
  readonly startId: string;
  /** The ledger of the deployment, and the journal of this data directory. */
  readonly ledgers: { readonly answers: LedgerAnswers; readonly journal: LedgerAnswers };
}

/**
 * The budgets of a service, under the id of its journal, which only one process at a time has open. To be called after
 * the journal is recovered: recovery decides the outcome of a killed start's requests.
 */
export async function openBudgetsOf(parts: BudgetsOfService): Promise<OpenBudgets> {
  const { store, dataDir, clock, log, startId, ledgers } = parts;
  const dir = join(dataDir, "ledger");
  const usage = openUsageLog(join(dataDir, "budgets"), startId);
  const left = await settledByJournal(usage, dir);
  const process = () => readJournalId(dir) ?? startId;
  // Leases in an embedded store belong to ended processes, because the store is in the data directory. With a shared
  // store the data directory may be a copy of one in use, unless the usage log is the original file.
  const isEmbedded = store.health().engine === "sqlite";
  const isDead = ({ lease }: OpenBudgetLease) => isEmbedded || usage.inPlace().includes(startOf(lease));
  const recovery = { store, dir, isDead, journal: ledgers.journal, shared: isEmbedded ? null : ledgers.answers };
  return openBudgets({
    store: { ...store.budgets, recover: recoverByLedger(recovery) },
    log: usage,
    left,
    clock,
    process,
    start: startId,
    spentIn: spentInLedger(async () => ledgers.answers),
    warn: (reading) => warnOf(log, reading),
  });
}

/** The budgets of one command. If the command is killed, its leases count as used until the period ends. */
export function openBudgetsForCommand(
  store: Store,
  clock: Clock,
  ledger: () => Promise<LedgerAnswers | null>,
): OpenBudgets {
  const start = newStartId(clock);
  return openBudgets({
    store: store.budgets,
    log: WITHOUT_LOG,
    left: [],
    clock,
    process: () => start,
    start,
    spentIn: spentInLedger(ledger),
    warn: () => {},
  });
}

/**
 * Ends the leases of a data directory's process, which will not start again there. Its journal must have been recovered
 * and drained to the shared ledger. Returns how many leases stay: those used lately whose usage log cannot be trusted,
 * because the directory may be a copy of that of a running process.
 */
export async function endLeasesOf(
  { store, dataDir, clock }: Pick<BudgetsOfService, "store" | "dataDir" | "clock">,
  shared: LedgerAnswers,
): Promise<number> {
  const dir = join(dataDir, "ledger");
  const process = readJournalId(dir);
  if (process === null) return 0;
  const start = newStartId(clock);
  const usage = openUsageLog(join(dataDir, "budgets"), start);
  const left = await settledByJournal(usage, dir);
  const isDead = ({ isSilent }: OpenBudgetLease) => isSilent;
  const recover = recoverByLedger({ store, dir, journal: null, shared, isDead });
  await recover({ process, start, left }, (killed, about, rows) => {
    const isKnown = (lease: string) => lease === NOBODYS || killed.left.some((one) => lease.startsWith(one.start));
    return endLeases(
      killed,
      about,
      rows.filter(({ lease }) => isKnown(lease)),
    );
  });
  const stay = await store.admin.openBudgetLeases(process);
  if (stay.length === 0) usage.recovered();
  return stay.length;
}

interface RecoveryParts {
  readonly store: Pick<Store, "budgets" | "admin">;
  readonly dir: string;
  /** A ledger that answers in another thread; `null` to read the journal in this thread. */
  readonly journal: LedgerAnswers | null;
  readonly shared: LedgerAnswers | null;
  /** Whether a start has certainly ended, although its usage log cannot be trusted. */
  readonly isDead: (lease: OpenBudgetLease) => boolean;
}

/** Recovers starts without a trusted usage log by the amounts in the ledger. */
function recoverByLedger({ store, dir, journal, shared, isDead }: RecoveryParts): BudgetStore["recover"] {
  let summed: Promise<readonly LeftBehind[]> | null = null;
  const byLedger = async (process: string, start: string, left: readonly LeftBehind[]) => {
    const hasLog = (lease: string) => left.some((one) => lease.startsWith(one.start));
    const open = (await store.admin.openBudgetLeases(process)).filter(
      (one) => one.lease < start && !hasLog(one.lease) && isDead(one),
    );
    const reader = open.length === 0 ? null : openOrNull(dir);
    if (reader === null) return [];
    const own = { ...reader, sumStarts: (journal ?? reader).sumStarts };
    return usedByStarts(open, { journal: own, shared }).finally(() => reader.close());
  };
  return async ({ process, start, left }, rule) => {
    // The sum is made once for all calls, because these starts have ended.
    summed ??= byLedger(process, start, left);
    const all = await summed.catch((error: unknown) => {
      summed = null;
      throw error;
    });
    await store.budgets.recover({ process, start, left: [...left, ...all] }, rule);
  };
}

function spentInLedger(ledger: () => Promise<LedgerAnswers | null>): SpentIn {
  const sum: SpentIn = async (budget, { from, to }) => {
    const answers = await ledger();
    if (answers === null) return 0n;
    return usedInLedger(answers, budget, Math.max(from, countsFrom(budget)), to);
  };
  const underWay = new Map<string, ReturnType<SpentIn>>();
  // Concurrent calls for one budget and period share one query.
  return (budget, period) => {
    const key = `${budget.id} ${period.from}`;
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const asked = sum(budget, period).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
}

/**
 * Settles the usage logs of ended starts by the journal. The service's own record counts here, because charges settled
 * by a person are counted separately and would otherwise be freed twice. If the journal cannot be read, reservations of
 * unfinished requests stay used.
 */
async function settledByJournal(usage: OpenUsageLog, dir: string): Promise<readonly LeftBehind[]> {
  const left: readonly LeftLog[] = usage.leftBehind();
  if (left.length === 0) return [];
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
