import { decodeUtf8, type Json } from "../json/json.ts";
import { parseXml, XML_VALUES_MAX, XmlProblem } from "./parse-xml.ts";

/** Limit for a document. Parsing takes a few milliseconds per megabyte and blocks all other requests meanwhile. */
export const XML_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The path of an element that is always a list, from the root element on: `a.b`, or `["a", "b"]` if a name contains a
 * dot.
 */
export type ListPath = string | readonly string[];

/**
 * Reads XML in UTF-8 into the same JSON form that requests use: `@name` for attributes, `#text` for text, lists for
 * elements that repeat or are named in `lists`. All values are texts, but an element with `xsi:nil` is `null`. Namespace
 * prefixes are dropped, except those that distinguish two attributes. XML's five entities and character references are
 * resolved; a document type declaration is refused.
 * @throws XmlProblem
 */
export function readXml(bytes: Buffer, lists: readonly ListPath[]): Json {
  if (bytes.length > XML_BYTES_MAX) throw new XmlProblem("it is too large for an XML reply");
  return parseXml(textOf(bytes), namesOf(lists));
}

/** The smallest size of a part in a document, and the most memory that a part takes besides its text. */
const PART_BYTES_MIN = 4;
const PART_BYTES_HELD = 48;

/** The most memory that the value of a document of this size takes. */
export function parsedXmlBytes(bytes: number): number {
  return bytes + Math.min(Math.ceil(bytes / PART_BYTES_MIN), XML_VALUES_MAX) * PART_BYTES_HELD;
}

export function namesIn(path: ListPath): readonly string[] {
  return typeof path === "string" ? path.split(".") : path;
}

function namesOf(lists: readonly ListPath[]): MutableListNames {
  const root = newNames();
  for (const path of lists) {
    let names = root;
    for (const name of namesIn(path)) {
      if (!names.below.has(name)) names.below.set(name, newNames());
      names = names.below.get(name)!;
    }
    names.isList = true;
  }
  return root;
}

interface MutableListNames {
  isList: boolean;
  readonly below: Map<string, MutableListNames>;
}

function newNames(): MutableListNames {
  return { isList: false, below: new Map() };
}

function textOf(bytes: Buffer): string {
  try {
    return decodeUtf8(withPlainLines(bytes));
  } catch (cause) {
    throw new XmlProblem("it is not UTF-8", { cause });
  }
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** Replaces XML's three line endings by line feeds (XML 1.0, 2.11). */
function withPlainLines(bytes: Buffer): Buffer {
  if (!bytes.includes(CARRIAGE_RETURN)) return bytes;
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte !== CARRIAGE_RETURN) plain[length++] = byte;
    else if (bytes[at + 1] !== LINE_FEED) plain[length++] = LINE_FEED;
  }
  return plain.subarray(0, length);
}
