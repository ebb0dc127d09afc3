import { compareNumbers, ExactNumber, isNumber, readNumber, toDouble } from "../../../terms/json/exact-number.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../terms/json/json.ts";
import {
  CHARACTERS_PER_STEP,
  compareTexts,
  countCharacters,
  findLastText,
  findText,
  reverseText,
  type SpendExpressionSteps,
  TextMaker,
} from "./long-text.ts";

/** A value during evaluation: JSON, or an expression that is an argument of a function. */
export type ExpressionValue = Json | Reference;

/** `&expression`: a function evaluates it over values that the function chooses. */
export class Reference {
  readonly over: (value: Json) => Json;
  constructor(over: (value: Json) => Json) {
    this.over = over;
  }
}

type Type = "any" | "number" | "string" | "array" | "object" | "boolean" | "null" | "expression";
/** `numbers`, `strings` and `arrays` are lists of entries of that type. */
type Takes = Type | "numbers" | "strings" | "arrays";

interface ExpressionFunction {
  readonly takes: readonly (readonly Takes[])[];
  /** How many arguments may be omitted, from the end. */
  readonly optional: number;
  /** Whether the last argument may be repeated. */
  readonly variadic: boolean;
  // The types of the arguments are checked against `takes` before it is called.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly call: (spend: SpendExpressionSteps, ...given: any[]) => Json;
}

type ExpressionCall = ExpressionFunction["call"];

function fn(takes: string, call: ExpressionCall): ExpressionFunction {
  const written = takes === "" ? [] : takes.split(", ");
  return {
    takes: written.map((one) => one.replace(/[?.]+$/, "").split("|") as Takes[]),
    optional: written.filter((one) => one.endsWith("?")).length,
    variadic: written.at(-1)?.endsWith("...") === true,
    call,
  };
}

/** Entries that are reversed per step. */
const REVERSED_PER_STEP = 3;
/** List entries that are compared with another value per step. */
const SOUGHT_PER_STEP = 4;
/** Characters outside Latin 1 whose case is changed per step. */
const CASED_PER_STEP = 16;
/** Characters that are collected into a set per step. */
const GATHERED_PER_STEP = 2;

/**
 * The functions of JMESPath Community. Each counts its cost before it starts, ignores members of prototypes, and takes
 * time in proportion to the sum of its arguments' lengths, never to their product.
 */
