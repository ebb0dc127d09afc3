import { compile } from "@jmespath-community/jmespath";
import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { didYouMean } from "../../../terms/text/nearest.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { evaluate, isTrue, type Node } from "./evaluate.ts";
import { FUNCTIONS } from "./expression-functions.ts";
import { findTypo } from "./expression-typos.ts";

/** One reply of a vendor. `body` is `null` if it cannot be read. */
export interface AnswerView {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** The last reply to a step. `pages`: the bodies of all replies, if the step is repeated. */
export interface StepView extends AnswerView {
  readonly pages?: readonly Json[];
}

/** The root of an expression: a reply and, in a source with several steps, the replies of the earlier steps. */
export interface ReplyView extends AnswerView {
  readonly steps?: Readonly<Record<string, StepView>>;
}

/** The names with which an expression may begin. */
export interface ExpressionNames {
  readonly roots: readonly string[];
  /** The names below a root, if they are known in advance. */
  readonly below?: Readonly<Record<string, readonly string[]>>;
  /** The steps that are repeated and so have `pages`. */
  readonly repeated?: readonly string[];
}

export const ANSWER_PARTS: readonly string[] = ["status", "headers", "body"];
export const ANSWER_NAMES: ExpressionNames = { roots: ANSWER_PARTS };

/**
 * Compiles JMESPath, which has no side effects, is synchronous and always ends. Misspelled functions and unknown
 * top-level names are refused at compile time, not after a vendor has been paid. @throws DeclarationError
 */
export function compileExpression<View extends object = ReplyView>(
  written: string,
  place: DocumentLocation,
  names: ExpressionNames = ANSWER_NAMES,
): (view: View) => Json {
  const slip = findTypo(written);
  if (slip !== null) place.refuse("expression.slip", slip.problem, slip.hint, slip.at);
  const tree = parse(written, place);
  check(tree, names, place);
  return (view) => evaluate(tree, view as unknown as JsonObject);
}

/**
 * Like `compileExpression`, with a result of true or false. An expression that cannot be evaluated over a reply counts
 * as false.
 */
export function compilePredicate(
  written: string,
  place: DocumentLocation,
  names: ExpressionNames = ANSWER_NAMES,
): (view: ReplyView) => boolean {
  const evaluate = compileExpression(written, place, names);
  return (view) => {
    try {
      return isTrue(evaluate(view));
    } catch {
      return false;
    }
  };
}

/** The value of an expression; `null` if it cannot be evaluated. */
export function valueOrNull(evaluate: (view: ReplyView) => Json, view: ReplyView): Json {
  try {
    return evaluate(view);
  } catch {
    return null;
  }
}

/** Whether an expression uses only these names. `@` and `$` are the whole view, which includes the reply. */
export function isOnlyAbout(written: string, roots: readonly string[], place: DocumentLocation): boolean {
  if (/[@$]/.test(written)) return false;
  try {
    compileExpression<object>(written, place, { roots });
    return true;
  } catch {
    return false;
  }
}

function parse(written: string, place: DocumentLocation): Node {
  try {
    return compile(written);
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, " ");
    return place.refuse("expression.syntax", `this is not JMESPath: ${reason}`);
  }
}

/**
 * Checks a node and those below it. `top` has the allowed names while names still refer to the view itself; otherwise
 * it is `false`.
 */
