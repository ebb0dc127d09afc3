import { isDeepStrictEqual } from "node:util";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { FunctionResult } from "./function-result.ts";
import type { ShadowVerdict } from "./ports.ts";

export interface ComparedVerdicts {
  readonly whole: ShadowVerdict;
  readonly fields: ReadonlyMap<string, ShadowVerdict>;
}

/** The name of all fields that no version declares: such a name may be personal data. */
export const UNDECLARED = "*";
/** Fields of a result that are not compared: a text for people, and steps. */
const NOT_COMPARED: ReadonlySet<string> = new Set(["output", "pipes", "message", "response_time_ms"]);

/** Compares the result of a run with that of a candidate. */
export function compareResults(
  present: FunctionResult | Fault,
  candidate: FunctionResult | Fault,
  hasUnrecordedCalls: boolean,
  declared: ReadonlySet<string>,
): ComparedVerdicts {
  if (hasUnrecordedCalls) return allOf(present, "unrecorded", declared);
  if (candidate instanceof Fault) {
    if (present instanceof Fault && present.code === candidate.code) return { whole: "same", fields: new Map() };
    return allOf(present, "failed", declared);
  }
  const output = outputOf(present);
  const names = new Set([...Object.keys(output), ...Object.keys(candidate.output)]);
  const verdicts = [...names].map((name) => [name, compareField(output, candidate.output, name)] as const);
  const isRestSame = !(present instanceof Fault) && isDeepStrictEqual(restOf(present), restOf(candidate));
  return {
    whole: isRestSame ? together(verdicts.map(([, verdict]) => verdict)) : "different",
    fields: byDeclared(verdicts, declared),
  };
}

function outputOf(result: FunctionResult | Fault): JsonObject {
  return result instanceof Fault ? {} : result.output;
}

function restOf({ fields, success }: FunctionResult): JsonObject {
  const rest = Object.entries(fields ?? {}).filter(([name]) => !NOT_COMPARED.has(name));
  return { ...Object.fromEntries(rest), success };
}

function compareField(before: JsonObject, after: JsonObject, name: string): ShadowVerdict {
  if (!Object.hasOwn(after, name)) return "missing";
  if (!Object.hasOwn(before, name)) return "added";
  return isDeepStrictEqual(before[name], after[name]) ? "same" : "different";
}

/** The verdict over several parts. */
function together(verdicts: readonly ShadowVerdict[]): ShadowVerdict {
  const changes = new Set(verdicts.filter((verdict) => verdict !== "same"));
  if (changes.size === 0) return "same";
  return changes.size === 1 ? [...changes][0]! : "different";
}

function byDeclared(
  verdicts: readonly (readonly [name: string, ShadowVerdict])[],
  declared: ReadonlySet<string>,
): ReadonlyMap<string, ShadowVerdict> {
  const groups = Map.groupBy(verdicts, ([name]) => (declared.has(name) ? name : UNDECLARED));
  return new Map([...groups].map(([name, group]) => [name, together(group.map(([, verdict]) => verdict))]));
}

function allOf(
  present: FunctionResult | Fault,
  verdict: ShadowVerdict,
  declared: ReadonlySet<string>,
): ComparedVerdicts {
  const names = Object.keys(outputOf(present));
  return {
    whole: verdict,
    fields: byDeclared(
      names.map((name) => [name, verdict]),
      declared,
    ),
  };
}
