import { listPaths, type SourceDeclaration } from "../sdk/source.ts";
import { isJsonObject, type Json } from "../terms/json/json.ts";
import { namesIn, readXml } from "../terms/xml/read-xml.ts";
import { asList } from "./as-list.ts";

/** A warning for each path of `reply.lists` that matches no element in the replies of the source's cases. */
export function unmatchedLists(declaration: SourceDeclaration): readonly string[] {
  const paths = declaration[listPaths] ?? [];
  if (paths.length === 0) return [];
  const replies = (declaration.cases ?? []).flatMap(({ reply }) => asList(reply).map(({ body }) => readReply(body)));
  const unmatched = paths.filter((path) => !replies.some((reply) => hasPath(reply, namesIn(path))));
  return unmatched.map((path) => {
    const shown = typeof path === "string" ? path : JSON.stringify(path);
    const dotted =
      typeof path === "string" ? replies.map((reply) => dottedPath(reply, path)).find((names) => names !== null) : null;
    const hint =
      dotted === undefined || dotted === null ? "" : `; write it as a list of names: ${JSON.stringify(dotted)}`;
    return `reply.lists: no reply of a case has an element ${shown}${hint}`;
  });
}

function readReply(body: unknown): Json {
  try {
    return typeof body === "string" ? readXml(Buffer.from(body), []) : null;
  } catch {
    return null;
  }
}

function hasPath(value: Json, names: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((entry: Json) => hasPath(entry, names));
  const [name, ...below] = names;
  if (name === undefined) return true;
  return isJsonObject(value) && Object.hasOwn(value, name) && hasPath(value[name]!, below);
}

/**
 * The names of the element that was probably meant, if dots in the path belong to names; `null` if there is no such
 * element.
 */
function dottedPath(value: Json, path: string): readonly string[] | null {
  if (Array.isArray(value)) {
    for (const entry of value as readonly Json[]) {
      const found = dottedPath(entry, path);
      if (found !== null) return found;
    }
  }
  if (!isJsonObject(value)) return null;
  for (const [name, member] of Object.entries(value)) {
    if (path === name) return [name];
    const below = path.startsWith(`${name}.`) ? dottedPath(member, path.slice(name.length + 1)) : null;
    if (below !== null) return [name, ...below];
  }
  return null;
}
