import { isJsonObject, type Json, type JsonObject } from "../../../terms/json.ts";
import { compileXmlReader } from "../reply/view-reply.ts";
import { writeXml } from "../request/render-body.ts";

/** Whether a sample is written in XML: no JSON begins with this sign. */
export function isXmlText(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}

/** A sample in the form in which the rules of a file see an XML reply. @throws XmlProblem */
export function readXmlSample(text: string): JsonObject {
  return withoutNamespaces(compileXmlReader([])(Buffer.from(text))) as JsonObject;
}

/** The declarations of namespaces, whose prefixes the reader drops. */
function withoutNamespaces(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNamespaces);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "@xmlns" && !name.startsWith("@xmlns:"));
  // An element of text alone is its text, as it would be without the declaration.
  if (kept.length === 1 && kept[0]![0] === "#text") return kept[0]![1];
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNamespaces(member)]));
}

/** The text of such a sample, for a case. */
export function writeXmlSample(sample: Json): string {
  const [root, content] = Object.entries(sample as JsonObject)[0]!;
  return writeXml(root, content);
}

/** The elements that the sample repeats, as `reply.lists` names them. */
export function repeatedIn(value: Json, steps: readonly string[] = []): readonly string[] {
  if (Array.isArray(value))
    return [steps.join("."), ...(value as readonly Json[]).flatMap((each) => repeatedIn(each, steps))];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => repeatedIn(member, [...steps, name]));
}
