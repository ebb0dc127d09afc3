import type { CallRow } from "../ports.ts";

interface CallEndTime {
  readonly call: CallRow;
  readonly at: number;
  readonly isInstant: boolean;
  /** The first of the calls that ended at the same time, in the order of the run. */
  first: number;
}

/**
 * Returns, for each call of a run, the last of the others that had ended when it started: most likely the one that a
 * function awaited. A run may have thousands of calls, so they are sorted once for all of them.
 */
export function previousCalls(calls: readonly CallRow[]): (call: CallRow) => CallRow | null {
  const ended = calls.flatMap((call, first): CallEndTime[] => {
    if (call.started_after_ms === null || call.took_ms === null) return [];
    return [{ call, at: endOf(call), isInstant: call.took_ms === 0, first }];
  });
  // A call without duration is not earlier than calls that started at that moment.
  ended.sort((a, b) => a.at - b.at || Number(a.isInstant) - Number(b.isInstant) || a.first - b.first);
  for (const [place, one] of ended.entries()) {
    const before = ended[place - 1];
    if (before?.at === one.at) one.first = Math.min(one.first, before.first);
  }
  return ({ started_after_ms: startedAfterMs }) => {
    if (startedAfterMs === null) return null;
    let [from, to] = [0, ended.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const { at, isInstant } = ended[middle]!;
      if (at < startedAfterMs || (at === startedAfterMs && !isInstant)) from = middle + 1;
      else to = middle;
    }
    const last = ended[from - 1];
    return last === undefined ? null : calls[last.first]!;
  };
}

/** End of a call, in milliseconds from the arrival of the request, as far as it is known. */
export function endOf(call: CallRow): number {
  return (call.started_after_ms ?? 0) + (call.took_ms ?? 0);
}
