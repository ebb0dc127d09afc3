import type { ResultOf } from "../../api/verb-types.ts";

/**
 * Describes the record of a source without an output schema. `asks` is the recipe of a YAML file, or a sentence about
 * code.
 */
export function outputText(asks: ResultOf<"source show">["asks"]): string {
  if (typeof asks === "string") return "The record is defined by the code of the source. No fields are declared.";
  if (asks["map"] === undefined) return "The vendor's reply, unchanged.";
  return "The record is made from the vendor's reply by the map below. No fields are declared.";
}
