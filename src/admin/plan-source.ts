import type { RunnableSource } from "../run/ports.ts";
import type { Context } from "../terms/caller.ts";
import { CHARGE_MODELS } from "../terms/money/charge.ts";
import { type JsonObject, isJsonObject, type Json } from "../terms/json/json.ts";
import { regionFault } from "../terms/fault.ts";
import { Type } from "../terms/schema/type.ts";
import { chooseCredentialFor, type ChosenCredential } from "./chosen-credential.ts";
import type { VerbCall } from "./needs.ts";
import { costOf } from "./planned-cost.ts";
import type { NamedWorkflow } from "./ports.ts";
import { plain } from "./source-wire.ts";
import { anything, count, listOf, oneOf, orNull, text, yesOrNo } from "./result-schemas.ts";

/** A run's planned handling of one source. */
export const wirePlannedSource = Type.Object({
  source: text,
  known: yesOrNo,
  on: { ...yesOrNo, description: "Whether runs may call it; the setting `catalog` decides" },
  title: orNull(text),
  problem: orNull(text),
  input_problem: orNull(Type.Object({ path: text, message: text })),
  needs_credential: oneOf("none", "optional", "required"),
  rule: text,
  cred_id: orNull(text),
  cred_name: orNull(text),
  bills: oneOf(...CHARGE_MODELS),
  cost: oneOf("nothing", "known", "unknown"),
  at_most: orNull(text),
  currency: orNull(text),
  price_from: orNull(oneOf("credential", "source")),
  timeout_ms: count,
  input_names: listOf(text),
  inputs: anything,
  example: anything,
});

interface PlanQuestion {
  readonly workflow: NamedWorkflow;
  readonly context: Context;
  readonly inputs: JsonObject | undefined;
}

/** Checks in the order in which a run does. */
export async function planSource(source: RunnableSource, asked: PlanQuestion, call: VerbCall<"finder" | "region">) {
  const { workflow, context, inputs } = asked;
  const { declaration } = source;
  const isReal = !workflow.simulated;
  const region = call.region();
  const refused = isReal ? regionFault("this source", declaration.regions, region) : null;
  const inputProblem = inputs === undefined ? null : source.inputProblem(source.filter(inputs));
  const chosen =
    isReal && source.credentialUse !== "none"
      ? await chooseCredentialFor(source, { workflow, context, region, credentialId: undefined }, await call.finder())
      : null;
  const problem = refused?.says ?? (chosen === null ? null : credentialProblem(chosen));
  // A call that fails before its request costs nothing.
  const isAsked = isReal && problem === null && inputProblem === null;
  const cost = isAsked ? costOf(source, chosen?.found ?? null, call.clock.wall()) : null;
  return {
    source: source.id,
    known: true,
    on: true,
    title: declaration.title,
    problem,
    input_problem: inputProblem === null ? null : { path: inputProblem.path, message: inputProblem.message },
    needs_credential: source.credentialUse,
    rule: chosen?.rule ?? "none",
    cred_id: chosen?.credentialId ?? null,
    bills: cost?.model ?? source.charge,
    cost: cost?.cost ?? ("nothing" as const),
    price: cost?.price ?? null,
    price_from: cost?.from ?? null,
    timeout_ms: source.timeoutMs,
    input_names: [...source.inputNames],
    inputs: plain(declaration.inputs) as JsonObject,
    example: exampleInputs(source),
  };
}

function credentialProblem({ works, rule, misfit, steps, credentialId }: ChosenCredential): string | null {
  if (works) return null;
  if (misfit !== null) return `The credential ${credentialId} does not fit: ${misfit}.`;
  const reason = steps.find((step) => step.rule === rule)?.reason;
  return rule === "none" || reason === undefined ? "There is no credential for it." : `Its credential: ${reason}.`;
}

/** The plan for a source that exists but is off: a run does not find it. */
export function planOfOff(source: RunnableSource) {
  return {
    ...planOfUnknown(source.id),
    known: true,
    title: source.declaration.title,
    problem:
      'It is off, and a run answers "Adapter not found". The setting `catalog` names the sources of the catalog that are on.',
    needs_credential: source.credentialUse,
    bills: source.charge,
    timeout_ms: source.timeoutMs,
    input_names: [...source.inputNames],
    inputs: plain(source.declaration.inputs) as JsonObject,
    example: exampleInputs(source),
  };
}

/** The plan for a source of which the workflow pins a version that cannot be used. */
export function planOfUnusable(source: RunnableSource, problem: string) {
  return { ...planOfOff(source), on: true, problem };
}

/** The plan for an unknown source: a run answers for it without a call. */
export function planOfUnknown(source: string) {
  return {
    source,
    known: false,
    on: false,
    title: null,
    problem: "There is no such source.",
    input_problem: null,
    needs_credential: "none" as const,
    rule: "none",
    cred_id: null,
    bills: "free" as const,
    cost: "nothing" as const,
    price: null,
    price_from: null,
    timeout_ms: 0,
    input_names: [],
    inputs: {},
    example: {},
  };
}

/**
 * Example inputs of a source: the examples of its schema or, if they are no valid call, the inputs of its first case
 * with a record. Empty if there is neither.
 */
export function exampleInputs(source: RunnableSource): JsonObject {
  const { declaration, inputNames } = source;
  const schemas = propertiesOf(declaration.inputs as JsonObject);
  const ofSchema = Object.fromEntries(
    inputNames.flatMap((name): [string, Json][] => {
      const examples = schemas[name]?.["examples"];
      return Array.isArray(examples) && examples.length > 0 ? [[name, examples[0] as Json]] : [];
    }),
  );
  const ofCases = (declaration.cases ?? [])
    .filter(({ expect }) => (expect as { readonly match?: unknown }).match === true)
    .map(({ inputs }) => ({ ...source.filter(inputs) }));
  const valid = [ofSchema, ...ofCases]
    .filter((inputs) => Object.keys(inputs).length > 0)
    .find((inputs) => source.inputProblem(source.filter(inputs)) === null);
  return valid ?? ofSchema;
}

/** The schema's properties. Its own take precedence over those of its branches. */
function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const found: Record<string, JsonObject> = {};
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  });
  for (const branch of branches) Object.assign(found, propertiesOf(branch));
  const { properties } = schema;
  if (isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) if (isJsonObject(property)) found[name] = property;
  return found;
}
