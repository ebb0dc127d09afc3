import type { SourceDeclaration } from "../sdk/source.ts";
import { isJsonObject } from "../terms/json.ts";

export const SOURCE_ID = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*__[a-z0-9]+(?:_[a-z0-9]+)*$/;
export const TIMEOUT_MS_DEFAULT = 15_000;
export const TIMEOUT_MS_MAX = 60_000;

const KNOWN = new Set([
  "id", "title", "description", "docs", "inputs", "credentials", "output", "origins", "timeout_ms", "limits", "charge",
  "data", "cases", "verify", "run",
]); // prettier-ignore

/** Says what is wrong with what a source file exports, in words for its author, or `null`. */
export function declarationProblem(value: unknown): string | null {
  if (!isJsonObject(value)) return "must export a source by default: export default defineSource({ … })";
  const source = value as unknown as SourceDeclaration;
  if (typeof source.id !== "string" || !SOURCE_ID.test(source.id) || source.id.length > 128) {
    return "id must have the form <vendor>__<source_name>, lower snake case, at most 128 characters";
  }
  if (typeof source.title !== "string" || source.title.trim() === "") return "title must be a text";
  if (typeof source.run !== "function") return "run must be a function";
  if (!isJsonObject(source.inputs)) return "inputs must be a JSON Schema of one object";
  for (const name of ["credentials", "output"] as const) {
    if (source[name] !== undefined && !isJsonObject(source[name])) return `${name} must be a JSON Schema of one object`;
  }
  if (source.timeout_ms !== undefined && !isWholeWithin(source.timeout_ms, 1, TIMEOUT_MS_MAX)) {
    return `timeout_ms must be a whole number from 1 to ${TIMEOUT_MS_MAX}`;
  }
  if (source.cases !== undefined && !Array.isArray(source.cases)) return "cases must be a list";
  return originsProblem(source.origins) ?? unknownKey(value);
}

function isWholeWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function originsProblem(origins: readonly string[] | undefined): string | null {
  if (origins === undefined) return null;
  if (!Array.isArray(origins) || origins.length === 0) return "origins must be a list of at least one origin";
  for (const origin of origins) {
    // A star stands for whole labels on the left; the rest has to be an origin and nothing more.
    const plain = typeof origin === "string" ? origin.replace(/^(https?:\/\/)\*\./, "$1star.") : "";
    const url = URL.canParse(plain) ? new URL(plain) : undefined;
    if (
      url === undefined ||
      !/^https?:$/.test(url.protocol) ||
      `${url.protocol}//${url.host}` !== plain.toLowerCase().replace(/:(443|80)$/, portIfOdd(url))
    ) {
      return `origins: ${JSON.stringify(origin)} is not an origin such as https://api.vendor.example or https://*.vendor.example`;
    }
  }
  return null;
}

/** `new URL` drops a default port; so may the author write it. */
function portIfOdd(url: URL): string {
  return url.port === "" ? "" : `:${url.port}`;
}

function unknownKey(value: object): string | null {
  const key = Object.keys(value).find((name) => !KNOWN.has(name) && !name.startsWith("x-"));
  return key === undefined ? null : `${key} is not a key of a source (keys for your own use begin with x-)`;
}
