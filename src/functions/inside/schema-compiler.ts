import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { declaredNames } from "../../terms/schema/schema-names.ts";

/**
 * The source text of the module compiled from a schema, and the names that the schema declares; or the problem of the
 * schema.
 */
export type ContractCompilation =
  | { readonly code: string; readonly names: readonly string[] }
  | { readonly problem: string };

interface ContractSchemas {
  readonly inputs?: object;
  readonly output?: object;
}

const OPTIONS = { strict: false, ownProperties: true, logger: false } as const;
const NAMES_MAX = 200;
const NAME_CHARS_MAX = 64;
const standaloneCode = standalone.default;

function compile(schema: object | undefined): ContractCompilation | undefined {
  if (schema === undefined) return undefined;
  try {
    const language = new Ajv2020({ ...OPTIONS, addUsedSchema: false });
    addFormats.default(language);
    if (language.validateSchema(schema) !== true) {
      const wrong = (language.errors ?? []).map(({ instancePath, message }) => `data${instancePath} ${message}`);
      return { problem: `schema is invalid: ${wrong.join(", ")}` };
    }
    // A separate validator for each, because inputs and output may use the same `$id`.
    const ajv = new Ajv2020({ ...OPTIONS, allErrors: false, validateSchema: false, code: { source: true } });
    addFormats.default(ajv);
    return { code: standaloneCode(ajv, ajv.compile(schema)), names: namesOf(schema) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The declared names, at most as many as a person would write. */
function namesOf(schema: object): readonly string[] {
  return declaredNames(schema)
    .filter((name) => name.length <= NAME_CHARS_MAX)
    .slice(0, NAMES_MAX);
}

/**
 * Loaded like a function, into a separate isolate for each declaration: the author's schema determines how long
 * compiling takes, and its text becomes code.
 */
export default {
  run: ({ inputs: { inputs, output } }: { readonly inputs: ContractSchemas }) => ({
    inputs: compile(inputs),
    output: compile(output),
  }),
};
