import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../terms/json/json.ts";

/** One difference between two values, with its path in the form of a JSON pointer. */
export interface ValueDifference {
  readonly at: string;
  readonly expected: unknown;
  /** `undefined` if the value is missing. */
  readonly found: unknown;
}

/** All differences between `found` and the expectation. With `contained`, additional members are allowed. */
export function differences(
  expected: unknown,
  found: unknown,
  at: string,
  contained = false,
): readonly ValueDifference[] {
  if (isDeepStrictEqual(expected, found)) return [];
  if (Array.isArray(expected) && Array.isArray(found)) {
    const length = contained ? expected.length : Math.max(expected.length, found.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      differences(expected[index], found[index], `${at}/${index}`, contained),
    );
  }
  if (!isJsonObject(expected) || !isJsonObject(found)) return [{ at, expected, found }];
  const names = new Set([...Object.keys(expected), ...(contained ? [] : Object.keys(found))]);
  return [...names].flatMap((name) => differences(own(expected, name), own(found, name), `${at}/${name}`, contained));
}

export function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

const SHOWN_MAX = 200;

/** `output/name: expected "A", found "B"` */
export function renderDifference({ at, expected, found }: ValueDifference): string {
  if (expected === undefined) return `${at}: found ${show(found)}, which was not expected`;
  return `${at}: expected ${show(expected)}, found ${show(found)}`;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
