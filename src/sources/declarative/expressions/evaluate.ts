import type { compile } from "@jmespath-community/jmespath";
import { compareNumbers, ExactNumber, isNumber, toDouble } from "../../../terms/json/exact-number.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../terms/json/json.ts";
import {
  callFunction,
  digitSteps,
  isSame,
  memberSteps,
  Reference,
  reckoned,
  valuesOf,
  type ExpressionValue,
} from "./expression-functions.ts";
import { pointsOf, type SpendExpressionSteps, textOfPoints } from "./long-text.ts";

/** An expression as the JMESPath library parses it. */
export type Node = ReturnType<typeof compile>;

/** Limit for all expressions over one reply together, in steps of about 50 ns. */
export const EXPRESSION_STEPS_MAX = 500_000;

/**
 * Evaluates an expression. It has no side effects and always ends: each evaluated node and each visited entry counts as
 * a step. Only own members of objects are visible. @throws Error if the expression cannot be evaluated or takes too
 * many steps
 */
export function evaluate(node: Node, root: JsonObject): Json {
  const accounted: Accounted = root;
  let evaluation = accounted[ACCOUNT];
  if (evaluation === undefined) {
    evaluation = new Evaluation(root);
    // Not enumerable, so that copies and serialised forms of a reply do not include it.
    Object.defineProperty(root, ACCOUNT, { value: evaluation });
  }
  return evaluation.of(node, root, NO_VARIABLES);
}

/** The member of a reply that counts its steps: a symbol, which no expression can name. */
const ACCOUNT: unique symbol = Symbol("datarun.expressions");
type Accounted = JsonObject & { readonly [ACCOUNT]?: Evaluation };

type Variables = ReadonlyMap<string, Json>;
const NO_VARIABLES: Variables = new Map();

