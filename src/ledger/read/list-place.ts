import type { CarefulPlace } from "./list-carefully.ts";

/** Where a page begins that is read from indexes: behind this run, among those with unknown charges or the others. */
export interface Place {
  readonly unknown: boolean;
  readonly startedAt: number;
  readonly transactionId: string;
}

export const BEGINNING: Place = { unknown: true, startedAt: Number.MAX_SAFE_INTEGER, transactionId: "" };

/** The form of `next`. */
export const PLACE = /^(?:[us]\.-?\d{1,16}\..{1,160}|d\.-?\d{1,16}\.(?:-|-?\d{1,16}:.{0,140}))$/s;

export function readPlace(after: string): Place | CarefulPlace {
  if (!PLACE.test(after)) throw new RangeError("not a place in a list of runs");
  const end = after.indexOf(".", 2);
  const [kind, at, rest] = [after[0], after.slice(2, end), after.slice(end + 1)];
  if (kind !== "d") return { unknown: kind === "u", startedAt: Number(at), transactionId: rest };
  const [startedAt, ...id] = rest.split(":");
  const shownUnknown = rest === "-" ? null : { startedAt: Number(startedAt), transactionId: id.join(":") };
  return { before: Number(at), behind: null, shownUnknown };
}

/** Where the next page begins if this one ends with that run. */
export function sayPlace({ unknown, startedAt, transactionId }: Place): string {
  return `${unknown ? "u" : "s"}.${startedAt}.${transactionId}`;
}

export function sayCareful({ before, shownUnknown }: CarefulPlace): string {
  return `d.${before}.${shownUnknown === null ? "-" : `${shownUnknown.startedAt}:${shownUnknown.transactionId}`}`;
}

/** Where a list that was read from indexes goes on where they cannot be read. */
export function toCareful(place: Place): CarefulPlace {
  const { unknown, startedAt, transactionId } = place;
  const beginning = { before: Number.MAX_SAFE_INTEGER, behind: null };
  if (place === BEGINNING) return { ...beginning, shownUnknown: null };
  if (unknown) return { ...beginning, shownUnknown: { startedAt, transactionId } };
  const all = { startedAt: Number.MIN_SAFE_INTEGER, transactionId: "" };
  return { before: startedAt, behind: transactionId, shownUnknown: all };
}
