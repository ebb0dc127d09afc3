import { Document, isMap, isScalar, isSeq, type Node } from "yaml";

const LINE_MAX = 120;
const SHORT_MAX = 90;

/** Parts of a source file that are always written over several lines, for readability. */
const ROOMY = new Set<unknown>(["request", "match", "map"]);

/** Writes values in the usual style of YAML: short lists and maps on one line, all others over several lines. */
export function toYaml(value: unknown): string {
  const document = new Document(JSON.parse(JSON.stringify(value)), { version: "1.2", schema: "core" });
  if (document.contents !== null) layOut(document.contents as Node, 0, true);
  return document.toString({ lineWidth: LINE_MAX, flowCollectionPadding: false, singleQuote: true });
}

function layOut(node: Node, depth: number, open: boolean): void {
  if (isScalar(node) && typeof node.value === "string" && node.value.includes("\n")) node.type = "BLOCK_LITERAL";
  if (!isMap(node) && !isSeq(node)) return;
  node.flow = node.items.length === 0 || (!open && widthOf(node) <= SHORT_MAX - depth && !hasLines(node));
  if (node.flow) return;
  for (const item of node.items) {
    const key = isSeq(node) ? undefined : (item as { key: { value: unknown } }).key.value;
    const child = (isSeq(node) ? item : (item as { value: unknown }).value) as Node | null;
    if (child !== null) layOut(child, depth + 2, depth === 0 && (key === undefined || ROOMY.has(key)));
  }
}

function widthOf(node: unknown): number {
  if (isMap(node)) return node.items.reduce((sum, { key, value }) => sum + widthOf(key) + widthOf(value) + 4, 2);
  if (isSeq(node)) return node.items.reduce<number>((sum, item) => sum + widthOf(item) + 2, 2);
  return isScalar(node) ? String(node.value).length : 4;
}

function hasLines(node: unknown): boolean {
  if (isMap(node)) return node.items.some(({ value }) => hasLines(value));
  if (isSeq(node)) return node.items.some(hasLines);
  return isScalar(node) && typeof node.value === "string" && node.value.includes("\n");
}
