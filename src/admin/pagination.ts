import type { TString } from "typebox";
import { OperatorError } from "../terms/operator-error.ts";
import { Type } from "../terms/schema/type.ts";
import type { VerbBasics } from "./needs.ts";
import type { Page } from "./ports.ts";
import { text } from "./result-schemas.ts";

/** Paging of every list that can grow: inputs, results and reading. */

/** The default page size. */
export const SHOWN = 100;
const SHOWN_MAX = 1_000;

const limitInput = Type.Integer({
  minimum: 1,
  maximum: SHOWN_MAX,
  description: `How many to show; ${SHOWN} by default`,
});

const afterInput = {
  description: "Where to continue: the value that the previous list returned",
  "x-says": "must be the value that the previous list returned",
};

/** Inputs of a list whose cursor is the id of its last line. */
export function pagedById(prefix: string) {
  return pagedBy(Type.String({ pattern: `^${prefix}[0-9a-z]{1,64}$`, ...afterInput }));
}

/** Inputs of a list with a cursor of its own form. */
export function pagedByCursor(pattern = "") {
  return pagedBy(Type.String({ minLength: 1, maxLength: 1_000, ...(pattern !== "" && { pattern }), ...afterInput }));
}

function pagedBy(after: TString) {
  return { limit: Type.Optional(limitInput), after: Type.Optional(after) };
}

/** A field of the result: the cursor to pass as `after` for the next page. Left out at the end of the list. */
export const nextCursor = { next: Type.Optional(text) };

export function idOf({ id }: { readonly id: string }): string {
  return id;
}

/** A page, and its cursor in the result. */
export interface Paged<Line> {
  readonly lines: readonly Line[];
  readonly next: { readonly next?: string };
}

/**
 * Reads one page, and one line more to know whether another page follows.
 * @param cursorOf the cursor of a line: the next page starts after it
 */
export async function readPage<Line>(
  { limit = SHOWN, after }: Page,
  note: VerbBasics["note"],
  cursorOf: (line: Line) => string,
  read: (page: Page) => Promise<readonly Line[]>,
): Promise<Paged<Line>> {
  const found = await read({ limit: limit + 1, ...(after !== undefined && { after }) });
  const lines = found.slice(0, limit);
  const next = found.length > limit ? cursorOf(lines.at(-1)!) : null;
  if (next !== null) noteMore(next, note);
  return { lines, next: next === null ? {} : { next } };
}

/** Prints the option for the next page. */
export function noteMore(next: string, note: VerbBasics["note"]): void {
  note(`There are more. To see them, give --after ${next}`);
}

/**
 * A page of lines that can only be computed together, such as sums. The cursor is a line's key, so lines that are added
 * or removed meanwhile shift nothing.
 */
export function readPageOf<Line>(
  all: readonly Line[],
  page: Page,
  note: VerbBasics["note"],
  keyOf: (line: Line) => readonly (string | null)[],
): Promise<Paged<Line>> {
  const keyed = all.map((line) => ({ line, key: keyOf(line).map((part) => part ?? "") }));
  const sorted = keyed.toSorted((one, other) => compare(one.key, other.key)).map(({ line }) => line);
  const keyText = (line: Line) =>
    keyOf(line)
      .map((part) => encodeURIComponent((part ?? "").toWellFormed()))
      .join(",");
  return readPage(page, note, keyText, async ({ limit, after }) => {
    const startKey = after === undefined ? null : readKey(after);
    const from =
      startKey === null
        ? 0
        : sorted.findIndex(
            (line) =>
              compare(
                keyOf(line).map((part) => part ?? ""),
                startKey,
              ) > 0,
          );
    return from === -1 ? [] : sorted.slice(from, from + limit!);
  });
}

function readKey(cursor: string): readonly string[] {
  try {
    return cursor.split(",").map(decodeURIComponent);
  } catch (cause) {
    throw new OperatorError("invalid", "--after must be the value that the previous list returned.", { cause });
  }
}

function compare(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at === -1 ? one.length - other.length : one[at]! < (other[at] ?? "") ? -1 : 1;
}
