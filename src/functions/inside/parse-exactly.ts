import { mayContainLongNumber, withExactNumbers } from "../../terms/json/exact-json.ts";
import type { Json } from "../../terms/json/json.ts";
import { parse } from "./intrinsics.ts";

/**
 * Parses the JSON that a function receives. A number that a double would change becomes an `ExactNumber`. @throws
 * RangeError if there are too many of these
 */
export function parseExactly(json: string): Json {
  const value = parse(json) as Json;
  const exact = exactly(json, value);
  if (exact === null && value !== null)
    throw new RangeError("there are too many numbers with more digits than a double has");
  return exact;
}

function exactly(json: string, value: Json): Json {
  try {
    return mayContainLongNumber(json) ? withExactNumbers(json, value) : value;
  } catch {
    // The author's code has replaced functions that this relies on, and gets the numbers as JavaScript reads them.
    return value;
  }
}
