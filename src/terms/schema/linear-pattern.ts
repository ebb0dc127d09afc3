import { RE2JS, RE2JSException } from "re2js";

/** Called with the cost of a check, in steps of about 30 ns. It may throw to end the check. */
export type SpendSteps = (steps: number) => void;

/** A regular expression that is matched in time linear in the length of the text, for every pattern and text. */
export interface LinearPattern {
  test(text: string, spend?: SpendSteps): boolean;
}

/** Thrown for a valid regular expression that is too large, or that cannot be matched in linear time. */
export class PatternProblem extends Error {}

/** The most instructions of a compiled pattern, with its repetitions expanded. */
const INSTRUCTIONS_MAX = 5_000;
const STEPS_PER_TEST = 32;
/** A pattern with at most this many instructions has few states, all of which are cached. */
const INSTRUCTIONS_FEW = 16;
/**
 * For larger patterns, a text can cause states that are computed again for each character. This many instructions count
 * as one step.
 */
const INSTRUCTIONS_PER_STEP = 4;

/**
 * Compiles a pattern of JSON Schema, which is ECMAScript with the flag `u`, for RE2. Without anchors it matches
 * anywhere in a text. @throws SyntaxError, PatternProblem
 */
export function compilePattern(source: string): LinearPattern {
  // `new RegExp` has validated the syntax; the translation relies on that.
  const pattern = compileRe2(new RegExp(source, "u"), source);
  const instructions = pattern.programSize();
  if (instructions > INSTRUCTIONS_MAX) throw problemOf(source, "repeats too much");
  // For most patterns with an anchor, re2js would prefer this engine, which takes twenty times as long as the other
  // one.
  Object.assign(pattern.re2(), { onepass: null });
  const stepsPerCharacter = instructions <= INSTRUCTIONS_FEW ? 1 : instructions / INSTRUCTIONS_PER_STEP;
  return {
    test(text, spend = spendNothing) {
      spend(STEPS_PER_TEST + text.length * stepsPerCharacter);
      return pattern.test(text);
    },
  };
}

function spendNothing(): void {}

function compileRe2(valid: RegExp, source: string): RE2JS {
  try {
    return RE2JS.compile(valid.source.replaceAll(TOKEN, (token) => toRe2(token, source)));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const says = error.message.replace(/^error parsing regexp: /, "");
    throw problemOf(source, `is not supported: ${says}`, error);
  }
}

function problemOf(source: string, problem: string, cause?: Error): PatternProblem {
  return new PatternProblem(`the pattern ${source} ${problem}`, { cause });
}

/** Tokens whose syntax differs in RE2. In a class, the syntax of all others is the same. */
const ESCAPE =
  /\\(?:u\{[0-9A-Fa-f]+\}|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|c[A-Za-z]|[Pp]\{[^}]*\}|[^])/;
const TOKEN = new RegExp(
  `\\[(?:[^\\]\\\\]|\\\\[^])*\\]|${ESCAPE.source}|\\(\\?<?[=!]|\\(\\?<[^>]*>|\\(\\?[a-z-]*:|\\(|\\.`,
  "gu",
);
const TOKEN_OF_CLASS = new RegExp(`${ESCAPE.source}|\\[`, "gu");

const SPACES = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NO_SPACES = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const EVERY_CHARACTER = String.raw`\x{0}-\x{10ffff}`;
const END_OF_LINE = String.raw`\n\r\x{2028}\x{2029}`;

/** Translates a token of a valid pattern into RE2's syntax. */
function toRe2(token: string, source: string): string {
  if (/^\(\?<?[=!]/.test(token))
    throw problemOf(source, `has a ${token[2] === "<" ? "lookbehind" : "lookahead"}. ${NO_LOOKAROUND}`);
  // Captures do not affect whether a text matches.
  if (token === "(" || token.startsWith("(?<")) return "(?:";
  if (token.startsWith("(?")) {
    if (/[ms]/.test(token)) throw problemOf(source, "sets the flag m or s, which is not supported");
    return token;
  }
  if (token === ".") return `[^${END_OF_LINE}]`;
  if (token === "[]") return `[^${EVERY_CHARACTER}]`;
  if (token === "[^]") return `[${EVERY_CHARACTER}]`;
  if (token.startsWith("[")) return token[0] + token.slice(1).replaceAll(TOKEN_OF_CLASS, toRe2InClass);
  if (/^\\[1-9k]/.test(token))
    throw problemOf(source, "has a back reference, which cannot be matched in time linear in the text");
  if (token === String.raw`\s`) return `[${SPACES}]`;
  if (token === String.raw`\S`) return `[^${SPACES}]`;
  return toRe2Escape(token);
}

const NO_LOOKAROUND =
  "Patterns are matched in time linear in the text, which excludes lookaround; two patterns below allOf often say the same";

function toRe2InClass(token: string): string {
  if (token === "[") return String.raw`\[`;
  if (token === String.raw`\b`) return String.raw`\x{8}`;
  if (token === String.raw`\s`) return SPACES;
  return token === String.raw`\S` ? NO_SPACES : toRe2Escape(token);
}

function toRe2Escape(token: string): string {
  if (token === String.raw`\/`) return "/";
  if (token === String.raw`\0`) return String.raw`\x{0}`;
  switch (token[1]) {
    case "c":
      return byNumber(token.charCodeAt(2) % 32);
    case "u": {
      const numbers = token.match(/[0-9A-Fa-f]+/g)!.map((digits) => Number.parseInt(digits, 16));
      return byNumber(String.fromCodePoint(...numbers).codePointAt(0)!);
    }
    case "p":
    case "P":
      // RE2 has the values of these properties, but not their names.
      return token.replace(/\{(?:General_Category|gc|Script|sc)=/, "{");
    default:
      return token;
  }
}

function byNumber(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}
