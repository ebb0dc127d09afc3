import { compile } from "@jmespath-community/jmespath";
import type { Json, JsonObject } from "../../../terms/json.ts";
import { didYouMean } from "../../../terms/nearest.ts";
import type { Place } from "../format/read-document.ts";
import { evaluate, isTrue, type Node } from "./evaluate.ts";
import { FUNCTIONS } from "./expression-functions.ts";
import { slipIn } from "./expression-slips.ts";

/** What an expression is about: one answer of a vendor. `body` is `null` where it cannot be read. */
export interface ReplyView {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export const ANSWER_NAMES: readonly string[] = ["status", "headers", "body"];

/**
 * Compiles JMESPath: side-effect free, synchronous, sure to end. A misspelled function or a name at the top that the view
 * does not have is found now and not when a vendor has been paid. @throws DeclarationError
 */
export function compileExpression<View extends object = ReplyView>(
  written: string,
  place: Place,
  names: readonly string[] = ANSWER_NAMES,
): (view: View) => Json {
  const slip = slipIn(written);
  if (slip !== null) place.refuse("expression.slip", slip.problem, slip.hint, slip.at);
  const tree = parse(written, place);
  check(tree, names, place);
  return (view) => evaluate(tree, view as unknown as JsonObject);
}

/** As `compileExpression`, read as yes or no. An expression that cannot be worked out over an answer does not hold. */
export function compilePredicate(written: string, place: Place): (view: ReplyView) => boolean {
  const evaluate = compileExpression(written, place);
  return (view) => {
    try {
      return isTrue(evaluate(view));
    } catch {
      return false;
    }
  };
}

function parse(written: string, place: Place): Node {
  try {
    return compile(written);
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, " ");
    return place.refuse("expression.syntax", `this is not JMESPath: ${reason}`);
  }
}

/** Walks the tree; `top` are the names that there are, while names are still those of the view itself. */
function check(node: Node, top: readonly string[] | false, place: Place): void {
  switch (node.type) {
    case "Field":
      if (top && !top.includes(node.name)) {
        const hint = didYouMean(node.name, top) ?? `an expression begins with ${top.join(", ")}`;
        place.refuse("expression.unknown_name", `a reply has no "${node.name}"`, hint);
      }
      return;
    case "Function":
      if (!FUNCTIONS.has(node.name)) {
        const hint = didYouMean(node.name, FUNCTIONS.keys()) ?? "see the functions of JMESPath Community";
        place.refuse("expression.unknown_function", `there is no function "${node.name}"`, hint);
      }
      for (const child of node.children) check(child, top, place);
      return;
    case "Comparator":
      checkComparison(node, top !== false && top.includes("status"), place);
      check(node.left, top, place);
      check(node.right, top, place);
      return;
    case "Pipe":
      if (top) checkAfterPipe(node.left, node.right, top, place);
      check(node.left, top, place);
      check(node.right, false, place);
      return;
    case "Subexpression":
      if (top && top.includes("headers")) checkHeaderName(node.left, node.right, place);
      check(node.left, top, place);
      check(node.right, false, place);
      return;
    case "IndexExpression":
    case "Projection":
    case "ValueProjection":
      check(node.left, top, place);
      check(node.right, false, place);
      return;
    case "FilterProjection":
      check(node.left, top, place);
      check(node.right, false, place);
      check(node.condition, false, place);
      return;
    case "ExpressionReference":
      check(node.child, false, place);
      return;
    case "Flatten":
    case "NotExpression":
      check(node.child, top, place);
      return;
    case "Unary":
      check(node.operand, top, place);
      return;
    case "AndExpression":
    case "OrExpression":
    case "Arithmetic":
      check(node.left, top, place);
      check(node.right, top, place);
      return;
    case "Ternary":
      for (const child of [node.condition, node.trueExpr, node.falseExpr]) check(child, top, place);
      return;
    case "MultiSelectList":
      for (const child of node.children) check(child, top, place);
      return;
    case "MultiSelectHash":
      for (const child of node.children) check(child.value, top, place);
      return;
    case "LetExpression":
      for (const binding of node.bindings) check(binding.reference, top, place);
      check(node.expression, top, place);
      return;
    default:
  }
}

const TYPES = ["array", "boolean", "null", "number", "object", "string"];

/** Comparisons that no answer can make true. */
function checkComparison(node: Node & { type: "Comparator" }, top: boolean, place: Place): void {
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
function checkAfterPipe(left: Node, right: Node, roots: readonly string[], place: Place): void {
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
function checkHeaderName(left: Node, right: Node, place: Place): void {
  if (left.type !== "Field" || left.name !== "headers" || right.type !== "Field") return;
  const lower = right.name.toLowerCase();
  if (right.name !== lower)
    place.refuse("expression.slip", "names of header fields are in lower case", `write headers."${lower}"`);
}
