import { createRequire } from "node:module";
import type * as Xml from "fast-xml-parser";
import { decodeUtf8, type Json } from "../../terms/json.ts";

const require = createRequire(import.meta.url);

/** Thrown for a document that is not used; the sentence is ours and repeats nothing of it. */
export class XmlProblem extends Error {}

const DEPTH_MAX = 64;

/**
 * Reads XML as the JSON form that requests use too: `@name` attributes, `#text`, lists where an element repeats or is
 * named in `lists`. All values are text. Namespace prefixes are dropped. A document type, the only way to define
 * entities, is refused before the parser sees it; the five entities of XML itself and character references are read.
 */
export function compileXmlReader(lists: readonly string[]): (bytes: Buffer) => Json {
  // Loaded with the first source that reads XML: the others start without it.
  const { XMLParser, XMLValidator } = require("fast-xml-parser") as typeof Xml;
  const always = new Set(lists);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    processEntities: false,
    maxNestedTags: DEPTH_MAX,
    isArray: (_name, path) => always.has(String(path)),
  });
  return (bytes) => {
    const text = decode(bytes);
    if (/<!(?!--|\[CDATA\[)/.test(withoutCdata(text))) throw new XmlProblem("it has a document type");
    if (XMLValidator.validate(text, { allowBooleanAttributes: false }) !== true) throw new XmlProblem("it is not XML");
    try {
      return readEntities(parser.parse(text) as Json, 0);
    } catch (error) {
      throw error instanceof XmlProblem ? error : new XmlProblem("it is not XML", { cause: error });
    }
  };
}

function decode(bytes: Buffer): string {
  const declared = /^(?:\ufeff)?<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(
    bytes.toString("latin1", 0, 200),
  );
  const name = (declared?.[1] ?? "utf-8").toLowerCase();
  if (name === "iso-8859-1" || name === "latin1") return bytes.toString("latin1");
  if (name !== "utf-8" && name !== "us-ascii") throw new XmlProblem("it is in an encoding that is not read");
  try {
    return decodeUtf8(bytes);
  } catch {
    throw new XmlProblem("it is not UTF-8");
  }
}

function withoutCdata(text: string): string {
  return text.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, "");
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The parser leaves references alone, so that it has no table of entities that anybody could fill. */
function readEntities(value: Json, depth: number): Json {
  if (depth > DEPTH_MAX) throw new XmlProblem("it is too deep");
  if (typeof value === "string") {
    return value.replace(
      /&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([a-z]+));/g,
      (whole, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return NAMED[name] ?? whole;
        const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : "\ufffd";
      },
    );
  }
  if (Array.isArray(value)) return value.map((entry: Json) => readEntities(entry, depth + 1));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value as Readonly<Record<string, Json>>);
    return Object.fromEntries(members.map(([name, member]) => [name, readEntities(member, depth + 1)]));
  }
  return value;
}
