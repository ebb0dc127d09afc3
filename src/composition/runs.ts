import type { Log } from "../operate/log.ts";
import { ownFields, ownWords, secretsOf } from "../operate/own-words.ts";
import { createAdmission, type Admission } from "../run/admission.ts";
import { callAdapter } from "../run/around/adapter.ts";
import { withBreaker } from "../run/around/breaker.ts";
import { compose } from "../run/around/compose.ts";
import { withCredential } from "../run/around/credential.ts";
import { withDeadline } from "../run/around/deadline.ts";
import { withInputs } from "../run/around/inputs.ts";
import { withSourceLimits } from "../run/around/limits.ts";
import { createDataRun, type DataRequest, type StartedRun } from "../run/data-run.ts";
import { createFunctionRun, type FunctionRequest } from "../run/function-run.ts";
import type { PlannedCall, RunObserver } from "../run/ports.ts";
import { withMadeUpCredential } from "../simulation/with-made-up-credential.ts";
import { createArgument } from "../sources/argument.ts";
import type { JsonObject } from "../terms/json.ts";
import type { ServiceParts } from "./service-parts.ts";

export interface Runs {
  readonly startData: (request: DataRequest) => StartedRun;
  readonly startFunction: (request: FunctionRequest) => StartedRun;
  readonly admission: Admission;
  /** Every call under way ends now. */
  endCalls(): void;
  openBreakers(): number;
}

/** The engines of both POSTs, over one stack of what happens around a call. */
export function createRuns(parts: ServiceParts, observers: readonly RunObserver[]): Runs {
  const { settings, clock, log } = parts;
  const admission = createAdmission({
    runsMax: settings.limits.runs,
    runsPerOrganizationMax: settings.limits.runsPerOrganization,
  });
  const breaker = withBreaker(clock);
  const deadline = withDeadline(clock);

  // What happens around one source call, outermost first.
  const runSource = compose(
    [withInputs, withMadeUpCredential(withCredential(parts.finder, clock)), breaker, withSourceLimits(clock), deadline],
    callAdapter(
      clock,
      createArgument({
        door: parts.door,
        simulatedDoor: parts.simulatedDoor,
        clock,
        log: (...said) => logOfSource(log, ...said),
      }),
    ),
  );
  const engine = {
    catalog: parts.sources,
    runSource,
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
        // The words of its errors may hold inputs: they are for its author, who has `datarun dev`.
        if (level === "debug" && !parts.tellsErrors) return;
        const fields = { event: "function_log", transaction_id: run.transactionId, function: functionId };
        log[level](fields, ownWords(message));
      },
    }),
    admission,
    endCalls: () => deadline.endAll(),
    openBreakers: () => breaker.openCount(),
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
    // Fields of the adapter's own come first: it must not say in another's name.
    {
      ...ownFields(fields, secrets),
      event: "source_log",
      transaction_id: call.run.transactionId,
      source: call.id,
    },
    ownWords(message, secrets),
  );
}
