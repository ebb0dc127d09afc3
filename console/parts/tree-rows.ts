/** One line of a tree: a value with the name under which it stands, and whether it is unfolded. */
export interface TreeRow {
  /** Names the line among all lines of the tree. */
  readonly path: string;
  /** From 1. */
  readonly level: number;
  /** Its place among the lines below the same one, from 1, and how many these are. */
  readonly position: number;
  readonly size: number;
  readonly name: string;
  readonly kind: "object" | "list" | "part" | "text" | "number" | "boolean" | "null";
  /** Of a value: as it is in JSON, or its beginning. Of a folded container: what it holds. */
  readonly text: string;
  /** `undefined` if there is nothing to unfold. */
  readonly isOpen: boolean | undefined;
  /** How many lines come when it is unfolded. */
  readonly holds: number;
}

/** Lists with more entries are shown in parts of this many, so that none makes the page slow. */
const PART_ENTRIES = 100;
/** Longer texts are folded. */
const TEXT_UNITS = 240;
/** So many lines of a value are unfolded at first; what is deeper or longer, one unfolds. */
const FIRST_ROWS = 40;

interface Child {
  readonly name: string;
  readonly value: unknown;
}

/** A part of a long list or object, which is unfolded by itself. */
class Part {
  readonly children: readonly Child[];
  constructor(children: readonly Child[]) {
    this.children = children;
  }
}

/**
 * The lines of a value, of which the containers in `open` are unfolded. A value at the top that is a container has no
 * line of its own: its members are the first level.
 */
export function treeRows(value: unknown, open: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  function add(children: readonly Child[], above: string, level: number): void {
    for (const [at, child] of children.entries()) {
      const path = `${above}/${child.name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const below = childrenOf(child.value);
      const isLong = typeof child.value === "string" && child.value.length > TEXT_UNITS;
      const isOpen = below.length > 0 || isLong ? open.has(path) : undefined;
      const { kind, text } = describe(child.value, isOpen === true);
      const place = { path, level, position: at + 1, size: children.length, name: child.name };
      rows.push({ ...place, kind, text, isOpen, holds: below.length });
      if (isOpen === true && below.length > 0) add(below, path, level + 1);
    }
  }
  const top = childrenOf(value);
  add(top.length > 0 ? top : [{ name: "", value }], "", 1);
  return rows;
}

/** What is unfolded at first: whole levels, as long as all of it stays short. */
export function firstOpen(value: unknown): ReadonlySet<string> {
  const open = new Set<string>();
  for (;;) {
    const rows = treeRows(value, open);
    const folded = rows.filter(({ isOpen, kind }) => isOpen === false && kind !== "text" && kind !== "part");
    const more = folded.reduce((sum, { holds }) => sum + holds, 0);
    if (folded.length === 0 || rows.length + more > FIRST_ROWS) return open;
    for (const { path } of folded) open.add(path);
  }
}

/** All that can be unfolded, from the top down, as far as that are not more than so many lines. */
export function allOpen(value: unknown, rowsMax: number): ReadonlySet<string> {
  const open = new Set<string>();
  for (;;) {
    const rows = treeRows(value, open);
    let lines = rows.length;
    const before = open.size;
    for (const { path, isOpen, holds } of rows) {
      if (isOpen !== false || lines + holds > rowsMax) continue;
      lines += holds;
      open.add(path);
    }
    if (open.size === before) return open;
  }
}

function childrenOf(value: unknown): readonly Child[] {
  if (value instanceof Part) return value.children;
  if (typeof value !== "object" || value === null) return [];
  const children = Object.entries(value).map(([name, member]) => ({ name, value: member as unknown }));
  if (children.length <= PART_ENTRIES) return children;
  const parts: Child[] = [];
  for (let from = 0; from < children.length; from += PART_ENTRIES) {
    const part = children.slice(from, from + PART_ENTRIES);
    parts.push({ name: `${from + 1} to ${from + part.length}`, value: new Part(part) });
  }
  return parts;
}

function describe(value: unknown, isOpen: boolean): Pick<TreeRow, "kind" | "text"> {
  if (value instanceof Part) return { kind: "part", text: "" };
  if (Array.isArray(value))
    return { kind: "list", text: value.length === 0 ? "[ ]" : count(value.length, "entry", "entries") };
  switch (typeof value) {
    case "object": {
      if (value === null) return { kind: "null", text: "null" };
      const names = Object.keys(value);
      return { kind: "object", text: names.length === 0 ? "{ }" : isOpen ? "" : shortList(names) };
    }
    case "string":
      return {
        kind: "text",
        text:
          isOpen || value.length <= TEXT_UNITS ? value : `${value.slice(0, TEXT_UNITS)}… (${value.length} characters)`,
      };
    case "number":
      return { kind: "number", text: String(value) };
    default:
      return { kind: "boolean", text: String(value) };
  }
}

function count(of: number, one: string, many: string): string {
  return `${of} ${of === 1 ? one : many}`;
}

/** The first names, so that one sees what is inside before one unfolds it. */
function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(", ");
  return names.length > 4 ? `${shown}, … (${names.length})` : shown;
}
