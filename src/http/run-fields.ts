import type { TSchema } from "typebox";
import { Type } from "../terms/schema/type.ts";
import { CONTEXTS, type Context } from "../terms/caller.ts";
import { ID_CHARS_MAX } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { invalid, SOURCES_PER_RUN_MAX } from "./parse-body.ts";
import type { ReceivedRun } from "./receive-run.ts";

/** The fields that the bodies and the answers of all runs have in common, and how they are read. */

const SourceEntry = Type.Unsafe({
  description: "`true`, or an object that can have credentials. Unknown fields are kept and echoed.",
  if: { type: "object" },
  then: {
    properties: {
      credentials: {
        type: "object",
        description: "Credential fields. If there is at least one, they are the whole credential.",
        additionalProperties: true,
      },
      cred_id: { type: "string", description: "Id of a stored credential (`cred_` prefix)." },
    },
  },
  else: { const: true, "x-says": "must be true or an object" },
});

export const Sources = Type.Unsafe({
  type: "object",
  description: "Map of source identifiers (`<vendor>__<source_name>`) to source configurations.",
  maxProperties: SOURCES_PER_RUN_MAX,
  propertyNames: { maxLength: ID_CHARS_MAX },
  additionalProperties: SourceEntry,
});

const Context = Type.Unsafe({
  enum: [...CONTEXTS],
  description: "What the run is for; `dev` if it is not sent. It limits which stored credentials may be used.",
});

/** An object whose fields are not part of the contract: a source, for example, declares them. */
export function anyObject(description: string) {
  return Type.Unsafe({ type: "object", description, additionalProperties: true });
}

/** An object with one entry for each identifier. */
export function mapOf(entry: object, description: string) {
  return Type.Unsafe({ type: "object", description, additionalProperties: entry });
}

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
  inputs: Type.Optional(anyObject("One flat object of input fields for all sources; `{}` if it is not sent.")),
};

/** Fields of the `config` of every body. */
export const CONFIG_FIELDS = { context: Type.Optional(Context), sources: Type.Optional(Sources) };

/** New fields can be added without a new version, so no response schema closes its objects (decision 0119). */
export const Milliseconds = Type.Integer({ minimum: 0, description: "Milliseconds, measured with a monotonic clock." });
export const TransactionId = Type.String({ pattern: "^trx_", description: "Opaque identifier of the run." });
const Mode = Type.Literal("simulated", {
  description: "Only in answers of simulated workflows: the data is invented.",
});
/** The `config` of every answer: the one that was sent, with defaults and `more` fields. */
export function answeredConfig(more: Readonly<Record<string, TSchema>> = {}) {
  const context = Type.String({ description: "`prod`, `test` or `dev`; `dev` if none was sent." });
  return Type.Object(
    { context, mode: Type.Optional(Mode), ...more },
    { description: "The validated configuration with defaults applied.", additionalProperties: true },
  );
}

const NOTHING: JsonObject = Object.freeze({});

/** Reads the fields that the requests of all runs have in common. @throws Fault `request.invalid` */
export function readRunFields(received: ReceivedRun) {
  const { caller, body, clientRequestId, trace, memory } = received;
  const config = body["config"] as JsonObject;
  return {
    caller,
    context: contextOf(received, config),
    config,
    sources: (config["sources"] as JsonObject | undefined) ?? NOTHING,
    inputs: (body["inputs"] as JsonObject | undefined) ?? NOTHING,
    clientRequestId,
    trace,
    memory,
  };
}

/**
 * The context sent, or `dev`. A simulated workflow refuses `prod`: invented data must not decide anything (decision
 * 0014).
 */
function contextOf({ caller }: ReceivedRun, config: JsonObject): Context {
  const context = (config["context"] as Context | undefined) ?? "dev";
  if (context === "prod" && caller.workflow.simulated) {
    throw invalid([{ path: "/config/context", message: "must not be prod: this workflow is simulated" }]);
  }
  return context;
}
