import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type visitorFn,
} from "yaml";
import { isExactAsDouble, JSON_NUMBER } from "../../../terms/json/exact-number.ts";
import type { Json } from "../../../terms/json/json.ts";
import { DeclarationError, type DeclarationCode, type DeclarationPosition } from "./declaration-error.ts";

/** A location in a source file, at which the compiler reports a problem. */
export interface DocumentLocation {
  readonly path: readonly (string | number)[];
  /** The location of a member below this one. */
  in(...names: readonly (string | number)[]): DocumentLocation;
  /** `at`: the offset of the problem in the text at this location. @throws DeclarationError */
  refuse(code: DeclarationCode, problem: string, hint?: string, at?: number): never;
  /** Like `refuse`, but at the position of the key, not of the value. */
  refuseKey(code: DeclarationCode, problem: string, hint?: string): never;
}

const ALIASES_MAX = 100;

/** Reads YAML 1.2 as JSON values and records their positions. @throws DeclarationError */
export function readDocument(text: string, file: string): { readonly value: Json; readonly root: DocumentLocation } {
  const lines = new LineCounter();
  const document = parse(text, lines);
  const positionOf = (offset: number): DeclarationPosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const broken = syntaxErrorIn(document) ?? keyThatIsNoText(document, text);
  if (broken !== null) {
    const { at, message, hint } = broken;
    throw new DeclarationError("yaml.syntax", positionOf(at), oneLine(message), hint ?? hintOfQuotes(text, at));
  }
  assertNumbersSurvive(document, positionOf);
  return { value: toValue(document, positionOf), root: placeAt({ document, text, positionOf }, []) };
}

function parse(text: string, lineCounter?: LineCounter): Document {
  return parseDocument(text, {
    version: "1.2",
    schema: "core",
    prettyErrors: false,
    ...(lineCounter !== undefined && { lineCounter }),
  });
}

interface SyntaxProblem {
  /** The offset in the text. */
  readonly at: number;
  readonly message: string;
  readonly hint?: string;
}

function syntaxErrorIn(document: Document): SyntaxProblem | null {
  const error = document.errors[0] ?? document.warnings[0];
  if (error !== undefined) return { at: error.pos[0], message: error.message };
  let found: SyntaxProblem | null = null;
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return undefined;
      found = { at: node.range?.[0] ?? 0, message: `Unresolved alias: *${node.source}` };
      return visit.BREAK;
    },
  });
  return found;
}

/** To YAML, `{{ inputs.name }}` without quotes is a map with a map as its key. */
function keyThatIsNoText(document: Document, text: string): SyntaxProblem | null {
  let found: SyntaxProblem | null = null;
  visit(document, {
    Pair(_, { key }, path) {
      if (!isMap(key) && !isSeq(key)) return undefined;
      const holder = path.at(-1);
      const [from = 0, to = from] = (isMap(holder) ? holder.range : key.range) ?? [];
      const written = text.slice(from, to).trim();
      found = /^\{\{[^\n]*\}\}$/.test(written)
        ? { at: from, message: "A template is not in quotes", hint: `write '${written.replaceAll("'", "''")}'` }
        : { at: from, message: "A key must be a text" };
      return visit.BREAK;
    },
  });
  return found;
}

/** The key and the value of a line that begins with a key. */
const MEMBER = /^(\s*(?:- +)*[\w$-]+:\s+)(\S.*?)\s*$/;

/**
 * A hint to put a value in quotes, if the file can then be read at this line. Expressions and templates often contain
 * what YAML reads differently: `!` at the beginning, `{`, or a colon.
 */
function hintOfQuotes(text: string, at: number): string | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const newLine = text.indexOf("\n", at);
  const end = newLine === -1 ? text.length : newLine;
  const [, key, value] = MEMBER.exec(text.slice(start, end)) ?? [];
  if (key === undefined || value === undefined) return undefined;
  if (/^[{[]/.test(value)) return "inside { } and [ ], put an expression in quotes";
  const quoted = `${key}'${value.replaceAll("'", "''")}'`;
  const next = syntaxErrorIn(parse(text.slice(0, start) + quoted + text.slice(end)));
  const isMended = next === null || next.at > start + quoted.length;
  return isMended ? `put the value in quotes: ${quoted.trim().replace(/^(?:- +)+/, "")}` : undefined;
}

function toValue(document: Document, positionOf: (offset: number) => DeclarationPosition): Json {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX }) as Json;
  } catch (error) {
    throw new DeclarationError("yaml.syntax", positionOf(0), oneLine((error as Error).message));
  }
}

