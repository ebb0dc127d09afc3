/**
 * Paths of a reply as text: `company.officers[].name`. A list has one path for all its items, and members whose names are
 * not kept are `*`. The paths of a step begin with its name and a colon: `search:results[].id`. The path of the whole
 * document is the empty text, or the step's name and the colon.
 */

/** A member name that needs no quotes. */
const PLAIN = /^[\w@#$-]+$/;

export const OTHER_MEMBERS = "*";

export function memberPath(object: string, name: string): string {
  const written = name === OTHER_MEMBERS || PLAIN.test(name) ? name : `"${name}"`;
  return isDocument(object) ? object + written : `${object}.${written}`;
}

export function itemsPath(list: string): string {
  return `${list}[]`;
}

function isDocument(path: string): boolean {
  return path === "" || path.endsWith(":");
}

export interface PathSegment {
  readonly parent: string;
  /** The name of a member; `undefined` for the items of a list, and for `*`. */
  readonly name: string | undefined;
}

const LAST = /^(?<parent>.*?)(?:(?<items>\[\])|\.?(?:"(?<quoted>[^"]*)"|(?<plain>\*|[\w@#$-]+)))$/s;

/** The last segment of a path; `null` for the path of a document. */
export function segmentOf(path: string): PathSegment | null {
  const found = isDocument(path) ? null : LAST.exec(path);
  if (found === null) return null;
  const { parent = "", items, quoted, plain } = found.groups!;
  const name = items !== undefined || plain === OTHER_MEMBERS ? undefined : (quoted ?? plain);
  return { parent, name };
}

/** A path in a sentence. */
export function pathText(path: string): string {
  if (path === "") return "the document";
  return path.endsWith(":") ? `the document of step ${path.slice(0, -1)}` : path;
}
