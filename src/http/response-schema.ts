import { Type } from "typebox";
import { FAULTS } from "../terms/fault.ts";

/** New fields can be added without a new version, so no response schema closes its objects. */
const Milliseconds = Type.Integer({ minimum: 0, description: "Milliseconds, on a monotonic clock." });
const TransactionId = Type.String({ pattern: "^trx_", description: "Opaque identifier of the run." });
const Mode = Type.Literal("simulated", { description: "Only on answers of simulated workflows: invented data." });
const CONFIG = {
  context: Type.String({ description: "`prod`, `test` or `dev`; `dev` when none was sent." }),
  mode: Type.Optional(Mode),
};
const AnyObject = Type.Object({});

export const SourceStatus = Type.Object(
  {
    success: Type.Boolean({ description: "Whether the source completed." }),
    message: Type.String({ description: "Outcome text; not to be parsed." }),
    match: Type.Boolean({ description: "Whether the vendor found a record." }),
    response_time_ms: Milliseconds,
    failure: Type.Optional(
      Type.Object(
        {
          kind: Type.String({ description: "Class of the failure, as docs/errors.md lists them." }),
          retryable: Type.Boolean({ description: "Whether asking this source again may help; it can be billable." }),
          charged: Type.Union([Type.Literal("yes"), Type.Literal("no"), Type.Literal("unknown")], {
            description: "Whether the vendor has probably charged for the failed call.",
          }),
        },
        { description: "On failed entries of a workflow that opted in to failure_details." },
      ),
    ),
  },
  { title: "Source status" },
);

export const DataResponse = Type.Object(
  {
    transaction_id: TransactionId,
    config: Type.Object(CONFIG, { description: "The validated configuration with defaults applied." }),
    outputs: Type.Record(Type.String(), AnyObject, {
      description: "One entry per requested source; `{}` after a failure.",
    }),
    status: Type.Record(Type.String(), SourceStatus, { description: "Same keys as `outputs`. Read it first." }),
    response_time_ms: Milliseconds,
  },
  { title: "Data run response" },
);

export const FunctionStatus = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String({ description: "Outcome text; not to be parsed." }),
    response_time_ms: Milliseconds,
  },
  { title: "Function status" },
);

/** Standard mode; `outputs` and `status` have one entry, or none when no function was named. */
export const FuncResponse = Type.Object(
  {
    transaction_id: TransactionId,
    config: Type.Object(
      {
        ...CONFIG,
        organization_tuid: Type.String({
          pattern: "^org_",
          description: "From the token; it overwrites any value that was sent.",
        }),
      },
      { description: "The validated configuration with defaults applied." },
    ),
    outputs: Type.Record(
      Type.String(),
      Type.Object({
        output: Type.Object({}, { description: "What the function answers." }),
        pipes: Type.Object({}, { description: "What its named steps came to." }),
      }),
      { description: "One entry, under the function's identifier; none when no function was named." },
    ),
    status: Type.Record(Type.String(), FunctionStatus, {
      description: "Same keys as `outputs`. Empty means that no function ran.",
    }),
    response_time_ms: Milliseconds,
  },
  { title: "Function run response, standard mode" },
);

export const PassthroughResponse = Type.Object(
  { response_time_ms: Milliseconds },
  {
    title: "Function run response, passthrough mode",
    description:
      'The function\'s own fields at the top level. Of a simulated workflow it has `"mode": "simulated"` besides: invented data. A function\'s own `mode` gives way to it.',
  },
);

export const StatusResponse = Type.Object(
  {
    status: Type.Literal("OK"),
    git_sha: Type.String({ pattern: "^([0-9a-f]{40}|unknown)$", description: "Deployed commit." }),
    git_derived_version: Type.String({ description: "Version derived from that commit." }),
  },
  { title: "Status" },
);

const errorCodes = [
  ...new Set(Object.values(FAULTS).flatMap(({ surface, kind }) => (surface === "request" ? [kind] : []))),
];

export const ErrorResponse = Type.Object(
  {
    error: Type.Object({
      code: Type.Unsafe<string>({ type: "string", enum: errorCodes }),
      message: Type.String(),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: "JSON pointer into the request body." }),
            message: Type.String(),
          }),
        ),
      ),
    }),
  },
  { title: "Error", description: "Never repeats a value that was sent." },
);