export const FUNCTIONS: ReadonlyMap<string, ExpressionFunction> = new Map(
  Object.entries({
    abs: fn("number", (_, value: Numeric) => Math.abs(toDouble(value))),
    ceil: fn("number", (_, value: Numeric) => Math.ceil(toDouble(value))),
    floor: fn("number", (_, value: Numeric) => Math.floor(toDouble(value))),
    avg: fn("numbers", (spend, list: readonly Numeric[]) =>
      list.length === 0 ? null : total(list, spend) / list.length,
    ),
    sum: fn("numbers", (spend, list: readonly Numeric[]) => total(list, spend)),
    max: fn("numbers|strings", (spend, list: readonly Scalar[]) => extreme(list, list, 1, spend)),
    min: fn("numbers|strings", (spend, list: readonly Scalar[]) => extreme(list, list, -1, spend)),
    max_by: fn("array, expression", (spend, list: readonly Json[], by: Reference) =>
      extreme(list, keysOf(list, by), 1, spend),
    ),
    min_by: fn("array, expression", (spend, list: readonly Json[], by: Reference) =>
      extreme(list, keysOf(list, by), -1, spend),
    ),
    sort: fn("numbers|strings", (spend, list: readonly Scalar[]) => sorted(list, list, spend)),
    sort_by: fn("array, expression", (spend, list: readonly Json[], by: Reference) =>
      sorted(list, keysOf(list, by), spend),
    ),
    group_by: fn("array, expression", (spend, list: readonly Json[], by: Reference) => groupBy(list, by, spend)),
    map: fn("expression, array", (spend, by: Reference, list: readonly Json[]) => {
      spend(list.length);
      return list.map((entry) => by.over(entry));
    }),
    keys: fn("object", (spend, object: JsonObject) => namesOf(object, spend)),
    values: fn("object", (spend, object: JsonObject) => valuesOf(object, spend)),
    items: fn("object", (spend, object: JsonObject) => entriesOf(object, spend)),
    from_items: fn("arrays", (spend, pairs: readonly (readonly Json[])[]) => fromItems(pairs, spend)),
    merge: fn("object...", (spend, ...objects: readonly JsonObject[]) =>
      Object.fromEntries(objects.flatMap((object) => made(entriesOf(object, spend), spend))),
    ),
    zip: fn("array...", (spend, ...lists: readonly (readonly Json[])[]) => {
      let length = Infinity;
      for (const list of lists) length = Math.min(length, list.length);
      spend(length * lists.length);
      return Array.from({ length }, (_, at) => lists.map((list) => list[at]!));
    }),
    to_array: fn("any", (_, value: Json) => (Array.isArray(value) ? value : [value])),
    not_null: fn("any...", (_, ...values: readonly Json[]) => values.find((value) => value !== null) ?? null),
    type: fn("any", (_, value: Json) => typeOf(value)),
    length: fn("string|array|object", (spend, value: string | readonly Json[] | JsonObject) => {
      if (typeof value === "string") return countCharacters(value, spend);
      return Array.isArray(value) ? value.length : namesOf(value as JsonObject, spend).length;
    }),
    reverse: fn("string|array", (spend, value: string | readonly Json[]) => {
      if (typeof value === "string") return reverseText(value, spend);
      spend(value.length / REVERSED_PER_STEP);
      return value.toReversed();
    }),
    contains: fn("string|array, any", (spend, within: string | readonly Json[], sought: Json) => {
      if (typeof within === "string")
        return typeof sought === "string" ? findText(within, sought, 0, spend) !== -1 : null;
      spend(within.length / SOUGHT_PER_STEP);
      return within.some((entry) => isSame(entry, sought, spend));
    }),
    starts_with: fn("string, string", (spend, text: string, start: string) => {
      spend(start.length / CHARACTERS_PER_STEP);
      return text.startsWith(start);
    }),
    ends_with: fn("string, string", (spend, text: string, end: string) => {
      spend(end.length / CHARACTERS_PER_STEP);
      return text.endsWith(end);
    }),
    find_first: fn(
      "string, string, number?, number?",
      (spend, text: string, sought: string, from?: number, to?: number) =>
        findBetween(text, sought, from, to, (part) => findText(part, sought, 0, spend)),
    ),
    find_last: fn(
      "string, string, number?, number?",
      (spend, text: string, sought: string, from?: number, to?: number) =>
        findBetween(text, sought, from, to, (part) => findLastText(part, sought, spend)),
    ),
    lower: fn("string", (spend, text: string) => {
      spend(text.length / CASED_PER_STEP);
      return text.toLowerCase();
    }),
    upper: fn("string", (spend, text: string) => {
      spend(text.length / CASED_PER_STEP);
      return text.toUpperCase();
    }),
    trim: fn("string, string?", (spend, text: string, set?: string) => trimmed(text, set, true, true, spend)),
    trim_left: fn("string, string?", (spend, text: string, set?: string) => trimmed(text, set, true, false, spend)),
    trim_right: fn("string, string?", (spend, text: string, set?: string) => trimmed(text, set, false, true, spend)),
    pad_left: fn(
      "string, number, string?",
      (spend, text: string, width: number, pad?: string) => padding(text, width, pad, spend) + text,
    ),
    pad_right: fn(
      "string, number, string?",
      (spend, text: string, width: number, pad?: string) => text + padding(text, width, pad, spend),
    ),
    join: fn("string, strings", (spend, between: string, texts: readonly string[]) => joined(texts, between, spend)),
    split: fn("string, string, number?", (spend, text: string, at: string, count?: number) =>
      split(text, at, count, spend),
    ),
    replace: fn("string, string, string, number?", (spend, text: string, old: string, by: string, count?: number) =>
      joined(split(text, old, count, spend), by, spend),
    ),
    to_string: fn("any", (spend, value: Json) => {
      if (typeof value === "string") return value;
      weigh(value, spend);
      return JSON.stringify(value);
    }),
    to_number: fn("any", (spend, value: Json) => {
      if (isNumber(value)) return value;
      if (typeof value !== "string") return null;
      spend(value.length / CHARACTERS_PER_STEP);
      return readNumber(value);
    }),
  }),
);

/** @throws Error for arguments that the function does not accept */
export function callFunction(name: string, given: readonly ExpressionValue[], spend: SpendExpressionSteps): Json {
  const { takes, optional, variadic, call } = FUNCTIONS.get(name)!;
  if (given.length < takes.length - optional || (given.length > takes.length && !variadic)) {
    throw new Error(`${name}() does not take ${given.length} arguments`);
  }
  for (const [index, value] of given.entries()) {
    const types = takes[Math.min(index, takes.length - 1)] ?? [];
    if (!types.some((type) => isOf(type, value, spend)))
      throw new Error(`${name}() does not take ${typeOf(value)} there`);
  }
  spend(CALL_STEPS);
  return call(spend, ...given);
}

/** Steps of a call itself: checking the arguments and creating a result. */
const CALL_STEPS = 1;

