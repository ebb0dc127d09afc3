import { createHash } from "node:crypto";
import type { BodyFile } from "../format/exchange-format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { inDocument, inFileName, inHeader, isBase64 } from "./encodings.ts";
import { isAbsent } from "./filters.ts";
import { compileLeaf } from "./json-template.ts";
import { momentIn } from "./request-moment.ts";
import {
  absentOrigin,
  encodeValue,
  evaluate,
  fill,
  isOneExpression,
  parseTemplate,
  valueProblem,
  type KnownNames,
  type Template,
  type TemplateValues,
} from "./template.ts";

type PartFile = NonNullable<BodyFile["multipart"]>[string];

/** The header fields and the content of a part. A list repeats the part, and an absent value leaves it out. */
type MakePart = (values: TemplateValues) => readonly (readonly [head: string, content: string | Buffer])[];

/** A body of `multipart/form-data` (RFC 7578). @throws DeclarationError */
export function compileMultipart(
  parts: NonNullable<BodyFile["multipart"]>,
  known: KnownNames,
  place: DocumentLocation,
): { contentType(values: TemplateValues): string; render(values: TemplateValues): Buffer } {
  const made = Object.entries(parts).map(([name, written]) => {
    const there = place.in(name);
    if (name.includes("{{")) there.refuseKey("template.misplaced", "the name of a field must not contain a template");
    const shown = inFileName.encode(name) ?? there.refuseKey("request.body", "a name has no line breaks");
    return compilePart(`Content-Disposition: form-data; name="${shown}"`, written, known, there);
  });
  return {
    contentType: (values) => `multipart/form-data; boundary=${boundaryOf(values)}`,
    render(values) {
      const boundary = boundaryOf(values);
      const pieces = made.flatMap((make) =>
        make(values).flatMap(([head, content]) => [`--${boundary}\r\n${head}\r\n\r\n`, content, "\r\n"]),
      );
      return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
    },
  };
}

/**
 * The text between the parts, the same wherever one request needs it. It follows from the nonce of the request, which
 * nobody knows beforehand, and is not the nonce itself, which the body may contain.
 */
function boundaryOf(values: TemplateValues): string {
  const hash = createHash("sha256").update(`boundary ${momentIn(values).nonce}`);
  return `datarun-${hash.digest("hex").slice(0, 32)}`;
}

function compilePart(head: string, written: PartFile, known: KnownNames, place: DocumentLocation): MakePart {
  if (typeof written !== "object") {
    const make = compileLeaf(written, inDocument, known, place);
    return (values) => make(values).map((value) => [head, value]);
  }
  const content = parseTemplate(written.file, known, place.in("file"));
  if (!isOneExpression(content)) {
    return place.in("file").refuse("format.value", "a file is one template", "write file: '{{ inputs.document }}'");
  }
  const name = parseTemplate(written.name, known, place.in("name"));
  const type = parseTemplate(written.type, known, place.in("type"));
  return (values) => {
    const value = evaluate(content[0], values);
    if (isAbsent(value)) return [];
    const encoded = encodeValue(content[0], value, isBase64);
    const fileName = needed(name, values, inFileName);
    const fields = `${head}; filename="${fileName}"\r\nContent-Type: ${needed(type, values, inHeader)}`;
    return [[fields, Buffer.from(encoded, "base64")]];
  };
}

function needed(template: Template, values: TemplateValues, encoding: typeof inHeader): string {
  const text = fill(template, values, encoding);
  if (text !== undefined) return text;
  throw valueProblem(absentOrigin(template, values), "is needed with a file");
}
