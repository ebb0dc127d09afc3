import type { Reply } from "../../sdk/http.ts";
import type { PathTypes } from "../../sources/proofs.ts";
import { isNumber } from "../../terms/json/exact-number.ts";
import { isJsonObject, readJsonExactly } from "../../terms/json/json.ts";
import { toUtf8 } from "../../terms/text/charset.ts";
import { readXml } from "../../terms/xml/read-xml.ts";

/** The most paths of a shape. */
const PATHS_MAX = 500;
/** An object with more members is a map, whose names are data. */
const NAMES_MAX = 100;
/** The name of a field as vendors write it. Long digits may be a number of somebody. */
const FIELD = /^(?=.{1,40}$)(?!.*\d{3})[@#$]?[a-z][a-z0-9]*(?:[_.:-]?[A-Za-z0-9]+)*$/;

/**
 * The paths and types of a document. The name of a member may be data, such as a person's name or an e-mail address. It
 * is kept if it is a word of the source's own file, or looks like the name of a field; all others are `*`.
 */
export function shapeOf(document: unknown, words: ReadonlySet<string>): PathTypes {
  const types = new Map<string, Set<string>>();
  const visit = (path: string, value: unknown): void => {
    const known = types.get(path);
    if (known === undefined && types.size >= PATHS_MAX) return;
    types.set(path, (known ?? new Set()).add(typeOf(value)));
    if (Array.isArray(value)) for (const item of value) visit(`${path}[]`, item);
    else if (isJsonObject(value) && !isNumber(value)) {
      const members = Object.entries(value);
      for (const [name, part] of members) {
        const isKept = words.has(name) || (members.length <= NAMES_MAX && FIELD.test(name));
        visit(`${path}${path === "" ? "" : "."}${isKept ? name : "*"}`, part);
      }
    }
  };
  visit("", document);
  return Object.fromEntries([...types].map(([path, each]) => [path, [...each].sort().join(" or ")]));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (isNumber(value)) return "number";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" ? "text" : typeof value;
}

/** The shape of a reply: of JSON and XML; of any other text only that it is a text. */
export function shapeOfReply(reply: Reply, words: ReadonlySet<string>): PathTypes {
  const bytes = reply.bytes();
  if (bytes.length === 0) return {};
  try {
    const text = toUtf8(bytes, reply.headers["content-type"]);
    return shapeOf(
      /^\s*</.test(text.toString("utf8")) ? readXml(text, []) : readJsonExactly(text.toString("utf8")),
      words,
    );
  } catch {
    return { "": "text" };
  }
}
