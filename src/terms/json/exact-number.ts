declare global {
  interface JSON {
    /** An object for which `JSON.stringify` writes exactly this text. */
    rawJSON(text: string): object;
  }
}

/** Any JSON value. Objects may have own properties of any name, including `__proto__` and `constructor`. */
export type Json = string | number | boolean | null | ExactNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A number in a document that a double would change: an integer beyond 2^53, or a number with more digits than a double
 * has. It replaces the number, is written as it was read, and is never rounded silently.
 */
export class ExactNumber {
  /** The number as it was written. Public, so that `deepEqual` of two numbers compares it. */
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }

  /** The nearest double, which schemas and comparisons use. */
  get nearest(): number {
    return Number(this.literal);
  }

  toString(): string {
    return this.literal;
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.literal);
  }

  /**
   * As text, the number is exact. Arithmetic on fractions rounds anyway, but with an integer it would use a different
   * number.
   */
  [Symbol.toPrimitive](wanted: "string" | "number" | "default"): string | number {
    if (wanted === "string") return this.literal;
    if (Number.isInteger(this.nearest))
      throw new TypeError(
        "JavaScript cannot calculate with this number without changing it: use it as text, with String()",
      );
    return this.nearest;
  }
}

/**
 * The same value with the nearest double for each `ExactNumber`, for code that expects plain numbers; the same object
 * if there is none.
 */
export function nearestNumbers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof ExactNumber) return value.nearest;
  const members = value as Readonly<Record<string, unknown>>;
  let made: Record<string, unknown> | undefined;
  for (const name in members) {
    const part = members[name];
    if (typeof part !== "object" || part === null || !Object.hasOwn(members, name)) continue;
    const nearest = nearestNumbers(part);
    if (nearest === part) continue;
    made ??= Array.isArray(value)
      ? ([...value] as unknown as Record<string, unknown>)
      : Object.fromEntries(Object.entries(members));
    Object.defineProperty(made, name, { value: nearest, enumerable: true, configurable: true, writable: true });
  }
  return made ?? value;
}

export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/**
 * Negative, zero or positive, as the first number is less than, equal to or greater than the second, by all their
 * digits.
 */
export function compareNumbers(a: number | ExactNumber, b: number | ExactNumber): number {
  const [one, other] = [Number(nearestNumbers(a)), Number(nearestNumbers(b))];
  if (one !== other || (typeof a === "number" && typeof b === "number")) return one - other;
  const [left, right] = [significant(String(a)), significant(String(b))];
  const sign = one < 0 ? -1 : 1;
  const scale = left.power + left.digits.length - (right.power + right.digits.length);
  if (scale !== 0) return sign * scale;
  return left.digits === right.digits ? 0 : left.digits < right.digits ? -sign : sign;
}

/**
 * The double for arithmetic. Arithmetic on fractions rounds anyway, but an integer would become a different one.
 * @throws TypeError
 */
export function toDouble(value: number | ExactNumber): number {
  return typeof value === "number" ? value : Number(value);
}

/** A number in digits only, never as `1e+21`. */
export function digitsOf(number: number | ExactNumber): string {
  const written = String(number);
  if (number instanceof ExactNumber || !written.includes("e")) return written;
  const { digits, power } = significant(written);
  const sign = number < 0 ? "-" : "";
  if (power >= 0) return `${sign}${digits}${"0".repeat(power)}`;
  const all = digits.padStart(1 - power, "0");
  return `${sign}${all.slice(0, power)}.${all.slice(power)}`;
}

/** A number in JSON syntax. */
export const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** The number of a JSON literal; `null` if the text is no literal, or the number is greater than any double. */
export function readNumber(literal: string): number | ExactNumber | null {
  if (!JSON_NUMBER.test(literal)) return null;
  const number = Number(literal);
  if (!Number.isFinite(number)) return null;
  return isExactAsDouble(literal, number) ? number : new ExactNumber(literal);
}

/** A double represents any number with this many characters, except very close to zero. */
const DIGITS_ALWAYS_KEPT = 15;
const SMALLEST_WHOLE = 2.3e-308;
/** Integers with up to this many digits are written without an exponent. */
const PLAIN_DIGITS = 21;
const WHOLE = /^[1-9][0-9]*$/;

/** Whether a double, written again, is equal to the literal that it was read from. */
export function isExactAsDouble(literal: string, number: number): boolean {
  if (literal.length <= DIGITS_ALWAYS_KEPT && Math.abs(number) > SMALLEST_WHOLE) return true;
  const written = String(number);
  if (written === literal) return true;
  if (literal.length <= PLAIN_DIGITS && WHOLE.test(literal)) return false;
  const [one, other] = [significant(literal), significant(written)];
  // The sign is not compared: a double preserves it, and zero is the same with either sign.
  return one.digits === other.digits && (one.digits === "" || one.power === other.power);
}

const ZERO = 0x30;

/** The digits of a number without leading and trailing zeros, and the power of ten that multiplies them. */
function significant(literal: string): { readonly digits: string; readonly power: number } {
  const start = literal[0] === "-" ? 1 : 0;
  const exponentAt = literal.search(/[eE]/);
  const end = exponentAt === -1 ? literal.length : exponentAt;
  const dot = literal.indexOf(".");
  const digits = dot === -1 ? literal.slice(start, end) : literal.slice(start, dot) + literal.slice(dot + 1, end);
  const exponent = exponentAt === -1 ? 0 : Number(literal.slice(exponentAt + 1));
  let from = 0;
  let to = digits.length;
  while (from < to && digits.charCodeAt(from) === ZERO) from += 1;
  while (to > from && digits.charCodeAt(to - 1) === ZERO) to -= 1;
  const fraction = dot === -1 ? 0 : end - dot - 1;
  return { digits: digits.slice(from, to), power: exponent - fraction + digits.length - to };
}
