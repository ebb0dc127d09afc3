import type { Node } from "./evaluate.ts";
import { didYouMean } from "../../../terms/nearest.ts";
import type { Place } from "../format/read-document.ts";

const TYPES = ["array", "boolean", "null", "number", "object", "string"];

/** Comparisons that no answer can make true. */
export function checkComparison(node: Node & { type: "Comparator" }, top: boolean, place: Place): void {
  const isOrder = node.name !== "EQ" && node.name !== "NE";
  for (const [one, other] of [[node.left, node.right], [node.right, node.left]] as const) {
    if (isOrder && one.type === "Comparator")
      place.refuse("expression.slip", "comparisons do not chain", 'compare twice, with "&&" between');
    if (one.type !== "Literal") continue;
    if (isOrder && typeof one.value !== "number")
      place.refuse("expression.slip", "only numbers are less or greater", "compare texts by == or !=, or by to_number()");
    if (!isOrder && top && other.type === "Field" && other.name === "status" && typeof one.value !== "number")
      place.refuse("expression.slip", "a status is a number", `write ${backticked(one.value)} in backticks`);
    if (!isOrder && other.type === "Function" && other.name === "type") checkType(one.value, place);
  } // prettier-ignore
}

function checkType(value: unknown, place: Place): void {
  const type = typeof value === "string" ? value : JSON.stringify(value);
  if (TYPES.includes(type)) return;
  const hint = didYouMean(type, TYPES) ?? `types are ${TYPES.join(", ")}`;
  place.refuse("expression.slip", `there is no type ${type}`, hint);
}

function backticked(value: unknown): string {
  return typeof value === "string" && /^[0-9]{3}$/.test(value) ? `\`${value}\`` : "it as a number";
}

/** After a pipe names are those of what came before it: `a | b` is no "a or b". */
export function checkAfterPipe(left: Node, right: Node, roots: readonly string[], place: Place): void {
  const name = firstName(right);
  if (name === null || !roots.includes(name) || left.type === "MultiSelectHash" || left.type === "Current") return;
  place.refuse(
    "expression.slip",
    `after "|" there is no ${name} of the answer`,
    'write "||" for or, or $ before the name',
  );
}

function firstName(node: Node): string | null {
  if (node.type === "Field") return node.name;
  return "left" in node ? firstName(node.left) : null;
}

/** Header fields are there in lower case. */
export function checkHeaderName(left: Node, right: Node, place: Place): void {
  if (left.type !== "Field" || left.name !== "headers" || right.type !== "Field") return;
  const lower = right.name.toLowerCase();
  if (right.name !== lower)
    place.refuse("expression.slip", "names of header fields are in lower case", `write headers."${lower}"`);
}
