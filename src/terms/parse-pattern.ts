/** The structure of a regular expression, without captures: they do not affect whether a text matches. */
export type Pattern =
  | { readonly kind: "set"; readonly has: (character: string) => boolean }
  | { readonly kind: "sequence"; readonly parts: readonly Pattern[] }
  | { readonly kind: "choice"; readonly parts: readonly Pattern[] }
  | { readonly kind: "repeat"; readonly part: Pattern; readonly least: number; readonly most: number }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "look"; readonly part: Pattern; readonly ahead: boolean; readonly negated: boolean };

export type Place = "start" | "end" | "word_boundary" | "no_word_boundary";

/** Thrown for a regular expression that cannot be matched in linear time, or is too large. */
export class PatternProblem extends Error {}

/** A class, an escape, or one character; with the flag `u`, two escaped surrogates are one character. */
const ATOM =
  /\[(?:[^\]\\]|\\[^])*\]|\\(?:u\{[0-9A-Fa-f]+\}|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[Pp]\{[^}]*\}|[^])|[^]/uy;
const QUANTIFIER = /(?:([*+?])|\{([0-9]+)(,?)([0-9]*)\})\??/y;
const GROUP = /\((?:\?(?:(<?[=!])|<[^>]*>|([imsu]*)(?:-([imsu]*))?:))?/y;

/**
 * Parses a regular expression as JSON Schema uses it: ECMAScript with the flag `u`. The engine itself decides which
 * characters an atom matches, so that classes, properties and case have their usual meaning.
 * @throws SyntaxError for invalid expressions, PatternProblem
 */
export function parsePattern(source: string): Pattern {
  // Its syntax is valid after this, and needs no second check below.
  const isValid = new RegExp(source, "u");
  return new PatternParser(isValid.source).parse();
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

class PatternParser {
  readonly #source: string;
  readonly #sets = new Map<string, Pattern>();
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Pattern {
    return this.#choice({ ignoreCase: false, dotAll: false });
  }

  #choice(flags: Flags): Pattern {
    const parts: Pattern[] = [];
    do parts.push(this.#sequence(flags));
    while (this.#skip("|"));
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #sequence(flags: Flags): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) parts.push(this.#term(flags));
    return parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
  }

  #term(flags: Flags): Pattern {
    if (this.#skip("^")) return { kind: "place", place: "start" };
    if (this.#skip("$")) return { kind: "place", place: "end" };
    if (this.#skip("\\b")) return { kind: "place", place: "word_boundary" };
    if (this.#skip("\\B")) return { kind: "place", place: "no_word_boundary" };
    const part = this.#source[this.#at] === "(" ? this.#group(flags) : this.#atom(flags);
    return this.#repeated(part);
  }

  #group(flags: Flags): Pattern {
    const [, look, on, off = ""] = this.#take(GROUP);
    if (`${on ?? ""}${off}`.includes("m")) throw new PatternProblem("the flag m is not supported in a pattern");
    const within = {
      ignoreCase: (flags.ignoreCase || on?.includes("i") === true) && !off.includes("i"),
      dotAll: (flags.dotAll || on?.includes("s") === true) && !off.includes("s"),
    };
    const part = this.#choice(within);
    this.#skip(")");
    if (look === undefined) return part;
    return { kind: "look", part, ahead: !look.startsWith("<"), negated: look.endsWith("!") };
  }

  #atom({ ignoreCase, dotAll }: Flags): Pattern {
    const [atom] = this.#take(ATOM);
    if (/^\\[1-9k]/.test(atom)) throw new PatternProblem("a back reference cannot be matched in linear time");
    const flags = `u${ignoreCase ? "i" : ""}${dotAll ? "s" : ""}`;
    const key = `${flags} ${atom}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      const one = new RegExp(`^${atom}$`, flags);
      set = { kind: "set", has: (character) => one.test(character) };
      this.#sets.set(key, set);
    }
    return set;
  }

  #repeated(part: Pattern): Pattern {
    QUANTIFIER.lastIndex = this.#at;
    const found = QUANTIFIER.exec(this.#source);
    if (found === null) return part;
    this.#at = QUANTIFIER.lastIndex;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) {
      return { kind: "repeat", part, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    }
    const from = Number(least);
    const to = comma === "" ? from : most === "" ? Infinity : Number(most);
    return { kind: "repeat", part, least: from, most: to };
  }

  #take(syntax: RegExp): RegExpExecArray {
    syntax.lastIndex = this.#at;
    const found = syntax.exec(this.#source);
    if (found === null) throw new PatternProblem("the pattern has a syntax that is not supported");
    this.#at = syntax.lastIndex;
    return found;
  }

  #skip(written: string): boolean {
    const isThere = this.#source.startsWith(written, this.#at);
    if (isThere) this.#at += written.length;
    return isThere;
  }
}
