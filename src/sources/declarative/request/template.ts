import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { Fault } from "../../../terms/fault.ts";
import { asItIs, type Encoding } from "./encodings.ts";
import { applyFilter, FilterProblem, FILTERS, isAbsent, textOf, type Filter } from "./filters.ts";
import { CLOCK_NAMES, RequestClock } from "./request-moment.ts";
import { didYouMean } from "../../../terms/text/nearest.ts";
import type { DocumentLocation } from "../format/read-document.ts";

/** The values that a template may name: a root such as `inputs`, then names below it. */
export type TemplateValues = Readonly<Record<string, Json | RequestClock | undefined>>;

/**
 * The names that are known at one location of the file. `null`: any name is allowed below this root, or the root itself
 * is a value.
 */
export type KnownNames = Readonly<Record<string, readonly string[] | null>>;

/** The names of the values that are different for each request. */
export const MOMENT_NAMES: KnownNames = { clock: CLOCK_NAMES, nonce: null, request_id: null };

/** The origin of a value: the root of a template's name and the name after it. */
export interface ValueOrigin {
  readonly root: string;
  readonly path: readonly string[];
}

export interface Expression extends ValueOrigin {
  /** The texts and values that `concat` joins. Then the origin is that of the first input or credential. */
  readonly joined?: Template;
  readonly filters: readonly { readonly filter: Filter; readonly args: readonly (string | number)[] }[];
}

/** Literal text and expressions, in order. */
export type Template = readonly (string | Expression)[];

/**
 * Names joined by dots, with list indexes in brackets, from the end if they are negative. Below the first name, also
 * names of XML attributes (`@`) and of texts (`#`).
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[@#]?[A-Za-z_][A-Za-z0-9_-]*|\[-?[0-9]{1,4}\])*$/;
const STEP = /^\s*([a-z][a-z0-9_]*)\s*(?:\(\s*(.*?)\s*\))?\s*$/s;
const ARGUMENT = /^\s*(?:'([^']*)'|"([^"]*)"|(-?[0-9]+))\s*(?:,|$)/;
const CONCAT = /^concat\s*\((.*)\)$/s;
const TEXT = /^(?:'([^']*)'|"([^"]*)")$/;
/** The origin of a text that is written in a template. */
const WRITTEN: ValueOrigin = { root: "template", path: [] };

/** Roots whose values can be corrected by a caller or an operator. */
const GIVEN: ReadonlySet<string> = new Set(["inputs", "credentials"]);

/** `known` null: all names are known. @throws DeclarationError */
export function parseTemplate(
  written: string | number | boolean,
  known: KnownNames | null,
  place: DocumentLocation,
): Template {
  const text = String(written);
  const parts: (string | Expression)[] = [];
  const add = (part: string | Expression): void => {
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else if (part !== "") parts.push(part);
  };
  const addText = (part: string): void => {
    if (part.includes("}}")) {
      const hint = "write {{ inputs.name | filter }}, and {{ '}}' }} for the characters themselves";
      place.refuse("template.syntax", "a template has one {{ and one }}", hint);
    }
    add(part);
  };
  let end = 0;
  for (let start = text.indexOf("{{"); start >= 0; start = text.indexOf("{{", end)) {
    addText(text.slice(end, start));
    const close = closingBraces(text, start + 2);
    if (close < 0) {
      const hint = "write {{ inputs.name | filter }}, and {{ '{{' }} for the characters themselves";
      place.refuse("template.syntax", "a template has one {{ and one }}", hint);
    }
    const expression = parseExpression(text.slice(start + 2, close), known, place);
    add(isText(expression) ? expression.joined.join("") : expression);
    end = close + 2;
  }
  addText(text.slice(end));
  return parts;
}

/**
 * The names in the templates of a part of a file that has been compiled: each root, and with the name after it, such as
 * `request` and `request.body`.
 */
export function namesIn(written: unknown, place: DocumentLocation): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (template: Template): void => {
    for (const part of template) {
      if (typeof part === "string") continue;
      if (part.joined !== undefined) collect(part.joined);
      else names.add(part.root).add(`${part.root}.${part.path[0] ?? ""}`);
    }
  };
  const visit = (value: unknown): void => {
    if (typeof value === "string") collect(parseTemplate(value, null, place));
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  visit(written);
  return names;
}

/** The position of the next `}}` outside quotes; -1 if there is none. */
function closingBraces(text: string, from: number): number {
  let quote = "";
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at]!;
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === "}" && text[at + 1] === "}") return at;
  }
  return -1;
}

function isText(expression: Expression): expression is Expression & { readonly joined: readonly string[] } {
  return expression.filters.length === 0 && expression.joined?.every((part) => typeof part === "string") === true;
}

