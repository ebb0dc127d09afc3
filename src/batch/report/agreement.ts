import { isJsonObject, type Json } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { BatchRecord, SourceRecord } from "../record.ts";

/** How two values of a field are compared: as texts, or as names by the comparison of the catalog. */
export const COMPARISONS = ["text", "company", "person"] as const;
export type ValueComparison = (typeof COMPARISONS)[number];

/** How alike two names are, from 0 to 1; `null` if they cannot be compared. */
export type CompareNames = (as: Exclude<ValueComparison, "text">, name: string, other: string) => number | null;

/** A field, and where each source has it: `name:company=acme__people.person.name,bell__phone.name`. */
export interface AgreementSpec {
  readonly field: string;
  readonly comparison: ValueComparison;
  readonly values: readonly { readonly source: string; readonly path: readonly string[] }[];
}

/** @throws OperatorError */
export function readAgreement(text: string): AgreementSpec {
  const [, named = "", places] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const [, field = "", as = "text"] = /^(.*?)(?::([^:]*))?$/.exec(named) ?? [];
  const comparison = COMPARISONS.find((one) => one === as.trim());
  const values = (places ?? "").split(",").map((place) => {
    const [source = "", ...path] = place.trim().split(".");
    return { source, path };
  });
  const isComplete =
    values.length >= 2 && values.every(({ source, path }) => source !== "" && path.every(Boolean) && path.length > 0);
  if (field.trim() === "" || !isComplete)
    throw new OperatorError("usage", "--agree takes FIELD=SOURCE.PATH,SOURCE.PATH, with two sources or more.");
  if (comparison === undefined)
    throw new OperatorError("usage", `--agree ${named}: names are compared as FIELD:company or FIELD:person.`);
  const twice = values.find(({ source }, at) => values.findIndex((one) => one.source === source) !== at);
  if (twice !== undefined) throw new OperatorError("usage", `--agree ${field} names ${twice.source} twice.`);
  return { field: field.trim(), comparison, values };
}

interface PairCount {
  readonly sources: readonly [string, string];
  both: number;
  same: number;
  /** The first rows whose values differ. */
  readonly differing: number[];
}

const DIFFERING_MAX = 5;
/** Names agree from this score on: the bands `equal` and `close` of the comparison. */
const NAMES_AGREE = 0.9;

/** Counts the rows in which two sources have the same value for a field, of those in which both have one. */
export class AgreementTally {
  readonly spec: AgreementSpec;
  readonly pairs: readonly PairCount[];
  readonly #compareNames: CompareNames;

  constructor(spec: AgreementSpec, compareNames: CompareNames) {
    this.spec = spec;
    this.#compareNames = compareNames;
    const ids = spec.values.map(({ source }) => source);
    this.pairs = ids.flatMap((one, at) =>
      ids.slice(at + 1).map((other): PairCount => ({ sources: [one, other], both: 0, same: 0, differing: [] })),
    );
  }

  add({ row, sources }: BatchRecord): void {
    const read = this.spec.comparison === "text" ? comparable : nameOrNull;
    const found = new Map(
      this.spec.values.map(({ source, path }) => [source, read(valueAt(outputOf(sources?.[source]), path))] as const),
    );
    for (const pair of this.pairs) {
      const [one, other] = pair.sources.map((source) => found.get(source) ?? null);
      const isSame = one == null || other == null ? null : this.#agree(one, other);
      if (isSame === null) continue;
      pair.both += 1;
      if (isSame) pair.same += 1;
      else if (pair.differing.length < DIFFERING_MAX) pair.differing.push(row);
    }
  }

  /** `null`: the values cannot be compared. */
  #agree(one: string, other: string): boolean | null {
    const { comparison } = this.spec;
    if (comparison === "text") return one === other;
    const score = this.#compareNames(comparison, one, other);
    return score === null ? null : score >= NAMES_AGREE;
  }
}

function nameOrNull(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function outputOf(entry: SourceRecord | undefined): Json | undefined {
  return entry?.success === true && entry.match ? entry.output : undefined;
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = found[Number(step)] as Json | undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

/** The letters and digits of a value: case, accents, punctuation and spaces do not count. `null`: there is none. */
function comparable(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return plain === "" ? null : plain;
}
