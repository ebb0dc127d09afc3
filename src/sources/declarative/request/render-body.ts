import { digitsOf, isNumber } from "../../../terms/json/exact-number.ts";
import { isJsonObject, type Json } from "../../../terms/json/json.ts";
import { inDocument, inHeader, inPlainText, inXml } from "./encodings.ts";
import { escapeBytes } from "./escape-bytes.ts";
import { percentEncode } from "./percent-encode.ts";
import type { BodyFile } from "../format/exchange-format.ts";
import { compileJson, compileLeaf } from "./json-template.ts";
import { compileMultipart } from "./render-multipart.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { absentOrigin, fill, parseTemplate, valueProblem, type KnownNames, type TemplateValues } from "./template.ts";

/** A body and its media type. */
export interface BodyTemplate {
  contentType(values: TemplateValues): string;
  /** The text; bytes if the body may contain files. @throws Fault */
  render(values: TemplateValues): string | Buffer;
}

const KINDS = ["json", "form", "xml", "text", "multipart"] as const;

/** @throws DeclarationError */
export function compileBody(body: BodyFile, known: KnownNames, place: DocumentLocation): BodyTemplate {
  const given = KINDS.filter((kind) => Object.hasOwn(body, kind));
  if (given.length !== 1) {
    return place.refuse(
      "request.body",
      `a body is one of ${KINDS.join(", ")}`,
      `this one has ${given.join(" and ") || "none"}`,
    );
  }
  const made = compileKind(given[0]!, body, known, place.in(given[0]!));
  const { content_type: type } = body;
  if (type === undefined) return made;
  if (body.multipart !== undefined)
    place
      .in("content_type")
      .refuseKey("request.body", "the media type of a multipart body names its boundary", "remove it");
  if (inHeader.encode(type) === null)
    place.in("content_type").refuse("request.header", "a content type is one line of ASCII");
  return { ...made, contentType: () => type };
}

function compileKind(
  kind: (typeof KINDS)[number],
  body: BodyFile,
  known: KnownNames,
  place: DocumentLocation,
): BodyTemplate {
  if (kind === "json") {
    const make = compileJson(body.json, { ...inDocument, takesObjects: true }, known, place);
    return { contentType: () => "application/json", render: (values) => JSON.stringify(make(values) ?? {}) };
  }
  if (kind === "form") return compileForm(body.form ?? {}, known, place);
  if (kind === "xml") return compileXml(body.xml ?? {}, known, place);
  if (kind === "multipart") return compileMultipart(body.multipart ?? {}, known, place);
  const template = parseTemplate(body.text ?? "", known, place);
  return {
    contentType: () => "text/plain; charset=utf-8",
    render(values) {
      const text = fill(template, values, inPlainText);
      if (text !== undefined) return text;
      throw valueProblem(absentOrigin(template, values), "is needed");
    },
  };
}

function compileForm(form: NonNullable<BodyFile["form"]>, known: KnownNames, place: DocumentLocation): BodyTemplate {
  const fields = Object.entries(form).map(([name, written]) => {
    if (name.includes("{{"))
      place.in(name).refuseKey("template.misplaced", "the name of a field must not contain a template");
    return [percentEncode(name), compileLeaf(written, inDocument, known, place.in(name))] as const;
  });
  return {
    contentType: () => "application/x-www-form-urlencoded",
    render: (values) =>
      fields.flatMap(([name, make]) => make(values).map((value) => `${name}=${percentEncode(value)}`)).join("&"),
  };
}

function compileXml(xml: Readonly<Record<string, unknown>>, known: KnownNames, place: DocumentLocation): BodyTemplate {
  const [root, ...others] = Object.keys(xml);
  if (root === undefined || others.length > 0) place.refuse("request.body", "an XML body has one root element");
  assertNames(xml, place);
  const make = compileJson(xml[root!], { ...inXml, takesObjects: false }, known, place.in(root!));
  return { contentType: () => "text/xml; charset=utf-8", render: (values) => writeXml(root!, make(values) ?? "") };
}

function assertNames(content: unknown, place: DocumentLocation): void {
  if (Array.isArray(content)) content.forEach((entry, index) => assertNames(entry, place.in(index)));
  else if (typeof content === "object" && content !== null) {
    for (const [name, value] of Object.entries(content as Readonly<Record<string, Json>>)) {
      const there = place.in(name);
      const plain = name.startsWith("@") ? name.slice(1) : name;
      if (name !== "#text" && !XML_NAME.test(plain)) there.refuseKey("request.body", `"${name}" is not an XML name`);
      if ((name.startsWith("@") || name === "#text") && typeof value === "object" && value !== null) {
        there.refuse("request.body", "an attribute or a text is a single value");
      }
      assertNames(value, there);
    }
  }
}

/**
 * Elements are written as JSON members: `@name` is an attribute, `#text` is the text beside attributes, and a list
 * repeats its element.
 */
const XML_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*(?::[A-Za-z_][A-Za-z0-9_.-]*)?$/;

/**
 * Writes one root element. The caller has checked that names are XML names and that texts contain only characters that
 * XML allows.
 */
export function writeXml(root: string, content: Json): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${element(root, content)}`;
}

function element(name: string, content: Json): string {
  if (Array.isArray(content)) return content.map((entry: Json) => element(name, entry)).join("");
  if (!isJsonObject(content)) return `<${name}>${escapeXml(scalar(content))}</${name}>`;
  let attributes = "";
  let inside = "";
  for (const [key, value] of Object.entries(content)) {
    if (key === "#text") inside += escapeXml(scalar(value));
    else if (key.startsWith("@")) attributes += ` ${key.slice(1)}="${escapeXml(scalar(value))}"`;
    else inside += element(key, value);
  }
  return `<${name}${attributes}>${inside}</${name}>`;
}

function scalar(value: Json): string {
  if (isNumber(value)) return digitsOf(value);
  return value === null || typeof value === "object" ? "" : String(value);
}

const escapeXml = escapeBytes((byte) => (`&<>"'\t\r\n`.includes(String.fromCharCode(byte)) ? `&#${byte};` : undefined));