function parseExpression(inside: string, known: KnownNames | null, place: DocumentLocation): Expression {
  const [head = "", ...steps] = splitOutside(inside, "|").map((step) => step.trim());
  return { ...parseValue(head, known, place), filters: steps.map((step) => parseFilter(step, place)) };
}

function parseValue(
  written: string,
  known: KnownNames | null,
  place: DocumentLocation,
): Pick<Expression, "root" | "path" | "joined"> {
  const [isWritten, single, double] = TEXT.exec(written) ?? [];
  if (isWritten !== undefined) return { ...WRITTEN, joined: [single ?? double ?? ""] };
  const [isJoined, inside = ""] = CONCAT.exec(written) ?? [];
  if (isJoined !== undefined) {
    const joined = splitOutside(inside, ",").map((part) => {
      const expression = parseExpression(part, known, place);
      return isText(expression) ? expression.joined.join("") : expression;
    });
    const values = joined.filter((part) => typeof part !== "string");
    const { root, path } = values.find((value) => GIVEN.has(value.root)) ?? values[0] ?? WRITTEN;
    return { root, path, joined };
  }
  if (!NAME.test(written)) {
    const hint = "write {{ inputs.name | filter }} or {{ concat(inputs.name, ':', inputs.other) | filter }}";
    place.refuse("template.syntax", "a template begins with a name, a text in quotes or concat(…)", hint);
  }
  const [root = "", ...path] = written.split(/[.[\]]+/).filter((part) => part !== "");
  if (known !== null) assertKnown(root, path, known, place);
  return { root, path };
}

/** Values that a kind of authentication makes, and how. */
const MADE_BY: ReadonlyMap<string, string> = new Map([
  ["signature", "auth of kind hmac or digest makes it, if it has no header"],
  ["jwt", "auth of kind jwt makes it"],
  ["token", "auth of kind token_exchange fetches it"],
  ["request", "only a text to sign contains parts of the request"],
]);

function assertKnown(root: string, path: readonly string[], known: KnownNames, place: DocumentLocation): void {
  if (!Object.hasOwn(known, root)) {
    const made = MADE_BY.get(root);
    const hint =
      made ?? didYouMean(root, Object.keys(known)) ?? `names here begin with ${Object.keys(known).join(", ")}`;
    place.refuse("template.unknown_name", `"${root}" is not available here`, hint);
  }
  const names = known[root];
  const [first] = path;
  if (names === null || names === undefined) return;
  if (first === undefined) place.refuse("template.syntax", `"${root}" needs a name after it`, `write ${root}.name`);
  if (root === "steps") assertStep(path, names, known, place);
  if (first !== undefined && !names.includes(first)) {
    const hint =
      didYouMean(first, names) ?? (names.length === 0 ? `no ${root} are declared` : `declared are ${names.join(", ")}`);
    place.refuse("template.unknown_name", `${root} has no "${first}"`, hint);
  }
}

/** Checks that a template below `steps` uses an existing part of a reply that is available when its request is sent. */
function assertStep(
  [name = "", part]: readonly string[],
  names: readonly string[],
  known: KnownNames,
  place: DocumentLocation,
): void {
  if (!names.includes(name)) {
    const there = names.length === 0 ? "no step can be read here" : `steps that can be read here: ${names.join(", ")}`;
    const order = Object.hasOwn(known, "order_id") ? "; the order's number is {{ order_id }}" : "";
    const problem = `step "${name}" has no reply yet when this is sent`;
    place.refuse("template.unknown_name", problem, didYouMean(name, names) ?? there + order);
  }
  if (part === undefined || !ANSWER_PARTS.includes(part)) {
    const hint = `write steps.${name}.${ANSWER_PARTS.join(`, steps.${name}.`)}`;
    place.refuse("template.unknown_name", `a reply has no "${part ?? ""}"`, hint);
  }
}

/** The parts of a reply that a template may use. */
const ANSWER_PARTS = ["body", "status", "headers"];

function parseFilter(step: string, place: DocumentLocation): Expression["filters"][number] {
  const [whole, name = "", inside] = STEP.exec(step) ?? [];
  if (whole === undefined) place.refuse("template.syntax", "a filter is a name with arguments in brackets, or none");
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter === undefined) {
    const hint = didYouMean(name, Object.keys(FILTERS)) ?? `filters are ${Object.keys(FILTERS).join(", ")}`;
    return place.refuse("template.unknown_filter", `there is no filter "${name}"`, hint);
  }
  const args = parseArguments(inside ?? "", place);
  const [least, most] = filter.takes;
  if (args.length < least || args.length > most) {
    const count = least === most ? String(least) : `${least} to ${most}`;
    place.refuse("template.syntax", `filter "${name}" takes ${count} arguments and has ${args.length}`);
  }
  return { filter, args };
}

