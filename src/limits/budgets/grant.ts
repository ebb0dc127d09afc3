import { hasCapacity } from "../../terms/money/budget.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { SliceRule } from "./ports.ts";

/** Of what is left beyond the requests that wait, a process gets at most this part in advance. */
const SPARE_PART = 4n;
/**
 * A process holds at most this part of a budget in advance, or one unit. It is lost for a while when the process dies and
 * does not come back to its data directory. A budget that is used up takes about as many exchanges as it has such parts.
 */
const SLICE_PART = 100n;

/**
 * What a lease of a budget holds after an ask. It gets more only out of what no lease holds, so the leases of a period
 * never hold more than the limit together. Near the limit nothing is given in advance, so that nobody holds what another
 * process needs. If the limit was lowered, a lease keeps at least what it has used.
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
