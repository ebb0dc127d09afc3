import { isJsonObject, type Json } from "../../../terms/json/json.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import type { Encoding } from "./encodings.ts";
import { isAbsent } from "./filters.ts";
import {
  encodeValue,
  evaluate,
  fill,
  isOneExpression,
  parseTemplate,
  TOO_LONG,
  valueProblem,
  type KnownNames,
  type TemplateValues,
} from "./template.ts";

/** Makes a part of a document from values; `undefined`: the part is omitted. @throws Fault */
export type MakeJson = (values: TemplateValues) => Json | undefined;

/** How values are written into a document. */
export interface DocumentEncoding extends Encoding {
  /** Whether a template's value may be an object. False where the names of its members would become markup. */
  readonly takesObjects: boolean;
}

/**
 * Compiles a document of JSON values with templates in its texts. A text that is a single template keeps the type of
 * its value. A member whose value is absent is omitted, and so is a list or object that becomes empty for that reason.
 * @throws DeclarationError
 */
export function compileJson(
  written: unknown,
  encoding: DocumentEncoding,
  known: KnownNames,
  place: DocumentLocation,
): MakeJson {
  if (typeof written === "string") return compileText(written, encoding, known, place);
  if (Array.isArray(written)) {
    const entries = written.map((entry, index) => compileJson(entry, encoding, known, place.in(index)));
    return (values) => {
      const made = entries.map((make) => make(values)).filter((entry) => entry !== undefined);
      return made.length === 0 && entries.length > 0 ? undefined : made;
    };
  }
  if (typeof written === "object" && written !== null) {
    const members = Object.entries(written).map(([name, value]) => {
      const there = place.in(name);
      if (name.includes("{{"))
        there.refuseKey("template.misplaced", "the name of a member must not contain a template");
      return [name, compileJson(value, encoding, known, there)] as const;
    });
    return (values) => {
      const made: [string, Json][] = [];
      for (const [name, make] of members) {
        const value = make(values);
        if (value !== undefined) made.push([name, value]);
      }
      return made.length === 0 && members.length > 0 ? undefined : Object.fromEntries(made);
    };
  }
  return () => written as Json;
}

function compileText(
  written: string,
  encoding: DocumentEncoding,
  known: KnownNames,
  place: DocumentLocation,
): MakeJson {
  const template = parseTemplate(written, known, place);
  if (template.every((part) => typeof part === "string")) {
    const text = template.join("");
    return () => text;
  }
  if (!isOneExpression(template)) return (values) => fill(template, values, encoding);
  const [expression] = template;
  return (values) => {
    const value = evaluate(expression, values);
    return value === undefined ? undefined : encodeLeaves(value);
  };

  function encodeLeaves(value: Json): Json {
    if (typeof value === "string") return encodeValue(expression!, value, encoding);
    if (Array.isArray(value)) return value.map((entry: Json) => encodeLeaves(entry));
    if (isJsonObject(value)) {
      if (!encoding.takesObjects) throw valueProblem(expression!, "must be a single value or a list of single values");
      const members = Object.entries(value);
      return Object.fromEntries(members.map(([name, member]) => [name, encodeLeaves(member)]));
    }
    return value;
  }
}

/**
 * Compiles a template for documents in which all values are text: its value must be a single value or a list of single
 * values.
 */
export function compileLeaf(
  written: string | number | boolean,
  encoding: Encoding,
  known: KnownNames,
  place: DocumentLocation,
) {
  const template = parseTemplate(written, known, place);
  if (!isOneExpression(template)) {
    return (values: TemplateValues): readonly string[] => {
      const filled = fill(template, values, encoding);
      return filled === undefined ? [] : [filled];
    };
  }
  const [expression] = template;
  return (values: TemplateValues): readonly string[] => {
    const value = evaluate(expression, values);
    if (isAbsent(value)) return [];
    if (!Array.isArray(value)) return [encodeValue(expression, value, encoding)];
    const written: string[] = [];
    let left = encoding.charactersMax ?? Infinity;
    for (const entry of value as readonly Json[]) {
      if (entry === null) continue;
      const text = encodeValue(expression, entry, encoding);
      // Each entry becomes a separate parameter, with its separator.
      if ((left -= text.length + 1) < 0) throw valueProblem(expression, TOO_LONG);
      written.push(text);
    }
    return written;
  };
}