/**
 * Refuses numbers that would lose the author's text. In YAML, `00000006` is the number 6, and a number of 20 digits is
 * rounded; mostly these are identifiers. In a request, `2.0` would also be sent as 2, and `0x1F` as 31. Such numbers
 * must be put in quotes.
 */
function assertNumbersSurvive(document: Document, positionOf: (offset: number) => DeclarationPosition): void {
  visit(document, {
    Scalar(_, node, path) {
      if (typeof node.value !== "number" || node.source === undefined) return;
      const position = positionOf(node.range?.[0] ?? 0);
      const hint = `write "${node.source}" with its quotes`;
      if (/^[-+]?0[0-9]/.test(node.source)) {
        throw new DeclarationError("yaml.leading_zero", position, "a number loses its leading zeros", hint);
      }
      const isRounded = JSON_NUMBER.test(node.source) && !isExactAsDouble(node.source, node.value);
      if (isRounded || (Number.isInteger(node.value) && !Number.isSafeInteger(node.value))) {
        throw new DeclarationError("yaml.number_too_large", position, "a number this large would be rounded", hint);
      }
      if (!Number.isFinite(node.value)) {
        throw new DeclarationError("yaml.number_too_large", position, "JSON has no such number", hint);
      }
      const sent = String(node.value);
      if (sent !== node.source && isSent(path)) {
        const problem = `this number would be sent as ${sent}`;
        throw new DeclarationError(
          "yaml.number_form",
          position,
          problem,
          `write ${sent}, or ${hint.slice("write ".length)}`,
        );
      }
    },
  });
}

interface Written {
  readonly document: Document;
  readonly text: string;
  readonly positionOf: (offset: number) => DeclarationPosition;
}

/** The parts of a file whose numbers are sent as written. */
const SENT = new Set(["request", "auth", "verify"]);

/** Whether a node is below one of these keys at the top level, or in the request of a step. */
function isSent(path: Parameters<visitorFn<unknown>>[2]): boolean {
  const keys = path.flatMap((above) => (isPair(above) && isScalar(above.key) ? [String(above.key.value)] : []));
  return SENT.has(keys[0] ?? "") || (keys[0] === "steps" && keys[1] === "request");
}

function placeAt(written: Written, path: readonly (string | number)[]): DocumentLocation {
  const { document, text, positionOf } = written;
  const refuseAt = (node: Node | undefined, code: DeclarationCode, problem: string, hint?: string, at = 0): never => {
    throw new DeclarationError(code, positionOf(offsetIn(text, node, at)), problem, hint);
  };
  return {
    path,
    in: (...names) => placeAt(written, [...path, ...names]),
    refuse: (code, problem, hint, at) => refuseAt(nodeAt(document, path).value, code, problem, hint, at),
    refuseKey: (code, problem, hint) => {
      const { key, value } = nodeAt(document, path);
      return refuseAt(key ?? value, code, problem, hint);
    },
  };
}

/**
 * The offset in the file of the character `at` of a text; the beginning of the text if the file writes it differently
 * (quotes, escapes).
 */
function offsetIn(text: string, node: Node | undefined, at: number): number {
  const [from = 0, to = from] = node?.range ?? [];
  if (at === 0 || !isScalar(node) || typeof node.value !== "string") return from;
  const start = text.slice(from, to).indexOf(node.value);
  return start === -1 ? from : from + start + at;
}

/** The node at a path, or its nearest existing ancestor. */
function nodeAt(document: Document, path: readonly (string | number)[]): { key?: Node; value?: Node } {
  let found: { key?: Node; value?: Node } = document.contents === null ? {} : { value: document.contents as Node };
  for (const name of path) {
    const holder = found.value;
    if (isMap(holder)) {
      const pair = holder.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === String(name));
      if (pair === undefined) return found;
      found = { key: pair.key as Node, value: (pair.value ?? pair.key) as Node };
    } else if (isSeq(holder) && holder.items[Number(name)] !== undefined) {
      found = { value: holder.items[Number(name)] as Node };
    } else {
      return found;
    }
  }
  return found;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
