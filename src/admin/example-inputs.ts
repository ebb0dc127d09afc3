import type { RunnableSource } from "../run/ports.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";

/**
 * Example inputs of a source: the examples of its schema or, if they are no valid call, the inputs of its first case
 * with a record. Empty if there is neither.
 */
export function exampleInputs(source: RunnableSource): JsonObject {
  const { declaration, inputNames } = source;
  const schemas = propertiesOf(declaration.inputs as JsonObject);
  const ofSchema = Object.fromEntries(
    inputNames.flatMap((name): [string, Json][] => {
      const examples = schemas[name]?.["examples"];
      return Array.isArray(examples) && examples.length > 0 ? [[name, examples[0] as Json]] : [];
    }),
  );
  const ofCases = (declaration.cases ?? [])
    .filter(({ expect }) => (expect as { readonly match?: unknown }).match === true)
    .map(({ inputs }) => ({ ...source.filter(inputs) }));
  const valid = [ofSchema, ...ofCases]
    .filter((inputs) => Object.keys(inputs).length > 0)
    .find((inputs) => source.inputProblem(source.filter(inputs)) === null);
  return valid ?? ofSchema;
}

/** The schema's properties. Its own take precedence over those of its branches. */
function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const found: Record<string, JsonObject> = {};
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  });
  for (const branch of branches) Object.assign(found, propertiesOf(branch));
  const { properties } = schema;
  if (isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) if (isJsonObject(property)) found[name] = property;
  return found;
}
