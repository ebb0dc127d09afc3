import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { CHARGE_MODELS, type ChargeModel } from "../terms/money/charge.ts";
import { readAmount } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { createSchemas } from "../terms/schema/author-schemas.ts";
import type { BatchSpec } from "./batch-spec.ts";
import { numberIn, textIn } from "./json-member.ts";
import type { AdminAccess } from "./ports.ts";

/** A source, or the function, as far as the operator's verbs tell. */
export interface PlannedTarget {
  readonly id: string;
  /** Why a run would not call it, or why nothing is known about it; `null`: it can be called. */
  readonly problem: string | null;
  readonly isKnown: boolean;
  readonly inputNames: readonly string[];
  /** The inputs without which every call fails. */
  readonly requiredNames: readonly string[];
  /** JSON Schema of the inputs; `null` if it is not known. */
  readonly schema: JsonObject | null;
  /** A phrase about the first invalid input, as a run would find it; `null`: the inputs are valid. */
  inputProblem(inputs: JsonObject): string | null;
  readonly timeoutMs: number;
  /** At most `max` calls in `everyMs`, for all callers of the deployment together. */
  readonly rates: readonly { readonly max: number; readonly everyMs: number }[];
  /** What the vendor bills; `null` if it is not known. */
  readonly bills: ChargeModel | null;
  /**
   * The most that a call costs; `null` if it costs nothing, or no price is known. Without a workflow, the list price of a
   * billed request.
   */
  readonly price: Price | null;
}

export interface BatchPlan {
  readonly targets: readonly PlannedTarget[];
  /** The workflow in the deployment whose verbs are used. */
  readonly workflow: {
    readonly organization: string;
    readonly isSimulated: boolean;
    readonly problem: string | null;
  } | null;
  /** Why `workflow` is null. */
  readonly withoutWorkflow: string | null;
}

/** Asks what is known of the sources and the workflow, and calls no vendor. */
export async function planBatch(spec: BatchSpec, admin: AdminAccess): Promise<BatchPlan> {
  const { sources, func, workflow, context } = spec;
  const shown = await Promise.all(
    func === null ? sources.map((source) => showSource(source, admin)) : [showFunction(func, admin)],
  );
  const asked = { workflow, source: [...sources], ...(context !== null && { context }) };
  const planned = await asOrProblem(admin.ask("workflow plan", asked));
  if (typeof planned === "string") return { targets: shown, workflow: null, withoutWorkflow: planned };
  const rows = planned["sources"] as readonly JsonObject[];
  return {
    targets: shown.map((target) =>
      withPlan(
        target,
        rows.find((row) => row["source"] === target.id),
      ),
    ),
    workflow: {
      organization: textIn(planned, "organization_tuid"),
      isSimulated: isJsonObject(planned["workflow"]) && planned["workflow"]["simulated"] === true,
      problem: textOrNull(planned["problem"]),
    },
    withoutWorkflow: null,
  };
}

/** The longest time that the calls of a run can take. */
export function longestRunMs({ targets }: BatchPlan): number {
  return Math.max(...targets.map(({ timeoutMs }) => timeoutMs));
}

/** The limit for every source, in case that nothing is known of it. */
const TIMEOUT_MS_MAX = 60_000;
/** The limit for every function. */
const FUNCTION_TIMEOUT_MS_MAX = 300_000;

async function showSource(id: string, admin: AdminAccess): Promise<PlannedTarget> {
  const shown = await asOrProblem(admin.ask("source show", { source: id }));
  if (typeof shown === "string") return unknownTarget(id, shown, TIMEOUT_MS_MAX);
  const { charge, limits, input_names: names } = shown as Record<string, JsonObject>;
  const rates = (limits!["rates"] as readonly JsonObject[]).map((rate) => ({
    max: numberIn(rate, "max"),
    everyMs: numberIn(rate, "every_ms"),
  }));
  return {
    ...described(id, shown["inputs"] as JsonObject, names as unknown as readonly string[]),
    problem: shown["on"] === false ? "it is off: the setting `catalog` names the sources that are on" : null,
    timeoutMs: numberIn(limits!, "timeout_ms"),
    rates,
    bills: modelOf(charge!["model"]),
    price: priceOf(charge!["list_price"]),
  };
}

async function showFunction(id: string, admin: AdminAccess): Promise<PlannedTarget> {
  const shown = await asOrProblem(admin.ask("function show", { function: id }));
  if (typeof shown === "string") return unknownTarget(id, shown, FUNCTION_TIMEOUT_MS_MAX);
  const schema = isJsonObject(shown["inputs"]) ? shown["inputs"] : null;
  const { properties } = schema ?? {};
  return {
    ...(schema === null ? unknownTarget(id, "", 0) : described(id, schema, Object.keys(properties ?? {}))),
    isKnown: schema !== null,
    problem: null,
    timeoutMs: numberIn(shown, "timeout_ms"),
  };
}

function described(id: string, schema: JsonObject, inputNames: readonly string[]) {
  const check = createSchemas().validator(schema, "first use");
  const { required } = schema;
  return {
    ...unknownTarget(id, "", 0),
    isKnown: true,
    inputNames,
    requiredNames: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
    schema,
    inputProblem(inputs: JsonObject) {
      const own = inputNames.filter((name) => Object.hasOwn(inputs, name)).map((name) => [name, inputs[name]] as const);
      const problem = check(Object.fromEntries(own));
      return problem === null ? null : `${problem.declaredField || "inputs"} ${problem.message}`;
    },
  };
}

function unknownTarget(id: string, problem: string, timeoutMs: number): PlannedTarget {
  return {
    id,
    problem,
    isKnown: false,
    inputNames: [],
    requiredNames: [],
    schema: null,
    inputProblem: () => null,
    timeoutMs,
    rates: [],
    bills: null,
    price: null,
  };
}

/** The credential's price and charge model in place of those of the source, as in `workflow plan`. */
function withPlan(target: PlannedTarget, row: JsonObject | undefined): PlannedTarget {
  if (row === undefined) return target;
  const isFree = row["cost"] === "nothing";
  const known = row["at_most"] === null ? null : { amount: row["at_most"]!, currency: row["currency"]! };
  return {
    ...target,
    problem: target.problem ?? textOrNull(row["problem"]),
    bills: isFree ? "free" : modelOf(row["bills"]),
    price: priceOf(known),
  };
}

function priceOf(value: unknown): Price | null {
  if (!isJsonObject(value) || typeof value["currency"] !== "string") return null;
  const amount = readAmount(textIn(value, "amount"));
  return amount === null ? null : { amount, currency: value["currency"] };
}

function modelOf(value: unknown): ChargeModel | null {
  return CHARGE_MODELS.find((model) => model === value) ?? null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

async function asOrProblem(asking: Promise<JsonObject>): Promise<JsonObject | string> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}
