import { Type } from "../terms/type.ts";
import { CONTEXTS, type Context } from "../terms/caller.ts";
import { ID_CHARS_MAX } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json.ts";
import { invalid } from "./parse-body.ts";
import type { ReceivedRun } from "./receive-run.ts";

/** What the bodies and the answers of all runs have in common, and what is read from it. */

export const SOURCES_PER_RUN_MAX = 100;

const SourceEntry = Type.Unsafe({
  description: "`true`, or an object that can carry credentials. Unknown fields are kept and echoed.",
  if: { type: "object" },
  then: {
    properties: {
      credentials: {
        type: "object",
        description: "Credential fields; when there is at least one, they are the whole credential.",
      },
      cred_id: { type: "string", description: "Names a stored credential." },
    },
  },
  else: { const: true, "x-says": "must be true or an object" },
});

const Sources = Type.Unsafe({
  type: "object",
  description: "From source identifier (`<vendor>__<source_name>`) to source configuration.",
  maxProperties: SOURCES_PER_RUN_MAX,
  propertyNames: { maxLength: ID_CHARS_MAX },
  additionalProperties: SourceEntry,
});

const Context = Type.Unsafe({
  enum: [...CONTEXTS],
  default: "dev",
  description: "What the run is for; limits which stored credentials may be used.",
});

/** Fields of every body. */
export const REQUEST_FIELDS = {
  access_token: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      "x-says": "must be a string or null",
      description: "Read when no header carries a token.",
    }),
  ),
  workflow: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      "x-says": "must be a string or null",
      description: "Read when no header carries a workflow (`wfl_` prefix).",
    }),
  ),
  inputs: Type.Optional(
    Type.Unsafe({ type: "object", description: "One flat object of input fields for all sources." }),
  ),
};

/** Fields of the `config` of every body. */
export const CONFIG_FIELDS = { context: Type.Optional(Context), sources: Type.Optional(Sources) };

/** New fields can be added without a new version, so no response schema closes its objects. */
export const Milliseconds = Type.Integer({ minimum: 0, description: "Milliseconds, on a monotonic clock." });
export const TransactionId = Type.String({ pattern: "^trx_", description: "Opaque identifier of the run." });
const Mode = Type.Literal("simulated", { description: "Only on answers of simulated workflows: invented data." });
/** Fields of the `config` of every answer. */
export const ANSWERED_CONFIG_FIELDS = {
  context: Type.String({ description: "`prod`, `test` or `dev`; `dev` when none was sent." }),
  mode: Type.Optional(Mode),
};

const NOTHING: JsonObject = Object.freeze({});

/** What a run is asked with, whichever it is. @throws Fault `request.invalid` */
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

/** The context sent, or `dev`. A simulated workflow refuses `prod`: invented data must not reach a decision (decision 0014). */
function contextOf({ caller }: ReceivedRun, config: JsonObject): Context {
  const context = (config["context"] as Context | undefined) ?? "dev";
  if (context === "prod" && caller.workflow.simulated) {
    throw invalid([{ path: "/config/context", message: "must not be prod: this workflow is simulated" }]);
  }
  return context;
}
