import { JsonError } from "./json-error.ts";

/** The limits of a document. All are checked before any recursive function processes it. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly keysPerObjectMax: number;
  /** Values of all kinds on all levels; an empty object or list counts twice. `JSON_VALUES_MAX` if left out. */
  readonly valuesMax?: number;
}

/**
 * The most values in one document. A limit on bytes does not limit memory: an empty object takes three bytes in a
 * document and some fifty in memory, and all later code has to visit each value.
 */
export const JSON_VALUES_MAX = 100_000;

/** How much of a document is examined, or parsed, in one step: a millisecond or two, whatever it contains. */
export const STRETCH_BYTES = 64 * 1024;

/** JSON numbers shorter than this and without an exponent are finite: the largest double has 309 digits. */
const FINITE_DIGITS = 300;
/** A number with more digits takes milliseconds to read, and has no legitimate use. */
const NUMBER_BYTES_MAX = 64 * 1024;

export interface Counts {
  containers: number;
  values: number;
  members: number;
}

/**
 * One step of building a document, in order. Positions count its bytes.
 *
 * - `entries`, `some_entries`: whole entries of the innermost open container, between commas. `blank`: only blanks.
 * - `open`: a container begins at `to`; it is preceded by its name with a colon, or in a list by blanks only.
 * - `close`: the innermost open container has ended.
 */
export type Piece =
  | { readonly kind: "entries" | "some_entries" | "blank"; readonly from: number; readonly to: number }
  | { readonly kind: "open"; readonly from: number; readonly to: number; readonly isObject: boolean }
  | { readonly kind: "close" };

/** A container that has not been closed yet. */
interface Level {
  isObject: boolean;
  openAt: number;
  /** Whether the plan opens it as a separate container; if not, it is so far part of an entry. */
  isOpen: boolean;
  /** The plan covers it up to here. */
  from: number;
  /** The start of its last entry, which may be incomplete. */
  entryFrom: number;
  /**
   * Whether its part of the plan ends with a container, so that only a comma or its end may follow, or with a comma, so
   * that an entry must follow.
   */
  after: "start" | "comma" | "container";
  keys: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** Bytes that delimit something; all others are skipped. `e` and `E` may begin an exponent. */
const TELLING = new Uint8Array(256);
for (const character of '",:[]{}eE') TELLING[character.charCodeAt(0)] = 1;

/**
 * Scans the bytes of a document: checks depth, keys and values, and finds where it can be split so that it can be
 * parsed in pieces. Invalid JSON gets a plan too, in which some piece cannot be parsed.
 */
export class JsonScan {
  readonly plan: Piece[] = [];
  readonly seen: Counts = { containers: 0, values: 0, members: 0 };
  /** Some number may not be finite and has to be checked. */
  mayOverflow = false;
  /** Its brackets do not match, or it has more than one value. */
  isBroken = false;
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  readonly #stretchBytes: number;
  /** The first level has the document itself as its only entry. */
  readonly #levels: Level[];
  #depth = 0;
  // Counted at commas and openings: every value follows a comma or an opening.
  #valuesLeft: number;
  #at: number;
  #tokenStart: number;
  #cutAt: number;
  #isInText = false;

