import { parseDocument } from "yaml";

/** What a source file says on asking and judging, in its own words: these keys, in this order. */
const RECIPE = ["auth", "request", "reply", "errors", "match", "map", "map_no_record", "verify"] as const;

/** The recipe of a declarative source by key, as it is written in its file. */
export function showRecipe(text: string): Readonly<Record<string, unknown>> {
  const file = parseDocument(text, { version: "1.2", schema: "core" }).toJS() as Readonly<Record<string, unknown>>;
  return Object.fromEntries(RECIPE.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]]])));
}
