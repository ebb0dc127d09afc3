import type { Log } from "../operate/log.ts";
import { ownFields, ownWords, secretsOf } from "../operate/own-words.ts";
import { createAdmission, type Admission } from "../run/admission.ts";
import { createDataRun } from "../run/data-run.ts";
import { createFunctionRun, type FunctionRequest } from "../run/function-run.ts";
import type { PlannedCall, RunObserver } from "../run/ports.ts";
import type { RunRequest, StartedRun } from "../run/under-way.ts";
import type { JsonObject } from "../terms/json.ts";
import { composeAroundCalls, type AroundCalls } from "./around-calls.ts";
import type { ServiceParts } from "./service-parts.ts";

export interface Runs extends Pick<AroundCalls, "endWaitsForOrders" | "endCalls" | "openBreakers" | "watchCalls"> {
  readonly startData: (request: RunRequest) => StartedRun;
  readonly startFunction: (request: FunctionRequest) => StartedRun;
  readonly admission: Admission;
}

/** The engines of both POSTs, with what happens around each call. */
export function createRuns(parts: ServiceParts, observers: readonly RunObserver[]): Runs {
  const { settings, clock, log } = parts;
  const admission = createAdmission({
    runsMax: settings.limits.runs,
    runsPerOrganizationMax: settings.limits.runsPerOrganization,
  });
  const { finder, door, simulatedDoor, leaseOf, budgets } = parts;
  const around = composeAroundCalls({
    finder,
    door,
    simulatedDoor,
    leaseOf,
    budgets,
    clock,
    log: (...said) => logOfSource(log, ...said),
  });
  const engine = {
    catalog: parts.sources,
    runSource: around.runSource,
    ledger: parts.ledger,
    observers,
    admission,
    clock,
    region: settings.region,
  };
  return {
    startData: createDataRun(engine),
    startFunction: createFunctionRun({
      ...engine,
      functions: parts.functions,
      log: (run, functionId, level, message) => {
        // The text of a function's errors may contain inputs: it is for the author, who has `datarun dev`.
        if (level === "debug" && !parts.tellsErrors) return;
        const fields = { event: "function_log", transaction_id: run.intent.transactionId, function: functionId };
        log[level](fields, ownWords(message));
      },
    }),
    admission,
    endWaitsForOrders: () => around.endWaitsForOrders(),
    endCalls: () => around.endCalls(),
    openBreakers: () => around.openBreakers(),
    watchCalls: around.watchCalls,
  };
}

function logOfSource(
  log: Log,
  call: PlannedCall,
  level: "info" | "warn",
  message: string,
  fields: JsonObject | undefined,
): void {
  const secrets = secretsOf(call.credential?.fields.reveal() ?? {});
  log[level](
    // Fields from the adapter come first, so that they cannot overwrite ours.
    {
      ...ownFields(fields, secrets),
      event: "source_log",
      transaction_id: call.run.intent.transactionId,
      source: call.id,
    },
    ownWords(message, secrets),
  );
}
