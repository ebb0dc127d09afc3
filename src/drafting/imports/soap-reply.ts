import type { Json, JsonObject } from "../../terms/json/json.ts";
import { exampleFor } from "../example-values.ts";
import type { Imported } from "./imported.ts";
import { EXAMPLE_TEXT } from "./openapi-schema.ts";
import { SOAP, type SoapVersion } from "./soap-versions.ts";
import type { XmlField } from "./xml-schema.ts";

/** A reply of this form, in the form in which rules see XML. An element that can repeat is a list. */
export function sampleOf({ content, isList }: XmlField, words: Set<string>): Json {
  const one = "fields" in content ? sampleOfFields(content.fields, words) : sampleText(content.schema, words);
  return isList ? [one] : one;
}

function sampleOfFields(fields: readonly XmlField[], words: Set<string>): Json {
  return fields.length === 0 ? "" : Object.fromEntries(fields.map((field) => [field.name, sampleOf(field, words)]));
}

function sampleText(schema: JsonObject, words: Set<string>): string {
  const allowed = Array.isArray(schema["enum"]) ? schema["enum"].map(String) : [];
  for (const word of allowed) words.add(word);
  const example = exampleFor(schema, [EXAMPLE_TEXT, ...allowed]);
  return typeof example === "string" ? example : (JSON.stringify(example) ?? EXAMPLE_TEXT);
}

/** The documentation of a member of the reply. All values of XML are texts. */
export function describedIn(output: XmlField, steps: readonly string[]): JsonObject | undefined {
  const [, , root, ...below] = steps;
  if (root !== output.name) return undefined;
  let field: XmlField | undefined = output;
  for (const step of below) {
    if (field === undefined || !("fields" in field.content)) return undefined;
    field = field.content.fields.find(({ name }) => name === step);
  }
  if (field === undefined) return undefined;
  const type = field.isList ? "array" : "fields" in field.content ? "object" : "string";
  return { type, ...(field.description === undefined ? {} : { description: field.description }) };
}

/** Faults as rows of `errors`: each declared one, those that blame the sender, and all others. */
export function errorsOf(faults: readonly XmlField[], version: SoapVersion, words: Set<string>): Imported["errors"] {
  const { code, detail, sender, fault } = SOAP[version];
  const at = "body.Envelope.Body.Fault";
  const nameOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
  const replyWith = (content: Json): Json => ({ Envelope: { Body: { Fault: fault(content) } } });
  return {
    rows: [
      ...faults.map(({ name }) => ({ when: { predicate: `${at}.${detail}.${nameOf(name)}` }, kind: "input" })),
      { when: { predicate: `ends_with(to_string(${at}.${code}), '${sender}')` }, kind: "input" },
      { when: { predicate: at }, kind: "vendor_5xx" },
    ],
    shown:
      faults.length === 0
        ? [{ name: "a fault", sample: replyWith("") }]
        : faults.map((one) => ({
            name: `the fault ${one.name}`,
            sample: replyWith({ [one.name]: sampleOf({ ...one, isList: false }, words) }),
          })),
  };
}
