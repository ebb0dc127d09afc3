import type { RunnableSource } from "../run/ports.ts";
import type { SourceProof } from "./ports.ts";
import type { SourceCase } from "../sdk/source.ts";
import { CHARGE_MODELS } from "../terms/money/charge.ts";
import { type Json, type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { amountText, readAmount } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";
import { FIELD_NEEDS, fieldsOf, needOf } from "../terms/schema/schema-fields.ts";
import { Type } from "../terms/schema/type.ts";
import { anObject, anything, count, listOf, oneOf, orNull, rowsOf, text, yesOrNo } from "./result-schemas.ts";

/** The declarations of sources and functions, as results show them. */

export const wireField = Type.Object({
  name: { ...text, description: "Nested fields with a dot, items of a list with []" },
  type: text,
  required: oneOf(...FIELD_NEEDS),
  title: orNull(text),
  description: orNull(text),
  examples: listOf(anything),
});

/** A row for each field of a schema; none without a schema. */
export function toWireFields(schema: object | undefined) {
  return fieldsOf(schema ?? {}).map((field) => ({
    name: field.name,
    type: field.type,
    required: needOf(field, schema!),
    title: field.title || null,
    description: field.says || null,
    examples: plain(field.examples) as readonly Json[],
  }));
}

const wireListPrice = orNull(
  Type.Object({ amount: text, currency: { ...orNull(text), description: "null for nothing, which needs none" } }),
);

export const wireCharge = Type.Object({
  model: oneOf(...CHARGE_MODELS),
  list_price: { ...wireListPrice, description: "Of several, the highest" },
  rows: {
    ...rowsOf({ when: orNull(text), list_price: wireListPrice }),
    description: "The cost of a request if it depends on the request or the reply; the first row that applies counts",
  },
});

/** The declared cost of a source's requests. Credentials can have prices of their own. */
export function toWireCharge({ charge: model, listPrice, declaration }: RunnableSource) {
  return { model, list_price: toWireListPrice(listPrice), rows: chargeRows(declaration.charge) };
}

function toWireListPrice(price: Price | null) {
  return price === null ? null : { amount: amountText(price.amount), currency: price.currency };
}

interface ChargeRow {
  readonly when?: string;
  readonly amount?: number;
  readonly currency?: string;
}

/** Only a YAML file has conditions; code decides for each request. */
function chargeRows(charge: unknown) {
  if (typeof charge !== "object" || charge === null) return [];
  const { rows, ...only } = charge as ChargeRow & { readonly rows?: readonly ChargeRow[] };
  const conditional = rows ?? (only.when === undefined ? [] : [only]);
  return conditional.map(({ when, amount, currency }) => ({
    when: when ?? null,
    list_price:
      amount === undefined ? null : { amount: amountText(readAmount(String(amount))!), currency: currency ?? null },
  }));
}

export const wireLimits = Type.Object({
  timeout_ms: count,
  max_bytes: count,
  concurrency: orNull(count),
  rates: rowsOf({ per: oneOf("credential", "source"), max: count, every_ms: count }),
});

/** `replyBytesMax`: the largest reply that the deployment accepts, whatever the source declares. */
export function toWireLimits({ declaration, timeoutMs }: RunnableSource, replyBytesMax: number) {
  const { max_bytes = replyBytesMax, concurrency, rate = [] } = declaration.limits ?? {};
  return {
    timeout_ms: timeoutMs,
    max_bytes: Math.min(max_bytes, replyBytesMax),
    concurrency: concurrency ?? null,
    rates: rate.map(({ per, max, every_ms }) => ({ per, max, every_ms })),
  };
}

export const wireCase = Type.Object({
  name: text,
  inputs: anObject,
  expects: { ...text, description: "`record`, `no record`, or the kind of failure" },
});

export function toWireCase(each: SourceCase) {
  return { name: each.name, inputs: plain(each.inputs), expects: expectedOutcome(each) };
}

/** The names of a result's cases, for people. */
export function namesOf(cases: Json): readonly string[] {
  return (cases as readonly JsonObject[]).map(({ name }) => name as string);
}

/** `record`, `no record`, or the kind of failure. */
export function expectedOutcome({ expect }: SourceCase): string {
  return "failure" in expect ? expect.failure : expect.match ? "record" : "no record";
}

export const wireProof = orNull(
  Type.Object({
    date: text,
    build: { ...text, description: "The version of the service" },
    match: { ...yesOrNo, description: "Whether the vendor had a record" },
    outdated: { ...yesOrNo, description: "Whether it is of another version of the source" },
  }),
);

export function toWireProof(proof: SourceProof | null) {
  if (proof === null) return null;
  const { date, build, match, outdated } = proof;
  return { date, build, match, outdated };
}

export const liveTested = {
  ...orNull(text),
  description: "The date of its proof, `DATE, another version`, or `never`; null if it has no vendor",
};

/** When `datarun prove` last had an answer of the vendor; `null` without a vendor. */
export function liveTestedOf({ leavesMachine }: RunnableSource, proof: SourceProof | null): string | null {
  if (!leavesMachine) return null;
  return proof === null ? "never" : `${proof.date}${proof.outdated ? ", another version" : ""}`;
}

/** A copy by JSON, because schemas from a library have properties that are not enumerable. */
export function plain<Value>(value: Value): Value {
  return readJsonExactly(JSON.stringify(value)) as Value;
}
