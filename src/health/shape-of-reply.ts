import { isNumber } from "../terms/json/exact-number.ts";
import { isJsonObject } from "../terms/json/json.ts";
import type { MemberNames } from "./member-names.ts";
import type { SeenTypes, JsonType } from "./shape-counts.ts";
import { itemsPath } from "./shape-path.ts";

/** The most values that are looked at, level by level, so that a large reply loses its deepest ones. */
const VALUES_MAX = 5_000;
const DEPTH_MAX = 16;
/** The items of each list that are looked at. */
const ITEMS_MAX = 20;

/**
 * The paths of a document and their types: what a sampled reply adds to the counts. No value becomes part of it.
 * @param document the path of the document
 * @param call identifies the inputs of the call
 */
export function shapeOfReply(
  value: unknown,
  document: string,
  names: MemberNames,
  call: string,
): ReadonlyMap<string, SeenTypes> {
  const seen = new Map<string, SeenTypes>();
  let level: [path: string, value: unknown][] = [[document, value]];
  let left = VALUES_MAX;
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0 && left > 0; depth += 1) {
    const next: typeof level = [];
    for (const [path, part] of level.slice(0, left)) {
      const types = seen.get(path) ?? (names.admit(path) ? { types: new Set<JsonType>(), isMap: false } : undefined);
      if (types === undefined) continue;
      left -= 1;
      seen.set(path, types);
      types.types.add(typeOf(part));
      if (Array.isArray(part)) for (const item of part.slice(0, ITEMS_MAX)) next.push([itemsPath(path), item]);
      else if (isJsonObject(part)) {
        for (const name of Object.keys(part).slice(0, left))
          next.push([names.memberPath(path, name, call), part[name]]);
        types.isMap ||= names.isMap(path);
      }
    }
    level = next;
  }
  return seen;
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (isNumber(value)) return "number";
  if (Array.isArray(value)) return "list";
  const type = typeof value;
  return type === "boolean" || type === "string" ? type : "object";
}