function check(node: Node, top: ExpressionNames | false, place: DocumentLocation): void {
  switch (node.type) {
    case "Field":
      if (top && !top.roots.includes(node.name)) {
        const hint = didYouMean(node.name, top.roots) ?? `an expression begins with ${top.roots.join(", ")}`;
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
      checkComparison(node, top !== false && top.roots.includes("status"), place);
      check(node.left, top, place);
      check(node.right, top, place);
      return;
    case "Pipe":
      if (top) checkAfterPipe(node.left, node.right, top.roots, place);
      check(node.left, top, place);
      check(node.right, false, place);
      return;
    case "Subexpression":
      if (node.left.type === "NotExpression")
        place.refuse("expression.slip", '"!" applies only to the first name', "write !(…) around the whole expression");
      if (top) checkPath(pathOf(node), top, place);
      check(node.left, top, place);
      check(node.right, isView(node.left) && top, place);
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

/** Refuses comparisons that are false for every reply. */
function checkComparison(node: Node & { type: "Comparator" }, top: boolean, place: DocumentLocation): void {
  const isOrder = node.name !== "EQ" && node.name !== "NE";
  for (const [one, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    if (isOrder && one.type === "Comparator")
      place.refuse("expression.slip", "comparisons do not chain", 'compare twice, joined by "&&"');
    if (one.type !== "Literal") continue;
    if (isOrder && typeof one.value !== "number")
      place.refuse(
        "expression.slip",
        "< and > compare numbers only",
        "compare texts with == or !=, or convert them with to_number()",
      );
    if (!isOrder && top && other.type === "Field" && other.name === "status" && typeof one.value !== "number")
      place.refuse("expression.slip", "a status is a number", `write ${backticked(one.value)} in backticks`);
    if (!isOrder && other.type === "Function" && other.name === "type") checkType(one.value, place);
  }
}

function checkType(value: unknown, place: DocumentLocation): void {
  const type = typeof value === "string" ? value : JSON.stringify(value);
  if (TYPES.includes(type)) return;
  const hint = didYouMean(type, TYPES) ?? `types are ${TYPES.join(", ")}`;
  place.refuse("expression.slip", `there is no type ${type}`, hint);
}

function backticked(value: unknown): string {
  return typeof value === "string" && /^[0-9]{3}$/.test(value) ? `\`${value}\`` : "it as a number";
}

/** After a pipe, names refer to the result on its left. `a | b` does not mean "a or b". */
function checkAfterPipe(left: Node, right: Node, roots: readonly string[], place: DocumentLocation): void {
  const name = firstName(right);
  if (name === null || !roots.includes(name) || left.type === "MultiSelectHash" || left.type === "Current") return;
  place.refuse(
    "expression.slip",
    `after "|" there is no ${name} of the reply`,
    'write "||" for or, or $ before the name',
  );
}

function firstName(node: Node): string | null {
  if (node.type === "Field") return node.name;
  return "left" in node ? firstName(node.left) : null;
}

/** `$`, or `@` at the top level. */
function isView({ type }: Node): boolean {
  return type === "Root" || type === "Current";
}

/** The names of a path that starts at the view; `null` for any other node. */
function pathOf(node: Node): readonly string[] | null {
  if (node.type === "Field") return [node.name];
  if (node.type !== "Subexpression" || node.right.type !== "Field") return null;
  if (isView(node.left)) return [node.right.name];
  const before = pathOf(node.left);
  return before === null ? null : [...before, node.right.name];
}

/** Checks the last name of a path; the names before it are checked separately. */
function checkPath(
  path: readonly string[] | null,
  { below = {}, repeated = [] }: ExpressionNames,
  place: DocumentLocation,
): void {
  if (path === null) return;
  const [root = "", name = "", part = ""] = path;
  const known = Object.hasOwn(below, root) ? below[root]! : undefined;
  if (path.length === 2 && known !== undefined && !known.includes(name)) {
    const there = known.length === 0 ? `there are no ${root} here` : `there are ${known.join(", ")}`;
    const hint = didYouMean(name, known) ?? there;
    place.refuse("expression.unknown_name", `there is no ${nameOfOne(root)} "${name}" here`, hint);
  }
  const ofStep = root === "steps" && known !== undefined;
  const parts = repeated.includes(name) ? [...ANSWER_PARTS, "pages"] : ANSWER_PARTS;
  if (ofStep && path.length === 3 && !parts.includes(part)) {
    const hint = didYouMean(part, parts) ?? `a reply has ${parts.join(", ")}`;
    place.refuse("expression.unknown_name", `a reply has no "${part}"`, hint);
  }
  const isField = root === "headers" ? path.length === 2 : ofStep && part === "headers" && path.length === 4;
  if (isField) checkHeaderName(path.at(-1)!, place);
}

function nameOfOne(root: string): string {
  return root.endsWith("s") ? root.slice(0, -1) : root;
}

/** Refuses header names with upper-case letters, because a view has them in lower case. */
function checkHeaderName(name: string, place: DocumentLocation): void {
  const lower = name.toLowerCase();
  if (name !== lower)
    place.refuse("expression.slip", "names of header fields are in lower case", `write headers."${lower}"`);
}
