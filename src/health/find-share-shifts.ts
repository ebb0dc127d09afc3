import { hiddenIn, isComparable, type PathDrift, type SampledReplies, useOf } from "./find-drift.ts";
import { type Share, shareShift, shiftProbability } from "./probabilities.ts";

/** The probability that one comparison of stationary replies reports anything. */
const FALSE_ALARM = 1e-5;
/** The least difference of a share that is reported. */
const LEAST_SHIFT = 0.1;
/** The least replies with the parent of a path, of each time. */
const REPLIES_MIN = 50;

export interface ComparedDays {
  /** The sum of the days. */
  readonly before: SampledReplies;
  readonly days: readonly SampledReplies[];
  /** About as long as one of the days. */
  readonly today: SampledReplies;
}

/**
 * The paths that occur in another share of replies than before, among those that have their parent. As with match rates,
 * the share may vary from day to day, because callers ask for other things; how much it does is in the earlier days.
 * @param known paths that are reported already
 */
export function findShareShifts(compared: ComparedDays, known: ReadonlySet<string>): readonly PathDrift[] {
  const { before, today } = compared;
  const improbable = FALSE_ALARM / today.counts.size;
  return [...today.counts.keys()].toSorted().flatMap((path) => {
    if (known.has(path) || !before.counts.has(path) || !isComparable(path, { before, now: today })) return [];
    const uses = { before: useOf(path, before), now: useOf(path, today) };
    if (uses.before.of < REPLIES_MIN || uses.now.of < REPLIES_MIN) return [];
    const isRarer = uses.now.replies / uses.now.of < uses.before.replies / uses.before.of;
    // Replies that may have had the path under `*` are counted for no shift.
    const shareIn = (replies: SampledReplies, isHidden: boolean): Share => {
      const use = useOf(path, replies);
      return { part: Math.min(use.of, use.replies + (isHidden ? hiddenIn(path, replies) : 0)), of: use.of };
    };
    const now = shareIn(today, isRarer);
    const old = shareIn(before, !isRarer);
    const difference = now.part / now.of - old.part / old.of;
    if (isRarer ? difference > -LEAST_SHIFT : difference < LEAST_SHIFT) return [];
    const shares = compared.days.map((day) => shareIn(day, !isRarer)).filter(({ of }) => of > 0);
    return isImprobable(now, shares, improbable) ? [{ kind: "shifted" as const, path, ...uses }] : [];
  });
}

function isImprobable(now: Share, days: readonly Share[], improbable: number): boolean {
  const usual = days.reduce((sum, { of }) => sum + of, 0) / days.length;
  // More replies than on the other days say nothing about how much days differ.
  const scale = Math.min(1, usual / now.of);
  const statistic = shareShift({ part: now.part * scale, of: now.of * scale }, days);
  return shiftProbability(statistic, days.length - 1) < improbable;
}
