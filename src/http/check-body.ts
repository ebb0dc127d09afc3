import { createAjv } from "../terms/schema/ajv.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { toProblem } from "../terms/schema/schema-problem.ts";
import { invalid } from "./parse-body.ts";
import type { CheckBody } from "./receive-run.ts";
import { SOURCES_PER_RUN_MAX } from "./run-fields.ts";

const PROBLEMS_MAX = 10;

// `verbose` gives errors access to their schema, for its own message (`x-says`). The metaschema is not checked at a start,
// because the schemas are part of this code.
const ajv = createAjv({ allErrors: true, verbose: true, meta: false, validateSchema: false });

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
