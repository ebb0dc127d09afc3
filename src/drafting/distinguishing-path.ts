import { isTrue } from "../sources/declarative/expressions/evaluate.ts";
import { isJsonObject, type Json } from "../terms/json/json.ts";
import { isSecretName } from "./imports/secret-names.ts";

const DEPTH_MAX = 4;

/** The path to the first member that `has` contains and `lacks` omits or leaves empty; `null` if there is none. */
export function distinguishingSteps(has: Json, lacks: Json): readonly string[] | null {
  if (Array.isArray(has)) return has.length > 0 && !isTrue(lacks) ? [] : null;
  return search(has, lacks, []);
}

function search(has: Json, lacks: Json, steps: readonly string[]): readonly string[] | null {
  if (!isJsonObject(has) || steps.length >= DEPTH_MAX) return null;
  const members = Object.entries(has).filter(([, value]) => isTrue(value));
  for (const [name] of members) if (!isTrue(memberOf(lacks, name))) return [...steps, name];
  for (const [name, value] of members) {
    const found = search(value, memberOf(lacks, name), [...steps, name]);
    if (found !== null) return found;
  }
  return null;
}

function memberOf(value: Json, name: string): Json {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name]! : null;
}

/**
 * A JMESPath that is true for `answer` and false for `other`: an empty list, a flag, a number or a word that differs,
 * and as a last resort the presence of the first member. `null` if there is none.
 */
export function distinguishingCondition(answer: Json, other: Json): string | null {
  if (Array.isArray(answer)) return "type(body) == 'array'";
  const signs = signsOf(answer, other, []);
  const order = ["list", "flag", "number", "word"] as const;
  const best = order.flatMap((kind) => signs.filter((sign) => sign.kind === kind))[0];
  if (best !== undefined) return best.says;
  const name = isJsonObject(answer) ? Object.keys(answer).find((key) => /^[^'\\]+$/.test(key)) : undefined;
  return name === undefined ? null : `type(body) == 'object' && contains(keys(body), '${name}')`;
}

interface Sign {
  readonly kind: "list" | "flag" | "number" | "word";
  readonly says: string;
}

function signsOf(answer: Json, other: Json, steps: readonly string[]): readonly Sign[] {
  const path = pathOf(steps);
  if (Array.isArray(answer)) {
    const empty = answer.length === 0 && isTrue(other);
    return empty ? [{ kind: "list", says: `type(${path}) == 'array' && length(${path}) == \`0\`` }] : [];
  }
  if (isJsonObject(answer)) {
    if (steps.length >= DEPTH_MAX) return [];
    return Object.entries(answer).flatMap(([name, value]) => signsOf(value, memberOf(other, name), [...steps, name]));
  }
  if (answer === other) return [];
  if (typeof answer === "boolean") return [{ kind: "flag", says: `${path} == \`${answer}\`` }];
  if (answer === 0) return [{ kind: "number", says: `${path} == \`0\`` }];
  // Only words of the format qualify: identifiers, secrets and times differ between any two replies.
  const isWord =
    !isSecretName(steps.at(-1) ?? "") && typeof answer === "string" && /^[A-Za-z][A-Za-z_ -]{0,40}$/.test(answer);
  return isWord ? [{ kind: "word", says: `${path} == '${answer}'` }] : [];
}

/** A JMESPath to a member of `body`. Names are quoted where necessary. */
export function pathOf(steps: readonly string[]): string {
  return ["body", ...steps]
    .map((step) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? step : JSON.stringify(step)))
    .join(".");
}
