import { Fault } from "../terms/fault.ts";
import { isJsonObject, readJsonExactly, type Json, type JsonObject } from "../terms/json/json.ts";
import { STEP_NOT_STORED, type OpenHost } from "./function-host.ts";

/** The parts of a function's result. `fields` is `null` if the function returned nothing or an empty object. */
export interface FunctionResult {
  readonly fields: JsonObject | null;
  readonly output: JsonObject;
  readonly pipes: JsonObject;
  readonly success: boolean;
  readonly message: string | null;
}

const NOTHING: JsonObject = Object.freeze({});

/**
 * Reads the JSON text of a returned object. @throws Fault `function.contract` if the value, its `output` or its `pipes` is
 * not an object
 */
export function readFunctionResult(text: string | null): FunctionResult {
  if (text === null) return { fields: null, output: NOTHING, pipes: NOTHING, success: true, message: null };
  const fields = readJsonExactly(text);
  if (!isJsonObject(fields)) throw new Fault("function.contract", { problem: "the function did not return an object" });
  const message = ownField(fields, "message");
  return {
    fields: Object.keys(fields).length === 0 ? null : fields,
    output: objectField(fields, "output"),
    pipes: objectField(fields, "pipes"),
    success: ownField(fields, "success") !== false,
    message: typeof message === "string" ? message : null,
  };
}

function objectField(fields: JsonObject, name: "output" | "pipes"): JsonObject {
  const value = ownField(fields, name);
  if (value === undefined) return NOTHING;
  if (!isJsonObject(value))
    throw new Fault("function.contract", { problem: `the function's ${name} is not an object` });
  return value;
}

function ownField(fields: JsonObject, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The steps that a function has recorded. A step that cannot be read is replaced like one that was not kept. */
export function readSteps(host: OpenHost): JsonObject {
  const steps: [string, Json][] = [];
  for (const [name, json] of host.pipes) {
    try {
      steps.push([name, readJsonExactly(json)]);
    } catch {
      host.log("warn", "a recorded step could not be read");
      steps.push([name, readJsonExactly(STEP_NOT_STORED)]);
    }
  }
  return Object.fromEntries<Json>(steps);
}
