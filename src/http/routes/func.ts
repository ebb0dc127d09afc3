import { Type } from "../../terms/schema/type.ts";
import { ID_CHARS_MAX } from "../../terms/ids.ts";
import type { Json } from "../../terms/json/json.ts";
import { FUNC_EXAMPLES } from "../examples.ts";
import { FunctionFailureKind, functionFailure } from "../failure-schema.ts";
import type { RunRoute } from "../route.ts";
import {
  answeredConfig,
  anyObject,
  CONFIG_FIELDS,
  mapOf,
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
        Type.Boolean({
          description:
            "`true` returns the function's own fields at the top level (`PassthroughResponse`). Otherwise the answer is a `FuncResponse`.",
        }),
      ),
    }),
  },
  {
    title: "Function run request",
    description: "Fields that are not listed here are passed to the function.",
    additionalProperties: true,
  },
);

const FunctionStatus = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String({ description: "Outcome text; not to be parsed." }),
    response_time_ms: Milliseconds,
    failure: Type.Optional(functionFailure),
  },
  { title: "Function status" },
);

/** Standard mode; `outputs` and `status` have one entry, or none when no function was named. */
const FuncResponse = Type.Object(
  {
    transaction_id: TransactionId,
    config: answeredConfig({
      organization_tuid: Type.String({
        pattern: "^org_",
        description: "Taken from the token. It overwrites any value that was sent.",
      }),
    }),
    outputs: mapOf(
      Type.Object({
        output: anyObject("The result of the function."),
        pipes: anyObject("The results of its named steps."),
      }),
      "One entry, under the function's identifier; none if no function was named.",
    ),
    status: mapOf(FunctionStatus, "Same keys as `outputs`. Empty means that no function ran."),
    response_time_ms: Milliseconds,
  },
  { title: "Function run response, standard mode" },
);

const PassthroughResponse = Type.Object(
  { response_time_ms: Milliseconds },
  {
    title: "Function run response, passthrough mode",
    description:
      'The function\'s own fields at the top level. For a simulated workflow, `"mode": "simulated"` is added, because the data is invented; it replaces a `mode` of the function.',
    additionalProperties: true,
  },
);

/** The fields that have a meaning to the endpoint; all others are passed on as `extra`. */
const KNOWN = new Set(["access_token", "workflow", "config", "inputs"]);

export const funcRoute: RunRoute = {
  method: "POST",
  path: "/func",
  operationId: "runFunction",
  summary: "Run one data function",
  description:
    "The answer is 200 even if the function fails: read `status`, or in passthrough mode the function's own fields. The request decides which of the two bodies is sent.",
  body: { name: "FuncRequest", schema: FuncRequest },
  parts: { FunctionFailureKind },
  examples: FUNC_EXAMPLES,
  answers: {
    description:
      "The function ended, or none was named. A `FuncResponse`, unless `config.datafunc_response_passthrough` is `true` and a function was named: then a `PassthroughResponse`.",
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
