import type { StartedRun } from "../../run/under-way.ts";
import type { FunctionRequest } from "../../run/function-run.ts";
import type { Json, JsonObject } from "../../terms/json.ts";
import type { ReceivedRun } from "../receive-run.ts";
import { contextOf } from "./data.ts";

const NOTHING: JsonObject = Object.freeze({});
/** The fields the endpoint gives a meaning; all others are handed on as `extra`. */
const KNOWN = new Set(["access_token", "workflow", "config", "inputs"]);

/** From a valid body to a run of one function (specification 4.2). */
export function startFunc(
  received: ReceivedRun,
  arrivedAt: number,
  runFunction: (request: FunctionRequest) => StartedRun,
): StartedRun {
  const { caller, body } = received;
  const config = body["config"] as JsonObject;
  const named = config["data_func"] as string | null | undefined;
  return runFunction({
    caller,
    context: contextOf(received),
    config,
    sources: (config["sources"] as JsonObject | undefined) ?? NOTHING,
    inputs: (body["inputs"] as JsonObject | undefined) ?? NOTHING,
    extra: Object.fromEntries<Json>(Object.entries(body).filter(([name]) => !KNOWN.has(name))),
    functionId: named === undefined || named === null || named === "" ? null : named,
    trace: received.trace,
    held: received.held,
    passthrough: config["datafunc_response_passthrough"] === true,
    arrivedAt,
  });
}
