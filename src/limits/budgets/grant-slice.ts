import { hasCapacity } from "../../terms/money/budget.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { SliceRule } from "./ports.ts";

/** Beyond the waiting requests, a process gets at most this part of the remaining units in advance. */
const SPARE_PART = 4n;
/**
 * A process reserves at most this part of a budget in advance, or one unit. The units are lost for a while when the
 * process dies and does not return to its data directory. Using up a budget takes about as many exchanges as the budget
 * has such parts.
 */
const SLICE_PART = 100n;

/**
 * The units of a lease after an ask. Additional units come only from units that no lease holds, so the leases of a
 * period never exceed the limit together. Near the limit nothing is granted in advance, so that no process holds units
 * that another one needs. If the limit was lowered, a lease keeps at least its used units.
 */
export const grantSlice: SliceRule = (limit, others, { keep, used, wanted }) => {
  const { need, least, spare } = wanted;
  const held = others + keep;
  if (!hasCapacity(others, keep, limit)) return largest(used, limit - others);
  if (!hasCapacity(held, need, limit)) return hasCapacity(held, least, limit) ? limit - others : keep;
  const slice = limit < SLICE_PART ? 1n : limit / SLICE_PART;
  const inAdvance = smallest(spare, (limit - held - need) / SPARE_PART, slice - (keep - used));
  return inAdvance < least ? keep + need : keep + need + (inAdvance / least) * least;
};

function largest(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}

function smallest(...amounts: readonly [Micros, ...Micros[]]): Micros {
  return amounts.reduce((least, amount) => (amount < least ? amount : least));
}
