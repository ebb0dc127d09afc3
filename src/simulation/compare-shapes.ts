import { isNumber } from "../terms/json/exact-number.ts";
import { isJsonObject } from "../terms/json/json.ts";

/**
 * The differences between two replies in structure, whatever their values: a field that only one of them has, or that has
 * different types. The items of a list are compared together.
 */
export function compareShapes(expected: unknown, found: unknown): readonly string[] {
  const [left, right] = [shapeOf(expected), shapeOf(found)];
  const says: string[] = [];
  for (const [path, types] of left) {
    const there = right.get(path);
    if (there === undefined) {
      if (right.has(parentOf(path)) || path === "") says.push(`${nameOf(path)} is in the case but not in the reply`);
    } else if (!sameTypes(types, there)) {
      says.push(
        `${nameOf(path)} is ${[...types].join(" or ")} in the case and ${[...there].join(" or ")} in the reply`,
      );
    }
  }
  for (const path of right.keys()) {
    if (!left.has(path) && left.has(parentOf(path))) says.push(`${nameOf(path)} is in the reply but not in the case`);
  }
  return says;
}

type ValueShape = Map<string, Set<string>>;

function shapeOf(value: unknown, path = "", shape: ValueShape = new Map()): ValueShape {
  const types = shape.get(path) ?? new Set<string>();
  shape.set(path, types.add(typeOf(value)));
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}/*`, shape);
  else if (isJsonObject(value))
    for (const [name, part] of Object.entries(value)) shapeOf(part, `${path}/${name}`, shape);
  return shape;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (isNumber(value)) return "a number";
  return Array.isArray(value) ? "a list" : `a${/^[aeiou]/.test(typeof value) ? "n" : ""} ${typeof value}`;
}

/** A null on either side does not determine the type of a field. */
function sameTypes(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const told = (types: ReadonlySet<string>) => [...types].filter((type) => type !== "null");
  return told(left).length === 0 || told(right).length === 0 || told(left).some((type) => right.has(type));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nameOf(path: string): string {
  return path === "" ? "the body" : path.slice(1).replaceAll("/", ".");
}
