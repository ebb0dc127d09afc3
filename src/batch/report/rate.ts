/** A share of a whole, with the limits of its 95 % Wilson score interval. Between 0 and 1. */
export interface Rate {
  readonly count: number;
  readonly of: number;
  /** `null` of nothing. */
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959964;

export function rateOf(count: number, of: number): Rate {
  if (of === 0) return { count, of, share: null, low: null, high: null };
  const share = count / of;
  const center = (share + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of);
  const half = (Z / (1 + Z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  return { count, of, share, low: count === 0 ? 0 : center - half, high: count === of ? 1 : center + half };
}
