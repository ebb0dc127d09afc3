import { createRequire } from "node:module";
import type * as Domains from "tldts";
import type { SourceDeclaration } from "../sdk/source.ts";
import { CHARGE_MODELS } from "../terms/charge.ts";
import { isJsonObject } from "../terms/json.ts";

const require = createRequire(import.meta.url);

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
  return (
    originsProblem(source.origins) ?? limitsProblem(source.limits) ?? chargeProblem(source.charge) ?? unknownKey(value)
  );
}

function isWholeWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function limitsProblem(limits: unknown): string | null {
  if (limits === undefined) return null;
  if (!isJsonObject(limits)) return "limits must be an object";
  for (const name of ["max_bytes", "concurrency"]) {
    const limit = limits[name];
    if (limit !== undefined && !isWholeWithin(limit, 1, Infinity))
      return `limits.${name} must be a whole number from 1`;
  }
  const rate: unknown = limits["rate"] ?? [];
  return Array.isArray(rate) && rate.every(isRate)
    ? null
    : "limits.rate must be a list of { max, every_ms }, with per: credential or source";
}

function isRate(limit: unknown): boolean {
  if (!isJsonObject(limit)) return false;
  const { max, every_ms: everyMs, per } = limit;
  const isPer = per === undefined || per === "credential" || per === "source";
  return isWholeWithin(max, 1, Infinity) && isWholeWithin(everyMs, 1, Infinity) && isPer;
}

function chargeProblem(charge: unknown): string | null {
  const model = isJsonObject(charge) ? charge["model"] : charge;
  return charge === undefined || CHARGE_MODELS.some((known) => known === model)
    ? null
    : `charge must be one of ${CHARGE_MODELS.join(", ")}, or an object with one as its model`;
}

function originsProblem(origins: readonly string[] | undefined): string | null {
  if (origins === undefined) return null;
  if (!Array.isArray(origins) || origins.length === 0) return "origins must be a list of at least one origin";
  for (const origin of origins) {
    // A star stands for whole labels on the left; the rest has to be an origin and nothing more.
    const plain = typeof origin === "string" ? origin.replace(/^(https?:\/\/)\*\./, "$1star.") : "";
    const url = URL.canParse(plain) ? new URL(plain) : undefined;
    const isTooWide = plain !== origin && isForEverybody(plain);
    if (
      url === undefined ||
      isTooWide ||
      !/^https?:$/.test(url.protocol) ||
      `${url.protocol}//${url.host}` !== plain.toLowerCase().replace(/:(443|80)$/, portIfOdd(url))
    ) {
      return `origins: ${JSON.stringify(origin)} is not an origin such as https://api.vendor.example or https://*.vendor.example`;
    }
  }
  return null;
}

/** Whether anybody may have a name below that of a pattern: a top-level domain, `co.uk`, a host of other people's pages. */
function isForEverybody(plain: string): boolean {
  const below = URL.parse(plain)?.hostname.slice("star.".length) ?? "";
  if (!below.includes(".")) return true;
  // Loaded when a pattern is first met: its tables cost every start otherwise.
  const { getPublicSuffix } = require("tldts") as typeof Domains;
  return getPublicSuffix(below, { allowPrivateDomains: true }) === below;
}

/** `new URL` drops a default port; so may the author write it. */
function portIfOdd(url: URL): string {
  return url.port === "" ? "" : `:${url.port}`;
}

function unknownKey(value: object): string | null {
  const key = Object.keys(value).find((name) => !KNOWN.has(name) && !name.startsWith("x-"));
  return key === undefined ? null : `${key} is not a key of a source (keys for your own use begin with x-)`;
}
