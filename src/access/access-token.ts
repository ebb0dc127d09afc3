import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { PREFIX } from "../terms/ids.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256, and 62^6 the first above 2^32. */
const SECRET_DIGITS = 43;
const CHECK_DIGITS = 6;
const shapeOf = (prefix: string) => new RegExp(`^${prefix}[0-9A-Za-z]{${SECRET_DIGITS + CHECK_DIGITS}}$`);
const ACCESS_SHAPE = shapeOf(PREFIX.accessToken);
const OPERATOR_SHAPE = shapeOf(PREFIX.operatorToken);

/** Longer texts are refused without hashing. */
export const TOKEN_LENGTH_MAX = 256;

/**
 * Makes an access token: `drt_`, 256 random bits, and a checksum of both. Secret scanners can find a leaked token by
 * the prefix; a mistyped token is refused by the checksum without a look-up.
 */
export function makeAccessToken(secret?: Uint8Array): string {
  return makeToken(PREFIX.accessToken, secret);
}

/**
 * Makes an operator's token: the same form with the prefix `dop_`, so that neither is accepted in place of the other.
 */
export function makeOperatorToken(): string {
  return makeToken(PREFIX.operatorToken);
}

function makeToken(prefix: string, secret: Uint8Array = randomBytes(SECRET_BYTES)): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`a token is made of ${SECRET_BYTES} bytes`);
  const text = prefix + toBase62(BigInt(`0x${Buffer.from(secret).toString("hex")}`), SECRET_DIGITS);
  return text + checksumOf(text);
}

/** Whether a text has the form of an access token. It may never have been issued. */
export function hasTokenShape(text: string): boolean {
  return isToken(text, ACCESS_SHAPE);
}

/** Like `hasTokenShape`, for operators' tokens. */
export function hasOperatorTokenShape(text: string): boolean {
  return isToken(text, OPERATOR_SHAPE);
}

function isToken(text: string, shape: RegExp): boolean {
  if (!shape.test(text)) return false;
  const secretEnd = text.length - CHECK_DIGITS;
  return text.slice(secretEnd) === checksumOf(text.slice(0, secretEnd));
}

/**
 * The stored form of a token. Plain SHA-256 is sufficient for 256 random bits, and a slow hash would make floods
 * expensive.
 */
export function tokenDigest(token: string): string {
  return hash("sha256", token, "hex");
}

/** Compares two digests in constant time. */
export function sameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, "hex"), Buffer.from(other, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Runs for every request, so it uses plain numbers and not bigint. */
function checksumOf(text: string): string {
  let digits = "";
  for (let rest = crc32(text); digits.length < CHECK_DIGITS; rest = Math.floor(rest / 62)) {
    digits = DIGITS.charAt(rest % 62) + digits;
  }
  return digits;
}

function toBase62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text;
}
