import { Type } from "../terms/type.ts";
import { CONTEXTS, type Context } from "../terms/caller.ts";
import { ID_CHARS_MAX } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json.ts";
import { invalid } from "./parse-body.ts";
import type { ReceivedRun } from "./receive-run.ts";

/** What the bodies and the answers of all runs have in common, and how it is read. */

export const SOURCES_PER_RUN_MAX = 100;

const SourceEntry = Type.Unsafe({
  description: "`true`, or an object that can have credentials. Unknown fields are kept and echoed.",
  if: { type: "object" },
  then: {
    properties: {
      credentials: {
        type: "object",
        description: "Credential fields. If there is at least one, they are the whole credential.",
      },
      cred_id: { type: "string", description: "Id of a stored credential (`cred_` prefix)." },
    },
  },
  else: { const: true, "x-says": "must be true or an object" },
});

const Sources = Type.Unsafe({
  type: "object",
  description: "Map of source identifiers (`<vendor>__<source_name>`) to source configurations.",
  maxProperties: SOURCES_PER_RUN_MAX,
  propertyNames: { maxLength: ID_CHARS_MAX },
  additionalProperties: SourceEntry,
});

const Context = Type.Unsafe({
  enum: [...CONTEXTS],
  default: "dev",
  description: "What the run is for. It limits which stored credentials may be used.",
});

/** Fields of every body. */
export const REQUEST_FIELDS = {
  access_token: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      "x-says": "must be a string or null",
      description: "Read if no header has a token.",
    }),
  ),
  workflow: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      "x-says": "must be a string or null",
      description: "Read if no header has a workflow (`wfl_` prefix).",
    }),
  ),
  inputs: Type.Optional(
    Type.Unsafe({ type: "object", description: "One flat object of input fields for all sources." }),
  ),
};

/** Fields of the `config` of every body. */
export const CONFIG_FIELDS = { context: Type.Optional(Context), sources: Type.Optional(Sources) };

/** New fields can be added without a new version, so no response schema closes its objects. */
export const Milliseconds = Type.Integer({ minimum: 0, description: "Milliseconds, measured with a monotonic clock." });
export const TransactionId = Type.String({ pattern: "^trx_", description: "Opaque identifier of the run." });
const Mode = Type.Literal("simulated", {
  description: "Only in answers of simulated workflows: the data is invented.",
});
/** Fields of the `config` of every answer. */
export const ANSWERED_CONFIG_FIELDS = {
  context: Type.String({ description: "`prod`, `test` or `dev`; `dev` if none was sent." }),
  mode: Type.Optional(Mode),
};

const NOTHING: JsonObject = Object.freeze({});

/** Reads what the requests of all runs have in common. @throws Fault `request.invalid` */
export function readRunFields(received: ReceivedRun) {
  const { caller, body, trace, held } = received;
  const config = body["config"] as JsonObject;
  return {
    caller,
    context: contextOf(received, config),
    config,
    sources: (config["sources"] as JsonObject | undefined) ?? NOTHING,
    inputs: (body["inputs"] as JsonObject | undefined) ?? NOTHING,
    trace,
    held,
  };
}

/** The context sent, or `dev`. A simulated workflow refuses `prod`: nobody may decide on invented data (decision 0014). */
function contextOf({ caller }: ReceivedRun, config: JsonObject): Context {
  const context = (config["context"] as Context | undefined) ?? "dev";
  if (context === "prod" && caller.workflow.simulated) {
    throw invalid([{ path: "/config/context", message: "must not be prod: this workflow is simulated" }]);
  }
  return context;
}
