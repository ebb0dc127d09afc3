import type { ResultOf } from "../../api/verb-types.ts";

/** What a record is, where no schema names its fields: `asks` is the recipe of a YAML file, or a sentence about code. */
export function sayOutput(asks: ResultOf<"source show">["asks"]): string {
  if (typeof asks === "string") return "Its code says what a record is. No fields are declared.";
  if (asks["map"] === undefined) return "The vendor's own reply, unchanged.";
  return "Its map, shown below, makes a record of the vendor's reply. No fields are declared.";
}
