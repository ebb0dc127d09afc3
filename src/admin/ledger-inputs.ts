import type { Static } from "typebox";
import { Type } from "../terms/schema/type.ts";
import { DIGEST_CHARACTERS, SHORT_DIGEST } from "../terms/version.ts";
import { CALL_OUTCOMES } from "../ledger/journal/verdicts.ts";
import type { LedgerFilter } from "../ledger/read/ledger-filter.ts";
import { functionInput, givenOf, idInput, organizationInput, sourceInput, workflowInput } from "./shared-inputs.ts";
import { isDay, startOfDay, type TimeSpan } from "../terms/time/calendar.ts";
import type { Clock } from "../terms/time/clock.ts";
import { DAY_MS } from "../terms/time/durations.ts";
import { CLIENT_REQUEST_ID, CLIENT_REQUEST_ID_CHARS_MAX, TRACE_ID } from "../terms/ids.ts";
import { FAULTS } from "../terms/fault.ts";
import { OperatorError } from "../terms/operator-error.ts";

/** Inputs that several verbs of the ledger share. */

export const transactionInput = {
  ...idInput("a run", "trx_"),
  description: "Id of the run (trx_…), its transaction_id",
};

export function momentInput(description: string) {
  return Type.String({
    pattern: String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$`,
    description,
    "x-says": "must be a day, such as 2026-03-01, or a moment, such as 2026-03-01T12:00:00Z",
  });
}

function versionInput(kind: "function" | "source") {
  return Type.String({
    pattern: String.raw`^(\d{1,9}|[a-f0-9]{${SHORT_DIGEST},${DIGEST_CHARACTERS}})$`,
    description: `Runs ${kind === "function" ? "" : "with a call "}of this version of the ${kind}: its digest or, with --${kind}, its number or the first 6 or more characters of its digest`,
    "x-says": `must be the number of a version, or ${SHORT_DIGEST} to ${DIGEST_CHARACTERS} characters of its digest`,
  });
}

/** Kinds of failures of recorded calls. A call of an unknown source is not recorded. */
const FAILURES = [
  ...new Set(Object.values(FAULTS).flatMap(({ surface, kind }) => (surface === "source" ? [kind] : []))),
].filter((kind) => kind !== "unknown_source");

/** Selects runs; spread into a verb's input. */
export const filterInputs = {
  transaction: Type.Optional(transactionInput),
  from: Type.Optional(momentInput("Runs that started then or later; a day begins at midnight UTC")),
  to: Type.Optional(momentInput("Runs that started before then")),
  org: Type.Optional(organizationInput),
  workflow: Type.Optional(workflowInput),
  function: Type.Optional(functionInput),
  function_version: Type.Optional(versionInput("function")),
  build: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "Runs of this version of the deployment" }),
  ),
  client_request_id: Type.Optional(
    Type.String({
      pattern: CLIENT_REQUEST_ID.source,
      description: "Runs of requests that had this X-Request-Id of the caller",
      "x-says": `must be 1 to ${CLIENT_REQUEST_ID_CHARS_MAX} printable ASCII characters`,
    }),
  ),
  trace_id: Type.Optional(
    Type.String({
      pattern: TRACE_ID.source,
      description: "Runs of requests whose traceparent had this trace id",
      "x-says": "must be 32 hexadecimal digits in lower case",
    }),
  ),
  source: Type.Optional(sourceInput),
  source_version: Type.Optional(versionInput("source")),
  outcome: Type.Optional(
    Type.Enum([...CALL_OUTCOMES], {
      description: "Runs with a call that had this outcome; with --source, a call of that source",
    }),
  ),
  charged: Type.Optional(
    Type.Enum(["yes", "no", "unknown"], {
      description: "Runs with a request that has this charge; with --source or --outcome, in a call that they select",
    }),
  ),
  failure: Type.Optional(
    Type.Enum(FAILURES, {
      description: "Runs with a call that failed in this way; with --source, a call of that source",
    }),
  ),
  min_duration_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400_000,
      description:
        "Runs that took at least this many milliseconds; with --source, runs with such a call of that source",
    }),
  ),
};

const filterObject = Type.Object(filterInputs);

/** Without versions, which `toVersionFilter` finds. @throws OperatorError for a day that does not exist, or an empty interval */
export function toFilter(input: Static<typeof filterObject>): LedgerFilter {
  return {
    ...toSpan(input),
    ...givenOf({
      transactionId: input.transaction,
      organizationId: input.org,
      workflowId: input.workflow,
      functionId: input.function,
      build: input.build,
      clientRequestId: input.client_request_id,
      traceId: input.trace_id,
      source: input.source,
      outcome: input.outcome,
      charged: input.charged,
      failure: input.failure,
      tookMsMin: input.min_duration_ms,
    }),
  };
}

/** A day begins at midnight of the time zone. @throws OperatorError */
export function toMoment(text: string, timeZone = "UTC"): number {
  const wallAt = Date.parse(text);
  if (Number.isNaN(wallAt) || !isDay(text.slice(0, 10)))
    throw new OperatorError("invalid", "There is no such day or time.");
  return text.length === DAY_CHARACTERS ? startOfDay(text, timeZone) : wallAt;
}

const DAY_CHARACTERS = "2026-03-01".length;

/** Times as an operator gives them. */
interface MomentInputs {
  readonly from?: string;
  readonly to?: string;
}

interface LedgerSpan {
  readonly from?: number;
  readonly to?: number;
}

/** @throws OperatorError for a day that does not exist, or an empty interval */
export function toSpan({ from, to }: MomentInputs, timeZone?: string): LedgerSpan {
  return requireTime({
    ...(from !== undefined && { from: toMoment(from, timeZone) }),
    ...(to !== undefined && { to: toMoment(to, timeZone) }),
  });
}

/** The last 24 hours by default. @throws OperatorError for a day that does not exist, or an empty interval */
export function toRecentSpan({ from, to }: MomentInputs, clock: Clock, timeZone?: string): TimeSpan {
  const until = to === undefined ? clock.wall() + 1 : toMoment(to, timeZone);
  return requireTime({ from: from === undefined ? until - DAY_MS : toMoment(from, timeZone), to: until });
}

/** @throws OperatorError for an empty interval, whose result would look as if nothing had happened */
export function requireTime<Given extends LedgerSpan>(span: Given): Given {
  if (span.from !== undefined && span.to !== undefined && span.from >= span.to)
    throw new OperatorError("invalid", "--from must be before --to.");
  return span;
}

export function unknownRun(): OperatorError {
  return new OperatorError(
    "not_found",
    'There is no such run in this ledger. "datarun ledger list" shows those that exist.',
  );
}
