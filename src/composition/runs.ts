import type { Log } from "../operate/log.ts";
import type { LogQuota } from "../operate/log-quota.ts";
import { redactFields, redactText, secretsOf } from "../operate/redact.ts";
import { createAdmission, type Admission } from "../run/admission.ts";
import { createDataRun } from "../run/data-run.ts";
import { createFunctionRun, type FunctionRequest } from "../run/function-run.ts";
import type { PlannedCall, RunObserver } from "../run/ports.ts";
import { createShadows } from "../run/shadow-run.ts";
import type { RunRequest, StartedRun } from "../run/active-run.ts";
import type { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { composeCalls, type ComposedCalls } from "./call-middleware.ts";
import type { ServiceParts } from "./service-parts.ts";

/** The part of a log line besides the author's text: time, level, event, ids. */
const LINE_BYTES = 200;

export interface Runs extends Omit<ComposedCalls, "runSource"> {
  readonly startData: (request: RunRequest) => StartedRun;
  readonly startFunction: (request: FunctionRequest) => StartedRun;
  readonly admission: Admission;
  stopShadows(): void;
}

/** The engines of both POSTs, with the middleware of calls. */
export function createRuns(
  parts: ServiceParts,
  observers: readonly RunObserver[],
  messages: LogQuota,
  budget: ByteBudget,
): Runs {
  const { settings, clock, log } = parts;
  const admission = createAdmission({
    runsMax: settings.limits.runs,
    runsPerOrganizationMax: settings.limits.runsPerOrganization,
  });
  const { runSource, ...calls } = composeCalls({
    finder: parts.finder,
    client: parts.vendorClient,
    simulatedClient: parts.simulatedClient,
    leaseOf: parts.leaseOf,
    budgets: parts.budgets,
    clock,
    log: (...said) => logOfSource(log, messages, ...said),
  });
  const engine = {
    catalog: parts.sources,
    versions: parts.versions,
    runSource,
    ledger: parts.ledger,
    observers,
    admission,
    clock,
    region: settings.region,
    startId: parts.startId,
    build: parts.build ?? null,
  };
  const { shadowResults: results, functions, versions } = parts;
  const shadows =
    results === undefined ? undefined : createShadows({ functions, versions, clock, results, memory: budget });
  return {
    startData: createDataRun(engine),
    startFunction: createFunctionRun({
      ...engine,
      functions,
      ...(shadows !== undefined && { shadows }),
      log: (run, functionId, level, message) => {
        // The text of a function's errors may contain inputs. It is logged only for authors, in `datarun dev`.
        if (level === "debug" && !parts.tellsErrors) return;
        const { transactionId, organizationId } = run.intent;
        const words = redactText(message);
        if (!messages.allows(organizationId, LINE_BYTES + words.length)) return;
        log[level]({ event: "function_log", transaction_id: transactionId, function: functionId }, words);
      },
    }),
    admission,
    stopShadows: () => shadows?.stop(),
    ...calls,
  };
}

function logOfSource(
  log: Log,
  messages: LogQuota,
  call: PlannedCall,
  level: "info" | "warn",
  message: string,
  fields: JsonObject | undefined,
): void {
  const secrets = secretsOf(call.credential?.fields.reveal() ?? {});
  const { transactionId, organizationId } = call.run.intent;
  const own = redactFields(fields, secrets);
  const words = redactText(message, secrets);
  const fieldsBytes = fields === undefined ? 0 : JSON.stringify(own).length;
  if (!messages.allows(organizationId, LINE_BYTES + words.length + fieldsBytes)) return;
  // The adapter's fields come first, so that they cannot overwrite the service's.
  log[level]({ ...own, event: "source_log", transaction_id: transactionId, source: call.id }, words);
}
