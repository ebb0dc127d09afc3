import { hasRoom } from "../../terms/budget.ts";
import type { Micros } from "../../terms/money.ts";
import type { SliceRule } from "./ports.ts";

/** Of what is left beyond the requests that wait, a process gets at most this part in advance. */
const SPARE_PART = 4n;

/**
 * What a lease of a budget holds after an ask. It gets more only out of what no lease holds, so the leases of a period
 * never hold more than the limit together. Near the limit nothing is given in advance, so that nobody holds what another
 * process needs. If the limit was lowered, a lease keeps at least what it has used.
 */
export const grantSlice: SliceRule = (limit, others, { keep, used, wanted }) => {
  const { need, least, spare } = wanted;
  const held = others + keep;
  if (!hasRoom(others, keep, limit)) return largest(used, limit - others);
  if (!hasRoom(held, need, limit)) return hasRoom(held, least, limit) ? limit - others : keep;
  const inAdvance = smallest(spare, (limit - held - need) / SPARE_PART);
  return keep + need + (inAdvance / least) * least;
};

function largest(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}

function smallest(one: Micros, other: Micros): Micros {
  return one < other ? one : other;
}
