import { isJsonObject, type Json } from "../../terms/json.ts";

const DEPTH_MAX = 4;

/**
 * The JMESPath of the first member that one answer has and the other lacks or has empty, by which the two can be told
 * apart; `null` if there is none.
 */
export function tellingPath(has: Json, lacks: Json): string | null {
  if (Array.isArray(has)) return has.length > 0 && !isTruthy(lacks) ? "body" : null;
  const steps = search(has, lacks, []);
  return steps === null ? null : pathOf(steps);
}

function search(has: Json, lacks: Json, steps: readonly string[]): readonly string[] | null {
  if (!isJsonObject(has) || steps.length >= DEPTH_MAX) return null;
  const members = Object.entries(has).filter(([, value]) => isTruthy(value));
  for (const [name] of members) if (!isTruthy(memberOf(lacks, name))) return [...steps, name];
  for (const [name, value] of members) {
    const found = search(value, memberOf(lacks, name), [...steps, name]);
    if (found !== null) return found;
  }
  return null;
}

function memberOf(value: Json, name: string): Json {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name]! : null;
}

/** As JMESPath sees it: empty texts, lists and objects are false, the number 0 is not. */
export function isTruthy(value: Json): boolean {
  if (value === null || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** `body` and the members below it, quoted where they are no plain names. */
export function pathOf(steps: readonly string[]): string {
  return ["body", ...steps]
    .map((step) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? step : JSON.stringify(step)))
    .join(".");
}
