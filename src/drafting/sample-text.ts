import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { SCHEMA_INSTANCE } from "../terms/xml/parse-xml.ts";
import { type ListPath, readXml } from "../terms/xml/read-xml.ts";
import { writeXml } from "../sources/declarative/request/render-body.ts";

/** Whether a sample is XML: no JSON text begins with `<`. */
export function isXmlText(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}

/** A sample in the form in which the rules of a file see an XML reply. @throws XmlProblem */
export function readXmlSample(text: string): JsonObject {
  return withoutNamespaces(readXml(Buffer.from(text), [])) as JsonObject;
}

/** Removes namespace declarations. The XML reader has dropped the prefixes already. */
function withoutNamespaces(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNamespaces);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "@xmlns" && !name.startsWith("@xmlns:"));
  // An element with only text becomes that text, as if it had no declaration.
  if (kept.length === 1 && kept[0]![0] === "#text") return kept[0]![1];
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNamespaces(member)]));
}

/** The text of such a sample, for a case. */
export function writeXmlSample(sample: Json): string {
  const [root, content] = Object.entries(sample as JsonObject)[0]!;
  return writeXml(root, withNil(content));
}

/** Marks an element whose value is `null` with `xsi:nil`. */
function withNil(value: Json): Json {
  if (value === null) return { "@xmlns:xsi": SCHEMA_INSTANCE, "@xsi:nil": "true" };
  if (Array.isArray(value)) return (value as readonly Json[]).map(withNil);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNil(member)]));
}

/** The elements that the sample repeats, as `reply.lists` names them. */
export function repeatedIn(value: Json, steps: readonly string[] = []): readonly ListPath[] {
  if (Array.isArray(value))
    return [
      steps.some((name) => name.includes(".")) ? steps : steps.join("."),
      ...(value as readonly Json[]).flatMap((each) => repeatedIn(each, steps)),
    ];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => repeatedIn(member, [...steps, name]));
}
