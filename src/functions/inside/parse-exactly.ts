import { mayHoldLongNumber, withExactNumbers } from "../../terms/exact-json.ts";
import type { Json } from "../../terms/json.ts";
import { parse } from "./intrinsics.ts";

/** What an author is handed: a number that would not come out as it went in is not a number of JavaScript. @throws RangeError */
export function parseExactly(json: string): Json {
  const value = parse(json) as Json;
  const exact = exactly(json, value);
  if (exact === null && value !== null)
    throw new RangeError("there are too many numbers with more digits than a double has");
  return exact;
}

function exactly(json: string, value: Json): Json {
  try {
    return mayHoldLongNumber(json) ? withExactNumbers(json, value) : value;
  } catch {
    // An author who has replaced what this rests on has the numbers that his JavaScript has.
    return value;
  }
}
