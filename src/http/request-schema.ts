import { Ajv2020 } from "ajv/dist/2020.js";
import { Type } from "typebox";
import { CONTEXTS } from "../terms/caller.ts";
import { isJsonObject, type JsonObject } from "../terms/json.ts";
import { toProblem } from "../terms/schema-problem.ts";
import { invalid } from "./read-body.ts";
import { ID_CHARS_MAX } from "../terms/ids.ts";

export const SOURCES_PER_RUN_MAX = 100;
const PROBLEMS_MAX = 10;

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

const common = {
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

/** The body of `POST /data`. A missing or empty `config.sources` is no schema error: the specification gives it its own answer. */
export const DataBody = Type.Object(
  { ...common, config: Type.Object({ context: Type.Optional(Context), sources: Type.Optional(Sources) }) },
  { title: "Data run request" },
);

/** The body of `POST /func`. */
export const FuncBody = Type.Object(
  {
    ...common,
    config: Type.Object({
      context: Type.Optional(Context),
      sources: Type.Optional(Sources),
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

/** Checks a body without changing it. @throws Fault `request.invalid` naming every field that is wrong, never its value */
export type CheckBody = (body: JsonObject) => void;

/** Before each of them is looked at: a wrong entry costs a hundred times a right one. */
function countSources({ config }: JsonObject): void {
  const sources = isJsonObject(config) ? config["sources"] : undefined;
  if (!isJsonObject(sources) || Object.keys(sources).length <= SOURCES_PER_RUN_MAX) return;
  throw invalid([{ path: "/config/sources", message: `must have at most ${SOURCES_PER_RUN_MAX} fields` }]);
}

export function createBodyChecks(): { readonly data: CheckBody; readonly func: CheckBody } {
  // No coercion, no removal, no defaults: `"true"` is not `true`. `verbose` is what lets a schema bring its own sentence.
  // The schemas are our own: holding them against the schema of schemas at every start would find nothing.
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    allErrors: true,
    verbose: true,
    logger: false,
    meta: false,
    validateSchema: false,
  });
  const check = (schema: object): CheckBody => {
    const validate = ajv.compile(schema);
    return (body) => {
      countSources(body);
      if (validate(body)) return;
      const seen = new Set<string>();
      const problems = (validate.errors ?? [])
        // The branch of a choice knows only the one type that it takes; what all of them take, the choice says itself.
        .filter(
          ({ keyword, schemaPath }) => keyword !== "if" && !(keyword === "type" && schemaPath.includes("/anyOf/")),
        )
        .map(toProblem)
        .filter(({ path }) => !seen.has(path) && seen.add(path));
      throw invalid(problems.slice(0, PROBLEMS_MAX));
    };
  };
  return { data: check(DataBody), func: check(FuncBody) };
}
