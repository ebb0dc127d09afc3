/** A page begins after this run. */
export interface RunCursor {
  readonly startedAt: number;
  readonly transactionId: string;
}

export const BEGINNING: RunCursor = { startedAt: Number.MAX_SAFE_INTEGER, transactionId: "" };

/** The form of `next`. */
export const CURSOR = /^-?\d{1,16}\..{1,160}$/s;

export function readCursor(after: string): RunCursor {
  if (!CURSOR.test(after)) throw new RangeError("not a place in a list of runs");
  const end = after.indexOf(".");
  return { startedAt: Number(after.slice(0, end)), transactionId: after.slice(end + 1) };
}

/** The cursor of the page after one that ends with this run. */
export function cursorText({ startedAt, transactionId }: RunCursor): string {
  return `${startedAt}.${transactionId}`;
}
