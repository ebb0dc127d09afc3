import type { RunnableSource } from "../../run/ports.ts";
import type { ScriptedReply, SourceCase } from "../../sdk/source.ts";
import { compareShapes } from "../../simulation/compare-shapes.ts";
import type { Context } from "../../terms/caller.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { didYouMeanAnyOf } from "../../terms/text/nearest.ts";
import { askVendor, outcomeOf } from "./ask-vendor.ts";
import type { LiveAnswer, LiveCallParts, AuthoringTools } from "./ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { recordLive } from "./record-live.ts";
import { expectedOutcome } from "../source-wire.ts";

/** The request of a live test. */
export interface LiveTest {
  readonly case?: string;
  /** Inputs in place of the case's. */
  readonly inputs?: Record<string, unknown>;
  readonly credential?: string;
  readonly context?: Context;
  readonly accept_charge?: boolean;
  readonly record?: boolean;
}

/** Sends a case's request to the vendor and reports the differences from the case. @throws OperatorError */
export async function testLive(
  input: LiveTest,
  source: RunnableSource,
  tools: AuthoringTools,
  parts: LiveCallParts,
): Promise<JsonObject> {
  const { declaration } = source;
  if (!source.leavesMachine)
    throw new OperatorError("refused", `${source.id} answers on this machine: it has no vendor to call.`);
  if (input.accept_charge !== true && source.charge !== "free") {
    throw new OperatorError(
      "refused",
      `A call of ${source.id} can be billed. Give --accept-charge to make it all the same.`,
    );
  }
  if (input.record === true && tools.fileOf(source.id)?.from === "package")
    throw new OperatorError("refused", `${source.id} is a source of a package: its cases are recorded there.`);
  const each = chooseCase(declaration.cases ?? [], input.case);
  const { inputs, from } = inputsFor(input, each, declaration.live?.inputs);
  noteDropped(source, inputs, parts.note);
  const context = input.context ?? "dev";
  const compared = input.inputs === undefined ? each : undefined;
  const answer = await askVendor(
    {
      source,
      inputs,
      context,
      credential: input.credential,
      purpose: { case: compared?.name ?? null },
    },
    parts,
  );
  const differences = compared === undefined ? [] : differencesOf(compared, from === "case", answer);
  const recorded =
    input.record === true
      ? await recordLive(
          { source, inputs, inputsArePrivate: input.inputs !== undefined, context, answer },
          tools,
          parts.act.wallAt,
        )
      : null;
  const expected = compared === undefined ? null : expectedOutcome(compared);
  return {
    live: true,
    source: source.id,
    case: compared?.name ?? null,
    inputs_from: from,
    outcome: outcomeOf(answer),
    expected,
    message: answer.report.fault?.says ?? null,
    charged: answer.report.charged,
    requests: answer.report.attempts.length,
    took_ms: answer.report.tookMs,
    passed: expected === null ? answer.output !== null : expected === outcomeOf(answer),
    differences: [...differences],
    recorded_in: recorded,
  };
}

/**
 * The given inputs; else those of the named case; else those that the source declares for live tests, or those of its
 * first case with a record.
 * @throws OperatorError
 */
function inputsFor(
  input: LiveTest,
  each: SourceCase | undefined,
  declared: JsonObject | undefined,
): { readonly inputs: JsonObject; readonly from: "given" | "case" | "live" } {
  if (input.inputs !== undefined) return { inputs: input.inputs as JsonObject, from: "given" };
  if (input.case === undefined && declared !== undefined) return { inputs: declared, from: "live" };
  if (each !== undefined) return { inputs: each.inputs, from: "case" };
  throw new OperatorError("not_found", "There is no such case. Give inputs with --set instead.");
}

function chooseCase(cases: readonly SourceCase[], name: string | undefined): SourceCase | undefined {
  return name === undefined ? firstRecord(cases) : cases.find((each) => each.name === name);
}

export function firstRecord(cases: readonly SourceCase[]): SourceCase | undefined {
  return cases.find(({ expect }) => "match" in expect && expect.match);
}

function noteDropped(source: RunnableSource, inputs: JsonObject, note: (sentence: string) => void): void {
  for (const name of Object.keys(inputs)) {
    if (source.inputNames.includes(name)) continue;
    const question = didYouMeanAnyOf(name, source.inputNames);
    note(`The input ${name} is not declared, so the source does not get it.${question === null ? "" : ` ${question}`}`);
  }
}

/** The differences in structure between the reply and the case. Values always differ, so they are not compared. */
export function differencesOf(each: SourceCase, withItsInputs: boolean, answer: LiveAnswer): readonly string[] {
  const scripted = (Array.isArray(each.reply) ? each.reply : [each.reply ?? {}]) as readonly ScriptedReply[];
  const [expected, found] = [scripted.at(-1)!, answer.replies.at(-1)];
  const outcome = outcomeOf(answer);
  const doubt = withItsInputs && outcome === "no record" ? MADE_UP : "";
  const said =
    expectedOutcome(each) === outcome
      ? []
      : [`the outcome is ${outcome}, and the case expects ${expectedOutcome(each)}${doubt}`];
  if (found === undefined) return said;
  const status = expected.status ?? 200;
  if (status !== found.status) return [...said, `the status is ${found.status}, and the case has ${status}`];
  const [left, right] = [asJson(expected.body), asJson(found.bytes().toString("utf8"))];
  return [...said, ...compareShapes(left, right)];
}

const MADE_UP = "; its inputs may be made up: declare others under `live`";

function asJson(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

const WITH = { given: "the inputs given", live: "the inputs that the source declares for this" } as const;

/** Renders the result for people. */
export function renderLive(result: JsonObject): string {
  const differences = result["differences"] as readonly string[];
  const what = WITH[result["inputs_from"] as keyof typeof WITH] ?? `case "${result["case"] as string}"`;
  return [
    `${result["passed"] === true ? "ok    " : "FAILED"} ${result["source"] as string}, called with ${what}`,
    `  outcome: ${result["outcome"] as string}${result["message"] === null ? "" : ` (${result["message"] as string})`}`,
    `  charged: ${result["charged"] as string}, ${result["requests"] as string} request(s), ${result["took_ms"] as string} ms`,
    ...(result["case"] === null
      ? []
      : [differences.length === 0 ? "  nothing differs from the case in its shape" : "  differs from the case:"]),
    ...differences.map((each) => `    ${each}`),
    ...(result["recorded_in"] === null ? [] : [`  recorded as a new case in ${result["recorded_in"] as string}`]),
    "",
  ].join("\n");
}
