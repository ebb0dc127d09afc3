import type { JsonObject } from "../../terms/json.ts";
import { PREFIX, SOURCE_ID } from "../../terms/ids.ts";
import { printable } from "../../terms/printable.ts";

/** The id of something that a command has shown, and what a person knows it by. */
export interface ShownId {
  readonly kind: string;
  readonly id: string;
  /** Its name, on one line; empty if it has none. */
  readonly says: string;
}

const KINDS = ["organization", "workflow", "token", "credential", "budget", "operator", "transaction"] as const;
const ID = new RegExp(`^(${KINDS.map((kind) => PREFIX[kind]).join("|")})[0-9a-z]{1,64}$`);
const FUNCTION_ID = /^[a-z][a-z0-9_]{0,127}$/;
const SAYS_CHARS_MAX = 60;
/** What tells things of one kind apart, the best first. */
const SAYING = ["name", "title", "source", "limit", "started_at"];

/**
 * The ids in the result of a verb: in its fields, and in the lines of its lists. Not deeper, where results hold what
 * vendors have answered. Secrets have prefixes of their own, so none is taken for an id.
 */
export function shownIds(result: JsonObject): readonly ShownId[] {
  return [result, ...linesOf(result)].flatMap(idsOf);
}

/** The kind of thing that a list is about; `null` if it is not a list, or a list of several kinds. */
export function listedKind(result: JsonObject): string | null {
  const kinds = new Set(linesOf(result).map((line) => idsOf(line)[0]?.kind));
  return kinds.size === 1 ? ([...kinds][0] ?? null) : null;
}

function linesOf(result: JsonObject): readonly JsonObject[] {
  const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;
  return Object.values(result).flatMap((value) => (Array.isArray(value) ? value.filter(isObject) : []));
}

/** The first is the line's own, and the name of the line is its. */
function idsOf(line: JsonObject): readonly ShownId[] {
  const found = Object.entries(line).flatMap(([key, value]) => {
    const kind = typeof value === "string" ? kindOf(key, value) : undefined;
    return kind === undefined ? [] : [{ kind, id: value as string, says: "" }];
  });
  const [own, ...others] = found;
  if (own === undefined) return [];
  const said = SAYING.map((key) => line[key]).find((value) => typeof value === "string" && value !== own.id);
  const says = printable((said as string | undefined) ?? "").slice(0, SAYS_CHARS_MAX);
  return [{ ...own, says }, ...others];
}

function kindOf(key: string, value: string): string | undefined {
  if (key === "source") return SOURCE_ID.test(value) ? "source" : undefined;
  if (key === "function") return FUNCTION_ID.test(value) ? "function" : undefined;
  const [, prefix] = ID.exec(value) ?? [];
  return KINDS.find((kind) => PREFIX[kind] === prefix);
}
