/** A run of text within a line. */
type Span =
  | { readonly kind: "text" | "code" | "strong"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

export type Line = readonly Span[];

type Block =
  | { readonly kind: "paragraph"; readonly line: Line }
  | { readonly kind: "heading"; readonly line: Line }
  | { readonly kind: "list"; readonly items: readonly Line[] }
  | { readonly kind: "table"; readonly head: readonly Line[]; readonly rows: readonly (readonly Line[])[] };

/**
 * Parses the subset of Markdown that descriptions use: paragraphs, headings, lists, tables, code, bold and links. All
 * else, HTML included, stays plain text. Links are limited to http and https.
 */
export function readProse(markdown: string): readonly Block[] {
  return markdown
    .replaceAll("\r\n", "\n")
    .split(/\n[ \t]*\n/)
    .map((part) => part.trim().split("\n"))
    .filter((lines) => lines[0] !== "")
    .flatMap(toBlocks);
}

function toBlocks(lines: readonly string[]): readonly Block[] {
  const [first = "", ...rest] = lines;
  const heading = /^#{1,6}\s+(.+)$/.exec(first);
  if (heading !== null)
    return [{ kind: "heading", line: readLine(heading[1]!) }, ...(rest.length === 0 ? [] : toBlocks(rest))];
  if (lines.length > 1 && lines.every((line) => line.trim().startsWith("|"))) return [toTable(lines)];
  const from = lines.findIndex(isItem);
  if (from === -1) return [{ kind: "paragraph", line: readLine(lines.map((line) => line.trim()).join(" ")) }];
  const above = lines.slice(0, from);
  return [...(above.length === 0 ? [] : toBlocks(above)), toList(lines.slice(from))];
}

const ITEM = /^\s*(?:[-*]|\d{1,3}\.)\s+/;

function isItem(line: string): boolean {
  return ITEM.test(line);
}

function toList(lines: readonly string[]): Block {
  const items: string[] = [];
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(ITEM, ""));
    else items.push(`${items.pop()!} ${line.trim()}`);
  }
  return { kind: "list", items: items.map(readLine) };
}

function toTable(lines: readonly string[]): Block {
  const rows = lines
    .filter((line) => !/^[\s|:-]+$/.test(line) || !line.includes("--"))
    .map((line) =>
      line
        .trim()
        .replace(/^\|/, "")
        .replace(/\|$/, "")
        .split("|")
        .map((cell) => readLine(cell.trim())),
    );
  return { kind: "table", head: rows[0] ?? [], rows: rows.slice(1) };
}

/** Each part has a maximum length, so that matching takes linear time. */
const SPAN =
  /`([^`]{1,500})`|\*\*([^*]{1,500})\*\*|\[([^\][]{1,300})\]\(([^()\s]{1,1000})\)|<(https?:\/\/[^\s<>]{1,1000})>|(https?:\/\/[^\s<>()`]{0,1000}[^\s<>()`.,;:!?'"])/g;

/** The spans of one line. */
export function readLine(text: string): Line {
  const spans: Span[] = [];
  let at = 0;
  for (const found of text.matchAll(SPAN)) {
    const span = toSpan(found);
    if (found.index > at) spans.push({ kind: "text", text: text.slice(at, found.index) });
    spans.push(span);
    at = found.index + found[0].length;
  }
  if (at < text.length) spans.push({ kind: "text", text: text.slice(at) });
  return spans;
}

function toSpan([whole, code, strong, label, target, marked, bare]: RegExpExecArray): Span {
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  const href = httpAddress(target ?? marked ?? bare!);
  return href === null ? { kind: "text", text: whole } : { kind: "link", text: label ?? href, href };
}

/** The normalized address if its scheme is http or https, else `null`. */
export function httpAddress(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
