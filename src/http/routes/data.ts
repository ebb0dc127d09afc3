import type { RunRequest, StartedRun } from "../../run/under-way.ts";
import type { Context } from "../../terms/caller.ts";
import { Fault } from "../../terms/fault.ts";
import { isJsonObject, type JsonObject } from "../../terms/json.ts";
import { invalid } from "../read-body.ts";
import type { ReceivedRun } from "../receive-run.ts";

const NOTHING: JsonObject = Object.freeze({});

/** From a valid body to a run of its sources (specification 4.1). */
export function startData(
  received: ReceivedRun,
  arrivedAt: number,
  runData: (request: RunRequest) => StartedRun,
): StartedRun {
  const { caller, body } = received;
  const config = body["config"] as JsonObject;
  const sources = config["sources"];
  const context = contextOf(received);
  if (!isJsonObject(sources) || Object.keys(sources).length === 0) throw new Fault("request.no_sources");
  return runData({
    caller,
    context,
    config,
    sources,
    inputs: (body["inputs"] as JsonObject | undefined) ?? NOTHING,
    trace: received.trace,
    held: received.held,
    arrivedAt,
  });
}

/** The context sent, or `dev`. A simulated workflow refuses `prod`: invented data must not reach a decision (decision 14). */
export function contextOf({ caller, body }: ReceivedRun): Context {
  const context = ((body["config"] as JsonObject)["context"] as Context | undefined) ?? "dev";
  if (context === "prod" && caller.workflow.simulated) {
    throw invalid([{ path: "/config/context", message: "must not be prod: this workflow is simulated" }]);
  }
  return context;
}