  constructor(bytes: Buffer, limits: JsonLimits, from: number, stretchBytes: number) {
    this.#bytes = bytes;
    this.#stretchBytes = stretchBytes;
    this.#limits = limits;
    this.#valuesLeft = limits.valuesMax ?? JSON_VALUES_MAX;
    this.#at = this.#tokenStart = this.#cutAt = from;
    this.#levels = [newLevel()];
    Object.assign(this.#levels[0]!, { openAt: from - 1, isOpen: true, from, entryFrom: from });
  }

  /** Scans the next step; false when everything has been scanned. @throws JsonError */
  next(): boolean {
    const stretchFrom = this.#at;
    const to = Math.min(this.#bytes.length, stretchFrom + this.#stretchBytes);
    this.#look(to);
    if (this.#at < this.#bytes.length) {
      this.#refuseEndlessNumber(stretchFrom);
      return true;
    }
    if (this.#at - this.#tokenStart > FINITE_DIGITS) this.mayOverflow = true;
    this.#end();
    return false;
  }

  #look(to: number): void {
    const bytes = this.#bytes;
    const { depthMax, keysPerObjectMax } = this.#limits;
    const stretchBytes = this.#stretchBytes;
    const { seen } = this;
    let at = this.#at;
    let tokenStart = this.#tokenStart;
    let level = this.#levels[this.#depth]!;
    if (this.#isInText) {
      at = this.#endOfText(at, to);
      tokenStart = at - 1;
    }
    for (; at < to; at += 1) {
      const byte = bytes[at]!;
      if (TELLING[byte] === 0) continue;
      if (byte === QUOTE) {
        at = this.#endOfText(at + 1, to) - 1;
        tokenStart = at;
      } else if (byte === COMMA) {
        if ((this.#valuesLeft -= 1) < 0) throw new JsonError("too_many_values");
        seen.values += 1;
        if (at - tokenStart > FINITE_DIGITS) this.mayOverflow = true;
        tokenStart = at;
        if (level.after === "container") this.#passContainer(level, at);
        level.entryFrom = at + 1;
        if (at - this.#cutAt >= stretchBytes) this.#cut(at);
      } else if (byte === COLON) {
        if (this.#depth > 0 && (level.keys += 1) > keysPerObjectMax) throw new JsonError("too_many_keys");
        seen.members += 1;
        tokenStart = at;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (this.#depth === depthMax) throw new JsonError("too_deep");
        if ((this.#valuesLeft -= 1) < 0) throw new JsonError("too_many_values");
        seen.containers += 1;
        seen.values += 1;
        level = this.#open(at, byte === OPEN_OBJECT);
        tokenStart = at;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (at - tokenStart > FINITE_DIGITS) this.mayOverflow = true;
        level = this.#close(at, byte === CLOSE_OBJECT);
        tokenStart = at;
      } else if (isDigitOrDot(bytes[at - 1])) {
        this.mayOverflow = true;
      }
    }
    this.#at = at;
    this.#tokenStart = tokenStart;
  }

  /** The position after the closing quote of a string; if the string continues, `to` or one more. */
  #endOfText(from: number, to: number): number {
    const quote = findQuote(this.#bytes, from, to);
    this.#isInText = quote === -1;
    // A backslash at the very end escapes the next byte, which must not be taken for the quote.
    return quote === -1 ? textGoesOnAt(this.#bytes, from, to) : quote + 1;
  }

  #open(at: number, isObject: boolean): Level {
    this.#depth += 1;
    const level = (this.#levels[this.#depth] ??= newLevel());
    level.isObject = isObject;
    level.openAt = at;
    level.isOpen = false;
    level.from = level.entryFrom = at + 1;
    level.after = "start";
    level.keys = 0;
    return level;
  }

  #close(at: number, isObject: boolean): Level {
    const level = this.#levels[this.#depth]!;
    if (this.#depth === 0 || level.isObject !== isObject) this.isBroken = true;
    if (this.#depth === 0) return level;
    this.#depth -= 1;
    const outer = this.#levels[this.#depth]!;
    if (!level.isOpen) return outer;
    this.#addRest(level, at);
    this.plan.push({ kind: "close" });
    outer.from = at + 1;
    outer.after = "container";
    return outer;
  }

  /** Plans what remains of a container that ends. */
  #addRest({ after, from }: Level, to: number): void {
    const kind = after === "container" ? "blank" : after === "comma" ? "some_entries" : "entries";
    this.plan.push({ kind, from, to });
  }

  #passContainer(level: Level, comma: number): void {
    this.plan.push({ kind: "blank", from: level.from, to: comma });
    level.from = comma + 1;
    level.after = "comma";
  }

  /** Plans everything before this comma of the innermost container. */
  #cut(comma: number): void {
    this.#cutAt = comma;
    for (let depth = 0; depth < this.#depth; depth += 1) {
      const outer = this.#levels[depth]!;
      const level = this.#levels[depth + 1]!;
      if (level.isOpen) continue;
      this.#cutLevel(outer, outer.entryFrom - 1);
      this.plan.push({ kind: "open", from: outer.entryFrom, to: level.openAt, isObject: level.isObject });
      level.isOpen = true;
    }
    this.#cutLevel(this.#levels[this.#depth]!, comma);
  }

  /** `comma`: the last one of that container, which may precede the part that is still to be planned. */
  #cutLevel(level: Level, comma: number): void {
    if (comma < level.from) return;
    this.plan.push({ kind: "some_entries", from: level.from, to: comma });
    level.from = comma + 1;
    level.after = "comma";
  }

  #end(): void {
    if (this.#depth > 0 || this.#isInText) this.isBroken = true;
    this.#addRest(this.#levels[0]!, this.#bytes.length);
  }

  /** If nothing has begun or ended for so long, there are only blanks, or an extremely long number. */
  #refuseEndlessNumber(stretchFrom: number): void {
    if (this.#isInText || this.#at - this.#tokenStart <= NUMBER_BYTES_MAX) return;
    if (isDigitOrDot(this.#bytes[stretchFrom]) && isDigitOrDot(this.#bytes[this.#at - 1]))
      throw new JsonError("not_exact");
  }
}

function newLevel(): Level {
  return { isObject: false, openAt: 0, isOpen: false, from: 0, entryFrom: 0, after: "start", keys: 0 };
}

/** Most strings are short. For longer ones, calling the search pays off. */
const NEAR_BYTES = 64;

/** The position of a string's closing quote; `from` is inside the string. -1 if it does not end before `to`. */
function findQuote(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to;) {
    for (const near = Math.min(to, at + NEAR_BYTES); at < near; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    if (at >= to) return -1;
    const quote = bytes.subarray(at, to).indexOf(QUOTE);
    if (quote === -1) return -1;
    if (backslashesBefore(bytes, at, at + quote) % 2 === 0) return at + quote;
    at += quote + 1;
  }
  return -1;
}

/** One position further than `to` if the byte at `to` is escaped. */
function textGoesOnAt(bytes: Buffer, from: number, to: number): number {
  return to + (backslashesBefore(bytes, from, to) % 2);
}

function backslashesBefore(bytes: Buffer, from: number, to: number): number {
  let run = to;
  while (run > from && bytes[run - 1] === BACKSLASH) run -= 1;
  return to - run;
}

function isDigitOrDot(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e);
}
