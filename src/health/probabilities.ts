/** The probabilities that decide whether a difference of counts is chance. */

/** The logarithm of the factorial, by Stirling's series from 20 on. */
function logFactorial(n: number): number {
  if (n < LOG_FACTORIALS.length) return LOG_FACTORIALS[n]!;
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3);
}

const LOG_FACTORIALS = Array.from({ length: 20 }, (_, n) => {
  let log = 0;
  for (let factor = 2; factor <= n; factor += 1) log += Math.log(factor);
  return log;
});

/**
 * The probability that none of `marked` replies is among `drawn` of all `total` replies, if chance decides which replies
 * are drawn: Fisher's exact test for a count of zero.
 */
export function probabilityOfNone(marked: number, drawn: number, total: number): number {
  if (marked + drawn > total) return 0;
  return Math.exp(
    logFactorial(total - marked) +
      logFactorial(total - drawn) -
      logFactorial(total) -
      logFactorial(total - marked - drawn),
  );
}

export interface Share {
  readonly part: number;
  readonly of: number;
}

/**
 * The two-proportion z statistic of a share against earlier ones, which belong to equal periods. If the earlier shares
 * vary more than chance explains, as with callers whose inputs differ from day to day, the variance is scaled by that
 * factor.
 */
export function shareShift(now: Share, before: readonly Share[]): number {
  const { part, of } = sumOfShares(before);
  const pooled = (now.part + part) / (now.of + of);
  const variance = pooled * (1 - pooled) * (1 / now.of + 1 / of) * overdispersion(before, part / of);
  return variance === 0 ? 0 : (now.part / now.of - part / of) / Math.sqrt(variance);
}

/**
 * An upper bound of the probability of such a statistic or a greater one in either direction, if the variance was estimated
 * with these degrees of freedom. Wallace's normal approximation of Student's t, and Mills' bound of the normal tail.
 */
export function shiftProbability(statistic: number, freedom: number): number {
  if (freedom < 1) return 1;
  const z = ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p(statistic ** 2 / freedom));
  return z < 1 ? 1 : (2 * Math.exp(-(z ** 2) / 2)) / (z * Math.sqrt(2 * Math.PI));
}

/** Pearson's statistic of the shares, divided by its degrees of freedom; at least 1. */
function overdispersion(shares: readonly Share[], share: number): number {
  const usable = shares.filter(({ of }) => of * share * (1 - share) > 0);
  if (usable.length < 2) return 1;
  const pearson = usable.reduce(
    (total, { part, of }) => total + (part - of * share) ** 2 / (of * share * (1 - share)),
    0,
  );
  return Math.max(1, pearson / (usable.length - 1));
}

export function sumOfShares(shares: readonly Share[]): Share {
  return shares.reduce((sum, { part, of }) => ({ part: sum.part + part, of: sum.of + of }), { part: 0, of: 0 });
}
