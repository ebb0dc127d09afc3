import { wilsonInterval } from "../estimate.ts";

/** A share of a whole, with the limits of its 95 % Wilson score interval. Between 0 and 1. */
export interface Rate {
  readonly count: number;
  readonly of: number;
  /** `null` of nothing. */
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export function rateOf(count: number, of: number): Rate {
  if (of === 0) return { count, of, share: null, low: null, high: null };
  return { count, of, ...wilsonInterval(count, of) };
}
