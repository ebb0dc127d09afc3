import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Place } from "./read-document.ts";

/** Compiles a schema that an author wrote; unknown keywords are annotations. @throws DeclarationError */
export function compileAuthorSchema(schema: object, place: Place): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false, validateFormats: true });
  addFormats.default(ajv);
  try {
    return ajv.compile(schema);
  } catch (error) {
    const reason = String((error as Error).message).replace(/\s+/g, " ");
    return place.refuseKey("schema.invalid", `this is no JSON Schema: ${reason}`);
  }
}

/** The property names of a schema through every branch that applies to the same object, as the input filter takes them. */
export function namesOfSchema(schema: unknown): readonly string[] {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const root = schema;
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null || seen.has(part)) return;
    seen.add(part);
    const node = part as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(asObject(node["properties"]))) names.add(name);
    for (const keyword of ["oneOf", "anyOf", "allOf"]) if (Array.isArray(node[keyword])) node[keyword].forEach(look);
    for (const keyword of ["if", "then", "else"]) look(node[keyword]);
    Object.values(asObject(node["dependentSchemas"])).forEach(look);
    if (typeof node["$ref"] === "string" && node["$ref"].startsWith("#")) look(resolve(root, node["$ref"]));
  };
  look(schema);
  return [...names];
}

function resolve(root: unknown, ref: string): unknown {
  let found: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    found = asObject(found)[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return found;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
