import { Type } from "../../terms/type.ts";
import { ID_CHARS_MAX } from "../../terms/ids.ts";
import type { Json } from "../../terms/json.ts";
import type { RunRoute } from "../route.ts";
import {
  ANSWERED_CONFIG_FIELDS,
  CONFIG_FIELDS,
  Milliseconds,
  readRunFields,
  REQUEST_FIELDS,
  TransactionId,
} from "../run-fields.ts";

const FuncRequest = Type.Object(
  {
    ...REQUEST_FIELDS,
    config: Type.Object({
      ...CONFIG_FIELDS,
      data_func: Type.Optional(
        Type.Union([Type.String({ maxLength: ID_CHARS_MAX }), Type.Null()], {
          "x-says": "must be a string or null",
          description: "One function identifier (`dfunc_` prefix).",
        }),
      ),
      datafunc_response_passthrough: Type.Optional(
        Type.Boolean({ default: false, description: "Returns the function's own fields at the top level." }),
      ),
    }),
  },
  { title: "Function run request" },
);

const FunctionStatus = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String({ description: "Outcome text; not to be parsed." }),
    response_time_ms: Milliseconds,
  },
  { title: "Function status" },
);

/** Standard mode; `outputs` and `status` have one entry, or none when no function was named. */
const FuncResponse = Type.Object(
  {
    transaction_id: TransactionId,
    config: Type.Object(
      {
        ...ANSWERED_CONFIG_FIELDS,
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

const PassthroughResponse = Type.Object(
  { response_time_ms: Milliseconds },
  {
    title: "Function run response, passthrough mode",
    description:
      'The function\'s own fields at the top level. Of a simulated workflow it has `"mode": "simulated"` besides: invented data. A function\'s own `mode` gives way to it.',
  },
);

/** The fields the endpoint gives a meaning; all others are handed on as `extra`. */
const KNOWN = new Set(["access_token", "workflow", "config", "inputs"]);

/** Runs one function. */
export const funcRoute: RunRoute = {
  method: "POST",
  path: "/func",
  operationId: "runFunction",
  summary: "Run one data function",
  description:
    "A function that failed is 200 as well: read `status`, or in passthrough mode the function's own fields.",
  body: { name: "FuncRequest", schema: FuncRequest },
  answers: {
    description: "The function ended, or none was named.",
    schemas: { FuncResponse, PassthroughResponse },
  },

  start(received, arrivedAt, { startFunction }) {
    const asked = readRunFields(received);
    const named = asked.config["data_func"] as string | null | undefined;
    return startFunction({
      ...asked,
      extra: Object.fromEntries<Json>(Object.entries(received.body).filter(([name]) => !KNOWN.has(name))),
      functionId: named === undefined || named === null || named === "" ? null : named,
      passthrough: asked.config["datafunc_response_passthrough"] === true,
      arrivedAt,
    });
  },
};
