import { inPathSegment } from "./encodings.ts";
import { isAbsent } from "./filters.ts";
import { isDeclaredOrigin } from "../../../terms/http/origins.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import {
  absentOrigin,
  encodeValue,
  evaluate,
  parseTemplate,
  valueProblem,
  type Expression,
  type KnownNames,
  type Template,
  type TemplateValues,
} from "./template.ts";

/** An address whose origin and number of path segments do not depend on values. */
export interface UrlTemplate {
  readonly origin: string;
  readonly host: string;
  /** The path as it is sent. @throws Fault that names the field whose value cannot be used in it */
  path(values: TemplateValues): string;
}

/** How many times a vendor's servers might decode a path before they use it. */
const DECODINGS = 4;

/** @throws DeclarationError */
export function compileUrl(
  written: string,
  origins: readonly string[],
  known: KnownNames,
  place: DocumentLocation,
): UrlTemplate {
  const template = parseTemplate(written, known, place);
  const [head] = template;
  const found = typeof head === "string" ? /^(https?:\/\/[^/?#@\s\\]+)(\/.*)?$/s.exec(head) : null;
  if (found === null || (found[2] === undefined && template.length > 1)) {
    return place.refuse(
      "url.invalid",
      "scheme and host must be written out in the file",
      "templates may only follow the host's slash",
    );
  }
  const origin = originOf(found[1] ?? "", place);
  if (!isDeclaredOrigin(origin, origins)) {
    place.refuse(
      "url.origin",
      `${origin} is not among the origins`,
      "every origin that a request goes to is declared in origins",
    );
  }
  const segments = splitSegments([found[2] ?? "/", ...template.slice(1)], place);
  return {
    origin,
    host: new URL(origin).host,
    path: (values) => segments.map((segment) => `/${renderSegment(segment, values)}`).join(""),
  };
}

function originOf(text: string, place: DocumentLocation): string {
  try {
    return new URL(text).origin;
  } catch {
    return place.refuse("url.invalid", "this is not an address");
  }
}

function splitSegments(template: Template, place: DocumentLocation): Template[] {
  const segments: (string | Expression)[][] = [];
  for (const part of template) {
    if (typeof part !== "string") {
      segments.at(-1)?.push(part);
      continue;
    }
    if (/[?#]/.test(part))
      place.refuse("url.invalid", "an address here ends with its path", "put parameters under query");
    const [first = "", ...further] = part.split("/");
    if (first !== "") segments.at(-1)?.push(first);
    for (const piece of further) segments.push(piece === "" ? [] : [piece]);
  }
  for (const [index, segment] of segments.entries()) {
    const fixed = segment.every((part) => typeof part === "string") ? segment.join("") : null;
    const last = index === segments.length - 1;
    if (fixed === "." || fixed === ".." || (fixed === "" && !last)) {
      place.refuse("url.invalid", "a path has no empty segments and no dots");
    }
    for (const part of segment) {
      if (typeof part === "string" && new URL(`http://host/${part}`).pathname !== `/${part}` && !/^\.+$/.test(part)) {
        place.refuse(
          "url.invalid",
          "write the fixed part of a path exactly as it is to be sent",
          "encode spaces and the like",
        );
      }
    }
  }
  return segments;
}

function renderSegment(segment: Template, values: TemplateValues): string {
  let filled = "";
  let last: Expression | undefined;
  for (const part of segment) {
    if (typeof part === "string") {
      filled += part;
      continue;
    }
    const value = evaluate(part, values);
    if (isAbsent(value)) throw valueProblem(absentOrigin([part], values), "is needed");
    filled += encodeValue(part, value, inPathSegment);
    last = part;
  }
  if (last !== undefined && !isOneSegment(filled)) throw valueProblem(last, "cannot be used in a path");
  return filled;
}

/**
 * Whether a filled segment is one segment even if a server decodes it repeatedly: neither empty nor only dots, without
 * separators.
 */
function isOneSegment(filled: string): boolean {
  let text = filled;
  for (let round = 0; round < DECODINGS; round += 1) {
    if (text === "" || text === "." || text === ".." || /[/\\]/.test(text)) return false;
    const decoded = decode(text);
    if (decoded === text) return true;
    text = decoded;
  }
  return !/[%/\\]/.test(text);
}

function decode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
