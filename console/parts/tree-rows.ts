/** One line of a tree: a value with its name, and whether it is expanded. */
export interface TreeRow {
  /** Identifies the line within the tree. */
  readonly path: string;
  /** Depth, from 1. */
  readonly level: number;
  /** Position among its siblings, from 1, and the number of siblings. */
  readonly position: number;
  readonly size: number;
  readonly name: string;
  readonly kind: "object" | "list" | "part" | "text" | "number" | "boolean" | "null";
  /** For a value: its JSON, perhaps shortened. For a collapsed container: a summary of its content. */
  readonly text: string;
  /** `undefined` if it cannot be expanded. */
  readonly isOpen: boolean | undefined;
  /** Number of lines that expanding adds. */
  readonly childCount: number;
}

/** Longer lists are split into parts of this many entries, so that the page stays fast. */
const CHUNK_ENTRIES = 100;
/** Longer texts are collapsed. In UTF-16 code units. */
const TEXT_UNITS = 240;
/** Number of lines that are expanded at first. */
const FIRST_ROWS = 40;

interface Child {
  readonly name: string;
  readonly value: unknown;
}

/** A part of a long list or object, which can be expanded by itself. */
class ListChunk {
  readonly children: readonly Child[];
  constructor(children: readonly Child[]) {
    this.children = children;
  }
}

/**
 * The lines of a value in which the containers in `open` are expanded. A container at the top has no line of its own:
 * its members are the first level.
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
      const row = { path, level, position: at + 1, size: children.length, name: child.name };
      rows.push({ ...row, kind, text, isOpen, childCount: below.length });
      if (isOpen === true && below.length > 0) add(below, path, level + 1);
    }
  }
  const top = childrenOf(value);
  add(top.length > 0 ? top : [{ name: "", value }], "", 1);
  return rows;
}

/** The paths to expand at first: complete levels, up to `FIRST_ROWS` lines. */
export function firstOpen(value: unknown): ReadonlySet<string> {
  const open = new Set<string>();
  for (;;) {
    const rows = treeRows(value, open);
    const folded = rows.filter(({ isOpen, kind }) => isOpen === false && kind !== "text" && kind !== "part");
    const more = folded.reduce((sum, { childCount: holds }) => sum + holds, 0);
    if (folded.length === 0 || rows.length + more > FIRST_ROWS) return open;
    for (const { path } of folded) open.add(path);
  }
}

/** The paths of all containers from the top down, up to `rowsMax` lines. */
export function allOpen(value: unknown, rowsMax: number): ReadonlySet<string> {
  const open = new Set<string>();
  for (;;) {
    const rows = treeRows(value, open);
    let lines = rows.length;
    const before = open.size;
    for (const { path, isOpen, childCount: holds } of rows) {
      if (isOpen !== false || lines + holds > rowsMax) continue;
      lines += holds;
      open.add(path);
    }
    if (open.size === before) return open;
  }
}

function childrenOf(value: unknown): readonly Child[] {
  if (value instanceof ListChunk) return value.children;
  if (typeof value !== "object" || value === null) return [];
  const children = Object.entries(value).map(([name, member]) => ({ name, value: member as unknown }));
  if (children.length <= CHUNK_ENTRIES) return children;
  const parts: Child[] = [];
  for (let from = 0; from < children.length; from += CHUNK_ENTRIES) {
    const part = children.slice(from, from + CHUNK_ENTRIES);
    parts.push({ name: `${from + 1} to ${from + part.length}`, value: new ListChunk(part) });
  }
  return parts;
}

function describe(value: unknown, isOpen: boolean): Pick<TreeRow, "kind" | "text"> {
  if (value instanceof ListChunk) return { kind: "part", text: "" };
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

/** The first names in a collapsed container, as a preview of its content. */
function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(", ");
  return names.length > 4 ? `${shown}, … (${names.length})` : shown;
}
