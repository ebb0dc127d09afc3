import type { Micros } from "../../terms/money/money.ts";
import { DAY_MS, HOUR_MS } from "../../terms/time/durations.ts";
import { grantSlice } from "./grant-slice.ts";
import type { CountedUse, ExchangeRule, StoredLease, RecoverRule } from "./ports.ts";

/** The row of units that no process holds any more: those used under ended leases, and charges settled by hand. */
export const NOBODYS = "settled";
/** The sequence of an ended lease, which is greater than that of any ask. */
const ENDED = Number.MAX_SAFE_INTEGER;
/** An ask of an ended lease may still arrive within this time. */
const ENDED_MS = HOUR_MS;
/** A lease without contact for this long is forgotten: all its units count as used. */
const SILENT_MS = DAY_MS;
/** A process stops using a lease after this time without a report, because the store may forget it soon. */
export const LEFT_AFTER_MS = SILENT_MS / 2;

/**
 * The store's decision on one ask. Units of leases without contact become part of one row. So a budget has only as many
 * rows as processes that are alive or have ended lately, however often they were started.
 */
export const keepLeases: ExchangeRule = (ask, { budget, period, now }, rows) => {
  const known = rows.find(({ lease }) => lease === ask.lease);
  const forgotten = rows.filter((row) => row !== known && isForgotten(row, now));
  const others = rows.filter((row) => row !== known && row.sequence !== ENDED && !forgotten.includes(row));
  const over = sumOf(forgotten, "amount");
  const about = { now, budget, period, othersUsed: sumOf(others, "used") + over };
  const keeping = (own: readonly StoredLease[], used = 0n) => ({
    changed: [...own, ...withNobodys(rows, over + used)],
    forgotten: forgotten.map(({ lease }) => lease),
  });
  const isOfPeriod = ask.periodFrom === period.from;
  if (known?.sequence === ENDED) {
    // Another start has ended the lease, and its process reports its actual use afterwards.
    const used = ask.hasEnded && isOfPeriod ? larger(known.used, ask.used) : known.used;
    const answer = { ...about, amount: 0n, counted: used };
    return { answer, ...(used > known.used ? keeping([ended(known, now, used)], used - known.used) : keeping([])) };
  }

  // The ask is a repetition or late: the stored row has the whole lease.
  if (known !== undefined && known.sequence >= ask.sequence)
    return { answer: { ...about, amount: known.amount, counted: null }, ...keeping([]) };
  const own = isOfPeriod ? ask : { ...ask, keep: known?.amount ?? 0n, used: known?.used ?? 0n };
  // An ending lease is granted nothing: in a new period it may have units of which its process does not know.
  const amount = ask.ends ? own.used : grantSlice(budget.limit, sumOf(others, "amount") + over, own);
  const answer = { ...about, amount, counted: null };
  const { lease, process, sequence } = ask;
  const row = { lease, process, sequence, amount, used: own.used, heardAt: now };
  return { answer, ...(ask.ends ? keeping([ended(row, now, own.used)], own.used) : keeping([row])) };
};

/**
 * Ends the leases of a process's earlier starts, of one budget in one period. Units that are not in their logs were not
 * used. Without a log, or if the store has a later ask than the log, all their units count as used.
 */
export const endLeases: RecoverRule = ({ process, start, left }, { budgetId, periodFrom, now }, rows) => {
  const logOf = (lease: string) => left.find((one) => lease.startsWith(one.start));
  // Later starts have greater names, and one of them may have begun before a killed start's message arrives. Since
  // clocks can be set back, a start with a log counts as earlier too.
  const isEarlier = (lease: string) => !lease.startsWith(start) && (lease < start || logOf(lease) !== undefined);
  const own = rows.filter(
    ({ lease, process: of, sequence }) => of === process && sequence !== ENDED && isEarlier(lease),
  );
  const used = own.map(({ lease, sequence, amount }) => {
    const log = logOf(lease);
    if (log === undefined || sequence > log.sequence) return amount;
    const isThis = (one: CountedUse) =>
      one.budgetId === budgetId && one.periodFrom === periodFrom && one.lease === lease;
    return log.counts.find(isThis)?.used ?? 0n;
  });
  return {
    changed: [...own.map((row, at) => ended(row, now, used[at]!)), ...withNobodys(rows, used.reduce(add, 0n))],
    forgotten: [],
  };
};

function isForgotten({ lease, sequence, heardAt }: StoredLease, now: number): boolean {
  // Rows from before this column are deleted with their period.
  return lease !== NOBODYS && heardAt !== null && now - heardAt >= (sequence === ENDED ? ENDED_MS : SILENT_MS);
}

/** The row holds no units, and stays for a while so that no delayed ask restores the lease. */
function ended(row: StoredLease, now: number, used: Micros): StoredLease {
  return { ...row, sequence: ENDED, amount: 0n, used, heardAt: now };
}

function withNobodys(rows: readonly StoredLease[], more: Micros): StoredLease[] {
  if (more === 0n) return [];
  const known = rows.find(({ lease }) => lease === NOBODYS);
  const used = (known?.used ?? 0n) + more;
  return [{ lease: NOBODYS, process: "", sequence: 0, amount: used, used, heardAt: null }];
}

function sumOf(rows: readonly StoredLease[], column: "amount" | "used"): Micros {
  return rows.map((row) => row[column]).reduce(add, 0n);
}

function larger(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}

function add(sum: Micros, units: Micros): Micros {
  return sum + units;
}