function parseArguments(inside: string, place: DocumentLocation): (string | number)[] {
  const args: (string | number)[] = [];
  let rest = inside;
  while (rest.trim() !== "") {
    const found = ARGUMENT.exec(rest);
    if (found === null) {
      return place.refuse("template.syntax", "an argument is text in quotes or a whole number");
    }
    args.push(found[3] === undefined ? (found[1] ?? found[2] ?? "") : Number(found[3]));
    rest = rest.slice(found[0].length);
  }
  return args;
}

/** Splits at a character that stands outside quotes and brackets. */
function splitOutside(text: string, at: string): string[] {
  const parts = [""];
  let quote = "";
  let depth = 0;
  for (const letter of text) {
    if (quote === "" && depth === 0 && letter === at) {
      parts.push("");
      continue;
    }
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === "(") depth += 1;
    else if (letter === ")") depth -= 1;
    parts[parts.length - 1] += letter;
  }
  return parts;
}

/** Whether a template is a single expression, and so keeps the type of its value. */
export function isOneExpression(template: Template): template is readonly [Expression] {
  return template.length === 1 && typeof template[0] === "object";
}

/**
 * The value of a root whose members are not known yet: every expression below it results in a placeholder text. A
 * request can then be rendered to check whether the known values can be sent.
 */
export const NOT_YET: JsonObject = Object.freeze({});
const SOMETHING = "-";

/** The value of an expression; `undefined` if it is absent. @throws Fault */
export function evaluate(expression: Expression, values: TemplateValues): Json | undefined {
  const { joined } = expression;
  let value = joined === undefined ? lookUp(expression, values) : fill(joined, values, asItIs);
  if (value === NOT_YET) return SOMETHING;
  try {
    for (const { filter, args } of expression.filters) value = applyFilter(filter, value, args);
  } catch (thrown) {
    if (thrown instanceof FilterProblem) throw valueProblem(expression, thrown.message);
    throw thrown;
  }
  return value;
}

function lookUp(expression: Expression, values: TemplateValues): Json | undefined {
  const root = Object.hasOwn(values, expression.root) ? values[expression.root] : undefined;
  if (root instanceof RequestClock) return root[expression.path[0] as (typeof CLOCK_NAMES)[number]];
  let value: Json | undefined = root;
  if (value === NOT_YET) return value;
  for (const name of expression.path) {
    const holder: Json | undefined = value;
    if (Array.isArray(holder) && name.startsWith("-")) {
      value = (holder as readonly Json[]).at(Number(name));
      continue;
    }
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name)) return undefined;
    value = (holder as Readonly<Record<string, Json>>)[name];
  }
  return value;
}

/** The text of a template with all values encoded; `undefined` if one of its values is absent. @throws Fault */
export function fill(template: Template, values: TemplateValues, encoding: Encoding): string | undefined {
  let filled = "";
  for (const part of template) {
    if (typeof part === "string") {
      filled += part;
      continue;
    }
    const value = evaluate(part, values);
    if (isAbsent(value)) return undefined;
    filled += encodeValue(part, value, encoding);
  }
  return filled;
}

/** The origin of the first value of a template that is absent. */
export function absentOrigin(template: Template, values: TemplateValues): ValueOrigin {
  const absent = template.find((part) => typeof part === "object" && isAbsent(evaluate(part, values)));
  if (absent === undefined || typeof absent === "string") return WRITTEN;
  return absent.joined === undefined ? absent : absentOrigin(absent.joined, values);
}

/** One value as encoded text. @throws Fault that names the field */
export function encodeValue(origin: ValueOrigin, value: Json, encoding: Encoding): string {
  let text: string;
  try {
    text = textOf(value);
  } catch (thrown) {
    if (thrown instanceof FilterProblem) throw valueProblem(origin, thrown.message);
    throw thrown;
  }
  const { charactersMax = Infinity } = encoding;
  // Check before encoding, whose cost grows with the length, and again after it.
  if (text.length > charactersMax) throw valueProblem(origin, TOO_LONG);
  const encoded = text.isWellFormed() ? encoding.encode(text) : null;
  if (encoded === null) throw valueProblem(origin, encoding.problem);
  if (encoded.length > charactersMax) throw valueProblem(origin, TOO_LONG);
  return encoded;
}

export const TOO_LONG = "is too long for an address";

/**
 * The fault for a value that cannot be used where the file puts it. It names the field and never contains the value;
 * nothing is sent. Except for inputs and credentials, such a value can only come from the vendor: its token, or an
 * earlier reply.
 */
export function valueProblem(origin: ValueOrigin, problem: string): Fault {
  const field = origin.path.join(".");
  if (origin.root === "inputs") return new Fault("source.input_invalid", { field, problem });
  if (origin.root === "credentials") {
    return new Fault("source.credential_missing", { field, problem: `credential field ${field} ${problem}` });
  }
  const whose = origin.root === "steps" ? `what step ${origin.path[0]} got` : `its ${origin.root}`;
  return new Fault("source.contract", { problem: `${whose} ${problem}` });
}
