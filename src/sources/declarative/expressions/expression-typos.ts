import { nearestNumbers } from "../../../terms/json/exact-number.ts";
import { readJsonExactly, type Json } from "../../../terms/json/json.ts";

/** A probable mistake in an expression, and its correction. */
export interface ExpressionTypo {
  /** The number of characters before the mistake. */
  readonly at: number;
  readonly problem: string;
  readonly hint: string;
}

type TypoText = Omit<ExpressionTypo, "at">;

interface ExpressionToken {
  readonly kind: "text" | "literal" | "quoted" | "name" | "sign";
  readonly written: string;
  readonly at: number;
}

const TOKEN =
  /(?<text>'(?:[^'\\]|\\[^])*'?)|(?<literal>`(?:[^`\\]|\\[^])*`?)|(?<quoted>"(?:[^"\\]|\\[^])*"?)|(?<name>\$?[A-Za-z_][A-Za-z0-9_]*)|(?<sign>[=!<>]+|&&|\|\||[^\s])/g;
const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);
const CONSTANTS = new Set(["true", "false", "null"]);
/** Comparison operators of other languages, with their JMESPath equivalents. */
const INSTEAD: Readonly<Record<string, string>> = {
  "=": "==",
  "===": "==",
  "!==": "!=",
  "<>": "!=",
  "=<": "<=",
  "=>": ">=",
};

/**
 * Finds what JMESPath's grammar accepts but hardly any author means: an expression that is evaluated without an error,
 * and is true for every reply or for none. `null` if there is no such mistake.
 */
export function findTypo(expression: string): ExpressionTypo | null {
  const tokens = Array.from(expression.matchAll(TOKEN), ({ groups, index }) => {
    const [kind, written] = Object.entries(groups!).find(([, text]) => text !== undefined)!;
    return { kind: kind as ExpressionToken["kind"], written: written!, at: index };
  });
  for (const [index, token] of tokens.entries()) {
    const slip = slipAt(token, tokens[index - 1], tokens[index + 1], tokens[index + 2]);
    if (slip !== null) return { ...slip, at: token.at };
  }
  return null;
}

function slipAt(
  token: ExpressionToken,
  before?: ExpressionToken,
  after?: ExpressionToken,
  second?: ExpressionToken,
): TypoText | null {
  const { kind, written } = token;
  switch (kind) {
    case "sign":
      return slipOfSign(token, before);
    case "text":
      return isClosed(written) ? null : { problem: "a text in quotes is not closed", hint: `write ${written}'` };
    case "literal":
      return isRounded(written.slice(1, -1))
        ? { problem: `the number in ${written} has more digits than can be compared`, hint: "compare by to_string()" }
        : null;
    case "quoted": {
      const isCompared = isComparison(before) || (isComparison(after) && before?.written !== ".");
      if (!isCompared || after?.written === "." || after?.written === "(") return null;
      // On the left, a name that is only valid in quotes is meant as a name.
      if (!isComparison(before) && !/^"[A-Za-z_][A-Za-z0-9_]*"$/.test(written)) return null;
      const text = written.slice(1, -1);
      return {
        problem: `${written} is the name of a member, not a text`,
        hint: `write '${text}', or @.${written} for the member`,
      };
    }
    case "name": {
      const isConstant = CONSTANTS.has(written) && before?.written !== "." && after?.written !== ":";
      if (isConstant)
        return { problem: `${written} is the name of a member here`, hint: `write \`${written}\` in backticks` };
      return slipOfDash(token, after, second);
    }
  }
}

function slipOfSign({ written }: ExpressionToken, before?: ExpressionToken): TypoText | null {
  const instead = Object.hasOwn(INSTEAD, written) ? INSTEAD[written] : undefined;
  const isBinding = written === "=" && before?.written.startsWith("$") === true;
  if (instead !== undefined && !isBinding) {
    return { problem: `"${written}" compares nothing`, hint: `write "${instead}"` };
  }
  const isArgument = before?.written === "(" || before?.written === ",";
  if (written === "&" && !isArgument) {
    const isAnd = before !== undefined && before.written !== "&&";
    return {
      problem: 'a single "&" makes an expression for a function',
      hint: isAnd ? 'write "&&" for and' : "leave it out",
    };
  }
  return null;
}

/** Without quotes, `first-name` is a subtraction. */
function slipOfDash(name: ExpressionToken, dash?: ExpressionToken, after?: ExpressionToken): TypoText | null {
  if (dash?.written !== "-" || after?.kind !== "name") return null;
  if (name.at + name.written.length !== dash.at || dash.at + 1 !== after.at) return null;
  const both = `${name.written}-${after.written}`;
  return {
    problem: `${both} is a subtraction`,
    hint: `write "${both}" in double quotes for a name, or spaces around -`,
  };
}

function isComparison(token: ExpressionToken | undefined): boolean {
  return token !== undefined && token.kind === "sign" && COMPARISONS.has(token.written);
}

function isClosed(text: string): boolean {
  return /^'(?:[^'\\]|\\[^])*'$/.test(text);
}

function isRounded(json: string): boolean {
  let value: Json;
  try {
    value = readJsonExactly(json);
  } catch {
    return false;
  }
  return nearestNumbers(value) !== value;
}
