/** A page begins after this run, among runs with unknown charges or among the others. */
export interface RunCursor {
  readonly unknown: boolean;
  readonly startedAt: number;
  readonly transactionId: string;
}

export const BEGINNING: RunCursor = { unknown: true, startedAt: Number.MAX_SAFE_INTEGER, transactionId: "" };

/** The form of `next`. */
export const CURSOR = /^[us]\.-?\d{1,16}\..{1,160}$/s;

export function readCursor(after: string): RunCursor {
  if (!CURSOR.test(after)) throw new RangeError("not a place in a list of runs");
  const end = after.indexOf(".", 2);
  return { unknown: after[0] === "u", startedAt: Number(after.slice(2, end)), transactionId: after.slice(end + 1) };
}

/** The cursor of the page after one that ends with this run. */
export function cursorText({ unknown, startedAt, transactionId }: RunCursor): string {
  return `${unknown ? "u" : "s"}.${startedAt}.${transactionId}`;
}
