import type { Micros } from "../../terms/money/money.ts";
import { grantSlice } from "./grant.ts";
import type { CountedUse, ExchangeRule, StoredLease, RecoverRule } from "./ports.ts";

/** The row of what no process holds any more: what was used under leases that have ended, and settled by hand. */
export const NOBODYS = "settled";
/** The sequence of a lease that has ended: no ask comes after it. */
const ENDED = Number.MAX_SAFE_INTEGER;
/** So long an ask of a lease that has ended may still be on its way. */
const ENDED_MS = 60 * 60_000;
/** A lease of which nothing was heard for so long is forgotten: all that it held counts as used. */
const SILENT_MS = 24 * 60 * 60_000;
/** A process does not go on with a lease of which it has said nothing for so long, because it may be forgotten soon. */
export const LEFT_AFTER_MS = SILENT_MS / 2;

/**
 * What the store does with one ask. What was held under leases of which nobody speaks any more becomes part of one row,
 * so a budget has no more rows than processes that are alive or have ended lately, however often they were started.
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
    // Others have ended it, and its process says what it has used after all.
    const used = ask.hasEnded && isOfPeriod ? larger(known.used, ask.used) : known.used;
    const answer = { ...about, amount: 0n, counted: used };
    return { answer, ...(used > known.used ? keeping([ended(known, now, used)], used - known.used) : keeping([])) };
  }

  // One that was decided already, or came late: what is kept is all that it has.
  if (known !== undefined && known.sequence >= ask.sequence)
    return { answer: { ...about, amount: known.amount, counted: null }, ...keeping([]) };
  const own = isOfPeriod ? ask : { ...ask, keep: known?.amount ?? 0n, used: known?.used ?? 0n };
  // One that ends is granted nothing: in a new period it may hold what its process has not heard of.
  const amount = ask.ends ? own.used : grantSlice(budget.limit, sumOf(others, "amount") + over, own);
  const answer = { ...about, amount, counted: null };
  const { lease, process, sequence } = ask;
  const row = { lease, process, sequence, amount, used: own.used, heardAt: now };
  return { answer, ...(ask.ends ? keeping([ended(row, now, own.used)], own.used) : keeping([row])) };
};

/**
 * Ends the leases that earlier starts of a process hold of one budget in one period. What their logs do not count was
 * not used. Without a log, or if the store has heard more than it knows of, all that they held counts as used.
 */
export const endLeases: RecoverRule = ({ process, start, left }, { budgetId, periodFrom, now }, rows) => {
  const logOf = (lease: string) => left.find((one) => lease.startsWith(one.start));
  // Later starts have greater names: one of them may have begun before a killed start is heard. Clocks are set back, though.
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
  // Rows that were written before this was known go with their period.
  return lease !== NOBODYS && heardAt !== null && now - heardAt >= (sequence === ENDED ? ENDED_MS : SILENT_MS);
}

/** It holds nothing, and stays for a while, so that no delayed ask brings it back. */
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