/** Truth as in JMESPath: null, false, "", [] and {} are false; every number is true. */
export function isTrue(value: Json): boolean {
  if (value === null || value === false || value === "") return false;
  if (typeof value !== "object" || value instanceof ExactNumber) return true;
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

class Evaluation {
  readonly #root: Json;
  #known: WeakMap<object, boolean> | undefined;
  #stepsLeft = EXPRESSION_STEPS_MAX;
  readonly #spend: SpendExpressionSteps = (steps) => {
    if ((this.#stepsLeft -= steps) < 0) throw tooLong();
  };

  constructor(root: Json) {
    this.#root = root;
  }

  of(node: Node, value: Json, variables: Variables): Json {
    if ((this.#stepsLeft -= 1) < 0) throw tooLong();
    switch (node.type) {
      case "Identity":
      case "Current":
        return value;
      case "Root":
        return this.#root;
      case "Literal":
        return node.value as Json;
      case "Field":
        return isJsonObject(value) && Object.hasOwn(value, node.name) ? value[node.name]! : null;
      case "Index":
        return Array.isArray(value) ? ((value.at(node.value) as Json | undefined) ?? null) : null;
      case "Slice":
        return this.#slice(node, value);
      case "Subexpression": {
        const left = this.of(node.left, value, variables);
        return left === null ? null : this.of(node.right, left, variables);
      }
      case "IndexExpression":
      case "Pipe":
        return this.of(node.right, this.of(node.left, value, variables), variables);
      case "Projection":
        return this.#projection(node, value, variables);
      case "ValueProjection": {
        const base = this.of(node.left, value, variables);
        if (!isJsonObject(base)) return null;
        return this.#project(valuesOf(base, this.#spend), node.right, variables);
      }
      case "FilterProjection": {
        const base = this.of(node.left, value, variables);
        if (!Array.isArray(base)) return null;
        const kept = base.filter((entry: Json) => this.#holds(this.of(node.condition, entry, variables)));
        return this.#project(kept as Json[], node.right, variables);
      }
      case "Flatten": {
        const list = this.of(node.child, value, variables);
        if (!Array.isArray(list)) return null;
        // Visiting an empty list counts, too.
        for (const entry of list as readonly Json[])
          this.#spend(Array.isArray(entry) && entry.length > 0 ? entry.length : 1);
        return list.flat() as Json;
      }
      case "MultiSelectList":
        return node.children.map((child) => this.of(child, value, variables));
      case "MultiSelectHash":
        return this.#hash(node, value, variables);
      case "NotExpression":
        return !this.#holds(this.of(node.child, value, variables));
      case "OrExpression": {
        const left = this.of(node.left, value, variables);
        return this.#holds(left) ? left : this.of(node.right, value, variables);
      }
      case "AndExpression": {
        const left = this.of(node.left, value, variables);
        return this.#holds(left) ? this.of(node.right, value, variables) : left;
      }
      case "Ternary":
        return this.of(
          this.#holds(this.of(node.condition, value, variables)) ? node.trueExpr : node.falseExpr,
          value,
          variables,
        );
      case "Comparator":
        return this.#compare(node.name, this.of(node.left, value, variables), this.of(node.right, value, variables));
      case "Arithmetic":
        return calculate(
          node.operator,
          this.#number(node.left, value, variables),
          this.#number(node.right, value, variables),
        );
      case "Unary": {
        const operand = this.#number(node.operand, value, variables);
        return node.operator === "Minus" ? -operand : operand;
      }
      case "Function": {
        const given = node.children.map((child) => this.#argument(child, value, variables));
        return callFunction(node.name, given, this.#spend);
      }
      case "LetExpression": {
        const bound = new Map(variables);
        for (const { variable, reference } of node.bindings) bound.set(variable, this.of(reference, value, variables));
        return this.of(node.expression, value, bound);
      }
      case "Variable": {
        const bound = variables.get(node.name);
        if (bound === undefined) throw new Error(`there is no variable ${node.name}`);
        return bound;
      }
      default:
        throw new Error(`${node.type} is not possible here`);
    }
  }

  #hash({ children }: Node & { type: "MultiSelectHash" }, value: Json, variables: Variables): Json {
    const made: Record<string, Json> = {};
    for (const { name, value: part } of children) {
      const worked = this.of(part, value, variables);
      // Assignment would set the prototype; a definition makes `__proto__` an ordinary member.
      if (name === "__proto__") Object.defineProperty(made, name, { value: worked, ...PLAIN });
      else made[name] = worked;
    }
    return made;
  }

  /** Caches the result for objects, because testing whether one is empty takes time in proportion to its members. */
  #holds(value: Json): boolean {
    if (!isJsonObject(value)) return isTrue(value);
    this.#known ??= new WeakMap();
    let known = this.#known.get(value);
    if (known === undefined) this.#known.set(value, (known = isTrue(value)));
    return known;
  }

  #argument(node: Node, value: Json, variables: Variables): ExpressionValue {
    if (node.type !== "ExpressionReference") {
      const given = this.of(node, value, variables);
      this.#spend(digitSteps(given));
      return given;
    }
    return new Reference((over) => this.of(node.child, over, variables));
  }

  #number(node: Node, value: Json, variables: Variables): number {
    const operand = this.of(node, value, variables);
    if (!isNumber(operand)) throw new Error("arithmetic needs numbers");
    this.#spend(digitSteps(operand));
    return toDouble(operand);
  }

  /** Evaluates a node over each entry, and omits `null` results. */
  #project(entries: readonly Json[], each: Node, variables: Variables): Json[] {
    const collected: Json[] = [];
    for (const entry of entries) {
      const made = this.of(each, entry, variables);
      if (made !== null) collected.push(made);
    }
    return collected;
  }

  #projection(node: { readonly left: Node; readonly right: Node }, value: Json, variables: Variables): Json {
    const base = this.of(node.left, value, variables);
    // A slice of a text is a text, not a list.
    const isSlice = node.left.type === "IndexExpression" && node.left.right.type === "Slice";
    if (isSlice && typeof base === "string") return this.of(node.right, base, variables);
    return Array.isArray(base) ? this.#project(base as Json[], node.right, variables) : null;
  }

  #slice({ start, stop, step }: Node & { type: "Slice" }, value: Json): Json {
    if (typeof value !== "string" && !Array.isArray(value)) return null;
    const list = typeof value === "string" ? pointsOf(value, this.#spend) : (value as readonly Json[]);
    this.#spend(value.length / SLICED_PER_STEP);
    const by = step ?? 1;
    if (by === 0) throw new Error("the step of a slice must not be 0");
    const from = start === null ? (by < 0 ? list.length - 1 : 0) : within(start, list.length, by);
    const to = stop === null ? (by < 0 ? -1 : list.length) : within(stop, list.length, by);
    if (typeof value === "string") return textOfPoints(list as Uint32Array, from, to, by, this.#spend);
    const taken: Json[] = [];
    for (let at = from; by > 0 ? at < to : at > to; at += by) taken.push((list as readonly Json[])[at]!);
    return taken;
  }

  #compare(how: string, left: Json, right: Json): Json {
    if (how === "EQ") return this.#areEqual(left, right);
    if (how === "NE") return !this.#areEqual(left, right);
    if (!isNumber(left) || !isNumber(right)) return null;
    this.#spend(digitSteps(left) + digitSteps(right));
    const order = compareNumbers(left, right);
    if (how === "GT") return order > 0;
    if (how === "GTE") return order >= 0;
    return how === "LT" ? order < 0 : order <= 0;
  }

  #areEqual(left: Json, right: Json): boolean {
    if (isSame(left, right, this.#spend)) return true;
    if (!isContainer(left) || !isContainer(right)) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const names = Object.keys(left);
    const others = Object.keys(right);
    this.#spend(memberSteps(names.length) + memberSteps(others.length));
    if (names.length !== others.length) return false;
    const [one, other] = [left as Readonly<Record<string, Json>>, right as Readonly<Record<string, Json>>];
    return names.every((name) => Object.hasOwn(other, name) && this.#areEqual(one[name]!, other[name]!));
  }
}

function isContainer(value: Json): value is JsonObject | readonly Json[] {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

/** List entries that a slice copies per step. */
const SLICED_PER_STEP = 8;

function tooLong(): Error {
  return new Error("the expressions take too many steps for this reply");
}

function within(place: number, length: number, step: number): number {
  const from = place < 0 ? place + length : place;
  if (from < 0) return step < 0 ? -1 : 0;
  return from >= length ? (step < 0 ? length - 1 : length) : from;
}

function calculate(operator: string, a: number, b: number): number {
  if (b === 0 && operator !== "Plus" && operator !== "Minus" && operator !== "Multiply" && operator !== "Star")
    throw new Error("division by 0 is not possible");
  return reckoned(result(operator, a, b), Number.isInteger(a) && Number.isInteger(b));
}

function result(operator: string, a: number, b: number): number {
  switch (operator) {
    case "Plus":
      return a + b;
    case "Minus":
      return a - b;
    case "Divide":
      return a / b;
    case "Div":
      return Math.floor(a / b);
    case "Modulo":
      return a % b;
    default:
      return a * b;
  }
}