function isOf(type: Takes, value: ExpressionValue, spend: SpendExpressionSteps): boolean {
  const own = typeOf(value);
  if (type === "any") return own !== "expression";
  if (type !== "numbers" && type !== "strings" && type !== "arrays") return own === type;
  if (!Array.isArray(value)) return false;
  spend(value.length);
  const wanted = type.slice(0, -1);
  return value.every((entry: Json) => typeOf(entry) === wanted);
}

function typeOf(value: ExpressionValue): Type {
  if (value === null) return "null";
  if (value instanceof ExactNumber) return "number";
  if (Array.isArray(value)) return "array";
  if (value instanceof Reference) return "expression";
  return typeof value as Type;
}

type Numeric = number | ExactNumber;
type Scalar = Numeric | string;

function total(list: readonly Numeric[], spend: SpendExpressionSteps): number {
  let sum = 0;
  let areWhole = true;
  for (const value of list) {
    spend(digitSteps(value));
    const number = toDouble(value);
    sum += number;
    areWhole &&= Number.isInteger(number);
  }
  return reckoned(sum, areWhole);
}

/**
 * Checks the result of an arithmetic operation. `areWhole`: the operands are whole numbers. @throws Error if a double
 * cannot represent the result
 */
export function reckoned(result: number, areWhole: boolean): number {
  if (!Number.isFinite(result)) throw new Error("the result is too large for a number");
  if (areWhole && Number.isInteger(result) && !Number.isSafeInteger(result))
    throw new Error("the result has more digits than a double");
  return result;
}

/** Steps to read the digits of a number that has more of them than a double. */
export function digitSteps(value: ExpressionValue): number {
  return value instanceof ExactNumber ? EXACT_STEPS + value.literal.length / DIGITS_PER_STEP : 0;
}

/** Characters compared per step, if two texts have the same length or one begins with the other. */
const COMPARED_PER_STEP = 256;

/** Whether two scalars are equal. A list or an object is only equal to itself here. */
export function isSame(one: Json, other: Json, spend: SpendExpressionSteps): boolean {
  if (typeof one === "string" && typeof other === "string") {
    if (one.length === other.length) spend(one.length / COMPARED_PER_STEP);
    return one === other;
  }
  if (!isNumber(one) || !isNumber(other)) return one === other;
  spend(digitSteps(one) + digitSteps(other));
  return compareNumbers(one, other) === 0;
}

const EXACT_STEPS = 16;
/** Steps to write a number that has more digits than a double. */
const WRITTEN_STEPS = 8;
const DIGITS_PER_STEP = 8;

/** Up to this many members, the engine lists an object without looking each of them up. */
const EASY_MEMBERS_MAX = 64;
const LISTED_STEPS = 6;
const MADE_STEPS = 6;

/** Steps to list the members of an object: one look-up per member if there are many. */
export function memberSteps(count: number): number {
  return count <= EASY_MEMBERS_MAX ? count : LISTED_STEPS * count;
}

function namesOf(object: JsonObject, spend: SpendExpressionSteps): string[] {
  const names = Object.keys(object);
  spend(memberSteps(names.length));
  return names;
}

/** For a large object, `Object.values` would take three times as long. */
export function valuesOf(object: JsonObject, spend: SpendExpressionSteps): Json[] {
  return namesOf(object, spend).map((name) => object[name]!);
}

function entriesOf(object: JsonObject, spend: SpendExpressionSteps): [string, Json][] {
  return namesOf(object, spend).map((name) => [name, object[name]!]);
}

/** Counts the steps to create an object of these members. */
function made<Pairs extends { readonly length: number }>(pairs: Pairs, spend: SpendExpressionSteps): Pairs {
  spend(MADE_STEPS * pairs.length);
  return pairs;
}

function counted<Item>(list: Item[], spend: SpendExpressionSteps): Item[] {
  spend(list.length);
  return list;
}

/** Evaluates the key of each entry. @throws Error unless the keys are all numbers or all texts */
function keysOf(list: readonly Json[], by: Reference): readonly Scalar[] {
  const keys = list.map((entry) => by.over(entry));
  const areNumbers = keys.length > 0 && isNumber(keys[0]);
  for (const key of keys) {
    if (areNumbers ? !isNumber(key) : typeof key !== "string")
      throw new Error("the values to sort or compare by must be all numbers or all texts");
  }
  return keys as readonly Scalar[];
}

function compare(a: Scalar, b: Scalar, spend: SpendExpressionSteps): number {
  spend(1 + digitSteps(a) + digitSteps(b));
  return isNumber(a) ? compareNumbers(a, b as Numeric) : compareTexts(a, b as string, spend);
}

