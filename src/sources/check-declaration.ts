import { createRequire } from "node:module";
import type * as Domains from "tldts";
import type { DataOrigin, RateLimit, ReplyReading, SourceDeclaration, SourceLimits } from "../sdk/source.ts";
import { CHARGE_MODELS } from "../terms/money/charge.ts";
import { type Listed, readListPrice } from "./list-price.ts";
import { isJsonObject } from "../terms/json/json.ts";
import { didYouMean } from "../terms/text/nearest.ts";
import { parseOrigin } from "../terms/http/origins.ts";
import { ID_CHARS_MAX, SOURCE_ID } from "../terms/ids.ts";
import { declaredNames } from "../terms/schema/schema-names.ts";
import { DAY_MS } from "../terms/time/durations.ts";
import { CALL_MS_MAX } from "../terms/time/times.ts";

const require = createRequire(import.meta.url);

export const TIMEOUT_MS_DEFAULT = 15_000;

/**
 * The shortest period of a rate. The store is queried before each period ends, and remembers each for another period.
 */
const PERIOD_MS_MIN = 100;
const PERIOD_MS_MAX = 366 * DAY_MS;

const KEYS = [
  "id",
  "title",
  "description",
  "docs",
  "inputs",
  "credentials",
  "output",
  "origins",
  "regions",
  "timeout_ms",
  "limits",
  "reply",
  "charge",
  "resume",
  "data",
  "live",
  "cases",
  "verify",
  "run",
];
const LIMITS = ["max_bytes", "concurrency", "rate"] satisfies (keyof SourceLimits)[];
const REPLY = ["lenient"] satisfies (keyof ReplyReading)[];
const RATE = ["per", "max", "every_ms"] satisfies (keyof RateLimit)[];
const CHARGE = ["model", "amount", "currency"];
const DATA = ["name", "licence", "date", "url", "max_age_days", "file"] satisfies (keyof DataOrigin)[];
const LIVE = ["inputs"];
const RESUME = ["input"];

/** The problem with a source file's export, as a sentence for its author; `null` if there is none. */
export function declarationProblem(value: unknown): string | null {
  if (!isJsonObject(value)) return "must export a source by default: export default defineSource({ … })";
  const source = value as unknown as SourceDeclaration;
  if (typeof source.id !== "string" || !SOURCE_ID.test(source.id) || source.id.length > ID_CHARS_MAX) {
    return `id must have the form <vendor>__<source_name>, lower snake case, at most ${ID_CHARS_MAX} characters`;
  }
  if (typeof source.title !== "string" || source.title.trim() === "") return "title must be a text";
  if (typeof source.run !== "function") return "run must be a function";
  if (!isJsonObject(source.inputs)) return "inputs must be a JSON Schema of one object";
  for (const name of ["credentials", "output"] as const) {
    if (source[name] !== undefined && !isJsonObject(source[name])) return `${name} must be a JSON Schema of one object`;
  }
  if (source.timeout_ms !== undefined && !isWholeWithin(source.timeout_ms, 1, CALL_MS_MAX)) {
    return `timeout_ms must be a whole number from 1 to ${CALL_MS_MAX}`;
  }
  if (source.cases !== undefined && !Array.isArray(source.cases)) return "cases must be a list";
  if (source.live !== undefined && !isJsonObject((source.live as { inputs?: unknown } | null)?.inputs))
    return "live must be an object with inputs";
  if (source.data !== undefined && !(Array.isArray(source.data) && source.data.every(isJsonObject)))
    return "data must be a list of { name, licence, date, url }";
  for (const { max_age_days: days } of source.data ?? [])
    if (days !== undefined && !isWholeWithin(days, 1, Infinity))
      return "max_age_days of an entry of data must be a whole number from 1";
  return (
    originsProblem(source.origins) ??
    regionsProblem(source.regions) ??
    limitsProblem(source.limits) ??
    replyProblem(source.reply) ??
    chargeProblem(source.charge) ??
    resumeProblem(source) ??
    unknownKey(value)
  );
}

/** An empty list looks like "nowhere" but would mean "everywhere". */
function regionsProblem(regions: unknown): string | null {
  if (regions === undefined) return null;
  const isList = Array.isArray(regions) && regions.length > 0;
  return isList && regions.every((region) => typeof region === "string" && region.trim() !== "")
    ? null
    : "regions must be a list of at least one region";
}

function isWholeWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function replyProblem(reply: unknown): string | null {
  if (reply === undefined) return null;
  if (!isJsonObject(reply)) return "reply must be an object";
  return ["undefined", "boolean"].includes(typeof reply["lenient"]) ? null : "reply.lenient must be true or false";
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
    : "limits.rate must be a list of { per, max, every_ms }: per is credential or source, and a period has 100 ms to 366 days";
}

function isRate(limit: unknown): boolean {
  if (!isJsonObject(limit)) return false;
  const { max, every_ms: everyMs, per } = limit;
  // No counter would apply to a rate with another `per`, so it would never be enforced.
  const isPer = per === "credential" || per === "source";
  return isWholeWithin(max, 1, Infinity) && isWholeWithin(everyMs, PERIOD_MS_MIN, PERIOD_MS_MAX) && isPer;
}

function chargeProblem(charge: unknown): string | null {
  if (charge === undefined) return null;
  const model = isJsonObject(charge) ? charge["model"] : charge;
  if (!CHARGE_MODELS.some((known) => known === model))
    return `charge must be one of ${CHARGE_MODELS.join(", ")}, or an object with one as its model`;
  const price = isJsonObject(charge) ? readListPrice(charge as Listed) : null;
  return typeof price === "string" ? `charge: ${price}` : null;
}

function resumeProblem({ resume, inputs }: SourceDeclaration): string | null {
  if (resume === undefined) return null;
  const input: unknown = isJsonObject(resume) ? resume["input"] : undefined;
  return typeof input === "string" && declaredNames(inputs).includes(input)
    ? null
    : 'resume must be an object whose input is a declared one, such as { input: "order_id" }';
}

function originsProblem(origins: readonly string[] | undefined): string | null {
  if (origins === undefined) return null;
  if (!Array.isArray(origins) || origins.length === 0) return "origins must be a list of at least one origin";
  for (const origin of origins) {
    const parsed = typeof origin === "string" ? parseOrigin(origin) : null;
    if (parsed === null || (parsed.match === "pattern" && isForEverybody(parsed.hostname)))
      return `origins: ${JSON.stringify(origin)} is not an origin such as https://api.vendor.example or https://*.vendor.example`;
  }
  return null;
}

/**
 * Whether anyone can register names below a host name: a top-level domain, `co.uk`, or a host of other people's sites.
 */
function isForEverybody(hostname: string): boolean {
  if (!hostname.includes(".")) return true;
  // Loaded on first use, because its tables would slow down every start.
  const { getPublicSuffix } = require("tldts") as typeof Domains;
  return getPublicSuffix(hostname, { allowPrivateDomains: true }) === hostname;
}

function unknownKey(source: object): string | null {
  const key = Object.keys(source).find((name) => !KEYS.includes(name) && !name.startsWith("x-"));
  return key === undefined ? null : notAKey(key, KEYS, "a source (keys for your own use begin with x-)");
}

/**
 * Returns a sentence about the first unknown key in a part of a source written in code; `null` if there is none.
 * Otherwise such a key would be a limit that is not enforced, or a price that is not shown. YAML files have other keys,
 * which their own format checks.
 */
export function unknownKeyWithin({ limits, reply, charge, resume, data, live }: SourceDeclaration): string | null {
  const parts: readonly DeclarationPart[] = [
    ["limits", LIMITS, limits],
    ...(limits?.rate ?? []).map((rate): DeclarationPart => ["an entry of limits.rate", RATE, rate]),
    ["reply", REPLY, reply],
    ["charge", CHARGE, charge],
    ["resume", RESUME, resume],
    ...(data ?? []).map((origin): DeclarationPart => ["an entry of data", DATA, origin]),
    ["live", LIVE, live],
  ];
  for (const [name, keys, part] of parts) {
    const key = isJsonObject(part) ? Object.keys(part).find((one) => !keys.includes(one)) : undefined;
    if (key !== undefined) return notAKey(key, keys, name);
  }
  return null;
}

type DeclarationPart = readonly [name: string, keys: readonly string[], value: unknown];

function notAKey(key: string, keys: readonly string[], of: string): string {
  const meant = didYouMean(key, keys) ?? `known are ${keys.join(", ")}`;
  return `${key} is not a key of ${of}: ${meant}`;
}
