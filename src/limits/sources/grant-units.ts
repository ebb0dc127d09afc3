import type { Grant, GrantRule, LeaseAsk, LeaseRow } from "./ports.ts";

/**
 * While other processes use a limit too, a process gets at most this part of the units that remain after its waiting
 * calls.
 */
const SPARE_PART = 4;
/** The only window of units in use at once. */
const IN_USE = -1;
/** A lease of units in use at once lasts this much longer than the longest use of a unit. */
const LEASE_MS = 60_000;

/**
 * The units of a lease after an ask. A lease never loses units, because its process may be using them; additional units
 * come only from units that no lease holds. So the leases of a window never exceed the limit together, in whatever
 * order and however often the asks arrive. A repeated ask is answered from the stored row, which has the whole lease.
 */
export const grantUnits: GrantRule = (ask, rows, now) => {
  const { everyMs, useMsMax } = ask.limit;
  const { need, spare } = ask;
  if (everyMs === null)
    return [grantIn(ask, rows, { window: IN_USE, endsAt: now + useMsMax + LEASE_MS, now, need, spare })];
  const window = now - (now % everyMs);
  const grants = [grantIn(ask, rows, { window, endsAt: window + everyMs, now, need, spare })];
  if (ask.ahead === 0) return grants;
  const next = { window: window + everyMs, endsAt: window + 2 * everyMs, now, need: 0, spare: ask.ahead };
  return [...grants, grantIn(ask, rows, next)];
};

interface Wanted {
  readonly window: number;
  readonly endsAt: number;
  readonly now: number;
  readonly need: number;
  readonly spare: number;
}

function grantIn(ask: LeaseAsk, rows: readonly LeaseRow[], wanted: Wanted): Grant {
  const { lease, limit } = ask;
  const { window, endsAt, now, need, spare } = wanted;
  const held = ask.held.find((one) => one.window === window) ?? { amount: 0, used: 0 };
  const wants = held.used + need + spare;
  const rivals = rivalsOf(ask, rows, wanted);
  const others = rivals.reduce((sum, { amount }) => sum + amount, 0);
  const grewAt = Math.max(0, ...rows.flatMap((row) => (row.lease === lease ? row.grewAt : [])));
  const part = partOf(limit.max, { lease, wants, grewAt }, rivals);
  const hasRivals = rivals.some((rival) => rival.wants > 0);
  const decided = rows.find((row) => row.lease === lease && row.window === window && row.sequence >= ask.sequence);
  if (decided !== undefined) return { ...decided, others, part, hasRivals };
  const room = Math.max(0, Math.min(limit.max - others, part) - held.amount);
  const forNeed = Math.min(need, room);
  const forSpare = Math.min(spare, rivals.length === 0 ? room - forNeed : Math.floor((room - forNeed) / SPARE_PART));
  const more = forNeed + forSpare;
  const { sequence } = ask;
  const row = { lease, window, amount: held.amount + more, wants, grewAt: more > 0 ? now : grewAt, endsAt, sequence };
  return { ...row, others, part, hasRivals };
}

type Rival = Pick<LeaseRow, "lease" | "amount" | "wants" | "grewAt">;

/**
 * The other leases of a window. In the first half of a window they include those of the previous one. Otherwise the
 * first process to ask would take everything in each window.
 */
function rivalsOf({ lease, limit }: LeaseAsk, rows: readonly LeaseRow[], wanted: Wanted): Rival[] {
  const { window, now } = wanted;
  const everyMs = limit.everyMs ?? 0;
  const remembers = now < window + everyMs / 2;
  const rivals = new Map<string, Rival>();
  for (const row of rows) {
    if (row.lease === lease) continue;
    const isHere = row.window === window && row.endsAt > now;
    if (!isHere && !(remembers && everyMs > 0 && row.window === window - everyMs)) continue;
    const known = rivals.get(row.lease);
    rivals.set(row.lease, {
      lease: row.lease,
      amount: (known?.amount ?? 0) + (isHere ? row.amount : 0),
      wants: Math.max(known?.wants ?? 0, row.wants, isHere ? row.amount : 0),
      grewAt: Math.max(known?.grewAt ?? 0, row.grewAt),
    });
  }
  return [...rivals.values()];
}

/**
 * One lease's fair part of `max`: no lease has less than it wants while another has more. Single units that are left
 * over go to the leases that have waited longest for a grant.
 */
function partOf(max: number, me: Omit<Rival, "amount">, rivals: readonly Omit<Rival, "amount">[]): number {
  const wishes = rivals.filter(({ wants }) => wants > 0).sort((a, b) => a.wants - b.wants);
  let left = max;
  let sharing = wishes.length + 1;
  for (const { wants } of wishes) {
    if (wants * sharing > left) break;
    left -= wants;
    sharing -= 1;
  }
  const whole = Math.floor(left / sharing);
  const greedy = wishes.slice(wishes.length - (sharing - 1));
  const before = greedy.filter(({ grewAt, lease }) => grewAt < me.grewAt || (grewAt === me.grewAt && lease < me.lease));
  return whole + (before.length < left - whole * sharing ? 1 : 0);
}
