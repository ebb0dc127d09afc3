/** Where a page begins: behind this run, among those with unknown charges or the others. */
export interface Place {
  readonly unknown: boolean;
  readonly startedAt: number;
  readonly transactionId: string;
}

export const BEGINNING: Place = { unknown: true, startedAt: Number.MAX_SAFE_INTEGER, transactionId: "" };

/** The form of `next`. */
export const PLACE = /^[us]\.-?\d{1,16}\..{1,160}$/s;

export function readPlace(after: string): Place {
  if (!PLACE.test(after)) throw new RangeError("not a place in a list of runs");
  const end = after.indexOf(".", 2);
  return { unknown: after[0] === "u", startedAt: Number(after.slice(2, end)), transactionId: after.slice(end + 1) };
}

/** Where the next page begins if this one ends with that run. */
export function sayPlace({ unknown, startedAt, transactionId }: Place): string {
  return `${unknown ? "u" : "s"}.${startedAt}.${transactionId}`;
}