function extreme(list: readonly Json[], keys: readonly Scalar[], sign: 1 | -1, spend: SpendExpressionSteps): Json {
  let best = 0;
  for (let at = 1; at < list.length; at += 1) if (sign * compare(keys[at]!, keys[best]!, spend) > 0) best = at;
  return list[best] ?? null;
}

function sorted(list: readonly Json[], keys: readonly Scalar[], spend: SpendExpressionSteps): Json {
  const order = counted(Array.from(list.keys()), spend);
  return order.sort((a, b) => compare(keys[a]!, keys[b]!, spend)).map((at) => list[at]!);
}

function groupBy(list: readonly Json[], by: Reference, spend: SpendExpressionSteps): Json {
  const groups = new Map<string, Json[]>();
  for (const entry of list) {
    spend(1);
    const key = by.over(entry);
    if (typeof key !== "string") throw new Error("the values to group by must be texts");
    const group = groups.get(key);
    if (group === undefined) {
      spend(MADE_STEPS);
      groups.set(key, [entry]);
    } else group.push(entry);
  }
  return Object.fromEntries(groups);
}

function fromItems(pairs: readonly (readonly Json[])[], spend: SpendExpressionSteps): Json {
  made(pairs, spend);
  if (!pairs.every((pair) => pair.length === 2 && typeof pair[0] === "string"))
    throw new Error("from_items() needs pairs of a text and a value");
  return Object.fromEntries(pairs as readonly (readonly [string, Json])[]);
}

function findBetween(text: string, sought: string, from = 0, to = text.length, find: (part: string) => number): Json {
  if (!Number.isInteger(from) || !Number.isInteger(to)) throw new Error("a position in a text must be a whole number");
  if (text === "" || sought === "") return null;
  const start = Math.max(from, 0);
  const found = find(text.slice(start, Math.min(to === 0 ? text.length : to, text.length)));
  return found === -1 ? null : found + start;
}

function trimmed(
  text: string,
  set: string | undefined,
  left: boolean,
  right: boolean,
  spend: SpendExpressionSteps,
): string {
  const isIn = set === undefined || set === "" ? isBlank : (letter: string) => letters.has(letter);
  spend((set ?? "").length / GATHERED_PER_STEP);
  const letters = new Set((set ?? "").split(""));
  let from = 0;
  let to = text.length;
  while (left && from < to && isIn(text[from]!)) from += 1;
  while (right && to > from && isIn(text[to - 1]!)) to -= 1;
  spend((text.length - (to - from)) / 4);
  return text.slice(from, to);
}

/** White space as JMESPath Community defines it, which includes U+0085 (next line). */
function isBlank(letter: string): boolean {
  return letter === "\u0085" || letter.trim() === "";
}

function padding(text: string, width: number, pad = " ", spend: SpendExpressionSteps): string {
  if (!Number.isInteger(width) || width < 0) throw new Error("a width must be a whole number");
  if (pad.length > 1) throw new Error("a text can only be padded with one character");
  if (text === "" || width <= text.length) return "";
  spend(width);
  return (pad === "" ? " " : pad).repeat(width - text.length);
}

function joined(texts: readonly string[], between: string, spend: SpendExpressionSteps): string {
  const made = new TextMaker(spend);
  for (const [index, text] of texts.entries()) {
    if (index > 0) made.add(between);
    made.add(text);
  }
  return made.text;
}

/** Splits a text at the first `count` separators `at`, or at all of them. */
function split(text: string, at: string, count: number | undefined, spend: SpendExpressionSteps): string[] {
  if (count !== undefined && (!Number.isInteger(count) || count < 0)) throw new Error("a count must be a whole number");
  if (text === "" && at === "") return [];
  const most = count ?? Infinity;
  const pieces: string[] = [];
  let from = 0;
  if (at === "") {
    for (; pieces.length < most && from < text.length - 1; from += 1) pieces.push(text[from]!);
    spend(pieces.length);
    return [...pieces, text.slice(from)];
  }
  for (;;) {
    const found = pieces.length < most ? findText(text, at, from, spend) : -1;
    if (found === -1) return [...pieces, text.slice(from)];
    pieces.push(text.slice(from, found));
    from = found + at.length;
  }
}

/** Counts the steps to walk through a value; a part that occurs several times counts each time. */
export function weigh(value: Json, spend: SpendExpressionSteps): void {
  spend(typeof value === "string" ? 1 + value.length / CHARACTERS_PER_STEP : 1);
  if (value instanceof ExactNumber) spend(WRITTEN_STEPS + value.literal.length / CHARACTERS_PER_STEP);
  if (Array.isArray(value)) for (const entry of value as readonly Json[]) weigh(entry, spend);
  else if (isJsonObject(value)) for (const name of Object.keys(value)) weigh(value[name]!, spend);
}
