/** A page that the generator writes: where it lies, and the whole of it. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A Markdown table; cells may hold anything. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`).replaceAll(/\s*\n\s*/g, " ");
}

export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** JSON with short objects and lists on one line, as people write them. */
export function json(value: unknown): string {
  return print(JSON.parse(JSON.stringify(value)), "");
}

const WIDTH = 100;

function print(value: unknown, indent: string): string {
  const flat = flatten(value);
  if (typeof value !== "object" || value === null || indent.length + flat.length <= WIDTH) return flat;
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const parts = list
    ? value.map((part) => print(part, inner))
    : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${print(part, inner)}`);
  return `${list ? "[" : "{"}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${list ? "]" : "}"}`;
}

function flatten(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatten).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${flatten(part)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

export const GENERATED_MARK = "<!-- Written by tools/write-reference.ts";

/** Stands at the head of every generated page. */
export function generated(from: string): string {
  return `${GENERATED_MARK} from ${from}. Change that, then: npm run docs -->`;
}

export function page(path: string, ...blocks: readonly string[]): Page {
  return { path, text: `${blocks.filter((text) => text !== "").join("\n\n")}\n` };
}
