import type { IncomingMessage } from "node:http";
import { Fault, type FieldProblem } from "../terms/fault.ts";
import {
  isJsonObject,
  JSON_LIMITS,
  JsonError,
  parseJson,
  type Json,
  type JsonObject,
  type JsonProblem,
} from "../terms/json/json.ts";
import { createAjv } from "../terms/schema/ajv.ts";
import { toProblem } from "../terms/schema/schema-problem.ts";

const JSON_MEDIA_TYPE = /^[\t ]*application\/json[\t ]*(?:;.*)?$/i;

const MESSAGES: Record<JsonProblem, string> = {
  encoding: "is not valid UTF-8",
  too_deep: "is nested too deeply",
  too_many_keys: "has an object with too many members",
  too_many_values: "holds too many values",
  syntax: "is not valid JSON",
  not_finite: "holds a number that is too large",
  no_room: "is larger than there is room for",
  not_exact: "holds too many numbers with more digits than are reckoned with",
};

export function invalid(problems: readonly FieldProblem[]): Fault {
  return new Fault("request.invalid", {}, { problems });
}

/**
 * Accepts `application/json` with any parameters, and a request without `Content-Type`. @throws Fault `request.invalid`
 */
export function checkMediaType(request: IncomingMessage): void {
  const type = request.headers["content-type"];
  if (type !== undefined && type !== "" && !JSON_MEDIA_TYPE.test(type))
    throw invalid([{ path: "", message: "must be sent as application/json" }]);
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw invalid([{ path: "", message: "must be sent without a content encoding" }]);
  }
}

/** Parses a body, which has to be one JSON object within the limits. @throws Fault `request.invalid` */
export function parseBody(bytes: Buffer): JsonObject {
  let value: Json;
  try {
    value = parseJson(bytes, JSON_LIMITS);
  } catch (error) {
    throw error instanceof JsonError ? invalid([{ path: "", message: MESSAGES[error.problem] }]) : error;
  }
  if (!isJsonObject(value)) throw invalid([{ path: "", message: "must be an object" }]);
  return value;
}

/** The most sources of one run. */
export const SOURCES_PER_RUN_MAX = 100;
const PROBLEMS_MAX = 10;

// `verbose` gives errors access to their schema, for its own message (`x-says`). The metaschema is not checked at a start,
// because the schemas are part of this code.
const ajv = createAjv({ allErrors: true, verbose: true, meta: false, validateSchema: false });

/** Checks a body without changing it. @throws Fault `request.invalid` naming every field that is wrong, never its value */
export type CheckBody = (body: JsonObject) => void;

/** Compiles a schema into a check of request bodies. Called once for each route. */
export function bodyCheckOf(schema: object): CheckBody {
  const validate = ajv.compile(schema);
  return (body) => {
    countSources(body);
    if (validate(body)) return;
    const seen = new Set<string>();
    const problems = (validate.errors ?? [])
      // An error in a branch of `anyOf` names one type; the error of `anyOf` itself names the types of all branches.
      .filter(({ keyword, schemaPath }) => keyword !== "if" && !(keyword === "type" && schemaPath.includes("/anyOf/")))
      .map(toProblem)
      .filter(({ path }) => !seen.has(path) && seen.add(path));
    throw invalid(problems.slice(0, PROBLEMS_MAX));
  };
}

/** Runs before the entries are validated, because an invalid entry costs a hundred times as much as a valid one. */
function countSources({ config }: JsonObject): void {
  const sources = isJsonObject(config) ? config["sources"] : undefined;
  if (!isJsonObject(sources) || Object.keys(sources).length <= SOURCES_PER_RUN_MAX) return;
  throw invalid([{ path: "/config/sources", message: `must have at most ${SOURCES_PER_RUN_MAX} fields` }]);
}
